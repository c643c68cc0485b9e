//! The options of what is known.

use super::{KnownRobots, MAX_WRITES, Shared};
use crate::fetch::{Fetched, Fetcher, TurnLimits};
use crate::store::DiskStore;
#[cfg(feature = "redis")]
use crate::store::SharedStore;
use crate::sync::{Function, OriginLocks};
use robots_policy::origins::{Origin, OriginMap};
use robots_policy::robots::OutcomeTable;
use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime};
use tokio::sync::Semaphore;

/// The limit of memory in bytes unless it is set: 1 GiB, by [`Counts::bytes`](super::Counts::bytes).
pub const DEFAULT_MEMORY: u64 = 1 << 30;

/// The maximum wait for the store on disk and for a request unless it is set: 45 seconds. A fetcher needs up to 30 seconds for a request, and its turn
/// may come later.
pub const DEFAULT_MAX_WAIT: Duration = Duration::from_secs(45);

/// The maximum number of tasks that wait for a request unless it is set: 10,000.
pub const DEFAULT_MAX_WAITING: usize = 10_000;

/// The maximum number of requests that wait for their turn at an address unless it is set: 1,000.
pub const DEFAULT_MAX_WAITING_PER_ADDRESS: usize = 1_000;

/// A function that is called after each request for a robots.txt.
type OnRequest = Function<dyn Fn(&Origin, &Fetched) + Send + Sync>;

/// The options of [`KnownRobots`], which are fixed when it is built.
#[derive(Debug)]
#[must_use]
pub struct KnownRobotsBuilder {
    pub(super) fetcher: Fetcher,
    pub(super) on_request: OnRequest,
    pub(super) disk: Option<Arc<DiskStore>>,
    #[cfg(feature = "redis")]
    pub(super) shared_store: Option<SharedStore>,
    memory: u64,
    /// The tables by which freshness ends: that of the first one to end.
    pub(super) outcomes: Vec<OutcomeTable>,
    pub(super) answers_in_failures: bool,
    pub(super) requests_tdmrep: bool,
    pub(super) clock: Function<dyn Fn() -> SystemTime + Send + Sync>,
    pub(super) max_wait: Duration,
    pub(super) max_waiting: usize,
    max_waiting_per_address: usize,
}

impl KnownRobotsBuilder {
    pub(super) fn new(fetcher: Fetcher) -> Self {
        Self {
            fetcher,
            on_request: Function(Box::new(|_, _| {})),
            disk: None,
            #[cfg(feature = "redis")]
            shared_store: None,
            memory: DEFAULT_MEMORY,
            outcomes: OutcomeTable::NAMED.map(|(_, table)| table).to_vec(),
            answers_in_failures: true,
            requests_tdmrep: false,
            clock: Function(Box::new(SystemTime::now)),
            max_wait: DEFAULT_MAX_WAIT,
            max_waiting: DEFAULT_MAX_WAITING,
            max_waiting_per_address: DEFAULT_MAX_WAITING_PER_ADDRESS,
        }
    }

    /// Sets a table of outcomes, in place of all others. Callers wait for each request that is due.
    pub(crate) fn for_outcomes(mut self, outcomes: OutcomeTable) -> Self {
        self.outcomes = vec![outcomes];
        self.answers_in_failures = false;
        self
    }

    /// Requests the tdmrep.json of an origin with each robots.txt, too. If it was refused or could not be read, the last copy counts, or
    /// else it may reserve anything (`docs/semantics.md`, section 4.6).
    pub fn with_tdmrep(mut self, requests: bool) -> Self {
        self.requests_tdmrep = requests;
        self
    }

    /// Sets a function that is called after each request for a robots.txt.
    pub(crate) fn with_on_request(
        mut self,
        on_request: impl Fn(&Origin, &Fetched) + Send + Sync + 'static,
    ) -> Self {
        self.on_request = Function(Box::new(on_request));
        self
    }

    /// Adds a table of outcomes to those of the engines ([`OutcomeTable::NAMED`]): that of a profile of the caller. A
    /// robots.txt is requested again when its freshness ends under the first of the tables.
    pub fn with_outcomes(mut self, outcomes: OutcomeTable) -> Self {
        if !self.outcomes.contains(&outcomes) {
            self.outcomes.push(outcomes);
        }
        self
    }

    /// Sets a store on disk: what is learned is written to it, and origins that are not in memory are looked up in it.
    /// Answers do not wait for writes: see [`KnownRobots::flush`].
    pub fn with_store(mut self, disk: impl Into<Arc<DiskStore>>) -> Self {
        self.disk = Some(disk.into());
        self
    }

    /// Sets a store that several processes share. Together, they request each robots.txt once, and what one of them learns,
    /// all know.
    ///
    /// If the store fails, answers come from memory and from requests of this process:
    /// [`KnownRobots::health`] says so.
    #[cfg(feature = "redis")]
    pub fn with_shared_store(mut self, store: SharedStore) -> Self {
        self.shared_store = Some(store);
        self
    }

    /// Sets the limit of memory in bytes: [`DEFAULT_MEMORY`] unless it is set. When it is reached, origins that were not asked
    /// for recently are dropped.
    pub fn with_memory_limit(mut self, bytes: u64) -> Self {
        self.memory = bytes;
        self
    }

    /// Sets the maximum wait of a caller, for the store on disk and for a request together: [`DEFAULT_MAX_WAIT`] unless it is set. The
    /// request continues without the caller, but it
    /// waits for its turn no longer than this, either.
    pub fn with_max_wait(mut self, max_wait: Duration) -> Self {
        self.max_wait = max_wait;
        self
    }

    /// Sets the maximum number of callers that wait for a request, and that of requests that are made or wait for their turn, with
    /// those in the background: [`DEFAULT_MAX_WAITING`] unless it is set. The number of simultaneous requests is up to the fetcher
    /// ([`FetcherBuilder::with_requests_at_once`](crate::FetcherBuilder::with_requests_at_once)).
    pub fn with_max_waiting(mut self, tasks: usize) -> Self {
        self.max_waiting = tasks.min(Semaphore::MAX_PERMITS);
        self
    }

    /// Sets the maximum number of requests that wait for their turn at an address: [`DEFAULT_MAX_WAITING_PER_ADDRESS`] unless it is
    /// set. So an address with many names that answers slowly does not take all places. A request over the limit is not made
    /// ([`Unanswered::NoTurn`](super::Unanswered::NoTurn)).
    pub fn with_max_waiting_per_address(mut self, requests: usize) -> Self {
        self.max_waiting_per_address = requests;
        self
    }

    /// Sets the clock, in place of the system's. Waits are in real time.
    pub fn with_clock(mut self, clock: impl Fn() -> SystemTime + Send + Sync + 'static) -> Self {
        self.clock = Function(Box::new(clock));
        self
    }

    /// Returns an object that knows nothing yet, apart from its store.
    pub fn build(mut self) -> KnownRobots {
        let turn_limits = TurnLimits {
            wait: self.max_wait,
            waiting_per_address: self.max_waiting_per_address,
        };
        self.fetcher = self.fetcher.with_turn_limits(turn_limits);
        let places = || Arc::new(Semaphore::new(self.max_waiting));
        KnownRobots {
            shared: Arc::new(Shared {
                memory: OriginMap::new(self.memory),
                writes: OriginLocks::default(),
                writing: Arc::new(Semaphore::new(MAX_WRITES as usize)),
                requests: OriginLocks::default(),
                waiting: places(),
                requesting: places(),
                counts: Mutex::default(),
                read_error: Mutex::default(),
                write_error: Mutex::default(),
                options: self,
            }),
        }
    }
}
