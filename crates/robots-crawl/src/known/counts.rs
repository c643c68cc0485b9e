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
            /// The number of callers that wait for a request now.
            pub waiting: u64,
            /// The number of requests that are made now or wait for their turn: those whose callers have left, and those in the
            /// background, too.
            pub requesting: u64,
        }

        impl Counters {
            /// Returns the numbers.
            pub(super) fn read(&self) -> Counts {
                Counts {
                    $($name: self.$name.read(),)*
                    ..Counts::default()
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
    /// Of these, answers without newer facts, as too many callers or requests waited already.
    refusals,
    /// Requests that were not made, as they had no turn: too many waited for the address, or the wait was too long.
    missed_turns,
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

/// The last failures of the store on disk that it has not recovered from, by operation.
#[derive(Debug, Default)]
pub(super) struct StoreErrors {
    read: Option<Arc<StoreError>>,
    write: Option<Arc<StoreError>>,
}

/// An operation of the store on disk.
#[derive(Debug, Clone, Copy)]
pub(super) enum Operation {
    Read,
    Write,
}

impl StoreErrors {
    /// Notes the result of an operation, and returns its value.
    pub(super) fn note<T>(
        &mut self,
        operation: Operation,
        result: Result<T, StoreError>,
    ) -> Option<T> {
        let last = match operation {
            Operation::Read => &mut self.read,
            Operation::Write => &mut self.write,
        };
        match result {
            Ok(value) => {
                *last = None;
                Some(value)
            }
            Err(error) => {
                *last = Some(Arc::new(error));
                None
            }
        }
    }

    /// Returns the error for [`Health::store_error`].
    pub(super) fn last(&self) -> Option<Arc<StoreError>> {
        self.write.clone().or_else(|| self.read.clone())
    }
}

/// The state of what is known outside of memory.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Health {
    /// The last failure of the store on disk to write, if it has not written since, or else that to read, if it has not read since.
    /// Answers come from memory and from requests.
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::DiskStore;

    #[test]
    fn a_failure_of_an_operation_lasts_until_it_works_again() {
        let failure = |path: &str| DiskStore::open(path).map(|_| ()).unwrap_err();
        let mut errors = StoreErrors::default();
        let shown = |errors: &StoreErrors| errors.last().map(|error| error.path().to_owned());
        errors.note(Operation::Read, Err::<(), _>(failure("/missing/read")));
        assert_eq!(shown(&errors), Some("/missing/read".into()));
        errors.note(Operation::Write, Err::<(), _>(failure("/missing/write")));
        assert_eq!(shown(&errors), Some("/missing/write".into()));
        // A read does not show that the store can be written.
        assert_eq!(errors.note(Operation::Read, Ok(1)), Some(1));
        assert_eq!(shown(&errors), Some("/missing/write".into()));
        assert_eq!(errors.note(Operation::Write, Ok(2)), Some(2));
        assert_eq!(shown(&errors), None);
    }
}
