//! Fixes: edits of the body of a robots.txt.

use std::ops::Range;

/// A replacement of some bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Edit {
    span: Range<usize>,
    replacement: Vec<u8>,
}

impl Edit {
    pub(crate) fn new(span: Range<usize>, replacement: impl Into<Vec<u8>>) -> Self {
        Self {
            span,
            replacement: replacement.into(),
        }
    }

    /// Returns the replaced range of bytes in the body; it may be empty.
    pub fn span(&self) -> Range<usize> {
        self.span.clone()
    }

    /// Returns the new bytes.
    pub fn replacement(&self) -> &[u8] {
        &self.replacement
    }
}

/// A fix of a finding: edits that are applied together.
///
/// A fix changes no decision under [`Dialect::GOOGLE`](robots_txt::Dialect::GOOGLE), which accepts most misspelt lines.
/// After the fix, other robots read the lines as Google does. A finding whose line has an uncertain meaning has no fix.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fix {
    edits: Edits,
}

/// The edits of a fix, in order.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Edits {
    Single(Edit),
    /// The bytes at these offsets, each replaced by the same text.
    EachByte {
        offsets: Vec<u32>,
        replacement: &'static str,
    },
}

impl Fix {
    pub(crate) fn new(edit: Edit) -> Self {
        Self {
            edits: Edits::Single(edit),
        }
    }

    /// Creates a fix that replaces each of the bytes at ascending offsets by the same text. A body has up to
    /// [`MAX_BODY`](robots_txt::limits::MAX_BODY) bytes, so each offset fits a `u32`.
    pub(crate) fn of_each_byte(
        offsets: impl Iterator<Item = usize> + Clone,
        replacement: &'static str,
    ) -> Self {
        // The offsets are counted first, so that the list has no spare capacity: there may be millions of them.
        let mut list = Vec::with_capacity(offsets.clone().count());
        list.extend(offsets.map(|at| u32::try_from(at).unwrap_or(u32::MAX)));
        Self {
            edits: Edits::EachByte {
                offsets: list,
                replacement,
            },
        }
    }

    /// Returns the edits, in order; they do not overlap.
    pub fn edits(&self) -> impl ExactSizeIterator<Item = Edit> + '_ {
        (0..self.len()).map(|index| self.edit(index))
    }

    fn len(&self) -> usize {
        match &self.edits {
            Edits::Single(_) => 1,
            Edits::EachByte { offsets, .. } => offsets.len(),
        }
    }

    fn edit(&self, index: usize) -> Edit {
        match &self.edits {
            Edits::Single(edit) => edit.clone(),
            Edits::EachByte {
                offsets,
                replacement,
            } => {
                let at = offsets.get(index).map_or(usize::MAX, |&at| at as usize);
                Edit::new(at..at + 1, *replacement)
            }
        }
    }

    /// Returns whether one of several edits begins within a span; false for a single edit.
    fn has_byte_in(&self, span: &Range<usize>) -> bool {
        match &self.edits {
            Edits::Single(_) => false,
            Edits::EachByte { offsets, .. } => {
                let next = offsets.partition_point(|&at| (at as usize) < span.start);
                offsets
                    .get(next)
                    .is_some_and(|&at| (at as usize) < span.end)
            }
        }
    }

    /// Returns the bytes from the first to the last edit.
    fn span(&self) -> Range<usize> {
        let last = self.len() - 1;
        self.edit(0).span.start..self.edit(last).span.end
    }
}

/// A body after [`apply_fixes`].
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct FixedBody {
    /// The bytes.
    pub body: Vec<u8>,
    /// The number of fixes that were applied.
    pub applied: usize,
}

/// The fixes that can be applied together: see [`apply_fixes`].
#[derive(Debug, Clone, Default)]
pub struct CompatibleFixes<'f> {
    fixes: Vec<&'f Fix>,
}

impl<'f> CompatibleFixes<'f> {
    /// Chooses fixes whose edits do not overlap: of two that overlap, the one that begins first. `n log n` in the fixes.
    pub fn of(fixes: impl IntoIterator<Item = &'f Fix>) -> Self {
        let mut fixes: Vec<&Fix> = fixes.into_iter().collect();
        fixes.sort_by_key(|fix| fix.span().start);
        let mut accepted = Accepted::default();
        fixes.retain(|fix| accepted.add(fix));
        Self { fixes }
    }

    /// Returns the number of fixes.
    pub fn len(&self) -> usize {
        self.fixes.len()
    }

    /// Returns whether there is no fix.
    pub fn is_empty(&self) -> bool {
        self.fixes.is_empty()
    }

    /// Returns the fixes, in the order of their starts.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &'f Fix> + '_ {
        self.fixes.iter().copied()
    }

    /// Returns the edits of all fixes, in the order of the body.
    pub fn edits(&self) -> impl Iterator<Item = Edit> {
        edits_in_order(&self.fixes)
    }
}

