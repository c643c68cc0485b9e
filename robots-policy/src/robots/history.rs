//! What is known of an origin's robots.txt over time: a machine whose moves are data
//! ([`OutcomeTable`]).
//!
//! It has no clock and asks nobody: outcomes go in with their times ([`History::record`]), and what
//! holds at a time comes out ([`History::state`]). Both take constant time.

use super::outcome::{Cause, Outcome, RobotsFetch};
use super::table::{Failing, OutcomeTable, Then};
use robots_meta::Timestamp;
use std::time::Duration;

/// What holds for an origin at a time. `R` is what a body becomes.
#[derive(Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum State<'h, R> {
    /// There are rules.
    Rules(&'h R),
    /// Everything may be fetched.
    AllowAll(Cause),
    /// Nothing may be fetched.
    DenyAll(Cause),
    /// Nothing may be fetched now; robots.txt is to be asked for again.
    Defer(Cause),
    /// Nothing is known, or not any more.
    Unknown(Cause),
}

/// What is known of an origin's robots.txt over time. `R` is what a body becomes: compiled rules.
///
/// Three things are kept: the last good copy, the answer that holds in its place (404: there is no
/// robots.txt), and since when requests fail. What they mean is asked of the table each time:
///
/// | outcome, by the table | the copy | the failure | what holds |
/// | --- | --- | --- | --- |
/// | rules | is replaced | ends | the copy, while fresh |
/// | all is allowed, or denied | is dropped | ends | that, while fresh |
/// | defer | stays | ends | that, while fresh |
/// | fail | stays | begins, or goes on | by the steps of the failure |
/// | 304, and there is a copy | stays | ends | the copy, while fresh |
/// | 304, and there is none | | goes on | what held, fresh again |
/// | a success without its body | stays | goes on | what held; or unknown |
/// | no request was made | stays | goes on | what held |
///
/// Where 304 finds no copy, no failure, and nothing allowed or denied, it leaves the state unknown.
/// What is not fresh any more is unknown, too. While requests fail nothing goes stale: a copy of
/// any age counts where the step says so (RFC 9309, 2.4).
///
/// Clocks jump: an outcome with a time before that of an earlier one is taken to have come at the
/// time of that one, and so is a question. So what was recorded never takes back a step of a
/// failure.
///
/// ```
/// use robots_policy::robots_meta::Timestamp;
/// use robots_policy::RobotsFetch;
/// use robots_policy::robots::{History, OutcomeTable, State};
///
/// let table = OutcomeTable::GOOGLE;
/// let hour = |hours: i64| Some(Timestamp::from_seconds(hours * 3600));
/// let mut history = History::new();
/// history.record(&table, &RobotsFetch::Body(b"Disallow: /a"), hour(0), <[u8]>::len);
/// history.record(&table, &RobotsFetch::Status(503), hour(20), <[u8]>::len);
///
/// // Google stops for twelve hours, and then goes by its last good copy.
/// assert!(matches!(history.state(&table, hour(21), None), State::Defer(_)));
/// assert!(matches!(history.state(&table, hour(40), None), State::Rules(12)));
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct History<R> {
    /// The last good copy.
    copy: Option<R>,
    /// What holds in place of the copy. With neither, nothing was recorded but failures.
    answer: Option<Answer>,
    /// When the copy or the answer in its place came, or was confirmed.
    #[cfg_attr(feature = "serde", serde(with = "seconds"))]
    settled: Option<Timestamp>,
    /// The time for which its headers allow it to be kept.
    fresh_for: Option<Duration>,
    failure: Option<Failure>,
    /// The latest time of all that was recorded.
    #[cfg_attr(feature = "serde", serde(with = "seconds"))]
    last: Option<Timestamp>,
}

/// An answer that is no rules.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
enum Answer {
    AllowAll(Cause),
    DenyAll(Cause),
    Defer(Cause),
    Unknown(Cause),
}

impl Answer {
    fn state<'h, R>(self) -> State<'h, R> {
        match self {
            Self::AllowAll(cause) => State::AllowAll(cause),
            Self::DenyAll(cause) => State::DenyAll(cause),
            Self::Defer(cause) => State::Defer(cause),
            Self::Unknown(cause) => State::Unknown(cause),
        }
    }
}

/// An unbroken run of requests that failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
struct Failure {
    /// The time of the first of them that has one.
    #[cfg_attr(feature = "serde", serde(with = "seconds"))]
    since: Option<Timestamp>,
    /// What became of the last one.
    cause: Cause,
}

impl<R> History<R> {
    /// Nothing is known, as nobody asked.
    pub const fn new() -> Self {
        Self {
            copy: None,
            answer: None,
            settled: None,
            fresh_for: None,
            failure: None,
            last: None,
        }
    }

    /// Returns the last good copy, whether it holds or not.
    pub fn copy(&self) -> Option<&R> {
        self.copy.as_ref()
    }

    /// Returns the same history with another form of its copy: compiled rules for the body of a
    /// robots.txt, for example.
    pub fn map_copy<T>(&self, map: impl FnOnce(&R) -> T) -> History<T> {
        History {
            copy: self.copy.as_ref().map(map),
            answer: self.answer,
            settled: self.settled,
            fresh_for: self.fresh_for,
            failure: self.failure,
            last: self.last,
        }
    }

