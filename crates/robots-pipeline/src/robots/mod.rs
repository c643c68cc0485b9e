//! The robots.txt that was in force for a page, from the requests for robots.txt in archives.
//!
//! [`book`] is the one implementation: it keeps captures by origin and time, and follows redirects. For decisions it
//! keeps compiled rules (`policies`); for the linter and the audit, parsed files ([`history`]).

pub mod book;
mod captures;
pub mod fault;
pub(crate) mod files;
pub mod history;
pub(crate) mod policies;
pub mod questions;
pub mod request;
pub mod site;
