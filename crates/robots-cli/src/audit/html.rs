//! The HTML report of an audit.

use super::facts::{Audit, Robot, Row, Share};
use crate::report::chart::{Bar, Estimate, bars, columns, estimates, number};
use crate::report::page::{Page, Width, table};
use crate::statistics::share::{fraction, share};
use maud::html;

/// The maximum number of bars in a chart. Some tables have up to twice as many rows.
const MAX_BARS: usize = 15;

/// The maximum number of bars in a chart of days. If there are more days, several share a bar.
const MAX_DAY_BARS: usize = 31;

pub(super) fn page(audit: &Audit) -> String {
    let time = match (audit.first, audit.last) {
        (Some(first), Some(last)) => format!(
            "{} to {}. ",
            first.strftime("%Y-%m-%d %H:%M"),
            last.strftime("%Y-%m-%d %H:%M")
        ),
        _ => String::new(),
    };
    let about = format!(
        "{time}Made by {}; robots as of {}. Intervals have a confidence of 95 %, if the logs are a fair sample.",
        audit.program, audit.robots_as_of
    );
    let requests = &audit.requests;
    let forbidden = audit.robots.iter().map(|robot| robot.forbidden.requests);
    let facts = vec![
        (requests.all.to_string(), "requests"),
        (share(requests.robots, requests.all), "by robots"),
        (share(requests.ai, requests.all), "by AI robots"),
        (
            forbidden.fold(0, u64::saturating_add).to_string(),
            "forbidden requests",
        ),
        (audit.unreadable_lines().to_string(), "unreadable lines"),
    ];
    let mut page = Page::new("Requests of robots", about, facts);
    robots_section(&mut page, audit);
    bytes_section(&mut page, audit);
    estimates_section(
        &mut page,
        audit,
        "Forbidden requests",
        "The share of a robot's judged requests that the robots.txt in force forbade.",
        |robot| (robot.judged > 0).then_some(robot.forbidden),
    );
    estimates_section(
        &mut page,
        audit,
        "Requests within the Crawl-delay",
        "The share of a robot's requests that certainly came too soon after the previous one.",
        |robot| (robot.crawl_delay.judged > 0).then_some(robot.crawl_delay.too_soon),
    );
    days_section(&mut page, audit);
    table_section(&mut page, audit);
    paths_section(&mut page, audit);
    rules_section(&mut page, audit);
    examples_section(&mut page, audit);
    programs_section(&mut page, audit);
    if !audit.notes.is_empty() {
        page.section("Notes", &audit.notes.join(". "), Width::Whole, &html! {});
    }
    page.finish()
}

fn title(robot: &Robot) -> String {
    let ai = if robot.ai { " (AI)" } else { "" };
    format!("{}{ai}", robot.title())
}

fn robots_section(page: &mut Page<'_>, audit: &Audit) {
    let all = audit.requests.all;
    let rows: Vec<Bar> = audit
        .robots
        .iter()
        .take(MAX_BARS)
        .map(|robot| Bar {
            label: title(robot),
            value: fraction(robot.requests, all),
            text: format!("{} ({})", robot.requests, share(robot.requests, all)),
            before: None,
        })
        .collect();
    let about = "Requests of each, and their share of all. \"not X\" uses the name of X from an address that is not its operator's.";
    page.section(
        "Robots",
        about,
        Width::Column,
        &bars("Requests by robot", &rows),
    );
}

fn bytes_section(page: &mut Page<'_>, audit: &Audit) {
    let all = audit.robots.iter().map(|robot| robot.bytes);
    let all = all.fold(0, u64::saturating_add);
    // Some logs have no sizes of responses.
    if all == 0 {
        return;
    }
    let mut robots: Vec<&Robot> = audit.robots.iter().collect();
    robots.sort_by_key(|robot| std::cmp::Reverse(robot.bytes));
    let row = |robot: &&Robot| Bar {
        label: title(robot),
        value: fraction(robot.bytes, all),
        #[expect(clippy::cast_precision_loss, reason = "a number in a chart")]
        text: format!(
            "{}B ({})",
            number(robot.bytes as f64),
            share(robot.bytes, all)
        ),
        before: None,
    };
    let rows: Vec<Bar> = robots.iter().take(MAX_BARS).map(row).collect();
    page.section(
        "Bytes",
        "Bytes that were sent to each, according to the log, and their share of those sent to robots.",
        Width::Column,
        &bars("Bytes by robot", &rows),
    );
}

fn estimates_section(
    page: &mut Page<'_>,
    audit: &Audit,
    heading: &str,
    about: &str,
    of: fn(&Robot) -> Option<Share>,
) {
    let mut shares: Vec<(&Robot, Share)> = audit
        .robots
        .iter()
        .filter_map(|robot| Some((robot, of(robot)?)))
        .collect();
    shares.sort_by_key(|(_, share)| std::cmp::Reverse(share.requests));
    let rows: Vec<Estimate> = shares
        .into_iter()
        .take(MAX_BARS)
        .map(|(robot, share)| Estimate {
            label: title(robot),
            share: share.ratio,
            low: share.low,
            high: share.high,
        })
        .collect();
    if !rows.is_empty() {
        page.section(heading, about, Width::Column, &estimates(heading, &rows));
    }
}

