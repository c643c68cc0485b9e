//! Directive lists: the content of a META, the value of an `X-Robots-Tag`.
#![warn(clippy::indexing_slicing)]

mod date;
mod flags;
mod grammar;
mod item;
mod names;

pub use date::{PIVOT_YEAR, Zone};
pub use flags::Directives;
pub use grammar::{AgentPrefix, Items, items};
pub(crate) use item::offset_in;
pub use item::{Directive, DirectiveValue, Item};
pub use names::{names, parameter_names};
