//! Reading a page: bytes in, facts out.
//!
//! [`HeadReader`] and [`DocumentReader`] find the encoding (`encoding`) and pass the bytes, or the
//! text that they encode (`transcode`), to the scanner (`scan`). The scanner cuts them into tags,
//! follows the insertion modes of a HEAD, and passes the tags of a TEMPLATE or a BODY to the tree
//! builder (`tree`). A BODY that has no wanted tag is skipped if the page is in memory
//! ([`HeadOptions::read_document_if_needed`]). Wanted tags are collected, and decoded at the end
//! (`text`).
#![warn(clippy::indexing_slicing)]

mod document;
mod encoding;
mod options;
mod reader;
mod reading;
mod scan;
mod text;
mod transcode;
mod tree;

pub use document::DocumentReader;
pub use options::{DEFAULT_HEAD_LIMIT, HeadOptions};
pub use reader::{HeadReader, Progress};
pub use scan::{MAX_ATTRIBUTES, MAX_TAG_BYTES};
pub use text::{MAX_LINKS, MAX_META_BYTES, MAX_METAS, MAX_TITLE_BYTES};
pub use tree::{MAX_OPEN_ELEMENTS, MAX_OPEN_ELEMENTS_OF_DOCUMENT, MAX_TEMPLATE_BYTES};
