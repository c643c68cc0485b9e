//! The robots.txt that was in force for a page, by the requests for it in archives.
//!
//! [`book`] is the one implementation: captures by origin and time, redirects followed. Decisions keep compiled rules in it
//! (`policies`), the linter and the audit parsed files ([`history`]).

pub mod book;
mod captures;
pub mod fault;
pub(crate) mod files;
pub mod history;
pub(crate) mod policies;
pub mod questions;
pub mod request;
pub mod site;
