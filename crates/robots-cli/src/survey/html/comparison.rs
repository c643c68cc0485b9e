//! The differences from an earlier survey.

use super::MAX_ROWS;
use crate::report::number::{counted, decimal, percent, whole};
use crate::report::page::{Page, finding, remark};
use crate::report::table::{Cell, details, table};
use crate::statistics::share::fraction;
use crate::survey::baseline::{Metric, metrics};
use crate::survey::facts::Survey;
use maud::html;
use std::fmt::Write;

/// A number that changed.
struct Change {
    name: String,
    before: Metric,
    now: Metric,
}

impl Change {
    /// Returns the change of a share, in percentage points; `None` for a mean.
    fn points(&self) -> Option<f64> {
        match (self.before, self.now) {
            (Metric::Share(before, all_before), Metric::Share(now, all)) => {
                Some((fraction(now, all) - fraction(before, all_before)) * 100.0)
            }
            _ => None,
        }
    }

    fn cells(&self) -> Vec<Cell> {
        let change = match (self.points(), self.before, self.now) {
            (Some(points), ..) => format!("{points:+.1} points"),
            (None, Metric::Number(before), Metric::Number(now)) if before > 0.0 => {
                format!("{:+.1}%", (now / before - 1.0) * 100.0)
            }
            _ => "-".to_owned(),
        };
        vec![
            Cell::Text(self.name.clone()),
            Cell::Number(shown(self.before)),
            Cell::Number(shown(self.now)),
            Cell::Number(change),
        ]
    }
}

fn shown(metric: Metric) -> String {
    match metric {
        Metric::Share(part, all) => percent(fraction(part, all)),
        Metric::Number(number) => decimal(number),
    }
}

/// Adds the numbers that both surveys have, and that differ.
pub(super) fn section(page: &mut Page, survey: &Survey, baseline: &Survey) {
    let before = metrics(baseline);
    let now = metrics(survey);
    let compared = now.keys().filter(|name| before.contains_key(*name)).count() as u64;
    let changes: Vec<Change> = now
        .into_iter()
        .filter_map(|(name, now)| {
            let before = *before.get(&name)?;
            (before.text() != now.text()).then_some(Change { name, before, now })
        })
        .collect();
    let mut shares: Vec<&Change> = changes
        .iter()
        .filter(|change| change.points().is_some())
        .collect();
    let size = |change: &Change| change.points().unwrap_or_default().abs();
    shares.sort_by(|one, two| size(two).total_cmp(&size(one)));
    let mut text = format!(
        "{} of {} differ from the baseline.",
        whole(changes.len() as u64),
        counted(compared, "compared number")
    );
    if let Some(largest) = shares.first() {
        // Writing to a string cannot fail.
        let _ = write!(
            text,
            " The largest change of a share is that of \u{201c}{}\u{201d}: from {} to {}.",
            largest.name,
            shown(largest.before),
            shown(largest.now)
        );
    }
    let head = ["number", "before", "now", "change"];
    let largest: Vec<_> = shares
        .iter()
        .take(MAX_ROWS)
        .map(|change| change.cells())
        .collect();
    let all: Vec<_> = changes.iter().map(Change::cells).collect();
    let content = html! {
        (finding(&text))
        @if !largest.is_empty() { (table("The largest changes of shares", &head, &largest)) }
        @if !all.is_empty() { (details("All numbers that differ", &head, &all)) }
        (remark(&format!(
            "The baseline has {}; it was made by {}.",
            counted(baseline.robots.files, "robots.txt file"), baseline.program
        )))
    };
    page.section("comparison", "Comparison with the baseline", content);
}
