//! The report of an audit.
//!
//! [`findings`] has the headline and the findings in words. [`violations`] shows the robots that disregard robots.txt, [`days`]
//! the requests over time.

mod days;
mod findings;
mod violations;

use super::facts::{Audit, Robot, Row as Name};
use crate::report::chart::{AI_KEYS, Chart, MAX_ROWS, Row, Tone, Unit};
use crate::report::number::{counted, counted_share, minute, percent_of, whole};
use crate::report::table::{In, Table, TableOf, Value};
use crate::report::{Report, Section};
use crate::statistics::share::fraction;
use robots_policy::profile::Obeys;
use std::cmp::Reverse;

/// The names of the tables.
pub(super) const TABLES: &[&str] = &[
    "robots",
    "paths",
    "rules",
    "examples",
    "programs",
    "days",
    "bad_lines",
];

/// Returns the report; `inputs` are the names of the files that were read, by their purpose.
pub(super) fn report(audit: &Audit, inputs: &[(&'static str, Vec<String>)]) -> Report {
    let requests = &audit.requests;
    let share = |part| Value::Share(fraction(part, requests.all));
    Report {
        kind: "Audit of robots",
        made_by: audit.program.clone(),
        headline: findings::headline(audit),
        numbers: vec![
            (requests.all.into(), "requests in the logs"),
            (share(requests.robots), "of requests are by robots"),
            (share(requests.ai), "of requests are by AI robots"),
            (
                audit.identity.verified.into(),
                "requests of robots with verified addresses",
            ),
            (findings::judged(audit).into(), "judged requests"),
            (findings::forbidden(audit).into(), "forbidden requests"),
            (audit.unreadable_lines().into(), "unreadable lines"),
        ],
        sections: vec![
            violations::forbidden(audit),
            violations::too_soon(audit),
            violations::false_names(audit),
            robots(audit),
            days::section(audit),
            paths(audit),
            programs(audit),
        ],
        method: [inputs, &method(audit)].concat(),
        notes: audit.notes.clone(),
    }
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

/// Returns the requests and bytes of each robot, and the table of all robots.
fn robots(audit: &Audit) -> Section {
    let requests = &audit.requests;
    // A log may have any numbers of bytes.
    let bytes = audit.robots.iter().map(|robot| robot.bytes);
    let bytes = bytes.fold(0, u64::saturating_add);
    let mut by_bytes: Vec<&Robot> = audit.robots.iter().collect();
    by_bytes.sort_by_key(|robot| Reverse(robot.bytes));
    // Logs without sizes of responses have no chart of bytes.
    by_bytes.retain(|_| bytes > 0);
    let by_requests = audit.robots.iter().take(MAX_ROWS).map(|robot| {
        let note = format!("{} of all", percent_of(robot.requests, requests.all));
        Row::count(
            robot.title(),
            robot.requests,
            Tone::of_robot(robot.ai),
            note,
        )
    });
    let by_bytes = by_bytes.into_iter().take(MAX_ROWS).map(|robot| {
        let note = format!("{} of robots", percent_of(robot.bytes, bytes));
        Row::bytes(robot.title(), robot.bytes, Tone::of_robot(robot.ai), note)
    });
    let axis = "number of requests";
    let of_bytes = "bytes of responses, according to the logs";
    let requesters = [
        ("robots", requests.robots),
        ("AI robots, among these", requests.ai),
        ("other programs", requests.programs),
        ("browsers", requests.browsers),
        ("unnamed", requests.unnamed),
    ];
    let requesters = Table::of("", "Requests by requester", requesters)
        .column(In::TEXT, "requester", |row| row.0)
        .column(In::TEXT, "requests", |row| row.1)
        .column(In::TEXT, "share", |row| {
            Value::Share(fraction(row.1, requests.all))
        });
    let section = Section::new("robots", "Requests by robot");
    let section = if audit.robots.is_empty() {
        section
    } else {
        section
            .main_finding(findings::requests(audit))
            .main_finding(findings::identity(audit))
    };
    section
        .charts([
            Chart::rows("Requests by robot", axis, Unit::Count, by_requests).with_keys(AI_KEYS),
            Chart::rows("Bytes sent to each robot", of_bytes, Unit::Bytes, by_bytes).with_keys(AI_KEYS),
        ])
        .table(requesters)
        .table(table_of_robots(&audit.robots))
        .remark("Obeys: according to the vendor. Verified: from addresses of the operator. In grace: forbidden by the robots.txt in force, allowed by an older one that still applies. \u{201c}X (not verified)\u{201d} is what the User-Agent states. \u{201c}not X\u{201d} uses the name of X from an address that is not its operator's.")
        .table(bad_lines(audit))
}

fn table_of_robots(robots: &[Robot]) -> TableOf<&Robot> {
    let shown = In::HTML | In::TEXT;
    let time = |time: Option<jiff::Timestamp>| time.map(|time| time.to_string());
    Table::of("robots", "All robots", robots)
        .column(In::CSV, "robot", |robot| &robot.name)
        .column(In::CSV, "refuted", |robot| robot.refuted)
        .column(shown, "robot", |robot| robot.title())
        .column(In::CSV, "known", |robot| robot.known)
        .column(In::CSV | In::HTML, "operator", |robot| {
            robot.operator.clone()
        })
        .column(In::CSV, "purposes", |robot| robot.purposes.join(" "))
        .column(In::ALL, "ai", |robot| robot.ai)
        .column(In::CSV, "profile", |robot| {
            robot.profile.unwrap_or_default()
        })
        .column(In::CSV | In::HTML, "obeys", |robot| {
            robot.obeys.map(|obeys| obeys.to_string())
        })
        .column(In::ALL, "requests", |robot| robot.requests)
        .column(In::ALL, "bytes", |robot| robot.bytes)
        .column(In::CSV, "first", |robot| time(robot.first))
        .column(In::CSV, "last", |robot| time(robot.last))
        .column(In::ALL, "verified", |robot| robot.verified)
        .column(In::CSV, "unverified", |robot| robot.unverified)
        .column(In::ALL, "robots_txt", |robot| robot.robots_txt)
        .column(In::ALL, "judged", |robot| robot.judged)
        .column(In::ALL, "forbidden", |robot| robot.forbidden.requests)
        .column(In::CSV, "forbidden_share", |robot| {
            Value::Share(robot.forbidden.ratio)
        })
        .column(In::TEXT, "share", |robot| {
            (robot.judged > 0).then_some(Value::Share(robot.forbidden.ratio))
        })
        .column(In::CSV | In::HTML, "in_grace", |robot| robot.in_grace)
        .column(In::CSV | In::HTML, "crawl_delay", |robot| {
            robot.crawl_delay.asked
        })
        .column(In::CSV, "delays_judged", |robot| robot.crawl_delay.judged)
        .column(In::CSV | In::HTML, "too_soon", |robot| {
            robot.crawl_delay.too_soon.requests
        })
        .column(In::CSV, "too_soon_share", |robot| {
            Value::Share(robot.crawl_delay.too_soon.ratio)
        })
        .column(In::CSV | In::HTML, "median_gap", |robot| {
            robot.crawl_delay.median_gap
        })
}

fn bad_lines(audit: &Audit) -> TableOf<&super::facts::BadLines> {
    Table::of("bad_lines", "Unreadable lines", &audit.bad_lines)
        .column(In::CSV, "reason", |bad| &bad.reason)
        .column(In::CSV, "lines", |bad| bad.lines)
        .column(In::CSV, "first_file", |bad| &bad.file)
        .column(In::CSV, "first_line", |bad| bad.line)
        .column(In::CSV, "first_text", |bad| &bad.text)
}

/// A name of a list, and its robot.
type NameOf<'a> = (&'a Robot, &'a Name);

/// Returns the names of all robots from one list, those with the most requests first.
fn names_of_robots(audit: &Audit, of: fn(&Robot) -> &[Name]) -> Vec<NameOf<'_>> {
    let names = audit.robots.iter().flat_map(|robot| {
        let names = of(robot).iter();
        names.map(move |name| (robot, name))
    });
    let mut names: Vec<NameOf<'_>> = names.collect();
    names.sort_by_key(|(_, name)| Reverse(name.requests));
    names
}

/// Returns the most requested paths.
fn paths(audit: &Audit) -> Section {
    let paths = names_of_robots(audit, |robot| &robot.paths);
    let mut section = Section::new("paths", "Requested paths");
    if let Some((robot, most)) = paths.first() {
        section = section.finding(format!(
            "The most requests of one robot for one path are those of {} for {}: {}. Paths are counted by their first part.",
            robot.title(),
            most.name,
            whole(most.requests)
        ));
    }
    let bars = paths.iter().take(MAX_ROWS).map(|(robot, path)| {
        Row::count(
            path.name.as_str(),
            path.requests,
            Tone::of_robot(robot.ai),
            String::new(),
        )
        .with_about(robot.title())
    });
    let (title, axis) = ("The most requested paths, by robot", "number of requests");
    let chart = Chart::rows(title, axis, Unit::Count, bars).with_keys(AI_KEYS);
    let title = "The first part of each path, by the requests of a robot";
    section.charts([chart]).table(
        Table::of("paths", title, paths)
            .column(In::CSV | In::HTML, "robot", |row| row.0.title())
            .column(In::CSV | In::HTML, "path", |row| &row.1.name)
            .column(In::CSV | In::HTML, "requests", |row| row.1.requests),
    )
}

/// Returns the programs that claim to be neither a robot nor a browser.
fn programs(audit: &Audit) -> Section {
    let mut section = Section::new("programs", "Other programs");
    if !audit.programs.is_empty() {
        section = section.finding(format!(
            "{} came from other programs. Their User-Agent names neither a robot nor a browser. People may use them, so they are not judged.",
            counted_share(audit.requests.programs, audit.requests.all, "request")
        ));
    }
    section.table(
        Table::of("programs", "Other programs, by requests", &audit.programs)
            .column(In::ALL, "program", |program| &program.name)
            .column(In::ALL, "requests", |program| program.requests)
            .column(In::ALL, "robots_txt", |program| program.robots_txt),
    )
}

/// Returns the method of the audit.
fn method(audit: &Audit) -> Vec<(&'static str, Vec<String>)> {
    let text = |text: &str| vec![text.to_owned()];
    let time = audit.first.zip(audit.last);
    let time = time.map(|(first, last)| format!("From {} to {}.", minute(first), minute(last)));
    let unreadable = audit.bad_lines.iter().map(|bad| {
        format!(
            "{}: {}; the first is {}:{}: {}",
            counted(bad.lines, "line"),
            bad.reason,
            bad.file,
            bad.line,
            bad.text
        )
    });
    vec![
        ("Time of the requests", time.into_iter().collect()),
        ("Unreadable lines", unreadable.collect()),
        (
            "Robots",
            vec![format!(
                "A request is a robot's if its User-Agent names a robot of the table of {}, or looks like that of a robot.",
                audit.robots_as_of
            )],
        ),
        (
            "Verified requests",
            vec![
                "Anyone can send any User-Agent. A request is verified if its address is in a range of --ranges or, by --hosts, has a name of the robot's operator. Behind proxies, the last forwarded address that is not a proxy's counts.".to_owned(),
                findings::identity(audit),
            ],
        ),
        (
            "Judged requests",
            vec![format!(
                "A request is judged by the robots.txt that was in force at its time. An older one that allows the request still applies for {}. {}.",
                hours(audit.grace),
                match audit.dialect {
                    Some(dialect) => format!("Files are read under the dialect {dialect}"),
                    None => "Each known robot reads files as its operator does; any other as RFC 9309 says".to_owned(),
                }
            )],
        ),
        (
            "Requests that came too soon",
            text(
                "A request came too soon if the time since the previous one, to the same host and in the same log, was certainly shorter than the Crawl-delay, however the log rounds times.",
            ),
        ),
    ]
}

/// Returns a time in seconds as hours, or as seconds if it is no whole number of hours.
fn hours(seconds: i64) -> String {
    let seconds = seconds.unsigned_abs();
    if seconds > 0 && seconds.is_multiple_of(3_600) {
        counted(seconds / 3_600, "hour")
    } else {
        counted(seconds, "second")
    }
}
