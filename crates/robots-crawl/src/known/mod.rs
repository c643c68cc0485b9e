//! What a long-lived process knows about the robots.txt of origins, for any number of policies.
//!
//! [`KnownRobots`] answers from memory while a robots.txt is fresh. It requests an unknown or stale one once, however many
//! tasks ask, and one that expires soon in the background. What it knows are facts: outcomes and files ([`Known`]). Each
//! policy reads them by its own table of outcomes.
//!
//! # When an answer is given before a request
//!
//! A table of outcomes says how long a copy may be used, and what applies while requests fail (`docs/semantics.md`, section
//! 8.1). So facts that are due for a request are given at once in two cases, and requested in the background:
//!
//! * robots.txt is fresh, and in the last tenth of that time;
//! * requests fail, or the site asks to come later, and each table has a state for this time.
//!
//! A copy that is stale under one of the tables ([`KnownRobotsBuilder::with_outcomes`]) is not used: the caller waits for
//! the request.

mod builder;
mod counts;
mod facts;
mod request;
#[cfg(feature = "redis")]
mod share;

pub use builder::{
    DEFAULT_MAX_WAIT, DEFAULT_MAX_WAITING, DEFAULT_MAX_WAITING_PER_ADDRESS, DEFAULT_MEMORY,
    KnownRobotsBuilder,
};
pub use counts::{Counts, Health};
pub use facts::{Known, Redirect, Source, Unanswered};

use crate::fetch::Fetcher;
use crate::renewal::Need;
#[cfg(feature = "redis")]
use crate::store::SharedStore;
use crate::store::{OriginRecord, StoreError};
use crate::sync::{OriginLocks, lock};
use facts::Facts;
use robots_meta::Timestamp;
use robots_policy::origins::{Origin, OriginMap};
use std::borrow::Borrow as _;
use std::sync::{Arc, Mutex};
use tokio::sync::Semaphore;
use tokio::time::Instant;

/// The robots.txt of origins, in memory, limited in bytes, and on disk if a store is given. Cheap to clone; clones share all
/// they know.
///
/// ```
/// use robots_crawl::{Fetcher, KnownRobots};
/// use robots_policy::{Page, Policy, Profile};
/// use robots_policy::origins::Origin;
/// use robots_policy::robots_meta::Timestamp;
/// use std::time::SystemTime;
///
/// # async fn run() -> Result<(), Box<dyn std::error::Error>> {
/// let fetcher = Fetcher::builder("ExampleBot/1.0 (+https://example.com/bot)").build()?;
/// let known_robots = KnownRobots::builder(fetcher).build();
///
/// let url = "https://example.com/offers";
/// let known = known_robots.of(&Origin::of(url)?).await;
/// let now = Timestamp::from(SystemTime::now());
/// for policy in [
///     Policy::under(&Profile::google(), "Googlebot")?,
///     Policy::under(&Profile::bing(), "bingbot")?,
/// ] {
///     let state = known.state(&policy, now);
///     println!("{}", policy.decide_under(&state, &Page::new(url).at(now)).fetch);
/// }
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone)]
pub struct KnownRobots {
    shared: Arc<Shared>,
}

/// The maximum number of records that wait to be written. Past it, answers wait, so that a slow store does not fill the memory.
const MAX_WRITES: u32 = 64;

#[derive(Debug)]
struct Shared {
    options: KnownRobotsBuilder,
    memory: OriginMap<Facts>,
    /// A write to the store on disk holds its origin's lock.
    writes: OriginLocks,
    /// One permit for each write.
    writing: Arc<Semaphore>,
    /// The task that requests an origin's robots.txt holds its lock, and leaves its facts in it.
    requests: OriginLocks<Option<Arc<Known>>>,
    /// One permit for each caller that waits for a request.
    waiting: Arc<Semaphore>,
    /// One permit for each request that is made or waits for its turn.
    requesting: Arc<Semaphore>,
    counts: Mutex<Counts>,
    read_error: LastError,
    write_error: LastError,
}

/// The last failure of the store on disk to read or to write, if it has not worked since.
type LastError = Mutex<Option<Arc<StoreError>>>;

impl KnownRobots {
    /// Returns the options, to be set and built.
    pub fn builder(fetcher: Fetcher) -> KnownRobotsBuilder {
        KnownRobotsBuilder::new(fetcher)
    }

    /// Returns what is known about the robots.txt of an origin. The [module](self) says when it is requested first.
    ///
    /// The wait is limited, for the store on disk and for a request together: see [`Known::unanswered`].
    pub async fn of(&self, origin: &Origin) -> Arc<Known> {
        let started = Instant::now();
        match self.ready_or_stale(origin).await {
            Ok(known) => known,
            // Boxed: few wait, and the futures of the others then need no room for this.
            Err(known) => Box::pin(self.requested(origin, known, started)).await,
        }
    }

