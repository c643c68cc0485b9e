//! The outcomes of the requests for an origin's robots.txt, without their meaning: the state under any [`OutcomeTable`]
//! follows from them.
//!
//! Under Yandex's table, a 503 removes the copy, which RFC 9309 keeps. A log is for several tables, and takes constant space.
//! It drops the outcomes on which the state under no table depends. Its tests compare it with the list of all outcomes.

use super::history::History;
use super::logged_outcome::LoggedOutcome;
use super::outcome::{Cause, OutcomeKind, RobotsFetch};
use super::state::RobotsState;
use super::table::OutcomeTable;
use robots_meta::Timestamp;
use std::time::Duration;

/// The outcomes of the requests for an origin's robots.txt, in constant space: at most [`MAX_LOGGED`](Self::MAX_LOGGED).
/// `B` is the type of a body.
///
/// ```
/// use robots_policy::RobotsFetch;
/// use robots_policy::robots::{OutcomeLog, OutcomeTable, RobotsState};
/// use robots_policy::robots_meta::Timestamp;
///
/// let hour = |hours: i64| Some(Timestamp::from_seconds(hours * 3600));
/// let mut log = OutcomeLog::new();
/// log.record(&RobotsFetch::Body(b"Disallow: /a"), hour(0), |body| Some(body.len()));
/// log.record(&RobotsFetch::Status(503), hour(20), |body| Some(body.len()));
///
/// // Yandex takes 503 for an empty file; Google waits for twelve hours, and then uses its last good copy.
/// let yandex = log.state(&OutcomeTable::YANDEX, hour(21), None);
/// assert!(matches!(yandex, RobotsState::AllowAll(_)));
/// let google = log.state(&OutcomeTable::GOOGLE, hour(21), None);
/// assert!(matches!(google, RobotsState::Defer(_)));
/// let google = log.state(&OutcomeTable::GOOGLE, hour(40), None);
/// assert!(matches!(google, RobotsState::Rules(Some(12))));
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct OutcomeLog<B> {
    /// In the order of the requests. Times never decrease.
    outcomes: Vec<LoggedOutcome<B>>,
}

impl<B> OutcomeLog<B> {
    /// The maximum number of logged outcomes: for each of eleven kinds the last one and the one that follows it, the same for
    /// the last 304 that says how long it may be kept, the first one, and the last one with a time.
    pub const MAX_LOGGED: usize = 26;

    /// Returns a log without outcomes.
    pub const fn new() -> Self {
        Self {
            outcomes: Vec::new(),
        }
    }

    /// Records the outcome of a request. `keep` turns the body of a response into the form of the log; `None` stands for an
    /// empty file.
    ///
    /// An outcome without a time never becomes stale. A failure in which no outcome has a time stays in its first step.
    pub fn record(
        &mut self,
        fetch: &RobotsFetch<'_>,
        at: Option<Timestamp>,
        keep: impl FnOnce(&[u8]) -> Option<B>,
    ) {
        let (kind, cause) = fetch.kind();
        if kind == OutcomeKind::NotFetched {
            return;
        }
        let response = fetch.response();
        self.push(LoggedOutcome {
            kind,
            cause,
            at,
            fresh_for: response.and_then(|response| response.freshness()),
            body: response.and_then(|response| keep(response.body())),
        });
    }

    /// Records that the server confirmed the body of the last success (status 304 to a request with its validators). The
    /// outcome is that success again, with the time of the confirmation, and with its freshness, if its headers have one (RFC
    /// 9111, section 4.3.4).
    ///
    /// Returns whether there is a success. If not, the log does not change.
    pub fn confirm(&mut self, at: Option<Timestamp>, fresh_for: Option<Duration>) -> bool {
        let success = self
            .outcomes
            .iter_mut()
            .rev()
            .find(|outcome| outcome.is_success());
        let Some(success) = success else {
            return false;
        };
        let again = LoggedOutcome {
            kind: success.kind,
            cause: success.cause,
            at,
            fresh_for: fresh_for.or(success.fresh_for),
            body: success.body.take(),
        };
        self.push(again);
        true
    }

