//! The known facts about the robots.txt of sites: their store, counters and health.

use crate::config::Config;
use prometheus_client::collector::Collector;
use prometheus_client::encoding::{DescriptorEncoder, EncodeMetric};
use prometheus_client::metrics::MetricType;
use prometheus_client::metrics::counter::ConstCounter;
use prometheus_client::metrics::gauge::ConstGauge;
use robots_crawl::known::Health;
use robots_crawl::store::{SharedStore, SharedStoreError, StoreError};
use robots_crawl::{DiskStore, Fetcher, KnownRobots};
use robots_pipeline::text::with_causes;
use std::fmt;
use std::sync::{Arc, Mutex, Once, PoisonError};
use tracing_appender::non_blocking::ErrorCounter;

/// The known facts about sites, and the store that keeps them.
#[derive(Debug)]
pub(crate) struct KnownSites {
    pub(crate) robots: KnownRobots,
    store: Option<Arc<DiskStore>>,
    is_warning_logged: Once,
    /// Whether the log has the present failure of the store, and that of Redis.
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
            .with_max_wait(limits.max_fetch_wait())
            .with_tdmrep(config.request_tdmrep);
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

    /// Logs the warning of the store once: its file was damaged and set aside.
    fn log_warning(&self) {
        if let Some(warning) = self.store.as_ref().and_then(|store| store.warning()) {
            self.is_warning_logged
                .call_once(|| tracing::warn!("{warning}"));
        }
    }

    /// Returns the health of the store and of Redis. Logs each change: the texts of errors have paths and addresses, which are not for
    /// everyone.
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

/// The counters that other parts keep: those of the known facts, and the number of dropped log lines.
#[derive(Debug)]
pub(crate) struct OtherCounts {
    pub(crate) known: KnownRobots,
    pub(crate) dropped_log_lines: Option<ErrorCounter>,
}

impl Collector for OtherCounts {
    fn encode(&self, mut encoder: DescriptorEncoder<'_>) -> Result<(), fmt::Error> {
        let counts = self.known.counts();
        let health = self.known.health();
        let dropped = self.dropped_log_lines.as_ref();
        let dropped = dropped.map_or(0, ErrorCounter::dropped_lines) as u64;
        let mut counter = |name: &str, help: &str, value: u64| {
            let metric = encoder.encode_descriptor(name, help, None, MetricType::Counter)?;
            ConstCounter::new(value).encode(metric)
        };
        let help = "Log lines that standard error did not take";
        counter("log_lines_dropped", help, dropped)?;
        counter("known_hits", "Questions about fresh facts", counts.hits)?;
        let help = "Questions answered during a request";
        counter("known_early_hits", help, counts.early_hits)?;
        let help = "Questions that waited for a request";
        counter("known_waits", help, counts.waits)?;
        let help = "Waits that ended before their request";
        counter("known_timeouts", help, counts.timeouts)?;
        let help = "Questions refused, as too many waited";
        counter("known_refusals", help, counts.refusals)?;
        let help = "Requests not made, as too many waited";
        counter("known_missed_turns", help, counts.missed_turns)?;
        let help = "Requests for a robots.txt";
        counter("known_requests", help, counts.requests)?;
        let help = "Requests without response, 429 or 5xx";
        counter("known_failed_requests", help, counts.failed_requests)?;
        let help = "Origins that were loaded from the store";
        counter("known_loads", help, counts.loads)?;
        let help = "Requests that another process made";
        counter("known_shared_hits", help, counts.shared_hits)?;
        let help = "Failed operations of Redis";
        counter("known_shared_failures", help, counts.shared_failures)?;
        let help = "Operations not tried after a failure";
        counter("known_shared_skips", help, counts.shared_skips)?;
        let help = "Requests without the lock in Redis";
        counter("known_shared_timeouts", help, counts.shared_timeouts)?;
        let mut gauge = |name: &str, help: &str, value: u64| {
            let metric = encoder.encode_descriptor(name, help, None, MetricType::Gauge)?;
            let value = i64::try_from(value).unwrap_or(i64::MAX);
            ConstGauge::new(value).encode(metric)
        };
        gauge("known_origins", "Origins in memory", counts.origins)?;
        let help = "The approximate size of origins in memory";
        gauge("known_bytes", help, counts.bytes)?;
        let help = "Questions that wait for a request now";
        gauge("known_waiting", help, counts.waiting)?;
        let help = "Requests now, with those that wait";
        gauge("known_requesting", help, counts.requesting)?;
        let failing = u64::from(health.store_error.is_some());
        let help = "1 while the store fails, else 0";
        gauge("known_store_failing", help, failing)?;
        let failing = u64::from(health.shared_error.is_some());
        let help = "1 while Redis fails, else 0";
        gauge("known_redis_failing", help, failing)?;
        Ok(())
    }
}
