//! Line marks: where the lines that may have a meaning begin in a body, and of which kind each is.
//!
//! The parser scans a body once and stores a mark for each such line. Later reading visits
//! the marks, not the body. Comments have no mark; of successive blank lines, only the first has one.
//!
//! A regular line has an exactly spelt field and a colon, and at most [`LONG_LINE`] bytes. Its mark has the field and the
//! offset of the value: the line is read again only if its value is needed. The mark of an irregular line has
//! the offset of the line, which is read again each time.
//!
//! Scanning is linear in the bytes of the body.

use crate::limits::{LONG_LINE, MAX_BODY};
use crate::parse::field::{Field, Spelling};
use crate::parse::text::{is_space, trim};
use memchr::{memchr, memchr2};
use smallvec::SmallVec;

/// The mark of a line, in eight bytes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct LineMark {
    /// The kind in [`KIND_BITS`], and the number of the line, from 1.
    kind_and_number: u32,
    /// An offset in the body: where the value or the line begins, by the kind.
    pub(crate) at: u32,
}

/// The lowest bits of a mark, which have the kind: the number of a field in [`Field::ALL`] for a regular line, or one of the
/// next two.
const KIND_BITS: u32 = 5;
/// The kind of a blank line.
const BLANK: u32 = Field::Other as u32 + 1;
/// The kind of an irregular line.
const IRREGULAR: u32 = BLANK + 1;

// A body has at most one line more than bytes.
const _: () = assert!(IRREGULAR < 1 << KIND_BITS && MAX_BODY < (u32::MAX >> KIND_BITS) as usize);

#[derive(Debug, Clone, Copy)]
pub(crate) enum LineMarkKind {
    /// A blank line, which begins at the offset.
    Blank,
    /// A directive whose value begins at the offset.
    Regular(Field),
    /// A line that must be read, which begins at the offset.
    Irregular,
}

impl LineMark {
    #[inline]
    #[expect(
        clippy::cast_possible_truncation,
        reason = "numbers and offsets of lines are at most `MAX_BODY` and one"
    )]
    fn new(kind: u32, number: usize, at: usize) -> Self {
        Self {
            kind_and_number: (number as u32) << KIND_BITS | kind,
            at: at as u32,
        }
    }

    /// Returns the number of the line, from 1.
    pub(crate) fn number(self) -> u32 {
        self.kind_and_number >> KIND_BITS
    }

    #[inline]
    pub(crate) fn kind(self) -> LineMarkKind {
        let kind = self.kind_and_number & !(u32::MAX << KIND_BITS);
        match Field::ALL.get(kind as usize) {
            Some(&field) => LineMarkKind::Regular(field),
            None if kind == BLANK => LineMarkKind::Blank,
            None => LineMarkKind::Irregular,
        }
    }
}

/// The marks of a file; up to 32 are kept inline, enough for most files.
pub(crate) type Marks = SmallVec<[LineMark; 32]>;

/// The result of a scan.
pub(crate) struct Scan {
    pub(crate) marks: Marks,
    /// True if a CR without LF ends a line: a reader that accepts only LF then sees other lines.
    pub(crate) has_bare_cr: bool,
}

