//! One rule in twelve bytes: the offset of its pattern, its comparison, and its line.

use crate::dialect::RuleOrder;
use crate::pattern::{Reading, Shape};
use crate::rules::RuleKind;
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

    /// Returns true if the entry is a prefix pattern that cannot match a path with this start. If it returns
    /// false, the pattern and the path must be compared.
    #[inline]
    pub(crate) fn is_excluded_by_start(self, texts: &Texts, path: Start) -> bool {
        let rest = texts.arena(self).get(self.start as usize..);
        self.is_prefix() && path.differs(rest, self.compared_length())
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
    fn ranks_are_those_of_the_standards() {
        let longest = Precedence::By(RuleOrder::Longest);
        let (short, long) = (entry(3, 1).unwrap(), entry(4, 2).unwrap());
        assert!(longest.rank(long) < longest.rank(short));
        assert!(longest.rank(entry(3, 1).unwrap()) < longest.rank(entry(3, 2).unwrap()));
        let first = Precedence::By(RuleOrder::First);
        assert!(first.rank(short) < first.rank(long));
    }
}
