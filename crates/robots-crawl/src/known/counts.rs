//! The numbers and the health of what is known, for metrics.

use crate::store::StoreError;
use std::sync::Arc;

/// Numbers since the start, and the present size of the memory.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Counts {
    /// Answers without a request: the facts were fresh, or a request had to wait after a failure.
    pub hits: u64,
    /// Answers that did not wait for the request that was due.
    pub early_hits: u64,
    /// Answers that waited for a request, or for one of another task.
    pub waits: u64,
    /// Of these, answers without newer facts, as the wait ended first.
    pub timeouts: u64,
    /// Of these, answers without newer facts, as too many callers or requests waited already.
    pub refusals: u64,
    /// Requests that were not made, as they had no turn: too many waited for the address, or the wait was too long.
    pub missed_turns: u64,
    /// Requests for a robots.txt, each with its redirects and retries.
    pub requests: u64,
    /// Requests that failed: without a usable response, or with status 429 or 5xx.
    pub failed_requests: u64,
    /// Origins that were loaded from the store on disk.
    pub loads: u64,
    /// Requests that were not made, as another process had made them.
    pub shared_hits: u64,
    /// Failed operations of the shared store.
    pub shared_failures: u64,
    /// Operations of the shared store that were not tried, as one had failed less than a second ago.
    pub shared_skips: u64,
    /// Requests that were made without the lock of the shared store, as another process kept it for too long.
    pub shared_timeouts: u64,
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
