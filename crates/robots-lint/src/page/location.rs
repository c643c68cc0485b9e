//! The lines and columns of findings, in the page or its headers.

use super::PageFinding;
use super::input::{PageInput, header_text};
use crate::report::lines::{Lines, Position, encoding_of, next_line_start};
use crate::report::{LocatedFinding, Location};
use encoding_rs::Encoding;
use robots_meta::header::RobotsHeader;
use robots_policy::text::prefix;
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ops::Range;

/// The maximum length in bytes of each of the three texts of a location: the marked part, the text before it in its line,
/// and the text after it. The marked part of a header line is not limited. Reports show less. The number is even, so that it
/// does not cut a code unit of UTF-16.
const TEXT_LIMIT: usize = 2_048;

/// A span in a page or its headers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Spot {
    /// Bytes of the page.
    Page(Range<usize>),
    /// Bytes of a header line as reports show it (name, colon, space, value); lines are counted from 0.
    Header { line: usize, span: Range<usize> },
}

impl Spot {
    /// Creates the span of a part of the value of a header line with this name.
    pub(super) fn header(line: usize, name: &str, span: Range<usize>) -> Self {
        // A name is shown in as many bytes as it has.
        let before = name.len() + ": ".len();
        Self::Header {
            line,
            span: before + span.start..before + span.end,
        }
    }

    /// Returns the key by which findings are sorted: headers first.
    pub(super) fn order(&self) -> (bool, usize, usize) {
        match self {
            Self::Header { line, span } => (false, *line, span.start),
            Self::Page(span) => (true, 0, span.start),
        }
    }
}

/// Returns the findings on a page with their lines and columns. Linear in the page, in the header lines that have findings,
/// and in the output.
pub(super) fn locate<'a>(
    page: &'a PageInput,
    encoding: &str,
    findings: &'a [PageFinding],
) -> Vec<LocatedFinding<'a>> {
    let encoding = encoding_of(encoding);
    // The positions and columns of all spots are found together, in ascending order.
    let mut starts = BTreeMap::new();
    let mut headers: BTreeMap<usize, HeaderText> = BTreeMap::new();
    for found in findings {
        let related = found.related.as_ref().map(|(spot, _)| spot);
        for spot in [Some(&found.spot), related].into_iter().flatten() {
            match spot {
                Spot::Page(span) => {
                    starts.insert(span.start, None);
                }
                Spot::Header { line, span } => {
                    let header = headers
                        .entry(*line)
                        .or_insert_with(|| HeaderText::of(page, *line));
                    header.columns.insert(span.start, 1);
                    header.columns.insert(span.end, 1);
                }
            }
        }
    }
    let mut lines = Lines::new(page.html(), encoding);
    for (offset, position) in &mut starts {
        *position = Some(lines.position(*offset));
    }
    headers.values_mut().for_each(HeaderText::count_columns);
    let location = |spot: &Spot| match spot {
        Spot::Header { line, span } => match headers.get(line) {
            Some(header) => header.location(*line, span),
            // Never: every spot was entered above.
            None => HeaderText::of(page, *line).location(*line, span),
        },
        Spot::Page(span) => {
            let position = starts.get(&span.start).copied().flatten();
            // Always known: every spot was entered above.
            let position = position.unwrap_or(Position {
                line: 1,
                column: 1,
                line_start: 0,
            });
            page_location(page.html(), encoding, span, position)
        }
    };
    findings
        .iter()
        .map(|found| LocatedFinding {
            kind: found.kind,
            message: found.kind.message(found.detail.as_deref()),
            location: location(&found.spot),
            related: found
                .related
                .as_ref()
                .map(|(spot, label)| (location(spot), *label)),
            fix: None,
        })
        .collect()
}

/// Returns the location of a part of the page that begins at this position.
fn page_location<'a>(
    html: &'a [u8],
    encoding: &'static Encoding,
    span: &Range<usize>,
    position: Position,
) -> Location<'a> {
    let start = span.start.min(html.len());
    // The end of the line is searched only in the marked part and the text after it: a page may be one line.
    let searched = &html[start..];
    let searched = searched.get(..2 * TEXT_LIMIT).unwrap_or(searched);
    let rest_of_line = next_line_start(searched, encoding).unwrap_or(searched.len());
    // If a tag is long or has several lines, only its start or its first line is marked.
    let end = start + rest_of_line.min(span.len()).min(TEXT_LIMIT);
    let line_end = start + rest_of_line;
    let from = position.line_start.max(start.saturating_sub(TEXT_LIMIT));
    let to = line_end.min(end + TEXT_LIMIT);
    let text = |range: Range<usize>| {
        let bytes = &html[range];
        encoding.decode_without_bom_handling(bytes).0
    };
    let (before, part) = (text(from..start), text(start..end));
    let part_at = before.len()..before.len() + part.trim_end().len();
    let characters = part.trim_end().chars().count();
    let mut line_text = [before, part, text(end..to)].concat();
    // The line end and white space before it are left out.
    line_text.truncate(line_text.trim_end().len().max(part_at.end));
    Location {
        is_header: false,
        line: position.line,
        column: position.column,
        end_column: position.column + characters,
        offset: span.start,
        length: span.len(),
        text: Cow::Owned(line_text.into_bytes()),
        part: part_at,
    }
}

/// A header line as reports show it, with the columns of findings.
struct HeaderText {
    text: String,
    /// The 1-based columns of offsets in the text.
    columns: BTreeMap<usize, usize>,
}

impl HeaderText {
    fn of(page: &PageInput, line: usize) -> Self {
        let text = page.headers().get(line).map(|(name, value)| {
            let name =
                RobotsHeader::from_name(name).map_or(name.clone(), |header| header.to_string());
            format!("{name}: {}", header_text(value))
        });
        Self {
            text: text.unwrap_or_default(),
            columns: BTreeMap::new(),
        }
    }

    /// Counts the characters before each offset, all in one pass.
    fn count_columns(&mut self) {
        let (mut at, mut column) = (0, 1_usize);
        for (offset, counted) in &mut self.columns {
            let between = &self.text[at..*offset];
            column += between.chars().count();
            at += between.len();
            *counted = column;
        }
    }

    fn location<'a>(&self, line: usize, span: &Range<usize>) -> Location<'a> {
        let column = |offset| self.columns.get(&offset).copied().unwrap_or(1);
        // The text begins and ends with whole characters.
        let from = prefix(&self.text, span.start.saturating_sub(TEXT_LIMIT)).len();
        let to = prefix(&self.text, span.end + TEXT_LIMIT).len();
        let near = &self.text[from..to];
        Location {
            is_header: true,
            line: line + 1,
            column: column(span.start),
            end_column: column(span.end),
            offset: span.start,
            length: span.len(),
            part: span.start - from..span.end - from,
            text: Cow::Owned(near.as_bytes().to_vec()),
        }
    }
}
