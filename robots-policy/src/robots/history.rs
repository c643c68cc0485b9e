//! The history of an origin's robots.txt: a state machine whose transitions are data ([`OutcomeTable`]).
//!
//! [`History::record`] takes outcomes with their times, and [`History::state`] returns the state at a time. Both take
//! constant time, except for the compilation of a body. A history has no clock and makes no requests.

use super::outcome::{Cause, OutcomeKind, RobotsFetch};
use super::table::{FailureState, OutcomeMeaning, OutcomeTable};
use robots_meta::Timestamp;
use std::time::Duration;

/// The state of an origin's robots.txt at a time. `R` is the type of a history's copy ([`History`]).
#[derive(Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum HistoryState<'h, R> {
    /// There are rules.
    Rules(&'h R),
    /// Everything may be fetched.
    AllowAll(Cause),
    /// Nothing may be fetched.
    DenyAll(Cause),
    /// Nothing may be fetched now; request robots.txt again.
    Defer(Cause),
    /// The rules are not known, or out of date.
    Unknown(Cause),
}

// Derived, they would ask the same of the copy, which is only borrowed.
impl<R> Clone for HistoryState<'_, R> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<R> Copy for HistoryState<'_, R> {}

impl<R> HistoryState<'_, R> {
    /// Returns the same state without the copy, which it no longer borrows.
    pub fn without_copy(&self) -> HistoryState<'static, ()> {
        match *self {
            Self::Rules(_) => HistoryState::Rules(&()),
            Self::AllowAll(cause) => HistoryState::AllowAll(cause),
            Self::DenyAll(cause) => HistoryState::DenyAll(cause),
            Self::Defer(cause) => HistoryState::Defer(cause),
            Self::Unknown(cause) => HistoryState::Unknown(cause),
        }
    }

    /// Returns whether there is a state: it is not [`Unknown`](Self::Unknown).
    pub fn is_known(&self) -> bool {
        !matches!(self, Self::Unknown(_))
    }
}

/// The outcomes of the requests for an origin's robots.txt, in constant space. `R` is the type of the copy of
/// robots.txt, such as compiled rules or the bytes of the body.
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
/// | no request | kept | continues | as before |
///
/// An empty cell means no change. A state that is not fresh is unknown. The steps of a failure use a copy of any age
/// (RFC 9309, 2.4).
///
/// Clocks may go back. [`record`](Self::record) and [`state`](Self::state) replace a time before the latest outcome with
/// the time of that outcome. So a later outcome never undoes a step of a failure.
///
/// ```
/// use robots_policy::robots_meta::Timestamp;
/// use robots_policy::RobotsFetch;
/// use robots_policy::robots::{History, OutcomeTable, HistoryState};
///
/// let table = OutcomeTable::GOOGLE;
/// let hour = |hours: i64| Some(Timestamp::from_seconds(hours * 3600));
/// let mut history = History::new();
/// history.record(&table, &RobotsFetch::Body(b"Disallow: /a"), hour(0), <[u8]>::len);
/// history.record(&table, &RobotsFetch::Status(503), hour(20), <[u8]>::len);
///
/// // Google stops for twelve hours, and then uses its last good copy.
/// assert!(matches!(history.state(&table, hour(21), None), HistoryState::Defer(_)));
/// assert!(matches!(history.state(&table, hour(40), None), HistoryState::Rules(12)));
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct History<R> {
    /// The last good copy.
    copy: Option<R>,
    /// The answer that replaces the copy. If both are `None`, nothing or only failures were recorded.
    answer: Option<Answer>,
    /// The time at which the copy or the answer came, or was confirmed. The serialised form keeps the field's
    /// former name.
    #[cfg_attr(feature = "serde", serde(rename = "settled", with = "seconds"))]
    answered_at: Option<Timestamp>,
    /// The time for which the headers allow the response to be kept.
    fresh_for: Option<Duration>,
    /// The same for the response with the copy, which a deferral keeps. Records of earlier versions lack it.
    #[cfg_attr(feature = "serde", serde(default))]
    copy_fresh_for: Option<Duration>,
    failure: Option<Failure>,
    /// The latest time of a recorded outcome.
    #[cfg_attr(feature = "serde", serde(with = "seconds"))]
    last: Option<Timestamp>,
}

/// An answer without rules.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
enum Answer {
    AllowAll(Cause),
    DenyAll(Cause),
    Defer(Cause),
    Unknown(Cause),
}

impl Answer {
    fn state<'h, R>(self) -> HistoryState<'h, R> {
        match self {
            Self::AllowAll(cause) => HistoryState::AllowAll(cause),
            Self::DenyAll(cause) => HistoryState::DenyAll(cause),
            Self::Defer(cause) => HistoryState::Defer(cause),
            Self::Unknown(cause) => HistoryState::Unknown(cause),
        }
    }
}

