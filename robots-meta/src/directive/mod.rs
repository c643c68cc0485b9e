//! Directive lists: the content of a META, the value of an `X-Robots-Tag`.

mod conflict;
mod date;
mod finding;
mod flags;
mod grammar;
mod item;
mod names;
mod review;
mod spelling;

pub use date::PIVOT_YEAR;
pub use finding::{Finding, FindingKind, MAX_COMPARED_DIRECTIVES, MAX_FINDINGS};
pub use flags::Directives;
pub(crate) use grammar::{AgentPrefix, items};
pub(crate) use item::offset_in;
pub use item::{Directive, DirectiveValue};
pub use review::{findings_in_content, findings_in_header};
