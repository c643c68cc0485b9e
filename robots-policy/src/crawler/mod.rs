//! A crawler's memory and manners in one: each origin is asked once for its robots.txt, each page when
//! it may be, and decided as its HEAD comes in.
//!
//! * [`robots`](Crawler::robots): what is known of an origin; asks if that is nothing, or stale.
//! * [`visit`]: a page, from its permission to its decision.
//! * [`blocking`]: the same for programs without async.

mod blocking;
mod knowledge;
mod visit;

pub use blocking::BlockingCrawler;
pub(crate) use knowledge::NextRequest;
pub use visit::{MAX_PAGE_BYTES, Visit, VisitEnd, VisitedPage};

use crate::error::UrlError;
use crate::fetch::{Fetched, Fetcher, MAX_RETRY_AFTER};
use crate::origin::Origin;
use crate::outcome::RobotsFetch;
use crate::pace::Schedule;
use crate::policy::Policy;
use crate::retry::Retry;
use crate::robots::Robots;
use knowledge::{Known, MAX_CLOCK_ERROR};
use robots_meta::Timestamp;
use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// How long a robots.txt holds at the least, whatever its headers say: ten minutes. With less, an
/// origin were asked for it before every page.
pub const MIN_FRESHNESS: Duration = Duration::from_secs(600);

/// How long to wait before a robots.txt that failed is asked for again, after the first failure; then
/// twice as long, and so on up to [`MAX_RETRY_PAUSE`].
pub const MIN_RETRY_PAUSE: Duration = Duration::from_secs(60);

/// How long to wait at the most before a robots.txt that failed is asked for again: one hour, unless its
/// server asks for more time.
pub const MAX_RETRY_PAUSE: Duration = Duration::from_secs(3600);

/// Crawls politely for one robot, by a [`Policy`] and a [`Fetcher`]. Cheap to clone; clones share what
/// they know.
///
/// ```
/// use robots_policy::{Crawler, Fetcher, Policy, VisitEnd};
///
/// # async fn run() -> Result<(), Box<dyn std::error::Error>> {
/// let fetcher = Fetcher::builder("ExampleBot/1.0 (+https://example.com/bot)").build()?;
/// let crawler = Crawler::new(Policy::new("ExampleBot"), fetcher);
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
    fetcher: Fetcher,
    longest_wait: Duration,
    wants_whole_pages: bool,
    schedule: Mutex<Schedule>,
    /// Whose robots.txt is asked for, and who waits for its turn.
    flights: Turns,
    visits: Turns,
}

impl fmt::Debug for Shared {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Shared")
            .field("policy", &self.policy)
            .field("fetcher", &self.fetcher)
            .finish_non_exhaustive()
    }
}

/// Why a robots.txt is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Why {
    /// Nothing is known, or nothing that holds.
    Stale,
    /// What is known holds, and not for long.
    Ending,
}

impl Crawler {
    /// A crawler that asks for a page as soon as its site's robots.txt lets it, and waits for no longer
    /// than a minute.
    pub fn new(policy: Policy, fetcher: Fetcher) -> Self {
        Self {
            shared: Arc::new(Shared {
                clock: Box::new(SystemTime::now),
                policy,
                fetcher,
                longest_wait: Duration::from_secs(60),
                wants_whole_pages: false,
                schedule: Mutex::new(Schedule::new()),
                flights: Turns::default(),
                visits: Turns::default(),
            }),
        }
    }

    /// With another clock than the system's, for what is learned and decided. Waiting takes the time that it
    /// takes.
    ///
    /// It is for a crawler that was not cloned yet.
    #[must_use]
    pub fn with_clock(mut self, clock: impl Fn() -> SystemTime + Send + Sync + 'static) -> Self {
        if let Some(shared) = Arc::get_mut(&mut self.shared) {
            shared.clock = Box::new(clock);
        }
        self
    }

    fn now(&self) -> SystemTime {
        (self.shared.clock)()
    }

    /// With another schedule: with a delay between any two requests to an origin, or one that knows of
    /// requests that were made.
    #[must_use]
    pub fn with_schedule(self, schedule: Schedule) -> Self {
        *lock(&self.shared.schedule) = schedule;
        self
    }

    /// With this time at the most to wait for a page to be allowed.
    ///
    /// It is for a crawler that was not cloned yet.
    #[must_use]
    pub fn with_longest_wait(mut self, wait: Duration) -> Self {
        if let Some(shared) = Arc::get_mut(&mut self.shared) {
            shared.longest_wait = wait;
        }
        self
    }

    /// With pages read to their end, up to [`MAX_PAGE_BYTES`], and not only to the end of HEAD. So they are
    /// where the profile honours METAs in BODY.
    ///
    /// It is for a crawler that was not cloned yet.
    #[must_use]
    pub fn with_whole_pages(mut self) -> Self {
        if let Some(shared) = Arc::get_mut(&mut self.shared) {
            shared.wants_whole_pages = true;
        }
        self
    }

    /// The policy.
    pub fn policy(&self) -> &Policy {
        &self.shared.policy
    }

    /// The fetcher.
    pub fn fetcher(&self) -> &Fetcher {
        &self.shared.fetcher
    }