    /// Returns the state at a time under a table. Its rules are a body, or `None` for an empty file.
    ///
    /// Without a time, nothing is stale, and a failure is in its first step. Only
    /// [`FailureState::AllowAllIfAvailable`](super::FailureState::AllowAllIfAvailable) depends on whether the rest of the site is
    /// available; `None` counts as available. Takes time linear in the logged outcomes, which are one or two of most sites.
    pub fn state(
        &self,
        table: &OutcomeTable,
        now: Option<Timestamp>,
        site_is_available: Option<bool>,
    ) -> RobotsState<Option<&B>> {
        let now = self.not_before_last(now);
        self.history(table).state(table, now, site_is_available)
    }

    /// Returns the state under a table at the time when an archive captured a page. Unlike in [`state`](Self::state), the last
    /// outcome is never stale, as the archive has no newer one.
    pub fn archived_state(
        &self,
        table: &OutcomeTable,
        captured: Option<Timestamp>,
    ) -> RobotsState<Option<&B>> {
        match self.state(table, captured, None) {
            RobotsState::Unknown(Cause::Stale) => self.state(table, None, None),
            state => state,
        }
    }

    /// Returns the file of a log of requests for an owner's terms, a tdmrep.json or a licence of RSL, as of the time when an archive
    /// captured a page, by [`OutcomeTable::TERMS`]. The file is `None` if it is empty; the error is the cause for which it is not known. Returns `None` if
    /// it does not exist.
    pub fn archived_terms(&self, captured: Option<Timestamp>) -> Option<Result<Option<&B>, Cause>> {
        match self.archived_state(&OutcomeTable::TERMS, captured) {
            RobotsState::Rules(file) => Some(Ok(file)),
            RobotsState::AllowAll(_) => None,
            RobotsState::DenyAll(cause)
            | RobotsState::Defer(cause)
            | RobotsState::Unknown(cause) => Some(Err(cause)),
        }
    }

    /// Returns the time from which robots.txt should be requested again; `None` if no time is known or no
    /// outcome was recorded.
    ///
    /// For rules, and where all is allowed or denied, it is the last second at which the state is fresh. After a failure or
    /// a deferral, or if the state is unknown, it is the time of the last request; the caller decides how long to wait.
    pub fn ask_again_at(&self, table: &OutcomeTable) -> Option<Timestamp> {
        self.history(table).ask_again_at(table, self.last_request())
    }

