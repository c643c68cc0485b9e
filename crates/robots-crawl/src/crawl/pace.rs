//! The pace of a site: the times at which its robots.txt permits requests.
//!
//! A [`Pace`] is made from the lines of a robots.txt about time ([`RobotsState`]) that a [`Profile`] honours. From the time of the
//! last request and the present time it computes the time of the next request. This module has no clock and does not wait.
//!
//! No standard defines `Crawl-delay` (docs/semantics.md, sections 2.4 and 2.9). `Request-rate` and `Visit-time` are in
//! Conner's draft (section 3.3), and Seznam documents rates, too (section 2.7). No source states how these lines combine.
//! Here:
//!
//! * Requests are spaced evenly: a rate of 100 documents in 15 minutes permits one every 9 seconds.
//! * Of a delay and several rates, the slowest applies. A rate with hours applies only in these hours.
//! * The hours of the next request decide which rates apply, not those of the last one. A request may therefore be permitted
//!   as soon as the hours of a rate end.
//! * Bing reads `Crawl-delay: 5` as windows of 5 seconds with one request each (section 2.4). Requests that are 5 seconds
//!   apart satisfy that, wherever the windows begin.
//! * Hours are UTC, also before 1970. [`SystemTime`] has no leap seconds.
//!
//! A pace is a timetable: the day, divided into parts with one interval each. Hours outside `Visit-time` are in no part. Making
//! it takes n log n for n rates. It has up to 1,440 parts, the minutes of a day, and usually one. Computing the next time looks
//! at each part once, however long the wait is.

use robots_policy::Profile;
use robots_policy::profile::Honours;
use robots_policy::robots::RobotsState;
use robots_policy::site::SiteRules;
use robots_txt::extension::{RequestRate, Window};
use smallvec::SmallVec;
use std::collections::BinaryHeap;
use std::iter;
use std::time::{Duration, SystemTime};

const DAY: Duration = Duration::from_secs(86_400);

/// The pace that a robots.txt asks for under a profile: the time between two requests, and the permitted hours.
///
/// The default has no limits: it is the pace of a site without such lines.
///
/// ```
/// use robots_crawl::Pace;
/// use robots_policy::{Policy, RobotsFetch};
/// use std::time::{Duration, UNIX_EPOCH};
///
/// let policy = Policy::new("ExampleBot")?;
/// let robots = policy.robots(RobotsFetch::Body(
///     b"User-agent: *\nCrawl-delay: 2\nRequest-rate: 1/10 0800-1600\nVisit-time: 0400-2000\n",
/// ));
/// let pace = Pace::of(&robots, policy.profile());
///
/// let clock = |hour: u64, minute: u64, second: u64| {
///     UNIX_EPOCH + Duration::from_secs(hour * 3600 + minute * 60 + second)
/// };
/// let next = |last, now| pace.next_allowed_at(Some(last), now);
/// // In the morning two seconds apart, during the day ten.
/// assert_eq!(next(clock(7, 0, 0), clock(7, 0, 1)), clock(7, 0, 2));
/// assert_eq!(next(clock(9, 0, 0), clock(9, 0, 1)), clock(9, 0, 10));
/// // No request is made at night.
/// assert_eq!(next(clock(19, 59, 59), clock(20, 0, 0)), clock(24 + 4, 0, 0));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pace {
    /// The parts of a day in which requests are permitted: in order, disjoint, and as few as possible. There is at least one,
    /// as no window is empty.
    parts: SmallVec<[Part; 1]>,
}

impl Pace {
    /// Returns the pace of a robots.txt, from the lines that the profile honours
    /// ([`Honours::CRAWL_DELAY`], [`Honours::REQUEST_RATE`], [`Honours::VISIT_TIME`]).
    ///
    /// Returns the default if there are no rules. The rules about paths do not matter.
    pub fn of(robots: &RobotsState<SiteRules>, profile: &Profile) -> Self {
        let RobotsState::Rules(site) = robots else {
            return Self::default();
        };
        let honours = |what| profile.honours().contains(what);
        let delay = site
            .rules()
            .crawl_delay()
            .filter(|_| honours(Honours::CRAWL_DELAY))
            .map(|delay| Part::of_day(delay.delay()));
        let rates = site
            .request_rates()
            .iter()
            .filter(|_| honours(Honours::REQUEST_RATE))
            .flat_map(Part::of_rate);
        let visits = site
            .visit_time()
            .filter(|_| honours(Honours::VISIT_TIME))
            .map(|hours| hours.window());
        Self {
            parts: timetable(rates.chain(delay).collect(), visits),
        }
    }