    /// What the robots.txt of a URL's origin says now. If nothing is known of it, or what is known is
    /// stale, it is asked for; one request is made, however many ask. One that fails is not asked for
    /// again before its time, and one that is about to be stale is asked for in the background.
    ///
    /// # Errors
    ///
    /// If the URL has no origin.
    pub async fn robots(&self, url: &str) -> Result<Robots, UrlError> {
        let origin = Origin::of(url)?;
        match self.freshness(&origin) {
            Freshness::Fresh(robots) => return Ok(robots),
            Freshness::Ending(robots) => {
                // Whoever asks already does it for all.
                if let Ok(held) = self.shared.flights.of(&origin).try_lock_owned() {
                    let crawler = self.clone();
                    tokio::spawn(async move {
                        crawler.ask(&origin, Why::Ending).await;
                        drop(held);
                    });
                }
                return Ok(robots);
            }
            Freshness::Stale => {}
        }
        // Who leaves does not take the answer away from those who wait, nor from those who come.
        let (crawler, asked) = (self.clone(), origin.clone());
        let asking = tokio::spawn(async move {
            let _held = crawler.shared.flights.of(&asked).lock_owned().await;
            if matches!(crawler.freshness(&asked), Freshness::Stale) {
                crawler.ask(&asked, Why::Stale).await;
            }
        });
        // It neither panics nor is stopped, unless the runtime is.
        asking.await.ok();
        Ok(self.known(&origin).robots)
    }

    /// Asks an origin for its robots.txt, and learns what comes.
    async fn ask(&self, origin: &Origin, why: Why) {
        let validators = self.known(origin).next.validators;
        let fetched = self.shared.fetcher.fetch(origin, &validators).await;
        self.note_request(origin);
        let (crawler, origin) = (self.clone(), origin.clone());
        // Reading it takes time, and so does a disk.
        let learning = tokio::task::spawn_blocking(move || crawler.learn(&origin, &fetched, why));
        learning.await.ok();
    }

    /// Learns what came of a request, and when the next may be made.
    fn learn(&self, origin: &Origin, fetched: &Fetched, why: Why) {
        let status = fetched.status().unwrap_or_default();
        self.back_off(origin, status, fetched.retry_after());
        let has_failed = fetched.fault().is_some() || status == 429 || status >= 500;
        let now = self.now();
        let at = Timestamp::from(now);
        let retry = |known: &Known| {
            if !has_failed && known.is_fresh {
                return None;
            }
            let pause = known.next.retry.map_or(MIN_RETRY_PAUSE, |retry| {
                retry.pause.saturating_mul(2).min(MAX_RETRY_PAUSE)
            });
            let asked = fetched.retry_after().unwrap_or_default().max(pause);
            Some(Retry::new(not_before(now, asked), pause))
        };
        let policy = &self.shared.policy;
        // What still holds is not given up for a failure.
        if why == Why::Ending && has_failed {
            policy.learn_retry(origin, at, retry);
            return;
        }
        let fetch = match fetched.as_fetch() {
            RobotsFetch::Response(response) => {
                RobotsFetch::Response(response.at_least(MIN_FRESHNESS))
            }
            other => other,
        };
        policy.learn_answer(origin, &fetch, at, fetched.validators(), retry);
    }

    fn known(&self, origin: &Origin) -> Known {
        self.shared
            .policy
            .known(origin, Timestamp::from(self.now()))
    }

    /// Whether what is known of an origin is good for an answer.
    fn freshness(&self, origin: &Origin) -> Freshness {
        let known = self.known(origin);
        let now = Timestamp::from(self.now()).as_seconds();
        let may_ask = known.next.retry.is_none_or(|retry| {
            let wait = retry.at.as_seconds().saturating_sub(now);
            // A time that nobody can have asked for is of a clock that was wrong.
            let longest = i64::try_from(MAX_RETRY_AFTER.as_secs()).unwrap_or(i64::MAX);
            wait <= 0 || wait > longest.saturating_add(MAX_CLOCK_ERROR)
        });
        if !may_ask || known.is_fresh && !known.is_ending {
            Freshness::Fresh(known.robots)
        } else if known.is_fresh {
            Freshness::Ending(known.robots)
        } else {
            Freshness::Stale
        }
    }
}

/// The first second that is not before the end of a wait.
fn not_before(now: SystemTime, wait: Duration) -> Timestamp {
    let end = now.checked_add(wait).unwrap_or(now);
    let floor = Timestamp::from(end);
    let is_whole = end
        .duration_since(UNIX_EPOCH)
        .is_ok_and(|since| since.subsec_nanos() == 0);
    Timestamp::from_seconds(floor.as_seconds().saturating_add(i64::from(!is_whole)))
}

/// Whether what is known of an origin is good for an answer.
enum Freshness {
    Fresh(Robots),
    /// It is, and will not be for long.
    Ending(Robots),
    /// It is not, and may be asked for.
    Stale,
}

/// A lock for each origin that somebody holds or waits for.
#[derive(Debug, Default)]
struct Turns {
    locks: Mutex<Locks>,
}

#[derive(Debug, Default)]
struct Locks {
    of: HashMap<Origin, Weak<tokio::sync::Mutex<()>>>,
    /// At how many those are cleared away that nobody holds.
    cleared_at: usize,
}

impl Turns {
    fn of(&self, origin: &Origin) -> Arc<tokio::sync::Mutex<()>> {
        let mut locks = lock(&self.locks);
        if let Some(turn) = locks.of.get(origin).and_then(Weak::upgrade) {
            return turn;
        }
        if locks.of.len() >= locks.cleared_at {
            locks.of.retain(|_, turn| turn.strong_count() > 0);
            locks.cleared_at = locks.of.len().saturating_mul(2).max(1024);
        }
        let turn = Arc::new(tokio::sync::Mutex::new(()));
        locks.of.insert(origin.clone(), Arc::downgrade(&turn));
        turn
    }
}

/// Nothing here panics while it holds a lock; and if it did, what the lock is for would be whole.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
