//! The header lines that concern robots.

use super::HeaderLine;
use super::header_facts::{Fact, FactValues, facts};
use super::lists::{DirectiveAnswer, FindingAnswer};
use super::quota::Quotas;
use robots_lint::list::findings_in_header;
use robots_meta::header::RobotsHeader;
use robots_meta::robots_headers;
use serde::Serialize;

/// The offset of the list of directives in the value of a header line: the whole value is the list.
const LIST_START: Option<usize> = Some(0);

/// The header lines for robots.
#[derive(Debug, Serialize)]
pub(super) struct HeadersAnswer<'p> {
    headers: Vec<HeaderDirectiveAnswer<'p>>,
    header_findings: Vec<HeaderFindingAnswer<'p>>,
    header_facts: Vec<HeaderFactAnswer<'p>>,
}

#[derive(Debug, Serialize)]
struct HeaderDirectiveAnswer<'p> {
    name: String,
    line: usize,
    agent: Option<&'p str>,
    may_have_leaked: bool,
    #[serde(flatten)]
    directive: DirectiveAnswer<'p>,
}

#[derive(Debug, Serialize)]
struct HeaderFindingAnswer<'p> {
    name: String,
    line: usize,
    #[serde(flatten)]
    finding: FindingAnswer<'p>,
}

#[derive(Debug, Serialize)]
struct HeaderFactAnswer<'p> {
    name: String,
    line: usize,
    offset: usize,
    length: usize,
    #[serde(flatten)]
    values: FactValues<'p>,
}

impl<'p> HeadersAnswer<'p> {
    pub(super) fn new(headers: &'p [HeaderLine<'p>], quotas: &mut Quotas) -> Self {
        let robots_lines = || {
            let lines = headers.iter().zip(0_usize..);
            lines.filter_map(|(header_line, line)| {
                Some((
                    line,
                    RobotsHeader::from_name(header_line.name)?,
                    header_line,
                ))
            })
        };
        let directives = robots_lines().flat_map(|(line, header, header_line)| {
            robots_headers([header_line.bytes()]).map(move |directive| HeaderDirectiveAnswer {
                name: header.to_string(),
                line,
                agent: directive.agent(),
                may_have_leaked: directive.may_have_leaked(),
                directive: DirectiveAnswer::new(directive.directive(), LIST_START),
            })
        });
        // Robots-Tag is a structured field: the findings are about the grammar of X-Robots-Tag.
        let findings = robots_lines()
            .filter(|(_, header, _)| *header == RobotsHeader::XRobotsTag)
            .flat_map(|(line, header, header_line)| {
                let findings = findings_in_header(&header_line.text);
                let objects = findings.iter().map(|finding| HeaderFindingAnswer {
                    name: header.to_string(),
                    line,
                    finding: FindingAnswer::new(finding, LIST_START),
                });
                objects.collect::<Vec<_>>()
            });
        Self {
            headers: quotas.directives.list(directives),
            header_findings: quotas.findings.list(findings),
            header_facts: quotas
                .header_facts
                .list(facts(headers).into_iter().map(HeaderFactAnswer::new)),
        }
    }
}

impl<'p> HeaderFactAnswer<'p> {
    fn new(fact: Fact<'p>) -> Self {
        Self {
            name: fact.header.to_string(),
            line: fact.line,
            offset: fact.span.start,
            length: fact.span.len(),
            values: fact.values,
        }
    }
}
