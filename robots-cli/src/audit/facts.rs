//! What is told of an audit: its JSON form, from which all reports are made.

use super::count::{self, Count, MOST_DAYS, MOST_PATHS, MOST_ROBOTS, Statuses};
use super::judge::Terms;
use crate::statistics::share::{Interval, fraction};
use crate::statistics::tally::{MOST_NAMES, Tally};
use jiff::Timestamp;
use robots_policy::{KnownAgent, Obeys};
use serde::Serialize;
use std::collections::BTreeMap;
use std::path::PathBuf;

/// The version of the form.
const VERSION: u32 = 1;

/// How many paths and rules are told of each robot, and how many programs: those with the most
/// requests.
const TOLD: usize = 20;

/// An audit.
#[derive(Debug, Clone, Serialize)]
pub(super) struct Audit {
    /// The version of the form.
    pub(super) version: u32,
    /// The program that made it.
    pub(super) program: String,
    /// The day of the table of robots.
    pub(super) robots_as_of: String,
    pub(super) logs: Vec<String>,
    /// Lines, without empty ones.
    pub(super) lines: u64,
    /// Lines of each form.
    pub(super) forms: BTreeMap<String, u64>,
    pub(super) broken: Vec<Broken>,
    /// The first and the last request.
    pub(super) first: Option<Timestamp>,
    pub(super) last: Option<Timestamp>,
    /// How long an older file still counts, in seconds.
    pub(super) grace: i64,
    /// Where counts are not exact or something is not judged, and why; empty if there is nothing of the
    /// kind.
    pub(super) notes: Vec<String>,
    pub(super) requests: Requests,
    pub(super) robots: Vec<Robot>,
    /// Programs that neither say to be robots nor browsers.
    pub(super) programs: Vec<Program>,
    /// How many programs are not told.
    pub(super) programs_left_out: u64,
    pub(super) days: Vec<Day>,
}

/// Requests by who made them.
#[derive(Debug, Clone, Serialize)]
pub(super) struct Requests {
    pub(super) all: u64,
    pub(super) robots: u64,
    /// Of robots that fetch for AI; they are robots too.
    pub(super) ai: u64,
    pub(super) programs: u64,
    pub(super) browsers: u64,
    /// Without a `User-Agent` header or a name that tells a robot.
    pub(super) nobody: u64,
}

/// Lines that could not be read.
#[derive(Debug, Clone, Serialize)]
pub(super) struct Broken {
    pub(super) reason: String,
    pub(super) lines: u64,
    /// The first of them.
    pub(super) file: String,
    pub(super) line: u64,
}

/// A robot.
#[derive(Debug, Clone, Serialize)]
pub(super) struct Robot {
    #[serde(rename = "robot")]
    pub(super) name: String,
    /// Whether these are others who go by its name: their addresses are not its operator's.
    pub(super) refuted: bool,
    /// Whether the table knows it.
    pub(super) known: bool,
    pub(super) operator: Option<String>,
    pub(super) purposes: Vec<&'static str>,
    pub(super) ai: bool,
    /// Whether it obeys robots.txt, as its makers say.
    pub(super) obeys: Option<Obeys>,
    pub(super) requests: u64,
    pub(super) bytes: u64,
    pub(super) first: Option<Timestamp>,
    pub(super) last: Option<Timestamp>,
    pub(super) statuses: BTreeMap<&'static str, u64>,
    /// Requests of those whose addresses are its operator's, and of those of whom nothing is known.
    pub(super) verified: u64,
    pub(super) unverified: u64,
    /// Its requests for robots.txt.
    pub(super) robots_txt: u64,
    pub(super) robots_txt_statuses: BTreeMap<&'static str, u64>,
    /// Requests for which it is known what the robots.txt in force said.
    pub(super) judged: u64,
    pub(super) forbidden: Share,
    /// Requests that the file in force forbade, and an older one that counts still allowed.
    pub(super) in_grace: u64,
    pub(super) crawl_delay: CrawlDelay,
    pub(super) paths: Vec<Row>,
    pub(super) rules: Vec<Row>,
    pub(super) examples: Vec<Example>,
}

