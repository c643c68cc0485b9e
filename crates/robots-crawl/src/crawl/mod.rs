//! The crawler: requests each robots.txt once, each page when that is allowed, and decides as HEAD
//! arrives.
//!
//! * [`Crawler::robots`]: the present state of a robots.txt, which is requested if it is unknown or stale.
//! * [`Crawler::visit`]: a page, from its permission to its decision.
//! * [`Pace`] and [`Schedule`]: the times of requests to a site.

mod builder;
mod pace;
mod schedule;
mod visit;

pub use crate::renewal::{MAX_RETRY_PAUSE, MIN_FRESHNESS, MIN_RETRY_PAUSE};
pub use builder::CrawlerBuilder;
pub use pace::Pace;
pub use schedule::{MAX_SCHEDULED_ORIGINS, Schedule};
pub use visit::{MAX_PAGE_BYTES, Visit, VisitEnd, VisitedPage};

use crate::fetch::Fetcher;
use crate::known::KnownRobots;
use crate::sync::{Function, OriginLocks, lock};
use robots_meta::Timestamp;
use robots_policy::Policy;
use robots_policy::origins::{Origin, UrlError};
use robots_policy::robots::RobotsState;
use robots_policy::site::SiteRules;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::{Duration, SystemTime};

/// The pause for a site that answers 429 or 503 without `Retry-After`: one minute.
const BACK_OFF: Duration = Duration::from_secs(60);

/// The minimum pause for a site that answers 429 or 503: one second.
const MIN_BACK_OFF: Duration = Duration::from_secs(1);

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

#[derive(Debug)]
struct Shared {
    policy: Policy,
    known_robots: KnownRobots,
    max_wait: Duration,
    wants_whole_pages: bool,
    requests: Arc<Requests>,
    /// A lock for each origin. The task that waits to request a page of the origin, or requests one, holds it.
    page_locks: OriginLocks,
}

/// The times of requests to origins: for pages and robots.txt.
#[derive(Debug)]
struct Requests {
    clock: Function<dyn Fn() -> SystemTime + Send + Sync>,
    schedule: Mutex<Schedule>,
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
        self.shared.requests.now()
    }

    /// Returns the policy.
    pub fn policy(&self) -> &Policy {
        &self.shared.policy
    }

    /// Returns what is known about the robots.txt of origins. If a caller [changes](KnownRobots::change) it, the crawler decides by
    /// that.
    pub fn known_robots(&self) -> &KnownRobots {
        &self.shared.known_robots
    }

    /// Returns the fetcher.
    pub fn fetcher(&self) -> &Fetcher {
        self.shared.known_robots.fetcher()
    }

    /// Returns the present state of the robots.txt of a URL's origin. If it is unknown or stale, it is
    /// requested: once, even if several tasks need it. After a failure it is not requested again before a pause.
    /// One that expires soon is requested in the background.
    ///
    /// # Errors
    ///
    /// If the URL has no origin.
    pub async fn robots(&self, url: &str) -> Result<RobotsState<SiteRules>, UrlError> {
        let known = self.known_robots().of(&Origin::of(url)?).await;
        Ok(known.state(self.policy(), Timestamp::from(self.now())))
    }
}

impl Requests {
    fn now(&self) -> SystemTime {
        (self.clock.0)()
    }

    fn schedule(&self) -> MutexGuard<'_, Schedule> {
        lock(&self.schedule)
    }

    /// Records a request to an origin.
    fn note(&self, origin: &Origin) {
        self.schedule().note_request(origin, self.now());
    }

    /// Delays the next request to an origin after a status of 429 or 503.
    fn back_off(&self, origin: &Origin, status: u16, retry_after: Option<Duration>) {
        if matches!(status, 429 | 503) {
            let pause = retry_after.unwrap_or(BACK_OFF).max(MIN_BACK_OFF);
            self.schedule().back_off(origin, self.now() + pause);
        }
    }
}
