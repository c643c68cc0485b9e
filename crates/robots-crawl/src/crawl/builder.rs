//! The options of a crawler.

use super::schedule::Schedule;
use super::{Crawler, Requests, Shared};
use crate::fetch::Fetcher;
use crate::known::{DEFAULT_MEMORY, KnownRobots};
use crate::origin_locks::OriginLocks;
use crate::store::DiskStore;
use robots_policy::Policy;
use std::fmt;
use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime};

/// The options of a [`Crawler`], which are fixed when it is built.
///
/// ```
/// use robots_crawl::{Crawler, Fetcher};
/// use robots_policy::Policy;
/// use std::time::Duration;
///
/// let fetcher = Fetcher::builder("ExampleBot/1.0 (+https://example.com/bot)").build()?;
/// let crawler = Crawler::builder(Policy::new("ExampleBot")?, fetcher)
///     .with_memory_limit(100 << 20)
///     .with_max_wait(Duration::from_secs(5))
///     .build();
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[must_use]
pub struct CrawlerBuilder {
    policy: Policy,
    fetcher: Fetcher,
    store: Option<Arc<DiskStore>>,
    memory: u64,
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
            store: None,
            memory: DEFAULT_MEMORY,
            schedule: Schedule::new(),
            clock: Box::new(SystemTime::now),
            max_wait: Duration::from_secs(60),
            wants_whole_pages: false,
        }
    }

    /// Sets a store on disk: what is learned is written to it, and origins that are not in memory are looked up in it.
    /// Visits do not wait for writes: see [`KnownRobots::flush`].
    pub fn with_store(self, store: impl Into<Arc<DiskStore>>) -> Self {
        Self {
            store: Some(store.into()),
            ..self
        }
    }

    /// Sets the limit of memory for facts about origins, in bytes: [`DEFAULT_MEMORY`] unless it is set.
    pub fn with_memory_limit(self, bytes: u64) -> Self {
        Self {
            memory: bytes,
            ..self
        }
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
        let requests = Arc::new(Requests {
            clock: self.clock,
            schedule: Mutex::new(self.schedule),
        });
        let (of_robots, clock) = (Arc::clone(&requests), Arc::clone(&requests));
        let mut known_robots = KnownRobots::builder(self.fetcher)
            .for_outcomes(*self.policy.profile().outcomes())
            .with_memory_limit(self.memory)
            .with_clock(move || clock.now())
            // The number of requests is that of the visits.
            .with_max_wait(Duration::MAX)
            .with_max_waiting(usize::MAX)
            .with_max_waiting_per_address(usize::MAX)
            .with_on_request(move |origin, fetched| {
                of_robots.note(origin);
                let status = fetched.status().unwrap_or_default();
                of_robots.back_off(origin, status, fetched.retry_after());
            });
        if let Some(store) = self.store {
            known_robots = known_robots.with_store(store);
        }
        Crawler {
            shared: Arc::new(Shared {
                policy: self.policy,
                known_robots: known_robots.build(),
                max_wait: self.max_wait,
                wants_whole_pages: self.wants_whole_pages,
                requests,
                page_locks: OriginLocks::default(),
            }),
        }
    }
}
