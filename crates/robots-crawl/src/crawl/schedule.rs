//! The schedule of a robot: the last requests to many origins.

use super::pace::{Pace, later};
use robots_policy::origins::Origin;
use std::collections::HashMap;
use std::time::{Duration, SystemTime};

/// The default number of origins that a [`Schedule`] keeps. Each takes about a hundred bytes and its name.
pub const MAX_SCHEDULED_ORIGINS: usize = 1_000_000;

/// The times of the next requests to many origins, for one robot.
///
/// The caller reports each request ([`note_request`](Self::note_request)) and each site that asks for
/// a pause ([`back_off`](Self::back_off)).
///
/// ```
/// use robots_crawl::{Pace, Schedule};
/// use robots_policy::origins::Origin;
/// use std::time::{Duration, UNIX_EPOCH};
///
/// let mut schedule = Schedule::new().with_minimum_delay(Duration::from_secs(1));
/// let origin = Origin::of("https://example.com/")?;
/// // In practice the pace of its robots.txt: `Pace::of`.
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
/// # Ok::<(), robots_policy::origins::UrlError>(())
/// ```
///
/// # Bound
///
/// The number of origins has a limit ([`with_capacity`](Self::with_capacity)). A full schedule forgets
/// one eighth of them before it adds a new one: those that may be requested first. Forgetting an origin that may be
/// requested now changes nothing. If too few may be requested now, one request to a forgotten origin may be too
/// early.
///
/// The order follows the pace that was last passed for each origin to [`next_allowed_at`](Self::next_allowed_at), or
/// the minimum delay before the first such call.
///
/// Each call takes one look-up. Forgetting an eighth sorts the times of all origins once.
#[derive(Debug, Clone)]
pub struct Schedule {
    origins: HashMap<Origin, Requests>,
    capacity: usize,
    minimum_delay: Duration,
}

/// The requests to one origin.
#[derive(Debug, Clone, Copy, Default)]
struct Requests {
    /// The time of the last one.
    last: Option<SystemTime>,
    /// The end of a pause that the site asked for.
    until: Option<SystemTime>,
    /// The longest time between two requests, by the pace that was last passed.
    interval: Duration,
}

impl Requests {
    /// Returns the time from which the origin may be requested; `None` means at any time. Visit hours are left out: they
    /// still apply after the origin is forgotten.
    fn free_at(&self, minimum_delay: Duration) -> Option<SystemTime> {
        let interval = self.interval.max(minimum_delay);
        let rested = self.last.map(|last| later(last, interval));
        rested.max(self.until)
    }
}

impl Schedule {
    /// Returns a schedule without any request.
    pub fn new() -> Self {
        Self {
            origins: HashMap::new(),
            capacity: MAX_SCHEDULED_ORIGINS,
            minimum_delay: Duration::ZERO,
        }
    }

    /// Sets the minimum time between two requests to one origin, even if its robots.txt permits less. The
    /// default is zero.
    #[must_use]
    pub fn with_minimum_delay(mut self, minimum: Duration) -> Self {
        self.minimum_delay = minimum;
        self
    }

    /// Sets the maximum number of origins: at least one. The default is [`MAX_SCHEDULED_ORIGINS`].
    #[must_use]
    pub fn with_capacity(mut self, capacity: usize) -> Self {
        self.capacity = capacity.max(1);
        self.forget_first(self.origins.len().saturating_sub(self.capacity));
        self
    }

    /// Returns the time from which the next document of the origin may be requested. It is never before
    /// `now`.
    ///
    /// If the last request was after `now`, the clock was set back, and the request counts as made `now`
    /// from here on: the schedule is changed.
    pub fn next_allowed_at(&mut self, origin: &Origin, pace: &Pace, now: SystemTime) -> SystemTime {
        let mut last = None;
        let mut from = now;
        if let Some(requests) = self.origins.get_mut(origin) {
            requests.interval = pace.longest_interval();
            requests.last = requests.last.map(|last| last.min(now));
            last = requests.last;
            from = requests.until.map_or(now, |until| until.max(now));
        }
        pace.first_moment(last, from, self.minimum_delay)
    }

    /// Records a request for a document. It replaces the one before, even a later one, as clocks may be set back.
    pub fn note_request(&mut self, origin: &Origin, at: SystemTime) {
        self.change(origin, |requests| requests.last = Some(at));
    }

    /// Records that the site asked for a pause until this time (`Retry-After`, status 429 or 503). The latest of
    /// several times counts. The caller chooses the pause without `Retry-After`, and limits a `Retry-After` that is too
    /// long.
    pub fn back_off(&mut self, origin: &Origin, until: SystemTime) {
        self.change(origin, |requests| {
            requests.until = requests.until.max(Some(until));
        });
    }

