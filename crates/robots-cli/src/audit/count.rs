//! What is counted of a log: one count for each block of it, joined in the order of the blocks, so that the sums
//! are the same with any number of threads.

use super::log::{Fault, Form, Moment};
use super::who::Claim;
use crate::statistics::distribution::Distribution;
use crate::statistics::tally::Tally;
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

/// How many robots are told apart that the table does not know. Those that come later are
/// counted as others.
pub(super) const MOST_ROBOTS: usize = 500;

/// How many paths, and rules, are told apart of each robot.
pub(super) const MOST_PATHS: usize = 500;

/// How many days are told apart: ten years.
pub(super) const MOST_DAYS: usize = 3_660;

/// To how many hosts the pace of a robot is watched.
const MOST_HOSTS: usize = 1_000;

/// How many examples are kept of what a robot asked for against the rules.
const EXAMPLES: usize = 5;

/// A line of a log: of which file, counted from 0, and which line of it, counted from 1.
pub(super) type Place = (usize, u64);

/// All that is counted.
#[derive(Debug, Default)]
pub(super) struct Count {
    /// Lines, without empty ones.
    pub(super) lines: u64,
    pub(super) forms: BTreeMap<Form, u64>,
    /// Lines that could not be read: how many, and the first.
    pub(super) broken: BTreeMap<Fault, (u64, Place)>,
    pub(super) time: Span,
    /// By days since 1970.
    pub(super) days: BTreeMap<i64, Day>,
    pub(super) robots: HashMap<Name, Robot>,
    /// Requests of robots that are judged by a file that is only known from later on.
    pub(super) early: u64,
    /// Requests of robots, other than for robots.txt, for which no file is known.
    pub(super) unjudged: u64,
    /// Requests of robots that found no room.
    pub(super) crowded: u64,
    pub(super) programs: Tally<Asked>,
    pub(super) browsers: Asked,
    pub(super) nobody: Asked,
}

/// By which name a robot goes, and whether others go by it.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Name {
    pub(super) token: Arc<str>,
    /// Those whose addresses have names of others than the robot's operator.
    pub(super) is_refuted: bool,
}

/// The first and the last moment, in milliseconds since 1970.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Span(pub(super) Option<(i64, i64)>);

impl Span {
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

/// Requests of a day.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Day {
    pub(super) requests: u64,
    pub(super) robots: u64,
    pub(super) ai: u64,
}

/// Requests, and those for robots.txt among them.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Asked {
    pub(super) requests: u64,
    pub(super) robots_txt: u64,
}

impl Asked {
    pub(super) fn add(&mut self, is_robots_txt: bool) {
        self.requests = self.requests.saturating_add(1);
        self.robots_txt = self.robots_txt.saturating_add(u64::from(is_robots_txt));
    }

    fn join(&mut self, other: Self) {
        self.requests = self.requests.saturating_add(other.requests);
        self.robots_txt = self.robots_txt.saturating_add(other.robots_txt);
    }
}

/// Answers by class of status: 1xx to 5xx, and none.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Statuses(pub(super) [u64; 6]);

impl Statuses {
    pub(super) const NAMES: [&'static str; 6] = ["none", "1xx", "2xx", "3xx", "4xx", "5xx"];

    pub(super) fn add(&mut self, status: Option<u16>) {
        // A status beyond 599 is none that HTTP has.
        let status = status.filter(|status| *status < 600);
        let class = status.map_or(0, |status| usize::from(status / 100));
        if let Some(count) = self.0.get_mut(class) {
            *count = count.saturating_add(1);
        }
    }

    fn join(&mut self, other: Self) {
        for (count, more) in self.0.iter_mut().zip(other.0) {
            *count = count.saturating_add(more);
        }
    }
}

/// What is counted of a robot.
#[derive(Debug)]
pub(super) struct Robot {
    pub(super) requests: u64,
    pub(super) bytes: u64,
    pub(super) time: Span,
    pub(super) statuses: Statuses,
    /// Of its requests for robots.txt alone.
    pub(super) robots_txt: Statuses,
    /// First parts of paths.
    pub(super) paths: Tally<u64>,
    /// Requests that a robots.txt was in force for.
    pub(super) judged: u64,
    pub(super) forbidden: u64,
    /// Those of the judged that are allowed because a file that was in force shortly before allowed them.
    pub(super) in_grace: u64,
    /// Rules that forbade what was asked for.
    pub(super) rules: Tally<u64>,
    pub(super) examples: Vec<Example>,
    pub(super) verified: u64,
    pub(super) open: u64,
    pub(super) pace: Pace,
}

impl Default for Robot {
    fn default() -> Self {
        Self {
            requests: 0,
            bytes: 0,
            time: Span::default(),
            statuses: Statuses::default(),
            robots_txt: Statuses::default(),
            paths: Tally::of_at_most(MOST_PATHS),
            judged: 0,
            forbidden: 0,
            in_grace: 0,
            rules: Tally::of_at_most(MOST_PATHS),
            examples: Vec::new(),
            verified: 0,
            open: 0,
            pace: Pace::default(),
        }
    }
}

/// A request that was forbidden.
#[derive(Debug, Clone)]
pub(super) struct Example {
    pub(super) place: Place,
    pub(super) time: i64,
    pub(super) target: String,
    pub(super) rule: String,
}

/// How long a robot waits between two requests to a host, those for robots.txt aside.
#[derive(Debug, Default)]
pub(super) struct Pace {
    /// Requests of this block, in its order: each with the delay that was asked for, in milliseconds.
    requests: Vec<(Arc<str>, Moment, Option<u32>)>,
    /// The last request to each host.
    last: HashMap<Arc<str>, Moment>,
    /// Tenths of a second between neighbours.
    pub(super) gaps: Option<Box<Distribution>>,
    /// Requests behind another for which a delay was asked.
    pub(super) asked: u64,
    /// Those that came too soon for certain, whatever the log rounds.
    pub(super) too_soon: u64,
    /// The longest delay that was asked for, in milliseconds.
    pub(super) delay: Option<u32>,
}

impl Pace {
    pub(super) fn add(&mut self, host: Arc<str>, time: Moment, delay: Option<u32>) {
        self.requests.push((host, time, delay));
    }

