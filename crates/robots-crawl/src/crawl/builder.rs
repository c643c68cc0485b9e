//! The options of a crawler.

use super::schedule::Schedule;
use super::{Crawler, Shared};
use crate::fetch::Fetcher;
use crate::origin_locks::OriginLocks;
use crate::store::{CrawlStore, DiskReads};
use robots_policy::Policy;
use std::fmt;
use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime};

/// The options of a [`Crawler`], which are fixed when it is built.
///
/// ```
/// use robots_crawl::{CrawlStore, Crawler, Fetcher};
/// use robots_policy::Policy;
/// use std::time::Duration;
///
/// let fetcher = Fetcher::builder("ExampleBot/1.0 (+https://example.com/bot)").build()?;
/// let crawler = Crawler::builder(Policy::new("ExampleBot")?, fetcher)
///     .with_store(CrawlStore::in_memory().with_memory_limit(100 << 20))
///     .with_max_wait(Duration::from_secs(5))
///     .build();
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[must_use]
pub struct CrawlerBuilder {
    policy: Policy,
    fetcher: Fetcher,
    store: CrawlStore,
    schedule: Schedule,
    clock: Box<dyn Fn() -> SystemTime + Send + Sync>,
    max_wait: Duration,
    wants_whole_pages: bool,
}

impl fmt::Debug for CrawlerBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CrawlerBuilder")
            .field("policy", &self.policy)
            .field("fetcher", &self.fetcher)
            .finish_non_exhaustive()
    }
}

impl CrawlerBuilder {
    pub(super) fn new(policy: Policy, fetcher: Fetcher) -> Self {
        Self {
            policy,
            fetcher,
            store: CrawlStore::in_memory(),
            schedule: Schedule::new(),
            clock: Box::new(SystemTime::now),
            max_wait: Duration::from_secs(60),
            wants_whole_pages: false,
        }
    }

    /// Sets the store of facts about origins, in place of an empty one in memory. The policy uses it, too
    /// ([`Crawler::policy`]), and drops what it learned before.
    pub fn with_store(self, store: CrawlStore) -> Self {
        Self { store, ..self }
    }

    /// Sets the schedule: for example one with a minimum delay between requests to an origin, or one in which requests are
    /// already recorded.
    pub fn with_schedule(self, schedule: Schedule) -> Self {
        Self { schedule, ..self }
    }

    /// Sets the maximum time to wait for permission to fetch a page: 60 seconds unless it is set.
    pub fn with_max_wait(self, max_wait: Duration) -> Self {
        Self { max_wait, ..self }
    }

    /// Reads pages to their end, up to [`MAX_PAGE_BYTES`](super::MAX_PAGE_BYTES), and not only to the
    /// end of HEAD. Under a profile that honours METAs in BODY, pages are always read so.
    pub fn with_whole_pages(self) -> Self {
        Self {
            wants_whole_pages: true,
            ..self
        }
    }

    /// Sets the clock from which the crawler takes the times of requests, outcomes and decisions, in place of the system's.
    /// The crawler still waits in real time.
    pub fn with_clock(self, clock: impl Fn() -> SystemTime + Send + Sync + 'static) -> Self {
        Self {
            clock: Box::new(clock),
            ..self
        }
    }

    /// Returns the crawler.
    pub fn build(self) -> Crawler {
        let store = Arc::new(self.store);
        Crawler {
            shared: Arc::new(Shared {
                clock: self.clock,
                policy: self.policy.with_origins(store.clone()),
                store,
                disk_reads: DiskReads::new(),
                fetcher: self.fetcher,
                max_wait: self.max_wait,
                wants_whole_pages: self.wants_whole_pages,
                schedule: Mutex::new(self.schedule),
                robots_locks: OriginLocks::default(),
                page_locks: OriginLocks::default(),
            }),
        }
    }
}
