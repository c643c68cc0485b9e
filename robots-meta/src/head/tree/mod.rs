//! The standard's tree builder, where the modes of a HEAD do not suffice.

mod authority;
mod sink;

pub(super) use authority::{Authority, Following, Left, Start, Text};
pub use authority::{MAX_OPEN_ELEMENTS, MAX_OPEN_ELEMENTS_OF_DOCUMENT};