    /// Begins anew: another file goes on with another time.
    fn begin(&mut self) {
        self.last.clear();
    }

    /// Goes on with the requests of the next block.
    fn go_on(&mut self, next: Self) {
        for (host, time, delay) in next.requests {
            self.delay = self.delay.max(delay);
            let Some(last) = self.last.get_mut(&host) else {
                if self.last.len() < MOST_HOSTS {
                    self.last.insert(host, time);
                }
                continue;
            };
            let before = *last;
            let gap = time.milliseconds.saturating_sub(before.milliseconds);
            // Logs are written when answers end: a request may stand behind a later one.
            let Ok(waited) = usize::try_from(gap) else {
                continue;
            };
            self.gaps
                .get_or_insert_default()
                .add((waited / 100).min(LONGEST_GAP));
            *last = time;
            if let Some(delay) = delay {
                self.asked = self.asked.saturating_add(1);
                // Of a rounded time the true gap is less than one unit from what is seen.
                let at_most = gap.saturating_add(time.exact_to.max(before.exact_to));
                let is_too_soon = at_most <= i64::from(delay);
                self.too_soon = self.too_soon.saturating_add(u64::from(is_too_soon));
            }
        }
    }
}

/// Gaps beyond a day, in tenths of a second, count as that.
const LONGEST_GAP: usize = 864_000;

impl Robot {
    pub(super) fn claim(&mut self, claim: Claim) {
        match claim {
            Claim::Verified => self.verified = self.verified.saturating_add(1),
            Claim::Open => self.open = self.open.saturating_add(1),
            // They are counted apart, whole.
            Claim::Refuted => {}
        }
    }

    pub(super) fn example(&mut self, example: impl FnOnce() -> Example) {
        if self.examples.len() < EXAMPLES {
            self.examples.push(example());
        }
    }

    fn join(&mut self, other: Self, base: u64) {
        let sum = |count: &mut u64, more: u64| *count = count.saturating_add(more);
        sum(&mut self.requests, other.requests);
        sum(&mut self.bytes, other.bytes);
        self.time.join(other.time);
        self.statuses.join(other.statuses);
        self.robots_txt.join(other.robots_txt);
        self.paths.merge(other.paths, sum);
        sum(&mut self.judged, other.judged);
        sum(&mut self.forbidden, other.forbidden);
        sum(&mut self.in_grace, other.in_grace);
        self.rules.merge(other.rules, sum);
        for mut example in other.examples {
            example.place.1 = example.place.1.saturating_add(base);
            self.example(|| example);
        }
        sum(&mut self.verified, other.verified);
        sum(&mut self.open, other.open);
        self.pace.go_on(other.pace);
    }
}

impl Count {
    /// The count of a robot of this block.
    pub(super) fn robot(&mut self, name: Name) -> &mut Robot {
        self.robots.entry(name).or_default()
    }

    /// Begins with another file.
    pub(super) fn begin_file(&mut self) {
        for robot in self.robots.values_mut() {
            robot.pace.begin();
        }
    }

