//! The robots.txt that was in force for a page, from the requests for robots.txt in archives.
//!
//! [`book`] keeps captures by site and time, and follows redirects. [`capture_book`] uses it for decisions, on other machines too;
//! [`parsed_book`] for the linter and the audit; [`questions`] for `check --batch`.

pub mod book;
pub mod capture_book;
pub mod capture_row;
pub(crate) mod capture_source;
pub mod fault;
pub(crate) mod files;
pub(crate) mod kept_file;
pub mod parsed_book;
pub(crate) mod policy_text;
pub mod questions;
pub mod request;
pub mod site;
