//! The scanner: the standard's tokenizer, and the insertion modes up to BODY.

mod body_search;
mod fast_path;
mod in_head;
mod in_tree;
mod markup_start;
mod mode;
mod raw_text;
mod scanner;
mod skipped;
mod space_reference;
mod tag;
mod tag_buffer;
mod tag_name;

pub(super) use body_search::WantedPart;
pub(super) use scanner::{Scanner, Scope};
pub use tag::MAX_ATTRIBUTES;
pub use tag_buffer::MAX_TAG_BYTES;
