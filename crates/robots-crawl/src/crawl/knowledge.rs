//! The crawler's view of the facts about an origin: the state of its robots.txt, its freshness, and the next
//! request for it.

use super::Crawler;
use crate::fetch::FetchFault;
use crate::next_request::{NextRequest, Retry, Validators};
use robots_meta::Timestamp;
use robots_policy::origins::Origin;
use robots_policy::origins::{KnownOrigin, OriginChange};
use robots_policy::robots::Cause;
use robots_policy::site::RobotsState;
use robots_policy::{Decision, Page, Policy, RobotsFetch};
use std::sync::Arc;

/// The facts about an origin at a time.
pub(super) struct Knowledge {
    pub(super) robots: RobotsState,
    /// Whether its robots.txt is fresh: no request is needed yet.
    pub(super) is_fresh: bool,
    /// Whether its robots.txt expires soon, or has expired.
    pub(super) is_expiring: bool,
    pub(super) next: NextRequest,
}

/// The maximum difference of clocks, in seconds. A time that is further in the future was set by a wrong clock.
pub(super) const MAX_CLOCK_ERROR: i64 = 60;

/// A robots.txt expires soon in the last 1/10 of the time for which it is fresh.
const EXPIRING_FRACTION: i64 = 10;

impl Knowledge {
    fn new(known: &KnownOrigin, next: NextRequest, policy: &Policy, now: Timestamp) -> Self {
        let history = known.history();
        let seconds = |from: Timestamp, to: Timestamp| {
            let (from, to) = (from.as_seconds(), to.as_seconds());
            to.saturating_sub(from)
        };
        let expires_at = history.ask_again_at(policy.profile().outcomes());
        let answered_at = history.answered_at();
        let lifetime = answered_at
            .zip(expires_at)
            .map(|(at, end)| seconds(at, end));
        let remaining = expires_at.map(|end| seconds(now, end));
        let is_from_future = answered_at.is_some_and(|at| seconds(now, at) > MAX_CLOCK_ERROR);
        // Not known, which counts as available.
        let site_is_available = None;
        Self {
            robots: policy.state(history, Some(now), site_is_available),
            is_fresh: remaining.is_some_and(|remaining| remaining > 0) && !is_from_future,
            is_expiring: remaining
                .zip(lifetime)
                .is_some_and(|(remaining, lifetime)| {
                    remaining < lifetime.div_euclid(EXPIRING_FRACTION)
                }),
            next,
        }
    }
}

impl Crawler {
    /// Returns the present facts about an origin.
    pub(super) fn knowledge(&self, origin: &Origin) -> Knowledge {
        let now = Timestamp::from(self.now());
        let store = &self.shared.store;
        let Some(crawled) = store.look_up(&origin.to_string(), self.policy()) else {
            return Knowledge {
                robots: RobotsState::Unknown(Cause::NotFetched),
                is_fresh: false,
                is_expiring: false,
                next: NextRequest::default(),
            };
        };
        Knowledge::new(&crawled.known, crawled.next.clone(), self.policy(), now)
    }

    /// Returns the fault of the last request for the robots.txt of an origin, if it had no usable response.
    pub(super) fn robots_fault(&self, origin: &Origin) -> Option<Arc<FetchFault>> {
        let store = &self.shared.store;
        let crawled = store.look_up(&origin.to_string(), self.policy())?;
        crawled.fault.clone()
    }

    /// Stores the outcome of a request with its validators or its fault. `retry` returns the time of the next request, if
    /// this one failed or the facts are not fresh.
    pub(super) fn learn_answer(
        &self,
        origin: &Origin,
        fetch: RobotsFetch<'_>,
        at: Timestamp,
        validators: &Validators,
        fault: Option<&FetchFault>,
        retry: impl FnOnce(&Knowledge) -> Option<Retry>,
    ) {
        let response = fetch.response();
        let is_success = response.is_some_and(|response| response.is_success());
        let change = OriginChange::Robots {
            fetch,
            at: Some(at),
        };
        let policy = self.policy();
        let store = &self.shared.store;
        store.change_with(origin, Some(&change), policy, |crawled| {
            crawled.fault = fault.map(|fault| Arc::new(fault.clone()));
            let (known, next) = (&crawled.known, &mut crawled.next);
            // A success replaces the validators, even if it has none. A 304 replaces them, too. After a failure, which has
            // none, the earlier ones stay.
            if is_success || !validators.is_empty() {
                next.validators = validators.clone();
            }
            // Validators belong to a copy of robots.txt: without a copy they are dropped.
            if known.history().copy().is_none() {
                next.validators = Validators::default();
            }
            next.retry = retry(&Knowledge::new(known, next.clone(), policy, at));
        });
    }

    /// Stores only the time of the next request after a failed one.
    pub(super) fn learn_retry(
        &self,
        origin: &Origin,
        at: Timestamp,
        retry: impl FnOnce(&Knowledge) -> Option<Retry>,
    ) {
        let policy = self.policy();
        let store = &self.shared.store;
        store.change_with(origin, None, policy, |crawled| {
            let (known, next) = (&crawled.known, &mut crawled.next);
            next.retry = retry(&Knowledge::new(known, next.clone(), policy, at));
        });
    }

    /// Decides about a page under a state of its robots.txt, with the stored tdmrep.json of its origin.
    pub(super) fn decide_with_tdmrep(
        &self,
        origin: &Origin,
        robots: &RobotsState,
        page: Page<'_>,
    ) -> Decision {
        let store = &self.shared.store;
        let crawled = store.look_up(&origin.to_string(), self.policy());
        let page = match crawled.as_ref().and_then(|crawled| crawled.known.tdmrep()) {
            Some(tdmrep) => page.with_tdmrep(tdmrep),
            None => page,
        };
        self.policy().decide_under(robots, &page)
    }
}
