//! Fetches robots.txt and pages politely, and keeps what is known of origins, in memory and on disk.
//!
//! This is the only crate of the project with network and disk.
//!
//! # Start here
//!
//! | to | use |
//! | --- | --- |
//! | visit pages politely and decide about them | [`Crawler`], or [`BlockingCrawler`] without async |
//! | request one robots.txt | [`Fetcher`] |
//! | keep what is known across restarts | [`DiskStore`], in a [`CrawlStore`] |
//! | decide by a store without network | [`CrawlStore`] and [`Policy::with_origins`](robots_policy::Policy::with_origins) |
//! | pace requests of a crawler of your own | [`Pace`] and [`Schedule`] |
//!
//! # Data flow
//!
//! A URL has an origin. The [`CrawlStore`] returns what is known of it; if that is missing or stale, the
//! [`Fetcher`] requests robots.txt, and its outcome ([`Fetched`]) is stored. The [`Policy`](robots_policy::Policy)
//! decides whether the page may be fetched, and [`Pace`] and [`Schedule`] when. The page is read up to the end
//! of its HEAD, and the policy decides about it ([`Visit`]).
//!
//! # Features
//!
//! * `fetch` (default): the fetcher and the crawler; async, on Tokio. Without it the crate is the store, and
//!   has no network.
#![forbid(unsafe_code)]
#![cfg_attr(
    test,
    allow(clippy::arithmetic_side_effects, reason = "an overflow fails the test")
)]

#[cfg(feature = "fetch")]
mod crawl;
mod cut;
#[cfg(feature = "fetch")]
mod fetch;
mod next_request;
mod store;

pub use robots_policy;

#[cfg(feature = "fetch")]
pub use crawl::{
    BlockingCrawler, Crawler, CrawlerBuilder, MAX_PAGE_BYTES, MAX_RETRY_PAUSE,
    MAX_SCHEDULED_ORIGINS, MIN_FRESHNESS, MIN_RETRY_PAUSE, Pace, Schedule, Visit, VisitEnd,
    VisitedPage,
};
#[cfg(feature = "fetch")]
pub use fetch::{
    Fault, FaultDetail, Fetched, Fetcher, FetcherBuilder, FetcherError, FetcherErrorKind, Hop,
    MAX_RETRY_AFTER, PageResponse,
};
pub use next_request::{NextRequest, Retry, Validators};
pub use store::{
    CrawlStore, DiskStore, FileBytes, MAX_KEPT_BODY, MAX_KEPT_VALIDATOR, OriginRecord, StoreError,
    StoreErrorKind, StoreWarning,
};
