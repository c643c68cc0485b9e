//! The report of an audit, from the counts of logs.

use super::count::{self, Count, MAX_DAYS, MAX_PATHS, MAX_ROBOTS, Statuses};
use super::facts::{
    Audit, BadLines, CrawlDelay, Day, Example, Identity, Program, Requests, Robot, Row, VERSION,
};
use super::judge::Settings;
use crate::statistics::share::Share;
use crate::statistics::tally::{MAX_NAMES, Tally};
use crate::terminal::counted;
use jiff::Timestamp;
use robots_pipeline::text::path_text;
use robots_policy::Profile;
use robots_policy::profile::KnownAgent;
use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap};
use std::path::PathBuf;

/// The maximum number of paths and of rules of each robot, and of programs, that a report lists: those with the most requests.
const MAX_LISTED: usize = 20;

impl Audit {
    pub(super) fn new(count: Count, settings: &Settings<'_>, logs: &[PathBuf]) -> Self {
        let logs: Vec<String> = logs.iter().map(path_text).collect();
        let mut notes = notes(&count, settings);
        let robots = robots(count.robots, settings, &logs, &mut notes);
        let (programs, programs_left_out, of_programs) = programs(count.programs, &mut notes);
        let of_listed = robots.iter().map(|robot| robot.requests);
        let of_ai = robots.iter().filter(|robot| robot.ai);
        let refuted = robots.iter().filter(|robot| robot.refuted);
        let identity = Identity {
            verified: robots.iter().map(|robot| robot.verified).sum(),
            // Only robots of the table are verified, and all of these are listed.
            unverified: count.beyond_limit
                + robots.iter().map(|robot| robot.unverified).sum::<u64>(),
            refuted: refuted.map(|robot| robot.requests).sum(),
        };
        let requests = Requests {
            // Each line that could be read is a request.
            all: count.formats.values().sum(),
            robots: count.beyond_limit + of_listed.sum::<u64>(),
            ai: of_ai.map(|robot| robot.requests).sum(),
            programs: of_programs,
            browsers: count.browsers.requests,
            unnamed: count.unnamed.requests,
        };
        Self {
            version: VERSION,
            program: concat!("robots ", env!("CARGO_PKG_VERSION")).to_owned(),
            robots_as_of: settings.table.date().to_owned(),
            lines: count.lines,
            formats: count
                .formats
                .into_iter()
                .map(|(format, lines)| (format.name().to_owned(), lines))
                .collect(),
            bad_lines: count
                .bad_lines
                .into_iter()
                .map(|(reason, bad)| BadLines {
                    reason: reason.message().to_owned(),
                    lines: bad.lines,
                    file: log_name(&logs, bad.first.log),
                    line: bad.first.line,
                    text: bad.text,
                })
                .collect(),
            first: count.time.0.and_then(|(first, _)| timestamp(first)),
            last: count.time.0.and_then(|(_, last)| timestamp(last)),
            dialect: settings.dialect.map(|dialect| dialect.name()),
            // In a report, the grace is in seconds.
            grace: settings.grace / 1_000,
            notes,
            requests,
            identity,
            robots,
            programs,
            programs_left_out,
            days: count.days.into_iter().filter_map(day).collect(),
            logs,
        }
    }
}

/// Returns the counts that are not exact and the requests that are not judged, with the reasons.
fn notes(count: &Count, settings: &Settings<'_>) -> Vec<String> {
    let mut notes = Vec::new();
    let robots = settings.robots;
    if robots.is_empty() {
        notes.push("without --robots, no request is judged by a robots.txt".to_owned());
    } else if count.unjudged > 0 {
        let hint = if robots.hosts().len() > 1 && settings.host.is_none() {
            "; use --host if the log does not name its host"
        } else {
            ""
        };
        notes.push(format!(
            "{} of robots not judged: no robots.txt of the host is known, or there is no path{hint}",
            counted(count.unjudged, "request")
        ));
    }
    if count.early > 0 {
        notes.push(format!(
            "{} of robots before the first known robots.txt of the host: judged by that one",
            counted(count.early, "request")
        ));
    }
    if count.beyond_limit > 0 {
        notes.push(format!(
            "more than {MAX_ROBOTS} robots: {} of further unknown robots not listed by robot",
            counted(count.beyond_limit, "request")
        ));
    }
    if count.beyond_days > 0 {
        notes.push(format!(
            "days: more than {MAX_DAYS}; {} on later ones not listed by day",
            counted(count.beyond_days, "request")
        ));
    }
    notes
}

/// Returns the robots of a report, those with the most requests first. Adds a note if requests are beyond [`MAX_PATHS`].
fn robots(
    counts: HashMap<count::RobotName, count::RobotCount>,
    settings: &Settings<'_>,
    logs: &[String],
    notes: &mut Vec<String>,
) -> Vec<Robot> {
    let mut beyond_limit = 0_u64;
    let mut robots: Vec<Robot> = counts
        .into_iter()
        .map(|(name, count)| {
            let known = settings.table.get(&name.token);
            robot(&name, count, known, settings, logs, &mut beyond_limit)
        })
        .collect();
    robots.sort_by_cached_key(|robot| (Reverse(robot.requests), robot.name.clone(), robot.refuted));
    if beyond_limit > 0 {
        notes.push(format!(
            "paths and rules: more than {MAX_PATHS} for a robot; {} for later ones not listed by path",
            counted(beyond_limit, "request")
        ));
    }
    robots
}

