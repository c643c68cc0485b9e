//! One rule in twelve bytes: the offset of its pattern, its comparison, and its line.

use crate::dialect::RuleOrder;
use crate::pattern::{Reading, Shape};
use crate::rules::RuleKind;
use smallvec::SmallVec;
use std::cmp::Ordering;
use std::sync::Arc;

/// The longest pattern that an entry can have, in bytes of its form. No rule of a file is longer: its
/// form is at most three times as long as its text, and a body has at most about a quarter of this number.
pub(crate) const MAX_FORM: usize = (1 << LENGTH_BITS) - 1;

const _: () = assert!(crate::limits::MAX_BODY * 3 < MAX_FORM, "every form fits");

/// The parts of [`Entry::bits`], from the lowest bit: the length of the form, the shape in two bits, and
/// four flags.
const LENGTH_BITS: u32 = 26;
const SHAPE_SHIFT: u32 = LENGTH_BITS;
/// A byte at the end of the form is not compared.
const TAIL: u32 = 1 << 28;
/// The field is `Allow`.
const IS_ALLOW: u32 = 1 << 29;
/// The rule allows: `Allow`, or an empty `Disallow`.
const ALLOWS: u32 = 1 << 30;
/// The form is in [`Texts::forms`], not in the body.
const IN_FORMS: u32 = 1 << 31;

/// A rule: the range of its form, how the form is compared, its effect and its line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Entry {
    /// The offset of the form in the body or in [`Texts::forms`].
    start: u32,
    /// The length of the form, its shape, and the flags above.
    bits: u32,
    /// The number of the line, from 1.
    line: u32,
}

/// The parts of a new entry.
pub(crate) struct NewEntry {
    /// The offset of the form.
    pub(crate) start: usize,
    /// The length of the form, in bytes.
    pub(crate) length: usize,
    /// True if the form is in [`Texts::forms`], false if it is in the body.
    pub(crate) in_forms: bool,
    pub(crate) reading: Reading,
    /// The field of the rule.
    pub(crate) kind: RuleKind,
    /// Whether the rule allows: `Allow`, or an empty `Disallow`.
    pub(crate) allows: bool,
    /// The number of the line, from 1.
    pub(crate) line: usize,
}

impl Entry {
    /// Returns the entry; `None` if a number does not fit.
    #[inline]
    pub(crate) fn new(new: &NewEntry) -> Option<Self> {
        if new.length > MAX_FORM {
            return None;
        }
        let shape = match new.reading.shape {
            Shape::Prefix => 0,
            Shape::Exact => 1,
            Shape::Glob => 2,
            Shape::Shell => 3,
        };
        let flag = |is: bool, bit: u32| if is { bit } else { 0 };
        Some(Self {
            start: u32::try_from(new.start).ok()?,
            bits: u32::try_from(new.length).ok()?
                | shape << SHAPE_SHIFT
                | flag(new.reading.tail > 0, TAIL)
                | flag(new.kind == RuleKind::Allow, IS_ALLOW)
                | flag(new.allows, ALLOWS)
                | flag(new.in_forms, IN_FORMS),
            line: u32::try_from(new.line).ok()?,
        })
    }

    pub(crate) fn line(self) -> usize {
        self.line as usize
    }

    /// Returns a key by which the entries of one line are in the order in which they were added.
    pub(crate) fn place(self) -> (bool, u32) {
        (self.bits & IN_FORMS != 0, self.start)
    }

    pub(crate) fn kind(self) -> RuleKind {
        if self.bits & IS_ALLOW == 0 {
            RuleKind::Disallow
        } else {
            RuleKind::Allow
        }
    }

    /// Returns whether it allows the paths that it matches.
    pub(crate) fn allows(self) -> bool {
        self.bits & ALLOWS != 0
    }

    /// Returns the length of the form in bytes: the weight of the rule.
    pub(crate) fn length(self) -> usize {
        (self.bits & ((1 << LENGTH_BITS) - 1)) as usize
    }

    pub(crate) fn is_prefix(self) -> bool {
        self.shape() == Shape::Prefix
    }

    fn shape(self) -> Shape {
        match (self.bits >> SHAPE_SHIFT) & 3 {
            0 => Shape::Prefix,
            1 => Shape::Exact,
            2 => Shape::Glob,
            _ => Shape::Shell,
        }
    }

    pub(crate) fn reading(self) -> Reading {
        Reading {
            shape: self.shape(),
            tail: u8::from(self.bits & TAIL != 0),
        }
    }

