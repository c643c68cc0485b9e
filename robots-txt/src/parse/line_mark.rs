//! Line marks: where the lines that may have a meaning begin in a body, and of which kind each is.
//!
//! The parser scans a body once and stores a mark of 32 bits for each such line. Later reading visits
//! the marks, not the body. Comments have no mark; of successive blank lines, only the first has one.
//!
//! A mark has the kind of its line and the distance from the previous mark, in lines and bytes. A
//! distance that does not fit is stored in extra words before the mark. A regular line has an exactly
//! spelt field and a colon, and at most [`LONG_LINE`] bytes. Its mark has the field and the offset of
//! the value: the line is read again only if its value is needed. The mark of an irregular line has
//! the offset of the line, which is read again each time.
//!
//! Scanning is linear in the bytes of the body.

use crate::limits::LONG_LINE;
use crate::parse::field::{Field, Spelling};
use crate::parse::text::{is_space, trim};
use memchr::{memchr, memchr2};
use smallvec::SmallVec;

/// The number of fields. The kinds 0 to 17 are regular lines with these fields.
const FIELD_COUNT: usize = 18;
/// The kind of a blank line.
const BLANK: u32 = 18;
/// The kind of an irregular line.
const IRREGULAR: u32 = BLANK + 1;
/// The kind of an extra word: a distance in lines.
const SKIP_LINES: u32 = BLANK + 2;
/// The kind of an extra word: a distance in bytes.
const SKIP_BYTES: u32 = BLANK + 3;

// The layout of a word, from its lowest bit: the kind, then the distance. In a mark, the distance is
// first that in lines, then that in bytes; an extra word has only one of the two.
const KIND_BITS: u32 = 5;
const LINE_BITS: u32 = 7;
/// The greatest distance in lines of a mark.
const MAX_LINES: usize = (1 << LINE_BITS) - 1;
/// The greatest distance in bytes of a mark.
const MAX_BYTES: usize = (1 << (32 - KIND_BITS - LINE_BITS)) - 1;
/// The greatest distance of an extra word.
const MAX_SKIP: usize = (1 << (32 - KIND_BITS)) - 1;

/// Every field, at the index of its number.
const FIELDS: [Field; FIELD_COUNT] = [
    Field::UserAgent,
    Field::Allow,
    Field::Disallow,
    Field::Sitemap,
    Field::CrawlDelay,
    Field::RequestRate,
    Field::VisitTime,
    Field::Host,
    Field::CleanParam,
    Field::Noindex,
    Field::ContentUsage,
    Field::ContentSignal,
    Field::License,
    Field::DisallowAiTraining,
    Field::AllowAiTraining,
    Field::Comment,
    Field::RobotVersion,
    Field::Other,
];

const _: () = assert!(BLANK as usize == FIELD_COUNT && SKIP_BYTES < 1 << KIND_BITS);

/// The marks of a file; up to 64 are kept inline, enough for most files.
pub(crate) type Words = SmallVec<[u32; 64]>;

/// The result of a scan.
pub(crate) struct Scan {
    pub(crate) marks: Words,
    /// True if a CR without LF ends a line: a reader that accepts only LF then sees other lines.
    pub(crate) has_bare_cr: bool,
}

