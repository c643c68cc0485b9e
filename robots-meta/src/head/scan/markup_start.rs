//! The kind of markup that a `<` begins (HTML, 13.2.5.6, 13.2.5.7 and 13.2.5.42, read 2026-11-21).

use super::raw_text::LONGEST_END;
use super::skipped::Skipped;

/// The kind of markup that a `<` begins outside raw text elements.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum MarkupStart {
    StartTag,
    EndTag,
    /// Markup that is skipped, such as a comment; its content begins this number of bytes after the `<`.
    Skipped(usize, Skipped),
    /// `</>`, which the parser drops.
    Nothing,
    /// The `<` is text.
    Text,
    /// It depends on the next bytes.
    NeedMore,
}

const CDATA: &[u8] = b"<![CDATA[";
const COMMENT: &[u8] = b"<!--";

/// The length of `</>`.
pub(crate) const EMPTY_END_TAG_LENGTH: usize = 3;

impl MarkupStart {
    /// Returns the kind of markup at the start of some bytes, the first of which is `<`. CDATA
    /// sections are recognised only in foreign content (SVG, `MathML`).
    #[inline]
    pub(crate) fn of(bytes: &[u8], is_foreign: bool) -> Self {
        match *bytes {
            [_, b'/', byte, ..] if byte.is_ascii_alphabetic() => Self::EndTag,
            [_, b'/', b'>', ..] => Self::Nothing,
            [_, b'/', _, ..] => Self::Skipped(2, Skipped::Bogus),
            [_] | [_, b'/'] => Self::NeedMore,
            [_, byte, ..] if byte.is_ascii_alphabetic() => Self::StartTag,
            [_, b'!', ..] => Self::declaration(bytes, is_foreign),
            [_, b'?', ..] => Self::Skipped(1, Skipped::Bogus),
            _ => Self::Text,
        }
    }

    /// Returns the kind of markup that begins with `<!`. A doctype ends at the first `>` and does
    /// not matter to a HEAD.
    fn declaration(bytes: &[u8], is_foreign: bool) -> Self {
        if bytes.starts_with(COMMENT) {
            Self::Skipped(COMMENT.len(), Skipped::COMMENT)
        } else if is_foreign && bytes.starts_with(CDATA) {
            Self::Skipped(CDATA.len(), Skipped::CDATA)
        } else if COMMENT.starts_with(bytes) || is_foreign && CDATA.starts_with(bytes) {
            Self::NeedMore
        } else {
            Self::Skipped(2, Skipped::Bogus)
        }
    }
}

/// The first bytes of markup that is cut by the end of a chunk, until its kind is known.
///
/// An end tag of a raw text element needs the most bytes to be known: [`LONGEST_END`].
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Carry {
    bytes: [u8; LONGEST_END],
    length: usize,
    /// The offset of its `<` in the page.
    pub(crate) offset: usize,
}

const _: () = assert!(
    CDATA.len() <= LONGEST_END,
    "the start of CDATA fits into a carry"
);

impl Carry {
    pub(crate) fn new(bytes: &[u8], offset: usize) -> Self {
        let mut carry = Self {
            offset,
            ..Self::default()
        };
        for &byte in bytes {
            carry.push(byte);
        }
        carry
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.length == 0
    }

    pub(crate) fn bytes(&self) -> &[u8] {
        self.bytes.get(..self.length).unwrap_or_default()
    }

    /// Adds the next byte. A full carry ignores it; the scanner reads a full carry at once.
    pub(crate) fn push(&mut self, byte: u8) {
        if let Some(to) = self.bytes.get_mut(self.length) {
            *to = byte;
            self.length += 1;
        }
    }

    pub(crate) fn is_full(&self) -> bool {
        self.length == self.bytes.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn starts_of_markup() {
        let bogus = |at| MarkupStart::Skipped(at, Skipped::Bogus);
        for (text, expected) in [
            ("<a", MarkupStart::StartTag),
            ("</Z", MarkupStart::EndTag),
            ("</>", MarkupStart::Nothing),
            ("</ a", bogus(2)),
            ("</<", bogus(2)),
            ("<?xml", bogus(1)),
            ("<!doctype html>", bogus(2)),
            ("<!>", bogus(2)),
            ("<!-a", bogus(2)),
            ("<!--", MarkupStart::Skipped(4, Skipped::COMMENT)),
            ("<", MarkupStart::NeedMore),
            ("</", MarkupStart::NeedMore),
            ("<!", MarkupStart::NeedMore),
            ("<!-", MarkupStart::NeedMore),
            ("<<", MarkupStart::Text),
            ("< a", MarkupStart::Text),
            ("<1", MarkupStart::Text),
        ] {
            assert_eq!(MarkupStart::of(text.as_bytes(), false), expected, "{text}");
        }
        assert_eq!(MarkupStart::of(b"<![CDATA[", false), bogus(2));
        assert_eq!(MarkupStart::of(b"<![CDATA", true), MarkupStart::NeedMore);
        assert_eq!(MarkupStart::of(b"<![cdata[", true), bogus(2));
        assert_eq!(
            MarkupStart::of(b"<![CDATA[", true),
            MarkupStart::Skipped(9, Skipped::CDATA)
        );
    }
}
