//! The state machine of an origin's robots.txt, whose transitions are data ([`OutcomeTable`]).
//!
//! [`History::record`] takes outcomes with their times, and [`History::state`] returns the state at a time. Both take
//! constant time.

use super::outcome::{Cause, OutcomeKind};
use super::state::RobotsState;
use super::table::{FailureState, OutcomeMeaning, OutcomeTable};
use robots_meta::Timestamp;
use std::time::Duration;

/// The effect of the outcomes of the requests for a robots.txt under one table. `R` refers to a copy of robots.txt.
///
/// A history has the last good copy, the answer that replaces it (404: there is no robots.txt), and the start of the
/// present run of failed requests. Such a run is a failure. It has steps, each with a state ([`OutcomeTable::failing`]).
/// The effect of an outcome depends on its meaning in the [`OutcomeTable`]:
///
/// | meaning of the outcome | copy | failure | state |
/// | --- | --- | --- | --- |
/// | rules | replaced | ends | rules of the copy, while fresh |
/// | allow all, or deny all | removed | ends | allow all, or deny all, while fresh |
/// | defer | kept | ends | defer, while fresh |
/// | fail | kept | begins or continues | by the step of the failure |
/// | 304 with a copy | kept | ends | rules of the copy, while fresh |
/// | 304 without a copy, during a failure | | continues | by the step of the failure |
/// | 304 without a copy or a failure | | | allow all and deny all are fresh again; others become unknown |
/// | success without its body | kept | continues | as before |
///
/// An empty cell means no change. A state that is not fresh is unknown. The steps of a failure use a copy of any age
/// (RFC 9309, 2.4).
///
/// Clocks may go back. [`record`](Self::record) and [`state`](Self::state) replace a time before the latest outcome with
/// the time of that outcome. So a later outcome never undoes a step of a failure.
#[derive(Debug, Clone)]
pub(super) struct History<R> {
    /// The last good copy.
    copy: Option<R>,
    /// The state while it is fresh and nothing fails: rules of the copy, or the answer that replaces it.
    answer: RobotsState<R>,
    /// The time at which the copy or the answer came, or was confirmed.
    answered_at: Option<Timestamp>,
    /// The time for which the headers allow the response to be kept.
    fresh_for: Option<Duration>,
    /// The same for the response with the copy, which a deferral keeps.
    copy_fresh_for: Option<Duration>,
    failure: Option<Failure>,
    /// The latest time of a recorded outcome.
    last: Option<Timestamp>,
}

/// An unbroken run of requests that failed.
#[derive(Debug, Clone, Copy)]
struct Failure {
    /// The time of the first request with a known time.
    since: Option<Timestamp>,
    /// The outcome of the last request.
    cause: Cause,
}

impl<R: Copy> History<R> {
    /// Returns a history without outcomes.
    pub(super) const fn new() -> Self {
        Self {
            copy: None,
            answer: RobotsState::Unknown(Cause::NotFetched),
            answered_at: None,
            fresh_for: None,
            copy_fresh_for: None,
            failure: None,
            last: None,
        }
    }

    /// Records the outcome of a request, given its kind and cause. `copy` is its body, which counts if the table gives the
    /// outcome the meaning [`OutcomeMeaning::Rules`].
    ///
    /// An outcome without a time never becomes stale. A failure in which no outcome has a time stays in its first step.
    pub(super) fn record(
        &mut self,
        table: &OutcomeTable,
        (kind, cause): (OutcomeKind, Cause),
        at: Option<Timestamp>,
        fresh_for: Option<Duration>,
        copy: R,
    ) {
        let at = self.not_before_last(at);
        self.last = at.or(self.last);
        if kind == OutcomeKind::NoBody {
            // The state stays; if it is unknown, this is the new cause.
            if matches!(self.answer, RobotsState::Unknown(_)) && self.failure.is_none() {
                self.answer = RobotsState::Unknown(cause);
            }
            return;
        }
        match table.meaning(kind) {
            Some(OutcomeMeaning::Rules) => {
                self.copy = Some(copy);
                self.copy_fresh_for = fresh_for;
                self.set_answer(RobotsState::Rules(copy), at, fresh_for);
            }
            Some(OutcomeMeaning::AllowAll) => {
                self.copy = None;
                self.set_answer(RobotsState::AllowAll(cause), at, fresh_for);
            }
            Some(OutcomeMeaning::DenyAll) => {
                self.copy = None;
                self.set_answer(RobotsState::DenyAll(cause), at, fresh_for);
            }
            Some(OutcomeMeaning::Defer) => {
                self.set_answer(RobotsState::Defer(cause), at, fresh_for);
            }
            Some(OutcomeMeaning::Fail) => {
                let since = self.failure.and_then(|failure| failure.since).or(at);
                self.failure = Some(Failure { since, cause });
            }
            // 304: the other kinds without a meaning have returned above.
            None => self.confirm(cause, at, fresh_for),
        }
    }

