//! The HTML report of an audit: the page, and its smaller sections.
//!
//! [`findings`] has the headline and the findings in words. [`violations`] shows the robots that disregard robots.txt, [`days`]
//! the requests over time.

mod days;
mod findings;
mod violations;

use super::facts::{Audit, Program, Robot, Row as Name};
use crate::report::chart::{
    Axis, Caption, Key, Label, Mark, Row, Tone, Unit, Value, rows, side_by_side,
};
use crate::report::number::{bytes, counted, counted_share, decimal, minute, percent_of, whole};
use crate::report::page::{Page, finding, notes, remark};
use crate::report::table::{Cell, details, table};
use crate::statistics::share::float;
use jiff::Timestamp;
use maud::{Markup, html};
use robots_policy::profile::Obeys;
use std::cmp::Reverse;

/// The maximum number of rows of a chart.
const MAX_ROWS: usize = 15;

/// The maximum number of rows of a table of paths, rules or examples.
const MAX_TABLE_ROWS: usize = 30;

/// The keys of a chart that marks AI robots.
const AI_KEYS: [Key<'static>; 2] = [
    Key::Tone(Tone::Accent, "AI robots"),
    Key::Tone(Tone::Main, "other robots"),
];

/// The names of the files from which an audit was made.
#[derive(Debug, Default)]
pub(super) struct Inputs {
    pub(super) logs: Vec<String>,
    pub(super) robots: Vec<String>,
    /// The files about addresses, of `--hosts` and `--ranges`.
    pub(super) addresses: Vec<String>,
}

/// Returns the report as a page with this date.
pub(super) fn page(audit: &Audit, made: Timestamp, inputs: Inputs) -> String {
    let requests = &audit.requests;
    let mut page = Page::new("Audit of robots", made, findings::headline(audit));
    for (section, text) in findings::findings(audit) {
        page.finding(section, text);
    }
    page.number(whole(requests.all), "requests in the logs");
    page.number(
        percent_of(requests.robots, requests.all),
        "of requests are by robots",
    );
    page.number(
        percent_of(requests.ai, requests.all),
        "of requests are by AI robots",
    );
    page.number(whole(findings::judged(audit)), "judged requests");
    page.number(whole(findings::forbidden(audit)), "forbidden requests");
    page.number(whole(audit.unreadable_lines()), "unreadable lines");
    violations::forbidden(&mut page, audit);
    violations::too_soon(&mut page, audit);
    violations::false_names(&mut page, audit);
    robots(&mut page, audit);
    days::section(&mut page, audit);
    paths(&mut page, audit);
    programs(&mut page, audit);
    page.section("method", "Method and inputs", method(audit, inputs));
    page.finish(&audit.program)
}

fn tone(robot: &Robot) -> Tone {
    if robot.ai { Tone::Accent } else { Tone::Main }
}

/// Returns what is known about a robot: whether it is for AI, and what its vendor documents about robots.txt.
fn about(robot: &Robot) -> String {
    if robot.refuted {
        // The vendor's statements are not about requesters that only use the name of its robot.
        return "false use of the name".to_owned();
    }
    let obeys = match robot.obeys {
        Some(Obeys::Yes) => "vendor: obeys",
        Some(Obeys::Partly) => "vendor: obeys in part",
        Some(Obeys::No) => "vendor: does not obey",
        Some(_) => "vendor: not documented",
        None => "vendor: unknown",
    };
    if robot.ai {
        format!("AI; {obeys}")
    } else {
        obeys.to_owned()
    }
}