/// Marks every line that is neither a comment nor a blank line after another.
pub(crate) fn scan(body: &[u8]) -> Scan {
    // A line has 34 bytes on average in real files. A mark for each 24 bytes leaves a reserve.
    let mut marks = Marks::with_capacity(body.len() / 24);
    // A NUL ends a line in some dialects: each line of such a file is irregular.
    let has_nul = memchr(0, body).is_some();
    let mut has_bare_cr = false;
    let mut after_blank = false;
    let mut rest = body;
    let mut number = 0_usize;
    loop {
        number += 1;
        let offset = body.len() - rest.len();
        let (length, class) = match plain_start(rest) {
            Some((field, value)) if !has_nul => {
                let length = value + line_length(rest.get(value..).unwrap_or_default());
                let class = if length > LONG_LINE {
                    ScannedLine::Irregular
                } else {
                    ScannedLine::Regular(field, value)
                };
                (length, class)
            }
            _ => {
                let length = line_length(rest);
                let line = rest.get(..length).unwrap_or_default();
                let class = if has_nul {
                    ScannedLine::Irregular
                } else {
                    classify(line, number)
                };
                (length, class)
            }
        };
        match class {
            ScannedLine::Regular(field, value) => {
                marks.push(LineMark::new(field as u32, number, offset + value));
                after_blank = false;
            }
            ScannedLine::Irregular => {
                marks.push(LineMark::new(IRREGULAR, number, offset));
                after_blank = false;
            }
            ScannedLine::Blank => {
                if !after_blank {
                    marks.push(LineMark::new(BLANK, number, offset));
                }
                after_blank = true;
            }
            ScannedLine::Comment => {}
        }
        rest = match rest.get(length..).unwrap_or_default() {
            [] => break,
            [b'\n', next @ ..] | [b'\r', b'\n', next @ ..] => next,
            [_, next @ ..] => {
                has_bare_cr = true;
                next
            }
        };
    }
    Scan { marks, has_bare_cr }
}

/// Returns the length of the first line: up to a CR or LF, or all bytes.
#[inline]
fn line_length(text: &[u8]) -> usize {
    const EACH: u64 = u64::from_le_bytes([1; 8]);
    const HIGH_BITS: u64 = EACH << 7;
    // LF and CR are less than this bound; few other bytes of real files are.
    const AFTER_CR: u64 = EACH * (b'\r' as u64 + 1);
    // Most lines are so short that starting `memchr2` would cost more than this search in words of eight bytes.
    let (words, _) = text.as_chunks::<8>();
    let mut at = 0;
    for word in words {
        let word = u64::from_le_bytes(*word);
        // Has the high bit of each byte that is less than the bound. A borrow may set the high bit of
        // bytes after the first of these too: only the first is used.
        let below = word.wrapping_sub(AFTER_CR) & !word & HIGH_BITS;
        if below != 0 {
            at += below.trailing_zeros() as usize / 8;
            break;
        }
        at += 8;
    }
    // Nearly always, `rest` begins with the line end. It may begin with another byte below the bound, such as a tab.
    let rest = text.get(at..).unwrap_or_default();
    match rest {
        [b'\n' | b'\r', ..] => at,
        _ => at + memchr2(b'\n', b'\r', rest).unwrap_or(rest.len()),
    }
}

/// The class of a line, which the scan derives from its start.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ScannedLine {
    Blank,
    Comment,
    /// An exactly spelt field, known or unknown, with a colon; and the offset of the value in the
    /// line.
    Regular(Field, usize),
    Irregular,
}

/// Returns the class of a line with this number in the body.
#[inline]
fn classify(line: &[u8], number: usize) -> ScannedLine {
    let start = leading_spaces(line);
    let text = line.get(start..).unwrap_or_default();
    let name = match text {
        [] => return ScannedLine::Blank,
        [b'#', ..] => return ScannedLine::Comment,
        // The first line may begin with a byte order mark.
        [0xEF, ..] if number == 1 => return ScannedLine::Irregular,
        _ if line.len() > LONG_LINE => return ScannedLine::Irregular,
        _ => frequent_name(text),
    };
    let (field, value) = match name {
        Some((field, length)) => {
            let rest = text.get(length..).unwrap_or_default();
            let spaces = leading_spaces(rest);
            match rest.get(spaces) {
                Some(b':') => (field, length + spaces + 1),
                _ => return any_name(text, start),
            }
        }
        None => return any_name(text, start),
    };
    regular(field, text, start, value)
}

/// Returns the field of the line that `text` begins with, and the offset of its value. `None` unless the
/// line is written as most are: a frequent name, a colon, at most one space, a value.
#[inline]
fn plain_start(text: &[u8]) -> Option<(Field, usize)> {
    let (field, length) = frequent_name(text)?;
    match text.get(length..)? {
        [b':', b' ', value, ..] if !is_space(*value) => Some((field, length + 2)),
        [b':', value, ..] if !is_space(*value) => Some((field, length + 1)),
        _ => None,
    }
}

