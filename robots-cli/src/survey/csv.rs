//! A survey as a folder of CSV files, one for each table.

use super::facts::{Agent, Row, Survey};
use super::text::SIZES;
use crate::terminal::printable;
use anyhow::{Context, Result};
use csv::Writer;
use std::fs::{self, File};
use std::path::Path;

/// Writes the files; the folder is made if it is not there.
pub(super) fn write(folder: &Path, survey: &Survey) -> Result<()> {
    fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
    let robots = &survey.robots;
    let answers = survey.answers.iter();
    let answers = answers.map(|(class, count)| vec![class.clone(), count.to_string()]);
    table(folder, "answers", &["class", "answers"], answers)?;
    let sizes = SIZES
        .iter()
        .filter_map(|name| Some((*name, robots.sizes.get(*name)?)));
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
        let mut row = vec![name.to_owned(), format!("{:.3}", facts.mean)];
        row.extend(numbers.map(|number| number.to_string()));
        row
    });
    let head = [
        "size", "mean", "files", "sum", "min", "p10", "median", "p90", "p99", "max",
    ];
    table(folder, "sizes", &head, rows)?;
    let points = sizes.flat_map(|(name, facts)| {
        facts
            .points
            .iter()
            .map(move |(value, below)| vec![name.to_owned(), value.to_string(), below.to_string()])
    });
    table(
        folder,
        "curves",
        &["size", "value", "files_at_or_below"],
        points,
    )?;
    rows_of(folder, "fields", &robots.fields)?;
    rows_of(folder, "unknown_fields", &robots.unknown_fields)?;
    agents(folder, "agents", &robots.agents)?;
    agents(folder, "known_agents", &robots.known_agents)?;
    let findings = robots.findings.iter().map(|finding| {
        vec![
            finding.code.clone(),
            finding.name.clone(),
            finding.severity.clone(),
            finding.times.to_string(),
            finding.files.to_string(),
        ]
    });
    table(
        folder,
        "findings",
        &["code", "name", "severity", "times", "files"],
        findings,
    )?;
    let ai = robots
        .ai
        .iter()
        .map(|(what, files)| vec![what.clone(), files.to_string()]);
    table(folder, "ai", &["says", "files"], ai)?;
    rows_of(folder, "meta_directives", &survey.pages.meta_directives)?;
    rows_of(folder, "header_directives", &survey.pages.header_directives)
}

fn rows_of(folder: &Path, name: &str, rows: &[Row]) -> Result<()> {
    let rows = rows.iter().map(|row| {
        vec![
            row.name.clone(),
            row.times.to_string(),
            row.files.to_string(),
        ]
    });
    table(folder, name, &["name", "times", "files"], rows)
}

fn agents(folder: &Path, name: &str, agents: &[Agent]) -> Result<()> {
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
    table(folder, name, &head, rows)
}

fn table(
    folder: &Path,
    name: &str,
    head: &[&str],
    rows: impl Iterator<Item = Vec<String>>,
) -> Result<()> {
    let path = folder.join(format!("{name}.csv"));
    let about = || format!("cannot write {}", path.display());
    let mut writer = Writer::from_writer(File::create(&path).with_context(about)?);
    writer.write_record(head).with_context(about)?;
    for row in rows {
        let row = row.iter().map(|cell| printable(cell).into_owned());
        writer.write_record(row).with_context(about)?;
    }
    writer.flush().with_context(about)
}
