//! The encoding of a page: found in its first bytes, and changed by a late META.

mod confidence;
mod sniff;

pub(super) use confidence::Confidence;
pub(super) use sniff::EncodingHints;
