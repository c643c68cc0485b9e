//! The state machine of an origin's robots.txt, whose transitions are data ([`OutcomeTable`]).
//!
//! [`History::record`] takes outcomes with their times, and [`History::state`] returns the state at a time. Both take
//! constant time.

use super::logged_outcome::LoggedOutcome;
use super::outcome::{Cause, OutcomeKind};
use super::state::RobotsState;
use super::table::{FailureState, OutcomeMeaning, OutcomeTable};
use robots_meta::Timestamp;
use std::time::Duration;

/// The effect of logged outcomes under one table. `B` is the type of a body.
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
#[derive(Debug)]
#[allow(
    clippy::option_option,
    reason = "the copy of an empty file has no body, which is not the same as no copy"
)]
pub(super) struct History<'l, B> {
    /// The last good copy, which has no body if it is an empty file.
    copy: Option<Option<&'l B>>,
    /// The state while it is fresh and nothing fails: rules of the copy, or the answer that replaces it.
    answer: RobotsState<Option<&'l B>>,
    /// The time at which the copy or the answer came, or was confirmed.
    answered_at: Option<Timestamp>,
    /// The time for which the headers allow the response to be kept.
    fresh_for: Option<Duration>,
    /// The same for the response with the copy, which a deferral keeps.
    copy_fresh_for: Option<Duration>,
    failure: Option<Failure>,
}

/// An unbroken run of requests that failed.
#[derive(Debug, Clone, Copy)]
struct Failure {
    /// The time of the first request with a known time.
    since: Option<Timestamp>,
    /// The outcome of the last request.
    cause: Cause,
}

impl<'l, B> History<'l, B> {
    /// Returns a history without outcomes.
    pub(super) const fn new() -> Self {
        Self {
            copy: None,
            answer: RobotsState::Unknown(Cause::NotFetched),
            answered_at: None,
            fresh_for: None,
            copy_fresh_for: None,
            failure: None,
        }
    }