    /// Applies a table to the outcomes.
    fn history(&self, table: &OutcomeTable) -> History<'_, B> {
        let mut history = History::new();
        for outcome in &self.outcomes {
            history.record(table, outcome);
        }
        history
    }

    /// Returns a time, or that of the last outcome if it is later: clocks may go back, and a later outcome never undoes a step of
    /// a failure.
    fn not_before_last(&self, time: Option<Timestamp>) -> Option<Timestamp> {
        let last = self.last_request();
        time.map(|time| last.map_or(time, |last| last.max(time)))
    }

    /// Returns the logged outcomes, in the order of the requests.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = &LoggedOutcome<B>> + ExactSizeIterator {
        self.outcomes.iter()
    }

    /// Returns the last outcome.
    pub fn last(&self) -> Option<&LoggedOutcome<B>> {
        self.outcomes.last()
    }

    /// Returns the last success: a 2xx with its body, whatever the type of its content.
    pub fn last_success(&self) -> Option<&LoggedOutcome<B>> {
        self.iter().rev().find(|outcome| outcome.is_success())
    }

    /// Returns the latest time of an outcome.
    pub fn last_request(&self) -> Option<Timestamp> {
        self.iter().rev().find_map(|outcome| outcome.at)
    }

    /// Returns the bodies that are kept, in the order of the requests.
    pub fn bodies(&self) -> impl Iterator<Item = &B> {
        self.iter().filter_map(LoggedOutcome::body)
    }

    /// Returns the same log with another form of its bodies. `map` is called for each of [`bodies`](Self::bodies), in their
    /// order.
    pub fn map_bodies<T>(&self, mut map: impl FnMut(&B) -> T) -> OutcomeLog<T> {
        let outcomes = self.outcomes.iter().map(|outcome| LoggedOutcome {
            kind: outcome.kind,
            cause: outcome.cause,
            at: outcome.at,
            fresh_for: outcome.fresh_for,
            body: outcome.body.as_ref().map(&mut map),
        });
        OutcomeLog {
            outcomes: outcomes.collect(),
        }
    }

    fn push(&mut self, mut outcome: LoggedOutcome<B>) {
        outcome.at = self.not_before_last(outcome.at);
        // A caller may record an outcome twice.
        if self.last().is_some_and(|before| before.repeats(&outcome)) {
            self.outcomes.pop();
        }
        self.outcomes.push(outcome);
        self.drop_unneeded();
    }

    /// Drops the outcomes on which the state under no table depends.
    ///
    /// The copy, the answer and the cause of a failure are those of the last outcome of some kind. The start of a failure is
    /// the first outcome after the last one that is not a failure: that one is the last of its kind, too. A success with text
    /// is not a failure under any table, so failures before the last one are over. A 304 that does not say how long it may be
    /// kept stays fresh as the one before it that does, which is needed, too.
    fn drop_unneeded(&mut self) {
        let success = self
            .outcomes
            .iter()
            .rposition(|outcome| outcome.kind == OutcomeKind::Success);
        let last_with_time = self
            .outcomes
            .iter()
            .rposition(|outcome| outcome.at.is_some());
        let mut needed = vec![false; self.outcomes.len()];
        let mut need = |at: Option<usize>| {
            if let Some(needed) = at.and_then(|at| needed.get_mut(at)) {
                *needed = true;
            }
        };
        need(last_with_time);
        let mut kinds = Vec::new();
        // The first outcome after the present one that may begin a failure.
        let mut begin = None;
        let mut has_confirmed_freshness = false;
        for (index, outcome) in self.outcomes.iter_mut().enumerate().rev() {
            let is_first_of_kind = !kinds.contains(&outcome.kind);
            let confirms_freshness = !has_confirmed_freshness
                && outcome.kind == OutcomeKind::NotModified
                && outcome.fresh_for.is_some();
            has_confirmed_freshness |= confirms_freshness;
            if !is_first_of_kind {
                outcome.body = None;
            }
            if is_first_of_kind || confirms_freshness {
                if is_first_of_kind {
                    kinds.push(outcome.kind);
                }
                need(Some(index));
                if success.is_none_or(|success| index >= success) {
                    need(begin);
                }
            }
            if outcome.may_begin_failure() {
                begin = Some(index);
            }
        }
        if success.is_none() {
            need(begin);
        }
        let mut needed = needed.into_iter();
        self.outcomes.retain(|_| needed.next().unwrap_or(true));
    }
}

