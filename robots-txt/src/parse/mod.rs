//! Parsing of bytes to lines, with facts about how each is written. No dialect is applied here, so one
//! parse serves every dialect.
#![warn(clippy::indexing_slicing)]

pub(crate) mod document;
pub(crate) mod field;
pub(crate) mod line;
pub(crate) mod line_mark;
pub(crate) mod lines;
pub(crate) mod text;

pub use field::{Field, Spelling};
pub use line::{Line, LineFacts, LineKind};
pub use lines::Lines;
pub use text::{byte_order_mark, is_space, looks_like_html, range_in, trim};