/// Returns the class of a line that begins with `start` bytes of white space and then `text`. White space
/// may be at `value` in `text`; the value begins after it.
fn regular(field: Field, text: &[u8], start: usize, value: usize) -> ScannedLine {
    let spaces = leading_spaces(text.get(value..).unwrap_or_default());
    ScannedLine::Regular(field, start + value + spaces)
}

/// Returns the frequent field whose name the text begins with, and the length of the name.
#[inline]
fn frequent_name(text: &[u8]) -> Option<(Field, usize)> {
    // Setting this bit makes letters lower-case, and makes no other byte a letter. A CR would
    // become the hyphen of `user-agent`.
    const SMALL: u64 = 0x2020_2020_2020_2020;
    const DISALLOW: u64 = u64::from_le_bytes(*b"disallow");
    const USER_AGE: u64 = u64::from_le_bytes(*b"user-age");
    let start = u64::from_le_bytes(*text.first_chunk()?) | SMALL;
    if start == DISALLOW {
        return Some((Field::Disallow, 8));
    }
    if start.to_le_bytes().starts_with(b"allow") {
        return Some((Field::Allow, 5));
    }
    let is_hyphen = || text.get(4) == Some(&b'-');
    if start == USER_AGE && is_hyphen() && text.get(8..10)?.eq_ignore_ascii_case(b"nt") {
        return Some((Field::UserAgent, 10));
    }
    if start.to_le_bytes().starts_with(b"sitemap") {
        return Some((Field::Sitemap, 7));
    }
    None
}

/// Returns the class of a line that does not begin with a frequent name and a colon: `text` after
/// `start` bytes of white space.
fn any_name(text: &[u8], start: usize) -> ScannedLine {
    let Some(colon) = memchr(b':', text) else {
        return ScannedLine::Irregular;
    };
    // After a `#`, the colon is in a comment.
    let key = trim(text.get(..colon).unwrap_or_default());
    if key.is_empty() || key.contains(&b'#') {
        return ScannedLine::Irregular;
    }
    match Field::from_name(key) {
        (field, Spelling::Exact) => regular(field, text, start, colon + 1),
        _ => ScannedLine::Irregular,
    }
}

/// Returns the number of bytes before the first that is not white space: rarely more than one.
#[inline]
fn leading_spaces(text: &[u8]) -> usize {
    match text {
        [first, ..] if !is_space(*first) => 0,
        [_, second, ..] if !is_space(*second) => 1,
        _ => text.iter().take_while(|&&byte| is_space(byte)).count(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_field_has_its_number() {
        for (number, field) in Field::ALL.iter().enumerate() {
            assert_eq!(*field as usize, number);
        }
    }

    #[test]
    fn a_line_ends_at_its_first_line_end() {
        for length in 0..30 {
            for end in ["\n", "\r", "\r\n", "\n\r", ""] {
                let after = if end.is_empty() { "" } else { "y\n\ryyyyyyy" };
                // A tab is less than CR, but does not end a line.
                for byte in ["x", "\t"] {
                    let text = format!("{}{end}{after}", byte.repeat(length));
                    assert_eq!(line_length(text.as_bytes()), length, "{text:?}");
                }
            }
        }
    }

    #[test]
    fn a_hyphen_is_not_a_line_end() {
        let fields = |body: &[u8]| {
            let marks = scan(body).marks;
            let kinds = marks.iter().map(|mark| mark.kind());
            kinds
                .filter(|kind| matches!(kind, LineMarkKind::Regular(Field::UserAgent)))
                .count()
        };
        assert_eq!(fields(b"User-agent: a"), 1);
        assert_eq!(fields(b"User\ragent: a"), 0);
        assert_eq!(fields(b"USER-AGENT:a"), 1);
    }
}
