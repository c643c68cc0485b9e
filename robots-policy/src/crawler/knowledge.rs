//! What a policy knows of an origin, as a crawler asks for it: whether it holds, for how long, and what the
//! next request is to carry.

use crate::decide;
use crate::decision::Decision;
use crate::fetch::Validators;
use crate::origin::Origin;
use crate::outcome::{Cause, RobotsFetch};
use crate::page::Page;
use crate::policy::Policy;
use crate::retry::Retry;
use crate::robots::Robots;
use crate::store::Site;
use robots_meta::Timestamp;

/// What is known of an origin, and what for the next request for its robots.txt.
pub(crate) struct Known {
    pub(crate) robots: Robots,
    /// Whether it need not be asked for.
    pub(crate) is_fresh: bool,
    /// Whether it will have to be, soon.
    pub(crate) is_ending: bool,
    pub(crate) next: NextRequest,
}

/// What is kept for the next request for a robots.txt.
#[derive(Debug, Clone, Default)]
pub(crate) struct NextRequest {
    pub(crate) validators: Validators,
    /// When it may be made, if the last one failed.
    pub(crate) retry: Option<Retry>,
}

/// How many seconds ahead of the clock something may have come, as clocks differ.
pub(crate) const MAX_CLOCK_ERROR: i64 = 60;

/// A part of the time for which a robots.txt is fresh: with no more than that left of it, it is about
/// to be stale.
const REFRESH_PART: i64 = 10;

impl Policy {
    /// What is known of an origin, for who asks for more.
    pub(crate) fn known(&self, origin: &Origin, now: Timestamp) -> Known {
        let known = self.look_up(&origin.to_string(), |site| self.known_of(site, now));
        known.unwrap_or_else(|| Known {
            robots: Robots::Unknown(Cause::NotFetched),
            is_fresh: false,
            is_ending: false,
            next: NextRequest::default(),
        })
    }

    fn known_of(&self, site: &Site, now: Timestamp) -> Known {
        let until = site.history.ask_again_at(self.profile().outcomes());
        let settled = site.history.settled();
        let all = until
            .zip(settled)
            .map(|(until, settled)| until.as_seconds().saturating_sub(settled.as_seconds()));
        let is_ahead = settled.is_some_and(|settled| {
            settled.as_seconds().saturating_sub(now.as_seconds()) > MAX_CLOCK_ERROR
        });
        let left = until.map(|until| until.as_seconds().saturating_sub(now.as_seconds()));
        Known {
            robots: self.state(&site.history, Some(now), None),
            // What came later than now is of a clock that was wrong.
            is_fresh: left.is_some_and(|left| left > 0) && !is_ahead,
            is_ending: left
                .zip(all)
                .is_some_and(|(left, all)| left < all.div_euclid(REFRESH_PART)),
            next: site.next.clone(),
        }
    }

    /// Learns what a server answered, with what it gave for the next request. `retry` is when that may be made
    /// if this one was of no use: if it failed, or what is known now is not fresh.
    pub(crate) fn learn_answer(
        &self,
        origin: &Origin,
        fetch: &RobotsFetch<'_>,
        at: Timestamp,
        validators: &Validators,
        retry: impl FnOnce(&Known) -> Option<Retry>,
    ) {
        let is_success = fetch
            .response()
            .is_some_and(|response| response.is_success());
        self.learn_origin(origin, fetch, Some(at), |site| {
            if is_success || !validators.is_empty() {
                site.next.validators = validators.clone();
            }
            // They are of the copy, and go with it.
            if site.history.copy().is_none() {
                site.next.validators = Validators::default();
            }
            site.next.retry = retry(&self.known_of(site, at));
        });
    }

    /// Learns when a robots.txt may be asked for again, and nothing else of a request that failed.
    pub(crate) fn learn_retry(
        &self,
        origin: &Origin,
        at: Timestamp,
        retry: impl FnOnce(&Known) -> Option<Retry>,
    ) {
        self.change(origin, None, |site| {
            site.next.retry = retry(&self.known_of(site, at));
        });
    }

    /// Decides by what is known of an origin, under a state of its robots.txt.
    pub(crate) fn decide_known(
        &self,
        origin: &Origin,
        robots: &Robots,
        page: Page<'_>,
    ) -> Decision {
        let tdmrep = self.look_up(&origin.to_string(), |site| site.tdmrep.clone());
        let tdmrep = tdmrep.flatten();
        let page = match &tdmrep {
            Some(tdmrep) => page.with_tdmrep(tdmrep),
            None => page,
        };
        decide::decide(self.view(), robots, &page)
    }
}