/// A number of many, and between which shares the true one lies with 95 % certainty.
#[derive(Debug, Clone, Copy, Serialize)]
pub(super) struct Share {
    pub(super) requests: u64,
    #[serde(rename = "share")]
    pub(super) ratio: f64,
    pub(super) low: f64,
    pub(super) high: f64,
}

impl Share {
    fn of(part: u64, whole: u64) -> Self {
        let Interval { low, high } = Interval::of(part, whole);
        Self {
            requests: part,
            ratio: fraction(part, whole),
            low,
            high,
        }
    }
}

/// The delay that is asked for, and whether it is kept.
#[derive(Debug, Clone, Serialize)]
pub(super) struct CrawlDelay {
    /// In seconds: the longest that was asked for.
    pub(super) asked: Option<f64>,
    /// Whether the robot honours it, as its makers say.
    pub(super) honoured: Option<bool>,
    /// Requests behind another for which a delay was asked.
    pub(super) judged: u64,
    /// Those that came too soon for certain.
    pub(super) too_soon: Share,
    /// Seconds between two requests, asked or not: the median.
    pub(super) median_gap: Option<f64>,
}

/// A path or a rule, and how many requests there were.
#[derive(Debug, Clone, Serialize)]
pub(super) struct Row {
    pub(super) name: String,
    pub(super) requests: u64,
}

/// A request that was forbidden.
#[derive(Debug, Clone, Serialize)]
pub(super) struct Example {
    pub(super) file: String,
    pub(super) line: u64,
    pub(super) time: Option<Timestamp>,
    pub(super) target: String,
    pub(super) rule: String,
}

/// A program.
#[derive(Debug, Clone, Serialize)]
pub(super) struct Program {
    #[serde(rename = "program")]
    pub(super) name: String,
    pub(super) requests: u64,
    pub(super) robots_txt: u64,
}

/// Requests of a day.
#[derive(Debug, Clone, Serialize)]
pub(super) struct Day {
    #[serde(rename = "day")]
    pub(super) date: String,
    pub(super) requests: u64,
    pub(super) robots: u64,
    pub(super) ai: u64,
}

impl Audit {
    pub(super) fn new(count: Count, terms: &Terms<'_>, logs: &[PathBuf]) -> Self {
        let names: Vec<String> = logs.iter().map(|log| log.display().to_string()).collect();
        let mut notes = notes(&count, terms);
        let robots = robots(count.robots, terms, &names, &mut notes);
        let (programs, programs_left_out, of_programs) = programs(count.programs, &mut notes);
        let sum = |robots: &mut dyn Iterator<Item = &Robot>| {
            robots
                .map(|robot| robot.requests)
                .fold(0, u64::saturating_add)
        };
        let of_robots = sum(&mut robots.iter()).saturating_add(count.crowded);
        let requests = Requests {
            all: count.forms.values().copied().fold(0, u64::saturating_add),
            robots: of_robots,
            ai: sum(&mut robots.iter().filter(|robot| robot.ai)),
            programs: of_programs,
            browsers: count.browsers.requests,
            nobody: count.nobody.requests,
        };
        Self {
            version: VERSION,
            program: concat!("robots ", env!("CARGO_PKG_VERSION")).to_owned(),
            robots_as_of: terms.table.date().to_owned(),
            lines: count.lines,
            forms: count
                .forms
                .into_iter()
                .map(|(form, lines)| (form.name().to_owned(), lines))
                .collect(),
            broken: count
                .broken
                .into_iter()
                .map(|(fault, (lines, (file, line)))| Broken {
                    reason: fault.name().to_owned(),
                    lines,
                    file: name_of(&names, file),
                    line,
                })
                .collect(),
            first: count.time.0.and_then(|(first, _)| timestamp(first)),
            last: count.time.0.and_then(|(_, last)| timestamp(last)),
            grace: terms.grace / 1_000,
            notes,
            requests,
            robots,
            programs,
            programs_left_out,
            days: count.days.into_iter().filter_map(day).collect(),
            logs: names,
        }
    }

