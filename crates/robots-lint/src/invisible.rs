//! Invisible characters and wide spaces, which robots compare like any other.

use robots_policy::text::is_unprintable;
use std::ops::Range;

/// An invisible character in a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Invisible {
    pub(crate) character: char,
    /// The offset in bytes.
    pub(crate) offset: usize,
}

impl Invisible {
    /// Returns the first character beyond ASCII that is a control or format character, a line or paragraph separator, or a
    /// noncharacter.
    ///
    /// Joiners (U+200C, U+200D) between other characters beyond ASCII are not counted: Persian words
    /// and emoji have them. Linear in the text.
    pub(crate) fn first_in(text: &[u8]) -> Option<Self> {
        Self::first(text, |_| false)
    }

    /// Returns what [`first_in`](Self::first_in) returns, or a space outside ASCII (U+00A0, U+3000) if that is before it.
    pub(crate) fn or_space_in(text: &[u8]) -> Option<Self> {
        Self::first(text, is_other_space)
    }

    /// Returns a text without the characters that [`or_space_in`](Self::or_space_in) finds, and without white space around it.
    pub(crate) fn removed_from(text: &str) -> String {
        let is_shown = |c: &char| c.is_ascii() || !(is_unprintable(*c) || is_other_space(*c));
        let shown: String = text.chars().filter(is_shown).collect();
        shown.trim().to_owned()
    }

    fn first(text: &[u8], is_also: fn(char) -> bool) -> Option<Self> {
        if text.is_ascii() {
            return None;
        }
        let mut start = 0_usize;
        for chunk in text.utf8_chunks() {
            if let Some(found) = first_in_str(chunk.valid(), is_also) {
                let offset = start + found.offset;
                return Some(Self { offset, ..found });
            }
            start += chunk.valid().len() + chunk.invalid().len();
        }
        None
    }

    /// Returns the length of the character in bytes.
    pub(crate) fn len(self) -> usize {
        self.character.len_utf8()
    }

    /// Returns its bytes in a body, if the text begins at this offset.
    pub(crate) fn span_from(self, start: usize) -> Range<usize> {
        let start = start + self.offset;
        start..start + self.len()
    }

    /// Returns the character as `U+200B`.
    pub(crate) fn name(self) -> String {
        format!("U+{:04X}", u32::from(self.character))
    }
}

/// Returns whether a character is a space of Unicode (category Zs) outside ASCII.
fn is_other_space(c: char) -> bool {
    matches!(
        c,
        '\u{a0}' | '\u{1680}' | '\u{2000}'..='\u{200a}' | '\u{202f}' | '\u{205f}' | '\u{3000}'
    )
}

/// Returns the first invisible character, or the first that `is_also` accepts.
fn first_in_str(text: &str, is_also: fn(char) -> bool) -> Option<Invisible> {
    let mut before = ' ';
    let mut characters = text.char_indices().peekable();
    while let Some((offset, character)) = characters.next() {
        let after = characters.peek().map_or(' ', |(_, after)| *after);
        let is_joiner = matches!(character, '\u{200c}' | '\u{200d}');
        let is_between = is_joiner && !before.is_ascii() && !after.is_ascii();
        let is_invisible = is_unprintable(character) && !is_between;
        if !character.is_ascii() && (is_invisible || is_also(character)) {
            return Some(Invisible { character, offset });
        }
        before = character;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_invisible_character_is_found() {
        let first = |text: &[u8]| {
            Invisible::first_in(text).map(|found| (found.offset, found.name(), found.len()))
        };
        let found = |offset, name: &str, length| Some((offset, name.to_owned(), length));
        assert_eq!(first("/a\u{202e}b".as_bytes()), found(2, "U+202E", 3));
        assert_eq!(first("\u{e9}\u{2028}".as_bytes()), found(2, "U+2028", 3));
        assert_eq!(first("/a\u{ad}".as_bytes()), found(2, "U+00AD", 2));
        assert_eq!(first(b"\xff\xfe\xe2\x80\x8b"), found(2, "U+200B", 3));
        assert_eq!(first("\u{e0041}".as_bytes()), found(0, "U+E0041", 4));
        // At the end, after ASCII, and in Persian.
        assert_eq!(first("\u{645}\u{200c}".as_bytes()), found(2, "U+200C", 3));
        assert_eq!(first("a\u{200d}\u{645}".as_bytes()), found(1, "U+200D", 3));
        assert_eq!(first("\u{645}\u{200c}\u{62e}".as_bytes()), None);
        for visible in [
            "",
            "/a b\t\u{1b}",
            "caf\u{e9}",
            "\u{1f469}\u{200d}\u{1f4bb}",
        ] {
            assert_eq!(first(visible.as_bytes()), None, "{visible}");
        }
    }
}
