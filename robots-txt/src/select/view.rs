//! A file as a dialect sees it: the blank lines and directives within its limits, in order.
//!
//! The marks of the parser are used where they are enough. Irregular lines are read again, and so
//! are all lines of a file that the dialect divides differently. A walk costs a few instructions
//! for each mark. In addition, it reads the values that the caller requests.

use crate::dialect::{Dialect, GroupEnd, LineEnd, OverLimit};
use crate::limits::MAX_BODY;
use crate::parse::field::{Field, Spelling};
use crate::parse::line::{Line, LineKind};
use crate::parse::line_mark::{LineMark, LineMarkKind};
use crate::parse::lines::Lines;
use crate::parse::text::is_space;
use crate::select::directive::Directive;
use crate::select::records;
use memchr::{memchr3, memrchr, memrchr2};
use std::slice;

/// A line as a dialect sees it, reduced to what groups and rules need.
///
/// The numbers are large enough for every body ([`MAX_BODY`]).
#[derive(Clone, Copy)]
pub(crate) struct ViewLine {
    /// `None` if the line is blank.
    pub(crate) field: Option<Field>,
    number: u32,
    /// The offset in the body at which the value begins.
    at: u32,
    /// The length of the value; [`UNKNOWN_LENGTH`] if it ends at a comment or with the line. If the line is
    /// blank and was read again: the length of its white space.
    length: u32,
}

const UNKNOWN_LENGTH: u32 = u32::MAX;

const _: () = assert!(MAX_BODY < UNKNOWN_LENGTH as usize);

impl ViewLine {
    /// Returns the 1-based number of the line.
    pub(crate) fn number(&self) -> usize {
        self.number as usize
    }

    /// Returns the value, without comment and without white space around it.
    #[inline]
    pub(crate) fn value<'a>(&self, body: &'a [u8]) -> &'a [u8] {
        let rest = &body[self.at as usize..];
        if self.length != UNKNOWN_LENGTH {
            return &rest[..self.length as usize];
        }
        let mut value = &rest[..memchr3(b'\n', b'\r', b'#', rest).unwrap_or(rest.len())];
        while let [start @ .., last] = value
            && is_space(*last)
        {
            value = start;
        }
        value
    }

    /// Returns whether the line is blank and was read again, and has no bytes at all.
    pub(crate) fn is_empty(&self) -> bool {
        self.field.is_none() && self.length == 0
    }

    /// Returns an empty line at the place of this one.
    pub(crate) fn as_empty(&self) -> Self {
        Self {
            field: None,
            length: 0,
            ..*self
        }
    }

    /// Returns the same line, with the length of its value, which need not be searched again.
    pub(crate) fn with_length(self, length: usize) -> Self {
        Self {
            length: u32::try_from(length).unwrap_or(UNKNOWN_LENGTH),
            ..self
        }
    }

    /// Returns the body from the value on; `None` if the end of the value is known, and need not be searched.
    #[inline]
    pub(crate) fn open_value<'a>(&self, body: &'a [u8]) -> Option<&'a [u8]> {
        (self.length == UNKNOWN_LENGTH).then(|| &body[self.at as usize..])
    }

    /// Returns the directive that the line is, if it is one.
    pub(crate) fn directive<'a>(&self, body: &'a [u8], dialect: &Dialect) -> Option<Directive<'a>> {
        let field = self.field?;
        let start = line_start(body, self.at as usize, dialect.line_end);
        let line = line_at(body, self.number(), start, dialect.line_end);
        let line = dialect.part_of_line(line).with_field(field);
        Some(Directive::new(field, line))
    }
}

/// Returns the start of the line that contains `at`.
fn line_start(body: &[u8], at: usize, line_end: LineEnd) -> usize {
    let before = &body[..at];
    let end = match line_end {
        LineEnd::Any => memrchr2(b'\n', b'\r', before),
        LineEnd::LineFeed => memrchr(b'\n', before),
    };
    end.map_or(0, |end| end + 1)
}

/// Returns the line that begins at `start`.
fn line_at(body: &[u8], number: usize, start: usize, line_end: LineEnd) -> Line<'_> {
    let rest = &body[start..];
    let length = line_end.find(rest).unwrap_or(rest.len());
    Line::read(number, start, &rest[..length])
}

