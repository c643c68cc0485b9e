//! The kinds of characters in a text. Nothing else of a text affects where the tree builder places elements.

use bitflags::bitflags;

bitflags! {
    /// The kinds of characters in a text. Their order does not affect where elements are placed, with one
    /// exception: a line end at the start, which is ignored after `<pre>`.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub(crate) struct CharacterKinds: u8 {
        /// A line end at the start.
        const NEWLINE = 1;
        /// White space, a line end at the start not counted.
        const SPACE = 1 << 1;
        const OTHER = 1 << 2;
        const NUL = 1 << 3;
    }
}

impl CharacterKinds {
    /// Returns the kinds of characters in a text.
    pub(crate) fn of(text: &[u8]) -> Self {
        let after = match text {
            [b'\r', b'\n', after @ ..] | [b'\r' | b'\n', after @ ..] => after,
            _ => text,
        };
        let is_other = |byte: &u8| *byte != 0 && !byte.is_ascii_whitespace();
        let mut kinds = Self::empty();
        kinds.set(Self::NEWLINE, after.len() < text.len());
        kinds.set(Self::SPACE, after.iter().any(u8::is_ascii_whitespace));
        kinds.set(Self::OTHER, after.iter().any(is_other));
        kinds.set(Self::NUL, after.contains(&0));
        kinds
    }

    /// Returns the kinds of characters in this text and the next one together.
    pub(crate) fn with(self, next: Self) -> Self {
        // The start of the next text is then the start of both: a line end there stays the first.
        if self.is_empty() {
            return next;
        }
        let mut both = self | next.difference(Self::NEWLINE);
        both.set(
            Self::SPACE,
            both.contains(Self::SPACE) || next.contains(Self::NEWLINE),
        );
        both
    }
}
