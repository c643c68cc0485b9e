//! Hover texts: the findings at a position, and what the line says.
//!
//! `field` describes fields, `robot` a known robot, `rule` the paths that a rule matches, and `markup` has code and plain text.

pub(crate) mod field;
mod markup;
mod robot;
mod rule;

use self::markup::{code, plain};
use crate::client::Client;
use crate::diagnostics::shown_span;
use crate::document::{Document, Linted};
use gen_lsp_types::{Hover, MarkupContent, MarkupKind, Position};
use robots_lint::Finding;
use robots_lint::catalogue::Selection;
use robots_txt::parse::{Field, Line};
use std::ops::Range;

/// The maximum number of findings that a hover text explains.
const MAX_FINDINGS: usize = 5;

/// Returns the text for a position; `None` if there is nothing to say. Linear in the document.
pub(crate) fn hover(
    document: &Document,
    linted: &Linted,
    selection: &Selection,
    client: &Client,
    position: Position,
) -> Option<Hover> {
    let at = client.encoding.offset(&document.text, position);
    let touches = |span: &Range<usize>| span.start <= at && at <= span.end;
    let found: Vec<&Finding> = linted
        .selected(selection)
        .filter(|finding| touches(&shown_span(document, finding)))
        .take(MAX_FINDINGS)
        .collect();
    let line = linted
        .robots
        .lines()
        .take_while(|line| line.offset() <= at)
        .last();
    let line = line.filter(|line| touches(&line.span()));
    let described = line.and_then(|line| describe(&line, at, linted));
    let mut texts: Vec<String> = Vec::new();
    let mut range = None;
    if let Some((span, text)) = described {
        texts.push(text);
        range = Some(span);
    }
    for finding in found {
        // The place that a person points to is the narrowest.
        range.get_or_insert_with(|| shown_span(document, finding));
        // The message quotes the file, which may have markup of its own.
        let message = code(&finding.message());
        let explanation = finding.kind().explanation();
        texts.push(format!("{message}\n\n{}", as_section(&explanation)));
    }
    if texts.is_empty() {
        return None;
    }
    let markdown = texts.join("\n\n---\n\n");
    let (kind, value) = if client.reads_markdown {
        (MarkupKind::Markdown, markdown)
    } else {
        (MarkupKind::PlainText, plain(&markdown))
    };
    Some(Hover {
        contents: MarkupContent { kind, value }.into(),
        range: range.map(|span| client.encoding.range(&document.text, &span)),
    })
}

/// Lowers the heading of an explanation, as a hover text may have several.
fn as_section(explanation: &str) -> String {
    let explanation = explanation.trim_end();
    match explanation.strip_prefix("## ") {
        Some(rest) => format!("### {rest}"),
        None => explanation.to_owned(),
    }
}

/// Returns the span and the description of the field or the value at an offset.
fn describe(line: &Line<'_>, at: usize, linted: &Linted) -> Option<(Range<usize>, String)> {
    let touches = |span: &Range<usize>| span.start <= at && at <= span.end;
    let (key, value) = (line.key_span(), line.value_span());
    if touches(&key) {
        return Some((key, field::describe(line.field())?));
    }
    if !touches(&value) {
        return None;
    }
    let text = match line.field() {
        Field::UserAgent => robot::describe(line.value()),
        Field::Allow | Field::Disallow => Some(rule::describe(line, linted)),
        _ => None,
    };
    Some((value, text?))
}