    /// Returns the length of the compared part of the form, in bytes.
    pub(crate) fn compared_length(self) -> usize {
        self.length() - usize::from(self.bits & TAIL != 0)
    }
}

/// An entry as it is stored: an [`Entry`] or a [`Narrow`] one.
pub(crate) trait Stored: Copy {
    fn entry(self) -> Entry;

    /// Returns true if the entry is a prefix pattern that cannot match a path with this start. If it returns
    /// false, the pattern and the path must be compared.
    fn is_excluded_by_start(self, texts: &Texts, path: Start) -> bool;
}

impl Stored for Entry {
    #[inline]
    fn entry(self) -> Entry {
        self
    }

    #[inline]
    fn is_excluded_by_start(self, texts: &Texts, path: Start) -> bool {
        let rest = texts.arena(self).get(self.start as usize..);
        self.is_prefix() && path.differs(rest, self.compared_length())
    }
}

/// An entry in eight bytes; nearly all entries fit. Its parts, from the highest bit: the complement of the length,
/// whether the field is `Disallow`, the line, the other flags with the shape, and the start.
///
/// In this order of the parts, sorting the numbers sorts the rules by rank under [`RuleOrder::Longest`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Narrow(u64);

// The numbers of bits of the parts.
const NARROW_LENGTH: u32 = 16;
const NARROW_LINE: u32 = 18;
const NARROW_START: u32 = 24;
/// The shape in two bits, then `TAIL`, `ALLOWS` and `IN_FORMS`.
const NARROW_FLAGS: u32 = 5;

// The lowest bit of each part. That of the start is 0.
const FLAGS_SHIFT: u32 = NARROW_START;
const LINE_SHIFT: u32 = FLAGS_SHIFT + NARROW_FLAGS;
const DISALLOW_SHIFT: u32 = LINE_SHIFT + NARROW_LINE;
const LENGTH_SHIFT: u32 = DISALLOW_SHIFT + 1;

const _: () = assert!(LENGTH_SHIFT + NARROW_LENGTH == u64::BITS);
// `Narrow` moves two runs of bits at once: the shape and `TAIL`, which are below `IS_ALLOW` in an entry, and `ALLOWS`
// and `IN_FORMS`, which are above it.
const _: () = assert!(TAIL == 4 << SHAPE_SHIFT && IS_ALLOW == 8 << SHAPE_SHIFT);
const _: () = assert!(ALLOWS == IS_ALLOW << 1 && IN_FORMS == IS_ALLOW << 2);
const ALLOWS_SHIFT: u32 = ALLOWS.trailing_zeros();

impl Narrow {
    /// Returns an entry as a narrow one; `None` if a number does not fit.
    #[inline]
    pub(crate) fn of(entry: Entry) -> Option<Self> {
        let length = u64::try_from(entry.length()).ok()?;
        let (start, line) = (u64::from(entry.start), u64::from(entry.line));
        let fits =
            start >> NARROW_START == 0 && line >> NARROW_LINE == 0 && length >> NARROW_LENGTH == 0;
        let is_disallow = u64::from(entry.bits & IS_ALLOW == 0);
        let flags = entry.bits >> ALLOWS_SHIFT << 3 | entry.bits >> SHAPE_SHIFT & 7;
        let word = !length << LENGTH_SHIFT
            | is_disallow << DISALLOW_SHIFT
            | line << LINE_SHIFT
            | u64::from(flags) << FLAGS_SHIFT
            | start;
        fits.then_some(Self(word))
    }

    /// Returns the part of `bits` bits whose lowest bit is `shift`.
    #[inline]
    #[expect(clippy::cast_possible_truncation, reason = "a part is at most 24 bits")]
    fn part(self, shift: u32, bits: u32) -> u32 {
        (self.0 >> shift & !(u64::MAX << bits)) as u32
    }

    #[inline]
    fn length(self) -> u32 {
        (!self.0 >> LENGTH_SHIFT) as u32
    }
}

impl Stored for Narrow {
    #[inline]
    fn entry(self) -> Entry {
        let flags = self.part(FLAGS_SHIFT, NARROW_FLAGS);
        let is_allow = self.part(DISALLOW_SHIFT, 1) ^ 1;
        Entry {
            start: self.part(0, NARROW_START),
            bits: self.length()
                | (flags & 7) << SHAPE_SHIFT
                | is_allow << (ALLOWS_SHIFT - 1)
                | flags >> 3 << ALLOWS_SHIFT,
            line: self.part(LINE_SHIFT, NARROW_LINE),
        }
    }

