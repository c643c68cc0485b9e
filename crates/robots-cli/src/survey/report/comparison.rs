//! The differences from an earlier survey: of shares and means, which do not depend on the sizes of the surveys.

use crate::report::Section;
use crate::report::number::{counted, whole};
use crate::report::table::{In, Table, Value};
use crate::statistics::share::fraction;
use crate::survey::facts::Survey;
use std::collections::BTreeMap;
use std::fmt::Write;

/// The maximum number of named robots that are compared: those that the most files name.
const MAX_AGENTS: usize = 30;

/// Returns the numbers that are compared, by their names.
fn metrics(survey: &Survey) -> BTreeMap<String, Value> {
    let mut metrics = BTreeMap::new();
    let (robots, pages) = (&survey.robots, &survey.pages);
    for (name, facts) in &robots.sizes {
        let name = format!("mean of {}", name.replace('_', " "));
        metrics.insert(name, Value::Number(facts.mean));
    }
    let mut share = |name: String, part, whole| {
        metrics.insert(name, Value::Share(fraction(part, whole)));
    };
    for (class, count) in &survey.responses {
        share(
            format!("responses: {class}"),
            *count,
            survey.all_responses(),
        );
    }
    let files = survey.text_files();
    let comments = "files with comments alone".to_owned();
    share(comments, robots.comments_alone, files);
    for finding in &robots.findings {
        let name = format!("{} {}", finding.code, finding.name);
        share(name, finding.files, files);
    }
    for (statement, number) in &robots.ai {
        share(format!("AI: {statement}"), *number, files);
    }
    for agent in robots.agents.iter().take(MAX_AGENTS) {
        share(
            format!("files that name {}", agent.name),
            agent.files,
            files,
        );
    }
    // Of the known robots, only those for AI are compared; in addition, `*`.
    let known = robots.known_agents.iter();
    for agent in known.filter(|agent| agent.ai || agent.name == "*") {
        let name = format!("files that disallow all to {}", agent.name);
        share(name, agent.all, agent.with_known_restriction());
    }
    if pages.count > 0 {
        let (metas, headers) = ("pages with a robots META", "pages with X-Robots-Tag");
        share(metas.to_owned(), pages.with_robots_meta, pages.count);
        share(headers.to_owned(), pages.with_x_robots_tag, pages.count);
    }
    metrics
}

/// A number that changed.
struct Change {
    name: String,
    before: Value,
    now: Value,
}

impl Change {
    /// Returns the change of a share, in percentage points; `None` for a mean.
    fn points(&self) -> Option<f64> {
        match (&self.before, &self.now) {
            (Value::Share(before), Value::Share(now)) => Some((now - before) * 100.0),
            _ => None,
        }
    }

    fn text(&self) -> Option<String> {
        match (self.points(), &self.before, &self.now) {
            (Some(points), ..) => Some(format!("{points:+.1} points")),
            (None, Value::Number(before), Value::Number(now)) if *before > 0.0 => {
                Some(format!("{:+.1}%", (now / before - 1.0) * 100.0))
            }
            _ => None,
        }
    }
}

/// Returns the numbers that both surveys have, and that differ.
pub(super) fn section(survey: &Survey, baseline: &Survey) -> Section {
    let mut before = metrics(baseline);
    let compared: Vec<Change> = metrics(survey)
        .into_iter()
        .filter_map(|(name, now)| {
            let before = before.remove(&name)?;
            Some(Change { name, before, now })
        })
        .collect();
    let number = compared.len() as u64;
    let mut changes = compared;
    changes.retain(|change| change.before.shown() != change.now.shown());
    // The largest changes of shares come first. The means follow, by name.
    let size = |change: &Change| change.points().map_or(-1.0, f64::abs);
    changes.sort_by(|one, two| size(two).total_cmp(&size(one)));
    let mut text = format!(
        "{} of {} differ from the baseline.",
        whole(changes.len() as u64),
        counted(number, "compared number")
    );
    if let Some(largest) = changes.first().filter(|change| change.points().is_some()) {
        // Writing to a string cannot fail.
        let _ = write!(
            text,
            " The largest change of a share is that of \u{201c}{}\u{201d}: from {} to {}.",
            largest.name,
            largest.before.shown(),
            largest.now.shown()
        );
    }
    let all = In::HTML | In::TEXT;
    Section::new("comparison", "Comparison with the baseline")
        .finding(text)
        .table(
            Table::of(
                "",
                "The numbers that differ, with the largest changes of shares first",
                changes,
            )
            .column(all, "number", |change| change.name.clone())
            .column(all, "before", |change| change.before.clone())
            .column(all, "now", |change| change.now.clone())
            .column(all, "change", Change::text),
        )
        .remark(format!(
            "The baseline has {}; it was made by {}.",
            counted(baseline.robots.files, "robots.txt file"),
            baseline.program
        ))
}
