//! A survey as text for a terminal.

use super::baseline::{Metric, metrics};
use super::facts::{Robots, Survey};
use crate::statistics::share::share;
use crate::table::{self, Column};
use anyhow::Result;
use std::io::Write;

/// The maximum number of rows of a list of names. The list of named robots has up to twice as many; those of findings, errors
/// and statements about AI have all.
const MAX_ROWS: usize = 10;

/// Writes a survey; with a baseline, also the numbers that differ from it.
pub(super) fn write(out: &mut dyn Write, survey: &Survey, baseline: Option<&Survey>) -> Result<()> {
    let robots = &survey.robots;
    writeln!(out, "Responses to requests for robots.txt")?;
    for (class, count) in &survey.responses {
        writeln!(out, "  {class:<24}{count:>10}")?;
    }
    writeln!(
        out,
        "\nrobots.txt files, under {}: {} (HTML pages: {}; with comments alone: {})",
        survey.dialect, robots.files, robots.html, robots.comments_alone
    )?;
    sizes(out, robots)?;
    let text_files = survey.text_files();
    writeln!(
        out,
        "\nFiles with errors of the kinds that WebWatch, a survey of 1997, counted"
    )?;
    for (error, files) in &robots.webwatch_errors {
        writeln!(
            out,
            "  {error:<40}{files:>8}  {:>6}",
            share(*files, text_files)
        )?;
    }
    unknown_fields(out, robots, text_files)?;
    named_robots(out, robots)?;
    if !robots.ai.is_empty() {
        writeln!(out, "\nFiles with statements about AI")?;
        for (statement, files) in &robots.ai {
            writeln!(
                out,
                "  {statement:<40}{files:>8}  {:>6}",
                share(*files, text_files)
            )?;
        }
    }
    findings(out, robots, text_files)?;
    if survey.pages.count > 0 {
        pages(out, survey)?;
    }
    for text in &survey.approximate {
        writeln!(out, "\napproximate: {text}")?;
    }
    if let Some(baseline) = baseline {
        comparison(out, survey, baseline)?;
    }
    Ok(())
}

/// Writes the table of sizes.
fn sizes(out: &mut dyn Write, robots: &Robots) -> Result<()> {
    let columns = [
        Column::Prose("numbers per file"),
        Column::Number("mean"),
        Column::Number("mode"),
        Column::Number("median"),
        Column::Number("p90"),
        Column::Number("p99"),
        Column::Number("max"),
    ];
    let rows = SIZES.iter().filter_map(|name| {
        let facts = robots.sizes.get(*name)?;
        Some(vec![
            name.replace('_', " "),
            format!("{:.1}", facts.mean),
            facts.mode.to_string(),
            facts.median.to_string(),
            facts.p90.to_string(),
            facts.p99.to_string(),
            facts.max.to_string(),
        ])
    });
    table::write_indented(out, &columns, rows)?;
    Ok(())
}

/// Writes the unknown fields that the most files have.
fn unknown_fields(out: &mut dyn Write, robots: &Robots, text_files: u64) -> Result<()> {
    if !robots.unknown_fields.is_empty() {
        writeln!(out, "\nFiles with unknown fields")?;
    }
    for row in robots.unknown_fields.iter().take(MAX_ROWS) {
        let name = crate::terminal::printable(&row.name);
        writeln!(
            out,
            "  {name:<40}{:>8}  {:>6}",
            row.files,
            share(row.files, text_files)
        )?;
    }
    Ok(())
}

/// Writes the findings of `robots lint`.
fn findings(out: &mut dyn Write, robots: &Robots, text_files: u64) -> Result<()> {
    if !robots.findings.is_empty() {
        writeln!(out, "\nFiles with findings of `robots lint`")?;
    }
    for finding in &robots.findings {
        writeln!(
            out,
            "  {}  {:<7}  {:<23}{:>10}  {:>6}",
            finding.code,
            finding.severity,
            finding.name,
            finding.files,
            share(finding.files, text_files)
        )?;
    }
    Ok(())
}

/// Writes the robots that the most files name, with their restrictions.
fn named_robots(out: &mut dyn Write, robots: &Robots) -> Result<()> {
    writeln!(
        out,
        "\nNamed robots: the files that name each, by how much of the site they disallow to it"
    )?;
    let columns = [
        Column::Prose("robot"),
        Column::Number("files"),
        Column::Number("none"),
        Column::Number("some"),
        Column::Number("all but some"),
        Column::Number("all"),
    ];
    let rows = robots.agents.iter().take(2 * MAX_ROWS).map(|agent| {
        vec![
            crate::terminal::printable(&agent.name).into_owned(),
            agent.files.to_string(),
            agent.none.to_string(),
            agent.some.to_string(),
            agent.all_except.to_string(),
            agent.all.to_string(),
        ]
    });
    table::write_indented(out, &columns, rows)?;
    Ok(())
}

/// The names of the sizes of a survey, in the order in which reports show them: numbers per file; the last three per
/// `User-agent` line.
pub(super) const SIZES: [&str; 15] = [
    "bytes",
    "lines",
    "bytes_per_line",
    "comment_lines",
    "lines_with_comment",
    "blank_lines",
    "unparsed_percent",
    "directives",
    "user_agents",
    "disallows",
    "allows",
    "sitemaps",
    "directives_of_agent",
    "disallows_of_agent",
    "allows_of_agent",
];

/// Writes the directives and links of pages.
fn pages(out: &mut dyn Write, survey: &Survey) -> Result<()> {
    let pages = &survey.pages;
    writeln!(out, "\nPages: {}", pages.count)?;
    let parts = [
        ("with a robots META", pages.with_robots_meta),
        ("with X-Robots-Tag", pages.with_x_robots_tag),
        ("with a canonical link", pages.with_canonical),
        ("with a description", pages.with_description),
    ];
    for (what, count) in parts {
        writeln!(
            out,
            "  {what:<40}{count:>8}  {:>6}",
            share(count, pages.count)
        )?;
    }
    for (what, rows) in [
        ("Pages with directives in METAs", &pages.meta_directives),
        ("Pages with directives in headers", &pages.header_directives),
    ] {
        if rows.is_empty() {
            continue;
        }
        writeln!(out, "{what}")?;
        for row in rows.iter().take(MAX_ROWS) {
            let name = crate::terminal::printable(&row.name);
            writeln!(
                out,
                "  {name:<40}{:>8}  {:>6}",
                row.files,
                share(row.files, pages.count)
            )?;
        }
    }
    Ok(())
}

/// Writes the numbers that differ from an earlier survey.
fn comparison(out: &mut dyn Write, survey: &Survey, baseline: &Survey) -> Result<()> {
    writeln!(out, "\nCompared with the baseline: before, now")?;
    let before = metrics(baseline);
    for (name, now) in metrics(survey) {
        let Some(was) = before.get(&name) else {
            continue;
        };
        if now.text() != was.text() {
            let name = crate::terminal::printable(&name);
            writeln!(
                out,
                "  {name:<44}{:>12}{:>12}",
                Metric::text(was),
                now.text()
            )?;
        }
    }
    Ok(())
}