fn days_section(page: &mut Page<'_>, audit: &Audit) {
    let days_per_bar = audit.days.len().div_ceil(MAX_DAY_BARS).max(1);
    let of = |number: fn(&super::facts::Day) -> u64| -> Vec<(String, f64)> {
        audit
            .days
            .chunks(days_per_bar)
            .map(|days| {
                let first = days
                    .first()
                    // The date without its year.
                    .map_or("", |day| day.date.get(5..).unwrap_or_default());
                let sum = days.iter().map(number).fold(0, u64::saturating_add);
                #[expect(clippy::cast_precision_loss, reason = "a height in a chart")]
                let height = sum as f64;
                (first.to_owned(), height)
            })
            .collect()
    };
    let axis = if days_per_bar == 1 {
        "day".to_owned()
    } else {
        format!("{days_per_bar} days from")
    };
    for (heading, rows) in [
        ("Requests of robots by day", of(|day| day.robots)),
        ("Requests for AI by day", of(|day| day.ai)),
    ] {
        // More than seven labels would overlap, so only the first of each `step` bars has a label.
        let step = rows.len().div_ceil(7).max(1);
        let rows: Vec<(String, f64)> = rows
            .into_iter()
            .enumerate()
            .map(|(index, (label, value))| {
                let is_shown = index.checked_rem(step) == Some(0);
                (if is_shown { label } else { String::new() }, value)
            })
            .collect();
        page.section(
            heading,
            "Days in UTC.",
            Width::Column,
            &columns(heading, &axis, &rows),
        );
    }
}

fn table_section(page: &mut Page<'_>, audit: &Audit) {
    let rows: Vec<Vec<String>> = audit
        .robots
        .iter()
        .map(|robot| {
            let delay = &robot.crawl_delay;
            let seconds =
                |value: Option<f64>| value.map_or("-".to_owned(), |value| format!("{value:.1}"));
            vec![
                title(robot),
                robot.operator.clone().unwrap_or_else(|| "-".to_owned()),
                robot
                    .obeys
                    .map_or("-".to_owned(), |obeys| obeys.to_string()),
                robot.requests.to_string(),
                robot.bytes.to_string(),
                robot.robots_txt.to_string(),
                robot.verified.to_string(),
                robot.judged.to_string(),
                robot.forbidden.requests.to_string(),
                robot.in_grace.to_string(),
                seconds(delay.asked),
                seconds(delay.median_gap),
                delay.too_soon.requests.to_string(),
            ]
        })
        .collect();
    let head = [
        "robot",
        "operator",
        "obeys",
        "requests",
        "bytes",
        "for robots.txt",
        "verified",
        "judged",
        "forbidden",
        "in grace",
        "delay (s)",
        "median gap (s)",
        "too soon",
    ];
    let about = "Obeys: according to its vendor. Verified: from addresses of its operator. In grace: still allowed by an older robots.txt.";
    page.section("All robots", about, Width::Whole, &table(&head, &rows));
}

/// Returns the rows of all robots for one table, those with most requests first.
fn rows(audit: &Audit, of: fn(&Robot) -> &[Row]) -> Vec<Vec<String>> {
    let rows = audit.robots.iter().flat_map(|robot| {
        of(robot).iter().map(move |row| {
            (
                row.requests,
                vec![title(robot), row.name.clone(), row.requests.to_string()],
            )
        })
    });
    let mut rows: Vec<_> = rows.collect();
    rows.sort_by_key(|(requests, _)| std::cmp::Reverse(*requests));
    rows.into_iter()
        .take(2 * MAX_BARS)
        .map(|(_, row)| row)
        .collect()
}

fn paths_section(page: &mut Page<'_>, audit: &Audit) {
    let paths = rows(audit, |robot| &robot.paths);
    let about = "The first part of each path, by requests.";
    page.section(
        "Requested paths",
        about,
        Width::Column,
        &table(&["robot", "path", "requests"], &paths),
    );
}

fn rules_section(page: &mut Page<'_>, audit: &Audit) {
    let rules = rows(audit, |robot| &robot.rules);
    if !rules.is_empty() {
        let about = "The rules that forbade a request, by requests.";
        page.section(
            "Violated rules",
            about,
            Width::Column,
            &table(&["robot", "rule", "requests"], &rules),
        );
    }
}

fn examples_section(page: &mut Page<'_>, audit: &Audit) {
    let examples: Vec<Vec<String>> = audit
        .robots
        .iter()
        .flat_map(|robot| {
            robot.examples.iter().map(move |example| {
                vec![
                    title(robot),
                    example.target.clone(),
                    example.rule.clone(),
                    format!("{}:{}", example.file, example.line),
                ]
            })
        })
        .take(2 * MAX_BARS)
        .collect();
    if !examples.is_empty() {
        let about = "The first forbidden requests of each robot, with their lines in the logs.";
        let head = ["robot", "request", "rule", "line"];
        page.section("Examples", about, Width::Whole, &table(&head, &examples));
    }
}

fn programs_section(page: &mut Page<'_>, audit: &Audit) {
    let rows: Vec<Vec<String>> = audit
        .programs
        .iter()
        .map(|program| {
            vec![
                program.name.clone(),
                program.requests.to_string(),
                program.robots_txt.to_string(),
            ]
        })
        .collect();
    if !rows.is_empty() {
        let about = "Their User-Agent names neither a robot nor a browser. People may use them: they are not judged.";
        let head = ["program", "requests", "for robots.txt"];
        page.section("Other programs", about, Width::Column, &table(&head, &rows));
    }
}
