//! The findings of the linter, and the errors that WebWatch counted.

use super::findings::most_frequent_error;
use super::{baseline_key, parts_table};
use crate::report::Section;
use crate::report::chart::{Chart, MAX_ROWS, Row, Tone, Unit};
use crate::report::number::{counted, counted_share, whole};
use crate::report::table::{In, Table, Value};
use crate::statistics::share::fraction;
use crate::survey::facts::{Finding, Survey};
use crate::survey::robots::CRLF;
use robots_lint::FindingKind;
use std::cmp::Reverse;

/// Returns the findings of the linter; with `webwatch`, also WebWatch's figure A3-5.
pub(super) fn section(survey: &Survey, baseline: Option<&Survey>, webwatch: bool) -> Section {
    let files = survey.text_files();
    let mut kinds: Vec<&Finding> = survey.robots.findings.iter().collect();
    kinds.sort_by_key(|kind| (Reverse(kind.files), &kind.code));
    let lint = kinds.iter().filter(|kind| kind.severity != "note");
    let lint = lint
        .take(MAX_ROWS)
        .map(|kind| finding_row(kind, files, baseline));
    let errors = &survey.robots.webwatch_errors;
    let mistakes = || errors.iter().filter(|(name, _)| *name != CRLF && webwatch);
    let of_1997 = mistakes().map(|(name, number)| {
        let before = baseline.map(|before| {
            let number = before.robots.webwatch_errors.get(name).copied();
            fraction(number.unwrap_or_default(), before.text_files())
        });
        Row::share(name, *number, files, "file", Tone::Main).with_before(before)
    });
    let axis = format!("share of {}", counted(files, "file"));
    let title = "Files with errors and warnings of robots lint";
    let of_webwatch = "Files with the errors that WebWatch counted in 1997";
    let charts = [
        Chart::rows(title, axis.as_str(), Unit::Share, lint)
            .with_keys([("accent", "errors"), ("main", "warnings")])
            .with_keys(baseline_key(baseline)),
        Chart::rows(of_webwatch, axis, Unit::Share, of_1997).with_keys(baseline_key(baseline)),
    ];
    let mut section = Section::new("findings", "Mistakes in files");
    if files > 0 {
        section = section.finding(summary(survey, &kinds));
    }
    if let Some(text) = most_frequent_error(survey) {
        section = section.main_finding(text);
    }
    section = section.charts(charts);
    if webwatch {
        section = section.remark("WebWatch's figure A3-5 (1997) has these kinds, and CRLF line ends. Several groups for one robot are not an error today: RFC 9309 allows them.");
    }
    let counts = mistakes().map(|(name, number)| (name, *number));
    section
        .table(parts_table(
            ["", "error", "files"],
            of_webwatch,
            counts,
            files,
        ))
        .table(
            Table::of("webwatch_errors", of_webwatch, errors)
                .column(In::CSV, "error", |row| row.0)
                .column(In::CSV, "files", |row| *row.1),
        )
        .table(
            Table::of(
                "findings",
                "All findings of robots lint, by the number of files",
                kinds,
            )
            .column(In::CSV, "code", |kind| &kind.code)
            .column(In::CSV, "name", |kind| &kind.name)
            .column(In::HTML | In::TEXT, "finding", |kind| {
                let name = format!("{} {}", kind.code, kind.name);
                match explanation(kind) {
                    Some(url) => Value::Link(name, url),
                    None => Value::Text(name),
                }
            })
            .column(In::ALL, "severity", |kind| &kind.severity)
            .column(In::ALL, "times", |kind| kind.times)
            .column(In::ALL, "files", |kind| kind.files)
            .column(In::HTML | In::TEXT, "share", |kind| {
                Value::Share(fraction(kind.files, files))
            }),
        )
}

/// Returns the number of kinds, and the most frequent ones.
fn summary(survey: &Survey, kinds: &[&Finding]) -> String {
    let Some(most) = kinds.first() else {
        return "robots lint has nothing to report about the files.".to_owned();
    };
    let errors = kinds.iter().filter(|kind| kind.is_error()).count() as u64;
    format!(
        "robots lint reports {} in the files, {} of them errors. The most frequent is {} {}, a {}, in {}.",
        match kinds.len() {
            1 => "1 kind of finding".to_owned(),
            number => format!("{number} kinds of findings"),
        },
        whole(errors),
        most.code,
        most.name,
        most.severity,
        counted_share(most.files, survey.text_files(), "file")
    )
}

/// Returns the address of the explanation of a finding, if this version of the linter has it.
fn explanation(finding: &Finding) -> Option<String> {
    FindingKind::by_code_or_name(&finding.code).map(FindingKind::url)
}

fn finding_row(kind: &Finding, files: u64, baseline: Option<&Survey>) -> Row {
    let before = baseline.map(|before| {
        let number = before.finding(&kind.code).map_or(0, |kind| kind.files);
        fraction(number, before.text_files())
    });
    let tone = if kind.is_error() {
        Tone::Accent
    } else {
        Tone::Main
    };
    let name = format!("{} {}", kind.code, kind.name);
    Row::share(name, kind.files, files, "file", tone)
        .with_url(explanation(kind))
        .with_before(before)
}
