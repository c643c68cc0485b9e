//! Reading the HEAD of a page: bytes in, METAs out.
//!
//! [`HeadReader`] finds the encoding (`encoding`) and gives the bytes, or where it must the text that
//! they are (`transcode`), to the scanner (`scanner`). That cuts them into tags (`opening`, `name`,
//! `tag`), comments (`comment`), what is white space (`blank`) and elements of text (`raw_text`), follows the insertion modes of a
//! HEAD (`modes`), asks the authority where these do not do (`tree`), and keeps the tags that are
//! wanted (`found`), whose values are decoded at the end (`decode`, `references`).

mod blank;
mod comment;
mod confidence;
mod decode;
mod encoding;
mod found;
mod handover;
mod modes;
mod name;
mod open;
mod opening;
mod raw_text;
mod reader;
mod references;
mod scanner;
mod stride;
mod tag;
mod transcode;
mod tree;

pub use encoding::EncodingSource;
pub use found::{MAX_LINKS, MAX_META_BYTES, MAX_METAS, MAX_TITLE_BYTES};
pub use open::MAX_TAG_BYTES;
pub use reader::{DEFAULT_HEAD_LIMIT, HeadReader, Progress};
pub use tag::MAX_ATTRIBUTES;
pub use tree::{MAX_OPEN_ELEMENTS, MAX_OPEN_ELEMENTS_OF_DOCUMENT};
