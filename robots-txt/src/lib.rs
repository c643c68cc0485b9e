//! robots.txt, read as any standard or engine reads it, with the line that decided.
//!
//! ```
//! use robots_txt::{Dialect, RobotsTxt, Target};
//!
//! let robots = RobotsTxt::parse(b"\
//! User-agent: *
//! Disallow: /search
//! Allow: /search/about
//! ");
//! let rules = robots.rules("ExampleBot", &Dialect::RFC9309);
//!
//! let verdict = rules.verdict(&Target::new("https://example.com/search?q=robots"));
//! assert!(!verdict.is_allowed());
//! assert_eq!(
//!     verdict.to_string(),
//!     "disallowed by line 2: Disallow: /search (group of *)"
//! );
//! ```
//!
//! # Data flow
//!
//! Bytes become [`Line`]s with facts about how they were written ([`RobotsTxt::parse`]); a
//! [`Dialect`] judges the lines and chooses the groups that speak to a robot
//! ([`RobotsTxt::rules`]); the compiled [`Rules`] give a [`Verdict`] for each [`Target`]. Parsing
//! is neutral, so one parse serves every dialect.
//!
//! # Promises
//!
//! * No input makes anything here fail or panic. Parsing and compiling are linear in the bytes of
//!   the file; a verdict is linear in the bytes of the target for each rule of the robot.
//! * [`Dialect::GOOGLE`] gives the verdict and the line that google/robotstxt gives.
//! * Everything is `Send + Sync`; [`RobotsTxt`] and [`Rules`] are cheap to clone.
//!
//! # What this is not
//!
//! It fetches nothing and knows no clock: what a missing or unreachable robots.txt means is left to
//! `robots-policy`. robots.txt is a request to robots, not access control
//! (RFC 9309, 3).
#![forbid(unsafe_code)]
#![cfg_attr(
    test,
    allow(clippy::arithmetic_side_effects, reason = "an overflow fails the test")
)]

mod agent;
mod dialect;
mod document;
mod encoding;
mod extension;
mod line;
mod lint;
mod pattern;
mod rules;
mod target;
mod verdict;

pub use agent::{Group, product_token};
pub use dialect::{
    AgentList, AgentMatch, ByteOrderMark, Dialect, Encoding, FieldNames, IndexPage, NulByte,
    OwnPath, RFC9309_SIZE_LIMIT, Separator,
};
pub use document::{Directive, Directives, RobotsTxt};
pub use extension::crawl_delay::CrawlDelay;
pub use extension::sitemap::Sitemap;
pub use line::{Field, LONG_LINE, Line, LineFacts, LineKind, Lines, Spelling};
pub use lint::{Diagnostic, DiagnosticKind, MAX_DIAGNOSTICS};
pub use rules::{Rule, RuleKind, Rules};
pub use target::Target;
pub use verdict::{Reason, Verdict};
