//! One line: its field, its value, and facts about how it is written.
//!
//! Reading a line is neutral: it judges nothing and loses nothing. Irregularities on which standards
//! differ (a missing colon, a misspelt field, a byte order mark) are kept as facts. A
//! [`Dialect`](crate::Dialect) judges them later.
//!
//! Reading is linear in the bytes of the line; nothing is copied.

use crate::limits::LONG_LINE;
use crate::parse::field::{Field, Spelling};
use crate::parse::text::{byte_order_mark, is_space, trim};
use bitflags::bitflags;
use memchr::{memchr, memchr2};
use std::ops::Range;

bitflags! {
    /// Facts about how a line is written, where a dialect or a linter needs them.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
    pub struct LineFacts: u8 {
        /// The line has a comment (`#`).
        const COMMENT = 1;
        /// Field and value are separated by white space where a colon belongs.
        const NO_COLON = 1 << 1;
        /// The line is longer than [`LONG_LINE`] bytes.
        const LONG = 1 << 2;
        /// The line has a NUL byte.
        const NUL = 1 << 3;
        /// The line is the first one and begins with a byte order mark.
        const BYTE_ORDER_MARK = 1 << 4;
        /// The line is the first one and begins with one or two bytes of a byte order mark.
        const PARTIAL_BYTE_ORDER_MARK = 1 << 5;
    }
}

/// The kind of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum LineKind {
    /// Nothing but white space.
    Blank,
    /// Nothing but a comment.
    Comment,
    /// A field and a value (which may be empty).
    Directive,
    /// Something else: no separator, or nothing before it.
    Junk,
}

/// One line with its parts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Line<'a> {
    number: usize,
    offset: usize,
    bytes: &'a [u8],
    /// The text without a byte order mark, a comment, and white space around it.
    content: &'a [u8],
    kind: LineKind,
    field: Field,
    spelling: Spelling,
    key: &'a [u8],
    value: &'a [u8],
    facts: LineFacts,
}

impl<'a> Line<'a> {
    /// Cuts one line, given without its line end, into its parts.
    ///
    /// `number` is 1-based; `offset` is that of the line's first byte in the body.
    pub(crate) fn read(number: usize, offset: usize, bytes: &'a [u8]) -> Self {
        let mut line = Self {
            number,
            offset,
            bytes,
            content: &[],
            kind: LineKind::Blank,
            field: Field::Other,
            spelling: Spelling::Exact,
            key: &[],
            value: &[],
            facts: LineFacts::empty(),
        };
        line.facts.set(LineFacts::LONG, bytes.len() > LONG_LINE);
        line.facts.set(LineFacts::NUL, memchr(0, bytes).is_some());
        let mut text = bytes;
        if number == 1 {
            let mark_length = byte_order_mark(bytes);
            text = bytes.get(mark_length..).unwrap_or_default();
            let fact = match mark_length {
                0 => LineFacts::empty(),
                3 => LineFacts::BYTE_ORDER_MARK,
                _ => LineFacts::PARTIAL_BYTE_ORDER_MARK,
            };
            line.facts.insert(fact);
        }
        line.cut(text);
        line
    }

    /// Finds field and value in `text`: the line, or the part of it that a dialect reads.
    ///
    /// The order is that of google/robotstxt (docs/semantics.md, section 2.2). It agrees with the ABNF
    /// of RFC 9309, 2.2, on every line that the ABNF derives.
    fn cut(&mut self, text: &'a [u8]) {
        // 1. A comment begins at the first `#`.
        let content = match memchr(b'#', text) {
            Some(at) => {
                self.facts.insert(LineFacts::COMMENT);
                text.get(..at).unwrap_or_default()
            }
            None => text,
        };
        // 2. White space around the line has no meaning.
        let content = trim(content);
        self.content = content;
        if content.is_empty() {
            self.kind = if self.facts.contains(LineFacts::COMMENT) {
                LineKind::Comment
            } else {
                LineKind::Blank
            };
            return;
        }
        // 3. The field ends at the first colon; without one, at the white space between exactly
        //    two words.
        let separator = match memchr(b':', content) {
            Some(at) => Some(at),
            None => match memchr2(b' ', b'\t', content) {
                Some(at) if !has_inner_space(content.get(at..).unwrap_or_default()) => {
                    self.facts.insert(LineFacts::NO_COLON);
                    Some(at)
                }
                _ => None,
            },
        };
        let Some((key, value)) = separator.and_then(|at| content.split_at_checked(at)) else {
            self.kind = LineKind::Junk;
            return;
        };
        self.key = trim(key);
        if self.key.is_empty() {
            self.kind = LineKind::Junk;
            return;
        }
        self.value = trim(value.get(1..).unwrap_or_default());
        self.kind = LineKind::Directive;
        (self.field, self.spelling) = Field::from_name(self.key);
    }