    /// Returns the time at which the present state came, or was confirmed.
    pub fn settled(&self) -> Option<Timestamp> {
        self.settled
    }

    /// Records what came of a request; `compile` makes of a body what is kept of it. It is called
    /// if the table says that the body has rules.
    ///
    /// Without a time, what was recorded never goes stale, and no step of a failure passes by it.
    pub fn record(
        &mut self,
        table: &OutcomeTable,
        fetch: &RobotsFetch<'_>,
        at: Option<Timestamp>,
        compile: impl FnOnce(&[u8]) -> R,
    ) {
        let (outcome, cause) = fetch.outcome();
        if outcome == Outcome::NotFetched {
            return;
        }
        let at = self.not_before_last(at);
        self.last = at.or(self.last);
        let response = fetch.response();
        let fresh_for = response.and_then(|response| response.freshness());
        if outcome == Outcome::NoBody {
            self.note_missing_body(cause);
            return;
        }
        match table.then(outcome) {
            Some(Then::Rules) => {
                let body = response.map_or(&b""[..], |response| response.body());
                self.copy = Some(compile(body));
                self.settle(None, at, fresh_for);
            }
            Some(Then::AllowAll) => {
                self.copy = None;
                self.settle(Some(Answer::AllowAll(cause)), at, fresh_for);
            }
            Some(Then::DenyAll) => {
                self.copy = None;
                self.settle(Some(Answer::DenyAll(cause)), at, fresh_for);
            }
            Some(Then::Defer) => self.settle(Some(Answer::Defer(cause)), at, fresh_for),
            Some(Then::Fail) => {
                let since = self.failure.and_then(|failure| failure.since).or(at);
                self.failure = Some(Failure { since, cause });
            }
            None => self.confirm(cause, at, fresh_for),
        }
    }

    /// What holds at a time.
    ///
    /// Without a time, nothing is stale, and a failure is in its first step. Whether the rest of
    /// the site can be had matters to [`Failing::AllowAllIfAvailable`] alone; `None` is taken for
    /// yes.
    pub fn state(
        &self,
        table: &OutcomeTable,
        now: Option<Timestamp>,
        site_is_available: Option<bool>,
    ) -> State<'_, R> {
        let now = self.not_before_last(now);
        if let Some(failure) = self.failure {
            let elapsed = seconds_between(failure.since, now);
            return self.state_in(
                table.failing_after(elapsed),
                failure.cause,
                site_is_available,
            );
        }
        let state = match (self.answer, &self.copy) {
            (Some(answer), _) => answer.state(),
            (None, Some(copy)) => State::Rules(copy),
            (None, None) => State::Unknown(Cause::NotFetched),
        };
        let is_known = !matches!(state, State::Unknown(_));
        let age = seconds_between(self.settled, now);
        if is_known && age > table.fresh_seconds(self.fresh_for) {
            return State::Unknown(Cause::Stale);
        }
        state
    }

    /// The time from which on robots.txt should be asked for again; `None` if no time is known,
    /// or nothing was recorded: then at once, or whenever the caller likes.
    ///
    /// For rules, and where all is allowed or denied, it is the last second at which they are
    /// fresh. Otherwise (requests fail, or are to be made later, or 304 said nothing) it is the
    /// time of the last request, and how long to wait is for the caller to know.
    pub fn ask_again_at(&self, table: &OutcomeTable) -> Option<Timestamp> {
        match (self.failure, self.answer) {
            (Some(_), _) | (None, Some(Answer::Defer(_) | Answer::Unknown(_))) => self.last,
            (None, Some(Answer::AllowAll(_) | Answer::DenyAll(_)) | None) => {
                let fresh = table.fresh_seconds(self.fresh_for);
                self.settled.map(|settled| {
                    Timestamp::from_seconds(settled.as_seconds().saturating_add(fresh))
                })
            }
        }
    }

    /// What holds in a step of a failure.
    fn state_in(
        &self,
        step: Failing,
        cause: Cause,
        site_is_available: Option<bool>,
    ) -> State<'_, R> {
        match (step, &self.copy) {
            (
                Failing::CachedOrAllowAll | Failing::CachedOrDenyAll | Failing::CachedOrDefer,
                Some(copy),
            ) => State::Rules(copy),
            (Failing::AllowAll | Failing::CachedOrAllowAll, _) => State::AllowAll(cause),
            (Failing::DenyAll | Failing::CachedOrDenyAll, _) => State::DenyAll(cause),
            (Failing::Defer | Failing::CachedOrDefer, _) => State::Defer(cause),
            (Failing::AllowAllIfAvailable, _) => {
                if site_is_available == Some(false) {
                    State::Defer(cause)
                } else {
                    State::AllowAll(cause)
                }
            }
        }
    }

    /// The copy holds, or the answer in its place; a failure is over.
    fn settle(
        &mut self,
        answer: Option<Answer>,
        at: Option<Timestamp>,
        fresh_for: Option<Duration>,
    ) {
        self.answer = answer;
        self.settled = at;
        self.fresh_for = fresh_for;
        self.failure = None;
    }

    /// What is known is as it was: 304. Its headers are those of the answer that it stands for
    /// (RFC 9110, 15.4.5).
    fn confirm(&mut self, cause: Cause, at: Option<Timestamp>, fresh_for: Option<Duration>) {
        let answer = match (&self.copy, self.failure, self.answer) {
            (Some(_), _, _) => None,
            // It confirms a copy that is not at hand, so it tells no more than a failure.
            (None, Some(_), _) => return,
            (None, None, Some(answer @ (Answer::AllowAll(_) | Answer::DenyAll(_)))) => Some(answer),
            (None, None, _) => Some(Answer::Unknown(cause)),
        };
        self.settle(answer, at, fresh_for);
    }

    /// Leaves what is known as it is; where nothing is known, keeps the reason.
    fn note_missing_body(&mut self, cause: Cause) {
        let is_known = self.copy.is_some() || self.failure.is_some();
        if !is_known && matches!(self.answer, None | Some(Answer::Unknown(_))) {
            self.answer = Some(Answer::Unknown(cause));
        }
    }

    /// A time, but not before what was recorded last.
    fn not_before_last(&self, time: Option<Timestamp>) -> Option<Timestamp> {
        time.map(|time| self.last.map_or(time, |last| last.max(time)))
    }
}

