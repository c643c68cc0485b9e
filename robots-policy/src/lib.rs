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
//! | Decide about a response with status and headers | [`Page`], [`decide_page`], [`Policy::decide_page`] |
//! | Read the answer | [`Decision::may_fetch`], [`Decision::may_index`], [`Decision::explain`] |
//! | Record the outcome of a request for robots.txt | [`Policy::learn`], [`Policy::learn_at`], [`RobotsFetch`] |
//! | Keep compiled robots.txt files in a database | [`Policy::compile_to_bytes`], [`Policy::load`], [`Policy::decide_under`] |
//! | Decide as an engine does | [`Profile`], [`Policy::under`] |
//! | Decide for several robots at once | [`Policies`] |
//! | Write decisions as a table | [`Decision::columns`] |
//!
//! # Data flow
//!
//! What came of asking for robots.txt ([`RobotsFetch`]) becomes, over time ([`History`]), the state of
//! an origin ([`Robots`]); a [`Page`] is a URL with what is known of its response; a [`Policy`] merges
//! both under a [`Profile`] into a [`Decision`], every field of which has its [`Reason`]s.
//!
//! A profile is data: how an engine reads robots.txt and its fate, which of its robots go by which
//! names, how many directives become one, and what it honours. The program has them all
//! (`robots profiles`), and TOML files make more.
//!
//! # Promises
//!
//! * "Unknown" is a value: a robots.txt that nobody fetched allows nothing and forbids nothing.
//! * No page and no robots.txt makes anything here fail or panic. [`UrlError`] and [`AlreadyInstalled`]
//!   are for misuse; a tdmrep.json and a profile's file can be unreadable, and say so.
//! * No network, no files, no clock: the time is an argument ([`Page::at`]).
//!
//! The types of `robots-txt` and `robots-meta` that appear here can be had as
//! [`robots_policy::robots_txt`](robots_txt) and [`robots_policy::robots_meta`](robots_meta).
//!
//! # Features
//!
//! * `serde`: decisions and their reasons serialise.
//! * `schema`: a JSON Schema of decisions.
//! * `toml`: profiles as TOML files, and the [table of known robots](AgentTable).
//!
//! The crate `robots-crawl` fetches robots.txt and pages, and keeps what is known of origins on disk.
#![forbid(unsafe_code)]
#![cfg_attr(docsrs, feature(doc_cfg))]
#![cfg_attr(
    test,
    allow(clippy::arithmetic_side_effects, reason = "an overflow fails the test")
)]

mod answer;
mod decide;
mod decision;
mod default;
mod input;
mod observe;
pub mod origins;
mod policies;
mod policy;
mod profile;
mod robot_rules;
mod robots;
mod site;
mod usage;

pub use robots_meta;
pub use robots_txt;

pub use answer::{AiUse, Fetch, FollowLink, Index, PageLayer, Permission};
pub use decision::reason::{Effect, Reason, Source, Warning, WarningKind};
pub use decision::{
    Column, Decision, Explanation, Field, MAX_REASONS, MAX_TEXT_BYTES, MAX_WARNINGS, Value,
    ValueType,
};
pub use default::{AlreadyInstalled, decide, decide_page, install, installed};
pub use input::{Origin, Page, UrlError};
pub use observe::statement::MAX_STATEMENTS;
pub use origins::DEFAULT_STORE_BYTES;
pub use policies::{Heads, Policies};
pub use policy::Policy;
#[cfg(feature = "toml")]
pub use profile::{AgentTable, AgentTableError, Basis, KnownAgent, Obeys, ProfileError, Purpose};
pub use profile::{
    AiEffect, AiRules, Conflict, Honours, LinkRule, MergeRule, Precedence, Profile, Robot,
    SignalFamilies, UnknownProfile, UsageToken, Uses,
};
pub use robot_rules::{Allowed, RobotRules};
pub use robots::{
    Cause, Failing, History, MaxAge, OutcomeTable, RobotsFetch, RobotsResponse, State, Step, Then,
};
pub use site::{
    MAX_REQUEST_RATES, MAX_TDMREP_BYTES, MAX_TDMREP_ENTRIES, Robots, SiteRules, Tdmrep,
    TdmrepEntry, TdmrepError, TdmrepErrorKind,
};
pub use usage::MAX_LICENSES;

/// The examples of the README are compiled and run with those of the documentation.
#[cfg(doctest)]
#[doc = include_str!("../../README.md")]
struct Readme;
