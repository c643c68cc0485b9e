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
/// A fix changes no decision under [`Dialect::GOOGLE`](robots_txt::Dialect::GOOGLE), which accepts most misspelt lines: other
/// robots then read the same. A finding with an uncertain meaning has no fix.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fix {
    edits: Vec<Edit>,
}

impl Fix {
    pub(crate) fn new(edits: Vec<Edit>) -> Self {
        Self { edits }
    }

    /// Returns the edits, in order; they do not overlap.
    pub fn edits(&self) -> &[Edit] {
        &self.edits
    }
}

/// Returns a body with fixes applied. Of fixes that overlap, the first is applied; linting the result finds the others
/// again. Linear in the body and `n log n` in the edits.
pub fn apply_fixes<'f>(body: &[u8], fixes: impl IntoIterator<Item = &'f Fix>) -> Vec<u8> {
    let mut fixes: Vec<&Fix> = fixes.into_iter().collect();
    fixes.sort_by_key(|fix| fix.edits.first().map(|edit| edit.span.start));
    let mut edits: Vec<&Edit> = Vec::new();
    for fix in fixes {
        let begins = fix.edits.first().map_or(0, |edit| edit.span.start);
        // A fix of several edits concerns the whole body: it is applied alone, or not at all.
        let ends = edits.last().map_or(0, |edit| edit.span.end);
        if begins >= ends && (edits.is_empty() || fix.edits.len() == 1) {
            edits.extend(&fix.edits);
        }
    }
    let mut fixed = Vec::with_capacity(body.len());
    let mut at = 0;
    for edit in edits {
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
        let fix = |span: Range<usize>, text: &str| Fix::new(vec![Edit::new(span, text)]);
        let fixes = [
            fix(4..4, "!"),
            fix(0..2, "x"),
            fix(1..3, "y"),
            fix(2..3, ""),
        ];
        assert_eq!(apply_fixes(b"abcd", &fixes), b"xd!");
        assert_eq!(apply_fixes(b"abcd", []), b"abcd");
        let several = Fix::new(vec![Edit::new(0..1, "1"), Edit::new(3..4, "2")]);
        assert_eq!(apply_fixes(b"abcd", [&several, &fix(1..2, "y")]), b"1bc2");
    }
}
