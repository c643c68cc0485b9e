//! The counts of an audit. Each block of a log has counts of its own; they are joined in the order of the blocks, so that
//! the sums are the same with any number of threads.

use super::log::{BadLine, LogFormat, Moment};
use super::requester::Claim;
use crate::statistics::distribution::Distribution;
use crate::statistics::tally::Tally;
use crate::terminal::shortened;
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

/// The maximum number of robots with counts of their own. Past it, the requests of further robots are counted together. Robots
/// of the table always have counts of their own.
pub(super) const MAX_ROBOTS: usize = 500;

/// The maximum number of paths, and of rules, that are counted for each robot.
pub(super) const MAX_PATHS: usize = 500;

/// The maximum number of days with counts of their own: ten years.
pub(super) const MAX_DAYS: usize = 3_660;

/// The maximum number of hosts for which the pace of a robot is measured.
const MAX_HOSTS: usize = 1_000;

/// The maximum number of forbidden requests of a robot that are kept as examples.
const MAX_EXAMPLES: usize = 5;

/// The maximum number of characters that are shown of a line that could not be read.
const MAX_LINE_CHARS: usize = 100;

/// The position of a line in a log, or in a block of a log.
#[derive(Debug, Clone, Copy)]
pub(super) struct LogPosition {
    /// The index of the log, from 0.
    pub(super) log: usize,
    /// The number of the line, from 1.
    pub(super) line: u64,
}

impl LogPosition {
    /// Turns a position in a block into one in the log: `lines_before` is the number of lines before the block.
    fn after(self, lines_before: u64) -> Self {
        Self {
            line: self.line + lines_before,
            ..self
        }
    }
}

/// The lines that could not be read, all for the same reason.
#[derive(Debug, Clone)]
pub(super) struct BadLines {
    pub(super) lines: u64,
    /// The position of the first.
    pub(super) first: LogPosition,
    /// The start of the first.
    pub(super) text: String,
}

/// All counts of an audit.
#[derive(Debug, Default)]
pub(super) struct Count {
    /// The number of lines that are neither empty nor directives of a W3C extended log.
    pub(super) lines: u64,
    pub(super) formats: BTreeMap<LogFormat, u64>,
    pub(super) bad_lines: BTreeMap<BadLine, BadLines>,
    pub(super) time: TimeSpan,
    /// By the number of the day since 1970.
    pub(super) days: BTreeMap<i64, DayCount>,
    pub(super) robots: HashMap<RobotName, RobotCount>,
    /// The requests on days beyond [`MAX_DAYS`].
    pub(super) beyond_days: u64,
    /// The requests of robots before the first known robots.txt. They are judged by that file.
    pub(super) early: u64,
    /// The requests of robots, other than for robots.txt, that have no path, or whose host has no known robots.txt.
    pub(super) unjudged: u64,
    /// The requests of robots beyond [`MAX_ROBOTS`].
    pub(super) beyond_limit: u64,
    /// The requests of programs that claim to be neither a robot nor a browser, by product token.
    pub(super) programs: Tally<RequestCount>,
    /// The requests of browsers, and of programs that claim to be one.
    pub(super) browsers: RequestCount,
    /// The requests without a name of the requester.
    pub(super) unnamed: RequestCount,
}

/// The name of a robot, used by the robot itself or falsely by another requester.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct RobotName {
    pub(super) token: Arc<str>,
    /// Whether the use is false: the addresses are not those of the robot's operator.
    pub(super) is_refuted: bool,
}

/// The first and the last time, in milliseconds since 1970.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct TimeSpan(pub(super) Option<(i64, i64)>);

impl TimeSpan {
    pub(super) fn add(&mut self, time: i64) {
        self.join(Self(Some((time, time))));
    }

    fn join(&mut self, other: Self) {
        self.0 = match (self.0, other.0) {
            (Some((first, last)), Some((one, two))) => Some((first.min(one), last.max(two))),
            (one, two) => one.or(two),
        };
    }
}

/// The requests of a day.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct DayCount {
    /// The requests of all requesters.
    pub(super) requests: u64,
    /// The requests of robots.
    pub(super) robots: u64,
    /// The requests of robots that fetch for AI, which are among those of robots.
    pub(super) ai: u64,
}

