//! A survey as a folder of CSV files, one for each table.

use super::facts::{Agent, Row, Survey};
use super::text::SIZES;
use crate::report::csv::Tables;
use anyhow::Result;
use std::path::Path;

/// The names of the tables.
pub(super) const TABLES: &[&str] = &[
    "responses",
    "kinds",
    "webwatch_errors",
    "sizes",
    "curves",
    "fields",
    "unknown_fields",
    "agents",
    "known_agents",
    "findings",
    "ai",
    "meta_directives",
    "header_directives",
];

/// Writes the files. Creates the folder if it does not exist.
pub(super) fn write(folder: &Path, survey: &Survey) -> Result<()> {
    let tables = Tables::in_folder(folder, TABLES)?;
    let robots = &survey.robots;
    let responses = survey.responses.iter();
    let responses = responses.map(|(class, count)| vec![class.clone(), count.to_string()]);
    tables.write("responses", &["status_class", "responses"], responses)?;
    let kinds = [
        ("all", robots.files),
        ("HTML page", robots.html),
        ("over 500 KiB", robots.over_limit),
        ("comments alone", robots.comments_alone),
    ];
    let kinds = kinds.map(|(kind, files)| vec![kind.to_owned(), files.to_string()]);
    tables.write("kinds", &["kind", "files"], kinds)?;
    let errors = robots.webwatch_errors.iter();
    let errors = errors.map(|(error, files)| vec![error.clone(), files.to_string()]);
    tables.write("webwatch_errors", &["error", "files"], errors)?;
    write_sizes(&tables, survey)?;
    write_rows(&tables, "fields", &robots.fields)?;
    write_rows(&tables, "unknown_fields", &robots.unknown_fields)?;
    write_agents(&tables, "agents", &robots.agents)?;
    write_agents(&tables, "known_agents", &robots.known_agents)?;
    let findings = robots.findings.iter().map(|finding| {
        vec![
            finding.code.clone(),
            finding.name.clone(),
            finding.severity.clone(),
            finding.times.to_string(),
            finding.files.to_string(),
        ]
    });
    tables.write(
        "findings",
        &["code", "name", "severity", "times", "files"],
        findings,
    )?;
    let ai = robots
        .ai
        .iter()
        .map(|(statement, files)| vec![statement.clone(), files.to_string()]);
    tables.write("ai", &["statement", "files"], ai)?;
    write_rows(&tables, "meta_directives", &survey.pages.meta_directives)?;
    write_rows(
        &tables,
        "header_directives",
        &survey.pages.header_directives,
    )
}

/// Writes the table of sizes, and the table of the points of their distributions.
fn write_sizes(tables: &Tables<'_>, survey: &Survey) -> Result<()> {
    let sizes = SIZES
        .iter()
        .filter_map(|name| Some((*name, survey.robots.sizes.get(*name)?)));
    let rows = sizes.clone().map(|(name, facts)| {
        let numbers = [
            facts.count,
            facts.sum,
            facts.min,
            facts.p10,
            facts.median,
            facts.p90,
            facts.p99,
            facts.max,
        ];
        let mean = format!("{:.3}", facts.mean);
        let mut row = vec![name.to_owned(), mean, facts.mode.to_string()];
        row.extend(numbers.map(|number| number.to_string()));
        row
    });
    let head = [
        "size", "mean", "mode", "files", "sum", "min", "p10", "median", "p90", "p99", "max",
    ];
    tables.write("sizes", &head, rows)?;
    let points = sizes.flat_map(|(name, facts)| {
        facts
            .points
            .iter()
            .map(move |(value, below)| vec![name.to_owned(), value.to_string(), below.to_string()])
    });
    tables.write("curves", &["size", "value", "files_at_or_below"], points)
}

/// Writes a table of names, with their occurrences and files.
fn write_rows(tables: &Tables<'_>, name: &str, rows: &[Row]) -> Result<()> {
    let rows = rows.iter().map(|row| {
        vec![
            row.name.clone(),
            row.times.to_string(),
            row.files.to_string(),
        ]
    });
    tables.write(name, &["name", "times", "files"], rows)
}

/// Writes a table of robots, with the number of files of each degree of restriction.
fn write_agents(tables: &Tables<'_>, name: &str, agents: &[Agent]) -> Result<()> {
    let head = [
        "agent",
        "ai",
        "files",
        "none",
        "some",
        "all_except",
        "all",
        "unknown",
    ];
    let rows = agents.iter().map(|agent| {
        let numbers = [
            agent.files,
            agent.none,
            agent.some,
            agent.all_except,
            agent.all,
            agent.unknown,
        ];
        let mut row = vec![agent.name.clone(), agent.ai.to_string()];
        row.extend(numbers.map(|number| number.to_string()));
        row
    });
    tables.write(name, &head, rows)
}
