//! Fixes: edits of a body.

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
/// A fix changes no decision under [`Dialect::GOOGLE`](robots_txt::Dialect::GOOGLE), which accepts most misspelt lines:
/// it makes other robots read the file as Google reads it. A finding with an uncertain meaning has no fix.
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

    /// Creates a fix that replaces the bytes at ascending offsets. A body has up to
    /// [`MAX_BODY`](robots_txt::limits::MAX_BODY) bytes, so the offsets fit.
    pub(crate) fn of_each_byte(
        offsets: impl Iterator<Item = usize> + Clone,
        replacement: &'static str,
    ) -> Self {
        let mut kept = Vec::with_capacity(offsets.clone().count());
        kept.extend(offsets.map(|at| u32::try_from(at).unwrap_or(u32::MAX)));
        Self {
            edits: Edits::EachByte {
                offsets: kept,
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
                Edit::new(at..at.saturating_add(1), *replacement)
            }
        }
    }

    /// Returns the bytes from the first to the last edit.
    fn span(&self) -> Range<usize> {
        let last = self.len().saturating_sub(1);
        self.edit(0).span.start..self.edit(last).span.end
    }
}

/// Returns a body with fixes applied. The first of overlapping fixes is applied, and a fix of several edits only if it
/// begins first; linting the result finds the others again. Linear in the body and `n log n` in the edits.
pub fn apply_fixes<'f>(body: &[u8], fixes: impl IntoIterator<Item = &'f Fix>) -> Vec<u8> {
    let mut fixes: Vec<&Fix> = fixes.into_iter().collect();
    fixes.sort_by_key(|fix| fix.span().start);
    let mut end = None;
    fixes.retain(|fix| {
        // A fix of several edits concerns the whole body: it is applied only if it begins first.
        let is_applied = match end {
            None => true,
            Some(end) => fix.span().start >= end && fix.len() == 1,
        };
        if is_applied {
            end = Some(fix.span().end);
        }
        is_applied
    });
    let mut fixed = Vec::with_capacity(body.len());
    let mut at = 0;
    for edit in fixes.iter().flat_map(|fix| fix.edits()) {
        fixed.extend(body.get(at..edit.span.start).unwrap_or_default());
        fixed.extend(&edit.replacement);
        at = edit.span.end;
    }
    fixed.extend(body.get(at..).unwrap_or_default());
    fixed
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
        assert_eq!(apply_fixes(b"abcd", &fixes), b"xd!");
        assert_eq!(apply_fixes(b"abcd", []), b"abcd");
        let several = Fix::of_each_byte([0, 3].into_iter(), "1");
        assert_eq!(apply_fixes(b"abcd", [&several, &fix(1..2, "y")]), b"1bc1");
        assert_eq!(several.edits().len(), 2);
    }

    #[test]
    fn a_fix_of_many_bytes_keeps_four_bytes_for_each() {
        let fix = Fix::of_each_byte(0..1000, "\n");
        let Edits::EachByte { offsets, .. } = &fix.edits else {
            panic!("{fix:?}");
        };
        assert_eq!(offsets.capacity(), 1000);
        assert_eq!(apply_fixes(&[b'\r'; 1000], [&fix]), [b'\n'; 1000]);
    }
}
