//! Politeness: when may a robot ask an origin for the next document?
//!
//! What a robots.txt asks for ([`Robots`], under a [`Profile`]) becomes a [`Pace`], and that, the
//! time of the last request and the time now become the time of the next request. A [`Schedule`]
//! keeps the times of the last requests, origin by origin. It has no clock and does not wait.
//!
//! `Crawl-delay` is in no standard (SEMANTICS 2.4, 2.9), `Request-rate` and `Visit-time` are of
//! Conner's draft (3.3), and Seznam has rates too (2.7). They leave open how they go together.
//! Here:
//!
//! * A rate is kept evenly: 100 documents in 15 minutes are 9 seconds from one to the next.
//! * Of a delay and of rates, the slowest counts; a rate with hours counts in its hours alone.
//! * The hours that count are those of the request that is to come, not those of the last one. So
//!   it may be worth waiting for the end of a slow rate.
//! * Bing reads `Crawl-delay: 5` as windows of 5 seconds with one request in each (2.4). Requests 5
//!   seconds apart satisfy that, wherever the windows begin.
//! * Hours are those of UTC, before 1970 too, and leap seconds are not known to [`SystemTime`].
//!
//! All of that comes to a timetable: the day as parts, each with one interval, the hours left out
//! in which nobody should come. Making it takes n log n of n rates. It has at most 1,440 parts, for
//! the minutes of a day; most have one. A question tries each part once, however long the wait: of
//! a part, the first moment that is late enough is known at once.

use robots_policy::{Honours, Origin, Profile, Robots};
use robots_txt::extension::{RequestRate, Window};
use smallvec::SmallVec;
use std::collections::{BinaryHeap, HashMap};
use std::iter;
use std::time::{Duration, SystemTime};

/// How many origins a [`Schedule`] keeps, if nothing else is said. They are about a hundred bytes
/// each, and their names.
pub const MAX_SCHEDULED_ORIGINS: usize = 1_000_000;

const DAY: Duration = Duration::from_secs(86_400);

/// How often a robot may come to a site, and when: what its robots.txt asks for under a profile.
///
/// The default is that of a site that asks for nothing.
///
/// ```
/// use robots_crawl::Pace;
/// use robots_policy::{Policy, RobotsFetch};
/// use std::time::{Duration, UNIX_EPOCH};
///
/// let policy = Policy::new("ExampleBot");
/// let robots = policy.robots(RobotsFetch::Body(
///     b"User-agent: *\nCrawl-delay: 2\nRequest-rate: 1/10 0800-1600\nVisit-time: 0400-2000\n",
/// ));
/// let pace = Pace::of(&robots, policy.profile());
///
/// let clock = |hour: u64, minute: u64, second: u64| {
///     UNIX_EPOCH + Duration::from_secs(hour * 3600 + minute * 60 + second)
/// };
/// let next = |last, now| pace.next_allowed_at(Some(last), now);
/// // In the morning two seconds apart, by day ten.
/// assert_eq!(next(clock(7, 0, 0), clock(7, 0, 1)), clock(7, 0, 2));
/// assert_eq!(next(clock(9, 0, 0), clock(9, 0, 1)), clock(9, 0, 10));
/// // It does not come by night.
/// assert_eq!(next(clock(19, 59, 59), clock(20, 0, 0)), clock(24 + 4, 0, 0));
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pace {
    /// When documents may be asked for: in order, apart from each other, and as few as say it.
    /// There is at least one, as no window is empty.
    parts: SmallVec<[Part; 1]>,
}