    /// Returns the answer of a request, for which a caller who has begun at this time waits; or else what is `known`.
    async fn requested(&self, origin: &Origin, known: Arc<Known>, started: Instant) -> Arc<Known> {
        self.count(|counts| counts.waits += 1);
        // Dropped with this future: a caller who has left does not count.
        let Ok(_place) = self.shared.waiting.try_acquire() else {
            self.count(|counts| counts.refusals += 1);
            return known.unanswered_by(Unanswered::TooManyWaiting);
        };
        let request = self.request_if_due(origin);
        let left = self.options().max_wait.saturating_sub(started.elapsed());
        match tokio::time::timeout(left, request).await {
            Ok(Some(known)) => known,
            Ok(None) => {
                self.count(|counts| counts.refusals += 1);
                known.unanswered_by(Unanswered::TooManyWaiting)
            }
            Err(_) => {
                self.count(|counts| counts.timeouts += 1);
                known.unanswered_by(Unanswered::TimedOut)
            }
        }
    }

    /// Returns the same as [`of`](Self::of) if that does not wait for a request; `None` if it does. A caller can so limit the
    /// requests that it waits for.
    pub async fn ready(&self, origin: &Origin) -> Option<Arc<Known>> {
        self.ready_or_stale(origin).await.ok()
    }

    /// Returns an answer that needs no wait for a request. The error is what is known without it.
    async fn ready_or_stale(&self, origin: &Origin) -> Result<Arc<Known>, Arc<Known>> {
        let Some(facts) = self.look_up_in_time(origin).await else {
            self.count(|counts| counts.timeouts += 1);
            let nothing = self.view(Arc::default());
            return Ok(nothing.unanswered_by(Unanswered::TimedOut));
        };
        let now = self.now();
        let options = self.options();
        let known = Known::new(facts, &options.outcomes, now);
        let is_answer = || options.answers_in_failures && known.is_answer(&options.outcomes, now);
        match known.need(now) {
            Need::Nothing => self.count(|counts| counts.hits += 1),
            Need::Now if !is_answer() => return Err(known),
            Need::Soon | Need::Now => {
                self.count(|counts| counts.early_hits += 1);
                self.request_in_background(origin);
            }
        }
        Ok(known)
    }

    /// Returns what is known about the robots.txt of an origin, without a request; `None` if nothing is, or if the store on disk
    /// takes longer than callers wait.
    pub async fn peek(&self, origin: &Origin) -> Option<Arc<Known>> {
        let facts = self.look_up_in_time(origin).await?;
        let known = self.view(facts);
        known.is_known().then_some(known)
    }

    /// Changes what is known about an origin: a caller may know the outcome of a request from elsewhere, or a tdmrep.json. It waits
    /// for a request for the origin's robots.txt that is in progress, and for the write to the store on disk.
    pub async fn change(&self, origin: &Origin, change: impl FnOnce(&mut OriginRecord)) {
        let mut last = self.shared.requests.of(origin).lock_owned().await;
        let before = self.view(self.look_up(origin).await);
        let mut record = before.record().clone();
        change(&mut record);
        let facts = Facts::of_record(record, Source::Request);
        *last = Some(self.keep(origin, before.record(), facts).await);
        self.written(origin).await;
    }

    /// Waits until the facts of all answers so far are in the store on disk, or their writes have failed ([`health`](Self::health)).
    /// Answers do not wait for it: call it before the program ends.
    pub async fn flush(&self) {
        // It is never closed.
        let writes = self.shared.writing.acquire_many(MAX_WRITES).await;
        drop(writes);
    }

    /// Returns the fetcher.
    pub fn fetcher(&self) -> &Fetcher {
        &self.options().fetcher
    }

    /// Returns the present numbers.
    pub fn counts(&self) -> Counts {
        let shared = &self.shared;
        let taken =
            |places: &Semaphore| (shared.options.max_waiting - places.available_permits()) as u64;
        Counts {
            origins: shared.memory.len() as u64,
            bytes: shared.memory.bytes(),
            waiting: taken(&shared.waiting),
            requesting: taken(&shared.requesting),
            ..*lock(&shared.counts)
        }
    }

    /// Returns whether the stores work.
    pub fn health(&self) -> Health {
        let last = |error: &LastError| lock(error).clone();
        Health {
            store_error: last(&self.shared.write_error).or_else(|| last(&self.shared.read_error)),
            #[cfg(feature = "redis")]
            shared_error: self
                .options()
                .shared_store
                .as_ref()
                .and_then(SharedStore::error),
        }
    }

