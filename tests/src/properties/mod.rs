//! Properties that hold for every input. The fuzz targets check them on inputs of the fuzzer;
//! `tests/properties.rs` checks them on the fixtures and on mutations of them.

#![allow(
    clippy::expect_used,
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
pub mod journal;
mod page;
pub mod page_lint;
pub mod profile;
pub mod questions;
pub mod robots_book;
pub mod robots_txt;
pub mod store_record;
pub mod verdict;

use std::path::Path;
use tempfile::TempDir;

/// A property: the name of its fuzz target, and its check, which panics if the property does not hold.
pub type Property = (&'static str, fn(&[u8]));

/// All properties.
pub const ALL: [Property; 16] = [
    ("archive", archive::check),
    ("compact", compact::check),
    ("decide", decide::check),
    ("document", document::check),
    ("head", head::check),
    ("header", header::check),
    ("http_message", http_message::check),
    ("index", index::check),
    ("journal", journal::check),
    ("page_lint", page_lint::check),
    ("profile", profile::check),
    ("questions", questions::check),
    ("robots_book", robots_book::check),
    ("robots_txt", robots_txt::check),
    ("store_record", store_record::check),
    ("verdict", verdict::check),
];

/// Returns a folder for files of a property: in memory, where the system has such a folder.
fn scratch_folder() -> TempDir {
    let memory = Path::new("/dev/shm");
    let folder = if memory.is_dir() {
        tempfile::tempdir_in(memory)
    } else {
        tempfile::tempdir()
    };
    folder.expect("folders can be made")
}
