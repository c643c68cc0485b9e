//! The options of a crawler.

use super::schedule::Schedule;
use super::{Crawler, Requests, Shared};
use crate::fetch::Fetcher;
use crate::known::{KnownRobots, KnownRobotsBuilder};
use crate::store::DiskStore;
use crate::sync::{Function, OriginLocks};
use robots_policy::Policy;
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
#[derive(Debug)]
#[must_use]
pub struct CrawlerBuilder {
    policy: Policy,
    known_robots: KnownRobotsBuilder,
    schedule: Schedule,
    clock: Function<dyn Fn() -> SystemTime + Send + Sync>,
    max_wait: Duration,
    wants_whole_pages: bool,
}

impl CrawlerBuilder {
    pub(super) fn new(policy: Policy, fetcher: Fetcher) -> Self {
        let known_robots = KnownRobots::builder(fetcher)
            .for_outcomes(*policy.profile().outcomes())
            // The number of requests is that of the visits.
            .with_max_wait(Duration::MAX)
            .with_max_waiting(usize::MAX)
            .with_max_waiting_per_address(usize::MAX);
        Self {
            policy,
            known_robots,
            schedule: Schedule::new(),
            clock: Function(Box::new(SystemTime::now)),
            max_wait: Duration::from_secs(60),
            wants_whole_pages: false,
        }
    }

    /// Sets a store on disk: what is learned is written to it, and origins that are not in memory are looked up in it.
    /// Visits do not wait for writes: see [`KnownRobots::flush`].
    pub fn with_store(self, store: impl Into<Arc<DiskStore>>) -> Self {
        Self {
            known_robots: self.known_robots.with_store(store),
            ..self
        }
    }

    /// Sets the limit of memory for facts about origins, in bytes: [`DEFAULT_MEMORY`](crate::known::DEFAULT_MEMORY) unless it is set.
    pub fn with_memory_limit(self, bytes: u64) -> Self {
        Self {
            known_robots: self.known_robots.with_memory_limit(bytes),
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
            clock: Function(Box::new(clock)),
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
        let known_robots = self
            .known_robots
            .with_clock(move || clock.now())
            .with_on_request(move |origin, fetched| {
                of_robots.note(origin);
                let status = fetched.status().unwrap_or_default();
                of_robots.back_off(origin, status, fetched.retry_after());
            });
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