/// An iterator over the blank lines and directives that a dialect sees, in order.
#[derive(Clone)]
pub(crate) struct View<'a> {
    body: &'a [u8],
    pub(crate) dialect: &'a Dialect,
    source: Source<'a>,
    /// The greatest offset at which a line may end and still count; `None` if all lines count.
    end: Option<usize>,
}

#[derive(Clone)]
enum Source<'a> {
    Marks(slice::Iter<'a, LineMark>),
    /// All lines, each read again: used if the marks are not valid under the dialect.
    Lines(Lines<'a>),
    /// Lines that were read before.
    Given(slice::Iter<'a, ViewLine>),
}

impl<'a> View<'a> {
    pub(crate) fn new(
        body: &'a [u8],
        marks: &'a [LineMark],
        has_bare_cr: bool,
        dialect: &'a Dialect,
    ) -> Self {
        let limit = dialect.size_limit().filter(|&limit| limit < body.len());
        let (body, end) = match (limit, dialect.over_limit) {
            (None, _) => (body, None),
            (Some(_), OverLimit::IgnoreFile) => (&[][..], None),
            // A line counts only if the first byte of its line end is within the limit: otherwise it may be cut.
            (Some(limit), OverLimit::ReadStart) => (body, Some(limit.saturating_sub(1))),
        };
        let source = if body.is_empty() {
            // The marks do not apply: they are those of the whole file, which `IgnoreFile` may have left out.
            Source::Lines(Lines::new(body, LineEnd::Any))
        } else if dialect.can_use_marks(has_bare_cr) {
            Source::Marks(marks.iter())
        } else {
            Source::Lines(Lines::new(body, dialect.line_end))
        };
        Self {
            body,
            dialect,
            source,
            end,
        }
    }

    /// Returns the lines from which groups are made; `None` if these are all lines.
    pub(crate) fn records(&self) -> Option<Vec<ViewLine>> {
        if self.dialect.group_end != GroupEnd::AgentOrEmptyLine {
            return None;
        }
        // A mark does not distinguish an empty line from white space.
        Some(records::of(Self {
            source: Source::Lines(Lines::new(self.body, self.dialect.line_end)),
            ..*self
        }))
    }

    /// Returns the view without the lines from which no group is made. `records` are those of
    /// [`records`](Self::records); a view that owned them would be slower for all dialects.
    pub(crate) fn for_groups<'l>(self, records: Option<&'l [ViewLine]>) -> View<'l>
    where
        'a: 'l,
    {
        match records {
            Some(lines) => View {
                source: Source::Given(lines.iter()),
                ..self
            },
            None => self,
        }
    }

    pub(crate) fn body(&self) -> &'a [u8] {
        self.body
    }

    /// Returns the line as the dialect sees it; `None` if it is neither blank nor a directive.
    fn view_line(&self, line: Line<'a>) -> Option<ViewLine> {
        let line = self.dialect.part_of_line(line);
        let (field, value) = match line.kind() {
            LineKind::Blank => (None, line.bytes()),
            _ => (Some(self.dialect.field(&line)?), line.value()),
        };
        let number = |number| u32::try_from(number).unwrap_or_default();
        Some(ViewLine {
            field,
            number: number(line.number()),
            at: number(line.span_of(value).start),
            length: number(value.len()),
        })
    }

    /// Returns whether a line ends beyond the size limit.
    fn is_beyond(&self, line: &Line<'_>) -> bool {
        let end = line.offset() + line.bytes().len();
        self.end.is_some_and(|last| end > last)
    }
}

impl View<'_> {
    /// Reads lines until one is blank or a directive. Begins with the line of `mark` or, without a mark, with the next line.
    #[inline(never)]
    fn next_read(&mut self, mut mark: Option<LineMark>) -> Option<ViewLine> {
        loop {
            let line = match (mark.take(), &mut self.source) {
                (Some(mark), _) => {
                    let start = line_start(self.body, mark.at as usize, LineEnd::Any);
                    line_at(
                        self.body,
                        mark.number() as usize,
                        start,
                        self.dialect.line_end,
                    )
                }
                (None, Source::Lines(lines)) => lines.next()?,
                (None, Source::Given(lines)) => return lines.next().copied(),
                (None, Source::Marks(marks)) => {
                    mark = Some(*marks.next()?);
                    continue;
                }
            };
            if self.is_beyond(&line) {
                return None;
            }
            if let Some(line) = self.view_line(line) {
                return Some(line);
            }
        }
    }
}

