//! Findings on robots.txt files, pages and headers, from one catalogue.
//!
//! | question | item |
//! | --- | --- |
//! | What can be found, and what does a code mean? | [`DiagnosticKind`] |
//! | What is wrong in a robots.txt file? | [`RobotsTxtLinter`] |
//! | Can it be fixed without a person? | [`Fix`], [`apply_fixes`] |
//! | What is wrong in a page and its headers? | [`PageLinter`] |
//! | How is it written as JSON or SARIF? | [`report`] |
//!
//! # Data flow
//!
//! A parsed robots.txt goes through a [`RobotsTxtLinter`], a [`PageInput`] through a [`PageLinter`]. Both find
//! kinds of the [`catalogue`]. Their [`Annotation`]s have messages, lines and columns, which [`report`] writes.
//!
//! # What this is not
//!
//! It reads no files and has no clock: the caller reads inputs, and passes the time as an argument. The robots.txt files
//! that were in force come from the trait [`RobotsInForce`].
#![forbid(unsafe_code)]
#![cfg_attr(
    test,
    allow(clippy::arithmetic_side_effects, reason = "an overflow fails the test")
)]

pub mod catalogue;
mod collector;
mod fix;
mod invisible;
pub mod page;
pub mod report;
pub mod robots_txt;

pub use self::robots_txt::{Diagnostic, Diagnostics, RobotsTxtLinter};
pub use catalogue::{DiagnosticKind, Severity};
pub use collector::MAX_PER_KIND;
pub use fix::{Edit, Fix, apply_fixes};
pub use page::{LintedPage, PageInput, PageLinter, RobotsInForce};
pub use report::{Annotation, Location};
