//! The encoding of a page: found in its first bytes, and changed by a late META.

mod page_encoding;
mod sniff;

pub(super) use page_encoding::PageEncoding;
pub(super) use sniff::{EncodingHints, of_label};
