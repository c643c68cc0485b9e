//! A text that is read from the front. Every step is linear in the text that it takes.

/// The rest of a text.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Cursor<'a>(pub(crate) &'a str);

impl<'a> Cursor<'a> {
    /// Skips these characters.
    pub(crate) fn skip(&mut self, what: &str) {
        self.0 = self.0.trim_start_matches(|c| what.contains(c));
    }

    /// Takes one character, if it is this one. Returns whether it is.
    pub(crate) fn eat(&mut self, wanted: char) -> bool {
        let after = self.0.strip_prefix(wanted);
        self.0 = after.unwrap_or(self.0);
        after.is_some()
    }

    /// Takes one character.
    pub(crate) fn take_one(&mut self) -> Option<char> {
        let mut chars = self.0.chars();
        let found = chars.next()?;
        self.0 = chars.as_str();
        Some(found)
    }

    /// Takes the leading characters that match `what`.
    pub(crate) fn take(&mut self, what: impl Fn(char) -> bool) -> &'a str {
        let end = self.0.find(|c| !what(c)).unwrap_or(self.0.len());
        let (taken, rest) = self.0.split_at_checked(end).unwrap_or((self.0, ""));
        self.0 = rest;
        taken
    }
}