    /// Returns the same line as a dialect reads it that skips the first `skip` bytes (a byte order
    /// mark) and ignores what follows the next `limit` bytes. The facts about the whole line stay.
    pub(crate) fn narrowed(self, skip: usize, limit: usize) -> Self {
        let text = self.bytes.get(skip..).unwrap_or_default();
        let text = text.get(..limit).unwrap_or(text);
        let mut line = Self {
            kind: LineKind::Blank,
            field: Field::Other,
            spelling: Spelling::Exact,
            key: &[],
            value: &[],
            facts: self
                .facts
                .difference(LineFacts::COMMENT | LineFacts::NO_COLON),
            ..self
        };
        line.cut(text);
        line
    }

    /// Returns the number of the line in the body, from 1.
    pub fn number(&self) -> usize {
        self.number
    }

    /// Returns the offset in bytes of the line's first byte in the body.
    pub fn offset(&self) -> usize {
        self.offset
    }

    /// Returns the whole line, without its line end.
    pub fn bytes(&self) -> &'a [u8] {
        self.bytes
    }

    /// Returns the kind of the line.
    pub fn kind(&self) -> LineKind {
        self.kind
    }

    /// Returns the same line, read as a dialect reads its field.
    pub(crate) fn with_field(self, field: Field) -> Self {
        Self { field, ..self }
    }

    /// Returns the same line as a dialect reads its field. `field_of` returns the field of a name, or
    /// [`Field::Other`] if the dialect does not accept the name. If `by_words`, white space after an accepted name of
    /// one or two words separates too ([`Separator::ColonOrWords`](crate::dialect::Separator::ColonOrWords)).
    pub(crate) fn with_field_read_again(
        self,
        field_of: impl Fn(&[u8]) -> Field,
        by_words: bool,
    ) -> Self {
        if !by_words || self.content.is_empty() {
            let (field, spelling) = (field_of(self.key), Spelling::Exact);
            return Self {
                field,
                spelling,
                ..self
            };
        }
        // 1. A colon separates after an accepted name, and after any name if white space or nothing follows it.
        let colon = memchr(b':', self.content).and_then(|at| {
            let (name, rest) = self.content.split_at_checked(at)?;
            Some((trim(name), rest.get(1..)?))
        });
        let by_colon = colon.map(|(name, value)| (field_of(name), name, value));
        let is_separator = by_colon.is_some_and(|(field, _, value)| {
            field != Field::Other || value.first().is_none_or(|byte| is_space(*byte))
        });
        // 2. Otherwise white space does, after an accepted name.
        let by_space = || {
            let (first, rest) = first_word(self.content);
            let (second, after_second) = first_word(trim(rest));
            let two_words = [first, b" ", second].concat();
            let length = self.content.len() - after_second.len();
            [
                (field_of(first), first, rest),
                (
                    field_of(&two_words),
                    self.content.get(..length).unwrap_or_default(),
                    after_second,
                ),
            ]
            .into_iter()
            .find(|(field, ..)| *field != Field::Other)
        };
        let words = if is_separator { None } else { by_space() };
        let Some((field, key, value)) = words.or(by_colon).filter(|(_, key, _)| !key.is_empty())
        else {
            return self.without_field();
        };
        let mut facts = self.facts;
        facts.set(LineFacts::NO_COLON, words.is_some());
        Self {
            kind: LineKind::Directive,
            field,
            spelling: Spelling::Exact,
            key,
            value: trim(value),
            facts,
            ..self
        }
    }

    /// Returns the same line as junk: it is not a directive under the dialect.
    pub(crate) fn without_field(self) -> Self {
        Self {
            kind: LineKind::Junk,
            field: Field::Other,
            key: &[],
            value: &[],
            ..self
        }
    }

    /// Returns the field of the line's name, misspelt or not; [`Field::Other`] if the line is
    /// not a directive.
    pub fn field(&self) -> Field {
        self.field
    }

    /// Returns the spelling of the field's name.
    pub fn spelling(&self) -> Spelling {
        self.spelling
    }

    /// Returns the field's name as written, without white space around it.
    pub fn key(&self) -> &'a [u8] {
        self.key
    }

    /// Returns the value as written, without comment and without white space around it.
    pub fn value(&self) -> &'a [u8] {
        self.value
    }

    /// Returns the facts about how the line is written.
    pub fn facts(&self) -> LineFacts {
        self.facts
    }

    /// Returns the line without white space at both ends ([`trim`]).
    pub fn trimmed(&self) -> &'a [u8] {
        trim(self.bytes)
    }

    /// Returns the range in bytes of the line in the body, without its line end.
    pub fn span(&self) -> Range<usize> {
        self.offset..self.offset + self.bytes.len()
    }

    /// Returns the range in bytes of [`key`](Self::key) in the body.
    pub fn key_span(&self) -> Range<usize> {
        self.span_of(self.key)
    }

    /// Returns the range in bytes of [`value`](Self::value) in the body.
    pub fn value_span(&self) -> Range<usize> {
        self.span_of(self.value)
    }

    /// Returns the range in bytes, in the body, of a part of this line: a slice of
    /// [`bytes`](Self::bytes), such as a word of the value. The empty range at the start of the
    /// line if `part` is not a slice of it.
    pub fn span_of(&self, part: &[u8]) -> Range<usize> {
        let at = part
            .as_ptr()
            .addr()
            .checked_sub(self.bytes.as_ptr().addr())
            .filter(|at| at + part.len() <= self.bytes.len());
        match at {
            Some(at) => {
                let start = self.offset + at;
                start..start + part.len()
            }
            None => self.offset..self.offset,
        }
    }
}

