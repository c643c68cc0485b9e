//! Findings on robots.txt files, pages and headers, from one catalogue.
//!
//! # Data flow
//!
//! A page and its headers ([`PageInput`]) go through a [`PageLinter`], which returns a [`LintedPage`]. Its
//! [`Annotation`]s have a message, a [`Location`] and a kind of the [`catalogue`]. [`report`] writes them as
//! JSON and SARIF.
//!
//! # What this is not
//!
//! It reads no files and has no clock: the caller reads inputs, and passes the time as an argument. The robots.txt files
//! that were in force are asked for through the trait [`RobotsInForce`].
#![forbid(unsafe_code)]
#![cfg_attr(
    test,
    allow(clippy::arithmetic_side_effects, reason = "an overflow fails the test")
)]

pub mod catalogue;
pub mod page;
pub mod report;
pub mod robots_txt;

pub use catalogue::DiagnosticKind;
pub use page::{LintedPage, PageInput, PageLinter, RobotsInForce};
pub use report::{Annotation, Location};