    /// Whether a robot asked for what was forbidden, came too soon though it honours Crawl-delay, or went by
    /// another's name.
    pub(super) fn has_findings(&self) -> bool {
        self.robots.iter().any(|robot| {
            let delay = &robot.crawl_delay;
            robot.refuted
                || robot.forbidden.requests > 0
                || delay.honoured == Some(true) && delay.too_soon.requests > 0
        })
    }

    /// Lines that could not be read.
    pub(super) fn broken_lines(&self) -> u64 {
        let lines = self.broken.iter().map(|broken| broken.lines);
        lines.fold(0, u64::saturating_add)
    }
}

impl Robot {
    /// What it is called in a report.
    pub(super) fn title(&self) -> String {
        if self.refuted {
            format!("not {}", self.name)
        } else {
            self.name.clone()
        }
    }
}

fn notes(count: &Count, terms: &Terms<'_>) -> Vec<String> {
    let mut notes = Vec::new();
    let histories = terms.histories;
    if histories.is_empty() {
        notes.push("no robots.txt was given (--robots): nothing is judged by one".to_owned());
    } else if count.unjudged > 0 {
        let hint = if histories.hosts() > 1 && terms.host.is_none() {
            " (--host says whose log it is, where lines do not)"
        } else {
            ""
        };
        notes.push(format!(
            "{} requests of robots are judged by no robots.txt: of their hosts none is known, or they ask for no path{hint}",
            count.unjudged
        ));
    }
    if count.early > 0 {
        notes.push(format!(
            "{} requests of robots were made before the first robots.txt that is known of their hosts, and are judged by that one",
            count.early
        ));
    }
    if count.crowded > 0 {
        notes.push(format!(
            "more than {MOST_ROBOTS} robots that the table does not know: {} requests of later ones are not told by robot",
            count.crowded
        ));
    }
    if count.days.len() >= MOST_DAYS {
        notes.push(format!("days: no more than {MOST_DAYS} are told"));
    }
    notes
}

fn robots(
    counts: std::collections::HashMap<count::Name, count::Robot>,
    terms: &Terms<'_>,
    names: &[String],
    notes: &mut Vec<String>,
) -> Vec<Robot> {
    let mut crowded = 0_u64;
    let mut robots: Vec<Robot> = counts
        .into_iter()
        .map(|(name, count)| {
            let known = terms.table.get(&name.token);
            robot(&name, count, known, names, &mut crowded)
        })
        .collect();
    robots.sort_by(|one, two| {
        let name = |robot: &Robot| (robot.name.clone(), robot.refuted);
        two.requests
            .cmp(&one.requests)
            .then_with(|| name(one).cmp(&name(two)))
    });
    if crowded > 0 {
        notes.push(format!(
            "paths and rules: no more than {MOST_PATHS} are told apart of a robot; {crowded} requests for later ones are not told by path"
        ));
    }
    robots
}

