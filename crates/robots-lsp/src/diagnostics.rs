//! Findings as diagnostics.

use crate::client::Client;
use crate::document::{Document, DocumentKind};
use crate::position::{Encoding, line_span};
use gen_lsp_types::{
    CodeDescription, Diagnostic, DiagnosticRelatedInformation, DiagnosticSeverity, DiagnosticTag,
    Location, Uri,
};
use robots_lint::catalogue::Selection;
use robots_lint::{Finding, FindingKind, PageInput, PageLinter, RobotsTxtLinter, Severity};
use robots_meta::Timestamp;
use robots_policy::profile::AgentTable;
use std::ops;
use std::time::SystemTime;

/// The name of the server in diagnostics.
pub(crate) const SOURCE: &str = "robots";

/// Returns the selected findings of a document, in order: those of a robots.txt or of a page.
pub(crate) fn of_document(
    document: &Document,
    linter: &RobotsTxtLinter,
    selection: &Selection,
    client: &Client,
) -> Vec<Diagnostic> {
    match document.kind {
        DocumentKind::Other => return Vec::new(),
        _ if document.is_too_long() => return vec![too_long(document, client.encoding)],
        DocumentKind::Html => return of_page(document, selection, client),
        DocumentKind::RobotsTxt => {}
    }
    let linted = document.linted(linter).into_iter();
    linted
        .flat_map(|linted| linted.selected(selection))
        .map(|finding| of_finding(document, finding, client))
        .collect()
}

/// Returns a diagnostic of a finding in a robots.txt.
pub(crate) fn of_finding(document: &Document, finding: &Finding, client: &Client) -> Diagnostic {
    let related = finding.related().map(|line| {
        let span = document.trimmed_line(line);
        (span, finding.related_label())
    });
    diagnostic(
        document,
        client,
        finding.kind(),
        finding.message(),
        &shown_span(document, finding),
        related,
    )
}

/// Returns the span of a finding. A finding on the whole file has an empty span, and is shown in its first line.
pub(crate) fn shown_span(document: &Document, finding: &Finding) -> ops::Range<usize> {
    let span = finding.span();
    if span.is_empty() {
        line_span(&document.text, finding.line() - 1)
    } else {
        span
    }
}

fn of_page(document: &Document, selection: &Selection, client: &Client) -> Vec<Diagnostic> {
    let names = AgentTable::built_in().meta_names();
    // The text comes from the editor, in UTF-8 whatever the page states.
    let page = PageInput::new(document.bytes()).with_charset("utf-8");
    let linted = PageLinter::new(&names).lint(page, Timestamp::from(SystemTime::now()));
    let findings = linted.findings().into_iter();
    findings
        .filter(|finding| selection.contains(finding.kind))
        .map(|finding| {
            let span = |offset: usize, length: usize| offset..offset + length;
            let related = finding
                .related
                .as_ref()
                .map(|(place, label)| (span(place.offset, place.length), *label));
            let place = &finding.location;
            diagnostic(
                document,
                client,
                finding.kind,
                finding.message.clone(),
                &span(place.offset, place.length),
                related,
            )
        })
        .collect()
}

fn diagnostic(
    document: &Document,
    client: &Client,
    kind: FindingKind,
    message: String,
    span: &ops::Range<usize>,
    related: Option<(ops::Range<usize>, &str)>,
) -> Diagnostic {
    let range = |span: &ops::Range<usize>| client.encoding.range(&document.text, span);
    let related = related.filter(|_| client.shows_related);
    Diagnostic {
        range: range(span),
        severity: Some(severity(kind.severity())),
        code: Some(kind.code().to_owned().into()),
        code_description: Some(CodeDescription {
            href: Uri(kind.url()),
        }),
        source: Some(SOURCE.to_owned()),
        message: message.into(),
        tags: has_no_effect(kind).then(|| vec![DiagnosticTag::Unnecessary]),
        related_information: related.map(|(span, label)| {
            vec![DiagnosticRelatedInformation {
                location: Location {
                    uri: document.uri.clone(),
                    range: range(&span),
                },
                message: label.to_owned(),
            }]
        }),
        data: None,
    }
}

fn severity(severity: Severity) -> DiagnosticSeverity {
    match severity {
        Severity::Error => DiagnosticSeverity::Error,
        Severity::Warning => DiagnosticSeverity::Warning,
        _ => DiagnosticSeverity::Information,
    }
}

/// Returns whether the marked text has no effect for any robot, so that it can be removed.
fn has_no_effect(kind: FindingKind) -> bool {
    matches!(
        kind,
        FindingKind::DuplicateRule
            | FindingKind::ShadowedRule
            | FindingKind::NeverMatches
            | FindingKind::UnusedIgnore
    )
}

fn too_long(document: &Document, encoding: Encoding) -> Diagnostic {
    let first = line_span(&document.text, 0);
    // The start of the line, as the line may be the whole document.
    let end = first.end.min(80);
    Diagnostic {
        range: encoding.range(&document.text, &(0..end)),
        severity: Some(DiagnosticSeverity::Warning),
        source: Some(SOURCE.to_owned()),
        message: format!(
            "the document is longer than {} MiB, and was not read",
            document.max_length() >> 20
        )
        .into(),
        ..Diagnostic::default()
    }
}
