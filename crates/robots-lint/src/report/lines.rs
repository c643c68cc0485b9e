//! Lines and columns of a page in any encoding.

use encoding_rs::{Encoding, UTF_8, UTF_16BE, UTF_16LE};
use memchr::memchr;

/// The line and column of a byte.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Position {
    /// The 1-based line.
    pub line: usize,
    /// The 1-based character in the line.
    pub column: usize,
    /// The offset of the line's first byte, in bytes.
    pub line_start: usize,
}

/// A finder of the positions of ascending offsets in a page. Linear in the page for all offsets together.
#[derive(Debug)]
pub struct Lines<'p> {
    page: &'p [u8],
    encoding: &'static Encoding,
    /// The offset of the last call, whose position is `position`.
    at: usize,
    position: Position,
}

/// Returns the encoding that [`PageFacts::encoding`](robots_meta::PageFacts::encoding) names; UTF-8 for any other name.
pub fn encoding_of(name: &str) -> &'static Encoding {
    Encoding::for_label(name.as_bytes()).unwrap_or(UTF_8)
}

impl<'p> Lines<'p> {
    /// Starts at the first byte of a page.
    pub fn new(page: &'p [u8], encoding: &'static Encoding) -> Self {
        // A byte order mark is not a character of the first line.
        let at = match Encoding::for_bom(page) {
            Some((marked, length)) if marked == encoding => length,
            _ => 0,
        };
        Self {
            page,
            encoding,
            at,
            position: Position {
                line: 1,
                column: 1,
                line_start: at,
            },
        }
    }

    /// Returns the page.
    pub fn page(&self) -> &'p [u8] {
        self.page
    }

    /// Returns the encoding.
    pub fn encoding(&self) -> &'static Encoding {
        self.encoding
    }

    /// Returns the position of an offset. The offset is at least that of the last call.
    pub fn position(&mut self, offset: usize) -> Position {
        let offset = offset.min(self.page.len());
        let mut passed = self.page.get(self.at..offset).unwrap_or_default();
        while let Some(end) = next_line_start(passed, self.encoding) {
            passed = &passed[end..];
            self.position = Position {
                line: self.position.line + 1,
                column: 1,
                line_start: offset - passed.len(),
            };
        }
        let (text, _) = self.encoding.decode_without_bom_handling(passed);
        self.position.column += text.chars().count();
        self.at = self.at.max(offset);
        self.position
    }
}

/// Returns the 1-based column after the start of a line. Bytes that are not UTF-8 count as the characters that replace them.
pub(crate) fn column_after(start: &[u8]) -> usize {
    String::from_utf8_lossy(start).chars().count() + 1
}

/// Returns the offset after the first line feed; `None` if there is none.
pub fn next_line_start(bytes: &[u8], encoding: &'static Encoding) -> Option<usize> {
    let line_feed = if encoding == UTF_16LE {
        [b'\n', 0]
    } else if encoding == UTF_16BE {
        [0, b'\n']
    } else {
        return Some(memchr(b'\n', bytes)? + 1);
    };
    let units = bytes.as_chunks::<2>().0;
    let at = units.iter().position(|unit| *unit == line_feed)?;
    Some((at + 1) * 2)
}

#[cfg(test)]
mod tests {
    use super::*;
    use encoding_rs::{UTF_8, WINDOWS_1252};

    fn position(lines: &mut Lines<'_>, offset: usize) -> (usize, usize) {
        let found = lines.position(offset);
        (found.line, found.column)
    }

    #[test]
    fn lines_and_columns_are_counted_in_characters() {
        let mut lines = Lines::new("\u{feff}é<\r\n\n\té<".as_bytes(), UTF_8);
        assert_eq!(position(&mut lines, 3), (1, 1));
        assert_eq!(position(&mut lines, 5), (1, 2));
        assert_eq!(position(&mut lines, 5), (1, 2));
        assert_eq!(position(&mut lines, 12), (3, 3));
        assert_eq!(position(&mut lines, 1_000), (3, 4));
        let mut lines = Lines::new(b"\xe9\n\xe9<", WINDOWS_1252);
        assert_eq!(position(&mut lines, 3), (2, 2));
    }

    #[test]
    fn half_a_code_unit_is_not_a_line_feed() {
        let mut lines = Lines::new(b"\xff\xfe\x0a\x0a\x0a\x00<\x00", UTF_16LE);
        assert_eq!(position(&mut lines, 6), (2, 1));
        let mut lines = Lines::new(b"\x0a\x00\x00\x0a\x00<", UTF_16BE);
        assert_eq!(position(&mut lines, 4), (2, 1));
    }
}