impl<B> Default for OutcomeLog<B> {
    fn default() -> Self {
        Self::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::robots::RobotsResponse;
    use crate::robots::history::model::{HOUR, Random, WAITS};

    /// Keeps a body that is not empty.
    fn kept(body: &[u8]) -> Option<Vec<u8>> {
        (!body.is_empty()).then(|| body.to_vec())
    }

    /// Outcomes of every kind, and two of the kinds with a body.
    const FETCHES: [RobotsFetch<'static>; 16] = [
        RobotsFetch::Body(b"A"),
        RobotsFetch::Body(b""),
        RobotsFetch::Response(RobotsResponse::new(200, b"B").fresh_for(Duration::from_secs(3600))),
        RobotsFetch::Response(RobotsResponse::new(203, b"C")),
        RobotsFetch::Response(RobotsResponse::new(200, b"D").with_content_type("text/html")),
        RobotsFetch::Response(RobotsResponse::new(404, b"E")),
        RobotsFetch::Status(404),
        RobotsFetch::Status(403),
        RobotsFetch::Status(429),
        RobotsFetch::Status(500),
        RobotsFetch::Status(503),
        RobotsFetch::Unreachable,
        RobotsFetch::TooManyRedirects,
        RobotsFetch::Status(200),
        RobotsFetch::Status(304),
        RobotsFetch::Response(RobotsResponse::new(304, b"").fresh_for(Duration::from_secs(7200))),
    ];

    /// Returns the tables of the engines, and tables that take outcomes for rules or failures that no engine does.
    fn tables() -> Vec<OutcomeTable> {
        use crate::robots::OutcomeMeaning::{Defer, DenyAll, Fail, Rules};
        let named = OutcomeTable::NAMED.into_iter().map(|(_, table)| table);
        let every = |meaning| {
            OutcomeTable::RFC9309
                .with_not_text(meaning)
                .with_other_success(meaning)
                .with_redirects(meaning)
                .with_unauthorized(meaning)
                .with_client_error(meaning)
                .with_too_many_requests(meaning)
                .with_server_error(meaning)
                .with_unreachable(meaning)
        };
        let others = [Fail, Rules, Defer, DenyAll].map(every);
        let mixed = OutcomeTable::GOOGLE
            .with_not_text(Fail)
            .with_client_error(Rules)
            .with_unauthorized(Fail);
        named.chain(others).chain([mixed]).collect()
    }

    /// An outcome, or a confirmation of the last success, with the time for which its headers allow it to be kept.
    #[derive(Debug, Clone, Copy)]
    enum Event<'a> {
        Fetch(RobotsFetch<'a>),
        Confirmation(Option<Duration>),
    }

    /// Returns the success that a confirmation repeats: the last one, with the freshness of the confirmation if it has one.
    fn confirmed<'a>(
        all: &[(RobotsFetch<'a>, Option<Timestamp>)],
        fresh_for: Option<Duration>,
    ) -> Option<RobotsFetch<'a>> {
        let successes = all.iter().rev().filter_map(|(fetch, _)| {
            let has_body = !matches!(fetch, RobotsFetch::Status(status) if *status != 204);
            fetch
                .response()
                .filter(|response| response.is_success() && has_body)
        });
        successes
            .map(|success| match fresh_for {
                Some(fresh_for) => RobotsFetch::Response(success.fresh_for(fresh_for)),
                None => RobotsFetch::Response(success),
            })
            .next()
    }

    /// Returns a log of all outcomes, of which none is dropped.
    fn undropped(all: &[(RobotsFetch<'_>, Option<Timestamp>)]) -> OutcomeLog<Vec<u8>> {
        let mut list = OutcomeLog::new();
        for (fetch, at) in all {
            let mut alone = OutcomeLog::new();
            alone.record(fetch, list.not_before_last(*at), kept);
            list.outcomes.append(&mut alone.outcomes);
        }
        list
    }

    /// Compares a log with the list of all outcomes, under every table.
    fn compare(
        log: &OutcomeLog<Vec<u8>>,
        all: &[(RobotsFetch<'_>, Option<Timestamp>)],
        tables: &[OutcomeTable],
    ) {
        let list = undropped(all);
        let end = list.last_request().map_or(0, Timestamp::as_seconds);
        for table in tables {
            let asked = log.ask_again_at(table);
            assert_eq!(asked, list.ask_again_at(table), "{table:?} {all:?}");
            for after in [-1, 0, HOUR, 12 * HOUR, 25 * HOUR, 31 * 24 * HOUR] {
                let now = (after >= 0).then(|| Timestamp::from_seconds(end + after));
                assert_eq!(
                    log.state(table, now, Some(false)),
                    list.state(table, now, Some(false)),
                    "{table:?} {all:?} {log:?} at {now:?}"
                );
            }
        }
    }

    fn check(events: &[(Event<'_>, Option<Timestamp>)], tables: &[OutcomeTable]) {
        let mut log = OutcomeLog::new();
        let mut all = Vec::new();
        for (event, at) in events {
            match *event {
                Event::Fetch(fetch) => {
                    log.record(&fetch, *at, kept);
                    all.push((fetch, *at));
                }
                Event::Confirmation(fresh_for) => {
                    let success = confirmed(&all, fresh_for);
                    assert_eq!(log.confirm(*at, fresh_for), success.is_some(), "{events:?}");
                    all.extend(success.map(|success| (success, *at)));
                }
            }
            assert!(log.outcomes.len() <= OutcomeLog::<()>::MAX_LOGGED);
            compare(&log, &all, tables);
        }
    }

    #[test]
    fn three_outcomes_are_read_as_their_list_under_every_table() {
        let tables = tables();
        for first in FETCHES {
            for second in FETCHES {
                for third in FETCHES {
                    let at = |hours: i64| Some(Timestamp::from_seconds(hours * HOUR));
                    check(
                        &[
                            (Event::Fetch(first), at(0)),
                            (Event::Fetch(second), at(13)),
                            (Event::Fetch(third), at(26)),
                        ],
                        &tables,
                    );
                }
            }
        }
    }

    #[test]
    fn random_outcomes_are_read_as_their_list_under_every_table() {
        let tables = tables();
        let mut random = Random(0x9E37_79B9);
        for _ in 0..400 {
            let mut clock = 0;
            // Some runs have few kinds of outcomes, so that these are repeated.
            let first = random.below(FETCHES.len());
            let kinds = 1 + random.below(FETCHES.len());
            let events: Vec<_> = (0..4 + random.below(30))
                .map(|_| {
                    clock += WAITS[random.below(WAITS.len())];
                    let at = (random.below(8) > 0).then(|| Timestamp::from_seconds(clock));
                    let event = match random.below(8) {
                        0 => Event::Confirmation(None),
                        1 => Event::Confirmation(Some(Duration::from_secs(7200))),
                        _ => Event::Fetch(FETCHES[(first + random.below(kinds)) % FETCHES.len()]),
                    };
                    (event, at)
                })
                .collect();
            check(&events, &tables);
        }
    }

    #[test]
    fn a_confirmed_success_is_a_success_again() {
        let at = |hours: i64| Some(Timestamp::from_seconds(hours * HOUR));
        let mut log = OutcomeLog::new();
        assert!(!log.confirm(at(0), None));
        assert_eq!(log, OutcomeLog::new());
        log.record(&FETCHES[4], at(0), kept);
        log.record(&RobotsFetch::Status(503), at(1), kept);
        assert!(log.confirm(at(2), Some(Duration::from_secs(60))));
        let mut expected = OutcomeLog::new();
        expected.record(&FETCHES[4], at(0), kept);
        expected.record(&RobotsFetch::Status(503), at(1), kept);
        let again = RobotsResponse::new(200, b"D")
            .with_content_type("text/html")
            .fresh_for(Duration::from_secs(60));
        expected.record(&RobotsFetch::Response(again), at(2), kept);
        assert_eq!(log, expected);
        assert_eq!(log.last_success().unwrap().body(), Some(&b"D".to_vec()));
        assert_eq!(log.bodies().count(), 1);
    }

    #[test]
    fn a_confirmation_without_a_freshness_keeps_the_one_of_the_success() {
        let at = |seconds: i64| Some(Timestamp::from_seconds(seconds));
        let mut log = OutcomeLog::new();
        log.record(&FETCHES[2], at(0), kept);
        assert!(log.confirm(at(HOUR), None));
        let hour = Some(Duration::from_secs(3600));
        assert_eq!(log.last().unwrap().fresh_for(), hour);
        let table = &OutcomeTable::RFC9309;
        assert_eq!(log.ask_again_at(table), at(2 * HOUR));
        // A 304 has the same effect.
        let mut log = OutcomeLog::new();
        log.record(&FETCHES[2], at(0), kept);
        log.record(&RobotsFetch::Status(304), at(HOUR), kept);
        assert_eq!(log.ask_again_at(table), at(2 * HOUR));
    }

    #[test]
    fn outcomes_that_may_pass_are_not_fresh() {
        for fetch in FETCHES {
            let mut log = OutcomeLog::new();
            log.record(&fetch, Some(Timestamp::from_seconds(5)), kept);
            let until = |table| {
                let until = log.last().unwrap().fresh_until(&table);
                until.map(|until| until.as_seconds() - 5)
            };
            let expected = match fetch {
                RobotsFetch::Unreachable | RobotsFetch::Status(200 | 304 | 429 | 500..) => None,
                RobotsFetch::Response(response) if response.status() == 304 => None,
                RobotsFetch::Response(response) if response.body() == b"B" => Some(HOUR),
                _ => Some(24 * HOUR),
            };
            assert_eq!(until(OutcomeTable::RFC9309), expected, "{fetch:?}");
            assert_eq!(until(OutcomeTable::AMAZON), expected, "{fetch:?}");
        }
    }

    #[test]
    fn a_site_that_is_requested_each_day_has_one_outcome() {
        let mut log = OutcomeLog::new();
        for day in 0..10 {
            let at = Some(Timestamp::from_seconds(day * 24 * HOUR));
            log.record(&FETCHES[0], at, kept);
            assert_eq!(log.outcomes.len(), 1);
        }
    }
}
