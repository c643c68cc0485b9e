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

use crate::fetch::{Fetched, Fetcher};
use crate::origin_locks::OriginLocks;
use crate::renewal::Need;
#[cfg(feature = "redis")]
use crate::store::SharedStore;
use crate::store::{DiskStore, OriginRecord, RecordStore as _, StoreError};
use counts::{Counters, Operation, StoreErrors};
use facts::Facts;
use robots_meta::Timestamp;
use robots_policy::origins::{Origin, OriginMap};
use robots_policy::robots::OutcomeTable;
use std::borrow::Borrow as _;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, SystemTime};
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

/// A function that is called after each request for a robots.txt.
type OnRequest = Box<dyn Fn(&Origin, &Fetched) + Send + Sync>;

struct Shared {
    clock: Box<dyn Fn() -> SystemTime + Send + Sync>,
    fetcher: Fetcher,
    on_request: OnRequest,
    memory: OriginMap<Facts>,
    disk: Option<Arc<DiskStore>>,
    /// A write to the store on disk holds its origin's lock.
    writes: OriginLocks,
    /// One permit for each write.
    writing: Arc<Semaphore>,
    #[cfg(feature = "redis")]
    common_store: Option<SharedStore>,
    /// The tables by which freshness ends: that of the first one to end.
    outcomes: Vec<OutcomeTable>,
    answers_in_failures: bool,
    /// The task that requests an origin's robots.txt holds its lock, and leaves its facts in it.
    requests: OriginLocks<Option<Arc<Known>>>,
    max_wait: Duration,
    max_waiting: usize,
    /// One permit for each caller that waits for a request.
    waiting: Arc<Semaphore>,
    /// One permit for each request that is made or waits for its turn.
    requesting: Arc<Semaphore>,
    counters: Counters,
    store_errors: Mutex<StoreErrors>,
}

impl fmt::Debug for Shared {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Shared")
            .field("fetcher", &self.fetcher)
            .field("disk", &self.disk)
            .finish_non_exhaustive()
    }
}

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
        let counters = &self.shared.counters;
        counters.waits.increment();
        // Dropped with this future: a caller who has left does not count.
        let Ok(_place) = self.shared.waiting.try_acquire() else {
            counters.refusals.increment();
            return known.unanswered_by(Unanswered::TooManyWaiting);
        };
        let request = self.request_if_due(origin);
        let left = self.shared.max_wait.saturating_sub(started.elapsed());
        match tokio::time::timeout(left, request).await {
            Ok(Some(known)) => known,
            Ok(None) => {
                counters.refusals.increment();
                known.unanswered_by(Unanswered::TooManyWaiting)
            }
            Err(_) => {
                counters.timeouts.increment();
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
        let shared = &self.shared;
        let Some(facts) = self.look_up_in_time(origin).await else {
            shared.counters.timeouts.increment();
            let nothing = self.view(Arc::default());
            return Ok(nothing.unanswered_by(Unanswered::TimedOut));
        };
        let now = self.now();
        let known = Known::new(facts, &shared.outcomes, now);
        let is_answer = || shared.answers_in_failures && known.is_answer(&shared.outcomes, now);
        match known.need(now) {
            Need::Nothing => shared.counters.hits.increment(),
            Need::Now if !is_answer() => return Err(known),
            Need::Soon | Need::Now => {
                shared.counters.early_hits.increment();
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
        &self.shared.fetcher
    }

    /// Returns the present numbers.
    pub fn counts(&self) -> Counts {
        let shared = &self.shared;
        let taken = |places: &Semaphore| (shared.max_waiting - places.available_permits()) as u64;
        Counts {
            origins: shared.memory.len() as u64,
            bytes: shared.memory.bytes(),
            waiting: taken(&shared.waiting),
            requesting: taken(&shared.requesting),
            ..shared.counters.read()
        }
    }

    /// Returns whether the stores work.
    pub fn health(&self) -> Health {
        let errors = self.shared.store_errors.lock();
        Health {
            store_error: errors.unwrap_or_else(PoisonError::into_inner).last(),
            #[cfg(feature = "redis")]
            shared_error: self
                .shared
                .common_store
                .as_ref()
                .and_then(SharedStore::error),
        }
    }

    fn now(&self) -> Timestamp {
        Timestamp::from((self.shared.clock)())
    }

    /// Returns the facts in memory, or else on disk; `None` if the disk takes longer than callers wait.
    async fn look_up_in_time(&self, origin: &Origin) -> Option<Arc<Facts>> {
        // In memory, there is nothing to wait for, and no need of a timer.
        if let Some(facts) = self.shared.memory.get(origin.borrow()) {
            return Some(facts);
        }
        // Boxed, as in `of`.
        let facts = tokio::time::timeout(self.shared.max_wait, self.look_up(origin));
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
        self.shared.counters.loads.increment();
        let loaded = || Some(Arc::new(Facts::of_record(record, Source::Store)));
        // If another task has learned about the origin meanwhile, that stays.
        memory.change(origin.clone(), loaded, |_| {})
    }

    /// Returns the record of an origin on disk, if it can be read.
    async fn on_disk(&self, origin: &Origin) -> Option<OriginRecord> {
        let disk = self.shared.disk.as_ref()?;
        self.written(origin).await;
        let record = disk.record(origin).await;
        self.note(Operation::Read, record).flatten()
    }

    /// Returns a view of facts at the present time.
    fn view(&self, facts: Arc<Facts>) -> Arc<Known> {
        Known::new(facts, &self.shared.outcomes, self.now())
    }

    /// Keeps facts that were made from the record `before`: in memory, and, by a task of its own, on disk.
    async fn keep(&self, origin: &Origin, before: &OriginRecord, facts: Facts) -> Arc<Known> {
        let record = facts.record().clone();
        let known = self.remember(origin, facts);
        if self.shared.disk.is_some() {
            // It is never closed.
            let place = Arc::clone(&self.shared.writing).acquire_owned().await;
            let lock = self.shared.writes.of(origin).lock_owned().await;
            let (this, origin, before) = (self.clone(), origin.clone(), before.clone());
            tokio::spawn(async move {
                if let Some(disk) = &this.shared.disk {
                    let written = disk.replace(&origin, &before, &record, this.now()).await;
                    this.note(Operation::Write, written);
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

    /// Returns the value of a result of the store. Its error is in [`health`](Self::health).
    fn note<T>(&self, operation: Operation, result: Result<T, StoreError>) -> Option<T> {
        let errors = self.shared.store_errors.lock();
        let mut errors = errors.unwrap_or_else(PoisonError::into_inner);
        errors.note(operation, result)
    }
}