    /// Returns the earliest time of the next request, after one at `last`. It is never before `now`.
    ///
    /// A `last` after `now` comes from a clock that was set back, and counts as `now`. A caller that calls this repeatedly
    /// must keep the earlier of the two, as [`Schedule`](super::Schedule) does. Otherwise it waits until the clock
    /// is past `last`.
    pub fn next_allowed_at(&self, last: Option<SystemTime>, now: SystemTime) -> SystemTime {
        let last = last.map(|last| last.min(now));
        self.first_moment(last, now, Duration::ZERO)
    }

    /// Returns the first time, not before `earliest`, at which a request is permitted. It is in a part of the day, and at
    /// least the interval of that part and the minimum delay after `last`.
    pub(super) fn first_moment(
        &self,
        last: Option<SystemTime>,
        earliest: SystemTime,
        minimum_delay: Duration,
    ) -> SystemTime {
        let moments = self.parts.iter().map(|part| {
            let interval = part.interval.max(minimum_delay);
            let from = last.map_or(earliest, |last| later(last, interval).max(earliest));
            part.first_moment(from)
        });
        moments.min().unwrap_or(earliest)
    }

    /// Returns the longest interval of the day.
    pub(super) fn longest_interval(&self) -> Duration {
        let intervals = self.parts.iter().map(|part| part.interval);
        intervals.max().unwrap_or_default()
    }
}

impl Default for Pace {
    /// Returns the pace without limits: any number of requests, at any hour.
    fn default() -> Self {
        Self {
            parts: timetable(Vec::new(), None),
        }
    }
}

/// A part of the day, and the interval between requests in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Part {
    /// The first minute of the part.
    start: u16,
    /// The first minute after the part: up to [`Window::MINUTES_OF_DAY`].
    end: u16,
    interval: Duration,
}

impl Part {
    fn of_day(interval: Duration) -> Self {
        Self {
            start: 0,
            end: Window::MINUTES_OF_DAY,
            interval,
        }
    }

    /// Returns the parts of the day in which a rate applies. One of them may be empty.
    fn of_rate(rate: &RequestRate) -> [Self; 2] {
        let interval = rate.interval();
        let parts = match rate.window() {
            None => [(0, Window::MINUTES_OF_DAY), (0, 0)],
            Some(hours) if hours.start() < hours.end() => [(hours.start(), hours.end()), (0, 0)],
            // The hours continue past midnight. With equal start and end they are the whole day.
            Some(hours) => [(0, hours.end()), (hours.start(), Window::MINUTES_OF_DAY)],
        };
        parts.map(|(start, end)| Self {
            start,
            end,
            interval,
        })
    }

    /// Returns the first time in the part that is not before `from`. It is on the day of `from` or on the next one.
    fn first_moment(&self, from: SystemTime) -> SystemTime {
        let time = time_of_day(from);
        let (start, end) = (since_midnight(self.start), since_midnight(self.end));
        if time < start {
            later(from, start.saturating_sub(time))
        } else if time < end {
            from
        } else {
            later(from, DAY.saturating_sub(time) + start)
        }
    }
}

/// Returns the parts of a day in which requests are permitted: in order, disjoint, and within the hours of `visits`, if there
/// are any.
///
/// Each span requires an interval in its part of the day. Spans may overlap: the longest interval applies.
fn timetable(mut spans: Vec<Part>, visits: Option<Window>) -> SmallVec<[Part; 1]> {
    // The interval changes only at the start or end of a span or of the visits.
    let mut cuts = vec![0, Window::MINUTES_OF_DAY];
    cuts.extend(spans.iter().flat_map(|span| [span.start, span.end]));
    cuts.extend(visits.iter().flat_map(|hours| [hours.start(), hours.end()]));
    cuts.sort_unstable();
    cuts.dedup();

    spans.sort_unstable_by_key(|span| span.start);
    let mut coming = spans.into_iter().peekable();
    // The interval and end of each span that has begun, the longest interval on top. A span that has ended is dropped when it
    // is on top.
    let mut running = BinaryHeap::new();
    let mut parts: SmallVec<[Part; 1]> = SmallVec::new();
    for (&start, &end) in cuts.iter().zip(cuts.iter().skip(1)) {
        while let Some(span) = coming.next_if(|span| span.start <= start) {
            running.push((span.interval, span.end));
        }
        while running.peek().is_some_and(|&(_, end)| end <= start) {
            running.pop();
        }
        if visits.is_some_and(|hours| !hours.contains(start)) {
            continue;
        }
        let interval = running
            .peek()
            .map_or(Duration::ZERO, |&(slowest, _)| slowest);
        match parts.last_mut() {
            Some(last) if last.end == start && last.interval == interval => last.end = end,
            _ => parts.push(Part {
                start,
                end,
                interval,
            }),
        }
    }
    parts
}