/// The number of requests, and of those for robots.txt among them.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct RequestCount {
    pub(super) requests: u64,
    pub(super) robots_txt: u64,
}

impl RequestCount {
    pub(super) fn add(&mut self, is_robots_txt: bool) {
        self.requests += 1;
        self.robots_txt += u64::from(is_robots_txt);
    }

    fn join(&mut self, other: Self) {
        self.requests += other.requests;
        self.robots_txt += other.robots_txt;
    }
}

/// The number of responses by class of status: without a status, and 1xx to 5xx.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Statuses(pub(super) [u64; 6]);

impl Statuses {
    pub(super) const NAMES: [&'static str; 6] = ["none", "1xx", "2xx", "3xx", "4xx", "5xx"];

    pub(super) fn add(&mut self, status: Option<u16>) {
        // HTTP has no status above 599.
        let status = status.filter(|status| *status < 600);
        let class = status.map_or(0, |status| usize::from(status / 100));
        if let Some(count) = self.0.get_mut(class) {
            *count += 1;
        }
    }

    fn join(&mut self, other: Self) {
        for (count, more) in self.0.iter_mut().zip(other.0) {
            *count += more;
        }
    }
}

/// The counts of a robot.
#[derive(Debug, Default)]
pub(super) struct RobotCount {
    pub(super) requests: u64,
    pub(super) bytes: u64,
    pub(super) time: TimeSpan,
    pub(super) statuses: Statuses,
    /// The responses to its requests for robots.txt alone.
    pub(super) robots_txt: Statuses,
    /// By the first part of the path.
    pub(super) paths: Tally<u64, MAX_PATHS>,
    /// The requests for which a robots.txt was in force.
    pub(super) judged: u64,
    pub(super) forbidden: u64,
    /// The judged requests that the file in force forbids, but that an older one, which still applies, allows.
    pub(super) in_grace: u64,
    /// By the rule that forbade the request.
    pub(super) rules: Tally<u64, MAX_PATHS>,
    pub(super) examples: Vec<ForbiddenRequest>,
    pub(super) verified: u64,
    pub(super) unverified: u64,
    pub(super) pace: Pace,
}

/// A request that was forbidden.
#[derive(Debug, Clone)]
pub(super) struct ForbiddenRequest {
    pub(super) at: LogPosition,
    /// In milliseconds since 1970.
    pub(super) time: i64,
    pub(super) target: String,
    pub(super) rule: String,
}

/// The times between the requests of a robot to a host, without those for robots.txt.
///
/// The counts of a block have only `requests`. When the block is joined, the other fields of the counts of the whole audit
/// follow from these requests.
#[derive(Debug, Default)]
pub(super) struct Pace {
    /// The requests of a block, in order: the host, the time, and the requested delay in milliseconds.
    requests: Vec<(Box<str>, Moment, Option<u32>)>,
    /// The last request to each host.
    last: HashMap<Box<str>, Moment>,
    /// The times between two requests, in tenths of a second.
    pub(super) gaps: Option<Box<Distribution>>,
    /// The requests that follow another one, and for which a delay was requested.
    pub(super) judged: u64,
    /// The requests among these that certainly came too soon, however the log rounds times.
    pub(super) too_soon: u64,
    /// The longest requested delay, in milliseconds.
    pub(super) delay: Option<u32>,
}

impl Pace {
    pub(super) fn add(&mut self, host: Box<str>, time: Moment, delay: Option<u32>) {
        self.requests.push((host, time, delay));
    }

    /// Forgets the last requests, before another log with other times.
    fn start_log(&mut self) {
        self.last.clear();
    }

    /// Adds the requests of the next block.
    fn append(&mut self, next: Self) {
        for (host, time, delay) in next.requests {
            self.delay = self.delay.max(delay);
            let Some(last) = self.last.get_mut(&host) else {
                // The first request to a host does not follow one. Hosts beyond the limit are not measured.
                if self.last.len() < MAX_HOSTS {
                    self.last.insert(host, time);
                }
                continue;
            };
            let before = *last;
            let gap = time.milliseconds - before.milliseconds;
            // A line is written when the response ends, so a request may follow a later one in the log: the gap is negative,
            // and is not counted.
            let Ok(waited) = usize::try_from(gap) else {
                continue;
            };
            self.gaps
                .get_or_insert_default()
                .add((waited / 100).min(MAX_GAP));
            *last = time;
            if let Some(delay) = delay {
                self.judged += 1;
                // If times are rounded, the true gap differs by less than one unit.
                let longest = gap + time.resolution.max(before.resolution);
                let is_too_soon = longest <= i64::from(delay);
                self.too_soon += u64::from(is_too_soon);
            }
        }
    }
}

/// The maximum gap that is counted, in tenths of a second: a day. Longer ones count as that.
const MAX_GAP: usize = 864_000;

impl RobotCount {
    pub(super) fn add_claim(&mut self, claim: Claim) {
        match claim {
            Claim::Verified => self.verified += 1,
            Claim::Unknown => self.unverified += 1,
            // These are counted as a robot of their own (`RobotName::is_refuted`).
            Claim::Refuted => {}
        }
    }

