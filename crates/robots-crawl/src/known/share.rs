//! One request for all processes that share a store.
//!
//! A process that needs a robots.txt looks it up in the shared store, and then takes the lock of its origin. With the lock it
//! requests robots.txt, writes the record, and releases the lock. Without it, it waits for the record of the process that has
//! it. A process that dies leaves a lock that expires ([`LOCK_TIME`](crate::store::LOCK_TIME)); then another one takes its place.
//!
//! If the store fails, a process requests robots.txt by itself. So the answer is the same with and without the store, and
//! only the number of requests differs.

use super::{Known, KnownRobots, Source};
use crate::store::{Lease, OriginRecord, RecordStore as _, SharedStore, SharedStoreError};
use robots_policy::origins::Origin;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::Instant;

/// The first pause between two looks at the record of another process.
const FIRST_PAUSE: Duration = Duration::from_millis(20);

/// The longest pause between two looks at the record of another process.
const LONGEST_PAUSE: Duration = Duration::from_millis(250);

/// The time after which the lock of an origin is extended, less than a third of [`LOCK_TIME`](crate::store::LOCK_TIME).
const EXTEND_EVERY: Duration = Duration::from_millis(1_500);

/// The next step of a process that needs a robots.txt.
enum Turn {
    /// Another process has requested it.
    Known(Arc<Known>),
    /// Request it, with the newest facts before the request, and the lock if there is one.
    Request(Arc<Known>, Option<Lease>),
}

impl KnownRobots {
    /// Requests a robots.txt, unless another process has done so.
    pub(super) async fn request_for_all(
        &self,
        store: &SharedStore,
        origin: &Origin,
        before: Arc<Known>,
    ) -> Arc<Known> {
        let (before, lease) = match self.turn(store, origin, before).await {
            Turn::Known(known) => return known,
            Turn::Request(before, lease) => (before, lease),
        };
        let request = self.request_alone(origin, before);
        let Some(lease) = lease else {
            let known = request.await;
            self.publish(store, origin, &known).await;
            return known;
        };
        let known = while_extending(store, &lease, request).await;
        self.publish(store, origin, &known).await;
        store.release(lease).await;
        known
    }

    /// Waits for the lock of an origin, or for the record of the process that has it.
    async fn turn(&self, store: &SharedStore, origin: &Origin, before: Arc<Known>) -> Turn {
        match self.turn_if_reachable(store, origin, &before).await {
            Ok(turn) => turn,
            Err(error) => {
                self.count_failure(&error);
                Turn::Request(before, None)
            }
        }
    }

    async fn turn_if_reachable(
        &self,
        store: &SharedStore,
        origin: &Origin,
        before: &Arc<Known>,
    ) -> Result<Turn, SharedStoreError> {
        let record = store.record(origin).await?;
        let mut newest = self.newer(before, record, Source::Shared);
        if !self.is_due(&newest) {
            return Ok(Turn::Known(self.adopt(origin, newest).await));
        }
        let start = Instant::now();
        let mut pause = FIRST_PAUSE;
        loop {
            let attempt = store.lock(origin).await?;
            newest = self.newer(&newest, attempt.record, Source::Shared);
            if !self.is_due(&newest) {
                if let Some(lease) = attempt.lease {
                    store.release(lease).await;
                }
                return Ok(Turn::Known(self.adopt(origin, newest).await));
            }
            if attempt.lease.is_some() {
                return Ok(Turn::Request(newest, attempt.lease));
            }
            if attempt.is_foreign || start.elapsed() >= self.shared.max_wait {
                self.shared.counters.shared_timeouts.increment();
                return Ok(Turn::Request(newest, None));
            }
            tokio::time::sleep(pause).await;
            pause = (pause * 2).min(LONGEST_PAUSE);
        }
    }

    /// Keeps the facts of another process in memory and on disk.
    async fn adopt(&self, origin: &Origin, known: Arc<Known>) -> Arc<Known> {
        if known.source() != Source::Shared {
            return known;
        }
        self.shared.counters.shared_hits.increment();
        let before = OriginRecord::default();
        let facts = known.facts().clone();
        self.keep(origin, &before, facts).await
    }

    /// Writes facts to the shared store, unless it has newer ones.
    async fn publish(&self, store: &SharedStore, origin: &Origin, known: &Known) {
        if known.unanswered().is_some() {
            return;
        }
        let before = OriginRecord::default();
        let written = store.replace(origin, &before, known.record(), self.now());
        if let Err(error) = written.await {
            self.count_failure(&error);
        }
    }

    fn count_failure(&self, error: &SharedStoreError) {
        let counters = &self.shared.counters;
        if error.is_repeated() {
            counters.shared_skips.increment();
        } else {
            counters.shared_failures.increment();
        }
    }
}

/// Waits for a request, and extends the lock of its origin until it ends.
async fn while_extending<T>(
    store: &SharedStore,
    lease: &Lease,
    request: impl Future<Output = T>,
) -> T {
    let mut request = pin!(request);
    loop {
        match tokio::time::timeout(EXTEND_EVERY, request.as_mut()).await {
            Ok(ended) => return ended,
            Err(_) => store.extend(lease).await,
        }
    }
}
