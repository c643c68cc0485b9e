//! The findings of the linter, and the errors that WebWatch counted.

use super::findings::most_frequent_error;
use super::{MAX_ROWS, baseline_key};
use crate::report::chart::{Axis, Caption, Key, Label, Row, Tone, Unit, rows, side_by_side};
use crate::report::number::{counted, counted_share, percent_of, whole};
use crate::report::page::{Page, finding, remark};
use crate::report::table::{Cell, details};
use crate::statistics::share::fraction;
use crate::survey::facts::{Finding, Survey};
use maud::html;
use robots_lint::FindingKind;
use std::cmp::Reverse;

/// Adds the findings of the linter, and WebWatch's figure A3-5.
pub(super) fn section(page: &mut Page, survey: &Survey, baseline: Option<&Survey>) {
    let files = survey.text_files();
    let mut kinds: Vec<&Finding> = survey.robots.findings.iter().collect();
    kinds.sort_by_key(|kind| (Reverse(kind.files), &kind.code));
    let lint: Vec<Row> = kinds
        .iter()
        .filter(|kind| kind.severity != "note")
        .take(MAX_ROWS)
        .map(|kind| finding_row(kind, files, baseline))
        .collect();
    let webwatch: Vec<Row> = survey
        .robots
        .webwatch_errors
        .iter()
        .map(|(name, number)| {
            let before = baseline.map(|before| {
                let number = before.robots.webwatch_errors.get(name).copied();
                fraction(number.unwrap_or_default(), before.text_files())
            });
            let label = Label::new(name.as_str());
            Row::share(label, *number, files, "file", Tone::Main).with_before(before)
        })
        .collect();
    // Both charts have one axis, so that they can be compared.
    let values = lint.iter().chain(&webwatch).flat_map(Row::values);
    let axis = Axis::new(Unit::Share, values);
    let axis_name = format!("share of {}", counted(files, "file"));
    let mut keys = vec![
        Key::Tone(Tone::Accent, "errors"),
        Key::Tone(Tone::Main, "warnings"),
    ];
    keys.extend(baseline_key(baseline));
    let lint_caption = Caption {
        title: "Files with errors and warnings of robots lint",
        axis: &axis_name,
        keys: &keys,
    };
    let webwatch_caption = Caption {
        title: "Files with the errors that WebWatch counted in 1997",
        axis: &axis_name,
        keys: baseline_key(baseline),
    };
    let mut charts = Vec::new();
    if !lint.is_empty() {
        charts.push(rows(&lint_caption, &axis, None, &lint));
    }
    charts.push(rows(&webwatch_caption, &axis, None, &webwatch));
    let content = html! {
        (finding(&summary(survey, &kinds)))
        (side_by_side(&charts))
        (remark("WebWatch's figure A3-5 (1997) has these seven kinds. Some are not errors today: RFC 9309 allows a CRLF line end, and several groups for one robot."))
        @if !kinds.is_empty() {
            (details(
                "All findings of robots lint, by the number of files",
                &["finding", "severity", "files", "share", "times"],
                &kinds.iter().map(|kind| cells(kind, files)).collect::<Vec<_>>(),
            ))
        }
    };
    page.section("findings", "Mistakes in files", content);
}

/// Returns the number of kinds, and the most frequent ones.
fn summary(survey: &Survey, kinds: &[&Finding]) -> String {
    let files = survey.text_files();
    let Some(most) = kinds.first() else {
        return "robots lint has nothing to report about the files.".to_owned();
    };
    let errors = kinds.iter().filter(|kind| kind.is_error()).count() as u64;
    let mut text = format!(
        "robots lint reports {} in the files, {} of them errors. The most frequent is {} {}, a {}, in {}.",
        match kinds.len() {
            1 => "1 kind of finding".to_owned(),
            number => format!("{} kinds of findings", whole(number as u64)),
        },
        whole(errors),
        most.code,
        most.name,
        most.severity,
        counted_share(most.files, files, "file")
    );
    if let Some(error) = most_frequent_error(survey).filter(|_| !most.is_error()) {
        text.push(' ');
        text.push_str(&error);
    }
    text
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
    let label = Label::new(format!("{} {}", kind.code, kind.name)).with_url(explanation(kind));
    Row::share(label, kind.files, files, "file", tone).with_before(before)
}

fn cells(kind: &Finding, files: u64) -> Vec<Cell> {
    let name = format!("{} {}", kind.code, kind.name);
    vec![
        match explanation(kind) {
            Some(url) => Cell::Link(name, url),
            None => Cell::Text(name),
        },
        Cell::Text(kind.severity.clone()),
        Cell::Number(whole(kind.files)),
        Cell::Number(percent_of(kind.files, files)),
        Cell::Number(whole(kind.times)),
    ]
}
