//! The robots.txt that was in force for a page, by what archives hold of the requests for it.
//!
//! [`book`] is the one implementation: captures by origin and time, redirects followed. Decisions ask it with compiled rules
//! (`policies`), the linter and the audit with parsed files ([`known`]).

pub mod book;
pub mod fault;
pub mod known;
pub(crate) mod policies;
