//! Findings on robots.txt files, pages and headers.

use crate::exchange::{Result, json};
use crate::file::NoArguments;
use crate::object::Objects;
use crate::policy::Headers;
use robots_lint::report::json::json_finding;
use robots_lint::robots_txt::locate;
use robots_lint::{FindingKind, LocatedFinding, PageInput, PageLinter, RobotsTxtLinter};
use robots_meta::Timestamp;
use robots_policy::profile::AgentTable;
use robots_txt::RobotsTxt;
use serde::Deserialize;
use std::collections::BTreeMap;

pub(crate) fn robots_txt(_: &mut Objects, _: u32, _: NoArguments, body: &[u8]) -> Result {
    let robots = RobotsTxt::parse(body);
    let findings = RobotsTxtLinter::new()
        .with_known_robots(AgentTable::built_in())
        .lint(&robots);
    let located = findings.iter().map(|finding| locate(&robots, finding));
    answer(located, findings.counts())
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct PageArguments {
    url: Option<String>,
    headers: Option<Headers>,
    charset: Option<String>,
    names: Option<Vec<String>>,
    at: Option<i64>,
}

pub(crate) fn page(_: &mut Objects, _: u32, arguments: PageArguments, body: &[u8]) -> Result {
    let mut page = PageInput::new(body);
    if let Some(url) = arguments.url {
        page = page.with_url(url);
    }
    if let Some(label) = arguments.charset {
        page = page.with_charset(label);
    }
    if let Some(headers) = arguments.headers {
        page = page.with_headers(headers.0);
    }
    let names: Vec<&str> = match &arguments.names {
        None => AgentTable::built_in().meta_names(),
        Some(names) => std::iter::once("robots")
            .chain(names.iter().map(String::as_str))
            .collect(),
    };
    let linted = PageLinter::new(&names).lint(page, arguments.at.map(Timestamp::from_seconds));
    answer(linted.findings().into_iter(), linted.counts())
}

fn answer<'a>(
    findings: impl Iterator<Item = LocatedFinding<'a>>,
    counts: impl Iterator<Item = (FindingKind, usize)>,
) -> Result {
    let counts: BTreeMap<_, _> = counts.collect();
    let count_of = |kind| counts.get(&kind).copied().unwrap_or_default();
    json(
        &findings
            .map(|finding| json_finding(&finding, count_of(finding.kind)))
            .collect::<Vec<_>>(),
    )
}