/// An unbroken run of requests that failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
struct Failure {
    /// The time of the first request with a known time.
    #[cfg_attr(feature = "serde", serde(with = "seconds"))]
    since: Option<Timestamp>,
    /// The outcome of the last request.
    cause: Cause,
}

impl<R> History<R> {
    /// Returns a history without outcomes.
    pub const fn new() -> Self {
        Self {
            copy: None,
            answer: None,
            answered_at: None,
            fresh_for: None,
            copy_fresh_for: None,
            failure: None,
            last: None,
        }
    }

    /// Returns the last good copy, whether it applies or not.
    pub fn copy(&self) -> Option<&R> {
        self.copy.as_ref()
    }

    /// Returns the same history with another form of its copy, such as compiled rules instead of a body.
    pub fn map_copy<T>(&self, map: impl FnOnce(&R) -> T) -> History<T> {
        History {
            copy: self.copy.as_ref().map(map),
            answer: self.answer,
            answered_at: self.answered_at,
            fresh_for: self.fresh_for,
            copy_fresh_for: self.copy_fresh_for,
            failure: self.failure,
            last: self.last,
        }
    }

    /// Returns the time of the last outcome that was not a failure. A success without its body does not count, nor does
    /// a 304 without a copy during a failure.
    pub fn answered_at(&self) -> Option<Timestamp> {
        self.answered_at
    }

    /// Returns the latest time of a recorded outcome.
    pub fn last_request(&self) -> Option<Timestamp> {
        self.last
    }

    /// Records the outcome of a request. `compile` turns a body into a copy; it is called if the table gives the
    /// outcome the meaning [`OutcomeMeaning::Rules`].
    ///
    /// An outcome without a time never becomes stale. A failure in which no outcome has a time stays in its first step.
    pub fn record(
        &mut self,
        table: &OutcomeTable,
        fetch: &RobotsFetch<'_>,
        at: Option<Timestamp>,
        compile: impl FnOnce(&[u8]) -> R,
    ) {
        let response = fetch.response();
        let fresh_for = response.and_then(|response| response.freshness());
        self.record_kind(table, fetch.kind(), at, fresh_for, || {
            compile(response.map_or(&b""[..], |response| response.body()))
        });
    }

