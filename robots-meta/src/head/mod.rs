//! Reading the HEAD of a page: bytes in, METAs out.

mod attributes;
mod encoding;
mod marks;
mod reader;
mod tree;

pub use attributes::MAX_ATTRIBUTES;
pub use reader::{DEFAULT_HEAD_LIMIT, HeadReader, Progress};
pub use tree::MAX_OPEN_ELEMENTS;
