//! The robots.txt that was in force for a page, by the requests for it in archives.
//!
//! [`book`] is the one implementation: captures by origin and time, redirects followed. Decisions ask it with compiled
//! rules (`policies`), the linter and the audit with parsed files ([`known`]).

pub mod book;
pub mod fault;
pub(crate) mod files;
pub mod known;
pub(crate) mod policies;
