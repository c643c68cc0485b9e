//! Character references between tags: `&#32;` is white space there, as a space is, and keeps a HEAD
//! open (HTML, 13.2.5.72 to 13.2.5.80, read 2026-11-21).
//!
//! Only numbers and two names mean white space; every other reference is text and ends the HEAD.

use crate::head::tree::CharacterKinds;

/// The names of white space, without `&`.
const NAMES: [&[u8]; 2] = [b"Tab;", b"NewLine;"];
/// The index of `NewLine;`.
const NEW_LINE: usize = 1;

/// The result of reading a reference.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reference {
    /// It is white space: the number of its bytes, and its effect on the tree builder.
    Space(usize, CharacterKinds),
    /// It is other text.
    Text,
    /// It depends on the next bytes.
    NeedMore(SpaceReference),
}

/// The part of a reference that has been read, after its `&`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum SpaceReference {
    #[default]
    Nothing,
    /// The first `length` bytes of the name with this index.
    Name {
        index: usize,
        length: usize,
    },
    /// `#`
    Hash,
    /// `#x`
    HashX,
    Number {
        value: u32,
        radix: u32,
    },
}

impl SpaceReference {
    /// Continues after the `&`, or after the part that has been read.
    pub(crate) fn read(mut self, bytes: &[u8]) -> Reference {
        let mut at = 0_usize;
        for &byte in bytes {
            self = match (self, byte) {
                (Self::Nothing, b'#') => Self::Hash,
                (Self::Nothing, _) => Self::name(byte),
                (Self::Name { index, length }, _) if Self::is_next(index, length, byte) => {
                    Self::Name {
                        index,
                        length: length + 1,
                    }
                }
                (Self::Hash, b'x' | b'X') => Self::HashX,
                (Self::Hash, _) => Self::number(0, 10, byte),
                (Self::HashX, _) => Self::number(0, 16, byte),
                (Self::Number { value, .. }, b';') if is_space(value) => {
                    return Reference::Space(at + 1, text_of(value));
                }
                (Self::Number { value, radix }, _) if char::from(byte).is_digit(radix) => {
                    Self::number(value, radix, byte)
                }
                // Without a semicolon it ends where its digits do.
                (Self::Number { value, .. }, _) if is_space(value) => {
                    return Reference::Space(at, text_of(value));
                }
                (Self::Name { .. } | Self::Number { .. }, _) => Self::Nothing,
            };
            // After a byte, `Nothing` means that the text is not a reference to white space.
            if self == Self::Nothing {
                return Reference::Text;
            }
            at += 1;
            if let Self::Name { index, length } = self
                && NAMES.get(index).is_some_and(|name| name.len() == length)
            {
                let is_newline = index == NEW_LINE;
                let text = if is_newline {
                    CharacterKinds::NEWLINE
                } else {
                    CharacterKinds::SPACE
                };
                return Reference::Space(at, text);
            }
        }
        Reference::NeedMore(self)
    }

    /// Returns the kind of text that the reference is if the page ends after this part.
    pub(crate) fn text_at_end(self) -> CharacterKinds {
        match self {
            Self::Number { value, .. } if is_space(value) => text_of(value),
            _ => CharacterKinds::OTHER,
        }
    }

    fn name(first: u8) -> Self {
        NAMES
            .iter()
            .position(|name| name.first() == Some(&first))
            .map_or(Self::Nothing, |index| Self::Name { index, length: 1 })
    }

    fn is_next(index: usize, length: usize, byte: u8) -> bool {
        NAMES.get(index).and_then(|name| name.get(length)) == Some(&byte)
    }

    fn number(value: u32, radix: u32, byte: u8) -> Self {
        match char::from(byte).to_digit(radix) {
            Some(digit) => Self::Number {
                value: value.saturating_mul(radix).saturating_add(digit),
                radix,
            },
            None => Self::Nothing,
        }
    }
}

/// Returns whether a character is white space to the tree builder. A CR from a reference is white space, too: only a
/// CR that is written in the page is read as LF.
fn is_space(value: u32) -> bool {
    matches!(value, 0x09 | 0x0A | 0x0C | 0x0D | 0x20)
}

/// Returns the kind of white space that a character is. A CR counts as a space, not as a line end.
fn text_of(value: u32) -> CharacterKinds {
    match value {
        0x0A => CharacterKinds::NEWLINE,
        _ => CharacterKinds::SPACE,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_space_at_end(reference: SpaceReference) -> bool {
        reference.text_at_end() != CharacterKinds::OTHER
    }

    /// Returns the length of the reference, if it is one to white space. Reads the text whole and byte by byte.
    fn space_length(text: &str) -> Option<usize> {
        let whole = match SpaceReference::default().read(text.as_bytes()) {
            Reference::Space(length, _) => Some(length),
            Reference::Text => None,
            Reference::NeedMore(reference) => is_space_at_end(reference).then_some(text.len()),
        };
        let mut reference = SpaceReference::default();
        let mut parts = None;
        for at in 0..=text.len() {
            let Some(byte) = text.as_bytes().get(at..=at) else {
                parts = is_space_at_end(reference).then_some(at);
                break;
            };
            match reference.read(byte) {
                Reference::Space(length, _) => parts = Some(at + length),
                Reference::Text => {}
                Reference::NeedMore(more) => {
                    reference = more;
                    continue;
                }
            }
            break;
        }
        assert_eq!(parts, whole, "{text}");
        whole
    }

    #[test]
    fn references_to_white_space() {
        assert_eq!(space_length("#32;x"), Some(4));
        assert_eq!(space_length("#32<"), Some(3));
        assert_eq!(space_length("#0000000000000000032x"), Some(20));
        assert_eq!(space_length("#x20;"), Some(5));
        assert_eq!(space_length("#XA "), Some(3));
        assert_eq!(space_length("#13;"), Some(4));
        assert_eq!(space_length("#9"), Some(2));
        assert_eq!(space_length("Tab;"), Some(4));
        assert_eq!(space_length("NewLine;<"), Some(8));
    }

    #[test]
    fn references_to_anything_else() {
        for text in [
            "",
            " ",
            "#",
            "#;",
            "#x;",
            "#xg",
            "#160;",
            "#0;",
            "#11;",
            "#133;",
            "Tab",
            "Tab ",
            "tab;",
            "NewLine",
            "nbsp;",
            "amp;",
            "#99999999999999;",
            // 2^32 + 32: it does not overflow to 32.
            "#4294967328;",
            "#x1F",
            "T;",
        ] {
            assert_eq!(space_length(text), None, "{text}");
        }
    }
}
