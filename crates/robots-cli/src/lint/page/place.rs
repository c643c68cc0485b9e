//! Where a finding stands: a line of the page, or of its headers, and a part of it.

use super::PageFinding;
use super::read::PageInput;
use crate::lint::found::{Found, Place};
use crate::lint::kind::Kind;
use crate::page_lines::{Lines, line_end};
use encoding_rs::{Encoding, UTF_8};
use robots_meta::RobotsHeader;
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ops::Range;

/// How many bytes are taken of a part, and of what stands on the line before it and behind: more than is shown. It
/// is even, as code units of UTF-16 are.
const AROUND: usize = 2_048;

/// A place in a page or its headers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum At {
    /// Bytes of the page.
    Page(Range<usize>),
    /// Of a header line, by its number from 0, as it is shown: name, colon, space, value.
    Header { line: usize, span: Range<usize> },
}

impl At {
    /// A part of the value of a header line.
    pub(super) fn header(line: usize, header: RobotsHeader, span: Range<usize>) -> Self {
        let before = prefix(header).len();
        Self::Header {
            line,
            span: before.saturating_add(span.start)..before.saturating_add(span.end),
        }
    }

    /// By which findings are sorted: headers first.
    pub(super) fn order(&self) -> (bool, usize, usize) {
        match self {
            Self::Header { line, span } => (false, *line, span.start),
            Self::Page(span) => (true, 0, span.start),
        }
    }
}

fn prefix(header: RobotsHeader) -> String {
    format!("{header}: ")
}

/// The findings with their places. Linear in the page, and in what is shown.
pub(super) fn found<'a>(
    page: &'a PageInput,
    encoding: &str,
    findings: &'a [PageFinding],
) -> Vec<Found<'a>> {
    let encoding = Encoding::for_label(encoding.as_bytes()).unwrap_or(UTF_8);
    // Positions are found going forward.
    let mut starts = BTreeMap::new();
    for finding in findings {
        let related = finding.related.as_ref().map(|(at, _)| at);
        for at in [Some(&finding.at), related].into_iter().flatten() {
            if let At::Page(span) = at {
                starts.insert(span.start, None);
            }
        }
    }
    let mut lines = Lines::new(&page.html, encoding);
    for (offset, position) in &mut starts {
        *position = Some(lines.position(*offset));
    }
    let place = |at: &At| match at {
        At::Header { line, span } => header_place(page, *line, span),
        At::Page(span) => {
            let position = starts.get(&span.start).copied().flatten();
            let (line, column, from) = position.map_or((1, 1, 0), |position| {
                (position.line, position.column, position.line_start)
            });
            page_place(&page.html, encoding, span, (line, column, from))
        }
    };
    findings
        .iter()
        .map(|finding| Found {
            kind: Kind::Page(finding.kind),
            message: finding.message(),
            place: place(&finding.at),
            related: finding
                .related
                .as_ref()
                .map(|(at, label)| (place(at), *label)),
            fix: None,
        })
        .collect()
}

/// A part of the page, at this line and column, whose line begins here.
fn page_place<'a>(
    html: &'a [u8],
    encoding: &'static Encoding,
    span: &Range<usize>,
    (line, column, line_start): (usize, usize, usize),
) -> Place<'a> {
    let start = span.start.min(html.len());
    let behind = html.get(start..).unwrap_or_default();
    let rest = line_end(behind, encoding).unwrap_or(behind.len());
    // A tag of several lines is marked on its first; a long one at its start.
    let end = start.saturating_add(rest.min(span.len()).min(AROUND));
    let line_end = start.saturating_add(rest);
    let from = line_start.max(start.saturating_sub(AROUND));
    let to = line_end.min(end.saturating_add(AROUND));
    let text = |range: Range<usize>| {
        let bytes = html.get(range).unwrap_or_default();
        encoding.decode_without_bom_handling(bytes).0
    };
    let (before, part) = (text(from..start), text(start..end));
    let part_at = before.len()..before.len().saturating_add(part.trim_end().len());
    let characters = part.trim_end().chars().count();
    let mut line_text = [before, part, text(end..to)].concat();
    line_text.truncate(line_text.trim_end().len().max(part_at.end));
    Place {
        is_header: false,
        line,
        column,
        end_column: column.saturating_add(characters),
        offset: span.start,
        length: span.len(),
        text: Cow::Owned(line_text.into_bytes()),
        part: part_at,
    }
}

fn header_place<'a>(page: &PageInput, line: usize, span: &Range<usize>) -> Place<'a> {
    let text = page
        .headers
        .get(line)
        .map_or(String::new(), |(name, value)| {
            let name =
                RobotsHeader::from_name(name).map_or(name.clone(), |header| header.to_string());
            format!("{name}: {value}")
        });
    let column = |offset: usize| {
        let before = text.get(..offset).unwrap_or(&text);
        before.chars().count().saturating_add(1)
    };
    let (column, end_column) = (column(span.start), column(span.end));
    let mut from = span.start.saturating_sub(AROUND);
    while !text.is_char_boundary(from) {
        from = from.saturating_sub(1);
    }
    let near = text.as_bytes().get(from..).unwrap_or_default();
    let end = span.end.saturating_sub(from).saturating_add(AROUND);
    let near = near.get(..end).unwrap_or(near);
    Place {
        is_header: true,
        line: line.saturating_add(1),
        column,
        end_column,
        offset: span.start,
        length: span.len(),
        part: span.start.saturating_sub(from)..span.end.saturating_sub(from),
        text: Cow::Owned(near.to_vec()),
    }
}
