//! A file as a dialect sees it: the blank lines and directives within its limits, in order.
//!
//! What the parser noted is taken where it does; lines that are written oddly are read again, and
//! all lines of a file whose lines the dialect sees otherwise. A walk costs a few instructions for
//! each record, and the bytes of the values that are asked for.

use crate::dialect::{Dialect, LineEnd, OverLimit};
use crate::line::{Field, Line, LineKind, Lines, Spelling, is_space};
use crate::record::{Record, RecordKind, Records};
use memchr::{memchr2, memchr3, memrchr2};

/// A line as a dialect sees it, as far as groups and rules are concerned.
#[derive(Clone, Copy)]
pub(crate) enum Seen<'a> {
    Blank,
    Directive(SeenDirective<'a>),
}

#[derive(Clone, Copy)]
pub(crate) struct SeenDirective<'a> {
    pub(crate) field: Field,
    /// From 1.
    pub(crate) number: usize,
    value: Value<'a>,
}

#[derive(Clone, Copy)]
enum Value<'a> {
    /// At this offset of the body, up to the end of the line or a comment.
    At(usize),
    Read(Line<'a>),
}

impl<'a> SeenDirective<'a> {
    /// The value, without comment and without white space around it.
    pub(crate) fn value(&self, body: &'a [u8]) -> &'a [u8] {
        match self.value {
            Value::Read(line) => line.value(),
            Value::At(at) => {
                let rest = body.get(at..).unwrap_or_default();
                let end = memchr3(b'\n', b'\r', b'#', rest).unwrap_or(rest.len());
                let mut value = rest.get(..end).unwrap_or_default();
                while let [start @ .., last] = value
                    && is_space(*last)
                {
                    value = start;
                }
                value
            }
        }
    }

    /// The whole line as the dialect sees it.
    pub(crate) fn line(&self, body: &'a [u8]) -> Line<'a> {
        match self.value {
            Value::Read(line) => line.with_field(self.field),
            Value::At(at) => {
                let before = body.get(..at).unwrap_or_default();
                let start = memrchr2(b'\n', b'\r', before).map_or(0, |end| end.saturating_add(1));
                line_at(body, self.number, start).with_field(self.field)
            }
        }
    }
}

/// The line that begins at `start`.
fn line_at(body: &[u8], number: usize, start: usize) -> Line<'_> {
    let rest = body.get(start..).unwrap_or_default();
    let length = memchr2(b'\n', b'\r', rest).unwrap_or(rest.len());
    Line::read(number, start, rest.get(..length).unwrap_or_default())
}

/// The blank lines and directives that a dialect sees, in order.
#[derive(Clone)]
pub(crate) struct View<'a> {
    body: &'a [u8],
    dialect: &'a Dialect,
    source: Source<'a>,
    /// The offset at which the last line that is read must have ended, if that is not the end.
    end: Option<usize>,
}

#[derive(Clone)]
enum Source<'a> {
    Records(Records<'a>),
    /// Where the records do not do.
    Lines(Lines<'a>),
}

impl<'a> View<'a> {
    pub(crate) fn new(
        body: &'a [u8],
        records: &'a [u32],
        has_bare_cr: bool,
        dialect: &'a Dialect,
    ) -> Self {
        let limit = dialect.size_limit.filter(|&limit| limit < body.len());
        let (body, end) = match (limit, dialect.over_limit) {
            (None, _) => (body, None),
            (Some(_), OverLimit::IgnoreFile) => (&[][..], None),
            // A line whose end is not within the limit may be cut, so it does not count.
            (Some(limit), OverLimit::ReadStart) => (body, Some(limit.saturating_sub(1))),
        };
        let source = if body.is_empty() {
            Source::Lines(Lines::new(body, LineEnd::Any))
        } else if dialect.trusts_records(has_bare_cr) {
            Source::Records(Records::new(records))
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

    pub(crate) fn body(&self) -> &'a [u8] {
        self.body
    }

    /// The line as the dialect sees it; `None` if it says nothing.
    fn see(&self, line: Line<'a>) -> Option<Seen<'a>> {
        let line = self.dialect.narrow(line);
        if line.kind() == LineKind::Blank {
            return Some(Seen::Blank);
        }
        let field = self.dialect.field(&line)?;
        Some(Seen::Directive(SeenDirective {
            field,
            number: line.number(),
            value: Value::Read(line),
        }))
    }

    fn is_beyond(&self, line: &Line<'_>) -> bool {
        let end = line.offset().saturating_add(line.bytes().len());
        self.end.is_some_and(|last| end > last)
    }
}

impl<'a> Iterator for View<'a> {
    type Item = Seen<'a>;

    #[inline]
    fn next(&mut self) -> Option<Seen<'a>> {
        loop {
            let line = match &mut self.source {
                Source::Lines(lines) => lines.next()?,
                Source::Records(records) => {
                    let Record { kind, number, at } = records.next()?;
                    let is_beyond =
                        || self.end.is_some() && self.is_beyond(&line_at(self.body, number, at));
                    match kind {
                        RecordKind::Odd => line_at(self.body, number, at),
                        _ if is_beyond() => return None,
                        RecordKind::Blank => return Some(Seen::Blank),
                        RecordKind::Clean(field) => {
                            return Some(Seen::Directive(SeenDirective {
                                field: self.dialect.judge(field, Spelling::Exact),
                                number,
                                value: Value::At(at),
                            }));
                        }
                    }
                }
            };
            if self.is_beyond(&line) {
                return None;
            }
            if let Some(seen) = self.see(line) {
                return Some(seen);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::{Scan, scan};
    use proptest::prelude::*;

    /// What the lines say, by reading every one of them.
    fn by_lines(body: &[u8], dialect: &Dialect) -> Vec<(usize, Field, Vec<u8>)> {
        Lines::new(body, dialect.line_end)
            .filter_map(|line| {
                let line = dialect.narrow(line);
                let field = dialect.field(&line)?;
                Some((line.number(), field, line.value().to_vec()))
            })
            .collect()
    }

    fn by_records(body: &[u8], dialect: &Dialect) -> Vec<(usize, Field, Vec<u8>)> {
        let Scan {
            records,
            has_bare_cr,
        } = scan(body);
        View::new(body, &records, has_bare_cr, dialect)
            .filter_map(|seen| match seen {
                Seen::Blank => None,
                Seen::Directive(seen) => {
                    let line = seen.line(body);
                    assert_eq!(line.number(), seen.number);
                    assert_eq!(line.value(), seen.value(body));
                    Some((seen.number, seen.field, seen.value(body).to_vec()))
                }
            })
            .collect()
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 2048, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn records_say_what_the_lines_say(
            lines in prop::collection::vec(
                "(\u{feff}|\0)?[ \t]?(User-agent|USER-AGENT|Allow|disallow|Disallowed|disalow|Sitemap|Crawl-delay|DisallowAITraining|x|)[ \t\u{b}]?[:# ]?[ \t]?(/a|/b#c|\\*|\0|)[ \r\n]{1,3}",
                0..8,
            ),
        ) {
            let body = lines.concat().into_bytes();
            let limited = Dialect::GOOGLE.with_line_limit(Some(9));
            for dialect in Dialect::ALL.iter().chain([&limited]) {
                prop_assert_eq!(by_records(&body, dialect), by_lines(&body, dialect));
            }
        }
    }
}
