//! The requests that robots.txt forbids, those that came too soon, and those with a false name.

use super::findings::{self, impostors, offenders};
use super::{about, names_of_robots};
use crate::audit::facts::{Audit, Robot};
use crate::report::Section;
use crate::report::chart::{AI_KEYS, Chart, MAX_ROWS, Row, Tone, Unit};
use crate::report::number::{decimal, part_of, percent, whole};
use crate::report::table::{In, Table};
use crate::statistics::share::Share;
use std::cmp::Reverse;

/// A robot, and a part of its requests.
type PartOf<'a> = (&'a Robot, Share, u64);

/// Returns the end of the axis of all shares of violations: they are compared.
fn largest_share(audit: &Audit) -> f64 {
    let shares = audit
        .robots
        .iter()
        .flat_map(|robot| [robot.forbidden, robot.crawl_delay.too_soon]);
    shares.map(|share| share.ratio).fold(0.0, f64::max)
}

/// Returns a chart with a bar for the share of each robot, those with the most requests first.
fn shares(
    audit: &Audit,
    title: &str,
    axis: &str,
    mut robots: Vec<PartOf<'_>>,
    about: fn(&Robot) -> String,
) -> Chart {
    robots.sort_by_key(|(_, share, _)| Reverse(share.requests));
    let bars = robots.iter().take(MAX_ROWS).map(|(robot, share, all)| {
        let tone = Tone::of_robot(robot.ai);
        Row::part(robot.title(), share.requests, *all, tone).with_about(about(robot))
    });
    Chart::rows(title, axis, Unit::Share, bars)
        .with_keys(AI_KEYS)
        .with_reach(largest_share(audit))
}

/// Returns the forbidden requests.
pub(super) fn forbidden(audit: &Audit) -> Section {
    let offenders = offenders(audit);
    let mut section = Section::new("forbidden", "Forbidden requests");
    if findings::judged(audit) > 0 {
        section = section.main_finding(findings::violations(audit));
    }
    if let Some(text) = findings::broken_promises(audit) {
        section = section.main_finding(text);
    }
    let bars = offenders.iter().take(MAX_ROWS).map(|robot| {
        let tone = Tone::of_robot(robot.ai);
        Row::count(robot.title(), robot.forbidden.requests, tone, String::new())
            .with_about(about(robot))
    });
    let (title, axis) = ("Forbidden requests by robot", "number of requests");
    let bars = Chart::rows(title, axis, Unit::Count, bars).with_keys(AI_KEYS);
    let parts = offenders
        .iter()
        .map(|robot| (*robot, robot.forbidden, robot.judged));
    let title = "Share of a robot's judged requests that were forbidden";
    let parts = shares(
        audit,
        title,
        "percent of its judged requests",
        parts.collect(),
        about,
    );
    let rules = names_of_robots(audit, |robot| &robot.rules);
    let examples = audit.robots.iter().flat_map(|robot| {
        let examples = robot.examples.iter();
        examples.map(move |example| (robot, example))
    });
    let title = "Examples: the first forbidden requests of each robot";
    section
        .charts([bars, parts])
        .table(
            Table::of("rules", "The violated rules, by requests", rules)
                .column(In::ALL, "robot", |row| row.0.title())
                .column(In::ALL, "rule", |row| &row.1.name)
                .column(In::ALL, "requests", |row| row.1.requests),
        )
        .table(
            Table::of("examples", title, examples)
                .column(In::ALL, "robot", |row| row.0.title())
                .column(In::ALL, "file", |row| &row.1.file)
                .column(In::ALL, "line", |row| row.1.line)
                .column(In::CSV, "time", |row| {
                    row.1.time.map(|time| time.to_string())
                })
                .column(In::ALL, "target", |row| &row.1.target)
                .column(In::CSV | In::HTML, "rule", |row| &row.1.rule),
        )
}

/// Returns the requests that came sooner than the Crawl-delay, if a robots.txt has one.
pub(super) fn too_soon(audit: &Audit) -> Section {
    let section = Section::new("delay", "Requests within the Crawl-delay");
    let robots = audit.robots.iter();
    let judged: Vec<&Robot> = robots
        .filter(|robot| robot.crawl_delay.judged > 0)
        .collect();
    if judged.is_empty() {
        return section;
    }
    let hasty = judged
        .iter()
        .filter(|robot| robot.crawl_delay.too_soon.requests > 0);
    let hasty = hasty.map(|robot| (*robot, robot.crawl_delay.too_soon, robot.crawl_delay.judged));
    let section = match findings::too_soon(audit) {
        Some(text) => section.main_finding(text),
        None => section
            .finding("No robot whose vendor documents that it honours Crawl-delay came too soon."),
    };
    let title = "Share of a robot's requests that came too soon";
    let axis = "percent of its requests after another one; the axis is that of forbidden requests";
    let seconds = |seconds: Option<f64>| seconds.map(|seconds| format!("{} s", decimal(seconds)));
    section
        .charts([shares(audit, title, axis, hasty.collect(), delay)])
        .remark("RFC 9309 does not define Crawl-delay: a robot that does not honour it violates no standard.")
        .table(
            Table::of("", "Crawl-delay, and whether its vendor documents that a robot honours it", judged)
                .column(In::TEXT, "robot", |robot| robot.title())
                .column(In::TEXT, "delay", |robot| seconds(robot.crawl_delay.asked))
                .column(In::TEXT, "median_gap", |robot| seconds(robot.crawl_delay.median_gap))
                .column(In::TEXT, "too_soon", |robot| {
                    let delay = &robot.crawl_delay;
                    let share = percent(delay.too_soon.ratio);
                    format!("{} ({share})", part_of(delay.too_soon.requests, delay.judged))
                })
                .column(In::TEXT, "honoured", |robot| robot.crawl_delay.honoured),
        )
}

/// Returns the requested delay, and whether the robot honours it according to its vendor.
fn delay(robot: &Robot) -> String {
    let delay = &robot.crawl_delay;
    let honoured = match delay.honoured.filter(|_| !robot.refuted) {
        Some(true) => "vendor: honours it",
        Some(false) => "vendor: does not honour it",
        None => "vendor: not documented",
    };
    match delay.asked {
        Some(asked) => format!("delay {} s; {honoured}", decimal(asked)),
        None => honoured.to_owned(),
    }
}

/// Returns the false uses of the names of robots.
pub(super) fn false_names(audit: &Audit) -> Section {
    let section = Section::new("false-names", "False names");
    let Some(text) = findings::false_names(audit) else {
        return section;
    };
    let bars = impostors(audit).into_iter().take(MAX_ROWS).map(|robot| {
        let note = format!("{} forbidden", whole(robot.forbidden.requests));
        Row::count(
            robot.title(),
            robot.requests,
            Tone::of_robot(robot.ai),
            note,
        )
    });
    let (title, axis) = ("Requests with a false name", "number of requests");
    section
        .main_finding(text)
        .remark("The name is false if the address is not one of the robot's operator.")
        .charts([Chart::rows(title, axis, Unit::Count, bars)])
}
