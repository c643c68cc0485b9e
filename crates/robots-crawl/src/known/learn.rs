//! Requests for robots.txt, and what is learned from them.

use super::counts::Operation;
use super::facts::Facts;
use super::{Known, KnownRobots, Unanswered};
use crate::fetch::{FetchFault, Fetched};
use crate::origin_locks::OriginLocks;
use crate::renewal::{Freshness, Need, has_failed};
use crate::single_request::SingleRequest;
use crate::store::{OriginRecord, StoreError};
use robots_meta::Timestamp;
use robots_policy::origins::Origin;
use std::sync::{Arc, PoisonError};
use tokio::sync::OwnedSemaphorePermit;

impl SingleRequest for KnownRobots {
    type Facts = Arc<Known>;
    type Place = OwnedSemaphorePermit;

    fn requests(&self) -> &OriginLocks<Option<Arc<Known>>> {
        &self.shared.requests
    }

    fn place(&self) -> Option<OwnedSemaphorePermit> {
        Arc::clone(&self.shared.requesting).try_acquire_owned().ok()
    }

    async fn facts(&self, origin: &Origin) -> Arc<Known> {
        let facts = self.look_up(origin).await;
        self.view(facts)
    }

    fn is_due(&self, known: &Arc<Known>) -> bool {
        known.need(self.now()) != Need::Nothing
    }

    async fn request(&self, origin: &Origin, before: Arc<Known>) -> Arc<Known> {
        #[cfg(feature = "redis")]
        if let Some(store) = &self.shared.common_store {
            return self.request_for_all(store, origin, before).await;
        }
        self.request_alone(origin, before).await
    }
}

impl KnownRobots {
    /// Requests a robots.txt, and learns the outcome. Returns the facts after it.
    pub(super) async fn request_alone(&self, origin: &Origin, before: Arc<Known>) -> Arc<Known> {
        let sent = before.validators();
        let fetched = self.shared.fetcher.fetch(origin, sent).await;
        if fetched.fault() == Some(&FetchFault::NoTurn) {
            // Nothing is learned: it says nothing about the site.
            self.shared.counters.missed_turns.increment();
            return before.unanswered_by(Unanswered::NoTurn);
        }
        let (this, origin) = (self.clone(), origin.clone());
        if self.shared.disk.is_none() {
            return this.learn(&origin, &before, &fetched);
        }
        // Writing to the store blocks the thread.
        let earlier = Arc::clone(&before);
        let learning = tokio::task::spawn_blocking(move || this.learn(&origin, &earlier, &fetched));
        learning.await.unwrap_or(before)
    }

    /// Learns the outcome of a request, and when the next one may be made. Returns the facts after it.
    fn learn(&self, origin: &Origin, before: &Known, fetched: &Fetched) -> Arc<Known> {
        let shared = &self.shared;
        let time = (shared.clock)();
        let now = Timestamp::from(time);
        shared.counters.requests.increment();
        let has_failed = has_failed(fetched);
        if has_failed {
            shared.counters.failed_requests.increment();
        }
        let mut record = before.record().clone();
        // While the copy is fresh, a failure does not replace it. It may have expired during the request.
        let is_learned = !(has_failed && before.is_fresh(now));
        if is_learned {
            record.learn(fetched, before.validators(), now);
        }
        let freshness = Freshness::of_log(&record.outcomes, &shared.outcomes);
        record.next.schedule_retry(fetched, freshness, time);
        let facts = if is_learned {
            Facts::of_request(&record, fetched)
        } else {
            before.facts().with_record(&record)
        };
        self.keep(origin, &record, facts)
    }

    /// Keeps the facts of a record in memory, and the record on disk, in place of earlier ones.
    pub(super) fn keep(&self, origin: &Origin, record: &OriginRecord, facts: Facts) -> Arc<Known> {
        let shared = &self.shared;
        if let Some(disk) = &shared.disk {
            self.note(Operation::Write, disk.put(origin, record));
        }
        let memory = &shared.memory;
        self.view(memory.change(origin.clone(), || None, |known| *known = facts))
    }

    /// Returns the record of an origin on disk, if it can be read.
    pub(super) fn on_disk(&self, origin: &Origin) -> Option<OriginRecord> {
        let record = self.shared.disk.as_ref()?.get(origin);
        self.note(Operation::Read, record).flatten()
    }

    /// Returns the value of a result of the store. Its error is in [`health`](Self::health).
    fn note<T>(&self, operation: Operation, result: Result<T, StoreError>) -> Option<T> {
        let errors = self.shared.store_errors.lock();
        let mut errors = errors.unwrap_or_else(PoisonError::into_inner);
        errors.note(operation, result)
    }
}
