//! Requests for robots.txt: one at a time for an origin, however many tasks need it; and what is learned from them.

use super::facts::Facts;
use super::{Known, KnownRobots, Source, Unanswered};
use crate::fetch::{FetchFault, Fetched};
use crate::renewal::{Freshness, Need, has_failed};
use crate::store::{FileBytes, OriginRecord};
use robots_meta::Timestamp;
use robots_policy::origins::Origin;
use robots_policy::site::Tdmrep;
use std::sync::Arc;

/// The request for a tdmrep.json that goes with one for a robots.txt.
enum TdmrepRequest {
    /// None was made, or nothing follows from it.
    None,
    /// `None` stands for a file that does not exist.
    Made(Option<Tdmrep>),
}

impl KnownRobots {
    /// Requests the robots.txt of an origin if that is still due when no other task requests it. Returns `None` if there are too many
    /// requests.
    ///
    /// The request runs in a task of its own: a caller that stops waiting does not cancel it for others, and one that waits for a
    /// request of another caller leaves nothing when it stops.
    pub(super) async fn request_if_due(&self, origin: &Origin) -> Option<Arc<Known>> {
        let mut last = self.shared.requests.of(origin).lock_owned().await;
        let before = match self.due(origin, last.as_ref()).await {
            Ok(before) => before,
            Err(known) => return Some(known),
        };
        let place = Arc::clone(&self.shared.requesting).try_acquire_owned();
        let place = place.ok()?;
        let (this, origin, earlier) = (self.clone(), origin.clone(), Arc::clone(&before));
        let request = tokio::spawn(async move {
            let known = this.request(&origin, before).await;
            *last = Some(Arc::clone(&known));
            drop((last, place));
            known
        });
        // The task does not panic, and is cancelled only with the runtime.
        Some(request.await.unwrap_or(earlier))
    }

    /// Requests the robots.txt of an origin in the background, unless another task does so already, or there are too many requests.
    pub(super) fn request_in_background(&self, origin: &Origin) {
        let Ok(mut last) = self.shared.requests.of(origin).try_lock_owned() else {
            return;
        };
        let Ok(place) = Arc::clone(&self.shared.requesting).try_acquire_owned() else {
            return;
        };
        let (this, origin) = (self.clone(), origin.clone());
        tokio::spawn(async move {
            if let Ok(before) = this.due(&origin, last.as_ref()).await {
                *last = Some(this.request(&origin, before).await);
            }
            drop((last, place));
        });
    }

    /// Returns the facts before a request. The error has facts for which none is due: the present ones, or those of the task that held
    /// the lock before, for which the memory may have had no room.
    async fn due(
        &self,
        origin: &Origin,
        last: Option<&Arc<Known>>,
    ) -> Result<Arc<Known>, Arc<Known>> {
        let known = self.view(self.look_up(origin).await);
        if !self.is_due(&known) {
            return Err(known);
        }
        match last.filter(|last| !self.is_due(last)) {
            Some(last) => Err(Arc::clone(last)),
            None => Ok(known),
        }
    }

    pub(super) fn is_due(&self, known: &Known) -> bool {
        known.need(self.now()) != Need::Nothing
    }

    /// Requests the robots.txt of an origin, unless another process has done so, and learns the outcome. Returns the facts after it.
    async fn request(&self, origin: &Origin, before: Arc<Known>) -> Arc<Known> {
        let record = self.on_disk(origin).await;
        let newest = self.newer(&before, record, Source::Store);
        if !self.is_due(&newest) {
            self.count(|counts| counts.loads += 1);
            return self.remember(origin, newest.facts().clone());
        }
        #[cfg(feature = "redis")]
        if let Some(store) = &self.options().shared_store {
            return self.request_for_all(store, origin, newest).await;
        }
        self.request_alone(origin, newest).await
    }

    /// Returns the facts of a record of another process if they are newer, or else the same ones.
    pub(super) fn newer(
        &self,
        known: &Arc<Known>,
        record: Option<OriginRecord>,
        source: Source,
    ) -> Arc<Known> {
        match record {
            Some(record)
                if !record.is_from_future(self.now())
                    && record.age() > (known.requested_at(), known.retry_at()) =>
            {
                self.view(Arc::new(Facts::of_record(record, source)))
            }
            _ => Arc::clone(known),
        }
    }

    /// Requests a robots.txt, and learns the outcome. Returns the facts after it.
    pub(super) async fn request_alone(&self, origin: &Origin, before: Arc<Known>) -> Arc<Known> {
        let fetched = self
            .options()
            .fetcher
            .fetch(origin, before.validators())
            .await;
        if fetched.fault() == Some(&FetchFault::NoTurn) {
            // Nothing is learned: it says nothing about the site.
            self.count(|counts| counts.missed_turns += 1);
            return before.unanswered_by(Unanswered::NoTurn);
        }
        (self.options().on_request.0)(origin, &fetched);
        // A host that cannot be asked for one file cannot be asked for the other.
        let asks_tdmrep = self.options().requests_tdmrep && fetched.host_fault().is_none();
        let tdmrep = if asks_tdmrep {
            let answer = self.options().fetcher.tdmrep(origin).await;
            answer.map_or(TdmrepRequest::None, TdmrepRequest::Made)
        } else {
            TdmrepRequest::None
        };
        self.learn(origin, &before, &fetched, tdmrep).await
    }

    /// Learns the outcome of a request, and of that for a tdmrep.json, if one was made; and when the next one may be made. Returns the
    /// facts after it.
    async fn learn(
        &self,
        origin: &Origin,
        before: &Known,
        fetched: &Fetched,
        tdmrep: TdmrepRequest,
    ) -> Arc<Known> {
        let time = (self.options().clock.0)();
        let now = Timestamp::from(time);
        let has_failed = has_failed(fetched);
        self.count(|counts| {
            counts.requests += 1;
            counts.failed_requests += u64::from(has_failed);
        });
        let mut record = before.record().clone();
        // While the copy is fresh, a failure does not replace it. It may have expired during the request.
        let is_learned = !(has_failed && before.is_fresh(now));
        if is_learned {
            record.learn(fetched, before.validators(), now);
        }
        record.tdmrep = match tdmrep {
            TdmrepRequest::None => record.tdmrep,
            // The last copy counts while a newer one cannot be read.
            TdmrepRequest::Made(Some(file)) if file.unread().is_some() => {
                let unread = || FileBytes::of_tdmrep(&file);
                Some(record.tdmrep.unwrap_or_else(unread))
            }
            TdmrepRequest::Made(file) => file.as_ref().map(FileBytes::of_tdmrep),
        };
        let freshness = Freshness::of(&record.outcomes, &self.options().outcomes);
        record.next.schedule_retry(fetched, freshness, time);
        let facts = if is_learned {
            Facts::of_request(record, fetched)
        } else {
            before.facts().with_record(record)
        };
        self.keep(origin, before.record(), facts).await
    }
}