    #[inline]
    fn is_excluded_by_start(self, texts: &Texts, path: Start) -> bool {
        // The bits of `IN_FORMS`, `TAIL` and the shape. They are 0 for a prefix in the body without a tail, as
        // nearly all entries are.
        const IRREGULAR: u64 = 0b10111 << FLAGS_SHIFT;
        if self.0 & IRREGULAR != 0 {
            return self.entry().is_excluded_by_start(texts, path);
        }
        let start = self.part(0, NARROW_START);
        path.differs(texts.body.get(start as usize..), self.length() as usize)
    }
}

/// The entries of new rules, in file order. Up to 16 are on the stack: few files have more rules for a robot.
#[derive(Default)]
pub(crate) struct NewEntries {
    narrow: SmallVec<[Narrow; 16]>,
    /// All entries, once one of them is not narrow.
    wide: Vec<Entry>,
}

impl NewEntries {
    #[inline]
    pub(crate) fn push(&mut self, entry: Entry) {
        match Narrow::of(entry) {
            Some(narrow) if self.wide.is_empty() => self.narrow.push(narrow),
            _ => self.push_wide(entry),
        }
    }

    #[cold]
    fn push_wide(&mut self, entry: Entry) {
        self.wide.extend(self.narrow.drain(..).map(Stored::entry));
        self.wide.push(entry);
    }

    /// Returns the entries: sorted by rank if there are at most `few`, otherwise in file order.
    pub(crate) fn into_entries(mut self, few: usize, precedence: Precedence) -> Entries {
        if !self.wide.is_empty() {
            if self.wide.len() <= few {
                self.wide
                    .sort_unstable_by_key(|&entry| precedence.rank(entry));
            }
            return Entries::Wide(self.wide.into_boxed_slice());
        }
        if self.narrow.len() <= few {
            match precedence {
                Precedence::By(RuleOrder::Longest) => self.narrow.sort_unstable(),
                _ => self
                    .narrow
                    .sort_unstable_by_key(|narrow| precedence.rank(narrow.entry())),
            }
        }
        Entries::Narrow(self.narrow.as_slice().into())
    }
}

/// A list of entries, all stored in the same way.
pub(crate) enum Entries {
    Narrow(Box<[Narrow]>),
    /// Used if the offset, length or line of a rule does not fit a narrow entry.
    Wide(Box<[Entry]>),
}

impl Entries {
    pub(crate) fn of(entries: &[Entry]) -> Self {
        let narrow: Option<Box<[Narrow]>> =
            entries.iter().map(|&entry| Narrow::of(entry)).collect();
        narrow.map_or_else(|| Self::Wide(entries.into()), Self::Narrow)
    }

    pub(crate) fn len(&self) -> usize {
        match self {
            Self::Narrow(entries) => entries.len(),
            Self::Wide(entries) => entries.len(),
        }
    }

    pub(crate) fn to_vec(&self) -> Vec<Entry> {
        match self {
            Self::Narrow(entries) => entries.iter().map(|narrow| narrow.entry()).collect(),
            Self::Wide(entries) => entries.to_vec(),
        }
    }
}

/// The first eight bytes of a path as a number, the first byte lowest.
#[derive(Clone, Copy)]
pub(crate) struct Start(u64);

impl Start {
    pub(crate) fn of(path: &[u8]) -> Self {
        Self(match path.first_chunk() {
            Some(start) => u64::from_le_bytes(*start),
            None => path
                .iter()
                .rev()
                .fold(0, |word, &byte| word << 8 | u64::from(byte)),
        })
    }

    /// Returns true if the path does not begin with the first `length` bytes of a text. If it returns false,
    /// the path may or may not begin with them.
    #[inline]
    fn differs(self, text: Option<&[u8]>, length: usize) -> bool {
        let Some(start) = text.and_then(|text| text.first_chunk()) else {
            return false;
        };
        let differ = u64::from_le_bytes(*start) ^ self.0;
        match length {
            // Whether the first byte that differs is one of the first `length`.
            0..8 => differ.trailing_zeros() as usize / 8 < length,
            _ => differ != 0,
        }
    }
}

impl Start {
    /// Compares a text of `length` bytes, which begins with `first`, with the path by their first eight bytes, as if
    /// zeros followed each. If they differ, the text and the path compare in the same way.
    #[inline]
    fn compare(self, first: [u8; 8], length: usize) -> Ordering {
        let unused = 8_usize.saturating_sub(length).saturating_mul(8);
        let used = u64::MAX.checked_shl(u32::try_from(unused).unwrap_or(0));
        let text = u64::from_be_bytes(first) & used.unwrap_or(0);
        text.cmp(&self.0.swap_bytes())
    }
}