/// Returns the time since midnight UTC: less than a day.
fn time_of_day(moment: SystemTime) -> Duration {
    let without_days = |time: Duration| Duration::new(time.as_secs() % 86_400, time.subsec_nanos());
    match moment.duration_since(SystemTime::UNIX_EPOCH) {
        Ok(since) => without_days(since),
        // Before 1970: a day less the time to the next midnight. At midnight itself, the result is a whole day, which the
        // outer call removes.
        Err(before) => without_days(DAY.saturating_sub(without_days(before.duration()))),
    }
}

/// Returns the time from midnight to a minute of the day.
fn since_midnight(minute: u16) -> Duration {
    Duration::from_secs(u64::from(minute) * 60)
}

/// Returns a later time. Where [`SystemTime`] ends before that, the step is halved until it fits.
pub(super) fn later(moment: SystemTime, by: Duration) -> SystemTime {
    iter::successors(Some(by), |by| by.checked_div(2))
        .find_map(|by| moment.checked_add(by))
        .unwrap_or(moment)
}

#[cfg(test)]
mod tests {
    use super::*;
    use robots_policy::site::SiteRules;
    use robots_policy::{Policy, RobotsFetch};
    use std::fmt::Write as _;
    use std::time::UNIX_EPOCH;

    const SECOND: Duration = Duration::from_secs(1);

    /// Reads a robots.txt with these lines for every robot.
    fn read(lines: &str) -> RobotsState<SiteRules> {
        let body = format!("User-agent: *\n{lines}\n");
        Policy::new("ExampleBot")
            .unwrap()
            .robots(RobotsFetch::Body(body.as_bytes()))
    }

    /// Returns a time of a certain day, `hh:mm:ss`. Hours continue past 24, and seconds may be decimal.
    fn at(clock: &str) -> SystemTime {
        let numbers: Vec<f64> = clock.split(':').map(|part| part.parse().unwrap()).collect();
        let seconds = numbers[0] * 3600.0 + numbers[1] * 60.0 + numbers[2];
        UNIX_EPOCH + DAY * 20_000 + Duration::from_secs_f64(seconds)
    }

    #[test]
    fn without_rules_the_pace_is_the_default() {
        let policy = Policy::new("ExampleBot").unwrap();
        for fetch in [
            RobotsFetch::Status(404),
            RobotsFetch::Status(503),
            RobotsFetch::Unreachable,
            RobotsFetch::NotFetched,
        ] {
            let robots = policy.robots(fetch);
            assert!(!matches!(robots, RobotsState::Rules(_)));
            assert_eq!(Pace::of(&robots, policy.profile()), Pace::default());
        }
    }

    /// Random numbers, the same each time.
    struct Random(fastrand::Rng);

    impl Random {
        fn below(&mut self, bound: u32) -> u32 {
            self.0.u32(..bound)
        }

        /// Returns a number of seconds: at least 1, at most those of 40 hours, and mostly at most those of ten minutes.
        fn seconds(&mut self) -> u32 {
            let longest = match self.below(8) {
                0..=4 => 600,
                5 | 6 => 4 * 3600,
                _ => 40 * 3600,
            };
            1 + self.below(longest)
        }

        fn duration(&mut self) -> Duration {
            Duration::from_secs(u64::from(self.seconds()))
        }

        /// Returns a minute of the day as `hhmm`. Half of them are on a quarter of an hour, so that windows often begin or end
        /// at the same minute.
        fn clock(&mut self) -> String {
            let minute = match self.below(2) {
                0 => self.below(96) * 15,
                _ => self.below(1440),
            };
            format!("{:02}{:02}", minute / 60, minute % 60)
        }

        fn window(&mut self) -> String {
            let start = self.clock();
            format!("{start}-{}", self.clock())
        }

        /// A line whose interval is a whole number of seconds.
        fn rate(&mut self) -> String {
            let documents = 1 + self.below(5);
            let mut line = format!("Request-rate: {documents}/{}s", documents * self.seconds());
            if self.below(4) > 0 {
                write!(line, " {}", self.window()).unwrap();
            }
            line
        }

