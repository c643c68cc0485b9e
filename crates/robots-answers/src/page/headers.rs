//! The header lines that concern robots.

use super::HeaderLine;
use super::header_facts::facts;
use super::lists::{directive, finding};
use super::quota::Quotas;
use crate::json::add;
use robots_lint::list::findings_in_header;
use robots_meta::header::RobotsHeader;
use robots_meta::robots_headers;
use serde_json::{Value, json};

/// The offset of the list of directives in the value of a header line: the whole value is the list.
const LIST_START: Option<usize> = Some(0);

/// Adds what header lines say to robots.
pub(super) fn add_headers(answer: &mut Value, headers: &[HeaderLine<'_>], quotas: &mut Quotas) {
    let robots_lines = || {
        let lines = headers.iter().enumerate();
        lines.filter_map(|(line, header_line)| {
            let header = RobotsHeader::from_name(header_line.name)?;
            Some((line, header, header_line))
        })
    };
    let directives = robots_lines().flat_map(|(line, header, header_line)| {
        robots_headers([header_line.bytes()]).map(move |found| {
            let mut answer = json!({
                "name": header.to_string(),
                "line": line,
                "agent": found.agent(),
                "may_have_leaked": found.may_have_leaked(),
            });
            add(&mut answer, directive(found.directive(), LIST_START));
            answer
        })
    });
    answer["headers"] = quotas.directives.list(directives);
    // Robots-Tag is a structured field: the findings are about the grammar of X-Robots-Tag.
    let findings = robots_lines()
        .filter(|(_, header, _)| *header == RobotsHeader::XRobotsTag)
        .flat_map(|(line, header, header_line)| {
            let findings = findings_in_header(&header_line.text);
            let answers = findings.iter().map(|found| {
                let mut answer = json!({"name": header.to_string(), "line": line});
                add(&mut answer, finding(found, LIST_START));
                answer
            });
            answers.collect::<Vec<_>>()
        });
    answer["header_findings"] = quotas.findings.list(findings);
    let facts = facts(headers).into_iter().map(|fact| {
        let mut answer = json!({
            "name": fact.header.to_string(),
            "line": fact.line,
            "offset": fact.span.start,
            "length": fact.span.len(),
        });
        add(&mut answer, fact.values);
        answer
    });
    answer["header_facts"] = quotas.header_facts.list(facts);
}