/// The order in which the rules of a robot decide.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Precedence {
    /// By the dialect's order.
    By(RuleOrder),
    /// By the type of the pattern: explicit paths first, then general ones, the longest first, then shell
    /// patterns (docs/semantics.md, section 3.3).
    ByType,
}

impl Precedence {
    /// Returns the rank of a rule: of all rules that match, the one with the least rank decides.
    /// Two lines never have the same rank.
    #[inline]
    pub(crate) fn rank(self, entry: Entry) -> u64 {
        let line = u64::from(entry.line);
        let is_disallow = u64::from(entry.bits & IS_ALLOW == 0);
        let shortness = || (MAX_FORM - entry.length()) as u64;
        match self {
            Self::By(RuleOrder::Longest) => shortness() << 33 | is_disallow << 32 | line,
            Self::By(RuleOrder::First) => line,
            Self::By(RuleOrder::AllowFirst) => is_disallow << 32 | line,
            Self::ByType => match entry.shape() {
                Shape::Exact => line,
                Shape::Prefix => 1 << 62 | shortness() << 32 | line,
                Shape::Glob | Shape::Shell => 2 << 62 | line,
            },
        }
    }
}

/// The bytes of the patterns of a set of rules.
#[derive(Clone)]
pub(crate) struct Texts {
    /// The body of the file, or the loaded bytes.
    pub(crate) body: Arc<[u8]>,
    /// The forms that differ from their texts. Before each form are the offset and the length of its text
    /// in the body, in [`FORM_HEAD`] bytes.
    pub(crate) forms: Box<[u8]>,
}

/// The number of bytes before each form: two numbers of four bytes, the lowest byte first.
pub(crate) const FORM_HEAD: usize = 8;

impl Texts {
    /// Returns the pattern in its form.
    #[inline]
    pub(crate) fn form(&self, entry: Entry) -> &[u8] {
        self.bytes(entry, entry.length())
    }

    /// Returns the compared part of the form.
    #[inline]
    pub(crate) fn compared(&self, entry: Entry) -> &[u8] {
        self.bytes(entry, entry.compared_length())
    }

    /// Returns whether the compared part of the form sorts before a path, or is equal to it. `start` is that of the path.
    #[inline]
    pub(crate) fn is_at_most(&self, entry: Entry, path: &[u8], start: Start) -> bool {
        let rest = self.arena(entry).get(entry.start as usize..);
        let order = match rest.and_then(|rest| rest.first_chunk()) {
            Some(first) => start.compare(*first, entry.compared_length()),
            None => Ordering::Equal,
        };
        match order {
            Ordering::Less => true,
            Ordering::Equal => self.compared(entry) <= path,
            Ordering::Greater => false,
        }
    }

    /// Returns the bytes that contain the form: the body or the forms.
    #[inline]
    fn arena(&self, entry: Entry) -> &[u8] {
        if entry.bits & IN_FORMS == 0 {
            &self.body
        } else {
            &self.forms
        }
    }

    /// Returns the first `length` bytes of the form.
    #[inline]
    fn bytes(&self, entry: Entry, length: usize) -> &[u8] {
        self.arena(entry)
            .get(entry.start as usize..)
            .and_then(|rest| rest.get(..length))
            .unwrap_or_default()
    }