    /// Records an outcome. Its body counts if the table gives the outcome the meaning [`OutcomeMeaning::Rules`].
    pub(super) fn record(&mut self, table: &OutcomeTable, outcome: &'l LoggedOutcome<B>) {
        let (at, cause, fresh_for) = (outcome.at(), outcome.cause(), outcome.fresh_for());
        if outcome.kind == OutcomeKind::NoBody {
            // The state stays; if it is unknown, this is the new cause.
            if matches!(self.answer, RobotsState::Unknown(_)) && self.failure.is_none() {
                self.answer = RobotsState::Unknown(cause);
            }
            return;
        }
        match table.meaning(outcome.kind) {
            Some(OutcomeMeaning::Rules) => {
                self.copy = Some(outcome.body());
                self.copy_fresh_for = fresh_for;
                self.set_answer(RobotsState::Rules(outcome.body()), at, fresh_for);
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

    /// Returns the state at a time, not before that of the last outcome ([`OutcomeLog::state`](super::OutcomeLog::state)).
    pub(super) fn state(
        &self,
        table: &OutcomeTable,
        now: Option<Timestamp>,
        site_is_available: Option<bool>,
    ) -> RobotsState<Option<&'l B>> {
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

    /// Returns the time from which robots.txt should be requested again, given that of the last request
    /// ([`OutcomeLog::ask_again_at`](super::OutcomeLog::ask_again_at)).
    pub(super) fn ask_again_at(
        &self,
        table: &OutcomeTable,
        last: Option<Timestamp>,
    ) -> Option<Timestamp> {
        // The next outcome may be another one soon.
        let is_passing = self.failure.is_some()
            || matches!(self.answer, RobotsState::Defer(_) | RobotsState::Unknown(_));
        if is_passing {
            return last;
        }
        let fresh = table.fresh_seconds(self.fresh_for);
        // A time that was read from a file may be any number.
        let end = self.answered_at?.as_seconds().saturating_add(fresh);
        Some(Timestamp::from_seconds(end))
    }

    /// Returns the state during a step of a failure.
    fn state_in_step(
        &self,
        step: FailureState,
        cause: Cause,
        site_is_available: Option<bool>,
    ) -> RobotsState<Option<&'l B>> {
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
        answer: RobotsState<Option<&'l B>>,
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
pub(crate) mod model {
    //! A model of logs and their histories: the list of all events, read from the start for each question. Logs of all short
    //! sequences of events, and of random ones, agree with it.

    use super::*;
    use crate::robots::{MaxAge, OutcomeLog, RobotsFetch, RobotsResponse, Step};

    pub(in crate::robots) const HOUR: i64 = 3600;
    const DAY: i64 = 24 * HOUR;

    const STALE: RobotsState<u8> = RobotsState::Unknown(Cause::Stale);

    fn time(seconds: Option<i64>) -> Option<Timestamp> {
        seconds.map(Timestamp::from_seconds)
    }

    /// Records an event. The copy of a body is its first byte.
    fn record(log: &mut OutcomeLog<u8>, event: Event) {
        log.record(&event.kind.fetch(), time(event.at), |body| {
            body.first().copied()
        });
    }

    /// Returns the state at a time; a copy is the first byte of its body.
    fn state(
        log: &OutcomeLog<u8>,
        table: &OutcomeTable,
        now: Option<i64>,
        is_available: Option<bool>,
    ) -> RobotsState<u8> {
        let state = log.state(table, time(now), is_available);
        state.map(|copy| copy.copied().unwrap_or_default())
    }

    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    enum Kind {
        /// Status 200 with the body `A`.
        A,
        /// Status 200 with the body `B`, and headers that allow it to be kept for one hour.
        B,
        NotFound,
        Forbidden,
        TooMany,
        Failed,
        Timeout,
        Loop,
        NotModified,
    }

    const KINDS: [Kind; 9] = [
        Kind::A,
        Kind::B,
        Kind::NotFound,
        Kind::Forbidden,
        Kind::TooMany,
        Kind::Failed,
        Kind::Timeout,
        Kind::Loop,
        Kind::NotModified,
    ];

    impl Kind {
        fn fetch(self) -> RobotsFetch<'static> {
            match self {
                Self::A => RobotsFetch::Body(b"A"),
                Self::B => RobotsFetch::Response(
                    RobotsResponse::new(200, b"B").fresh_for(Duration::from_secs(3600)),
                ),
                Self::NotFound => RobotsFetch::Status(404),
                Self::Forbidden => RobotsFetch::Status(403),
                Self::TooMany => RobotsFetch::Status(429),
                Self::Failed => RobotsFetch::Status(503),
                Self::Timeout => RobotsFetch::Unreachable,
                Self::Loop => RobotsFetch::TooManyRedirects,
                Self::NotModified => RobotsFetch::Status(304),
            }
        }

        fn cause(self) -> Cause {
            match self {
                Self::A | Self::B => Cause::Status(200),
                Self::NotFound => Cause::Status(404),
                Self::Forbidden => Cause::Status(403),
                Self::TooMany => Cause::Status(429),
                Self::Failed => Cause::Status(503),
                Self::Timeout => Cause::Unreachable,
                Self::Loop => Cause::TooManyRedirects,
                Self::NotModified => Cause::Status(304),
            }
        }

        fn meaning(self, table: &OutcomeTable) -> Option<OutcomeMeaning> {
            match self {
                Self::A | Self::B => Some(OutcomeMeaning::Rules),
                Self::NotFound => Some(table.client_error()),
                Self::Forbidden => Some(table.unauthorized()),
                Self::TooMany => Some(table.too_many_requests()),
                Self::Failed => Some(table.server_error()),
                Self::Timeout => Some(table.unreachable()),
                Self::Loop => Some(table.redirects()),
                Self::NotModified => None,
            }
        }

        /// Returns the rules of a success.
        fn rules(self) -> Option<u8> {
            match self {
                Self::A => Some(b'A'),
                Self::B => Some(b'B'),
                _ => None,
            }
        }
    }

    #[derive(Debug, Clone, Copy)]
    struct Event {
        kind: Kind,
        at: Option<i64>,
    }

    struct Model<'m> {
        table: &'m OutcomeTable,
        events: &'m [Event],
    }

    /// A function with the parameter `count` considers only the first `count` events.
    impl Model<'_> {
        /// Returns the meaning of an event; `None` for a 304.
        fn meaning(&self, event: usize) -> Option<OutcomeMeaning> {
            self.events[event].kind.meaning(self.table)
        }

        /// Returns the latest time of the first `count` events.
        fn last(&self, count: usize) -> Option<i64> {
            self.events[..count]
                .iter()
                .filter_map(|event| event.at)
                .max()
        }

        /// Returns the recorded time of an event: not before that of an earlier event.
        fn recorded_time(&self, event: usize) -> Option<i64> {
            self.events[event].at.and(self.last(event + 1))
        }

        /// Returns the last good copy.
        fn copy(&self, count: usize) -> Option<u8> {
            for event in (0..count).rev() {
                match self.meaning(event) {
                    Some(OutcomeMeaning::Rules) => return self.events[event].kind.rules(),
                    Some(OutcomeMeaning::AllowAll | OutcomeMeaning::DenyAll) => return None,
                    Some(OutcomeMeaning::Defer | OutcomeMeaning::Fail) | None => {}
                }
            }
            None
        }

        /// Returns whether requests fail after the first `count` events.
        fn is_failing(&self, count: usize) -> bool {
            count > 0
                && match self.meaning(count - 1) {
                    Some(meaning) => meaning == OutcomeMeaning::Fail,
                    // A 304 confirms the copy, which ends a failure. Without a copy, the failure continues.
                    None => self.is_failing(count - 1) && self.copy(count).is_none(),
                }
        }

        /// Returns the state while it is fresh. The last event must not be a failure.
        fn fresh_state(&self, count: usize) -> RobotsState<u8> {
            if count == 0 {
                return RobotsState::Unknown(Cause::NotFetched);
            }
            let cause = self.events[count - 1].kind.cause();
            match (self.meaning(count - 1), self.copy(count)) {
                (Some(OutcomeMeaning::AllowAll), _) => RobotsState::AllowAll(cause),
                (Some(OutcomeMeaning::DenyAll), _) => RobotsState::DenyAll(cause),
                (Some(OutcomeMeaning::Defer), _) => RobotsState::Defer(cause),
                (Some(OutcomeMeaning::Fail), _) => panic!("a failure"),
                (Some(OutcomeMeaning::Rules) | None, Some(copy)) => RobotsState::Rules(copy),
                (Some(OutcomeMeaning::Rules), None) => panic!("rules without a copy"),
                // A 304 without a copy: allow all and deny all stay, and other states become unknown.
                (None, None) => match self.fresh_state(count - 1) {
                    known @ (RobotsState::AllowAll(_) | RobotsState::DenyAll(_)) => known,
                    _ => RobotsState::Unknown(cause),
                },
            }
        }

        /// Returns the number of seconds for which the last event stays fresh.
        fn fresh_seconds(&self) -> i64 {
            let by_table = i64::from(self.table.fresh_hours()) * HOUR;
            // A 304 keeps the freshness of the response that it confirms: that of the copy, or of the answer without one.
            let count = self.events.len();
            let is_response = |event: &usize| match self.meaning(*event) {
                Some(OutcomeMeaning::Rules) => true,
                Some(_) => self.copy(count).is_none(),
                None => false,
            };
            let is_confirmed = count > 0 && self.meaning(count - 1).is_none();
            let response = if is_confirmed {
                (0..count).rev().find(is_response)
            } else {
                count.checked_sub(1)
            };
            let is_b = response.is_some_and(|event| self.events[event].kind == Kind::B);
            match self.table.max_age() {
                MaxAge::Lowers if is_b => by_table.min(HOUR),
                MaxAge::Obeyed if is_b => HOUR,
                _ => by_table,
            }
        }

        fn state_while_failing(
            &self,
            now: Option<i64>,
            is_available: Option<bool>,
        ) -> RobotsState<u8> {
            let count = self.events.len();
            // The first event of the failure: after the events before it, requests do not fail.
            let mut begin = count - 1;
            while begin > 0 && self.is_failing(begin) {
                begin -= 1;
            }
            let mut since = None;
            let mut cause = self.events[begin].kind.cause();
            for event in begin..count {
                if self.meaning(event) == Some(OutcomeMeaning::Fail) {
                    since = since.or(self.recorded_time(event));
                    cause = self.events[event].kind.cause();
                }
            }
            let elapsed = since.zip(now).map_or(0, |(since, now)| now - since);
            let is_over = |step: &Step| {
                let end = step.until_hours();
                end.is_some_and(|end| elapsed >= i64::from(end) * HOUR)
            };
            let [first, second, last] = self.table.failing();
            let step = match (is_over(first), is_over(second)) {
                (false, _) => first.state(),
                (true, false) => second.state(),
                (true, true) => last.state(),
            };
            let or_copy = |state| self.copy(count).map_or(state, RobotsState::Rules);
            match step {
                FailureState::DenyAll => RobotsState::DenyAll(cause),
                FailureState::AllowAll => RobotsState::AllowAll(cause),
                FailureState::Defer => RobotsState::Defer(cause),
                FailureState::CachedOrDenyAll => or_copy(RobotsState::DenyAll(cause)),
                FailureState::CachedOrAllowAll => or_copy(RobotsState::AllowAll(cause)),
                FailureState::CachedOrDefer => or_copy(RobotsState::Defer(cause)),
                FailureState::AllowAllIfAvailable => match is_available {
                    Some(false) => RobotsState::Defer(cause),
                    Some(true) | None => RobotsState::AllowAll(cause),
                },
            }
        }

        fn state(&self, now: Option<i64>, is_available: Option<bool>) -> RobotsState<u8> {
            let count = self.events.len();
            // A time before the last event comes from a clock that was set back: it counts as that of the event.
            let now = now.map(|now| self.last(count).map_or(now, |last| now.max(last)));
            if self.is_failing(count) {
                return self.state_while_failing(now, is_available);
            }
            let state = self.fresh_state(count);
            if matches!(state, RobotsState::Unknown(_)) {
                return state;
            }
            match (self.recorded_time(count - 1), now) {
                (Some(at), Some(now)) if now - at > self.fresh_seconds() => STALE,
                _ => state,
            }
        }

        fn ask_again_at(&self) -> Option<i64> {
            let count = self.events.len();
            if self.is_failing(count) {
                return self.last(count);
            }
            match self.fresh_state(count) {
                RobotsState::Defer(_) | RobotsState::Unknown(_) => self.last(count),
                _ => self
                    .recorded_time(count - 1)
                    .map(|at| at + self.fresh_seconds()),
            }
        }
    }

    /// Compares a log with the model of its events, at some times around the last one.
    fn check(table: &OutcomeTable, log: &OutcomeLog<u8>, events: &[Event]) {
        let model = Model { table, events };
        let end = events.last().and_then(|event| event.at).unwrap_or(0);
        // Tables have limits of 12 hours, 24 hours and 30 days.
        for (now, is_available) in [
            (None, None),
            (Some(end), None),
            (Some(end + 12 * HOUR), Some(true)),
            (Some(end + DAY + 1), None),
            (Some(end + 31 * DAY), Some(false)),
        ] {
            let state = state(log, table, now, is_available);
            let expected = model.state(now, is_available);
            assert_eq!(state, expected, "{table:?} {events:?} at {now:?}");
            check_promises(&model, now, state);
        }
        let asked = log.ask_again_at(table).map(Timestamp::as_seconds);
        assert_eq!(asked, model.ask_again_at(), "{table:?} {events:?}");
    }

    /// Checks properties of every log without the states of the model. So it also finds errors that the log and the model
    /// share.
    fn check_promises(model: &Model<'_>, now: Option<i64>, state: RobotsState<u8>) {
        let Model { table, events } = model;
        let count = events.len();
        if let RobotsState::Rules(rules) = state {
            let last = events.iter().rev().find_map(|event| event.kind.rules());
            assert_eq!(Some(rules), last, "not of the last success: {events:?}");
        }
        if **table == OutcomeTable::GOOGLE {
            let denies = matches!(state, RobotsState::DenyAll(_));
            assert!(!denies, "Google denies: {events:?}");
        }
        let fails = |event: &Event| matches!(event.kind, Kind::Failed | Kind::Timeout);
        if **table == OutcomeTable::RFC9309 && events.last().is_some_and(fails) {
            // The failure began at the first event or later, and denies for 30 days.
            let begin = events.iter().find_map(|event| event.at);
            let now = now.map(|now| model.last(count).map_or(now, |last| last.max(now)));
            let elapsed = begin.zip(now).map_or(0, |(begin, now)| now - begin);
            let denies = matches!(state, RobotsState::DenyAll(_));
            assert!(denies || elapsed >= 30 * DAY, "RFC 9309 allows: {events:?}");
        }
    }

    /// Checks that jumps of the clock do not end a denial under RFC 9309: if it applies at a late time, it applies at earlier
    /// ones, too.
    fn check_jumps_back(table: &OutcomeTable, log: &OutcomeLog<u8>, events: &[Event]) {
        let denies = |now| {
            let state = state(log, table, Some(now), None);
            matches!(state, RobotsState::DenyAll(_))
        };
        let end = events.last().and_then(|event| event.at).unwrap_or(0);
        // Nearly the end of a denial of 30 days.
        let later = end + 29 * DAY;
        if denies(later) {
            for back in [HOUR, 13 * HOUR, DAY, 31 * DAY] {
                assert!(denies(later - back), "{events:?}");
            }
        }
    }

    /// Checks every sequence of up to `more` further events, each after one of the waits.
    fn walk(
        table: &OutcomeTable,
        log: &OutcomeLog<u8>,
        events: &mut Vec<Event>,
        more: usize,
        waits: &[i64],
    ) {
        check(table, log, events);
        if *table == OutcomeTable::RFC9309 {
            check_jumps_back(table, log, events);
        }
        if more == 0 {
            return;
        }
        let begin = events.last().and_then(|event| event.at).unwrap_or(0);
        for kind in KINDS {
            for wait in waits {
                let at = Some(begin + wait);
                let (mut next, event) = (log.clone(), Event { kind, at });
                record(&mut next, event);
                events.push(event);
                walk(table, &next, events, more - 1, waits);
                events.pop();
            }
        }
    }

    /// A table that is not of an engine. It has the kinds of steps that the engines' tables lack.
    const OTHER: OutcomeTable = OutcomeTable::RFC9309
        .with_unauthorized(OutcomeMeaning::Fail)
        .with_too_many_requests(OutcomeMeaning::Defer)
        .with_redirects(OutcomeMeaning::DenyAll)
        .with_fresh_hours(2)
        .with_max_age(MaxAge::Obeyed)
        .with_failing([
            Step::new(Some(1), FailureState::CachedOrDefer),
            Step::new(Some(48), FailureState::CachedOrDenyAll),
            Step::new(None, FailureState::CachedOrAllowAll),
        ]);

    const TABLES: [OutcomeTable; 10] = [
        OutcomeTable::RFC9309,
        OutcomeTable::GOOGLE,
        OutcomeTable::BING,
        OutcomeTable::YANDEX,
        OutcomeTable::BAIDU,
        OutcomeTable::KOSTER_1996,
        OutcomeTable::WWW_ROBOT_RULES,
        OutcomeTable::NUTCH,
        OutcomeTable::AMAZON,
        OTHER,
    ];

    /// The waits before an event, in seconds: none, an hour, a little more than the limits of tables (12 hours, 24 hours, 30
    /// days), and an hour back.
    pub(in crate::robots) const WAITS: [i64; 6] = [0, HOUR, 13 * HOUR, 25 * HOUR, 31 * DAY, -HOUR];

    #[test]
    fn three_events_at_any_times() {
        for table in [OutcomeTable::RFC9309, OutcomeTable::GOOGLE, OTHER] {
            walk(&table, &OutcomeLog::new(), &mut Vec::new(), 3, &WAITS);
        }
    }

    #[test]
    fn two_events_at_any_times_under_every_table() {
        for table in TABLES {
            walk(&table, &OutcomeLog::new(), &mut Vec::new(), 2, &WAITS);
        }
    }

    #[test]
    fn five_events_at_regular_times() {
        for table in [OutcomeTable::RFC9309, OutcomeTable::GOOGLE, OTHER] {
            walk(&table, &OutcomeLog::new(), &mut Vec::new(), 5, &[13 * HOUR]);
        }
        for table in TABLES {
            walk(&table, &OutcomeLog::new(), &mut Vec::new(), 3, &[13 * HOUR]);
        }
    }

    /// Pseudo-random numbers, the same in each run (Marsaglia's xorshift of 32 bits).
    pub(in crate::robots) struct Random(pub(in crate::robots) u32);

    impl Random {
        pub(in crate::robots) fn below(&mut self, limit: usize) -> usize {
            self.0 ^= self.0 << 13;
            self.0 ^= self.0 >> 17;
            self.0 ^= self.0 << 5;
            usize::try_from(self.0).unwrap() % limit
        }
    }

    #[test]
    fn random_events() {
        let mut random = Random(0x9E37_79B9);
        for _ in 0..5_000 {
            let table = TABLES[random.below(TABLES.len())];
            let mut log = OutcomeLog::new();
            let mut events = Vec::new();
            let mut clock = 0;
            for _ in 0..4 + random.below(9) {
                let kind = KINDS[random.below(KINDS.len())];
                clock += WAITS[random.below(WAITS.len())];
                let at = (random.below(8) > 0).then_some(clock);
                let event = Event { kind, at };
                record(&mut log, event);
                events.push(event);
                check(&table, &log, &events);
            }
        }
    }
}
