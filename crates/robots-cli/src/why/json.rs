//! The answers about a page, as JSON.

use super::answers::{Answers, Change, Expected, Problem};
use super::evidence::{Evidence, PageEvidence, Robots};
use robots_crawl::FetchFault;
use robots_pipeline::text::with_causes;
use robots_policy::Decision;
use serde::Serialize;

/// The object of `--json`.
#[derive(Serialize)]
pub(super) struct Object<'a> {
    url: &'a str,
    robots_txt: RobotsJson<'a>,
    page: PageJson<'a>,
    decisions: &'a [Decision],
    problems: &'a [Problem],
    changes: &'a [Change],
    expectations: &'a [Expected],
}

#[derive(Default, Serialize)]
struct RobotsJson<'a> {
    source: &'static str,
    url: Option<&'a str>,
    file: Option<&'a str>,
    status: Option<u16>,
    fault: Option<&'static str>,
    fault_text: Option<String>,
    bytes: Option<usize>,
}

#[derive(Default, Serialize)]
struct PageJson<'a> {
    source: &'static str,
    status: Option<u16>,
    /// The target of a redirect.
    location: Option<String>,
    bytes: Option<usize>,
    html: Option<bool>,
    complete: Option<bool>,
    why_not: Option<&'a str>,
}

impl<'a> Object<'a> {
    pub(super) fn new(evidence: &'a Evidence, answers: &'a Answers) -> Self {
        Self {
            url: &evidence.url,
            robots_txt: RobotsJson::new(&evidence.robots),
            page: PageJson::new(&evidence.page),
            decisions: &answers.decisions,
            problems: &answers.problems,
            changes: &answers.changes,
            expectations: &answers.expectations,
        }
    }
}

impl<'a> RobotsJson<'a> {
    fn new(robots: &'a Robots) -> Self {
        match robots {
            Robots::Unknown => Self {
                source: "none",
                ..Self::default()
            },
            Robots::File { name, body } => Self {
                source: "file",
                file: Some(name),
                bytes: Some(body.len()),
                ..Self::default()
            },
            Robots::Fetched(fetched) => Self {
                source: "fetched",
                url: Some(fetched.url()),
                status: fetched.status(),
                fault: fetched.fault().map(FetchFault::name),
                fault_text: fetched.fault().map(|fault| with_causes(fault)),
                bytes: fetched.fault().is_none().then(|| fetched.body().len()),
                ..Self::default()
            },
        }
    }
}

impl<'a> PageJson<'a> {
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
                bytes: Some(page.body.len()),
                html: Some(page.is_html),
                complete: Some(page.is_whole),
                why_not: None,
            },
        }
    }
}
