//! The state that all requests share.

use crate::client::{Client, Senders};
use crate::config::{Config, ConfigError};
use crate::key::Keys;
use crate::known::{KnownSites, OtherCounts};
use crate::metrics::Metrics;
use crate::page_requests::PageRequests;
use crate::places::{Place, Places};
use crate::policies::PolicyCache;
use crate::problem::Problem;
use crate::rate::Rates;
use std::sync::Arc;
use tokio_util::sync::CancellationToken;
use tracing_appender::non_blocking::ErrorCounter;

/// The size in bytes above which a body, answer or page takes a place of `limits.bodies-at-once`, and work one of `limits.work-at-once`.
pub(crate) const LARGE_BYTES: usize = 64 << 10;

/// The number of places for small work for each place for large work.
const SMALL_WORKS: usize = 8;

/// The state that all requests share. Clones are cheap.
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
    pub(crate) policies: PolicyCache,
    /// The pending requests of each client.
    pub(crate) requests: Places,
    /// The questions with large bodies, answers or pages.
    pub(crate) bodies: Places,
    /// Work on questions, small and large. It takes many times the memory of its files.
    works: [Places; 2],
    /// The requests to sites for each client.
    pub(crate) fetches: Places,
    /// The pending requests for pages.
    pub(crate) pages: PageRequests,
    /// Is cancelled when the service is asked to stop.
    pub(crate) stopping: CancellationToken,
}

impl std::ops::Deref for AppState {
    type Target = Shared;

    fn deref(&self) -> &Shared {
        &self.0
    }
}

impl AppState {
    /// Returns the state of a service that starts. Fails if the file of API keys cannot be read.
    pub(crate) fn new(
        config: Config,
        sites: KnownSites,
        dropped_log_lines: Option<ErrorCounter>,
    ) -> Result<Self, ConfigError> {
        let keys = Keys::new(&config.api_keys()?);
        let limits = &config.limits;
        let works = |factor| {
            let number = limits.large_works().saturating_mul(factor);
            Places::shared("limits.work-at-once", number)
        };
        let of_client = |limit, share| Places::new([limit; 2], 0, share);
        Ok(Self(Arc::new(Shared {
            metrics: Metrics::new(OtherCounts {
                known: sites.robots.clone(),
                dropped_log_lines,
            }),
            sites,
            keys,
            senders: Senders::new(&config),
            rates: Rates::new(limits),
            policies: PolicyCache::new(limits),
            requests: of_client("limits.requests-per-client", limits.requests_per_client),
            bodies: Places::shared("limits.bodies-at-once", limits.bodies_at_once),
            works: [SMALL_WORKS, 1].map(works),
            fetches: of_client("limits.fetches-per-client", limits.fetches_per_client),
            pages: PageRequests::new(limits.page_pause),
            stopping: CancellationToken::new(),
            config,
        })))
    }

    /// Waits for a place for work on this number of bytes.
    pub(crate) async fn work_place(&self, bytes: usize, client: Option<Client>) -> Place {
        let [small, large] = &self.works;
        let places = if bytes > LARGE_BYTES { large } else { small };
        places.wait(client).await
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
        Self::new(config, sites, None).unwrap()
    }
}

/// The places that a question holds until its answer was sent. Clones share them.
#[derive(Debug, Clone)]
pub(crate) struct Held {
    pub(crate) state: AppState,
    /// The client; `None` for questions of the service itself.
    pub(crate) client: Option<Client>,
    /// A place among `limits.bodies-at-once`.
    place: Option<Arc<Place>>,
}

impl Held {
    pub(crate) fn new(state: &AppState, client: Option<Client>) -> Self {
        Self {
            state: state.clone(),
            client,
            place: None,
        }
    }

    /// Takes a place if this number of bytes is large and the question has none yet. Fails if all places are taken.
    pub(crate) fn take_for(&mut self, bytes: usize) -> Result<(), Problem> {
        if bytes > LARGE_BYTES && self.place.is_none() {
            self.place = Some(Arc::new(self.state.bodies.take(self.client)?));
        }
        Ok(())
    }

    /// Waits for a place for a large number of bytes, unless the question has one. Questions with one place each would wait for each other.
    pub(crate) async fn wait_for_place(&self) -> Option<Place> {
        if self.place.is_some() {
            return None;
        }
        Some(self.state.bodies.wait(self.client).await)
    }

    /// Keeps a place if this number of bytes is large.
    pub(crate) fn keep_for(&mut self, bytes: usize, place: Option<Place>) {
        if bytes > LARGE_BYTES && self.place.is_none() {
            self.place = place.map(Arc::new);
        }
    }

    /// Returns bytes that hold the place until they are dropped.
    pub(crate) fn with_bytes(self, bytes: Vec<u8>) -> axum::body::Bytes {
        match self.place {
            None => bytes.into(),
            Some(place) => axum::body::Bytes::from_owner(HeldBytes(bytes, place)),
        }
    }
}

/// Bytes with a place.
struct HeldBytes(
    Vec<u8>,
    #[expect(dead_code, reason = "dropped with the bytes")] Arc<Place>,
);

impl AsRef<[u8]> for HeldBytes {
    fn as_ref(&self) -> &[u8] {
        &self.0
    }
}
