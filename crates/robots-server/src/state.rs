//! What all requests share.

use crate::checked_files::CheckedFiles;
use crate::config::{Config, ConfigError};
use crate::known::{KnownCounts, KnownSites};
use crate::limit::client::Senders;
use crate::limit::key::Keys;
use crate::limit::memory::Memory;
use crate::limit::queue::ClientQueues;
use crate::limit::rate::Rates;
use crate::limit::share::Shares;
use crate::limit::work_places::WorkPlaces;
use crate::metrics::Metrics;
use crate::page_requests::PageRequests;
use crate::policies::Policies;
use prometheus_client::metrics::counter::Counter;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use tokio::sync::Semaphore;

/// What all requests share. Clones are cheap.
#[derive(Debug, Clone)]
pub(crate) struct AppState(Arc<Shared>);

/// The shared values.
#[derive(Debug)]
pub(crate) struct Shared {
    pub(crate) config: Config,
    /// The robots.txt of sites.
    pub(crate) sites: KnownSites,
    pub(crate) metrics: Metrics,
    pub(crate) keys: Keys,
    pub(crate) senders: Senders,
    pub(crate) rates: Rates,
    pub(crate) policies: Policies,
    /// The robots.txt of sites that URLs were checked against.
    pub(crate) checked_files: CheckedFiles,
    /// The connections of each client.
    pub(crate) connections: Shares,
    /// The requests of each client that are answered now.
    pub(crate) requests: Shares,
    /// The requests to sites for each client.
    pub(crate) fetches: ClientQueues,
    /// The requests for pages that are made now.
    pub(crate) pages: PageRequests,
    /// Permits for requests that are answered at once.
    pub(crate) at_once: Arc<Semaphore>,
    /// Places for large work.
    pub(crate) work_places: WorkPlaces,
    /// The memory of bodies and answers.
    pub(crate) memory: Memory,
    /// Whether the service was asked to stop.
    is_stopping: AtomicBool,
    ids: Ids,
}

impl std::ops::Deref for AppState {
    type Target = Shared;

    fn deref(&self) -> &Shared {
        &self.0
    }
}

impl AppState {
    /// Returns the state of a service that starts.
    ///
    /// # Errors
    ///
    /// If the file of API keys cannot be read.
    pub(crate) fn new(
        config: Config,
        sites: KnownSites,
        dropped_log_lines: Counter,
    ) -> Result<Self, ConfigError> {
        let keys = Keys::new(&config.api_keys()?);
        let limits = &config.limits;
        Ok(Self(Arc::new(Shared {
            metrics: Metrics::new(dropped_log_lines, KnownCounts(sites.robots.clone())),
            sites,
            keys,
            senders: Senders::new(&config),
            rates: Rates::new(limits),
            policies: Policies::new(limits),
            checked_files: CheckedFiles::new(),
            connections: Shares::new(limits.connections_per_client),
            requests: Shares::new(limits.requests_per_client),
            fetches: ClientQueues::new(limits.fetches_per_client),
            pages: PageRequests::new(limits.page_pause),
            at_once: Arc::new(Semaphore::new(
                limits.requests_at_once.min(Semaphore::MAX_PERMITS),
            )),
            work_places: WorkPlaces::new(limits.large_works()),
            memory: Memory::new(limits),
            is_stopping: AtomicBool::new(false),
            ids: Ids::new(),
            config,
        })))
    }

    /// Marks the service as one that was asked to stop.
    pub(crate) fn stop(&self) {
        self.is_stopping.store(true, Ordering::Relaxed);
    }

    /// Returns whether the service was asked to stop.
    pub(crate) fn is_stopping(&self) -> bool {
        self.is_stopping.load(Ordering::Relaxed)
    }

    /// Returns the identifier of the next request.
    pub(crate) fn next_id(&self) -> String {
        self.ids.next()
    }
}

#[cfg(test)]
impl AppState {
    /// Returns the state of a service with these settings.
    pub(crate) fn of_settings(settings: &[(&str, &str)]) -> Self {
        let pairs = settings
            .iter()
            .map(|(key, value)| ((*key).to_owned(), (*value).to_owned()));
        let config = Config::load(None, [], pairs).unwrap();
        let sites = KnownSites::open(&config).unwrap();
        Self::new(config, sites, Counter::default()).unwrap()
    }
}

/// The room for an identifier, in bytes: 12 hexadecimal digits, a hyphen, and a number of up to 19 digits.
const ID_BYTES: usize = 32;

/// Identifiers of requests: a random part of this process, and a number.
#[derive(Debug)]
struct Ids {
    process: String,
    next: AtomicU64,
}

impl Ids {
    fn new() -> Self {
        let random = uuid::Uuid::new_v4().simple().to_string();
        Self {
            process: random.get(..12).unwrap_or_default().to_owned(),
            next: AtomicU64::new(1),
        }
    }

    fn next(&self) -> String {
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        let mut id = String::with_capacity(ID_BYTES);
        id.push_str(&self.process);
        id.push('-');
        id.push_str(itoa::Buffer::new().format(number));
        id
    }
}