    /// Records the outcome of a request, given its kind and cause. `copy` returns the copy of its body.
    pub(super) fn record_kind(
        &mut self,
        table: &OutcomeTable,
        (kind, cause): (OutcomeKind, Cause),
        at: Option<Timestamp>,
        fresh_for: Option<Duration>,
        copy: impl FnOnce() -> R,
    ) {
        if kind == OutcomeKind::NotFetched {
            return;
        }
        let at = self.not_before_last(at);
        self.last = at.or(self.last);
        if kind == OutcomeKind::NoBody {
            self.record_missing_body(cause);
            return;
        }
        match table.meaning(kind) {
            Some(OutcomeMeaning::Rules) => {
                self.copy = Some(copy());
                self.copy_fresh_for = fresh_for;
                self.set_answer(None, at, fresh_for);
            }
            Some(OutcomeMeaning::AllowAll) => {
                self.copy = None;
                self.set_answer(Some(Answer::AllowAll(cause)), at, fresh_for);
            }
            Some(OutcomeMeaning::DenyAll) => {
                self.copy = None;
                self.set_answer(Some(Answer::DenyAll(cause)), at, fresh_for);
            }
            Some(OutcomeMeaning::Defer) => {
                self.set_answer(Some(Answer::Defer(cause)), at, fresh_for);
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
    pub fn state(
        &self,
        table: &OutcomeTable,
        now: Option<Timestamp>,
        site_is_available: Option<bool>,
    ) -> HistoryState<'_, R> {
        let now = self.not_before_last(now);
        if let Some(failure) = self.failure {
            let elapsed = seconds_between(failure.since, now);
            return self.state_in_step(
                table.failing_after(elapsed),
                failure.cause,
                site_is_available,
            );
        }
        let state = match (self.answer, &self.copy) {
            (Some(answer), _) => answer.state(),
            (None, Some(copy)) => HistoryState::Rules(copy),
            (None, None) => HistoryState::Unknown(Cause::NotFetched),
        };
        let age = seconds_between(self.answered_at, now);
        if state.is_known() && age > table.fresh_seconds(self.fresh_for) {
            return HistoryState::Unknown(Cause::Stale);
        }
        state
    }

    /// Returns the time from which robots.txt should be requested again; `None` if no time is known or no
    /// outcome was recorded.
    ///
    /// For rules, and where all is allowed or denied, it is the last second at which the state is fresh. After a failure or
    /// a deferral, or if the state is unknown, it is the time of the last request; the caller decides how long to wait.
    pub fn ask_again_at(&self, table: &OutcomeTable) -> Option<Timestamp> {
        if self.is_passing() {
            self.last
        } else {
            self.fresh_until(table)
        }
    }

    /// Returns the last second at which the state is fresh; `None` after a failure or a deferral, and if the state or its time
    /// is not known.
    pub fn fresh_until(&self, table: &OutcomeTable) -> Option<Timestamp> {
        if self.is_passing() {
            return None;
        }
        let fresh = table.fresh_seconds(self.fresh_for);
        self.answered_at.map(|answered_at| {
            Timestamp::from_seconds(answered_at.as_seconds().saturating_add(fresh))
        })
    }

    /// Returns whether the next outcome may be another one soon: after a failure or a deferral, and if the state is unknown.
    fn is_passing(&self) -> bool {
        self.failure.is_some() || matches!(self.answer, Some(Answer::Defer(_) | Answer::Unknown(_)))
    }

    /// Returns the state during a step of a failure.
    fn state_in_step(
        &self,
        step: FailureState,
        cause: Cause,
        site_is_available: Option<bool>,
    ) -> HistoryState<'_, R> {
        match (step, &self.copy) {
            (
                FailureState::CachedOrAllowAll
                | FailureState::CachedOrDenyAll
                | FailureState::CachedOrDefer,
                Some(copy),
            ) => HistoryState::Rules(copy),
            (FailureState::AllowAll | FailureState::CachedOrAllowAll, _) => {
                HistoryState::AllowAll(cause)
            }
            (FailureState::DenyAll | FailureState::CachedOrDenyAll, _) => {
                HistoryState::DenyAll(cause)
            }
            (FailureState::Defer | FailureState::CachedOrDefer, _) => HistoryState::Defer(cause),
            (FailureState::AllowAllIfAvailable, _) => {
                if site_is_available == Some(false) {
                    HistoryState::Defer(cause)
                } else {
                    HistoryState::AllowAll(cause)
                }
            }
        }
    }

    /// Sets the answer that replaces the copy, or `None` for the copy itself, and ends a failure.
    fn set_answer(
        &mut self,
        answer: Option<Answer>,
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
        let (answer, stored) = match (&self.copy, self.failure, self.answer) {
            (Some(_), _, _) => (None, self.copy_fresh_for),
            // It confirms a copy that is not available, so the failure continues.
            (None, Some(_), _) => return,
            (None, None, Some(answer @ (Answer::AllowAll(_) | Answer::DenyAll(_)))) => {
                (Some(answer), self.fresh_for)
            }
            (None, None, _) => (Some(Answer::Unknown(cause)), None),
        };
        let fresh_for = fresh_for.or(stored);
        if self.copy.is_some() {
            self.copy_fresh_for = fresh_for;
        }
        self.set_answer(answer, at, fresh_for);
    }

    /// Keeps the present state; if it is unknown, records the new cause.
    fn record_missing_body(&mut self, cause: Cause) {
        let is_known = self.copy.is_some() || self.failure.is_some();
        if !is_known && matches!(self.answer, None | Some(Answer::Unknown(_))) {
            self.answer = Some(Answer::Unknown(cause));
        }
    }

    /// Returns a time, or that of the last outcome if it is later.
    fn not_before_last(&self, time: Option<Timestamp>) -> Option<Timestamp> {
        time.map(|time| self.last.map_or(time, |last| last.max(time)))
    }
}

impl<R> Default for History<R> {
    fn default() -> Self {
        Self::new()
    }
}

/// The serialised form of times: seconds since 1970.
#[cfg(feature = "serde")]
pub(super) mod seconds {
    use robots_meta::Timestamp;
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    #[expect(clippy::ref_option, reason = "serde calls it with a reference")]
    pub(in crate::robots) fn serialize<S: Serializer>(
        time: &Option<Timestamp>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        time.map(Timestamp::as_seconds).serialize(serializer)
    }

    pub(in crate::robots) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Option<Timestamp>, D::Error> {
        let seconds = Option::deserialize(deserializer)?;
        Ok(seconds.map(Timestamp::from_seconds))
    }
}

/// Returns the seconds from one time to a later one; 0 if a time is not known, or the second is not later.
fn seconds_between(from: Option<Timestamp>, to: Option<Timestamp>) -> i64 {
    match (from, to) {
        (Some(from), Some(to)) => to.as_seconds().saturating_sub(from.as_seconds()).max(0),
        _ => 0,
    }
}

#[cfg(test)]
mod model;
