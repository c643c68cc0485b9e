//! What a body has that its author cannot have meant: facts for people, never errors.
//!
//! [`RobotsTxt::diagnostics`] is linear in the body. A kind that a file repeats is listed once for
//! each line, up to [`MAX_DIAGNOSTICS`] in all.

use crate::dialect::{Dialect, RFC9309_SIZE_LIMIT};
use crate::document::RobotsTxt;
use crate::field::{Field, Spelling};
use crate::line::{Line, LineFacts, LineKind};
use std::fmt;

/// How many diagnostics are given for one body; a file of nothing but junk needs no more.
pub const MAX_DIAGNOSTICS: usize = 1_000;

/// What is odd.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum DiagnosticKind {
    /// The body begins as an HTML page does: a server answered with something else
    /// (SEMANTICS 8.1).
    HtmlBody,
    /// The body is larger than 500 KiB; crawlers may stop there (RFC 9309, 2.5).
    OverSizeLimit,
    /// The first line begins with a byte order mark, or with a part of one (SEMANTICS 1.8, 2.2).
    ByteOrderMark,
    /// The line has a NUL byte, where google/robotstxt stops reading it.
    NulByte,
    /// The line is longer than [`LONG_LINE`](crate::LONG_LINE) bytes, where google/robotstxt stops
    /// reading it.
    LongLine,
    /// The line is neither blank nor a comment, and has no field and value.
    Junk,
    /// Field and value are separated by white space: a colon is missing.
    MissingColon,
    /// The field is misspelt.
    MisspeltField,
    /// A rule stands before the first `User-agent` line and speaks to nobody (RFC 9309, 2.2.1).
    RuleWithoutGroup,
}

/// One odd thing, and where it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Diagnostic {
    kind: DiagnosticKind,
    line: usize,
    offset: usize,
}

impl Diagnostic {
    /// What is odd.
    pub fn kind(&self) -> DiagnosticKind {
        self.kind
    }

    /// The number of the line, from 1. What concerns the whole body has line 1.
    pub fn line(&self) -> usize {
        self.line
    }

    /// The offset in bytes of the line in the body.
    pub fn offset(&self) -> usize {
        self.offset
    }
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.line, self.kind)
    }
}

impl fmt::Display for DiagnosticKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::HtmlBody => "this looks like an HTML page; only lines that are directives count",
            Self::OverSizeLimit => "the file is larger than 500 KiB; crawlers may ignore the rest",
            Self::ByteOrderMark => "a byte order mark, or a part of one, before the first field",
            Self::NulByte => "a NUL byte; some crawlers ignore the rest of the line",
            Self::LongLine => "longer than 16,663 bytes; some crawlers ignore the rest of the line",
            Self::Junk => "neither a directive nor a comment; ignored",
            Self::MissingColon => "no colon between field and value; most crawlers ignore the line",
            Self::MisspeltField => "a misspelt field; most crawlers ignore the line",
            Self::RuleWithoutGroup => "a rule before the first User-agent line; ignored",
        })
    }
}

impl RobotsTxt {
    /// What is odd about the body, in the order of its lines; at most [`MAX_DIAGNOSTICS`].
    pub fn diagnostics(&self) -> Vec<Diagnostic> {
        self.odd_things().take(MAX_DIAGNOSTICS).collect()
    }

    /// Whether the body begins as an HTML page does.
    pub fn looks_like_html(&self) -> bool {
        let start = crate::line::trim(
            self.body()
                .get(crate::line::byte_order_mark(self.body())..)
                .unwrap_or_default(),
        );
        ["<!doctype", "<html", "<head", "<body", "<?xml", "<!--"]
            .iter()
            .any(|tag| {
                start
                    .get(..tag.len())
                    .is_some_and(|found| found.eq_ignore_ascii_case(tag.as_bytes()))
            })
    }

