//! What the service knows about the robots.txt of sites: how it is opened, counted, and closed.

use crate::config::Config;
use prometheus_client::collector::Collector;
use prometheus_client::encoding::{DescriptorEncoder, EncodeMetric};
use prometheus_client::metrics::MetricType;
use prometheus_client::metrics::counter::ConstCounter;
use prometheus_client::metrics::gauge::ConstGauge;
use robots_crawl::known::{Counts, Health};
use robots_crawl::store::{SharedStore, SharedStoreError, StoreError};
use robots_crawl::{DiskStore, Fetcher, KnownRobots};
use robots_pipeline::text::with_causes;
use std::fmt;
use std::sync::{Arc, Mutex, Once, PoisonError};
use tracing_appender::non_blocking::ErrorCounter;

/// What the service knows, and the file in which it keeps it.
#[derive(Debug)]
pub(crate) struct KnownSites {
    pub(crate) robots: KnownRobots,
    store: Option<Arc<DiskStore>>,
    is_warning_logged: Once,
    /// Whether the log has a failure of the store and of Redis that has not ended.
    is_failure_logged: Mutex<[bool; 2]>,
}

/// An error at the start.
#[derive(Debug, thiserror::Error)]
pub(crate) enum OpenError {
    #[error("cannot open the store")]
    Store(#[from] StoreError),
    #[error("cannot use the setting `redis`")]
    Shared(#[from] SharedStoreError),
    #[error("cannot make requests with these settings")]
    Fetcher(#[from] robots_crawl::fetch::FetcherError),
}

impl KnownSites {
    /// Opens the store of the configuration.
    pub(crate) fn open(config: &Config) -> Result<Self, OpenError> {
        let limits = &config.limits;
        let mut fetcher = Fetcher::builder(&config.user_agent)
            .with_requests_at_once(limits.fetches_at_once)
            .with_requests_per_address(limits.fetches_per_address)
            .with_total_timeout(limits.fetch_timeout.0);
        if !config.from.is_empty() {
            fetcher = fetcher.with_from(&config.from);
        }
        if config.allow_private {
            fetcher = fetcher.allow_private_addresses();
        }
        let path = Some(&config.store).filter(|path| !path.as_os_str().is_empty());
        let store = path.map(DiskStore::open).transpose()?.map(Arc::new);
        let mut robots = KnownRobots::builder(fetcher.build()?)
            .with_memory_limit(u64::try_from(limits.known_bytes.0).unwrap_or(u64::MAX))
            .with_max_waiting(limits.fetches_waiting)
            .with_max_waiting_per_address(limits.fetches_waiting_per_address)
            .with_max_wait(limits.max_fetch_wait());
        if let Some(store) = &store {
            robots = robots.with_store(Arc::clone(store));
        }
        if !config.redis.is_empty() {
            let shared = SharedStore::new(config.redis.expose(), &config.redis_prefix)?;
            robots = robots.with_shared_store(shared);
        }
        let this = Self {
            robots: robots.build(),
            store,
            is_warning_logged: Once::new(),
            is_failure_logged: Mutex::default(),
        };
        this.log_warning();
        Ok(this)
    }

    /// Logs the warning of the store, once: its file was damaged, when it was opened or later, and was set aside.
    fn log_warning(&self) {
        if let Some(warning) = self.store.as_ref().and_then(|store| store.warning()) {
            self.is_warning_logged
                .call_once(|| tracing::warn!("{warning}"));
        }
    }

    /// Returns whether all parts outside of memory work. The log gets a line when it has changed: the texts of errors have paths
    /// and addresses, which are not for everyone.
    pub(crate) fn health(&self) -> Health {
        self.log_warning();
        let health = self.robots.health();
        let errors = [
            health.store_error.as_ref().map(|error| with_causes(error)),
            health.shared_error.as_ref().map(|error| with_causes(error)),
        ];
        let mut logged = self
            .is_failure_logged
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        for ((name, error), is_logged) in ["store", "redis"].iter().zip(errors).zip(&mut *logged) {
            match error {
                Some(error) if !*is_logged => tracing::error!(setting = name, error, "failed"),
                None if *is_logged => tracing::info!(setting = name, "works again"),
                _ => continue,
            }
            *is_logged = !*is_logged;
        }
        health
    }
}

/// What the service counts elsewhere: what is known, and the log lines that were dropped.
#[derive(Debug)]
pub(crate) struct OtherCounts {
    pub(crate) known: KnownRobots,
    pub(crate) dropped_log_lines: Option<ErrorCounter>,
}

impl Collector for OtherCounts {
    fn encode(&self, mut encoder: DescriptorEncoder<'_>) -> Result<(), fmt::Error> {
        let counts = self.known.counts();
        let dropped = self.dropped_log_lines.as_ref();
        let dropped = dropped.map_or(0, ErrorCounter::dropped_lines);
        for (name, help, value) in counters(&counts, dropped as u64) {
            let counter = ConstCounter::new(value);
            let metric = encoder.encode_descriptor(name, help, None, MetricType::Counter)?;
            counter.encode(metric)?;
        }
        let health = self.known.health();
        let is_store_failing = u64::from(health.store_error.is_some());
        let is_redis_failing = u64::from(health.shared_error.is_some());
        for (name, help, value) in [
            ("known_origins", "Origins in memory", counts.origins),
            (
                "known_bytes",
                "The approximate size of origins in memory",
                counts.bytes,
            ),
            (
                "known_waiting",
                "Questions that wait for a request now",
                counts.waiting,
            ),
            (
                "known_requesting",
                "Requests now, with those that wait",
                counts.requesting,
            ),
            (
                "known_store_failing",
                "1 while the store fails, else 0",
                is_store_failing,
            ),
            (
                "known_redis_failing",
                "1 while Redis fails, else 0",
                is_redis_failing,
            ),
        ] {
            let gauge = ConstGauge::new(i64::try_from(value).unwrap_or(i64::MAX));
            let metric = encoder.encode_descriptor(name, help, None, MetricType::Gauge)?;
            gauge.encode(metric)?;
        }
        Ok(())
    }
}

/// Returns the names, meanings and values of the counters.
fn counters(counts: &Counts, dropped: u64) -> Vec<(&'static str, &'static str, u64)> {
    vec![
        (
            "log_lines_dropped",
            "Log lines that standard error did not take",
            dropped,
        ),
        ("known_hits", "Questions about fresh facts", counts.hits),
        (
            "known_early_hits",
            "Questions answered during a request",
            counts.early_hits,
        ),
        (
            "known_waits",
            "Questions that waited for a request",
            counts.waits,
        ),
        (
            "known_timeouts",
            "Waits that ended before their request",
            counts.timeouts,
        ),
        (
            "known_refusals",
            "Questions refused, as too many waited",
            counts.refusals,
        ),
        (
            "known_missed_turns",
            "Requests not made, as too many waited",
            counts.missed_turns,
        ),
        (
            "known_requests",
            "Requests for a robots.txt",
            counts.requests,
        ),
        (
            "known_failed_requests",
            "Requests without response, 429 or 5xx",
            counts.failed_requests,
        ),
        (
            "known_loads",
            "Origins that were loaded from the store",
            counts.loads,
        ),
        (
            "known_shared_hits",
            "Requests that another process made",
            counts.shared_hits,
        ),
        (
            "known_shared_failures",
            "Failed operations of Redis",
            counts.shared_failures,
        ),
        (
            "known_shared_skips",
            "Operations not tried after a failure",
            counts.shared_skips,
        ),
        (
            "known_shared_timeouts",
            "Requests without the lock in Redis",
            counts.shared_timeouts,
        ),
    ]
}