impl<R> Default for History<R> {
    fn default() -> Self {
        Self::new()
    }
}

/// Times as seconds since 1970.
#[cfg(feature = "serde")]
mod seconds {
    use robots_meta::Timestamp;
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    #[expect(clippy::ref_option, reason = "serde calls it with a reference")]
    pub(super) fn serialize<S: Serializer>(
        time: &Option<Timestamp>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        time.map(Timestamp::as_seconds).serialize(serializer)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Option<Timestamp>, D::Error> {
        let seconds = Option::deserialize(deserializer)?;
        Ok(seconds.map(Timestamp::from_seconds))
    }
}

/// The seconds from one time to a later one; 0 if one of them is not known, or it is not later.
fn seconds_between(from: Option<Timestamp>, to: Option<Timestamp>) -> i64 {
    match (from, to) {
        (Some(from), Some(to)) => to.as_seconds().saturating_sub(from.as_seconds()).max(0),
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::robots::{MaxAge, RobotsResponse, Step};

    const HOUR: i64 = 3600;
    const DAY: i64 = 24 * HOUR;

    const A: RobotsFetch<'static> = RobotsFetch::Body(b"A");
    const B: RobotsFetch<'static> = RobotsFetch::Body(b"B");
    const NOT_MODIFIED: RobotsFetch<'static> = RobotsFetch::Status(304);
    const STALE: State<'static, u8> = State::Unknown(Cause::Stale);

    fn time(seconds: Option<i64>) -> Option<Timestamp> {
        seconds.map(Timestamp::from_seconds)
    }

    /// The rules of a body: its first byte.
    fn compile(body: &[u8]) -> u8 {
        body.first().copied().unwrap_or_default()
    }

    /// A history under a table, with times in seconds.
    struct Trial {
        table: OutcomeTable,
        history: History<u8>,
    }

    impl Trial {
        fn new(table: OutcomeTable, events: &[(i64, RobotsFetch<'_>)]) -> Self {
            let mut history = History::new();
            for (at, fetch) in events {
                history.record(&table, fetch, time(Some(*at)), compile);
            }
            Self { table, history }
        }

        fn state(&self, now: i64) -> State<'_, u8> {
            self.history.state(&self.table, time(Some(now)), None)
        }

        fn state_if_site_is_down(&self, now: i64) -> State<'_, u8> {
            self.history
                .state(&self.table, time(Some(now)), Some(false))
        }

        fn ask_again_at(&self) -> Option<i64> {
            self.history
                .ask_again_at(&self.table)
                .map(Timestamp::as_seconds)
        }
    }

    const FAILURES: [RobotsFetch<'static>; 3] = [
        RobotsFetch::Status(503),
        RobotsFetch::Status(500),
        RobotsFetch::Unreachable,
    ];

    #[test]
    fn googles_steps() {
        for failure in FAILURES.into_iter().chain([RobotsFetch::Status(429)]) {
            let (_, cause) = failure.outcome();
            let without = Trial::new(OutcomeTable::GOOGLE, &[(0, failure)]);
            let with = Trial::new(OutcomeTable::GOOGLE, &[(-20 * HOUR, A), (0, failure)]);
            for now in [0, HOUR, 12 * HOUR - 1] {
                assert_eq!(without.state(now), State::Defer(cause), "{now}");
                assert_eq!(with.state(now), State::Defer(cause), "{now}");
            }
            for now in [12 * HOUR, 13 * HOUR, 30 * DAY - 1] {
                assert_eq!(without.state(now), State::AllowAll(cause), "{now}");
                assert_eq!(with.state(now), State::Rules(&b'A'), "{now}");
            }
            for now in [30 * DAY, 31 * DAY, i64::MAX] {
                for trial in [&with, &without] {
                    assert_eq!(trial.state(now), State::AllowAll(cause), "{now}");
                    let down = trial.state_if_site_is_down(now);
                    assert_eq!(down, State::Defer(cause), "{now}");
                }
            }
        }
    }

    #[test]
    fn steps_of_rfc_9309() {
        for failure in FAILURES {
            let (_, cause) = failure.outcome();
            let without = Trial::new(OutcomeTable::RFC9309, &[(0, failure)]);
            let with = Trial::new(OutcomeTable::RFC9309, &[(-20 * HOUR, A), (0, failure)]);
            for now in [0, DAY, 30 * DAY - 1] {
                assert_eq!(without.state(now), State::DenyAll(cause), "{now}");
                assert_eq!(with.state(now), State::DenyAll(cause), "{now}");
            }
            for now in [30 * DAY, 31 * DAY, i64::MAX] {
                assert_eq!(without.state(now), State::AllowAll(cause), "{now}");
                assert_eq!(with.state(now), State::Rules(&b'A'), "{now}");
            }
        }
    }

    #[test]
    fn every_kind_of_step() {
        let (_, cause) = RobotsFetch::Unreachable.outcome();
        let copy = State::Rules(&b'A');
        for (holds, without_copy, takes_copy) in [
            (Failing::DenyAll, State::DenyAll(cause), false),
            (Failing::AllowAll, State::AllowAll(cause), false),
            (Failing::Defer, State::Defer(cause), false),
            (Failing::CachedOrAllowAll, State::AllowAll(cause), true),
            (Failing::CachedOrDenyAll, State::DenyAll(cause), true),
            (Failing::CachedOrDefer, State::Defer(cause), true),
            (Failing::AllowAllIfAvailable, State::AllowAll(cause), false),
        ] {
            let table = OutcomeTable::RFC9309.with_failing([Step::new(None, holds); 3]);
            let without = Trial::new(table, &[(0, RobotsFetch::Unreachable)]);
            assert_eq!(without.state(0), without_copy, "{holds:?}");
            let with = Trial::new(table, &[(0, A), (DAY, RobotsFetch::Unreachable)]);
            let expected = if takes_copy { &copy } else { &without_copy };
            assert_eq!(&with.state(DAY), expected, "{holds:?}");
            // A 404 leaves no copy behind.
            let gone = [
                (0, A),
                (1, RobotsFetch::Status(404)),
                (DAY, RobotsFetch::Unreachable),
            ];
            let gone = Trial::new(table, &gone);
            assert_eq!(gone.state(DAY), without_copy, "{holds:?}");
        }
    }

    #[test]
    fn what_is_fresh_and_what_is_stale() {
        for (table, fresh) in [
            (OutcomeTable::RFC9309, DAY),
            (OutcomeTable::GOOGLE, DAY),
            (OutcomeTable::BING, DAY),
            (OutcomeTable::YANDEX, DAY),
            (OutcomeTable::BAIDU, DAY),
            (OutcomeTable::KOSTER_1996, 7 * DAY),
            (OutcomeTable::WWW_ROBOT_RULES, 365 * DAY),
            (OutcomeTable::NUTCH, DAY),
        ] {
            let rules = Trial::new(table, &[(5, A)]);
            let missing = Trial::new(table, &[(5, RobotsFetch::Status(404))]);
            let all = State::AllowAll(Cause::Status(404));
            assert_eq!(rules.ask_again_at(), Some(5 + fresh));
            assert_eq!(missing.ask_again_at(), Some(5 + fresh));
            for now in [5, 5 + fresh - 1, 5 + fresh] {
                assert_eq!(rules.state(now), State::Rules(&b'A'), "{now}");
                assert_eq!(missing.state(now), all, "{now}");
            }
            for now in [5 + fresh + 1, i64::MAX] {
                assert_eq!(rules.state(now), STALE, "{now}");
                assert_eq!(missing.state(now), STALE, "{now}");
            }
        }
    }

    #[test]
    fn headers_shorten_and_lengthen() {
        let fetch = |hours: u64| {
            let response = RobotsResponse::new(200, b"A");
            RobotsFetch::Response(response.fresh_for(Duration::from_secs(hours * 3600)))
        };
        for (table, headers, fresh) in [
            (OutcomeTable::RFC9309, 1, HOUR),
            (OutcomeTable::RFC9309, 48, DAY),
            (OutcomeTable::GOOGLE, 1, HOUR),
            (OutcomeTable::GOOGLE, 48, 2 * DAY),
            (OutcomeTable::RFC9309.with_max_age(MaxAge::Ignored), 1, DAY),
        ] {
            let trial = Trial::new(table, &[(0, fetch(headers))]);
            assert_eq!(trial.state(fresh), State::Rules(&b'A'), "{headers}");
            assert_eq!(trial.state(fresh + 1), STALE, "{headers}");
            assert_eq!(trial.ask_again_at(), Some(fresh), "{headers}");
        }
    }

    #[test]
    fn not_modified_confirms_what_is_known() {
        let table = OutcomeTable::GOOGLE;
        let rules = State::Rules(&b'A');
        // A stale copy is fresh again.
        let copy = Trial::new(table, &[(0, A), (3 * DAY, NOT_MODIFIED)]);
        assert_eq!(copy.state(4 * DAY), rules);
        assert_eq!(copy.state(4 * DAY + 1), STALE);
        // For as long as the new headers say.
        let headers =
            RobotsFetch::Response(RobotsResponse::new(304, b"").fresh_for(Duration::from_secs(60)));
        let short = Trial::new(table, &[(0, A), (HOUR, headers)]);
        assert_eq!(short.state(HOUR + 60), rules);
        assert_eq!(short.state(HOUR + 61), STALE);
        // A failure ends.
        let failed = RobotsFetch::Status(503);
        let up = Trial::new(table, &[(0, A), (DAY, failed), (2 * DAY, NOT_MODIFIED)]);
        assert_eq!(up.state(2 * DAY), rules);
        assert_eq!(up.state(3 * DAY + 1), STALE);
        // And so does a deferral.
        let busy = RobotsFetch::Status(429);
        let up = Trial::new(OutcomeTable::BING, &[(0, A), (1, busy), (2, NOT_MODIFIED)]);
        assert_eq!(up.state(2), rules);
        // What is missing is still missing.
        let missing = [(0, RobotsFetch::Status(404)), (2 * DAY, NOT_MODIFIED)];
        let missing = Trial::new(table, &missing);
        assert_eq!(missing.state(3 * DAY), State::AllowAll(Cause::Status(404)));
        assert_eq!(missing.state(3 * DAY + 1), STALE);
    }

    #[test]
    fn not_modified_confirms_nothing_where_nothing_is_known() {
        let unknown = State::Unknown(Cause::Status(304));
        let table = OutcomeTable::GOOGLE;
        let alone = Trial::new(table, &[(0, NOT_MODIFIED)]);
        assert_eq!(alone.state(0), unknown);
        assert_eq!(alone.state(i64::MAX), unknown);
        assert_eq!(alone.ask_again_at(), Some(0));
        let twice = Trial::new(table, &[(0, NOT_MODIFIED), (1, NOT_MODIFIED)]);
        assert_eq!(twice.state(1), unknown);
        // A failure without a copy goes on.
        let failed = RobotsFetch::Status(503);
        let down = Trial::new(table, &[(0, failed), (HOUR, NOT_MODIFIED)]);
        assert_eq!(down.state(12 * HOUR - 1), State::Defer(Cause::Status(503)));
        assert_eq!(down.state(12 * HOUR), State::AllowAll(Cause::Status(503)));
        // A deferral is no knowledge.
        let busy = [(0, RobotsFetch::Status(429)), (1, NOT_MODIFIED)];
        assert_eq!(Trial::new(OutcomeTable::BING, &busy).state(1), unknown);
    }

    #[test]
    fn a_failure_counts_from_its_first_request() {
        let failed = RobotsFetch::Status(503);
        let timeout = RobotsFetch::Unreachable;
        let table = OutcomeTable::GOOGLE;
        let long = Trial::new(
            table,
            &[(0, failed), (6 * HOUR, failed), (11 * HOUR, timeout)],
        );
        assert_eq!(long.state(12 * HOUR - 1), State::Defer(Cause::Unreachable));
        assert_eq!(long.state(12 * HOUR), State::AllowAll(Cause::Unreachable));
        assert_eq!(long.ask_again_at(), Some(11 * HOUR));
        // What is no failure between them ends it.
        let two = Trial::new(table, &[(0, failed), (6 * HOUR, A), (11 * HOUR, timeout)]);
        assert_eq!(two.state(23 * HOUR - 1), State::Defer(Cause::Unreachable));
        assert_eq!(two.state(23 * HOUR), State::Rules(&b'A'));
        let over = Trial::new(table, &[(0, failed), (DAY, B)]);
        assert_eq!(over.state(DAY), State::Rules(&b'B'));
    }

    #[test]
    fn a_deferral_keeps_the_copy_and_asks_again() {
        let failed = RobotsFetch::Unreachable;
        let busy = RobotsFetch::Status(429);
        let trial = Trial::new(OutcomeTable::BING, &[(0, A), (HOUR, busy)]);
        assert_eq!(trial.state(HOUR), State::Defer(Cause::Status(429)));
        assert_eq!(trial.state(HOUR + DAY + 1), STALE);
        assert_eq!(trial.ask_again_at(), Some(HOUR));
        let lost = Trial::new(OutcomeTable::BING, &[(0, A), (HOUR, busy), (DAY, failed)]);
        assert_eq!(lost.state(31 * DAY), State::Rules(&b'A'));
    }

    #[test]
    fn a_body_counts_whatever_its_status_if_the_table_says_so() {
        let table = OutcomeTable::RFC9309.with_client_error(Then::Rules);
        let found = RobotsFetch::Response(RobotsResponse::new(404, b"C"));
        assert_eq!(
            Trial::new(table, &[(0, found)]).state(0),
            State::Rules(&b'C')
        );
        let empty = RobotsFetch::Status(404);
        assert_eq!(Trial::new(table, &[(0, empty)]).state(0), State::Rules(&0));
    }

    #[test]
    fn who_never_asked_knows_nothing() {
        let mut trial = Trial::new(OutcomeTable::RFC9309, &[(9, RobotsFetch::NotFetched)]);
        assert_eq!(trial.state(9), State::Unknown(Cause::NotFetched));
        assert_eq!(trial.ask_again_at(), None);
        trial.history = History::default();
        assert_eq!(trial.state(9), State::Unknown(Cause::NotFetched));
        // It changes nothing either: not even the time.
        let events = [(0, A), (9, RobotsFetch::NotFetched), (5, NOT_MODIFIED)];
        let trial = Trial::new(OutcomeTable::RFC9309, &events);
        assert_eq!(trial.state(0), State::Rules(&b'A'));
        assert_eq!(trial.ask_again_at(), Some(5 + DAY));
    }

    #[test]
    fn without_a_time_nothing_passes() {
        let table = OutcomeTable::GOOGLE;
        let end = time(Some(i64::MAX));
        let mut history = History::new();
        history.record(&table, &A, None, compile);
        assert_eq!(history.state(&table, end, None), State::Rules(&b'A'));
        assert_eq!(history.ask_again_at(&table), None);
        history.record(&table, &RobotsFetch::Unreachable, None, compile);
        let defer = State::Defer(Cause::Unreachable);
        assert_eq!(history.state(&table, end, None), defer);
        assert_eq!(history.ask_again_at(&table), None);
        // The first time that is known counts.
        history.record(&table, &RobotsFetch::Unreachable, time(Some(0)), compile);
        assert_eq!(history.state(&table, time(Some(HOUR)), None), defer);
        let rules = State::Rules(&b'A');
        assert_eq!(history.state(&table, time(Some(12 * HOUR)), None), rules);
        assert_eq!(history.state(&table, None, None), defer);
    }

    #[test]
    fn a_clock_that_jumps_takes_no_step_back() {
        let failed = RobotsFetch::Status(503);
        let table = OutcomeTable::GOOGLE;
        let all = State::AllowAll(Cause::Status(503));
        let back = Trial::new(table, &[(0, failed), (13 * HOUR, failed), (-DAY, failed)]);
        for now in [i64::MIN, -DAY, 0, HOUR, 13 * HOUR] {
            assert_eq!(back.state(now), all, "{now}");
        }
        assert_eq!(back.ask_again_at(), Some(13 * HOUR));
        // What comes after the jump is as old as what came before it.
        let rules = Trial::new(table, &[(DAY, failed), (0, A)]);
        assert_eq!(rules.state(0), State::Rules(&b'A'));
        assert_eq!(rules.state(2 * DAY), State::Rules(&b'A'));
        assert_eq!(rules.state(2 * DAY + 1), STALE);
    }

    #[test]
    fn the_ends_of_time() {
        let failed = RobotsFetch::Status(503);
        for table in [OutcomeTable::RFC9309, OutcomeTable::GOOGLE] {
            let rules = Trial::new(table, &[(i64::MIN, A)]);
            assert_eq!(rules.state(i64::MIN), State::Rules(&b'A'));
            assert_eq!(rules.state(i64::MAX), STALE);
            assert_eq!(rules.ask_again_at(), Some(i64::MIN + DAY));
            let rules = Trial::new(table, &[(i64::MAX, A)]);
            assert_eq!(rules.state(i64::MIN), State::Rules(&b'A'));
            assert_eq!(rules.ask_again_at(), Some(i64::MAX));
            let down = Trial::new(table, &[(i64::MIN, failed)]);
            let all = State::AllowAll(Cause::Status(503));
            assert_eq!(down.state(i64::MAX), all);
        }
    }

    // Histories against a model of them: the list of all events, read anew for each question.

    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    enum Kind {
        A,
        /// With headers that allow an hour.
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

        fn then(self, table: &OutcomeTable) -> Option<Then> {
            match self {
                Self::A | Self::B => Some(Then::Rules),
                Self::NotFound => Some(table.client_error()),
                Self::Forbidden => Some(table.unauthorized()),
                Self::TooMany => Some(table.too_many_requests()),
                Self::Failed => Some(table.server_error()),
                Self::Timeout => Some(table.unreachable()),
                Self::Loop => Some(table.redirects()),
                Self::NotModified => None,
            }
        }

        /// The rules of a success.
        fn rules(self) -> Option<&'static u8> {
            match self {
                Self::A => Some(&b'A'),
                Self::B => Some(&b'B'),
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

    /// A count is that of the events that are heard: the first ones.
    impl Model<'_> {
        fn then(&self, event: usize) -> Option<Then> {
            self.events[event].kind.then(self.table)
        }

        /// The latest time of the first events.
        fn last(&self, count: usize) -> Option<i64> {
            self.events[..count]
                .iter()
                .filter_map(|event| event.at)
                .max()
        }

        fn time(&self, event: usize) -> Option<i64> {
            self.events[event].at.and(self.last(event + 1))
        }

        fn copy(&self, count: usize) -> Option<&'static u8> {
            for event in (0..count).rev() {
                match self.then(event) {
                    Some(Then::Rules) => return self.events[event].kind.rules(),
                    Some(Then::AllowAll | Then::DenyAll) => return None,
                    Some(Then::Defer | Then::Fail) | None => {}
                }
            }
            None
        }

        fn is_failing(&self, count: usize) -> bool {
            count > 0
                && match self.then(count - 1) {
                    Some(then) => then == Then::Fail,
                    None => self.is_failing(count - 1) && self.copy(count).is_none(),
                }
        }

        /// What holds if it is fresh, and nothing fails.
        fn settled(&self, count: usize) -> State<'static, u8> {
            if count == 0 {
                return State::Unknown(Cause::NotFetched);
            }
            let cause = self.events[count - 1].kind.cause();
            match (self.then(count - 1), self.copy(count)) {
                (Some(Then::AllowAll), _) => State::AllowAll(cause),
                (Some(Then::DenyAll), _) => State::DenyAll(cause),
                (Some(Then::Defer), _) => State::Defer(cause),
                (Some(Then::Fail), _) => panic!("a failure"),
                (Some(Then::Rules) | None, Some(copy)) => State::Rules(copy),
                (Some(Then::Rules), None) => panic!("rules without a copy"),
                (None, None) => match self.settled(count - 1) {
                    known @ (State::AllowAll(_) | State::DenyAll(_)) => known,
                    _ => State::Unknown(cause),
                },
            }
        }

        fn fresh(&self) -> i64 {
            let own = i64::from(self.table.fresh_hours()) * HOUR;
            let is_b = self
                .events
                .last()
                .is_some_and(|event| event.kind == Kind::B);
            match self.table.max_age() {
                MaxAge::Lowers if is_b => own.min(HOUR),
                MaxAge::Obeyed if is_b => HOUR,
                _ => own,
            }
        }

        fn state_while_failing(
            &self,
            now: Option<i64>,
            is_available: Option<bool>,
        ) -> State<'static, u8> {
            let count = self.events.len();
            let mut begin = count - 1;
            while begin > 0 && self.is_failing(begin) {
                begin -= 1;
            }
            let mut since = None;
            let mut cause = self.events[begin].kind.cause();
            for event in begin..count {
                if self.then(event) == Some(Then::Fail) {
                    since = since.or(self.time(event));
                    cause = self.events[event].kind.cause();
                }
            }
            let elapsed = since.zip(now).map_or(0, |(since, now)| now - since);
            let is_over = |step: &Step| {
                let end = step.until_hours();
                end.is_some_and(|end| elapsed >= i64::from(end) * HOUR)
            };
            let [first, second, last] = self.table.failing();
            let holds = match (is_over(first), is_over(second)) {
                (false, _) => first.holds(),
                (true, false) => second.holds(),
                (true, true) => last.holds(),
            };
            let or_copy = |state| self.copy(count).map_or(state, State::Rules);
            match holds {
                Failing::DenyAll => State::DenyAll(cause),
                Failing::AllowAll => State::AllowAll(cause),
                Failing::Defer => State::Defer(cause),
                Failing::CachedOrDenyAll => or_copy(State::DenyAll(cause)),
                Failing::CachedOrAllowAll => or_copy(State::AllowAll(cause)),
                Failing::CachedOrDefer => or_copy(State::Defer(cause)),
                Failing::AllowAllIfAvailable => match is_available {
                    Some(false) => State::Defer(cause),
                    Some(true) | None => State::AllowAll(cause),
                },
            }
        }

        fn state(&self, now: Option<i64>, is_available: Option<bool>) -> State<'static, u8> {
            let count = self.events.len();
            let now = now.map(|now| self.last(count).map_or(now, |last| now.max(last)));
            if self.is_failing(count) {
                return self.state_while_failing(now, is_available);
            }
            let state = self.settled(count);
            if matches!(state, State::Unknown(_)) {
                return state;
            }
            match (self.time(count - 1), now) {
                (Some(at), Some(now)) if now - at > self.fresh() => STALE,
                _ => state,
            }
        }

