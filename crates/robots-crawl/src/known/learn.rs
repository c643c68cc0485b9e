//! Requests for robots.txt, and what is learned from them.

use super::facts::Facts;
use super::{Known, KnownRobots, Source};
use crate::fetch::Fetched;
use crate::origin_locks::OriginLocks;
use crate::renewal::{Need, has_failed};
use crate::single_request::SingleRequest;
use crate::store::{OriginRecord, StoreError};
use robots_meta::Timestamp;
use robots_policy::origins::Origin;
use std::sync::{Arc, PoisonError};

impl SingleRequest for KnownRobots {
    type Facts = Arc<Known>;

    fn requests(&self) -> &OriginLocks<Option<Arc<Known>>> {
        &self.shared.requests
    }

    fn facts(&self, origin: &Origin) -> Arc<Known> {
        self.look_up(origin)
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
        let sent = before.facts().validators();
        let fetched = self.shared.fetcher.fetch(origin, sent).await;
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
        if !(has_failed && before.facts().is_fresh(now)) {
            record.learn(fetched, before.facts().validators(), now);
        }
        let mut facts = Facts::of_record(&record, Source::Request, &shared.outcomes);
        facts.set_requested(fetched, time);
        self.keep(origin, facts)
    }

    /// Keeps facts in memory and on disk, in place of earlier ones.
    pub(super) fn keep(&self, origin: &Origin, facts: Facts) -> Arc<Known> {
        let shared = &self.shared;
        if let Some(disk) = &shared.disk {
            self.keep_error(disk.put(origin, &facts.record()));
        }
        let memory = &shared.memory;
        Known::new(memory.change(origin.clone(), || None, |known| *known = facts))
    }

    /// Returns the record of an origin on disk, if it can be read.
    pub(super) fn on_disk(&self, origin: &Origin) -> Option<OriginRecord> {
        let record = self.shared.disk.as_ref()?.get(origin);
        self.keep_error(record).flatten()
    }

    /// Returns the value of a result. Keeps its error for [`health`](Self::health).
    fn keep_error<T>(&self, result: Result<T, StoreError>) -> Option<T> {
        let keep = |error| {
            let last = self.shared.store_error.lock();
            *last.unwrap_or_else(PoisonError::into_inner) = Some(Arc::new(error));
        };
        result.map_err(keep).ok()
    }
}