    fn change(&mut self, origin: &Origin, change: impl FnOnce(&mut Requests)) {
        if let Some(requests) = self.origins.get_mut(origin) {
            change(requests);
            return;
        }
        if self.origins.len() >= self.capacity {
            self.forget_first((self.capacity / 8).max(1));
        }
        let mut requests = Requests::default();
        change(&mut requests);
        self.origins.insert(origin.clone(), requests);
    }

    /// Forgets this many origins: those that may be requested first.
    fn forget_first(&mut self, count: usize) {
        let minimum_delay = self.minimum_delay;
        let all_requests = self.origins.values();
        let mut times: Vec<_> = all_requests
            .map(|requests| requests.free_at(minimum_delay))
            .collect();
        times.sort_unstable();
        let Some(&bound) = times.get(..count).and_then(<[_]>::last) else {
            return;
        };
        // Several origins may be free at `bound`: only as many of them as `count` still needs are forgotten.
        let before = times.partition_point(|time| *time < bound);
        let mut at_bound = count - before;
        self.origins.retain(|_, requests| {
            let time = requests.free_at(minimum_delay);
            if time == bound && at_bound > 0 {
                at_bound -= 1;
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
    use robots_policy::{Policy, Profile, RobotsFetch};
    use std::time::UNIX_EPOCH;

    const SECOND: Duration = Duration::from_secs(1);
    const DAY: Duration = Duration::from_secs(86_400);

    fn pace(lines: &str) -> Pace {
        let body = format!("User-agent: *\n{lines}\n");
        let robots = Policy::default().robots(RobotsFetch::Body(body.as_bytes()));
        Pace::of(&robots, &Profile::neutral())
    }

    /// Returns a time of a certain day, `hh:mm:ss`. Hours continue past 24.
    fn at(clock: &str) -> SystemTime {
        let numbers: Vec<f64> = clock.split(':').map(|part| part.parse().unwrap()).collect();
        let seconds = numbers[0] * 3600.0 + numbers[1] * 60.0 + numbers[2];
        UNIX_EPOCH + DAY * 20_000 + Duration::from_secs_f64(seconds)
    }

    fn origin(name: &str) -> Origin {
        Origin::of(&format!("https://{name}.example/")).unwrap()
    }

    #[test]
    fn the_end_of_time_is_no_error() {
        let pace = pace("Crawl-delay: 2592000\nVisit-time: 0400-0845");
        // The first and the last time of Unix. Other systems may not represent them.
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
        // After a thousand years, or more.
        assert!(next > now + DAY * 365_000, "{next:?}");
    }

    #[test]
    fn each_origin_has_its_own_time() {
        let mut schedule = Schedule::new();
        let (a, b, pace) = (origin("a"), origin("b"), pace("Crawl-delay: 10"));
        let now = at("08:00:00");
        assert_eq!(schedule.next_allowed_at(&a, &pace, now), now);
        // Asking for the time does not count as a request.
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
    }

    #[test]
    fn the_robot_has_its_own_minimum_delay() {
        let now = at("08:00:00");
        for (lines, seconds) in [("", 5), ("Crawl-delay: 4", 5), ("Crawl-delay: 6", 6)] {
            let mut schedule = Schedule::new().with_minimum_delay(SECOND * 5);
            schedule.note_request(&origin("a"), now);
            let next = schedule.next_allowed_at(&origin("a"), &pace(lines), now);
            assert_eq!(next, now + SECOND * seconds, "{lines}");
        }
    }

    #[test]
    fn a_site_that_asks_for_a_pause_gets_it() {
        let mut schedule = Schedule::new();
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
        let after = at("08:02:30");
        assert_eq!(schedule.next_allowed_at(&a, &pace, after), after);
        // A pause that ends outside the hours continues to the next ones.
        schedule.back_off(&a, at("09:00:00"));
        assert_eq!(schedule.next_allowed_at(&a, &pace, now), at("32:00:00"));
    }

    #[test]
    fn a_clock_that_is_set_back_blocks_nothing() {
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
        // A clock that jumps ahead has waited enough.
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
        // The origins with the latest requests are kept. Another request to one of them does not need room.
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
    fn only_an_eighth_of_origins_with_the_same_time_is_forgotten() {
        let now = at("08:00:00");
        let mut schedule = Schedule::new().with_capacity(16);
        for number in 0..17 {
            schedule.note_request(&origin(&format!("a{number}")), now);
        }
        assert_eq!(schedule.origins.len(), 15);
    }

    #[test]
    fn origins_that_may_be_asked_are_forgotten_first() {
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
        // Slow was asked before Quick, but may be asked later.
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
    fn pace_and_schedule_are_send_and_sync() {
        fn is_send_and_sync<T: Send + Sync + 'static>() {}
        is_send_and_sync::<Pace>();
        is_send_and_sync::<Schedule>();
    }
}
