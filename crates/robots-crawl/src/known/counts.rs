//! The numbers and the health of what is known, for metrics.

use crate::store::StoreError;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// A number that only grows.
#[derive(Debug, Default)]
pub(super) struct Counter(AtomicU64);

impl Counter {
    pub(super) fn increment(&self) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }

    fn read(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}

/// Defines the counters, and the numbers that are read from them.
macro_rules! counters {
    ($($(#[$doc:meta])* $name:ident,)*) => {
        /// The counters of [`Counts`].
        #[derive(Debug, Default)]
        pub(super) struct Counters {
            $(pub(super) $name: Counter,)*
        }

        /// Numbers since the start, and the present size of the memory.
        #[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
        #[non_exhaustive]
        pub struct Counts {
            $($(#[$doc])* pub $name: u64,)*
            /// The number of origins in memory now.
            pub origins: u64,
            /// The approximate size of the origins in memory now, in bytes.
            pub bytes: u64,
        }

        impl Counters {
            /// Returns the numbers.
            pub(super) fn read(&self, origins: usize, bytes: u64) -> Counts {
                Counts {
                    $($name: self.$name.read(),)*
                    origins: u64::try_from(origins).unwrap_or(u64::MAX),
                    bytes,
                }
            }
        }
    };
}

counters! {
    /// Answers without a request: the facts were fresh, or a request had to wait after a failure.
    hits,
    /// Answers that did not wait for the request that was due.
    early_hits,
    /// Answers that waited for a request, or for one of another task.
    waits,
    /// Of these, answers without newer facts, as the wait ended first.
    timeouts,
    /// Of these, answers without newer facts, as too many tasks waited already.
    refusals,
    /// Requests for a robots.txt, each with its redirects and retries.
    requests,
    /// Requests that failed: without a usable response, or with status 429 or 5xx.
    failed_requests,
    /// Origins that were loaded from the store on disk.
    loads,
    /// Requests that were not made, as another process had made them.
    shared_hits,
    /// Failed operations of the shared store.
    shared_failures,
    /// Operations of the shared store that were not tried, as one had failed less than a second ago.
    shared_skips,
    /// Requests that were made without the lock of the shared store, as another process kept it for too long.
    shared_timeouts,
}

/// The state of what is known outside of memory.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Health {
    /// The last failure of the store on disk. Answers come from memory and from requests.
    pub store_error: Option<Arc<StoreError>>,
    /// The last failure of the shared store, if it has not worked since. Answers come from memory, and from requests of this
    /// process alone.
    #[cfg(feature = "redis")]
    pub shared_error: Option<crate::store::SharedStoreError>,
}

impl Health {
    /// Returns whether nothing has failed.
    pub fn is_good(&self) -> bool {
        #[cfg(feature = "redis")]
        if self.shared_error.is_some() {
            return false;
        }
        self.store_error.is_none()
    }
}
