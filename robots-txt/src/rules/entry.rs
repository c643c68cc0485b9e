//! One rule in twelve bytes: where its pattern stands, how it is compared, and on which line.

use crate::dialect::RuleOrder;
use crate::pattern::{Reading, Shape};
use crate::rules::RuleKind;
use std::sync::Arc;

/// The longest pattern that an entry can have, in bytes of its form. A form is at most three
/// times as long as its text, and a body at most a quarter of this: no rule is lost.
pub(crate) const MAX_FORM: usize = (1 << LENGTH_BITS) - 1;

const _: () = assert!(crate::MAX_BODY * 3 < MAX_FORM, "every form fits");

const LENGTH_BITS: u32 = 26;
const SHAPE_SHIFT: u32 = LENGTH_BITS;
const TAIL: u32 = 1 << 28;
const IS_ALLOW: u32 = 1 << 29;
const ALLOWS: u32 = 1 << 30;
const IN_FORMS: u32 = 1 << 31;

/// A rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Entry {
    start: u32,
    /// The length of the form, its reading, and the flags above.
    bits: u32,
    line: u32,
}

/// What a new entry is made of.
pub(crate) struct NewEntry {
    pub(crate) start: usize,
    pub(crate) length: usize,
    pub(crate) in_forms: bool,
    pub(crate) reading: Reading,
    pub(crate) kind: RuleKind,
    pub(crate) allows: bool,
    pub(crate) line: usize,
}

impl Entry {
    /// `None` if a number does not fit.
    pub(crate) fn new(of: &NewEntry) -> Option<Self> {
        if of.length > MAX_FORM {
            return None;
        }
        let shape = match of.reading.shape {
            Shape::Prefix => 0,
            Shape::Exact => 1,
            Shape::Glob => 2,
            Shape::Shell => 3,
        };
        let flag = |is: bool, bit: u32| if is { bit } else { 0 };
        Some(Self {
            start: u32::try_from(of.start).ok()?,
            bits: u32::try_from(of.length).ok()?
                | shape << SHAPE_SHIFT
                | flag(of.reading.tail > 0, TAIL)
                | flag(of.kind == RuleKind::Allow, IS_ALLOW)
                | flag(of.allows, ALLOWS)
                | flag(of.in_forms, IN_FORMS),
            line: u32::try_from(of.line).ok()?,
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

    /// Whether what it matches may be fetched.
    pub(crate) fn allows(self) -> bool {
        self.bits & ALLOWS != 0
    }

    /// The length of the form in bytes: the weight of the rule.
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

    /// The length of what is compared, in bytes.
    pub(crate) fn compared_length(self) -> usize {
        self.length()
            .saturating_sub(usize::from(self.bits & TAIL != 0))
    }
}

/// In which order the rules of a robot decide.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Precedence {
    By(RuleOrder),
    /// Explicit paths, general ones with the longest first, shell patterns (SEMANTICS 3.3).
    ByType,
}

impl Precedence {
    /// The place of a rule among all of its set, the least first: of all rules that match, the
    /// one with the least rank decides. No two lines have the same rank.
    #[inline]
    pub(crate) fn rank(self, entry: Entry) -> u64 {
        let line = u64::from(entry.line);
        let is_disallow = u64::from(entry.bits & IS_ALLOW == 0);
        let shortness = || (MAX_FORM as u64).saturating_sub(entry.length() as u64);
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

/// The bytes in which the patterns of a set stand.
#[derive(Clone)]
pub(crate) struct Texts {
    /// The body of the file, or what was loaded in its place.
    pub(crate) body: Arc<[u8]>,
    /// The forms that differ from what is written: each behind the place and the length of the
    /// text that it is the form of, in [`FORM_HEAD`] bytes.
    pub(crate) forms: Box<[u8]>,
}

/// The bytes before each form: two numbers of four bytes, the lower byte first.
pub(crate) const FORM_HEAD: usize = 8;

impl Texts {
    /// The pattern in its form.
    #[inline]
    pub(crate) fn form(&self, entry: Entry) -> &[u8] {
        self.bytes(entry, entry.length())
    }

    /// What of the form is compared.
    #[inline]
    pub(crate) fn compared(&self, entry: Entry) -> &[u8] {
        self.bytes(entry, entry.compared_length())
    }

    #[inline]
    fn bytes(&self, entry: Entry, length: usize) -> &[u8] {
        let arena: &[u8] = if entry.bits & IN_FORMS == 0 {
            &self.body
        } else {
            &self.forms
        };
        arena
            .get(entry.start as usize..)
            .and_then(|rest| rest.get(..length))
            .unwrap_or_default()
    }

    /// Where the pattern as it is written stands in the body.
    pub(crate) fn text(&self, entry: Entry) -> std::ops::Range<usize> {
        let start = entry.start as usize;
        if entry.bits & IN_FORMS == 0 {
            return start..start.saturating_add(entry.length());
        }
        let head = start
            .checked_sub(FORM_HEAD)
            .and_then(|at| self.forms.get(at..start))
            .and_then(|head| head.split_first_chunk::<4>())
            .and_then(|(start, rest)| Some((*start, *rest.first_chunk::<4>()?)));
        let Some((start, length)) = head else {
            return 0..0;
        };
        let start = u32::from_le_bytes(start) as usize;
        start..start.saturating_add(u32::from_le_bytes(length) as usize)
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
    fn an_entry_gives_back_what_it_was_made_of() {
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
