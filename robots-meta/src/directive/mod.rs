//! Directive lists: the content of a META, the value of an `X-Robots-Tag`.
#![warn(clippy::indexing_slicing)]

mod conflict;
mod date;
mod finding;
mod flags;
mod grammar;
mod item;
mod names;
mod review;
mod spelling;

pub use conflict::{Contradiction, MAX_COMPARED_DIRECTIVES, contradictions};
pub use date::PIVOT_YEAR;
pub use finding::{ListFinding, ListFindingKind, MAX_FINDINGS};
pub use flags::Directives;
pub(crate) use grammar::{AgentPrefix, Items, items};
pub use item::{Directive, DirectiveValue};
pub(crate) use item::{Item, offset_in};
pub use review::{findings_in_content, findings_in_header};