    /// Returns the state at a time.
    ///
    /// Without a time, nothing is stale, and a failure is in its first step. Only
    /// [`FailureState::AllowAllIfAvailable`] depends on whether the rest of the site is available; `None` counts as
    /// available.
    pub(super) fn state(
        &self,
        table: &OutcomeTable,
        now: Option<Timestamp>,
        site_is_available: Option<bool>,
    ) -> RobotsState<R> {
        let now = self.not_before_last(now);
        if let Some(failure) = self.failure {
            let elapsed = seconds_between(failure.since, now);
            return self.state_in_step(
                table.failing_after(elapsed),
                failure.cause,
                site_is_available,
            );
        }
        let age = seconds_between(self.answered_at, now);
        if self.answer.is_known() && age > table.fresh_seconds(self.fresh_for) {
            return RobotsState::Unknown(Cause::Stale);
        }
        self.answer
    }

    /// Returns the time from which robots.txt should be requested again ([`OutcomeLog::ask_again_at`](super::OutcomeLog::ask_again_at)).
    pub(super) fn ask_again_at(&self, table: &OutcomeTable) -> Option<Timestamp> {
        if self.is_passing() {
            self.last
        } else {
            self.fresh_until(table)
        }
    }

    /// Returns the last second at which the state is fresh; `None` after a failure or a deferral, and if the state or its time
    /// is not known.
    pub(super) fn fresh_until(&self, table: &OutcomeTable) -> Option<Timestamp> {
        let at = self.answered_at.filter(|_| !self.is_passing())?;
        let fresh = table.fresh_seconds(self.fresh_for);
        // A time that was read from a file may be any number.
        Some(Timestamp::from_seconds(
            at.as_seconds().saturating_add(fresh),
        ))
    }

    /// Returns whether the next outcome may be another one soon: after a failure or a deferral, and if the state is unknown.
    fn is_passing(&self) -> bool {
        self.failure.is_some()
            || matches!(self.answer, RobotsState::Defer(_) | RobotsState::Unknown(_))
    }

    /// Returns the last good copy, whether it applies or not.
    pub(super) fn copy(&self) -> Option<R> {
        self.copy
    }

    /// Returns the time of the last outcome that was not a failure.
    pub(super) fn answered_at(&self) -> Option<Timestamp> {
        self.answered_at
    }

    /// Returns the state during a step of a failure.
    fn state_in_step(
        &self,
        step: FailureState,
        cause: Cause,
        site_is_available: Option<bool>,
    ) -> RobotsState<R> {
        match (step, self.copy) {
            (
                FailureState::CachedOrAllowAll
                | FailureState::CachedOrDenyAll
                | FailureState::CachedOrDefer,
                Some(copy),
            ) => RobotsState::Rules(copy),
            (FailureState::AllowAll | FailureState::CachedOrAllowAll, _) => {
                RobotsState::AllowAll(cause)
            }
            (FailureState::DenyAll | FailureState::CachedOrDenyAll, _) => {
                RobotsState::DenyAll(cause)
            }
            (FailureState::Defer | FailureState::CachedOrDefer, _) => RobotsState::Defer(cause),
            (FailureState::AllowAllIfAvailable, _) if site_is_available == Some(false) => {
                RobotsState::Defer(cause)
            }
            (FailureState::AllowAllIfAvailable, _) => RobotsState::AllowAll(cause),
        }
    }

    /// Sets the answer, and ends a failure.
    fn set_answer(
        &mut self,
        answer: RobotsState<R>,
        at: Option<Timestamp>,
        fresh_for: Option<Duration>,
    ) {
        self.answer = answer;
        self.answered_at = at;
        self.fresh_for = fresh_for;
        self.failure = None;
    }

    /// Confirms the present state after a 304. Its headers replace those of the response that it confirms, and the headers
    /// that it lacks stay. So the state stays fresh for the time that they allow (RFC 9110, 15.4.5; RFC 9111, 4.3.4).
    fn confirm(&mut self, cause: Cause, at: Option<Timestamp>, fresh_for: Option<Duration>) {
        let (answer, stored) = match (self.copy, self.failure, self.answer) {
            (Some(copy), _, _) => (RobotsState::Rules(copy), self.copy_fresh_for),
            // It confirms a copy that is not available, so the failure continues.
            (None, Some(_), _) => return,
            (None, None, answer @ (RobotsState::AllowAll(_) | RobotsState::DenyAll(_))) => {
                (answer, self.fresh_for)
            }
            (None, None, _) => (RobotsState::Unknown(cause), None),
        };
        let fresh_for = fresh_for.or(stored);
        if self.copy.is_some() {
            self.copy_fresh_for = fresh_for;
        }
        self.set_answer(answer, at, fresh_for);
    }

    /// Returns a time, or that of the last outcome if it is later.
    fn not_before_last(&self, time: Option<Timestamp>) -> Option<Timestamp> {
        time.map(|time| self.last.map_or(time, |last| last.max(time)))
    }
}

/// Returns the seconds from one time to a later one; 0 if a time is not known, or the second is not later.
fn seconds_between(from: Option<Timestamp>, to: Option<Timestamp>) -> i64 {
    match (from, to) {
        // Times that were read from a file may be any numbers.
        (Some(from), Some(to)) => to.as_seconds().saturating_sub(from.as_seconds()).max(0),
        _ => 0,
    }
}

#[cfg(test)]
mod model;