    fn options(&self) -> &KnownRobotsBuilder {
        &self.shared.options
    }

    fn count(&self, count: impl FnOnce(&mut Counts)) {
        count(&mut lock(&self.shared.counts));
    }

    fn now(&self) -> Timestamp {
        Timestamp::from((self.options().clock.0)())
    }

    /// Returns the facts in memory, or else on disk; `None` if the disk takes longer than callers wait.
    async fn look_up_in_time(&self, origin: &Origin) -> Option<Arc<Facts>> {
        // In memory, there is nothing to wait for, and no need of a timer.
        if let Some(facts) = self.shared.memory.get(origin.borrow()) {
            return Some(facts);
        }
        // Boxed, as in `of`.
        let facts = tokio::time::timeout(self.options().max_wait, self.look_up(origin));
        Box::pin(facts).await.ok()
    }

    /// Returns the facts in memory, or else on disk, from which they are loaded.
    async fn look_up(&self, origin: &Origin) -> Arc<Facts> {
        let memory = &self.shared.memory;
        if let Some(facts) = memory.get(origin.borrow()) {
            return facts;
        }
        let Some(record) = self.on_disk(origin).await else {
            return Arc::default();
        };
        self.count(|counts| counts.loads += 1);
        let loaded = || Some(Arc::new(Facts::of_record(record, Source::Store)));
        // If another task has learned about the origin meanwhile, that stays.
        memory.change(origin.clone(), loaded, |_| {})
    }

    /// Returns the record of an origin on disk, if it can be read.
    async fn on_disk(&self, origin: &Origin) -> Option<OriginRecord> {
        let disk = self.options().disk.as_ref()?;
        self.written(origin).await;
        let record = disk.record(origin).await;
        value(record, &self.shared.read_error).flatten()
    }

    /// Returns a view of facts at the present time.
    fn view(&self, facts: Arc<Facts>) -> Arc<Known> {
        Known::new(facts, &self.options().outcomes, self.now())
    }

    /// Keeps facts that were made from the record `before`: in memory, and, by a task of its own, on disk.
    async fn keep(&self, origin: &Origin, before: &OriginRecord, facts: Facts) -> Arc<Known> {
        let record = facts.record().clone();
        let known = self.remember(origin, facts);
        if self.options().disk.is_some() {
            // It is never closed.
            let place = Arc::clone(&self.shared.writing).acquire_owned().await;
            let lock = self.shared.writes.of(origin).lock_owned().await;
            let (this, origin, before) = (self.clone(), origin.clone(), before.clone());
            tokio::spawn(async move {
                if let Some(disk) = &this.options().disk {
                    let written = disk.replace(&origin, &before, &record, this.now()).await;
                    value(written, &this.shared.write_error);
                }
                drop((lock, place));
            });
        }
        known
    }

    /// Waits until the last facts about an origin are on disk.
    async fn written(&self, origin: &Origin) {
        let lock = self.shared.writes.of(origin).lock_owned().await;
        drop(lock);
    }

    /// Keeps facts in memory, in place of earlier ones.
    fn remember(&self, origin: &Origin, facts: Facts) -> Arc<Known> {
        let memory = &self.shared.memory;
        self.view(memory.change(origin.clone(), || None, |known| *known = facts))
    }
}

/// Returns the value of a result of the store, and keeps its error.
fn value<T>(result: Result<T, StoreError>, last_error: &LastError) -> Option<T> {
    let (value, error) = match result {
        Ok(value) => (Some(value), None),
        Err(error) => (None, Some(Arc::new(error))),
    };
    *lock(last_error) = error;
    value
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::DiskStore;

    #[test]
    fn a_failure_of_the_store_lasts_until_it_works_again() {
        let fetcher = Fetcher::builder("a").build().unwrap();
        let known_robots = KnownRobots::builder(fetcher).build();
        let Shared {
            read_error,
            write_error,
            ..
        } = &*known_robots.shared;
        let failure = |path: &str| DiskStore::open(path).map(|_| 1);
        for (result, last_error, expected) in [
            (failure("/missing/read"), read_error, Some("/missing/read")),
            (
                failure("/missing/write"),
                write_error,
                Some("/missing/write"),
            ),
            // A read does not show that the store can be written.
            (Ok(1), read_error, Some("/missing/write")),
            (Ok(1), write_error, None),
        ] {
            let is_good = result.is_ok();
            assert_eq!(value(result, last_error).is_some(), is_good);
            let error = known_robots.health().store_error;
            let path = error.as_ref().map(|error| error.path());
            assert_eq!(path, expected.map(std::path::Path::new));
        }
    }
}