    /// Adds the next block, before which the file has so many lines. `is_known` says of a name whether the table has
    /// it.
    pub(super) fn join(&mut self, block: Self, base: u64, is_known: impl Fn(&str) -> bool) {
        self.lines = self.lines.saturating_add(block.lines);
        for (form, lines) in block.forms {
            let count = self.forms.entry(form).or_default();
            *count = count.saturating_add(lines);
        }
        for (fault, (lines, (file, line))) in block.broken {
            let place = (file, line.saturating_add(base));
            let (count, _) = self.broken.entry(fault).or_insert((0, place));
            *count = count.saturating_add(lines);
        }
        self.time.join(block.time);
        for (day, more) in block.days {
            if !self.days.contains_key(&day) && self.days.len() >= MOST_DAYS {
                continue;
            }
            let count = self.days.entry(day).or_default();
            count.requests = count.requests.saturating_add(more.requests);
            count.robots = count.robots.saturating_add(more.robots);
            count.ai = count.ai.saturating_add(more.ai);
        }
        self.early = self.early.saturating_add(block.early);
        self.unjudged = self.unjudged.saturating_add(block.unjudged);
        self.programs.merge(block.programs, Asked::join);
        self.browsers.join(block.browsers);
        self.nobody.join(block.nobody);
        // Those that find no room are the same whatever order a map has.
        let mut robots: Vec<_> = block.robots.into_iter().collect();
        robots.sort_by(|(one, _), (two, _)| one.cmp(two));
        for (name, robot) in robots {
            let is_crowded = self.robots.len() >= MOST_ROBOTS && !is_known(&name.token);
            if is_crowded && !self.robots.contains_key(&name) {
                self.crowded = self.crowded.saturating_add(robot.requests);
                continue;
            }
            self.robots.entry(name).or_default().join(robot, base);
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a failure here fails the test")]
mod tests {
    use super::*;

    fn robot(times: &[(i64, i64)], delay: Option<u32>) -> Robot {
        let mut robot = Robot::default();
        for (seconds, exact_to) in times {
            let time = Moment {
                milliseconds: seconds * 1_000,
                exact_to: *exact_to,
            };
            robot.pace.add("a.example".into(), time, delay);
        }
        robot
    }

    #[test]
    fn a_gap_goes_from_block_to_block_and_is_too_soon_only_for_certain() {
        let mut all = Robot::default();
        // Whole seconds: a gap of 9 may be one of 9.9, and is less than 10 for certain.
        all.join(
            robot(&[(0, 1_000), (10, 1_000), (20, 1_000)], Some(10_000)),
            0,
        );
        all.join(robot(&[(29, 1_000)], Some(10_000)), 0);
        all.join(robot(&[(28, 1_000), (38, 1_000)], Some(10_000)), 0);
        // 29 to 38 is 9 again; what stands in the wrong order is passed over.
        assert_eq!((all.pace.asked, all.pace.too_soon), (4, 2));
        assert_eq!(all.pace.delay, Some(10_000));
        assert_eq!(all.pace.gaps.unwrap().facts().count, 4);
        let mut second = Robot::default();
        second.join(robot(&[(0, 1_000), (0, 1_000), (1, 1_000)], Some(1_000)), 0);
        assert_eq!((second.pace.asked, second.pace.too_soon), (2, 1));
        let mut exact = Robot::default();
        exact.join(robot(&[(0, 1), (10, 1)], Some(10_000)), 0);
        exact.join(robot(&[(19, 1)], Some(10_000)), 0);
        assert_eq!((exact.pace.asked, exact.pace.too_soon), (2, 1));
        // To two hosts at once, and in two files, no gap is too short.
        let mut apart = Robot::default();
        apart.join(robot(&[(0, 1)], Some(10_000)), 0);
        let mut other = Robot::default();
        let at_once = Moment {
            milliseconds: 0,
            exact_to: 1,
        };
        other.pace.add("b.example".into(), at_once, Some(10_000));
        apart.join(other, 0);
        apart.pace.begin();
        apart.join(robot(&[(1, 1)], Some(10_000)), 0);
        assert_eq!(apart.pace.asked, 0);
        let mut free = Robot::default();
        free.join(robot(&[(0, 1), (0, 1)], None), 0);
        assert_eq!((free.pace.asked, free.pace.delay), (0, None));
    }

    #[test]
    fn robots_beyond_the_limit_are_counted_as_others() {
        let block = |names: std::ops::Range<usize>| {
            let mut count = Count::default();
            for number in names {
                let name = Name {
                    token: format!("bot-{number:04}").into(),
                    is_refuted: false,
                };
                count.robot(name).requests = 1;
            }
            count
        };
        let mut all = Count::default();
        all.join(block(0..MOST_ROBOTS), 0, |_| false);
        assert_eq!((all.robots.len(), all.crowded), (MOST_ROBOTS, 0));
        all.join(block(MOST_ROBOTS - 1..MOST_ROBOTS + 2), 0, |name| {
            name == "bot-0500"
        });
        assert_eq!((all.robots.len(), all.crowded), (MOST_ROBOTS + 1, 1));
    }
}
