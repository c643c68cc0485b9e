//! When a robots.txt is requested again: its freshness, and the pauses after failures.

use crate::fetch::{Fetched, MAX_RETRY_AFTER};
use crate::next_request::{NextRequest, Retry};
use robots_meta::Timestamp;
use robots_policy::RobotsFetch;
use robots_policy::robots::{LoggedOutcome, OutcomeLog, OutcomeTable};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// The minimum time for which a robots.txt is fresh, whatever its headers say: ten minutes. Without it, a robots.txt that
/// may not be cached would be requested before every page. It is recorded with this freshness
/// ([`LoggedOutcome::fresh_for`](robots_policy::robots::LoggedOutcome::fresh_for)).
pub const MIN_FRESHNESS: Duration = Duration::from_secs(600);

/// The pause after the first failed request for a robots.txt: one minute. It doubles with each failure, up
/// to [`MAX_RETRY_PAUSE`].
pub const MIN_RETRY_PAUSE: Duration = Duration::from_secs(60);

/// The maximum pause after a failed request for a robots.txt: one hour, unless its server asks for more.
pub const MAX_RETRY_PAUSE: Duration = Duration::from_secs(3600);

/// The maximum difference of clocks, in seconds. A time that is further in the future was set by a wrong clock.
const MAX_CLOCK_ERROR: i64 = 60;

/// A robots.txt expires soon in the last 1/10 of the time for which it is fresh.
const EXPIRING_FRACTION: i64 = 10;

/// The time for which a robots.txt is fresh: no request is needed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Freshness {
    /// The last second of the freshness. `None` if nothing is known, which is never fresh.
    pub(crate) expires_at: Option<Timestamp>,
    answered_at: Option<Timestamp>,
    /// The latest time of an outcome.
    last_request: Option<Timestamp>,
}

impl Freshness {
    /// Returns the freshness of the last logged outcome, under the table under which it ends first.
    pub(crate) fn of<B>(log: &OutcomeLog<B>, tables: &[OutcomeTable]) -> Self {
        let ends = |outcome: &LoggedOutcome<B>| {
            let ends = tables.iter().map(|table| outcome.fresh_until(table));
            ends.min().flatten()
        };
        Self {
            expires_at: log.last().and_then(ends),
            answered_at: log.last().and_then(LoggedOutcome::at),
            last_request: log.last_request(),
        }
    }

    /// Returns whether it is fresh at a time.
    pub(crate) fn is_fresh(self, now: Timestamp) -> bool {
        self.remaining(now).is_some_and(|remaining| remaining >= 0) && !self.is_from_future(now)
    }

    /// Returns whether an outcome is later than a time.
    pub(crate) fn is_from_future(self, now: Timestamp) -> bool {
        self.last_request.is_some_and(|at| is_future(at, now))
    }

    /// Returns whether it expires soon after a time, or has expired.
    pub(crate) fn is_expiring(self, now: Timestamp) -> bool {
        let lifetime = self.answered_at.zip(self.expires_at);
        let lifetime = lifetime.map(|(at, end)| seconds(at, end));
        self.remaining(now)
            .zip(lifetime)
            .is_some_and(|(remaining, lifetime)| remaining < lifetime.div_euclid(EXPIRING_FRACTION))
    }

    fn remaining(self, now: Timestamp) -> Option<i64> {
        self.expires_at.map(|end| seconds(now, end))
    }
}

/// Returns whether a time is later than the present, so that it was set by a wrong clock. Facts with such a time are not used: by
/// them, a failure would begin at that time, and a file would be fresh until then.
pub(crate) fn is_future(time: Timestamp, now: Timestamp) -> bool {
    seconds(now, time) > MAX_CLOCK_ERROR
}

fn seconds(from: Timestamp, to: Timestamp) -> i64 {
    to.as_seconds().saturating_sub(from.as_seconds())
}

/// The need for a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Need {
    /// None: robots.txt is fresh, or a request must wait after a failure.
    Nothing,
    /// robots.txt is fresh, but expires soon.
    Soon,
    /// robots.txt is stale or unknown.
    Now,
}

impl Need {
    /// Returns the need for a request at a time.
    pub(crate) fn at(now: Timestamp, freshness: Freshness, retry: Option<Retry>) -> Self {
        let may_request = retry.is_none_or(|retry| {
            let wait = seconds(now, retry.at);
            // A server can ask for at most `MAX_RETRY_AFTER`: a later time comes from a wrong clock.
            let longest = MAX_RETRY_AFTER.as_secs().cast_signed();
            wait <= 0 || wait > longest + MAX_CLOCK_ERROR
        });
        if freshness.is_from_future(now) {
            return Self::Now;
        }
        let is_fresh = freshness.is_fresh(now);
        if !may_request || is_fresh && !freshness.is_expiring(now) {
            Self::Nothing
        } else if is_fresh {
            Self::Soon
        } else {
            Self::Now
        }
    }
}

/// Returns whether a request failed, so that it is repeated after a pause. A 4xx other than 429 is an answer, and so are too many
/// redirects.
pub(crate) fn has_failed(fetched: &Fetched) -> bool {
    let fetch = fetched.as_fetch();
    fetch == RobotsFetch::NotFetched || fetch.is_passing_failure()
}

/// Returns the outcome of a request as it is learned: fresh for at least [`MIN_FRESHNESS`].
pub(crate) fn learned(fetched: &Fetched) -> RobotsFetch<'_> {
    match fetched.as_fetch() {
        RobotsFetch::Response(response) => {
            RobotsFetch::Response(response.fresh_for_at_least(MIN_FRESHNESS))
        }
        other => other,
    }
}

impl NextRequest {
    /// Sets the time of the next request after one that ended at `now`. `freshness` is that of robots.txt after it: if it is
    /// fresh, and the request succeeded, no retry is needed. If the request failed, the retry is not later than the end of the
    /// freshness: such a failure is not recorded, so nothing is known after that.
    pub(crate) fn schedule_retry(
        &mut self,
        fetched: &Fetched,
        freshness: Freshness,
        now: SystemTime,
    ) {
        let is_fresh = freshness.is_fresh(Timestamp::from(now));
        if is_fresh && !has_failed(fetched) {
            self.retry = None;
            return;
        }
        let pause = self.retry.map_or(MIN_RETRY_PAUSE, |retry| {
            retry.pause.saturating_mul(2).min(MAX_RETRY_PAUSE)
        });
        let wait = fetched.retry_after().unwrap_or_default().max(pause);
        let at = not_before(now, wait);
        let latest = freshness.expires_at.filter(|_| is_fresh);
        let at = latest.map_or(at, |latest| at.min(latest));
        self.retry = Some(Retry::new(at, pause));
    }
}

/// Returns the first whole second that is not before the end of a wait.
fn not_before(now: SystemTime, wait: Duration) -> Timestamp {
    let end = now.checked_add(wait).unwrap_or(now);
    let floor = Timestamp::from(end);
    let is_whole = end
        .duration_since(UNIX_EPOCH)
        .is_ok_and(|since| since.subsec_nanos() == 0);
    Timestamp::from_seconds(floor.as_seconds().saturating_add(i64::from(!is_whole)))
}
