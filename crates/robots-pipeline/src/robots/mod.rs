//! The robots.txt that was in force for a page, from the requests for robots.txt in archives.
//!
//! [`book`] keeps captures by site and time, and follows redirects. `policies` uses it for decisions, with compiled rules;
//! [`history`] uses it for the linter and the audit, with parsed files; [`capture_book`] uses it for other machines, with bodies.
//!
//! [`questions`] does not use [`book`]: of each robots.txt, the outcome that was read last answers every question. Redirects
//! are not followed.

pub mod book;
pub(crate) mod book_bytes;
pub mod capture_book;
pub mod capture_row;
mod captures;
pub mod fault;
pub(crate) mod files;
pub mod history;
pub(crate) mod kept_file;
pub(crate) mod policies;
pub mod questions;
pub mod request;
pub mod site;
