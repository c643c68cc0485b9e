//! The answers about a page with their evidence, as one object.

use super::answers::{Answers, Change, Expected, StatementProblem};
use super::evidence::{Evidence, PageEvidence, RobotsEvidence};
use robots_policy::Decision;
use serde::Serialize;

/// The answers about a page with their evidence. `robots why --help` describes the keys.
#[derive(Debug, Serialize)]
pub struct WhyAnswer<'a> {
    url: &'a str,
    robots_txt: RobotsTxtAnswer<'a>,
    page: WhyPage<'a>,
    decisions: &'a [Decision],
    problems: &'a [StatementProblem],
    changes: &'a [Change],
    expectations: &'a [Expected],
}

#[derive(Debug, Default, Serialize)]
struct RobotsTxtAnswer<'a> {
    source: &'static str,
    url: Option<&'a str>,
    file: Option<&'a str>,
    status: Option<u16>,
    fault: Option<&'static str>,
    fault_text: Option<&'a str>,
    bytes: Option<usize>,
}

#[derive(Debug, Default, Serialize)]
struct WhyPage<'a> {
    source: &'static str,
    status: Option<u16>,
    /// The target of a redirect.
    location: Option<String>,
    bytes: Option<usize>,
    html: Option<bool>,
    complete: Option<bool>,
    why_not: Option<&'a str>,
}

impl<'a> WhyAnswer<'a> {
    /// Returns the answers with the evidence from which they follow.
    pub fn new(evidence: &'a Evidence, answers: &'a Answers) -> Self {
        Self {
            url: &evidence.url,
            robots_txt: RobotsTxtAnswer::new(&evidence.robots_txt),
            page: WhyPage::new(&evidence.page),
            decisions: &answers.decisions,
            problems: &answers.problems,
            changes: &answers.changes,
            expectations: &answers.expectations,
        }
    }
}

impl<'a> RobotsTxtAnswer<'a> {
    fn new(robots: &'a RobotsEvidence) -> Self {
        match robots {
            RobotsEvidence::Unknown { .. } => Self {
                source: "none",
                ..Self::default()
            },
            RobotsEvidence::File { name, bytes } => Self {
                source: "file",
                file: Some(name),
                bytes: Some(*bytes),
                ..Self::default()
            },
            RobotsEvidence::Requested(request) => Self {
                source: "fetched",
                url: Some(&request.url),
                status: request.status,
                fault: request.fault.as_ref().map(|fault| fault.name),
                fault_text: request.fault.as_ref().map(|fault| &*fault.text),
                bytes: request.fault.is_none().then_some(request.bytes),
                ..Self::default()
            },
        }
    }
}

impl<'a> WhyPage<'a> {
    fn new(page: &'a PageEvidence) -> Self {
        match page {
            PageEvidence::Unknown(why) => Self {
                source: "none",
                why_not: Some(why),
                ..Self::default()
            },
            PageEvidence::Known(page) => Self {
                source: if page.is_fetched { "fetched" } else { "file" },
                status: page.status,
                location: page.location(),
                bytes: page.has_body.then_some(page.body.len()),
                html: Some(page.is_html),
                complete: Some(page.is_whole),
                why_not: None,
            },
        }
    }
}
