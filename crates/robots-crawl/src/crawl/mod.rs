//! The crawler: requests each robots.txt once, each page when that is allowed, and decides as HEAD
//! arrives.
//!
//! * [`Crawler::robots`]: the present state of a robots.txt, which is requested if it is unknown or stale.
//! * [`Crawler::visit`]: a page, from its permission to its decision.
//! * [`Pace`] and [`Schedule`]: the times of requests to a site.
//! * [`BlockingCrawler`]: the crawler for programs without async.

mod blocking;
mod builder;
mod knowledge;
mod pace;
mod schedule;
mod visit;

pub use crate::renewal::{MAX_RETRY_PAUSE, MIN_FRESHNESS, MIN_RETRY_PAUSE};
pub use blocking::BlockingCrawler;
pub use builder::CrawlerBuilder;
pub use pace::Pace;
pub use schedule::{MAX_SCHEDULED_ORIGINS, Schedule};
pub use visit::{MAX_PAGE_BYTES, Visit, VisitEnd, VisitedPage};

use crate::fetch::Fetcher;
use crate::origin_locks::OriginLocks;
use crate::renewal::Need;
use crate::single_request::SingleRequest as _;
use crate::store::{CrawlStore, DiskReads};
use knowledge::Knowledge;
use robots_policy::Policy;
use robots_policy::origins::{Origin, UrlError};
use robots_policy::robots::RobotsState;
use robots_policy::site::SiteRules;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime};

/// A polite crawler for one robot, made of a [`Policy`] and a [`Fetcher`]. Cheap to clone; clones share
/// their knowledge.
///
/// ```
/// use robots_crawl::{Crawler, Fetcher, VisitEnd};
/// use robots_policy::Policy;
///
/// # async fn run() -> Result<(), Box<dyn std::error::Error>> {
/// let fetcher = Fetcher::builder("ExampleBot/1.0 (+https://example.com/bot)").build()?;
/// let crawler = Crawler::new(Policy::new("ExampleBot")?, fetcher);
///
/// let visit = crawler.visit("https://example.com/offers").await?;
/// match visit.end() {
///     VisitEnd::Page(page) => println!("{} bytes", page.body().len()),
///     other => println!("{other:?}"),
/// }
/// println!("{}", visit.decision().explain());
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone)]
pub struct Crawler {
    shared: Arc<Shared>,
}

struct Shared {
    clock: Box<dyn Fn() -> SystemTime + Send + Sync>,
    policy: Policy,
    /// The store of the policy.
    store: Arc<CrawlStore>,
    disk_reads: DiskReads,
    fetcher: Fetcher,
    max_wait: Duration,
    wants_whole_pages: bool,
    schedule: Mutex<Schedule>,
    /// A lock for each origin. The task that requests the origin's robots.txt holds it.
    robots_locks: OriginLocks<Option<Knowledge>>,
    /// A lock for each origin. The task that waits to request a page of the origin, or requests one, holds it.
    page_locks: OriginLocks,
}

impl fmt::Debug for Shared {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Shared")
            .field("policy", &self.policy)
            .field("fetcher", &self.fetcher)
            .finish_non_exhaustive()
    }
}

impl Crawler {
    /// Returns a crawler with the default options of [`builder`](Self::builder): it requests a page as soon
    /// as the robots.txt of its site permits, and waits for up to a minute.
    pub fn new(policy: Policy, fetcher: Fetcher) -> Self {
        Self::builder(policy, fetcher).build()
    }

    /// Returns the options of a crawler, to be set and built.
    pub fn builder(policy: Policy, fetcher: Fetcher) -> CrawlerBuilder {
        CrawlerBuilder::new(policy, fetcher)
    }

    fn now(&self) -> SystemTime {
        (self.shared.clock)()
    }

    /// Returns the policy, which decides by the crawler's store.
    pub fn policy(&self) -> &Policy {
        &self.shared.policy
    }

    /// Returns the store.
    pub fn store(&self) -> &CrawlStore {
        &self.shared.store
    }

    /// Returns the fetcher.
    pub fn fetcher(&self) -> &Fetcher {
        &self.shared.fetcher
    }

    /// Returns the present state of the robots.txt of a URL's origin. If it is unknown or stale, it is
    /// requested: once, even if several tasks need it. After a failure it is not requested again before a pause.
    /// One that expires soon is requested in the background.
    ///
    /// # Errors
    ///
    /// If the URL has no origin.
    pub async fn robots(&self, url: &str) -> Result<RobotsState<SiteRules>, UrlError> {
        let origin = Origin::of(url)?;
        let known = self.knowledge(&origin).await;
        match self.need(&known) {
            Need::Nothing => return Ok(known.robots),
            Need::Soon => {
                self.request_in_background(&origin);
                return Ok(known.robots);
            }
            Need::Now => {}
        }
        let requested = self.request_if_due(&origin).await;
        Ok(requested.map_or(known.robots, |known| known.robots))
    }
}

/// Locks a mutex. Its data is valid even if a thread panicked while it held the lock.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