    pub(super) fn add_example(&mut self, example: impl FnOnce() -> ForbiddenRequest) {
        if self.examples.len() < MAX_EXAMPLES {
            self.examples.push(example());
        }
    }

    fn join(&mut self, other: Self, lines_before: u64) {
        let sum = |count: &mut u64, more: u64| *count += more;
        sum(&mut self.requests, other.requests);
        // A log may have any numbers of bytes.
        self.bytes = self.bytes.saturating_add(other.bytes);
        self.time.join(other.time);
        self.statuses.join(other.statuses);
        self.robots_txt.join(other.robots_txt);
        self.paths.merge(other.paths, sum);
        sum(&mut self.judged, other.judged);
        sum(&mut self.forbidden, other.forbidden);
        sum(&mut self.in_grace, other.in_grace);
        self.rules.merge(other.rules, sum);
        for mut example in other.examples {
            example.at = example.at.after(lines_before);
            self.add_example(|| example);
        }
        sum(&mut self.verified, other.verified);
        sum(&mut self.unverified, other.unverified);
        self.pace.append(other.pace);
    }
}

impl Count {
    /// Returns the counts of a robot of this block.
    pub(super) fn robot(&mut self, name: RobotName) -> &mut RobotCount {
        self.robots.entry(name).or_default()
    }

    /// Adds a line that could not be read.
    pub(super) fn add_bad_line(&mut self, reason: BadLine, at: LogPosition, line: &[u8]) {
        let first = || BadLines {
            lines: 0,
            first: at,
            text: shortened(&String::from_utf8_lossy(line), MAX_LINE_CHARS).into_owned(),
        };
        self.bad_lines.entry(reason).or_insert_with(first).lines += 1;
    }

    /// Prepares for the first block of another log, with other times.
    pub(super) fn start_log(&mut self) {
        for robot in self.robots.values_mut() {
            robot.pace.start_log();
        }
    }

