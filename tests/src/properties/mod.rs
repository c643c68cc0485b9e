//! Properties that hold for every input. The fuzz targets check them on inputs of the fuzzer;
//! `tests/properties.rs` checks them on the fixtures and on mutations of them.

#![allow(
    clippy::arithmetic_side_effects,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::missing_panics_doc,
    clippy::unwrap_used,
    reason = "a failure here is a property that does not hold"
)]

pub mod archive;
pub mod compact;
pub mod decide;
pub mod document;
pub mod head;
pub mod header;
pub mod http_message;
pub mod index;
mod page;
pub mod page_lint;
pub mod profile;
pub mod robots_txt;
pub mod verdict;

/// A property: the name of its fuzz target, and its check, which panics if the property does not hold.
pub type Property = (&'static str, fn(&[u8]));

/// All properties.
pub const ALL: [Property; 12] = [
    ("archive", archive::check),
    ("compact", compact::check),
    ("decide", decide::check),
    ("document", document::check),
    ("head", head::check),
    ("header", header::check),
    ("http_message", http_message::check),
    ("index", index::check),
    ("page_lint", page_lint::check),
    ("profile", profile::check),
    ("robots_txt", robots_txt::check),
    ("verdict", verdict::check),
];
