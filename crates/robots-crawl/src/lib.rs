//! Fetches robots.txt and pages politely, and stores the facts about origins, in memory and on disk.
//!
//! No other library of the project makes network requests.
//!
//! # Start here
//!
//! | to | use |
//! | --- | --- |
//! | visit pages politely and decide about them | [`Crawler`] |
//! | request one robots.txt | [`Fetcher`] |
//! | know the robots.txt of many origins in a long-lived process, for any number of policies | [`KnownRobots`] |
//! | store facts about origins across restarts, and read them without network | [`DiskStore`] |
//! | pace requests of a crawler of your own | [`Pace`] and [`Schedule`] |
//! | set options, name errors and limits | the modules [`crawl`], [`fetch`] and [`store`] |
//!
//! # Data flow
//!
//! A URL has an origin. [`KnownRobots`] returns the facts about it. If they are missing or stale, its [`Fetcher`] requests
//! robots.txt, and the outcome ([`Fetched`]) is stored. The [`Policy`](robots_policy::Policy)
//! decides whether the page may be fetched, and [`Pace`] and [`Schedule`] when. The page is read up to the end
//! of its HEAD, and the policy decides about it ([`Visit`]).
//!
//! # Features
//!
//! * `redis`: several processes share what they know through Redis or Valkey
#![cfg_attr(feature = "redis", doc = "  ([`SharedStore`](store::SharedStore)).")]
#![cfg_attr(not(feature = "redis"), doc = "  (`SharedStore`).")]

//! * `fetch` (default): the fetcher and the crawler; async, on Tokio. Without it the crate is the store, and
//!   has no network.
#![forbid(unsafe_code)]
#[cfg(feature = "fetch")]
pub mod crawl;
mod cut;
#[cfg(feature = "fetch")]
pub mod fetch;
#[cfg(feature = "fetch")]
pub mod known;
mod next_request;
#[cfg(feature = "fetch")]
mod renewal;
pub mod store;
#[cfg(feature = "fetch")]
mod sync;

pub use robots_policy;

#[cfg(feature = "fetch")]
pub use crawl::{Crawler, CrawlerBuilder, Pace, Schedule, Visit, VisitEnd};
#[cfg(feature = "fetch")]
pub use fetch::{FetchFault, Fetched, Fetcher, FetcherBuilder};
#[cfg(feature = "fetch")]
pub use known::{Known, KnownRobots, KnownRobotsBuilder};
pub use store::{DiskStore, Validators};
