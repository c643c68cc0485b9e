//! Findings on robots.txt files, pages and headers.

use crate::exchange::{Result, json};
use crate::file::NoArguments;
use crate::object::Objects;
use robots_lint::robots_txt::locate;
use robots_lint::{FindingKind, LocatedFinding, PageInput, PageLinter, RobotsTxtLinter};
use robots_meta::Timestamp;
use robots_policy::profile::AgentTable;
use robots_txt::RobotsTxt;
use serde::Deserialize;
use serde_json::{Value, json as value};
use std::collections::BTreeMap;

pub(crate) fn robots_txt(_: &mut Objects, _: u32, _: NoArguments, body: &[u8]) -> Result {
    let robots = RobotsTxt::parse(body);
    let findings = RobotsTxtLinter::new()
        .with_known_robots(AgentTable::built_in())
        .lint(&robots);
    let counts = findings.counts().collect();
    let located = findings.iter().map(|finding| locate(&robots, finding));
    json(
        &located
            .map(|finding| facts(&finding, &counts))
            .collect::<Vec<_>>(),
    )
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct PageArguments {
    url: Option<String>,
    headers: Option<Vec<(String, String)>>,
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
        page = page.with_headers(
            headers
                .into_iter()
                .map(|(name, value)| (name, value.into_bytes())),
        );
    }
    let names: Vec<&str> = match &arguments.names {
        None => AgentTable::built_in().meta_names(),
        Some(names) => std::iter::once("robots")
            .chain(names.iter().map(String::as_str))
            .collect(),
    };
    let linted = PageLinter::new(&names).lint(page, arguments.at.map(Timestamp::from_seconds));
    let counts = linted.counts().collect();
    let findings = linted.findings();
    json(
        &findings
            .iter()
            .map(|finding| facts(finding, &counts))
            .collect::<Vec<_>>(),
    )
}

fn facts(finding: &LocatedFinding<'_>, counts: &BTreeMap<FindingKind, usize>) -> Value {
    let LocatedFinding {
        kind,
        message,
        location,
        related,
        fix,
        ..
    } = finding;
    let edits = fix.map(|fix| {
        let edits = fix.edits().map(|edit| {
            value!({
                "offset": edit.span().start,
                "length": edit.span().len(),
                "replacement": String::from_utf8_lossy(edit.replacement()),
            })
        });
        edits.collect::<Vec<_>>()
    });
    value!({
        "code": kind.code(),
        "name": kind.name(),
        "severity": kind.severity().name(),
        "message": message,
        "help": kind.help(),
        "standard": kind.standard(),
        "header": location.is_header,
        "line": location.line,
        "column": location.column,
        "offset": location.offset,
        "length": location.length,
        "related_line": related.as_ref().map(|(location, _)| location.line),
        "findings_of_kind": counts.get(kind).copied().unwrap_or_default(),
        "fix": edits,
    })
}