/// Marks every line that is neither a comment nor a blank line after another.
pub(crate) fn scan(body: &[u8]) -> Scan {
    let mut marker = Marker {
        // A line has 34 bytes on average in real files. A word for each 24 bytes leaves a reserve.
        marks: Words::with_capacity(body.len() / 24),
        number: 0,
        at: 0,
    };
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
                marker.push(field as u32, number, offset + value);
                after_blank = false;
            }
            ScannedLine::Irregular => {
                marker.push(IRREGULAR, number, offset);
                after_blank = false;
            }
            ScannedLine::Blank => {
                if !after_blank {
                    marker.push(BLANK, number, offset);
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
    Scan {
        marks: marker.marks,
        has_bare_cr,
    }
}

/// The number of words of eight bytes that [`line_length`] searches one by one, before `memchr2`
/// searches the rest. Most lines end within these words, where starting `memchr2` would cost more.
const NEAR_WORDS: usize = 8;

/// Returns the length of the first line: up to a CR or LF, or all bytes.
#[inline]
fn line_length(text: &[u8]) -> usize {
    const EACH: u64 = u64::from_le_bytes([1; 8]);
    const HIGH_BITS: u64 = EACH << 7;
    // LF and CR are less than this bound; few other bytes of real files are.
    const AFTER_CR: u64 = EACH * (b'\r' as u64 + 1);
    let (words, _) = text.as_chunks::<8>();
    let mut at = 0_usize;
    for word in words.iter().take(NEAR_WORDS) {
        let word = u64::from_le_bytes(*word);
        // Has the high bit of each byte that is less than the bound. A borrow may set the high bit of
        // bytes after the first of these too: only the first is used.
        let below = word.wrapping_sub(AFTER_CR) & !word & HIGH_BITS;
        if below != 0 {
            at += below.trailing_zeros() as usize / 8;
            if matches!(text.get(at), Some(b'\n' | b'\r')) {
                return at;
            }
            // Another byte below the bound, such as a tab: `memchr2` searches the rest.
            break;
        }
        at += 8;
    }
    let rest = text.get(at..).unwrap_or_default();
    let length = memchr2(b'\n', b'\r', rest).unwrap_or(rest.len());
    at + length
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

/// A writer of marks. `number` and `at` are the line and the offset of the last mark.
struct Marker {
    marks: Words,
    number: usize,
    at: usize,
}

impl Marker {
    #[inline]
    fn push(&mut self, kind: u32, number: usize, at: usize) {
        let mut lines = number - self.number;
        let mut bytes = at - self.at;
        if lines > MAX_LINES || bytes > MAX_BYTES {
            (lines, bytes) = self.push_long_distances(lines, bytes);
        }
        let packed_distance = bytes << LINE_BITS | lines;
        self.marks.push(word(kind, packed_distance));
        self.number = number;
        self.at = at;
    }

    /// Pushes extra words for the distances that do not fit into a mark, and returns the distances that
    /// the mark itself still needs.
    #[cold]
    fn push_long_distances(&mut self, mut lines: usize, mut bytes: usize) -> (usize, usize) {
        if lines > MAX_LINES {
            self.push_long_distance(SKIP_LINES, lines);
            lines = 0;
        }
        if bytes > MAX_BYTES {
            self.push_long_distance(SKIP_BYTES, bytes);
            bytes = 0;
        }
        (lines, bytes)
    }

    fn push_long_distance(&mut self, kind: u32, mut distance: usize) {
        while distance > 0 {
            let part = distance.min(MAX_SKIP);
            self.marks.push(word(kind, part));
            distance -= part;
        }
    }
}

/// Returns a word of this kind; `distance` has at most 27 bits.
fn word(kind: u32, distance: usize) -> u32 {
    u32::try_from(distance).unwrap_or_default() << KIND_BITS | kind
}

/// An iterator over the marks of a body.
#[derive(Debug, Clone)]
pub(crate) struct LineMarks<'a> {
    words: std::slice::Iter<'a, u32>,
    number: u32,
    at: u32,
}

/// The content of a mark.
#[derive(Debug, Clone, Copy)]
pub(crate) struct LineMark {
    pub(crate) kind: LineMarkKind,
    /// The number of the line, from 1.
    pub(crate) number: u32,
    /// An offset in the body: where the value or the line begins, by the kind.
    pub(crate) at: u32,
}

#[derive(Debug, Clone, Copy)]
pub(crate) enum LineMarkKind {
    /// A blank line, which begins at the offset.
    Blank,
    /// A directive whose value begins at the offset.
    Regular(Field),
    /// A line that must be read, which begins at the offset.
    Irregular,
}

impl<'a> LineMarks<'a> {
    pub(crate) fn new(words: &'a [u32]) -> Self {
        Self {
            words: words.iter(),
            number: 0,
            at: 0,
        }
    }
}

impl Iterator for LineMarks<'_> {
    type Item = LineMark;

    #[inline]
    fn next(&mut self) -> Option<LineMark> {
        loop {
            let word = *self.words.next()?;
            let kind = word & ((1 << KIND_BITS) - 1);
            let distance = word >> KIND_BITS;
            let (lines, bytes) = match kind {
                SKIP_LINES => (distance, 0),
                SKIP_BYTES => (0, distance),
                _ => (distance & !(u32::MAX << LINE_BITS), distance >> LINE_BITS),
            };
            self.number += lines;
            self.at += bytes;
            let kind = match (kind, FIELDS.get(kind as usize)) {
                (_, Some(&field)) => LineMarkKind::Regular(field),
                (BLANK, None) => LineMarkKind::Blank,
                (IRREGULAR, None) => LineMarkKind::Irregular,
                _ => continue,
            };
            return Some(LineMark {
                kind,
                number: self.number,
                at: self.at,
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_field_has_its_number() {
        for (number, field) in FIELDS.iter().enumerate() {
            assert_eq!(*field as usize, number);
        }
    }

    #[test]
    fn a_line_ends_at_its_first_line_end() {
        for length in 0..3 * 8 * NEAR_WORDS {
            for end in ["\n", "\r", "\r\n", "\n\r", ""] {
                let text = format!("{}{end}{}", "x".repeat(length), "y\n\ryyyyyyy".repeat(2));
                let text = if end.is_empty() {
                    &text[..length]
                } else {
                    &text
                };
                assert_eq!(line_length(text.as_bytes()), length, "{text:?}");
                // Other bytes less than CR do not end a line.
                let other: Vec<u8> = text
                    .bytes()
                    .map(|byte| match byte {
                        b'x' => b'\t',
                        byte => byte,
                    })
                    .collect();
                assert_eq!(line_length(&other), length, "{text:?}");
            }
        }
    }

    #[test]
    fn a_hyphen_is_not_a_line_end() {
        let fields = |body: &[u8]| {
            let marks = scan(body).marks;
            let kinds = LineMarks::new(&marks).map(|mark| mark.kind);
            kinds
                .filter(|kind| matches!(kind, LineMarkKind::Regular(Field::UserAgent)))
                .count()
        };
        assert_eq!(fields(b"User-agent: a"), 1);
        assert_eq!(fields(b"User\ragent: a"), 0);
        assert_eq!(fields(b"USER-AGENT:a"), 1);
    }

    #[test]
    fn distances_of_any_size_are_stored() {
        let found = |body: &[u8]| {
            let marks = scan(body).marks;
            let last = LineMarks::new(&marks).last().unwrap();
            (last.number as usize, last.at as usize)
        };
        for lines in [MAX_LINES - 1, MAX_LINES, MAX_LINES + 1, 3 * MAX_LINES] {
            let body = [&b"#\n".repeat(lines)[..], b"Allow: /a"].concat();
            assert_eq!(found(&body), (lines + 1, 2 * lines + 7));
        }
        // The value of the second line is at `bytes + 8`.
        for bytes in [MAX_BYTES - 9, MAX_BYTES - 8, MAX_BYTES - 7, 2 * MAX_BYTES] {
            let body = [&vec![b'#'; bytes][..], b"\nAllow: /a"].concat();
            assert_eq!(found(&body), (2, bytes + 8));
        }
        let lines = MAX_SKIP + 1;
        let body = [&b"\n".repeat(lines)[..], b"Allow: /a"].concat();
        assert_eq!(found(&body), (lines + 1, lines + 7));
    }
}
