//! Positions of the protocol and offsets in bytes.
//!
//! A position has a line and a column. The column counts bytes, units of UTF-16 or characters, as client and server agree.
//! Lines end with LF, CR LF or CR, as in a robots.txt. Each conversion is logarithmic in the text.

use gen_lsp_types::{Position, PositionEncodingKind, Range};
use ropey::Rope;
use std::ops;

/// The unit of columns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Encoding {
    Utf8,
    Utf16,
    Utf32,
}

impl Encoding {
    /// Returns the first known name in a list of a client, in the order of its preference. UTF-16 is the default of the
    /// protocol.
    pub(crate) fn of_client<'n>(mut names: impl Iterator<Item = &'n str>) -> Self {
        let known = names.find_map(|name| match name {
            "utf-8" => Some(Self::Utf8),
            "utf-16" => Some(Self::Utf16),
            "utf-32" => Some(Self::Utf32),
            _ => None,
        });
        known.unwrap_or(Self::Utf16)
    }

    pub(crate) fn kind(self) -> PositionEncodingKind {
        match self {
            Self::Utf8 => PositionEncodingKind::UTF8,
            Self::Utf16 => PositionEncodingKind::UTF16,
            Self::Utf32 => PositionEncodingKind::UTF32,
        }
    }

    /// Returns the offset of a position. A column past the end of its line is its end, and a line past the last is the end of
    /// the text. Within a character, its start counts.
    pub(crate) fn offset(self, text: &Rope, position: Position) -> usize {
        let line = position.line as usize;
        if line >= text.len_lines() {
            return text.len_bytes();
        }
        let column = position.character as usize;
        let start = text.line_to_char(line);
        let slice = text.line(line);
        let in_line = match self {
            Self::Utf8 => slice.byte_to_char(column.min(slice.len_bytes())),
            Self::Utf16 => slice.utf16_cu_to_char(column.min(slice.len_utf16_cu())),
            Self::Utf32 => column,
        };
        let length = slice.len_chars() - line_end(text, line).len();
        text.char_to_byte(start + in_line.min(length))
    }

    /// Returns the position of an offset. Past the end, it is the end of the text; within a character, its start.
    pub(crate) fn position(self, text: &Rope, offset: usize) -> Position {
        let at = text.byte_to_char(offset.min(text.len_bytes()));
        let line = text.char_to_line(at);
        let start = text.line_to_char(line);
        let column = match self {
            Self::Utf8 => text.char_to_byte(at) - text.char_to_byte(start),
            Self::Utf16 => text.char_to_utf16_cu(at) - text.char_to_utf16_cu(start),
            Self::Utf32 => at - start,
        };
        Position {
            line: number(line),
            character: number(column),
        }
    }

    /// Returns the range of a span of bytes.
    pub(crate) fn range(self, text: &Rope, span: &ops::Range<usize>) -> Range {
        Range {
            start: self.position(text, span.start),
            end: self.position(text, span.end.max(span.start)),
        }
    }

    /// Returns the span of a range; empty if its end is before its start.
    pub(crate) fn span(self, text: &Rope, range: Range) -> ops::Range<usize> {
        let start = self.offset(text, range.start);
        start..self.offset(text, range.end).max(start)
    }
}

/// Returns the end of a line, from 0: CR LF, LF, CR, or nothing for the last line.
pub(crate) fn line_end(text: &Rope, line: usize) -> &'static str {
    let Some(slice) = text.get_line(line) else {
        return "";
    };
    let mut last = slice.chars_at(slice.len_chars());
    match (last.prev(), last.prev()) {
        (Some('\n'), Some('\r')) => "\r\n",
        (Some('\n'), _) => "\n",
        (Some('\r'), _) => "\r",
        _ => "",
    }
}

/// Returns the span of a line, from 0, without its end.
pub(crate) fn line_span(text: &Rope, line: usize) -> ops::Range<usize> {
    if line >= text.len_lines() {
        return text.len_bytes()..text.len_bytes();
    }
    let start = text.line_to_byte(line);
    let next = text.line_to_byte(line + 1);
    start..next - line_end(text, line).len()
}

/// Returns a number of the protocol. No document has more lines or columns.
pub(crate) fn number(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const ALL: [Encoding; 3] = [Encoding::Utf8, Encoding::Utf16, Encoding::Utf32];

    fn at(line: u32, character: u32) -> Position {
        Position { line, character }
    }

    #[test]
    fn columns_count_in_the_unit() {
        // A tab, two bytes, three bytes, four bytes (two units of UTF-16).
        let text = Rope::from_str("a\r\n\t\u{e9}\u{20ac}\u{1f916}x\rb\n\nlast");
        for (encoding, columns) in [
            (Encoding::Utf8, [0, 1, 3, 6, 10, 11]),
            (Encoding::Utf16, [0, 1, 2, 3, 5, 6]),
            (Encoding::Utf32, [0, 1, 2, 3, 4, 5]),
        ] {
            for (column, offset) in columns.into_iter().zip([3, 4, 6, 9, 13, 14]) {
                let position = at(1, column);
                assert_eq!(encoding.position(&text, offset), position, "{encoding:?}");
                assert_eq!(encoding.offset(&text, position), offset, "{encoding:?}");
            }
            // Within a character, its start; past the end of the line, the end.
            assert_eq!(encoding.position(&text, 11), at(1, columns[3]));
            assert_eq!(encoding.offset(&text, at(1, 99)), 14);
            assert_eq!(encoding.offset(&text, at(0, 99)), 1);
            assert_eq!(encoding.offset(&text, at(2, 1)), 16);
            assert_eq!(encoding.offset(&text, at(3, 5)), 17);
            assert_eq!(encoding.offset(&text, at(4, 99)), text.len_bytes());
            assert_eq!(encoding.offset(&text, at(9, 0)), text.len_bytes());
            assert_eq!(encoding.position(&text, 99), encoding.position(&text, 22));
        }
        assert_eq!(Encoding::Utf16.offset(&text, at(1, 4)), 9);
        assert_eq!(Encoding::Utf8.offset(&text, at(1, 4)), 6);
        let ends: Vec<_> = (0..5).map(|line| line_end(&text, line)).collect();
        assert_eq!(ends, ["\r\n", "\r", "\n", "\n", ""]);
        assert_eq!(line_span(&text, 1), 3..14);
        assert_eq!(line_span(&text, 9), 22..22);
    }

    #[test]
    fn the_first_known_encoding_of_the_client_counts() {
        let of = |names: &[&str]| Encoding::of_client(names.iter().copied());
        assert_eq!(of(&["utf-7", "utf-32", "utf-8"]), Encoding::Utf32);
        assert_eq!(of(&[]), Encoding::Utf16);
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn positions_round_trip(text in "[a\t\r\n\u{e9}\u{1f916}]{0,20}") {
            let rope = Rope::from_str(&text);
            for encoding in ALL {
                for (offset, _) in text.char_indices() {
                    // Between CR and LF there is no position of its own.
                    if text[..offset].ends_with('\r') && text[offset..].starts_with('\n') {
                        continue;
                    }
                    let position = encoding.position(&rope, offset);
                    prop_assert_eq!(encoding.offset(&rope, position), offset);
                }
            }
        }
    }
}