/// Returns a robot of a report. Adds the requests for paths and rules beyond [`MAX_PATHS`] to `beyond_limit`.
fn robot(
    name: &count::RobotName,
    count: count::RobotCount,
    known: Option<&KnownAgent>,
    settings: &Settings<'_>,
    logs: &[String],
    beyond_limit: &mut u64,
) -> Robot {
    // A robot is judged only by statements that have a source.
    let sourced = known.filter(|known| known.is_sourced());
    let pace = &count.pace;
    let gaps = pace.gaps.as_deref().map(|gaps| gaps.facts().median);
    let mut listed = |tally: Tally<u64, MAX_PATHS>| {
        let (rows, others) = rows(tally);
        *beyond_limit += others;
        rows
    };
    Robot {
        name: name.token.to_string(),
        refuted: name.is_refuted,
        known: known.is_some(),
        operator: known.map(|known| known.operator.clone()),
        purposes: known.map_or_else(Vec::new, KnownAgent::purpose_names),
        ai: known.is_some_and(KnownAgent::is_ai),
        obeys: sourced.map(|known| known.obeys),
        profile: settings
            .dialect
            .is_none()
            .then(|| Profile::of_robot(&name.token).name()),
        requests: count.requests,
        bytes: count.bytes,
        first: count.time.0.and_then(|(first, _)| timestamp(first)),
        last: count.time.0.and_then(|(_, last)| timestamp(last)),
        statuses: statuses(count.statuses),
        verified: count.verified,
        unverified: count.unverified,
        robots_txt: count.robots_txt.0.into_iter().sum(),
        robots_txt_statuses: statuses(count.robots_txt),
        judged: count.judged,
        forbidden: Share::of(count.forbidden, count.judged),
        in_grace: count.in_grace,
        crawl_delay: CrawlDelay {
            asked: pace.delay.map(|delay| f64::from(delay) / 1_000.0),
            honoured: sourced.and_then(|known| known.crawl_delay),
            judged: pace.judged,
            too_soon: Share::of(pace.too_soon, pace.judged),
            // A day has 864,000 tenths of a second, and no gap has more.
            median_gap: gaps.map(|gap| f64::from(u32::try_from(gap).unwrap_or(u32::MAX)) / 10.0),
        },
        paths: listed(count.paths),
        rules: listed(count.rules),
        examples: count
            .examples
            .into_iter()
            .map(|example| Example {
                file: log_name(logs, example.at.log),
                line: example.at.line,
                time: timestamp(example.time),
                target: example.target,
                rule: example.rule,
            })
            .collect(),
    }
}

/// Returns the rows with the most requests, and the number of requests beyond the limit of names.
fn rows(tally: Tally<u64, MAX_PATHS>) -> (Vec<Row>, u64) {
    let (counts, others) = tally.into_parts();
    let mut rows: Vec<Row> = counts
        .into_iter()
        .map(|(name, requests)| Row {
            name: name.into(),
            requests,
        })
        .collect();
    rows.sort_by_cached_key(|row| (Reverse(row.requests), row.name.clone()));
    rows.truncate(MAX_LISTED);
    (rows, others)
}

/// Returns the programs with the most requests, the number of other programs, and the requests of all programs.
fn programs(
    tally: Tally<count::RequestCount>,
    notes: &mut Vec<String>,
) -> (Vec<Program>, u64, u64) {
    let (counts, others) = tally.into_parts();
    let requests = counts.values().map(|count| count.requests);
    let requests = others + requests.sum::<u64>();
    if others > 0 {
        notes.push(format!(
            "programs: more than {MAX_NAMES} names; {} of later ones not listed",
            counted(others, "request")
        ));
    }
    let mut listed: Vec<Program> = counts
        .into_iter()
        .map(|(name, count)| Program {
            name: name.into(),
            requests: count.requests,
            robots_txt: count.robots_txt,
        })
        .collect();
    listed.sort_by_cached_key(|row| (Reverse(row.requests), row.name.clone()));
    let left_out = listed.len().saturating_sub(MAX_LISTED) as u64;
    listed.truncate(MAX_LISTED);
    (listed, left_out, requests)
}

fn statuses(statuses: Statuses) -> BTreeMap<&'static str, u64> {
    let counts = Statuses::NAMES.into_iter().zip(statuses.0);
    counts.filter(|(_, count)| *count > 0).collect()
}

/// Returns a day of a report; `number` counts the days since 1970. `None` if the day is beyond the range of [`Timestamp`].
fn day((number, day): (i64, count::DayCount)) -> Option<Day> {
    let start = timestamp(number * 86_400_000)?;
    Some(Day {
        date: start.strftime("%Y-%m-%d").to_string(),
        requests: day.requests,
        robots: day.robots,
        ai: day.ai,
    })
}

fn log_name(logs: &[String], log: usize) -> String {
    logs[log].clone()
}

fn timestamp(milliseconds: i64) -> Option<Timestamp> {
    Timestamp::from_millisecond(milliseconds).ok()
}
