//! Fetches robots.txt and pages politely, and keeps what is known of origins.
//!
//! This is the only crate of the project with network and disk.
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