/// Adds the requests and bytes of each robot, and the table of all robots.
fn robots(page: &mut Page, audit: &Audit) {
    let all = audit.requests.all;
    if audit.robots.is_empty() {
        return;
    }
    let bar = |robot: &Robot| Row {
        label: Label::new(robot.title()),
        mark: Mark::bar(float(robot.requests), tone(robot)),
        value: Value {
            text: whole(robot.requests),
            note: format!("{} of all", percent_of(robot.requests, all)),
        },
    };
    let bars: Vec<Row> = audit.robots.iter().take(MAX_ROWS).map(bar).collect();
    let axis = Axis::new(Unit::Count, bars.iter().flat_map(Row::values));
    let caption = Caption {
        title: "Requests by robot",
        axis: "number of requests",
        keys: &AI_KEYS,
    };
    let mut charts = vec![rows(&caption, &axis, None, &bars)];
    charts.extend(bytes_chart(audit));
    let table: Vec<Vec<Cell>> = audit.robots.iter().map(cells).collect();
    let content = html! {
        (finding(&findings::requests(audit)))
        (side_by_side(&charts))
        (details("All robots", &HEAD, &table))
        (remark("Obeys: according to the vendor. Verified: from addresses of the operator. In grace: forbidden by the robots.txt in force, allowed by an older one that still applies. \u{201c}not X\u{201d} uses the name of X from an address that is not its operator's."))
    };
    page.section("robots", "Requests by robot", content);
}

/// Returns the chart of bytes, if the logs have sizes of responses.
fn bytes_chart(audit: &Audit) -> Option<Markup> {
    let sizes = audit.robots.iter().map(|robot| robot.bytes);
    let all = sizes.fold(0, u64::saturating_add);
    if all == 0 {
        return None;
    }
    let mut robots: Vec<&Robot> = audit.robots.iter().collect();
    robots.sort_by_key(|robot| Reverse(robot.bytes));
    let bar = |robot: &&Robot| Row {
        label: Label::new(robot.title()),
        mark: Mark::bar(float(robot.bytes), tone(robot)),
        value: Value {
            text: bytes(float(robot.bytes)),
            note: format!("{} of robots", percent_of(robot.bytes, all)),
        },
    };
    let bars: Vec<Row> = robots.iter().take(MAX_ROWS).map(bar).collect();
    let axis = Axis::new(Unit::Bytes, bars.iter().flat_map(Row::values));
    let caption = Caption {
        title: "Bytes sent to each robot",
        axis: "bytes of responses, according to the logs",
        keys: &AI_KEYS,
    };
    Some(rows(&caption, &axis, None, &bars))
}

