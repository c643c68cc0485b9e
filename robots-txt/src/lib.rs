//! Robots exclusion by robots.txt: parses a file once, applies the rules of any standard or engine,
//! and returns a verdict with the line that decided.
//!
//! ```
//! use robots_txt::{Dialect, RobotsTxt, Target};
//!
//! let robots = RobotsTxt::parse(
//!     "User-agent: *\n\
//!      Disallow: /search\n\
//!      Allow: /search/about\n",
//! );
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
//! # Start here
//!
//! | question | item |
//! |---|---|
//! | May a robot fetch a URL, and which line decides? | [`RobotsTxt::rules`], [`Rules::verdict`] |
//! | Which other rules match a URL? | [`Rules::matching`] |
//! | What is the name of a robot, given its `User-Agent` header? | [`Agent::from_user_agent`], [`ProductToken::parse`] |
//! | Whose groups do `Googlebot-News` and `Applebot` obey? | [`Agent::known`] |
//! | How does an engine read the file? | [`Dialect`], a constant for each; [`dialect`]: its switches |
//! | Where are the sitemaps? | [`RobotsTxt::sitemaps`] |
//! | How long must a robot wait between requests? | [`RobotsTxt::crawl_delay`] |
//! | What does the file say about AI use, licences, visiting hours? | [`RobotsTxt::extensions_for`], module [`extension`] |
//! | How much does a file disallow? | [`RobotsTxt::summary`], [`Rules::restriction`] |
//! | What changed between two files? | [`analysis::diff()`] |
//! | Where do two engines disagree? | [`RobotsTxt::divergence`] |
//! | Which rules have no effect? | [`Rules::shadows`] |
//! | How are compiled rules stored? | [`Rules::to_bytes`], [`Rules::from_bytes`] |
//! | Many robots or many URLs? | [`RobotsTxt::rules_of_all`], [`Rules::verdicts`] |
//! | What is on each line? | [`RobotsTxt::lines`], module [`parse`] |
//!
//! # Data flow
//!
//! 1. [`parse`]: bytes become lines with facts about how they are written.
//! 2. [`select`]: a [`Dialect`] judges the lines, and selects the groups of a robot.
//! 3. [`rules`]: the rules of these groups are compiled, and return a [`Verdict`] for each
//!    [`Target`].
//!
//! Parsing is neutral, so one parse serves every dialect. [`extension`] reads the other fields of a
//! file ([`robots_usage`] has the vocabulary of preferences about AI use), and [`analysis`] finds
//! the meaning of rules, independent of their wording.
//!
//! # Promises
//!
//! * No file and no URL makes a function fail or panic. Parsing and compiling are linear in the bytes of
//!   the file.
//! * A verdict of up to a dozen rules may try each rule. So may the first few verdicts of more rules; then these
//!   rules are sorted. A verdict of sorted rules finds the deciding prefix by a binary search, and a walk from longer
//!   prefixes to shorter ones. It then tries the other patterns that could outrank this prefix. Trying a pattern
//!   takes time linear in its length and that of the target; for a shell pattern, it takes their product.
//! * Under every dialect, tests compare the compiled rules with a plain reading of the file that tries every rule.
//! * [`Dialect::GOOGLE`] returns the verdict and the line of google/robotstxt.
//! * Every type is `Send + Sync`; [`RobotsTxt`], [`Rules`] and
//!   [`Preferences`](extension::Preferences) are cheap to clone.
//!
//! # Limits of this crate
//!
//! It does no I/O and has no clock: the crate `robots-policy` decides about a missing or unreachable
//! robots.txt. robots.txt is a request to robots, not access control (RFC 9309, 3).
#![forbid(unsafe_code)]

pub mod analysis;
pub mod dialect;
pub mod extension;
pub mod limits;
pub mod parse;
mod pattern;
pub mod rules;
pub mod select;
mod target;

pub use dialect::Dialect;
pub use parse::document::RobotsTxt;
pub use robots_usage;
pub use rules::verdict::{Reason, Verdict};
pub use rules::{Rule, RuleKind, Rules};
pub use select::agent::Agent;
pub use select::product_token::ProductToken;
pub use target::Target;

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