/// Applies fixes to a body.
///
/// If the edits of two fixes overlap, only the fix that begins first is applied, with all of its edits. Linting the
/// result finds the other one again. Linear in the body and `n log n` in the edits.
pub fn apply_fixes<'f>(body: &[u8], fixes: impl IntoIterator<Item = &'f Fix>) -> FixedBody {
    let fixes = CompatibleFixes::of(fixes);
    let mut fixed = Vec::with_capacity(body.len());
    let mut at = 0;
    for edit in fixes.edits() {
        fixed.extend(&body[at..edit.span.start]);
        fixed.extend(&edit.replacement);
        at = edit.span.end;
    }
    fixed.extend(&body[at..]);
    FixedBody {
        body: fixed,
        applied: fixes.len(),
    }
}

/// Returns the edits of accepted fixes in the order of the body. Fixes with one edit may lie between the edits of a fix
/// with several, so the edits of both sorts are merged.
fn edits_in_order(fixes: &[&Fix]) -> impl Iterator<Item = Edit> {
    let (single, several): (Vec<&Fix>, Vec<&Fix>) = fixes.iter().partition(|fix| fix.len() == 1);
    let mut single = single.into_iter().flat_map(Fix::edits).peekable();
    let mut several = several.into_iter().flat_map(Fix::edits).peekable();
    std::iter::from_fn(move || match (single.peek(), several.peek()) {
        (Some(one), Some(other)) if other.span.start < one.span.start => several.next(),
        (Some(_), _) => single.next(),
        (None, _) => several.next(),
    })
}

/// The accepted fixes with which a fix that begins later may overlap.
#[derive(Default)]
struct Accepted<'f> {
    /// The end of the last fix with one edit.
    single_end: usize,
    /// The last fix with several edits. The next fix with several edits is accepted only after its end.
    several: Option<&'f Fix>,
}

impl<'f> Accepted<'f> {
    /// Accepts a fix and returns true, unless an edit of it overlaps with an accepted one. Fixes must be added in the order
    /// of their starts.
    fn add(&mut self, fix: &'f Fix) -> bool {
        let span = fix.span();
        let overlaps = span.start < self.single_end
            || self.several.is_some_and(|several| {
                if fix.len() == 1 {
                    several.has_byte_in(&span)
                } else {
                    span.start < several.span().end
                }
            });
        if overlaps {
            return false;
        }
        if fix.len() == 1 {
            self.single_end = span.end;
        } else {
            self.several = Some(fix);
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_of_overlapping_fixes_is_applied() {
        let fix = |span: Range<usize>, text: &str| Fix::new(Edit::new(span, text));
        let fixes = [
            fix(4..4, "!"),
            fix(0..2, "x"),
            fix(1..3, "y"),
            fix(2..3, ""),
        ];
        let fixed = apply_fixes(b"abcd", &fixes);
        assert_eq!((&fixed.body[..], fixed.applied), (&b"xd!"[..], 3));
        let fixed = apply_fixes(b"abcd", []);
        assert_eq!((&fixed.body[..], fixed.applied), (&b"abcd"[..], 0));
    }

    #[test]
    fn a_fix_between_the_edits_of_another_does_not_overlap() {
        let single = |span: Range<usize>, text: &str| Fix::new(Edit::new(span, text));
        let several = Fix::of_each_byte([1, 4].into_iter(), "1");
        assert_eq!(several.edits().len(), 2);
        for (other, expected, applied) in [
            (single(0..0, "y"), "ya1cd1fg", 2),
            (single(0..1, "y"), "y1cd1fg", 2),
            (single(1..1, "y"), "ay1cd1fg", 2),
            (single(2..4, "y"), "a1y1fg", 2),
            (single(4..4, "y"), "a1cdy1fg", 2),
            (single(5..6, "y"), "a1cd1yg", 2),
            // The fix of several edits begins first.
            (single(1..2, "y"), "a1cd1fg", 1),
            (single(3..5, "y"), "a1cd1fg", 1),
            (single(4..5, "y"), "a1cd1fg", 1),
            // The other fix begins first.
            (single(0..2, "y"), "ycdefg", 1),
            // The other fix has two edits, too: first they overlap with the fix, then they do not.
            (Fix::of_each_byte([2, 3].into_iter(), "y"), "a1cd1fg", 1),
            (Fix::of_each_byte([5, 6].into_iter(), "y"), "a1cd1yy", 2),
        ] {
            let fixed = apply_fixes(b"abcdefg", [&several, &other]);
            let text = String::from_utf8_lossy(&fixed.body).into_owned();
            assert_eq!(
                (text.as_str(), fixed.applied),
                (expected, applied),
                "{other:?}"
            );
        }
    }

    #[test]
    fn a_fix_of_many_bytes_keeps_four_bytes_for_each() {
        let fix = Fix::of_each_byte(0..1000, "\n");
        let Edits::EachByte { offsets, .. } = &fix.edits else {
            panic!("{fix:?}");
        };
        assert_eq!(offsets.capacity(), 1000);
        assert_eq!(apply_fixes(&[b'\r'; 1000], [&fix]).body, [b'\n'; 1000]);
    }
}