fn robot(
    name: &count::Name,
    count: count::Robot,
    known: Option<&KnownAgent>,
    names: &[String],
    crowded: &mut u64,
) -> Robot {
    let pace = &count.pace;
    let gaps = pace.gaps.as_deref().map(|gaps| gaps.facts().median);
    let mut rows = |tally: Tally<u64>| {
        let (rows, others) = rows(tally);
        *crowded = crowded.saturating_add(others);
        rows
    };
    Robot {
        name: name.token.to_string(),
        refuted: name.is_refuted,
        known: known.is_some(),
        operator: known.map(|known| known.operator.clone()),
        purposes: known.map_or_else(Vec::new, |known| {
            known
                .purposes
                .iter()
                .map(|purpose| purpose.name())
                .collect()
        }),
        ai: known.is_some_and(KnownAgent::is_ai),
        obeys: known.map(|known| known.obeys),
        requests: count.requests,
        bytes: count.bytes,
        first: count.time.0.and_then(|(first, _)| timestamp(first)),
        last: count.time.0.and_then(|(_, last)| timestamp(last)),
        statuses: statuses(count.statuses),
        verified: count.verified,
        unverified: count.open,
        robots_txt: count.robots_txt.0.into_iter().fold(0, u64::saturating_add),
        robots_txt_statuses: statuses(count.robots_txt),
        judged: count.judged,
        forbidden: Share::of(count.forbidden, count.judged),
        in_grace: count.in_grace,
        crawl_delay: CrawlDelay {
            asked: pace.delay.map(|delay| f64::from(delay) / 1_000.0),
            honoured: known.and_then(|known| known.crawl_delay),
            judged: pace.asked,
            too_soon: Share::of(pace.too_soon, pace.asked),
            // A day has 864,000 tenths of a second, and no gap has more.
            median_gap: gaps.map(|gap| f64::from(u32::try_from(gap).unwrap_or(u32::MAX)) / 10.0),
        },
        paths: rows(count.paths),
        rules: rows(count.rules),
        examples: count
            .examples
            .into_iter()
            .map(|example| Example {
                file: name_of(names, example.place.0),
                line: example.place.1,
                time: timestamp(example.time),
                target: example.target,
                rule: example.rule,
            })
            .collect(),
    }
}

/// The rows with the most requests, and how many requests found no room.
fn rows(tally: Tally<u64>) -> (Vec<Row>, u64) {
    let (counts, others) = tally.into_parts();
    let mut rows: Vec<Row> = counts
        .into_iter()
        .map(|(name, requests)| Row {
            name: name.into(),
            requests,
        })
        .collect();
    rows.sort_by(|one, two| {
        two.requests
            .cmp(&one.requests)
            .then_with(|| one.name.cmp(&two.name))
    });
    rows.truncate(TOLD);
    (rows, others)
}

/// The programs with the most requests, how many more there are, and how many requests all made.
fn programs(tally: Tally<count::Asked>, notes: &mut Vec<String>) -> (Vec<Program>, u64, u64) {
    let (counts, others) = tally.into_parts();
    let requests = counts.values().map(|asked| asked.requests);
    let requests = requests.fold(others, u64::saturating_add);
    if others > 0 {
        notes.push(format!(
            "programs: there are more than {MOST_NAMES} names; {others} requests of later ones are not told"
        ));
    }
    let mut programs: Vec<Program> = counts
        .into_iter()
        .map(|(name, asked)| Program {
            name: name.into(),
            requests: asked.requests,
            robots_txt: asked.robots_txt,
        })
        .collect();
    programs.sort_by(|one, two| {
        two.requests
            .cmp(&one.requests)
            .then_with(|| one.name.cmp(&two.name))
    });
    let left_out = programs.len().saturating_sub(TOLD);
    programs.truncate(TOLD);
    (programs, left_out as u64, requests)
}

fn statuses(statuses: Statuses) -> BTreeMap<&'static str, u64> {
    let counts = Statuses::NAMES.into_iter().zip(statuses.0);
    counts.filter(|(_, count)| *count > 0).collect()
}

fn day((number, day): (i64, count::Day)) -> Option<Day> {
    let start = timestamp(number.checked_mul(86_400_000)?)?;
    Some(Day {
        date: start.strftime("%Y-%m-%d").to_string(),
        requests: day.requests,
        robots: day.robots,
        ai: day.ai,
    })
}

fn name_of(names: &[String], file: usize) -> String {
    names.get(file).cloned().unwrap_or_default()
}

fn timestamp(milliseconds: i64) -> Option<Timestamp> {
    Timestamp::from_millisecond(milliseconds).ok()
}
