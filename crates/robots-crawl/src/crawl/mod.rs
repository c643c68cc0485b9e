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
mod origin_locks;
mod pace;
mod schedule;
mod visit;

pub use blocking::BlockingCrawler;
pub use builder::CrawlerBuilder;
pub use pace::Pace;
pub use schedule::{MAX_SCHEDULED_ORIGINS, Schedule};
pub use visit::{MAX_PAGE_BYTES, Visit, VisitEnd, VisitedPage};

use crate::fetch::{Fetched, Fetcher, MAX_RETRY_AFTER};
use crate::next_request::Retry;
use crate::store::CrawlStore;
use knowledge::{Knowledge, MAX_CLOCK_ERROR};
use origin_locks::OriginLocks;
use robots_meta::Timestamp;
use robots_policy::origins::{Origin, UrlError};
use robots_policy::site::RobotsState;
use robots_policy::{Policy, RobotsFetch};
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// The minimum time for which a robots.txt is fresh, whatever its headers say: ten minutes. Without it, a robots.txt that
/// may not be cached would be requested before every page.
pub const MIN_FRESHNESS: Duration = Duration::from_secs(600);

/// The pause after the first failed request for a robots.txt: one minute. It doubles with each failure, up
/// to [`MAX_RETRY_PAUSE`].
pub const MIN_RETRY_PAUSE: Duration = Duration::from_secs(60);

/// The maximum pause after a failed request for a robots.txt: one hour, unless its server asks for more.
pub const MAX_RETRY_PAUSE: Duration = Duration::from_secs(3600);

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
    fetcher: Fetcher,
    max_wait: Duration,
    wants_whole_pages: bool,
    schedule: Mutex<Schedule>,
    /// A lock for each origin. The task that requests the origin's robots.txt holds it.
    robots_locks: OriginLocks,
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

/// The reason to request a robots.txt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum RequestReason {
    /// It is unknown, or stale.
    Stale,
    /// It is fresh, but expires soon.
    Expiring,
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
    pub async fn robots(&self, url: &str) -> Result<RobotsState, UrlError> {
        let origin = Origin::of(url)?;
        match self.action(&origin) {
            Action::Use(robots) => return Ok(robots),
            Action::UseAndRefresh(robots) => {
                // If another task holds the lock, it already requests robots.txt.
                if let Ok(guard) = self.shared.robots_locks.of(&origin).try_lock_owned() {
                    let crawler = self.clone();
                    tokio::spawn(async move {
                        crawler
                            .request_robots(&origin, RequestReason::Expiring)
                            .await;
                        drop(guard);
                    });
                }
                return Ok(robots);
            }
            Action::Request => {}
        }
        // The request runs in its own task: a caller that stops waiting does not cancel it for others.
        let (crawler, requested) = (self.clone(), origin.clone());
        let request = tokio::spawn(async move {
            let _guard = crawler
                .shared
                .robots_locks
                .of(&requested)
                .lock_owned()
                .await;
            // The task that held the lock before may have requested robots.txt.
            if matches!(crawler.action(&requested), Action::Request) {
                crawler
                    .request_robots(&requested, RequestReason::Stale)
                    .await;
            }
        });
        // The task does not panic, and is cancelled only with the runtime.
        request.await.ok();
        Ok(self.knowledge(&origin).robots)
    }

    /// Requests the robots.txt of an origin, and learns the outcome.
    async fn request_robots(&self, origin: &Origin, reason: RequestReason) {
        let validators = self.knowledge(origin).next.validators;
        let fetched = self.shared.fetcher.fetch(origin, &validators).await;
        self.note_request(origin);
        let (crawler, origin) = (self.clone(), origin.clone());
        // Compiling the rules and writing to the store may block the thread.
        let learning =
            tokio::task::spawn_blocking(move || crawler.learn(&origin, &fetched, reason));
        learning.await.ok();
    }

    /// Learns the outcome of a request, and when the next one may be made.
    fn learn(&self, origin: &Origin, fetched: &Fetched, reason: RequestReason) {
        // Without a response, the status counts as 0, which asks for no pause.
        let status = fetched.status().unwrap_or_default();
        self.back_off(origin, status, fetched.retry_after());
        // Any other 4xx is an answer: no retry is due.
        let has_failed = fetched.fault().is_some() || status == 429 || status >= 500;
        let now = self.now();
        let at = Timestamp::from(now);
        // `known` has the facts after this request. If it succeeded and they are fresh, no retry is needed.
        let retry = |known: &Knowledge| {
            if !has_failed && known.is_fresh {
                return None;
            }
            let pause = known.next.retry.map_or(MIN_RETRY_PAUSE, |retry| {
                retry.pause.saturating_mul(2).min(MAX_RETRY_PAUSE)
            });
            let wait = fetched.retry_after().unwrap_or_default().max(pause);
            Some(Retry::new(not_before(now, wait), pause))
        };
        // The copy is still fresh: a failure does not replace it.
        if reason == RequestReason::Expiring && has_failed {
            self.learn_retry(origin, at, retry);
            return;
        }
        let fetch = match fetched.as_fetch() {
            RobotsFetch::Response(response) => {
                RobotsFetch::Response(response.fresh_for_at_least(MIN_FRESHNESS))
            }
            other => other,
        };
        let (validators, fault) = (fetched.validators(), fetched.fault());
        self.learn_answer(origin, fetch, at, validators, fault, retry);
    }

    /// Returns the next action for an origin's robots.txt.
    fn action(&self, origin: &Origin) -> Action {
        let known = self.knowledge(origin);
        let now = Timestamp::from(self.now()).as_seconds();
        let may_request = known.next.retry.is_none_or(|retry| {
            let wait = retry.at.as_seconds().saturating_sub(now);
            // A server can ask for at most `MAX_RETRY_AFTER`: a later time comes from a wrong clock.
            let longest = i64::try_from(MAX_RETRY_AFTER.as_secs()).unwrap_or(i64::MAX);
            wait <= 0 || wait > longest.saturating_add(MAX_CLOCK_ERROR)
        });
        if !may_request || known.is_fresh && !known.is_expiring {
            Action::Use(known.robots)
        } else if known.is_fresh {
            Action::UseAndRefresh(known.robots)
        } else {
            Action::Request
        }
    }
}

/// Returns the first whole second that is not before the end of a wait.
fn not_before(now: SystemTime, wait: Duration) -> Timestamp {
    let end = now.checked_add(wait).unwrap_or(now);
    let floor = Timestamp::from(end);
    let is_whole = end
        .duration_since(UNIX_EPOCH)
        .is_ok_and(|since| since.subsec_nanos() == 0);
    Timestamp::from_seconds(floor.as_seconds().saturating_add(i64::from(!is_whole)))
}

/// The next action for a robots.txt.
enum Action {
    /// Use the known state: it is fresh, or a request must wait.
    Use(RobotsState),
    /// Use the known state, which expires soon, and request robots.txt in the background.
    UseAndRefresh(RobotsState),
    /// Request robots.txt: its state is stale or unknown.
    Request,
}

/// Locks a mutex. Its data is valid even if a thread panicked while it held the lock.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
