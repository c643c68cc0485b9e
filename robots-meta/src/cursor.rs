//! A text that is read from the front. Every step is linear in the text that it takes.

/// A position in a text, which moves forward.
#[derive(Debug, Clone, Copy)]
pub(super) struct Cursor<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Cursor<'a> {
    /// Begins at the start of a text.
    pub(super) fn new(text: &'a str) -> Self {
        Self { text, at: 0 }
    }

    /// Returns the position, in bytes.
    pub(super) fn at(&self) -> usize {
        self.at
    }

    /// Returns the text between a position and this one.
    pub(super) fn since(&self, start: usize) -> &'a str {
        self.text.get(start..self.at).unwrap_or_default()
    }

    /// Returns the text from this position on.
    pub(super) fn rest(&self) -> &'a str {
        self.text.get(self.at..).unwrap_or_default()
    }

    pub(super) fn is_at_end(&self) -> bool {
        self.rest().is_empty()
    }

    /// Skips these characters.
    pub(super) fn skip(&mut self, what: &str) {
        let _ = self.take(|c| what.contains(c));
    }

    /// Takes one character, if it is this one. Returns whether it is.
    pub(super) fn eat(&mut self, wanted: char) -> bool {
        let found = self.rest().starts_with(wanted);
        if found {
            self.at += wanted.len_utf8();
        }
        found
    }

    /// Takes one character.
    pub(super) fn take_one(&mut self) -> Option<char> {
        let found = self.rest().chars().next()?;
        self.at += found.len_utf8();
        Some(found)
    }

    /// Takes the leading characters that match `what`.
    pub(super) fn take(&mut self, what: impl Fn(char) -> bool) -> &'a str {
        let rest = self.rest();
        let end = rest.find(|c| !what(c)).unwrap_or(rest.len());
        self.at += end;
        rest.get(..end).unwrap_or_default()
    }
}