impl Iterator for View<'_> {
    type Item = ViewLine;

    #[inline]
    fn next(&mut self) -> Option<ViewLine> {
        let mark = match &mut self.source {
            Source::Marks(marks) => *marks.next()?,
            Source::Lines(_) | Source::Given(_) => return self.next_read(None),
        };
        // A mark is not enough for an irregular line, or for a line that may be beyond the size limit.
        let field = match mark.kind() {
            LineMarkKind::Irregular => return self.next_read(Some(mark)),
            _ if self.end.is_some() => return self.next_read(Some(mark)),
            LineMarkKind::Blank => None,
            LineMarkKind::Regular(field) => {
                Some(self.dialect.resolve_field(field, Spelling::Exact))
            }
        };
        Some(ViewLine {
            field,
            number: mark.number(),
            at: mark.at,
            length: UNKNOWN_LENGTH,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parse::line_mark::{Scan, scan};
    use crate::parse::text::range_in;
    use proptest::prelude::*;

    /// Line, field and value; for blank lines only their presence.
    type Summary = (usize, Option<Field>, Vec<u8>);

    /// Returns the content of the lines by reading each of them.
    fn by_lines(body: &[u8], dialect: &Dialect) -> Vec<Summary> {
        let limit = dialect.size_limit().filter(|&limit| limit < body.len());
        let mut summaries: Vec<Summary> = Lines::new(body, dialect.line_end)
            .take_while(|line| limit.is_none_or(|limit| line.offset() + line.bytes().len() < limit))
            .filter_map(|line| {
                let line = dialect.part_of_line(line);
                if line.kind() == LineKind::Blank {
                    return Some((0, None, Vec::new()));
                }
                let field = dialect.field(&line)?;
                Some((line.number(), Some(field), line.value().to_vec()))
            })
            .collect();
        // Consecutive blank lines, without a directive among them, have the effect of one.
        summaries.dedup_by(|a, b| a.1.is_none() && b.1.is_none());
        summaries
    }

    /// Returns the parts of a line with their ranges, including empty ones.
    fn with_ranges(body: &[u8], line: &Line<'_>) -> String {
        let is_directive = line.kind() == LineKind::Directive;
        let range = |part| is_directive.then(|| range_in(body, part));
        let ranges = [line.key(), line.value()].map(range);
        format!("{line:?} {ranges:?}")
    }

    fn by_marks(body: &[u8], dialect: &Dialect) -> Vec<Summary> {
        let Scan { marks, has_bare_cr } = scan(body);
        let mut summaries: Vec<Summary> = View::new(body, &marks, has_bare_cr, dialect)
            .map(|view_line| {
                let Some(directive) = view_line.directive(body, dialect) else {
                    return (0, None, Vec::new());
                };
                let line = directive.line();
                assert_eq!(line.number(), view_line.number());
                assert_eq!(line.value(), view_line.value(body));
                let read = line_at(body, line.number(), line.offset(), dialect.line_end);
                let read = dialect.part_of_line(read).with_field(line.field());
                assert_eq!(with_ranges(body, &line), with_ranges(body, &read));
                (
                    view_line.number(),
                    Some(directive.field()),
                    line.value().to_vec(),
                )
            })
            .collect();
        summaries.dedup_by(|a, b| a.1.is_none() && b.1.is_none());
        summaries
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 2048, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn marks_agree_with_the_lines(
            lines in prop::collection::vec(
                "(\u{feff}|\0)?[ \t]?(User-agent|USER-AGENT|Allow|disallow|Disallowed|disalow|Sitemap|Crawl-delay|DisallowAITraining|x|)[ \t\u{b}]?[:# ]?[ \t]?(/a|/b#c|\\*|\0|)[ \r\n]{1,3}",
                0..8,
            ),
        ) {
            let body = lines.concat().into_bytes();
            // Limits that cut these short lines and bodies.
            let custom = [
                Dialect::GOOGLE.with_line_limit(Some(9)),
                Dialect::RFC9309.with_line_end(LineEnd::LineFeed),
                Dialect::RFC9309.with_line_end(LineEnd::LineFeed).with_size_limit(Some(20)),
                Dialect::GOOGLE.with_size_limit(Some(20)),
            ];
            for dialect in Dialect::ALL.iter().chain(&custom) {
                prop_assert_eq!(by_marks(&body, dialect), by_lines(&body, dialect));
            }
        }
    }
}
