//! The parts of a page that are kept: collected as bytes, decoded at the end.

mod collector;
mod decode;
mod open_elements;
mod references;
mod tag_text;

pub(super) use collector::Collector;
pub use collector::{MAX_LINKS, MAX_META_BYTES, MAX_METAS, MAX_TITLE_BYTES};
pub(super) use references::resolved;
pub(super) use tag_text::{RawAttribute, TagText};