impl Pace {
    /// What a robots.txt asks of a robot, as far as the profile honours it
    /// ([`Honours::CRAWL_DELAY`], [`Honours::REQUEST_RATE`], [`Honours::VISIT_TIME`]).
    ///
    /// Where there are no rules, nothing is asked for. Whether anything may be fetched is another
    /// question.
    pub fn of(robots: &Robots, profile: &Profile) -> Self {
        let Robots::Rules(site) = robots else {
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

    /// The moment from which the next document may be asked for, when the last one was asked for at
    /// `last`. It is never before `now`.
    ///
    /// A `last` after `now` is that of a clock that went back, and counts as `now`. Who asks again
    /// and again should keep the earlier of the two, as [`Schedule`] does: else he waits until the
    /// clock is where it was.
    pub fn next_allowed_at(&self, last: Option<SystemTime>, now: SystemTime) -> SystemTime {
        let last = last.map(|last| last.min(now));
        self.first_moment(last, now, Limits::default())
    }

    /// The first moment from `from` on that is in a part of the day, and late enough for it.
    fn first_moment(
        &self,
        last: Option<SystemTime>,
        from: SystemTime,
        limits: Limits,
    ) -> SystemTime {
        let moments = self.parts.iter().map(|part| {
            let interval = limits.apply(part.interval);
            let from = last.map_or(from, |last| later(last, interval).max(from));
            part.first_moment(from)
        });
        moments.min().unwrap_or(from)
    }

    /// The longest time between two requests that it asks for at any hour.
    fn longest_interval(&self) -> Duration {
        let intervals = self.parts.iter().map(|part| part.interval);
        intervals.max().unwrap_or_default()
    }
}

impl Default for Pace {
    /// The pace of a site that asks for nothing: at once, and at any hour.
    fn default() -> Self {
        Self {
            parts: timetable(Vec::new(), None),
        }
    }
}

/// A part of each day, and the time between two requests in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Part {
    /// Its first minute.
    start: u16,
    /// The first minute behind it: at most [`Window::MINUTES_OF_DAY`].
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

    /// The parts of the day in which a rate counts. One of them may be empty.
    fn of_rate(rate: &RequestRate) -> [Self; 2] {
        let interval = rate.interval();
        let parts = match rate.window() {
            None => [(0, Window::MINUTES_OF_DAY), (0, 0)],
            Some(hours) if hours.start() < hours.end() => [(hours.start(), hours.end()), (0, 0)],
            // Over midnight; or all day, if they are equal.
            Some(hours) => [(0, hours.end()), (hours.start(), Window::MINUTES_OF_DAY)],
        };
        parts.map(|(start, end)| Self {
            start,
            end,
            interval,
        })
    }

    /// The first moment from `from` on that is in the part, on that day or on the next.
    fn first_moment(&self, from: SystemTime) -> SystemTime {
        let time = time_of_day(from);
        let (start, end) = (since_midnight(self.start), since_midnight(self.end));
        if time < start {
            later(from, start.saturating_sub(time))
        } else if time < end {
            from
        } else {
            later(from, DAY.saturating_sub(time).saturating_add(start))
        }
    }
}

/// The day, cut where something begins or ends: each part with the longest of the intervals that
/// count in it, and without what is outside the visits. `spans` may overlap.
fn timetable(mut spans: Vec<Part>, visits: Option<Window>) -> SmallVec<[Part; 1]> {
    let mut cuts = vec![0, Window::MINUTES_OF_DAY];
    cuts.extend(spans.iter().flat_map(|span| [span.start, span.end]));
    cuts.extend(visits.iter().flat_map(|hours| [hours.start(), hours.end()]));
    cuts.sort_unstable();
    cuts.dedup();

    spans.sort_unstable_by_key(|span| span.start);
    let mut coming = spans.into_iter().peekable();
    // The spans that have begun, by interval and end, the slowest on top. One that has ended is
    // dropped when it comes to the top.
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

/// The time since midnight UTC: less than a day.
fn time_of_day(moment: SystemTime) -> Duration {
    let without_days = |time: Duration| Duration::new(time.as_secs() % 86_400, time.subsec_nanos());
    match moment.duration_since(SystemTime::UNIX_EPOCH) {
        Ok(since) => without_days(since),
        // Before 1970: what is missing to the next midnight, which is none at midnight.
        Err(before) => without_days(DAY.saturating_sub(without_days(before.duration()))),
    }
}

/// The time from midnight to a minute of the day.
fn since_midnight(minute: u16) -> Duration {
    Duration::from_secs(u64::from(minute).saturating_mul(60))
}

/// A moment later. Where [`SystemTime`] does not go that far, it is less late: half of it, or half
/// of that, and so on.
fn later(moment: SystemTime, by: Duration) -> SystemTime {
    iter::successors(Some(by), |by| by.checked_div(2))
        .find_map(|by| moment.checked_add(by))
        .unwrap_or(moment)
}

/// What the robot makes of the intervals that sites ask for.
#[derive(Debug, Clone, Copy, Default)]
struct Limits {
    minimum: Duration,
    maximum: Option<Duration>,
}

impl Limits {
    fn apply(self, asked: Duration) -> Duration {
        let capped = self.maximum.map_or(asked, |maximum| asked.min(maximum));
        capped.max(self.minimum)
    }
}

/// When each origin may be asked next, for one robot.
///
/// It is told of each request ([`note_request`](Self::note_request)) and of each site that wants to
/// be left alone for a while ([`back_off`](Self::back_off)).
///
/// ```
/// use robots_crawl::{Pace, Schedule};
/// use robots_policy::Origin;
/// use std::time::{Duration, UNIX_EPOCH};
///
/// let mut schedule = Schedule::new().with_minimum_delay(Duration::from_secs(1));
/// let origin = Origin::of("https://example.com/")?;
/// // Of its robots.txt, with `Pace::of`.
/// let pace = Pace::default();
///
/// let now = UNIX_EPOCH + Duration::from_secs(1_800_000_000);
/// assert_eq!(schedule.next_allowed_at(&origin, &pace, now), now);
/// schedule.note_request(&origin, now);
/// let next = now + Duration::from_secs(1);
/// assert_eq!(schedule.next_allowed_at(&origin, &pace, now), next);
///
/// // The answer was 503, with `Retry-After: 120`.
/// let until = now + Duration::from_secs(120);
/// schedule.back_off(&origin, until);
/// assert_eq!(schedule.next_allowed_at(&origin, &pace, next), until);
/// # Ok::<(), robots_policy::UrlError>(())
/// ```
///
/// # Bound
///
/// It keeps so many origins ([`with_capacity`](Self::with_capacity)) and no more. When it is full
/// and comes upon a new one, it forgets the eighth of them that may be asked first: those that may
/// be asked now before all others, as to forget them changes nothing. If there are not enough of
/// those, an origin that is forgotten may be asked too early, once.
///
/// Which origin that is goes by the pace at the last question after its first request; of an origin
/// that nobody asked about since, the minimum delay alone is known.
///
/// A question or a note takes one look-up. To forget an eighth takes one sort of all.
#[derive(Debug, Clone)]
pub struct Schedule {
    origins: HashMap<Origin, Visit>,
    capacity: usize,
    limits: Limits,
}

/// What is known of the requests to one origin.
#[derive(Debug, Clone, Copy, Default)]
struct Visit {
    /// When it was asked last.
    last: Option<SystemTime>,
    /// Before which moment it is not to be asked.
    until: Option<SystemTime>,
    /// The longest time between two requests that it asked for when last heard of.
    asked: Duration,
}

impl Visit {
    /// When it may be asked at the latest, as far as is known; `None` is at any time. The hours of
    /// visits do not matter to that: they hold for an origin that is forgotten, too.
    fn free_at(&self, limits: Limits) -> Option<SystemTime> {
        let rested = self.last.map(|last| later(last, limits.apply(self.asked)));
        rested.max(self.until)
    }
}

impl Schedule {
    /// A schedule by which each origin may be asked at once.
    pub fn new() -> Self {
        Self {
            origins: HashMap::new(),
            capacity: MAX_SCHEDULED_ORIGINS,
            limits: Limits::default(),
        }
    }

    /// With a time between two requests to one origin that is kept even if its robots.txt asks for
    /// less, or for nothing. The default is zero.
    #[must_use]
    pub fn with_minimum_delay(mut self, minimum: Duration) -> Self {
        self.limits.minimum = minimum;
        self
    }

    /// With a limit to the time between two requests that a site can ask for, by `Crawl-delay` or
    /// `Request-rate`; `None`, the default, is none, and delays are kept as they are given (up to
    /// the 30 days that are read).
    ///
    /// To a site that asks for more, the robot comes more often than the site asks for. Who does
    /// not want that leaves the site alone, and does not set a limit. The hours of visits, the
    /// minimum delay and [`back_off`](Self::back_off) have no limit; a minimum above it counts.
    #[must_use]
    pub fn with_maximum_delay(mut self, maximum: Option<Duration>) -> Self {
        self.limits.maximum = maximum;
        self
    }

    /// With this many origins that are kept at the most, and at least one. The default is
    /// [`MAX_SCHEDULED_ORIGINS`].
    #[must_use]
    pub fn with_capacity(mut self, capacity: usize) -> Self {
        self.capacity = capacity.max(1);
        self.forget_first(self.origins.len().saturating_sub(self.capacity));
        self
    }

    /// The moment from which the origin may be asked for the next document. It is never before
    /// `now`.
    ///
    /// If the last request was after `now`, the clock went back: from here on, it counts as made
    /// `now`. That is why a question changes the schedule.
    pub fn next_allowed_at(&mut self, origin: &Origin, pace: &Pace, now: SystemTime) -> SystemTime {
        let mut last = None;
        let mut from = now;
        if let Some(visit) = self.origins.get_mut(origin) {
            visit.asked = pace.longest_interval();
            visit.last = visit.last.map(|last| last.min(now));
            last = visit.last;
            from = visit.until.map_or(now, |until| until.max(now));
        }
        pace.first_moment(last, from, self.limits)
    }

    /// Notes that a document was asked for. It replaces what was noted before, though that may be
    /// later: clocks go back.
    pub fn note_request(&mut self, origin: &Origin, at: SystemTime) {
        self.change(origin, |visit| visit.last = Some(at));
    }

    /// Notes that the site asked for time (`Retry-After`, status 429 or 503): it is not to be asked
    /// before that moment. Of several, the latest counts. What to make of an answer without
    /// `Retry-After`, and of one that names next year, is for the caller to know.
    pub fn back_off(&mut self, origin: &Origin, until: SystemTime) {
        self.change(origin, |visit| visit.until = visit.until.max(Some(until)));
    }

    /// Forgets what was noted of an origin: it may be asked as if for the first time. For one that
    /// was told to be left alone by mistake, as by a clock that was wrong.
    pub fn forget(&mut self, origin: &Origin) {
        self.origins.remove(origin);
    }

    fn change(&mut self, origin: &Origin, change: impl FnOnce(&mut Visit)) {
        if let Some(visit) = self.origins.get_mut(origin) {
            change(visit);
            return;
        }
        if self.origins.len() >= self.capacity {
            self.forget_first((self.capacity / 8).max(1));
        }
        let mut visit = Visit::default();
        change(&mut visit);
        self.origins.insert(origin.clone(), visit);
    }

    /// Forgets this many origins: those that may be asked first.
    fn forget_first(&mut self, count: usize) {
        let limits = self.limits;
        let visits = self.origins.values();
        let mut times: Vec<_> = visits.map(|visit| visit.free_at(limits)).collect();
        times.sort_unstable();
        let Some(&bound) = times.get(..count).and_then(<[_]>::last) else {
            return;
        };
        let before = times.partition_point(|time| *time < bound);
        let mut at_bound = count.saturating_sub(before);
        self.origins.retain(|_, visit| {
            let time = visit.free_at(limits);
            if time == bound && at_bound > 0 {
                at_bound = at_bound.saturating_sub(1);
                return false;
            }
            time >= bound
        });
    }
}

impl Default for Schedule {
    fn default() -> Self {
        Self::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use robots_policy::{Policy, RobotsFetch, SiteRules};
    use std::fmt::Write as _;
    use std::time::UNIX_EPOCH;

    const SECOND: Duration = Duration::from_secs(1);

    /// A robots.txt with these lines for every robot.
    fn read(lines: &str) -> Robots {
        let body = format!("User-agent: *\n{lines}\n");
        Policy::new("ExampleBot").robots(RobotsFetch::Body(body.as_bytes()))
    }

    fn pace(lines: &str) -> Pace {
        Pace::of(&read(lines), &Profile::neutral())
    }

    /// A time of a certain day, `hh:mm:ss`. Hours go on behind 24, and seconds may be decimal.
    fn at(clock: &str) -> SystemTime {
        let numbers: Vec<f64> = clock.split(':').map(|part| part.parse().unwrap()).collect();
        let seconds = numbers[0] * 3600.0 + numbers[1] * 60.0 + numbers[2];
        UNIX_EPOCH + DAY * 20_000 + Duration::from_secs_f64(seconds)
    }

    fn origin(name: &str) -> Origin {
        Origin::of(&format!("https://{name}.example/")).unwrap()
    }

    /// Checks cases of the last request (`-`: none), the time now, and that of the next request.
    fn check(lines: &str, cases: &[(&str, &str, &str)]) {
        let pace = pace(lines);
        for &(last, now, expected) in cases {
            let last_at = (last != "-").then(|| at(last));
            let next = pace.next_allowed_at(last_at, at(now));
            assert_eq!(next, at(expected), "{lines:?}: {last}, {now}: {expected}");
        }
    }

    #[test]
    fn who_asks_for_nothing_is_asked_at_once() {
        check(
            "Disallow: /x",
            &[
                ("-", "08:00:00", "08:00:00"),
                ("08:00:00", "08:00:00", "08:00:00"),
                ("07:00:00", "08:00:00", "08:00:00"),
            ],
        );
        assert_eq!(pace("Crawl-delay: 0"), Pace::default());
    }

    #[test]
    fn a_delay_is_from_the_last_request() {
        check(
            "Crawl-delay: 10",
            &[
                ("-", "08:00:00", "08:00:00"),
                ("08:00:00", "08:00:00", "08:00:10"),
                ("08:00:00", "08:00:04", "08:00:10"),
                ("08:00:00", "08:00:10", "08:00:10"),
                ("08:00:00", "09:00:00", "09:00:00"),
                ("23:59:55", "23:59:56", "24:00:05"),
            ],
        );
    }

    #[test]
    fn delays_may_be_shorter_than_a_second() {
        check(
            "Crawl-delay: 0.5",
            &[
                ("08:00:00", "08:00:00", "08:00:00.5"),
                ("08:00:00.25", "08:00:00.5", "08:00:00.75"),
                ("08:00:00.25", "08:00:00.875", "08:00:00.875"),
                ("23:59:59.75", "23:59:59.75", "24:00:00.25"),
            ],
        );
        check(
            "Request-rate: 4/1s",
            &[("08:00:00", "08:00:00", "08:00:00.25")],
        );
        // Hours begin with a minute, however late it is in the second before.
        check(
            "Visit-time: 0900-1000",
            &[
                ("-", "08:59:59.875", "09:00:00"),
                ("-", "09:59:59.875", "09:59:59.875"),
                ("-", "10:00:00.125", "33:00:00"),
            ],
        );
    }

    #[test]
    fn the_slowest_counts() {
        let next = |lines, expected| check(lines, &[("08:00:00", "08:00:01", expected)]);
        next("Request-rate: 100/15m", "08:00:09");
        next("Crawl-delay: 10\nRequest-rate: 1/30", "08:00:30");
        next("Crawl-delay: 60\nRequest-rate: 1/30", "08:01:00");
        // The rates that Protego is tested with (SEMANTICS 2.7).
        let rates = "Request-rate: 1/10s\nRequest-rate: 100/15m\nRequest-rate: 400/1h\n\
            Request-rate: 9000/1d";
        next(rates, "08:00:10");
        // The block of many shops (SEMANTICS 3.3).
        let shop = "Crawl-delay: 10\nRequest-rate: 1/10\nVisit-time: 0400-0845";
        next(shop, "08:00:10");
    }

    #[test]
    fn a_rate_counts_in_its_hours() {
        check(
            "Request-rate: 1/10 0800-1600",
            &[
                ("07:59:55", "07:59:56", "07:59:56"),
                ("07:59:55", "08:00:00", "08:00:05"),
                ("08:00:00", "08:00:00", "08:00:10"),
                // The rate ends before the interval does.
                ("15:59:55", "15:59:56", "16:00:00"),
                ("15:59:55", "16:00:00", "16:00:00"),
            ],
        );
        check(
            "Request-rate: 1/60 0800-1200\nRequest-rate: 1/10 1000-1600",
            &[
                ("11:00:00", "11:00:01", "11:01:00"),
                ("11:59:30", "11:59:31", "12:00:00"),
                ("12:00:00", "12:00:00", "12:00:10"),
            ],
        );
        check(
            "Crawl-delay: 10\nRequest-rate: 1/2h 0800-1000",
            &[
                ("07:59:00", "08:00:00", "09:59:00"),
                ("08:30:00", "08:30:00", "10:00:00"),
                ("09:59:55", "09:59:55", "10:00:05"),
                ("07:59:55", "07:59:55", "09:59:55"),
            ],
        );
        check(
            "Request-rate: 1/60 2200-0400",
            &[
                ("21:59:59", "21:59:59", "21:59:59"),
                ("21:59:59", "22:00:00", "22:00:59"),
                ("23:59:30", "23:59:40", "24:00:30"),
                ("03:59:30", "03:59:31", "04:00:00"),
            ],
        );
    }

    #[test]
    fn a_visit_waits_for_its_hours() {
        check(
            "Visit-time: 0400-0845",
            &[
                ("-", "03:00:00", "04:00:00"),
                ("-", "04:00:00", "04:00:00"),
                ("-", "08:44:59", "08:44:59"),
                ("08:44:59", "08:45:00", "28:00:00"),
            ],
        );
        check(
            "Visit-time: 2200-0400",
            &[
                ("-", "21:00:00", "22:00:00"),
                ("-", "23:00:00", "23:00:00"),
                ("-", "24:00:00", "24:00:00"),
                ("-", "03:59:59", "03:59:59"),
                ("-", "04:00:00", "22:00:00"),
            ],
        );
        check(
            "Crawl-delay: 2\nVisit-time: 0400-0845",
            &[
                ("08:44:57", "08:44:58", "08:44:59"),
                ("08:44:58", "08:44:59", "28:00:00"),
            ],
        );
        // 30 days, and then until the hour.
        check(
            "Crawl-delay: 2592000\nVisit-time: 0400-0845",
            &[("03:00:00", "03:00:00", "724:00:00")],
        );
        for all_day in ["1000-1000", "0000-2400", "0000-0000"] {
            assert_eq!(pace(&format!("Visit-time: {all_day}")), Pace::default());
        }
    }

    #[test]
    fn what_is_not_honoured_is_not_kept() {
        let lines = "Crawl-delay: 10\nRequest-rate: 1/60\nVisit-time: 0400-0845";
        let robots = read(lines);
        for (honours, same) in [
            (Honours::USUAL, lines),
            (Honours::CRAWL_DELAY, "Crawl-delay: 10"),
            (Honours::REQUEST_RATE, "Request-rate: 1/60"),
            (Honours::VISIT_TIME, "Visit-time: 0400-0845"),
            (Honours::empty(), ""),
        ] {
            let profile = Profile::neutral().with_honours(honours);
            assert_eq!(Pace::of(&robots, &profile), pace(same), "{honours:?}");
        }
        let google = Policy::under(&Profile::google(), "Googlebot");
        let body = format!("User-agent: *\n{lines}\n");
        let robots = google.robots(RobotsFetch::Body(body.as_bytes()));
        assert_eq!(Pace::of(&robots, google.profile()), Pace::default());
    }

    #[test]
    fn without_rules_nothing_is_asked_for() {
        let policy = Policy::new("ExampleBot");
        for fetch in [
            RobotsFetch::Status(404),
            RobotsFetch::Status(503),
            RobotsFetch::Unreachable,
            RobotsFetch::NotFetched,
        ] {
            let robots = policy.robots(fetch);
            assert!(!matches!(robots, Robots::Rules(_)));
            assert_eq!(Pace::of(&robots, policy.profile()), Pace::default());
        }
    }

    #[test]
    fn a_last_request_in_the_future_counts_as_now() {
        check(
            "Crawl-delay: 10",
            &[
                ("08:00:01", "08:00:00", "08:00:10"),
                ("8000:00:00", "08:00:00", "08:00:10"),
            ],
        );
    }

    #[test]
    fn there_were_days_before_1970() {
        let pace = pace("Crawl-delay: 10\nVisit-time: 0000-0100");
        let milli = Duration::from_millis(1);
        let midnight = UNIX_EPOCH - DAY;
        for (last, now, expected) in [
            (None, UNIX_EPOCH - milli, UNIX_EPOCH),
            (None, midnight, midnight),
            (None, midnight - milli, midnight),
            (None, midnight + SECOND * 3599, midnight + SECOND * 3599),
            (None, midnight + SECOND * 3600, UNIX_EPOCH),
            (
                Some(UNIX_EPOCH - SECOND),
                UNIX_EPOCH,
                UNIX_EPOCH + SECOND * 9,
            ),
            (Some(midnight), midnight, midnight + SECOND * 10),
        ] {
            assert_eq!(pace.next_allowed_at(last, now), expected, "{now:?}");
        }
    }

    #[test]
    fn time_may_end() {
        let pace = pace("Crawl-delay: 2592000\nVisit-time: 0400-0845");
        // As far as Unix goes. Other systems do not go that far.
        let ages = Duration::from_secs(i64::MAX.unsigned_abs());
        let ends = [UNIX_EPOCH.checked_add(ages), UNIX_EPOCH.checked_sub(ages)];
        for end in ends.into_iter().flatten() {
            assert!(pace.next_allowed_at(Some(end), end) >= end);
            assert!(pace.next_allowed_at(None, end) >= end);
        }
        let mut schedule = Schedule::new().with_minimum_delay(Duration::MAX);
        let (a, now) = (origin("a"), at("08:00:00"));
        schedule.note_request(&a, now);
        let next = schedule.next_allowed_at(&a, &pace, now);
        assert!(next > now + DAY * 365_000, "{next:?}");
    }

    /// Random numbers, the same each time.
    struct Random(u32);

    impl Random {
        fn below(&mut self, bound: u32) -> u32 {
            self.0 ^= self.0 << 13;
            self.0 ^= self.0 >> 17;
            self.0 ^= self.0 << 5;
            self.0 % bound
        }

        /// Most are short, some are longer than a day.
        fn seconds(&mut self) -> u32 {
            let longest = [600, 600, 600, 600, 600, 4 * 3600, 4 * 3600, 40 * 3600];
            let longest = longest[self.below(8) as usize];
            1 + self.below(longest)
        }

        fn duration(&mut self) -> Duration {
            Duration::from_secs(u64::from(self.seconds()))
        }

        /// `hhmm`: a quarter of an hour in half of the cases, so that hours meet.
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

    fn rules(robots: &Robots) -> &SiteRules {
        match robots {
            Robots::Rules(site) => site,
            other => panic!("{other:?}"),
        }
    }

    /// By definition: the time between two requests at a minute of the day; `None` if nobody should
    /// come.
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

    /// By definition: whether a document may be asked for at a moment (after 1970).
    fn is_allowed(site: &SiteRules, last: Option<SystemTime>, moment: SystemTime) -> bool {
        let seconds = moment.duration_since(UNIX_EPOCH).unwrap().as_secs();
        let minute = u16::try_from(seconds / 60 % 1440).unwrap();
        interval(site, minute)
            .is_some_and(|interval| last.is_none_or(|last| last + interval <= moment))
    }

    #[test]
    fn it_is_the_first_second_that_is_allowed() {
        let mut random = Random(2_463_534_242);
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
            // Asked again at that time, it is the same.
            assert_eq!(pace.next_allowed_at(last_seen, next), next, "{lines}");
            match next.duration_since(now).unwrap() {
                wait if wait.is_zero() => at_once += 1,
                wait if wait < SECOND * 3600 => waits += 1,
                _ => long_waits += 1,
            }
        }
        assert!(
            at_once > 50 && waits > 50 && long_waits > 50,
            "{at_once} {waits} {long_waits}"
        );
    }

    #[test]
    fn a_timetable_is_what_many_rates_say() {
        let mut random = Random(88_675_123);
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

    #[test]
    fn each_origin_has_its_own_time() {
        let mut schedule = Schedule::new();
        let (a, b, pace) = (origin("a"), origin("b"), pace("Crawl-delay: 10"));
        let now = at("08:00:00");
        assert_eq!(schedule.next_allowed_at(&a, &pace, now), now);
        // A question is no request.
        assert_eq!(schedule.next_allowed_at(&a, &pace, now), now);
        schedule.note_request(&a, now);
        assert_eq!(schedule.next_allowed_at(&a, &pace, now), now + SECOND * 10);
        assert_eq!(schedule.next_allowed_at(&b, &pace, now), now);
        let then = now + SECOND * 10;
        assert_eq!(schedule.next_allowed_at(&a, &pace, then), then);
        schedule.note_request(&a, then);
        assert_eq!(
            schedule.next_allowed_at(&a, &pace, then),
            then + SECOND * 10
        );
        schedule.forget(&a);
        assert_eq!(schedule.next_allowed_at(&a, &pace, then), then);
    }

    #[test]
    fn the_robot_has_its_own_limits() {
        let now = at("08:00:00");
        let wait = |schedule: Schedule, lines: &str| {
            let (mut schedule, a) = (schedule, origin("a"));
            schedule.note_request(&a, now);
            let next = schedule.next_allowed_at(&a, &pace(lines), now);
            next.duration_since(now).unwrap().as_secs()
        };
        let at_least = || Schedule::new().with_minimum_delay(SECOND * 5);
        assert_eq!(wait(at_least(), ""), 5);
        assert_eq!(wait(at_least(), "Crawl-delay: 4"), 5);
        assert_eq!(wait(at_least(), "Crawl-delay: 6"), 6);
        let at_most = || Schedule::new().with_maximum_delay(Some(SECOND * 30));
        assert_eq!(wait(at_most(), ""), 0);
        assert_eq!(wait(at_most(), "Crawl-delay: 29"), 29);
        assert_eq!(wait(at_most(), "Crawl-delay: 30"), 30);
        assert_eq!(wait(at_most(), "Crawl-delay: 31"), 30);
        assert_eq!(wait(at_most(), "Request-rate: 1/1d"), 30);
        // Hours are hours.
        assert_eq!(
            wait(at_most(), "Crawl-delay: 60\nVisit-time: 0900-1000"),
            3600
        );
        assert_eq!(
            wait(at_most().with_maximum_delay(None), "Crawl-delay: 31"),
            31
        );
        let both = at_most().with_minimum_delay(SECOND * 60);
        assert_eq!(wait(both, "Crawl-delay: 45"), 60);
    }

    #[test]
    fn a_site_that_asks_for_time_gets_it() {
        let mut schedule = Schedule::new().with_maximum_delay(Some(SECOND));
        let (a, pace) = (origin("a"), pace("Crawl-delay: 10\nVisit-time: 0800-0900"));
        let now = at("08:00:00");
        schedule.back_off(&a, at("08:02:00"));
        assert_eq!(schedule.next_allowed_at(&a, &pace, now), at("08:02:00"));
        // The latest counts.
        schedule.back_off(&a, at("08:01:00"));
        assert_eq!(schedule.next_allowed_at(&a, &pace, now), at("08:02:00"));
        // A request does not end it.
        schedule.note_request(&a, at("08:01:30"));
        assert_eq!(schedule.next_allowed_at(&a, &pace, now), at("08:02:00"));
        let behind = at("08:02:30");
        assert_eq!(schedule.next_allowed_at(&a, &pace, behind), behind);
        // What ends outside the hours goes on to the next ones.
        schedule.back_off(&a, at("09:00:00"));
        assert_eq!(schedule.next_allowed_at(&a, &pace, now), at("32:00:00"));
    }

    #[test]
    fn a_clock_that_goes_back_stops_nothing() {
        let mut schedule = Schedule::new();
        let (a, pace) = (origin("a"), pace("Crawl-delay: 10"));
        // Ten years ahead, by mistake.
        schedule.note_request(&a, at("08:00:00") + DAY * 3650);
        let now = at("08:00:00");
        let next = now + SECOND * 10;
        assert_eq!(schedule.next_allowed_at(&a, &pace, now), next);
        // Time passes, and the answer stays.
        let soon = now + SECOND * 9;
        assert_eq!(schedule.next_allowed_at(&a, &pace, soon), next);
        assert_eq!(schedule.next_allowed_at(&a, &pace, next), next);
        // A note of an earlier time replaces that of a later one.
        schedule.note_request(&a, next + DAY);
        schedule.note_request(&a, next);
        assert_eq!(
            schedule.next_allowed_at(&a, &pace, next),
            next + SECOND * 10
        );
        // A clock that goes on far at once has waited enough.
        let far = now + DAY * 3650;
        assert_eq!(schedule.next_allowed_at(&a, &pace, far), far);
    }

    #[test]
    fn a_schedule_has_a_bound() {
        assert_eq!(Schedule::default().capacity, MAX_SCHEDULED_ORIGINS);
        let now = at("08:00:00");
        let fill = |capacity: usize, count: u32| {
            let mut schedule = Schedule::new().with_capacity(capacity);
            for number in 0..count {
                schedule.note_request(&origin(&format!("a{number}")), now + SECOND * number);
            }
            schedule
        };
        for (capacity, count, expected) in [
            (8, 7, 7),
            (8, 8, 8),
            (8, 9, 8),
            (8, 100, 8),
            // An eighth at once.
            (16, 16, 16),
            (16, 17, 15),
            (16, 18, 16),
            // At least one.
            (1, 3, 1),
            (0, 3, 1),
        ] {
            let kept = fill(capacity, count).origins.len();
            assert_eq!(kept, expected, "{count} of {capacity}");
        }
        // The last ones are kept, and there is no need of room for one that is known.
        let mut schedule = fill(8, 9);
        assert!(!schedule.origins.contains_key(&origin("a0")));
        assert!(schedule.origins.contains_key(&origin("a1")));
        schedule.note_request(&origin("a1"), now);
        assert_eq!(schedule.origins.len(), 8);
        let schedule = schedule.with_capacity(3);
        assert_eq!(schedule.origins.len(), 3);
        assert!(schedule.origins.contains_key(&origin("a8")));
    }

    #[test]
    fn of_origins_that_are_alike_no_more_are_forgotten() {
        let now = at("08:00:00");
        let mut schedule = Schedule::new().with_capacity(16);
        for number in 0..17 {
            schedule.note_request(&origin(&format!("a{number}")), now);
        }
        assert_eq!(schedule.origins.len(), 15);
    }

    #[test]
    fn those_that_may_be_asked_are_forgotten_first() {
        let mut schedule = Schedule::new().with_capacity(4);
        let (slow, quick) = (pace("Crawl-delay: 3600"), pace("Crawl-delay: 1"));
        let now = at("08:00:00");
        for (name, pace, seconds) in [("slow", &slow, 0), ("quick", &quick, 10), ("b", &quick, 30)]
        {
            let time = now + SECOND * seconds;
            schedule.note_request(&origin(name), time);
            schedule.next_allowed_at(&origin(name), pace, time);
        }
        let until = now + SECOND * 7200;
        schedule.back_off(&origin("closed"), until);
        // Slow was asked before Quick, and yet it is not its turn.
        let time = now + SECOND * 31;
        schedule.note_request(&origin("new"), time);
        assert!(!schedule.origins.contains_key(&origin("quick")));
        for (name, pace, expected) in [
            ("slow", &slow, now + SECOND * 3600),
            ("closed", &quick, until),
            ("b", &quick, time),
            ("quick", &quick, time),
        ] {
            let next = schedule.next_allowed_at(&origin(name), pace, time);
            assert_eq!(next, expected, "{name}");
        }
    }

    #[test]
    fn it_goes_between_threads() {
        fn is_send_and_sync<T: Send + Sync + 'static>() {}
        is_send_and_sync::<Pace>();
        is_send_and_sync::<Schedule>();
    }
}
