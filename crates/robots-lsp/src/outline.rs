//! The outline of a robots.txt: groups with their rules, and parts that can be folded.

use crate::client::Client;
use crate::document::{Document, Linted};
use crate::position::{line_span, number};
use gen_lsp_types::{
    DocumentSymbol, FoldingRange, FoldingRangeKind, Location, Range, SymbolInformation, SymbolKind,
};
use robots_policy::text::{printable, shortened};
use robots_txt::Dialect;
use robots_txt::parse::{Field, Line, LineKind};
use robots_txt::select::{Directive, Group};
use serde_json::Value;
use std::borrow::Cow;
use std::ops;

/// The maximum number of symbols in an answer: groups, rules and other directives.
pub const MAX_SYMBOLS: usize = 10_000;

/// The maximum number of parts that can be folded in an answer.
pub const MAX_FOLDS: usize = 5_000;

/// The maximum length of the name of a symbol, in characters.
const MAX_NAME: usize = 120;

/// The dialect whose groups are shown: that of the linter, for files of any length.
pub(crate) const DIALECT: Dialect = Dialect::GOOGLE.with_size_limit(None);

/// A group, or a directive outside of the groups.
struct Part {
    name: String,
    kind: SymbolKind,
    /// From the first line to the last.
    span: ops::Range<usize>,
    /// The line with the name.
    selection: ops::Range<usize>,
    rules: Vec<Part>,
}

/// Returns the symbols of a document: groups with their directives, and sitemaps. A client that cannot nest symbols gets a list.
pub(crate) fn symbols(document: &Document, linted: &Linted, client: &Client) -> Value {
    let parts = parts(linted);
    let range = |span: &ops::Range<usize>| client.encoding.range(&document.text, span);
    let json = if client.nests_symbols {
        let symbols: Vec<_> = parts.iter().map(|part| nested(part, &range)).collect();
        serde_json::to_value(symbols)
    } else {
        let symbols: Vec<_> = parts
            .iter()
            .flat_map(|part| {
                let rules = part
                    .rules
                    .iter()
                    .map(|rule| (rule, Some(part.name.clone())));
                std::iter::once((part, None)).chain(rules)
            })
            .map(|(part, container)| flat(document, part, container, &range))
            .collect();
        serde_json::to_value(symbols)
    };
    // These types have no keys that JSON cannot have.
    json.unwrap_or_default()
}

#[allow(
    deprecated,
    reason = "the deprecated field has no constructor without it"
)]
fn nested(part: &Part, range: &impl Fn(&ops::Range<usize>) -> Range) -> DocumentSymbol {
    let rules: Vec<_> = part.rules.iter().map(|rule| nested(rule, range)).collect();
    DocumentSymbol {
        name: part.name.clone(),
        detail: None,
        kind: part.kind,
        tags: None,
        deprecated: None,
        range: range(&part.span),
        selection_range: range(&part.selection),
        children: (!rules.is_empty()).then_some(rules),
    }
}

#[allow(deprecated, reason = "clients that cannot nest symbols need this type")]
fn flat(
    document: &Document,
    part: &Part,
    container_name: Option<String>,
    range: &impl Fn(&ops::Range<usize>) -> Range,
) -> SymbolInformation {
    SymbolInformation {
        deprecated: None,
        location: Location {
            uri: document.uri.clone(),
            range: range(&part.span),
        },
        base_symbol_information: gen_lsp_types::BaseSymbolInformation {
            name: part.name.clone(),
            kind: part.kind,
            tags: None,
            container_name,
        },
    }
}

fn parts(linted: &Linted) -> Vec<Part> {
    let groups = linted.robots.groups(&DIALECT);
    let mut left = MAX_SYMBOLS;
    let mut parts: Vec<Part> = Vec::new();
    for group in &groups {
        if left == 0 {
            break;
        }
        let part = group_part(group, left - 1);
        left -= part.rules.len() + 1;
        parts.push(part);
    }
    // Sitemaps belong to the file.
    let sitemaps = linted.robots.lines();
    let sitemaps = sitemaps.filter(|line| line.field() == Field::Sitemap);
    parts.extend(sitemaps.take(left).map(|line| directive_part(&line)));
    parts.sort_by_key(|part| part.span.start);
    parts
}

fn group_part(group: &Group<'_>, max_rules: usize) -> Part {
    let agents = group.agents();
    // Longer names are cut anyway.
    let names: Vec<_> = agents
        .iter()
        .take(MAX_NAME)
        .map(|line| String::from_utf8_lossy(line.value()))
        .collect();
    let rules = group.directives().iter().map(Directive::line);
    let lines = || agents.iter().copied().chain(rules.clone());
    let start = lines().map(|line| line.span().start).min();
    let end = lines().map(|line| line.span().end).max();
    let (start, end) = (start.unwrap_or_default(), end.unwrap_or_default());
    Part {
        name: name(&names.join(", ")),
        kind: SymbolKind::Class,
        span: start..end,
        selection: agents.first().map_or(start..start, Line::span),
        rules: rules
            .clone()
            .take(max_rules)
            .map(|line| directive_part(&line))
            .collect(),
    }
}

fn directive_part(line: &Line<'_>) -> Part {
    let text = String::from_utf8_lossy(line.value());
    let key = String::from_utf8_lossy(line.key());
    let key = match line.field() {
        Field::Other => key,
        field => Cow::Borrowed(field.name()),
    };
    Part {
        name: name(&format!("{key}: {text}")),
        kind: SymbolKind::Property,
        span: line.span(),
        selection: line.span(),
        rules: Vec::new(),
    }
}

/// Returns a name as editors show it: cut if it is long, and never empty.
fn name(text: &str) -> String {
    match printable(&shortened(text.trim(), MAX_NAME)) {
        empty if empty.is_empty() => "(no name)".to_owned(),
        text => text.into_owned(),
    }
}

/// Returns the parts that can be folded: groups and blocks of comments of two lines and more.
pub(crate) fn folds(document: &Document, linted: &Linted, client: &Client) -> Vec<FoldingRange> {
    let line_of = |offset: usize| document.text.byte_to_line(offset);
    let groups = linted.robots.groups(&DIALECT);
    let groups = groups.iter().map(|group| {
        let span = group_part(group, 0).span;
        (line_of(span.start), line_of(span.end), None)
    });
    let mut folds: Vec<_> = groups.collect();
    let mut comments: Option<(usize, usize)> = None;
    let fold = |(first, last)| (first, last, Some(FoldingRangeKind::Comment));
    for line in linted.robots.lines() {
        let at = line.number() - 1;
        if line.kind() == LineKind::Comment {
            comments = Some((comments.map_or(at, |(first, _)| first), at));
        } else {
            folds.extend(comments.take().map(fold));
        }
    }
    folds.extend(comments.map(fold));
    folds.retain(|(first, last, _)| first < last);
    folds.sort_by_key(|(first, ..)| *first);
    let folds = folds.into_iter().take(MAX_FOLDS);
    folds
        .map(|(first, last, kind)| {
            let end = line_span(&document.text, last).end;
            let end = client.encoding.position(&document.text, end).character;
            FoldingRange {
                start_line: number(first),
                end_line: number(last),
                end_character: (!client.folds_lines_only).then_some(end),
                kind,
                ..FoldingRange::default()
            }
        })
        .collect()
}
