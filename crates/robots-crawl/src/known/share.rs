//! One request for all processes that share a store.
//!
//! A process that needs a robots.txt first reads its record in the shared store. If the record is stale, the process takes the
//! lock of the origin, requests robots.txt, writes the record, and releases the lock. Other processes wait for that record. The
//! lock of a process that dies expires ([`LOCK_TIME`](crate::store::LOCK_TIME)), and another process takes it.
//!
//! If the store fails, each process makes its own request. Answers do not depend on the store: only the number of requests
//! does.

use super::{Known, KnownRobots, Source};
use crate::store::{Lease, OriginRecord, SharedStore, SharedStoreError};
use robots_policy::origins::Origin;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::Instant;

/// The first pause before the record of another process is read again.
const FIRST_PAUSE: Duration = Duration::from_millis(20);

/// The longest pause before the record of another process is read again.
const LONGEST_PAUSE: Duration = Duration::from_millis(250);

/// The time between two extensions of a lock, less than a third of [`LOCK_TIME`](crate::store::LOCK_TIME).
const EXTEND_EVERY: Duration = Duration::from_millis(1_500);

/// The next step of a process that needs a robots.txt.
enum Turn {
    /// Use these facts: another process has requested robots.txt.
    Known(Arc<Known>),
    /// Request it, with the newest facts so far. There is no lock if another process kept it for too long.
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
        let (before, lease) = match self.turn(store, origin, &before).await {
            Ok(Turn::Known(known)) => return known,
            Ok(Turn::Request(newest, lease)) => (newest, lease),
            Err(error) => {
                self.count_failure(&error);
                (before, None)
            }
        };
        let request = self.request_alone(origin, before);
        let known = match &lease {
            Some(lease) => while_extending(store, lease, request).await,
            None => request.await,
        };
        self.publish(store, origin, &known).await;
        if let Some(lease) = lease {
            store.release(lease).await;
        }
        known
    }

    /// Waits for the lock of an origin, or for the record of the process that has the lock.
    async fn turn(
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
            if attempt.is_foreign || start.elapsed() >= self.options().max_wait {
                self.count(|counts| counts.shared_timeouts += 1);
                return Ok(Turn::Request(newest, None));
            }
            tokio::time::sleep(pause).await;
            pause = (pause * 2).min(LONGEST_PAUSE);
        }
    }

    /// Stores the facts of another process in memory and on disk.
    async fn adopt(&self, origin: &Origin, known: Arc<Known>) -> Arc<Known> {
        if known.source() != Source::Shared {
            return known;
        }
        self.count(|counts| counts.shared_hits += 1);
        let before = OriginRecord::default();
        let facts = known.facts().clone();
        self.keep(origin, &before, facts).await
    }

    /// Writes facts to the shared store, unless it has newer facts.
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
        self.count(|counts| {
            counts.shared_skips += u64::from(error.is_repeated());
            counts.shared_failures += u64::from(!error.is_repeated());
        });
    }
}

/// Waits for a request, and extends the lock of its origin meanwhile.
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
