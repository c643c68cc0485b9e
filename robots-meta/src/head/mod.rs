//! Reading the HEAD of a page: bytes in, METAs out.
//!
//! [`HeadReader`] finds the encoding (`encoding`) and gives the bytes, or where it must the text that
//! they are (`transcode`), to the scanner (`scanner`). That cuts them into tags (`opening`, `name`,
//! `tag`), comments (`comment`), what is white space (`blank`) and elements of text (`raw_text`), follows the insertion modes of a
//! HEAD (`modes`), asks the authority where these do not do (`tree`), and keeps the tags that are
//! wanted (`found`), whose values are decoded at the end (`decode`, `references`).

mod encoding;
mod reader;
mod scan;
mod text;
mod transcode;
mod tree;

pub use reader::{DEFAULT_HEAD_LIMIT, HeadReader, Progress};
pub use scan::{MAX_ATTRIBUTES, MAX_TAG_BYTES};
pub use text::{MAX_LINKS, MAX_META_BYTES, MAX_METAS, MAX_TITLE_BYTES};
pub use tree::{MAX_OPEN_ELEMENTS, MAX_OPEN_ELEMENTS_OF_DOCUMENT};
