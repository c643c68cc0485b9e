//! Lines of a body, and the bytes that end them. Linear in the bytes; nothing is copied.

use crate::parse::line::Line;
use memchr::{memchr, memchr2};

/// The bytes that end a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum LineEnd {
    /// CR, LF or CRLF (RFC 9309, 2.2; docs/semantics.md, section 0.2).
    Any,
    /// Only LF: a CR before it is white space, and any other CR is a byte of the line. No standard
    /// defines this. A file whose lines end with CR alone (old Mac) is then one line.
    LineFeed,
}

/// An iterator over the lines of a body. The last line follows the last line end and may be empty: a
/// body of n line ends has n + 1 lines, and an empty body has one.
///
/// CR, LF and CRLF each end a line (RFC 9309, 2.2), unless a dialect accepts only LF ([`LineEnd`]).
#[derive(Debug, Clone)]
pub struct Lines<'a> {
    body: &'a [u8],
    line_end: LineEnd,
    /// The offset of the next line in bytes; `None` after the last line.
    next: Option<usize>,
    /// The number of the current line; 0 before the first.
    number: usize,
}

impl<'a> Lines<'a> {
    pub(crate) fn new(body: &'a [u8], line_end: LineEnd) -> Self {
        Self {
            body,
            line_end,
            next: Some(0),
            number: 0,
        }
    }
}

impl<'a> Iterator for Lines<'a> {
    type Item = Line<'a>;

    fn next(&mut self) -> Option<Line<'a>> {
        let offset = self.next?;
        self.number += 1;
        let rest = self.body.get(offset..).unwrap_or_default();
        let length = self.line_end.find(rest).unwrap_or(rest.len());
        let (bytes, end) = rest.split_at_checked(length).unwrap_or((rest, &[]));
        self.next = match end {
            [] => None,
            [b'\r', b'\n', ..] => Some(offset + length + 2),
            _ => Some(offset + length + 1),
        };
        Some(Line::read(self.number, offset, bytes))
    }
}

impl LineEnd {
    /// Returns the offset at which the first line of `text` ends; `None` if `text` has no line end.
    pub(crate) fn find(self, text: &[u8]) -> Option<usize> {
        match self {
            Self::Any => memchr2(b'\n', b'\r', text),
            Self::LineFeed => memchr(b'\n', text),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parse::field::Field;
    use crate::parse::line::LineFacts;

    fn lines(body: &[u8]) -> Vec<Line<'_>> {
        Lines::new(body, LineEnd::Any).collect()
    }

    #[test]
    fn every_line_end_ends_a_line() {
        let found: Vec<_> = lines(b"a\rb\nc\r\nd\n\re")
            .iter()
            .map(|line| (line.number(), line.offset(), line.bytes()))
            .collect();
        assert_eq!(
            found,
            [
                (1, 0, &b"a"[..]),
                (2, 2, b"b"),
                (3, 4, b"c"),
                (4, 7, b"d"),
                (5, 9, b""),
                (6, 10, b"e"),
            ]
        );
    }

    #[test]
    fn an_empty_body_has_one_line_and_a_final_line_end_adds_one() {
        assert_eq!(lines(b"").len(), 1);
        assert_eq!(lines(b"a\r\n").len(), 2);
    }

    #[test]
    fn a_byte_order_mark_is_seen_on_the_first_line_only() {
        let body = b"\xEF\xBB\xBFAllow: /\n\xEF\xBB\xBFAllow: /";
        let lines = lines(body);
        assert_eq!(lines[0].field(), Field::Allow);
        assert!(lines[0].facts().contains(LineFacts::BYTE_ORDER_MARK));
        assert_eq!(lines[1].field(), Field::Other);
        let partial = Line::read(1, 0, b"\xEF\xBBAllow: /");
        assert!(partial.facts().contains(LineFacts::PARTIAL_BYTE_ORDER_MARK));
    }
}
