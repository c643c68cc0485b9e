//! The crawler's view of the facts about an origin: the state of its robots.txt, its freshness, and the next
//! request for it.

use super::Crawler;
use crate::fetch::Fetched;
use crate::next_request::{NextRequest, Validators};
use crate::origin_locks::OriginLocks;
use crate::renewal::{Freshness, Need, has_failed, learned};
use crate::single_request::SingleRequest;
use crate::store::{CrawledOrigin, OriginRecord};
use robots_meta::Timestamp;
use robots_policy::origins::{KnownOrigin, Origin, OriginChange};
use robots_policy::robots::{Cause, RobotsState};
use robots_policy::site::SiteRules;
use robots_policy::{Decision, Page, Policy};
use std::sync::Arc;
use std::time::SystemTime;

/// The facts about an origin at a time.
#[derive(Debug, Clone)]
pub(crate) struct Knowledge {
    pub(super) robots: RobotsState<SiteRules>,
    freshness: Freshness,
    next: NextRequest,
}

impl Knowledge {
    fn new(known: &KnownOrigin, next: NextRequest, policy: &Policy, now: Timestamp) -> Self {
        let log = known.outcomes();
        // Not known, which counts as available.
        let site_is_available = None;
        Self {
            robots: policy.state(log, Some(now), site_is_available),
            freshness: Freshness::of(log, policy.profile().outcomes()),
            next,
        }
    }
}

impl SingleRequest for Crawler {
    type Facts = Knowledge;
    type Place = ();

    fn requests(&self) -> &OriginLocks<Option<Knowledge>> {
        &self.shared.robots_locks
    }

    /// The number of requests is that of the visits.
    fn place(&self) -> Option<()> {
        Some(())
    }

    async fn facts(&self, origin: &Origin) -> Knowledge {
        self.knowledge(origin).await
    }

    fn is_due(&self, known: &Knowledge) -> bool {
        self.need(known) != Need::Nothing
    }

    /// Requests the robots.txt of an origin, and learns the outcome.
    async fn request(&self, origin: &Origin, before: Knowledge) -> Knowledge {
        let now = Timestamp::from(self.now());
        let before = if before.freshness.is_from_future(now) {
            // It was stored by a clock that was ahead: its steps of a failure would begin in the future.
            self.forget_robots(origin).await
        } else {
            before
        };
        let sent = &before.next.validators;
        let fetched = self.shared.fetcher.fetch(origin, sent).await;
        self.note_request(origin);
        let (crawler, origin) = (self.clone(), origin.clone());
        // Compiling the rules and writing to the store may block the thread.
        let earlier = before.clone();
        let learning =
            tokio::task::spawn_blocking(move || crawler.learn(&origin, &fetched, &earlier));
        learning.await.unwrap_or(before)
    }
}

impl Crawler {
    /// Returns the need to request a robots.txt now.
    pub(super) fn need(&self, known: &Knowledge) -> Need {
        Need::at(
            Timestamp::from(self.now()),
            known.freshness,
            known.next.retry,
        )
    }

    /// Returns the stored facts about an origin. The disk is read on a thread that may block.
    pub(super) async fn stored(&self, origin: &Origin) -> Option<Arc<CrawledOrigin>> {
        let (store, key) = (&self.shared.store, origin.to_string());
        if let Some(crawled) = store.in_memory_of(&key) {
            return Some(crawled);
        }
        store.disk()?;
        let this = self.clone();
        let read = move || this.shared.store.look_up(&key, this.policy());
        self.shared.disk_reads.run(read).await.flatten()
    }

    /// Returns the present facts about an origin.
    pub(super) async fn knowledge(&self, origin: &Origin) -> Knowledge {
        match self.stored(origin).await {
            Some(crawled) => self.knowledge_of(&crawled),
            None => Knowledge {
                robots: RobotsState::Unknown(Cause::NotFetched),
                freshness: Freshness::default(),
                next: NextRequest::default(),
            },
        }
    }

    fn knowledge_of(&self, crawled: &CrawledOrigin) -> Knowledge {
        let now = Timestamp::from(self.now());
        Knowledge::new(&crawled.known, crawled.next.clone(), self.policy(), now)
    }

    /// Forgets what is known about the robots.txt of an origin. Returns the facts after it.
    async fn forget_robots(&self, origin: &Origin) -> Knowledge {
        let (this, forgotten) = (self.clone(), origin.clone());
        let forgetting = tokio::task::spawn_blocking(move || {
            let crawled = this.shared.store.change_with(
                &forgotten,
                None,
                this.policy(),
                CrawledOrigin::forget_robots,
                OriginRecord::forget_robots,
            );
            this.knowledge_of(&crawled)
        });
        match forgetting.await {
            Ok(knowledge) => knowledge,
            // The runtime ends.
            Err(_) => self.knowledge(origin).await,
        }
    }

    /// Learns the outcome of a request, and when the next one may be made. `before` has the facts before the request.
    /// Returns the facts after it.
    fn learn(&self, origin: &Origin, fetched: &Fetched, before: &Knowledge) -> Knowledge {
        let status = fetched.status().unwrap_or_default();
        self.back_off(origin, status, fetched.retry_after());
        let now = self.now();
        // While the copy is fresh, a failure does not replace it. It may have expired during the request.
        let is_learned = !(has_failed(fetched) && before.freshness.is_fresh(Timestamp::from(now)));
        let fetch = learned(fetched);
        let is_success = fetch
            .response()
            .is_some_and(|response| response.is_success());
        let change = OriginChange::Robots {
            fetch,
            at: Some(Timestamp::from(now)),
        };
        let change = is_learned.then_some(&change);
        let policy = self.policy();
        let next = |crawled: &mut CrawledOrigin| {
            let (known, next) = (&crawled.known, &mut crawled.next);
            if is_learned {
                crawled.fault = fetched.fault().map(|fault| Arc::new(fault.clone()));
                // A success replaces the validators, even if it has none. A 304 replaces them, too. After a failure,
                // which has none, the earlier ones stay.
                let validators = fetched.validators();
                if is_success || !validators.is_empty() {
                    next.validators = validators.clone();
                }
                // Validators belong to a copy of robots.txt: without a copy they are dropped.
                if !known.outcomes().has_copy(policy.profile().outcomes()) {
                    next.validators = Validators::default();
                }
            }
            schedule_retry(known, next, policy, fetched, now);
        };
        let crawled = self
            .shared
            .store
            .change_with(origin, change, policy, next, |record| {
                if is_learned {
                    let sent = &before.next.validators;
                    record.learn(fetched, sent, Timestamp::from(now));
                }
            });
        Knowledge::new(
            &crawled.known,
            crawled.next.clone(),
            policy,
            Timestamp::from(now),
        )
    }

    /// Decides about a page under a state of its robots.txt, with the tdmrep.json of its origin, if it is stored.
    pub(super) fn decide_with_tdmrep(
        &self,
        stored: Option<&CrawledOrigin>,
        robots: &RobotsState<SiteRules>,
        page: Page<'_>,
    ) -> Decision {
        let page = match stored.and_then(|crawled| crawled.known.tdmrep()) {
            Some(tdmrep) => page.with_tdmrep(tdmrep),
            None => page,
        };
        self.policy().decide_under(robots, &page)
    }
}

/// Sets the time of the next request for the robots.txt of an origin.
fn schedule_retry(
    known: &KnownOrigin,
    next: &mut NextRequest,
    policy: &Policy,
    fetched: &Fetched,
    now: SystemTime,
) {
    let freshness = Freshness::of(known.outcomes(), policy.profile().outcomes());
    next.schedule_retry(fetched, freshness, now);
}
