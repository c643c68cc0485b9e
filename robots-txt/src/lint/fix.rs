//! Mending a body.

use std::ops::Range;

/// What to put in the place of some bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Edit {
    span: Range<usize>,
    replacement: Vec<u8>,
}

impl Edit {
    pub(super) fn new(span: Range<usize>, replacement: impl Into<Vec<u8>>) -> Self {
        Self {
            span,
            replacement: replacement.into(),
        }
    }

    /// The range of bytes in the body; it may be empty.
    pub fn span(&self) -> Range<usize> {
        self.span.clone()
    }

    /// What belongs there.
    pub fn replacement(&self) -> &[u8] {
        &self.replacement
    }
}

/// How to mend something: edits that go together.
///
/// A fix changes no decision of [`Dialect::GOOGLE`](crate::Dialect::GOOGLE), who reads most of
/// what is misspelt as it is meant: what it changes is that others read the same. Where it is not
/// certain what is meant, there is none.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fix {
    edits: Vec<Edit>,
}

impl Fix {
    pub(super) fn new(edits: Vec<Edit>) -> Self {
        Self { edits }
    }

    /// The edits, in order; they do not overlap.
    pub fn edits(&self) -> &[Edit] {
        &self.edits
    }
}

/// A body with fixes applied. Of fixes that overlap, the first is applied; the others are found
/// again in what comes out. Linear in the body and `n log n` in the edits.
pub fn fixed<'f>(body: &[u8], fixes: impl IntoIterator<Item = &'f Fix>) -> Vec<u8> {
    let mut fixes: Vec<&Fix> = fixes.into_iter().collect();
    fixes.sort_by_key(|fix| fix.edits.first().map(|edit| edit.span.start));
    let mut edits: Vec<&Edit> = Vec::new();
    for fix in fixes {
        let begins = fix.edits.first().map_or(0, |edit| edit.span.start);
        // Fixes of several edits concern the whole body: they are alone or not at all.
        let ends = edits.last().map_or(0, |edit| edit.span.end);
        if begins >= ends && (edits.is_empty() || fix.edits.len() == 1) {
            edits.extend(&fix.edits);
        }
    }
    let mut mended = Vec::with_capacity(body.len());
    let mut at = 0;
    for edit in edits {
        mended.extend(body.get(at..edit.span.start).unwrap_or_default());
        mended.extend(&edit.replacement);
        at = edit.span.end;
    }
    mended.extend(body.get(at..).unwrap_or_default());
    mended
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
        assert_eq!(fixed(b"abcd", &fixes), b"xd!");
        assert_eq!(fixed(b"abcd", []), b"abcd");
        let several = Fix::new(vec![Edit::new(0..1, "1"), Edit::new(3..4, "2")]);
        assert_eq!(fixed(b"abcd", [&several, &fix(1..2, "y")]), b"1bc2");
    }
}
