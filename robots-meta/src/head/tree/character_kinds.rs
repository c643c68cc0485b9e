//! The kinds of characters in a text. Nothing else of a text affects where the tree builder places elements.

/// The kinds of characters in a text. Their order does not affect where elements are placed, with one
/// exception: a line end at the start, which is ignored after `<pre>`.
#[expect(
    clippy::struct_excessive_bools,
    reason = "each kind of character is in a text or is not"
)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct CharacterKinds {
    pub(crate) has_newline_first: bool,
    /// True if the text has white space, a line end at its start not counted.
    pub(crate) has_space: bool,
    pub(crate) has_other: bool,
    pub(crate) has_nul: bool,
}

impl CharacterKinds {
    pub(crate) const NONE: Self = Self {
        has_newline_first: false,
        has_space: false,
        has_other: false,
        has_nul: false,
    };
    pub(crate) const NEWLINE: Self = Self {
        has_newline_first: true,
        ..Self::NONE
    };
    pub(crate) const SPACE: Self = Self {
        has_space: true,
        ..Self::NONE
    };
    pub(crate) const OTHER: Self = Self {
        has_other: true,
        ..Self::NONE
    };

    /// Returns the kinds of characters in a text.
    pub(crate) fn of(text: &[u8]) -> Self {
        let after = match text {
            [b'\r', b'\n', after @ ..] | [b'\r' | b'\n', after @ ..] => after,
            _ => text,
        };
        Self {
            has_newline_first: after.len() < text.len(),
            has_space: after.iter().any(u8::is_ascii_whitespace),
            has_other: after
                .iter()
                .any(|byte| *byte != 0 && !byte.is_ascii_whitespace()),
            has_nul: after.contains(&0),
        }
    }

    pub(crate) fn is_empty(self) -> bool {
        self == Self::NONE
    }

    /// Returns the kinds of characters in this text and the next one together.
    pub(crate) fn with(self, next: Self) -> Self {
        // The start of the next text is then the start of both: a line end there stays the first.
        if self.is_empty() {
            return next;
        }
        Self {
            has_newline_first: self.has_newline_first,
            has_space: self.has_space || next.has_space || next.has_newline_first,
            has_other: self.has_other || next.has_other,
            has_nul: self.has_nul || next.has_nul,
        }
    }
}