        fn lines(&mut self) -> String {
            let mut lines = String::new();
            if self.below(2) == 0 {
                writeln!(lines, "Crawl-delay: {}", self.seconds()).unwrap();
            }
            for _ in 0..self.below(4) {
                writeln!(lines, "{}", self.rate()).unwrap();
            }
            if self.below(2) == 0 {
                writeln!(lines, "Visit-time: {}", self.window()).unwrap();
            }
            lines
        }
    }

    fn rules(robots: &RobotsState<SiteRules>) -> &SiteRules {
        match robots {
            RobotsState::Rules(site) => site,
            other => panic!("{other:?}"),
        }
    }

    /// Returns what the documentation of this module demands: the time between two requests at a minute of the day; `None`
    /// outside the visit hours.
    fn interval(site: &SiteRules, minute: u16) -> Option<Duration> {
        let counts = |hours: Option<Window>| hours.is_none_or(|hours| hours.contains(minute));
        if !counts(site.visit_time().map(|hours| hours.window())) {
            return None;
        }
        let delay = site.rules().crawl_delay().map(|delay| delay.delay());
        let rates = site.request_rates().iter();
        let rates = rates.filter(|rate| counts(rate.window()));
        let intervals = rates.map(|rate| rate.period() / rate.documents().get());
        Some(intervals.chain(delay).max().unwrap_or_default())
    }

    /// Returns whether the documentation of this module permits a request at a time (after 1970).
    fn is_allowed(site: &SiteRules, last: Option<SystemTime>, moment: SystemTime) -> bool {
        let seconds = moment.duration_since(UNIX_EPOCH).unwrap().as_secs();
        let minute = u16::try_from(seconds / 60 % 1440).unwrap();
        interval(site, minute)
            .is_some_and(|interval| last.is_none_or(|last| last + interval <= moment))
    }

    #[test]
    fn the_next_time_is_the_first_second_that_is_allowed() {
        let mut random = Random(fastrand::Rng::with_seed(1));
        let (mut at_once, mut waits, mut long_waits) = (0, 0, 0);
        for _ in 0..600 {
            let lines = random.lines();
            let robots = read(&lines);
            let site = rules(&robots);
            let pace = Pace::of(&robots, &Profile::neutral());
            let now = at("00:00:00") + Duration::from_secs(u64::from(random.below(86_400)));
            let last = match random.below(8) {
                0 => None,
                1 => Some(now + random.duration()),
                _ => Some(now - random.duration()),
            };
            let next = pace.next_allowed_at(last, now);

            let last_seen = last.map(|last| last.min(now));
            let mut seconds = (0..2 * 86_400).map(|seconds| now + Duration::from_secs(seconds));
            let first = seconds.find(|moment| is_allowed(site, last_seen, *moment));
            match first {
                Some(first) => assert_eq!(next, first, "{lines}{last:?} {now:?}"),
                None => assert!(next >= now + DAY * 2, "{lines}{last:?} {now:?}"),
            }
            // At that time, a request is permitted.
            assert_eq!(pace.next_allowed_at(last_seen, next), next, "{lines}");
            match next.duration_since(now).unwrap() {
                wait if wait.is_zero() => at_once += 1,
                wait if wait < SECOND * 3600 => waits += 1,
                _ => long_waits += 1,
            }
        }
        // Each kind of wait occurs often.
        assert!(
            at_once > 50 && waits > 50 && long_waits > 50,
            "{at_once} {waits} {long_waits}"
        );
    }

    #[test]
    fn a_timetable_agrees_with_many_rates() {
        let mut random = Random(fastrand::Rng::with_seed(2));
        for count in [1, 2, 3, 10, 100, 100] {
            let mut lines = format!("Visit-time: {}\n", random.window());
            for _ in 0..count {
                writeln!(lines, "{}", random.rate()).unwrap();
            }
            let robots = read(&lines);
            let site = rules(&robots);
            assert_eq!(site.request_rates().len(), count);
            let pace = Pace::of(&robots, &Profile::neutral());
            assert!(pace.parts.len() <= 1440);
            for minute in 0..Window::MINUTES_OF_DAY {
                let is_in = |part: &&Part| part.start <= minute && minute < part.end;
                let found = pace.parts.iter().find(is_in).map(|part| part.interval);
                assert_eq!(found, interval(site, minute), "{minute} of {count}");
            }
            let is_apart = |pair: &[Part]| {
                pair[0].end < pair[1].start
                    || (pair[0].end == pair[1].start && pair[0].interval != pair[1].interval)
            };
            assert!(pace.parts.windows(2).all(is_apart), "{pace:?}");
        }
    }
}