    /// Adds the next block, which follows the first `lines_before` lines of its log. `is_known` reports whether the table has a
    /// name.
    pub(super) fn join(&mut self, block: Self, lines_before: u64, is_known: impl Fn(&str) -> bool) {
        self.lines += block.lines;
        for (format, lines) in block.formats {
            *self.formats.entry(format).or_default() += lines;
        }
        for (reason, of_block) in block.bad_lines {
            let lines = of_block.lines;
            let first = || BadLines {
                lines: 0,
                first: of_block.first.after(lines_before),
                ..of_block
            };
            self.bad_lines.entry(reason).or_insert_with(first).lines += lines;
        }
        self.time.join(block.time);
        for (day, more) in block.days {
            if !self.days.contains_key(&day) && self.days.len() >= MAX_DAYS {
                self.beyond_days += more.requests;
                continue;
            }
            let count = self.days.entry(day).or_default();
            count.requests += more.requests;
            count.robots += more.robots;
            count.ai += more.ai;
        }
        self.early += block.early;
        self.unjudged += block.unjudged;
        self.programs.merge(block.programs, RequestCount::join);
        self.browsers.join(block.browsers);
        self.unnamed.join(block.unnamed);
        // Sorted, so that the robots beyond the limit do not depend on the order of a map.
        let mut robots: Vec<_> = block.robots.into_iter().collect();
        robots.sort_by(|(one, _), (two, _)| one.cmp(two));
        for (name, robot) in robots {
            let is_beyond_limit = self.robots.len() >= MAX_ROBOTS && !is_known(&name.token);
            if is_beyond_limit && !self.robots.contains_key(&name) {
                self.beyond_limit += robot.requests;
                continue;
            }
            self.robots
                .entry(name)
                .or_default()
                .join(robot, lines_before);
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a failure here fails the test")]
mod tests {
    use super::*;

    fn robot(times: &[(i64, i64)], delay: Option<u32>) -> RobotCount {
        let mut robot = RobotCount::default();
        for (seconds, resolution) in times {
            let time = Moment {
                milliseconds: seconds * 1_000,
                resolution: *resolution,
            };
            robot.pace.add("a.example".into(), time, delay);
        }
        robot
    }

    #[test]
    fn a_gap_goes_from_block_to_block_and_is_too_soon_only_for_certain() {
        let mut all = RobotCount::default();
        // Whole seconds: a gap of 9 may be one of 9.9, and is certainly less than 10.
        all.join(
            robot(&[(0, 1_000), (10, 1_000), (20, 1_000)], Some(10_000)),
            0,
        );
        all.join(robot(&[(29, 1_000)], Some(10_000)), 0);
        all.join(robot(&[(28, 1_000), (38, 1_000)], Some(10_000)), 0);
        // 29 to 38 is 9 again; a request in the wrong order is ignored.
        assert_eq!((all.pace.judged, all.pace.too_soon), (4, 2));
        assert_eq!(all.pace.delay, Some(10_000));
        assert_eq!(all.pace.gaps.unwrap().facts().count, 4);
        // Of two requests in the same second, the later one is too soon; one in the next second may be 1.9 s later.
        let mut second = RobotCount::default();
        second.join(robot(&[(0, 1_000), (0, 1_000), (1, 1_000)], Some(1_000)), 0);
        assert_eq!((second.pace.judged, second.pace.too_soon), (2, 1));
        let mut exact = RobotCount::default();
        exact.join(robot(&[(0, 1), (10, 1)], Some(10_000)), 0);
        exact.join(robot(&[(19, 1)], Some(10_000)), 0);
        assert_eq!((exact.pace.judged, exact.pace.too_soon), (2, 1));
        // To two hosts at once, and in two files, no gap is too short.
        let mut apart = RobotCount::default();
        apart.join(robot(&[(0, 1)], Some(10_000)), 0);
        let mut other = RobotCount::default();
        let at_once = Moment {
            milliseconds: 0,
            resolution: 1,
        };
        other.pace.add("b.example".into(), at_once, Some(10_000));
        apart.join(other, 0);
        apart.pace.start_log();
        apart.join(robot(&[(1, 1)], Some(10_000)), 0);
        assert_eq!(apart.pace.judged, 0);
        let mut free = RobotCount::default();
        free.join(robot(&[(0, 1), (0, 1)], None), 0);
        assert_eq!((free.pace.judged, free.pace.delay), (0, None));
    }

    #[test]
    fn requests_on_days_beyond_the_limit_are_counted_together() {
        let block = |days: usize| {
            let mut count = Count::default();
            for day in 0..days {
                let day = i64::try_from(day).unwrap();
                count.days.entry(day).or_default().requests = 2;
            }
            count
        };
        for (days, beyond) in [(MAX_DAYS - 1, 0), (MAX_DAYS, 0), (MAX_DAYS + 1, 2)] {
            let mut all = Count::default();
            all.join(block(days), 0, |_| false);
            assert_eq!(all.days.len(), days.min(MAX_DAYS));
            assert_eq!(all.beyond_days, beyond);
        }
    }

    #[test]
    fn robots_beyond_the_limit_are_counted_together() {
        let block = |names: std::ops::Range<usize>| {
            let mut count = Count::default();
            for number in names {
                let name = RobotName {
                    token: format!("bot-{number:04}").into(),
                    is_refuted: false,
                };
                count.robot(name).requests = 1;
            }
            count
        };
        let mut all = Count::default();
        all.join(block(0..MAX_ROBOTS), 0, |_| false);
        assert_eq!((all.robots.len(), all.beyond_limit), (MAX_ROBOTS, 0));
        // Of the three, the first has counts already, and the table has the second.
        all.join(block(MAX_ROBOTS - 1..MAX_ROBOTS + 2), 0, |name| {
            name == "bot-0500"
        });
        assert_eq!((all.robots.len(), all.beyond_limit), (MAX_ROBOTS + 1, 1));
    }
}
