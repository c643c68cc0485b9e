//! The numbers by which two surveys are compared: shares and means, which do not depend on their sizes.

use super::facts::Survey;
use crate::statistics::share::share;
use std::collections::BTreeMap;

/// The maximum number of named robots that are compared: those that the most files name.
const MAX_AGENTS: usize = 30;

/// A number that is compared.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Metric {
    /// A part of a whole: the part, then the whole.
    Share(u64, u64),
    /// A mean.
    Number(f64),
}

impl Metric {
    /// Returns the number as reports show it: a share in percent, or the number itself, with one decimal place.
    pub(super) fn text(&self) -> String {
        match self {
            Self::Share(part, whole) => share(*part, *whole),
            Self::Number(number) => format!("{number:.1}"),
        }
    }
}

/// Returns the numbers that are compared, by their names.
pub(super) fn metrics(survey: &Survey) -> BTreeMap<String, Metric> {
    let mut metrics = BTreeMap::new();
    let robots = &survey.robots;
    let responses = survey.all_responses();
    for (class, count) in &survey.responses {
        let name = format!("responses: {class}");
        metrics.insert(name, Metric::Share(*count, responses));
    }
    for (name, facts) in &robots.sizes {
        metrics.insert(
            format!("mean of {}", name.replace('_', " ")),
            Metric::Number(facts.mean),
        );
    }
    let text_files = survey.text_files();
    let comments_alone = Metric::Share(robots.comments_alone, text_files);
    metrics.insert("files with comments alone".to_owned(), comments_alone);
    for finding in &robots.findings {
        let name = format!("{} {}", finding.code, finding.name);
        metrics.insert(name, Metric::Share(finding.files, text_files));
    }
    for (statement, files) in &robots.ai {
        metrics.insert(
            format!("AI: {statement}"),
            Metric::Share(*files, text_files),
        );
    }
    for agent in robots.agents.iter().take(MAX_AGENTS) {
        let name = format!("files that name {}", agent.name);
        metrics.insert(name, Metric::Share(agent.files, text_files));
    }
    // Of the known robots, only those for AI are compared; in addition, `*`.
    for agent in robots
        .known_agents
        .iter()
        .filter(|agent| agent.ai || agent.name == "*")
    {
        let name = format!("files that disallow all to {}", agent.name);
        metrics.insert(
            name,
            Metric::Share(agent.all, agent.with_known_restriction()),
        );
    }
    let pages = &survey.pages;
    if pages.count > 0 {
        let with_meta = Metric::Share(pages.with_robots_meta, pages.count);
        metrics.insert("pages with a robots META".to_owned(), with_meta);
        let with_header = Metric::Share(pages.with_x_robots_tag, pages.count);
        metrics.insert("pages with X-Robots-Tag".to_owned(), with_header);
    }
    metrics
}