/// The columns of the table of robots.
const HEAD: [&str; 14] = [
    "robot",
    "for AI",
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

fn cells(robot: &Robot) -> Vec<Cell> {
    let delay = &robot.crawl_delay;
    let missing = || "-".to_owned();
    let number = |count: u64| Cell::Number(whole(count));
    let seconds = |value: Option<f64>| Cell::Number(value.map_or_else(missing, decimal));
    vec![
        Cell::Text(robot.title()),
        Cell::Text(if robot.ai { "yes" } else { "no" }.to_owned()),
        Cell::Text(robot.operator.clone().unwrap_or_else(missing)),
        Cell::Text(robot.obeys.map_or_else(missing, |obeys| obeys.to_string())),
        number(robot.requests),
        number(robot.bytes),
        number(robot.robots_txt),
        number(robot.verified),
        number(robot.judged),
        number(robot.forbidden.requests),
        number(robot.in_grace),
        seconds(delay.asked),
        seconds(delay.median_gap),
        number(delay.too_soon.requests),
    ]
}

/// Returns the names of all robots from one list, those with the most requests first.
fn names_of_robots(audit: &Audit, of: fn(&Robot) -> &[Name]) -> Vec<(&Robot, &Name)> {
    let names = audit.robots.iter().flat_map(|robot| {
        let names = of(robot).iter();
        names.map(move |name| (robot, name))
    });
    let mut names: Vec<(&Robot, &Name)> = names.collect();
    names.sort_by_key(|(_, name)| Reverse(name.requests));
    names.truncate(MAX_TABLE_ROWS);
    names
}

/// Returns the rows of a table of such names.
fn of_robots(audit: &Audit, of: fn(&Robot) -> &[Name]) -> Vec<Vec<Cell>> {
    let names = names_of_robots(audit, of);
    let row = |(robot, name): &(&Robot, &Name)| {
        vec![
            Cell::Text(robot.title()),
            Cell::Text(name.name.clone()),
            Cell::Number(whole(name.requests)),
        ]
    };
    names.iter().map(row).collect()
}

/// Adds the most requested paths.
fn paths(page: &mut Page, audit: &Audit) {
    let paths = names_of_robots(audit, |robot| &robot.paths);
    let Some((robot, most)) = paths.first() else {
        return;
    };
    let text = format!(
        "The most requests of one robot for one path are those of {} for {}: {}. Paths are counted by their first part.",
        robot.title(),
        most.name,
        whole(most.requests)
    );
    let bar = |(robot, path): &(&Robot, &Name)| Row {
        label: Label::new(path.name.as_str()).with_note(robot.title()),
        mark: Mark::bar(float(path.requests), tone(robot)),
        value: Value {
            text: whole(path.requests),
            note: String::new(),
        },
    };
    let bars: Vec<Row> = paths.iter().take(MAX_ROWS).map(bar).collect();
    let axis = Axis::new(Unit::Count, bars.iter().flat_map(Row::values));
    let caption = Caption {
        title: "The most requested paths, by robot",
        axis: "number of requests",
        keys: &AI_KEYS,
    };
    let content = html! {
        (finding(&text))
        (rows(&caption, &axis, None, &bars))
        (details(
            "The first part of each path, by the requests of a robot",
            &["robot", "path", "requests"],
            &of_robots(audit, |robot| &robot.paths),
        ))
    };
    page.section("paths", "Requested paths", content);
}

/// Adds the programs that claim to be neither a robot nor a browser.
fn programs(page: &mut Page, audit: &Audit) {
    let row = |program: &Program| {
        vec![
            Cell::Text(program.name.clone()),
            Cell::Number(whole(program.requests)),
            Cell::Number(whole(program.robots_txt)),
        ]
    };
    let table_rows: Vec<Vec<Cell>> = audit.programs.iter().map(row).collect();
    if table_rows.is_empty() {
        return;
    }
    let text = format!(
        "{} came from other programs. Their User-Agent names neither a robot nor a browser. People may use them, so they are not judged.",
        counted_share(audit.requests.programs, audit.requests.all, "request")
    );
    let head = ["program", "requests", "for robots.txt"];
    let content = html! {
        (finding(&text))
        (table("Other programs, by requests", &head, &table_rows))
    };
    page.section("programs", "Other programs", content);
}

/// Returns the method of the audit, and its inputs.
fn method(audit: &Audit, inputs: Inputs) -> Markup {
    let text = |text: &str| vec![text.to_owned()];
    let time = match (audit.first, audit.last) {
        (Some(first), Some(last)) => {
            vec![format!("From {} to {}.", minute(first), minute(last))]
        }
        _ => Vec::new(),
    };
    let unreadable = audit.bad_lines.iter().map(|bad| {
        format!(
            "{}: {}; the first is {}:{}",
            counted(bad.lines, "line"),
            bad.reason,
            bad.file,
            bad.line
        )
    });
    notes(&[
        ("Logs", inputs.logs),
        ("Sources of robots.txt", inputs.robots),
        ("Addresses of robots", inputs.addresses),
        ("Time of the requests", time),
        ("Unreadable lines", unreadable.collect()),
        (
            "Robots",
            vec![format!(
                "A request is a robot's if its User-Agent names a robot of the table of {}, or looks like that of a robot.",
                audit.robots_as_of
            )],
        ),
        (
            "Judged requests",
            vec![format!(
                "A request is judged by the robots.txt that was in force at its time. An older one that allows the request still applies for {}.",
                hours(audit.grace)
            )],
        ),
        (
            "Requests that came too soon",
            text(
                "A request came too soon if the time since the previous one, to the same host and in the same log, was certainly shorter than the Crawl-delay, however the log rounds times.",
            ),
        ),
        (
            "Intervals",
            text(
                "The line through a dot is the 95% confidence interval (Wilson's) of the share, if the logs are a fair sample of the robot's requests.",
            ),
        ),
        ("Notes", audit.notes.clone()),
    ])
}

/// Returns a time in seconds as hours, or as seconds if it is no whole number of hours.
fn hours(seconds: i64) -> String {
    let seconds = u64::try_from(seconds).unwrap_or_default();
    if seconds > 0 && seconds.is_multiple_of(3_600) {
        counted(seconds / 3_600, "hour")
    } else {
        counted(seconds, "second")
    }
}
