//! One decision from robots.txt, META tags and headers: may a robot fetch a page, index it, follow
//! its links, keep a copy, and why.
//!
//! ```
//! use robots_policy as policy;
//! use robots_policy::{Index, Permission, Policy, RobotsFetch};
//!
//! // Once, when the program starts:
//! let robot = Policy::new("ExampleBot")?;
//! robot.learn(
//!     "https://example.com/robots.txt",
//!     RobotsFetch::Body(b"User-agent: *\nDisallow: /private/\n"),
//! )?;
//! policy::install(robot)?;
//!
//! // In the pipeline:
//! let url = "https://example.com/offers";
//! let html = b"<title>Offers</title><meta name=robots content='noindex'>";
//! let decision = policy::decide(url, html);
//! assert_eq!(decision.index, Index::No);
//! assert_eq!(decision.follow, Permission::Yes);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Start here
//!
//! | task | item |
//! | --- | --- |
//! | Decide about a page | [`decide()`], [`Policy::decide`] |
//! | Decide by the page alone, without robots.txt | [`Policy::decide_under`], as in [`Policy::decide`] |
//! | Decide about a response with status and headers | [`Page`], [`decide_page`], [`Policy::decide_page`] |
//! | Read the decision | [`Decision::may_fetch`], [`Decision::may_index`], [`Decision::explain`], module [`decision`] |
//! | Record the outcome of a request for robots.txt | [`Policy::learn`], [`Policy::learn_at`], [`RobotsFetch`] |
//! | Keep compiled robots.txt files in a database | [`Policy::compile_to_bytes`], [`Policy::load`], [`Policy::decide_under`] |
//! | Decide as an engine does | [`Profile`], [`Policy::under`], module [`profile`] |
//! | Decide for several robots at once | [`Policies::learn_at`], [`Policies::decide`] |
//! | Port a program from Perl's `WWW::RobotRules` | [`RobotRules`] |
//! | Write decisions as a table | [`Decision::columns`] |
//!
//! # Modules
//!
//! | module | content |
//! | --- | --- |
//! | [`decision`] | the fields of a decision, its reasons, warnings and columns |
//! | [`profile`] | how an engine reads and merges statements, its robots, the table of known robots |
//! | [`robots`] | outcomes of requests for robots.txt, their log and their meaning |
//! | [`site`] | robots.txt and tdmrep.json, compiled for one robot |
//! | [`origins`] | origins (scheme, host and port), and caches of what is known about them |
//! | [`policies`] | several policies that share the cost of reading |
//! | [`installed`] | the default policy of the process |
//! | [`robot_rules`] | robots.txt rules with an expiry time |
//! | [`limits`] | the limits on reading and reporting |
//! | [`text`] | text for messages: input made safe to show, suggestions for unknown names |
//!
//! # Data flow
//!
//! 1. The outcomes of requests for robots.txt ([`RobotsFetch`]) become, over time
//!    ([`OutcomeLog`](robots::OutcomeLog)), the state of an origin ([`RobotsState`](robots::RobotsState)).
//! 2. A [`Page`] is a URL with as much of its response as is known.
//! 3. A [`Policy`] merges both under a [`Profile`] into a [`Decision`], and every field has its
//!    [`Reason`](decision::Reason)s.
//!
//! A profile is data: how an engine reads robots.txt and its outcomes, the names of its robots, how
//! directives are merged, and which are honoured. `robots profiles` lists the built-in ones; a TOML
//! file adds another. Presets are constants ([`OutcomeTable::GOOGLE`](robots::OutcomeTable::GOOGLE),
//! [`Dialect::GOOGLE`](robots_txt::Dialect::GOOGLE)), except profiles, which own their names
//! ([`Profile::google`]).
//!
//! # Promises
//!
//! * "Unknown" is a value: a robots.txt that was not fetched allows nothing and forbids nothing. So no permission is a yes
//!   without it; what the page itself forbids is a no.
//! * Functions never fail or panic because of a page or a robots.txt. [`UrlError`](origins::UrlError),
//!   [`ProductTokenError`](robots_txt::select::ProductTokenError) and
//!   [`AlreadyInstalled`](installed::AlreadyInstalled) report misuse; reading a tdmrep.json, the file of a profile or saved rules can
//!   fail.
//! * No network, no files, no clock: the time is an argument ([`Page::at`]).
//!
//! The crate exports `robots_txt` and `robots_meta`, whose types appear here, as
//! [`robots_policy::robots_txt`](robots_txt) and [`robots_policy::robots_meta`](robots_meta).
//!
//! # Features
//!
//! * `serde`: decisions and their reasons serialise.
//! * `schema`: a JSON Schema of decisions.
//! * `toml`: profiles as TOML files, and the table of known robots (`profile::AgentTable`).
//!
//! The crate `robots-crawl` fetches robots.txt and pages, and keeps the facts about origins on disk.
#![forbid(unsafe_code)]
#![cfg_attr(docsrs, feature(doc_cfg))]

mod answer;
mod decide;
pub mod decision;
mod input;
pub mod installed;
pub mod limits;
mod observe;
pub mod origins;
pub mod policies;
mod policy;
pub mod profile;
pub mod robot_rules;
pub mod robots;
pub mod site;
pub mod text;
mod usage;

pub use robots_meta;
pub use robots_txt;

pub use answer::{Fetch, Index, Permission};
pub use decision::Decision;
pub use input::Page;
pub use installed::{decide, decide_page, install};
pub use policies::Policies;
pub use policy::Policy;
pub use profile::Profile;
pub use robot_rules::RobotRules;
pub use robots::RobotsFetch;

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