    fn odd_things(&self) -> impl Iterator<Item = Diagnostic> {
        let whole = [
            (self.looks_like_html(), DiagnosticKind::HtmlBody),
            (
                self.body().len() > RFC9309_SIZE_LIMIT,
                DiagnosticKind::OverSizeLimit,
            ),
        ]
        .into_iter()
        .filter(|(odd, _)| *odd)
        .map(|(_, kind)| Diagnostic {
            kind,
            line: 1,
            offset: 0,
        });
        let first_agent = self
            .directives(&Dialect::GOOGLE)
            .find(|directive| directive.field() == Field::UserAgent)
            .map_or(usize::MAX, |directive| directive.line().number());
        let lines = self.lines().flat_map(move |line| {
            line_kinds(line, first_agent).map(move |kind| Diagnostic {
                kind,
                line: line.number(),
                offset: line.offset(),
            })
        });
        whole.chain(lines)
    }
}

fn line_kinds(line: Line<'_>, first_agent: usize) -> impl Iterator<Item = DiagnosticKind> {
    let facts = line.facts();
    let is_rule = matches!(line.field(), Field::Allow | Field::Disallow);
    [
        (
            facts.intersects(LineFacts::BYTE_ORDER_MARK | LineFacts::PARTIAL_BYTE_ORDER_MARK),
            DiagnosticKind::ByteOrderMark,
        ),
        (facts.contains(LineFacts::NUL), DiagnosticKind::NulByte),
        (facts.contains(LineFacts::LONG), DiagnosticKind::LongLine),
        (line.kind() == LineKind::Junk, DiagnosticKind::Junk),
        (
            facts.contains(LineFacts::NO_COLON) && line.field() != Field::Other,
            DiagnosticKind::MissingColon,
        ),
        (
            facts.contains(LineFacts::NO_COLON) && line.field() == Field::Other,
            DiagnosticKind::Junk,
        ),
        (
            line.spelling() != Spelling::Exact,
            DiagnosticKind::MisspeltField,
        ),
        (
            is_rule && line.number() < first_agent,
            DiagnosticKind::RuleWithoutGroup,
        ),
    ]
    .into_iter()
    .filter_map(|(odd, kind)| odd.then_some(kind))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kinds(body: &[u8]) -> Vec<(usize, DiagnosticKind)> {
        RobotsTxt::parse(body)
            .diagnostics()
            .iter()
            .map(|found| (found.line(), found.kind()))
            .collect()
    }

    #[test]
    fn a_good_file_has_none() {
        let body = b"# hello\nUser-agent: *\nDisallow: /a\n\nCrawl-delay: 3\nFoo: bar\n";
        assert_eq!(kinds(body), []);
    }

    #[test]
    fn each_kind_is_found_on_its_line() {
        use DiagnosticKind as Kind;
        let body = b"\xEF\xBB\xBFDisallow: /a\nUser-agent *\nDisalow: /b\nhello world out there\nDisallow: /\0c\nfoo bar";
        assert_eq!(
            kinds(body),
            [
                (1, Kind::ByteOrderMark),
                (1, Kind::RuleWithoutGroup),
                (2, Kind::MissingColon),
                (3, Kind::MisspeltField),
                (4, Kind::Junk),
                (5, Kind::NulByte),
                (6, Kind::Junk),
            ]
        );
    }

    #[test]
    fn an_html_page_is_recognised() {
        assert_eq!(
            kinds(b"\n <!DOCTYPE html>\n")[0],
            (1, DiagnosticKind::HtmlBody)
        );
    }

    #[test]
    fn their_number_is_capped() {
        let junk = |lines: usize| "junk\n".repeat(lines).into_bytes();
        assert_eq!(kinds(&junk(MAX_DIAGNOSTICS - 1)).len(), MAX_DIAGNOSTICS - 1);
        assert_eq!(kinds(&junk(MAX_DIAGNOSTICS)).len(), MAX_DIAGNOSTICS);
        assert_eq!(kinds(&junk(MAX_DIAGNOSTICS + 1)).len(), MAX_DIAGNOSTICS);
    }

    #[test]
    fn size_and_length_are_judged_at_their_limits() {
        let body = |size: usize| {
            b"#\n"
                .iter()
                .copied()
                .cycle()
                .take(size)
                .collect::<Vec<_>>()
        };
        assert_eq!(kinds(&body(RFC9309_SIZE_LIMIT - 1)), []);
        assert_eq!(kinds(&body(RFC9309_SIZE_LIMIT)), []);
        assert_eq!(
            kinds(&body(RFC9309_SIZE_LIMIT + 1)),
            [(1, DiagnosticKind::OverSizeLimit)]
        );
    }
}