    /// Returns the range in the body of the pattern as written.
    pub(crate) fn text(&self, entry: Entry) -> std::ops::Range<usize> {
        let start = entry.start as usize;
        if entry.bits & IN_FORMS == 0 {
            return start..start + entry.length();
        }
        let head = &self.forms[start - FORM_HEAD..start];
        let [start, length] = [&head[..4], &head[4..]].map(|number| {
            let bytes = number.iter().rev();
            bytes.fold(0, |value, byte| value << 8 | usize::from(*byte))
        });
        start..start + length
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(length: usize, line: usize) -> Option<Entry> {
        Entry::new(&NewEntry {
            start: 7,
            length,
            in_forms: false,
            reading: Reading {
                shape: Shape::Glob,
                tail: 0,
            },
            kind: RuleKind::Allow,
            allows: true,
            line,
        })
    }

    #[test]
    fn an_entry_returns_its_parts() {
        let found = entry(MAX_FORM, 9).unwrap();
        assert_eq!((found.length(), found.line()), (MAX_FORM, 9));
        assert_eq!(found.kind(), RuleKind::Allow);
        assert_eq!(found.shape(), Shape::Glob);
        assert!(found.allows());
        assert!(entry(MAX_FORM - 1, 9).is_some());
        assert!(entry(MAX_FORM + 1, 9).is_none());
    }

    #[test]
    fn narrow_entries_equal_wide_ones_up_to_their_limits() {
        let of = |start: usize, length: usize, line: usize| {
            let new = NewEntry {
                start,
                length,
                in_forms: true,
                reading: Reading {
                    shape: Shape::Shell,
                    tail: 1,
                },
                kind: RuleKind::Disallow,
                allows: true,
                line,
            };
            Entry::new(&new).unwrap()
        };
        let (start, length, line) = ((1 << 24) - 1, (1 << 16) - 1, (1 << 18) - 1);
        for entry in [
            of(start, length, line),
            of(start - 1, length - 1, line - 1),
            of(0, 0, 1),
        ] {
            assert_eq!(Narrow::of(entry).unwrap().entry(), entry);
        }
        for entry in [
            of(start + 1, 1, 1),
            of(0, length + 1, 1),
            of(0, 1, line + 1),
        ] {
            assert_eq!(Narrow::of(entry), None);
        }
    }

    #[test]
    fn narrow_entries_are_in_the_order_of_their_ranks() {
        let rank = |entry: &Entry| Precedence::By(RuleOrder::Longest).rank(*entry);
        let numbers = [0, 1, 2, 255, 256, (1 << 16) - 1];
        let mut entries = Vec::new();
        for length in numbers {
            for line in numbers.map(|line| line + 1) {
                let allow = entry(length, line).unwrap();
                let disallow = Entry {
                    bits: allow.bits & !(IS_ALLOW | ALLOWS),
                    start: allow.start + 1,
                    ..allow
                };
                entries.extend([allow, disallow]);
            }
        }
        let mut by_number = entries.clone();
        by_number.sort_unstable_by_key(|&entry| Narrow::of(entry).unwrap());
        entries.sort_unstable_by_key(rank);
        assert_eq!(by_number, entries);
    }

    #[test]
    fn one_wide_entry_makes_all_wide() {
        let narrow = entry(3, 7).unwrap();
        let wide = entry(1 << NARROW_LENGTH, 2).unwrap();
        for few in [0, 3] {
            let mut new = NewEntries::default();
            for entry in [narrow, wide, entry(5, 9).unwrap()] {
                new.push(entry);
            }
            let entries = new.into_entries(few, Precedence::By(RuleOrder::Longest));
            assert!(matches!(entries, Entries::Wide(_)));
            let lines: Vec<_> = entries.to_vec().iter().map(|entry| entry.line()).collect();
            assert_eq!(lines, if few == 0 { [7, 2, 9] } else { [2, 9, 7] });
        }
    }

    #[test]
    fn texts_compare_with_paths_as_their_bytes_do() {
        let paths: [&[u8]; 9] = [
            b"",
            b"/",
            b"/a",
            b"/a\0",
            b"/abcdef",
            b"/abcdefg",
            b"/abcdefgh",
            b"/\xff\xff",
            b"\xff\xff\xff\xff\xff\xff\xff\xff\xff",
        ];
        for text in paths {
            // The bytes after the text, which do not count.
            for after in [&b""[..], b"\0", b"z", b"\xff\xff\xff\xff\xff\xff\xff\xff"] {
                let texts = Texts {
                    body: [text, after].concat().into(),
                    forms: Box::default(),
                };
                let new = NewEntry {
                    start: 0,
                    length: text.len(),
                    in_forms: false,
                    reading: Reading::PLAIN,
                    kind: RuleKind::Allow,
                    allows: true,
                    line: 1,
                };
                let entry = Entry::new(&new).unwrap();
                for path in paths {
                    let is_at_most = texts.is_at_most(entry, path, Start::of(path));
                    assert_eq!(is_at_most, text <= path, "{text:?} {after:?} {path:?}");
                }
            }
        }
    }

    #[test]
    fn ranks_are_those_of_the_standards() {
        let longest = Precedence::By(RuleOrder::Longest);
        let (short, long) = (entry(3, 1).unwrap(), entry(4, 2).unwrap());
        assert!(longest.rank(long) < longest.rank(short));
        assert!(longest.rank(entry(3, 1).unwrap()) < longest.rank(entry(3, 2).unwrap()));
        let first = Precedence::By(RuleOrder::First);
        assert!(first.rank(short) < first.rank(long));
    }
}
