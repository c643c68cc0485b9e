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
//! What a file says beyond its rules are [`Extension`]s ([`RobotsTxt::extensions_for`]). What its
//! rules mean, whatever they look like, is asked of [`RobotsTxt::summary`], [`diff`],
//! [`RobotsTxt::divergence`] and [`Rules::shadows`]. [`Rules::to_bytes`] keeps them.
//!
//! # Promises
//!
//! * No input makes anything here fail or panic. Parsing is linear in the bytes of the file;
//!   compiling sorts the rules of the robot. A verdict costs the logarithm of the number of plain
//!   rules, and the bytes of the target for each rule with wildcards that must be tried: no rule
//!   is that cannot win.
//! * Under every dialect the compiled rules say what [`reference`](mod@reference) says, which
//!   tries every rule.
//! * [`Dialect::GOOGLE`] gives the verdict and the line that google/robotstxt gives.
//! * Everything is `Send + Sync`; [`RobotsTxt`], [`Rules`] and [`Preferences`] are cheap to clone.
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

mod analysis;
mod dialect;
mod extension;
mod limits;
mod parse;
mod pattern;
pub mod reference;
mod rules;
mod select;
mod target;

pub use analysis::diff::{Change, Changes, MAX_CHANGES, diff};
pub use analysis::divergence::{Divergence, Divergences, MAX_DIVERGENCES};
pub use analysis::shadowing::{
    Shadow, ShadowCause, ShadowedBy, ShadowedDirective, Shadows, shadowed_directives,
};
pub use analysis::summary::{Restriction, Summary};
pub use analysis::{MAX_STATES, MAX_WORK, Said};
pub use dialect::{
    AgentList, AgentMatch, AllowRules, BarePattern, ByteOrderMark, DelayScope, Dialect,
    EmptyPattern, Encoding, FieldNames, GroupChoice, GroupEnd, IndexPage, LineEnd, NulByte,
    OverLimit, OwnPath, PatternSyntax, RuleOrder, RulesBeforeAgent, Separator, Switch,
};
pub use extension::ai_training::AiTraining;
pub use extension::clean_param::CleanParam;
pub use extension::comment::Comment;
pub use extension::content_signal::{ContentSignal, SignalVerdict};
#[cfg(feature = "content-usage")]
pub use extension::content_usage::{ContentUsage, UsageVerdict};
pub use extension::crawl_delay::CrawlDelay;
pub use extension::host::Host;
pub use extension::license::License;
pub use extension::noindex::Noindex;
pub use extension::path_pattern::PathPattern;
pub use extension::preferences::Preferences;
pub use extension::request_rate::RequestRate;
pub use extension::set::Extensions;
pub use extension::sitemap::Sitemap;
pub use extension::visit_time::{VisitTime, Window};
pub use extension::{Extension, Scope};
pub use limits::{LONG_LINE, MAX_BODY, RFC9309_SIZE_LIMIT};
pub use parse::document::RobotsTxt;
pub use parse::field::{Field, Spelling};
pub use parse::line::{Line, LineFacts, LineKind};
pub use parse::lines::Lines;
pub use parse::text::{byte_order_mark, is_space, trim};
pub use robots_usage;
pub use rules::verdict::{Reason, Verdict};
pub use rules::{LoadError, LoadErrorKind, Rule, RuleKind, Rules, RulesOfAll};
pub use select::agent::{Agent, product_token};
pub use select::directive::{Directive, Directives};
pub use select::group::{Group, GroupBuilder};
pub use select::product_token::{ProductToken, ProductTokenError, ProductTokenErrorKind};
pub use select::robot_version::RobotVersion;
pub use target::Target;
