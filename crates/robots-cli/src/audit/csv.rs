//! An audit as a folder of CSV files, one for each table.

use super::facts::{Audit, Robot, Row, Share};
use crate::report::csv::Tables;
use anyhow::Result;
use std::path::Path;

/// The names of the tables.
pub(super) const TABLES: &[&str] = &[
    "robots", "paths", "rules", "examples", "programs", "days", "broken",
];

/// Writes the files. Creates the folder if it does not exist.
pub(super) fn write(folder: &Path, audit: &Audit) -> Result<()> {
    let tables = Tables::in_folder(folder, TABLES)?;
    let head = [
        "robot",
        "refuted",
        "known",
        "operator",
        "purposes",
        "ai",
        "obeys",
        "requests",
        "bytes",
        "first",
        "last",
        "verified",
        "unverified",
        "robots_txt",
        "judged",
        "forbidden",
        "forbidden_share",
        "forbidden_low",
        "forbidden_high",
        "in_grace",
        "crawl_delay",
        "delays_judged",
        "too_soon",
        "too_soon_share",
        "too_soon_low",
        "too_soon_high",
        "median_gap",
    ];
    tables.write("robots", &head, audit.robots.iter().map(robot))?;
    let rows = |of: fn(&Robot) -> &[Row]| {
        audit.robots.iter().flat_map(move |robot| {
            of(robot)
                .iter()
                .map(|row| vec![robot.title(), row.name.clone(), row.requests.to_string()])
        })
    };
    tables.write(
        "paths",
        &["robot", "path", "requests"],
        rows(|robot| &robot.paths),
    )?;
    tables.write(
        "rules",
        &["robot", "rule", "requests"],
        rows(|robot| &robot.rules),
    )?;
    let examples = audit.robots.iter().flat_map(|robot| {
        robot.examples.iter().map(|example| {
            vec![
                robot.title(),
                example.file.clone(),
                example.line.to_string(),
                text(example.time.as_ref()),
                example.target.clone(),
                example.rule.clone(),
            ]
        })
    });
    let head = ["robot", "file", "line", "time", "target", "rule"];
    tables.write("examples", &head, examples)?;
    let programs = audit.programs.iter().map(|program| {
        vec![
            program.name.clone(),
            program.requests.to_string(),
            program.robots_txt.to_string(),
        ]
    });
    tables.write("programs", &["program", "requests", "robots_txt"], programs)?;
    let days = audit.days.iter().map(|day| {
        let numbers = [day.requests, day.robots, day.ai];
        let mut row = vec![day.date.clone()];
        row.extend(numbers.map(|number| number.to_string()));
        row
    });
    tables.write("days", &["day", "requests", "robots", "ai"], days)?;
    let bad_lines = audit.bad_lines.iter().map(|bad| {
        vec![
            bad.reason.clone(),
            bad.lines.to_string(),
            bad.file.clone(),
            bad.line.to_string(),
        ]
    });
    tables.write(
        "broken",
        &["reason", "lines", "first_file", "first_line"],
        bad_lines,
    )
}

fn robot(robot: &Robot) -> Vec<String> {
    let share = |share: &Share| {
        let parts = [share.ratio, share.low, share.high].map(|part| format!("{part:.6}"));
        [vec![share.requests.to_string()], parts.to_vec()].concat()
    };
    let delay = &robot.crawl_delay;
    [
        vec![
            robot.name.clone(),
            robot.refuted.to_string(),
            robot.known.to_string(),
            robot.operator.clone().unwrap_or_default(),
            robot.purposes.join(" "),
            robot.ai.to_string(),
            text(robot.obeys.as_ref()),
            robot.requests.to_string(),
            robot.bytes.to_string(),
            text(robot.first.as_ref()),
            text(robot.last.as_ref()),
            robot.verified.to_string(),
            robot.unverified.to_string(),
            robot.robots_txt.to_string(),
            robot.judged.to_string(),
        ],
        share(&robot.forbidden),
        vec![
            robot.in_grace.to_string(),
            text(delay.asked.as_ref()),
            delay.judged.to_string(),
        ],
        share(&delay.too_soon),
        vec![text(delay.median_gap.as_ref())],
    ]
    .concat()
}

/// Returns a value as text; the empty text if it is not known.
fn text(value: Option<&impl ToString>) -> String {
    value.map(ToString::to_string).unwrap_or_default()
}