/// Returns the text before the first white space, and the rest.
fn first_word(text: &[u8]) -> (&[u8], &[u8]) {
    let end = text.iter().position(|byte| is_space(*byte));
    text.split_at_checked(end.unwrap_or(text.len()))
        .unwrap_or((text, &[]))
}

/// Returns whether `text` has spaces or tabs other than those that it begins with.
fn has_inner_space(text: &[u8]) -> bool {
    let word = text
        .iter()
        .position(|&byte| byte != b' ' && byte != b'\t')
        .and_then(|at| text.get(at..))
        .unwrap_or_default();
    memchr2(b' ', b'\t', word).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_cut_at_colon_and_comment() {
        let line = Line::read(1, 0, b" \tDisAllow :\t /a:b # c # d");
        assert_eq!(line.kind(), LineKind::Directive);
        assert_eq!(line.field(), Field::Disallow);
        assert_eq!(line.spelling(), Spelling::Exact);
        assert_eq!(line.key(), b"DisAllow");
        assert_eq!(line.value(), b"/a:b");
        assert_eq!(line.facts(), LineFacts::COMMENT);
    }

    #[test]
    fn white_space_separates_exactly_two_words() {
        let line = Line::read(2, 0, b"Disallow \t /a");
        assert_eq!(line.value(), b"/a");
        assert!(line.facts().contains(LineFacts::NO_COLON));
        assert_eq!(Line::read(2, 0, b"Disallow /a /b").kind(), LineKind::Junk);
        assert_eq!(Line::read(2, 0, b"Disallow").kind(), LineKind::Junk);
        assert_eq!(Line::read(2, 0, b": /a").kind(), LineKind::Junk);
    }

    #[test]
    fn white_space_separates_after_an_accepted_name() {
        let read = |text: &'static str| {
            let line = Line::read(2, 0, text.as_bytes());
            let line = line.with_field_read_again(Field::from_name_or_typo, true);
            let value = str::from_utf8(line.value()).unwrap();
            (line.kind() == LineKind::Directive).then_some((line.field(), value))
        };
        for (text, expected) in [
            (
                "User  agent foo bar # c",
                Some((Field::UserAgent, "foo bar")),
            ),
            ("User agent: foo", Some((Field::UserAgent, "foo"))),
            (
                "Sitemap https://a.example/",
                Some((Field::Sitemap, "https://a.example/")),
            ),
            (
                "sitemaps:https://a.example/",
                Some((Field::Sitemap, "https://a.example/")),
            ),
            ("Disalow\t/a:b", Some((Field::Disallow, "/a:b"))),
            ("Disallow", Some((Field::Disallow, ""))),
            ("Disallow /a: b", Some((Field::Other, "b"))),
            ("Disallowed: /a", Some((Field::Other, "/a"))),
            ("x:y", Some((Field::Other, "y"))),
            ("x y", None),
            (":", None),
            ("", None),
        ] {
            assert_eq!(read(text), expected, "{text}");
        }
    }

    #[test]
    fn a_line_is_long_past_the_limit() {
        let at = vec![b'a'; LONG_LINE];
        assert!(!Line::read(2, 0, &at[1..]).facts().contains(LineFacts::LONG));
        assert!(!Line::read(2, 0, &at).facts().contains(LineFacts::LONG));
        let over = vec![b'a'; LONG_LINE + 1];
        assert!(Line::read(2, 0, &over).facts().contains(LineFacts::LONG));
    }
}
