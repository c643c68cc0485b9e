//! Findings on robots.txt files, pages and headers, from one catalogue.
//!
//! | question | item |
//! | --- | --- |
//! | What can be found, and what does a code mean? | [`FindingKind`] |
//! | What is wrong in a robots.txt file? | [`RobotsTxtLinter`] |
//! | Can it be fixed without a person? | [`Fix`], [`apply_fixes`] |
//! | What is wrong in a list of directives? | [`list`] |
//! | What is wrong in a page and its headers? | [`PageLinter`] |
//! | How is it written for editors and CI systems? | [`report`] |
//! | What are the defaults of a project? | [`project`] |
//!
//! # Data flow
//!
//! * A [`FindingKind`] is an entry of the [`catalogue`], with its code, severity and advice.
//! * A [`RobotsTxtLinter`] returns [`Finding`]s: each has its kind, and its bytes in the robots.txt.
//! * A [`PageLinter`] returns a [`LintedPage`]: a page with its findings.
//! * A [`LocatedFinding`] has a message, a line and a column, whatever it was found in. [`report`] writes it.
//!
//! # Limits
//!
//! It reads no files but `robots.toml` ([`project`]), and has no clock: the caller reads inputs, and passes the time as an argument.
//! The robots.txt files that were in force come from the trait [`RobotsInForce`].
#![forbid(unsafe_code)]

pub mod catalogue;
mod collector;
mod fix;
mod invisible;
pub mod list;
pub mod page;
pub mod project;
pub mod report;
pub mod robots_txt;
mod shorten;

pub use self::robots_txt::{Finding, Findings, RobotsTxtLinter};
pub use catalogue::{FindingKind, Severity};
pub use collector::MAX_PER_KIND;
pub use fix::{CompatibleFixes, Edit, Fix, FixedBody, apply_fixes};
pub use page::{LintedPage, PageInput, PageLinter, RobotsInForce, denial};
pub use report::{LocatedEdit, LocatedFinding, Location};