        fn ask_again_at(&self) -> Option<i64> {
            let count = self.events.len();
            if self.is_failing(count) {
                return self.last(count);
            }
            match self.settled(count) {
                State::Defer(_) | State::Unknown(_) => self.last(count),
                _ => self.time(count - 1).map(|at| at + self.fresh()),
            }
        }
    }

    /// Compares a history with the model of its events, at some times around the last one.
    fn check(table: &OutcomeTable, history: &History<u8>, events: &[Event]) {
        let model = Model { table, events };
        let end = events.last().and_then(|event| event.at).unwrap_or(0);
        for (now, is_available) in [
            (None, None),
            (Some(end), None),
            (Some(end + 12 * HOUR), Some(true)),
            (Some(end + DAY + 1), None),
            (Some(end + 31 * DAY), Some(false)),
        ] {
            let state = history.state(table, time(now), is_available);
            let expected = model.state(now, is_available);
            assert_eq!(state, expected, "{table:?} {events:?} at {now:?}");
            hold_promises(&model, now, &state);
        }
        let asked = history.ask_again_at(table).map(Timestamp::as_seconds);
        assert_eq!(asked, model.ask_again_at(), "{table:?} {events:?}");
    }

    /// What holds whatever happened, said without the model's rules.
    fn hold_promises(model: &Model<'_>, now: Option<i64>, state: &State<'_, u8>) {
        let Model { table, events } = model;
        let count = events.len();
        if let State::Rules(rules) = state {
            let last = events.iter().rev().find_map(|event| event.kind.rules());
            assert_eq!(Some(*rules), last, "not of the last success: {events:?}");
        }
        if **table == OutcomeTable::GOOGLE {
            let denies = matches!(state, State::DenyAll(_));
            assert!(!denies, "Google denies: {events:?}");
        }
        let fails = |event: &Event| matches!(event.kind, Kind::Failed | Kind::Timeout);
        if **table == OutcomeTable::RFC9309 && events.last().is_some_and(fails) {
            // A failure is not older than the first event.
            let begin = events.iter().find_map(|event| event.at);
            let now = now.map(|now| model.last(count).map_or(now, |last| last.max(now)));
            let elapsed = begin.zip(now).map_or(0, |(begin, now)| now - begin);
            let denies = matches!(state, State::DenyAll(_));
            assert!(denies || elapsed >= 30 * DAY, "RFC 9309 allows: {events:?}");
        }
    }

    /// No step back: under RFC 9309, what is denied was denied at any time before.
    fn check_jumps_back(table: &OutcomeTable, history: &History<u8>, events: &[Event]) {
        let denies = |now| {
            let state = history.state(table, time(Some(now)), None);
            matches!(state, State::DenyAll(_))
        };
        let end = events.last().and_then(|event| event.at).unwrap_or(0);
        let later = end + 29 * DAY;
        if denies(later) {
            for back in [HOUR, 13 * HOUR, DAY, 31 * DAY] {
                assert!(denies(later - back), "{events:?}");
            }
        }
    }

    /// Every sequence of so many events more, each some time after the one before it.
    fn walk(
        table: &OutcomeTable,
        history: &History<u8>,
        events: &mut Vec<Event>,
        more: usize,
        waits: &[i64],
    ) {
        check(table, history, events);
        if *table == OutcomeTable::RFC9309 {
            check_jumps_back(table, history, events);
        }
        if more == 0 {
            return;
        }
        let begin = events.last().and_then(|event| event.at).unwrap_or(0);
        for kind in KINDS {
            for wait in waits {
                let at = Some(begin + wait);
                let mut next = history.clone();
                next.record(table, &kind.fetch(), time(at), compile);
                events.push(Event { kind, at });
                walk(table, &next, events, more - 1, waits);
                events.pop();
            }
        }
    }

    /// A table that no engine has, with the kinds of step that theirs lack.
    const OTHER: OutcomeTable = OutcomeTable::RFC9309
        .with_unauthorized(Then::Fail)
        .with_too_many_requests(Then::Defer)
        .with_redirects(Then::DenyAll)
        .with_fresh_hours(2)
        .with_max_age(MaxAge::Obeyed)
        .with_failing([
            Step::new(Some(1), Failing::CachedOrDefer),
            Step::new(Some(48), Failing::CachedOrDenyAll),
            Step::new(None, Failing::CachedOrAllowAll),
        ]);

    const TABLES: [OutcomeTable; 9] = [
        OutcomeTable::RFC9309,
        OutcomeTable::GOOGLE,
        OutcomeTable::BING,
        OutcomeTable::YANDEX,
        OutcomeTable::BAIDU,
        OutcomeTable::KOSTER_1996,
        OutcomeTable::WWW_ROBOT_RULES,
        OutcomeTable::NUTCH,
        OTHER,
    ];

    const WAITS: [i64; 6] = [0, HOUR, 13 * HOUR, 25 * HOUR, 31 * DAY, -HOUR];

    #[test]
    fn three_events_at_any_times() {
        for table in [OutcomeTable::RFC9309, OutcomeTable::GOOGLE, OTHER] {
            walk(&table, &History::new(), &mut Vec::new(), 3, &WAITS);
        }
    }

    #[test]
    fn two_events_at_any_times_under_every_table() {
        for table in TABLES {
            walk(&table, &History::new(), &mut Vec::new(), 2, &WAITS);
        }
    }

    #[test]
    fn five_events() {
        for table in [OutcomeTable::RFC9309, OutcomeTable::GOOGLE, OTHER] {
            walk(&table, &History::new(), &mut Vec::new(), 5, &[13 * HOUR]);
        }
        for table in TABLES {
            walk(&table, &History::new(), &mut Vec::new(), 3, &[13 * HOUR]);
        }
    }

    /// Numbers that look random, and are the same each time (Marsaglia's xorshift of 32 bits).
    struct Random(u32);

    impl Random {
        fn below(&mut self, limit: usize) -> usize {
            self.0 ^= self.0 << 13;
            self.0 ^= self.0 >> 17;
            self.0 ^= self.0 << 5;
            usize::try_from(self.0).unwrap() % limit
        }
    }

    #[test]
    fn many_events() {
        let mut random = Random(0x9E37_79B9);
        for _ in 0..5_000 {
            let table = TABLES[random.below(TABLES.len())];
            let mut history = History::new();
            let mut events = Vec::new();
            let mut clock = 0;
            for _ in 0..4 + random.below(9) {
                let kind = KINDS[random.below(KINDS.len())];
                clock += WAITS[random.below(WAITS.len())];
                let at = (random.below(8) > 0).then_some(clock);
                history.record(&table, &kind.fetch(), time(at), compile);
                events.push(Event { kind, at });
                check(&table, &history, &events);
            }
        }
    }
}
