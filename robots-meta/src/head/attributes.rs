//! How many attributes a tag has that is still being read.
//!
//! html5ever compares each new attribute with all that the tag has already, which makes a tag of
//! a million attributes cost a trillion comparisons. No page has such a tag; the reader stops at
//! one ([`HeadLimit::Attributes`](crate::HeadLimit::Attributes)).

/// The number of attributes of one tag beyond which reading stops. The count is that of the words
/// outside quotes, so that it is never below the true one.
pub const MAX_ATTRIBUTES: usize = 256;

/// The count for the tag that is being read, whose text comes in parts.
#[derive(Debug, Default)]
pub(crate) struct TagAttributes {
    start: usize,
    counted_to: usize,
    count: AttributeCount,
}

impl TagAttributes {
    /// Whether what begins at `start` in the text is a tag with too many attributes, as far as
    /// `end`. `part` is the part of the text at hand, and begins at `part_start`; the parts before
    /// it have been counted.
    ///
    /// The count is a function of the tag's text alone, so it does not depend on the parts.
    pub(crate) fn exceed(
        &mut self,
        start: usize,
        part: &[u8],
        part_start: usize,
        end: usize,
    ) -> bool {
        if self.start != start || self.counted_to < start {
            *self = Self {
                start,
                counted_to: start,
                count: AttributeCount::default(),
            };
        }
        let from = self.counted_to.saturating_sub(part_start);
        let to = end.saturating_sub(part_start);
        self.counted_to = end.max(self.counted_to);
        self.count.add(part.get(from..to).unwrap_or_default())
    }
}

/// Counts over the text of a tag, given part by part.
#[derive(Debug, Default)]
struct AttributeCount {
    /// What has been seen of the start: `<`, then a letter or `/`.
    opening: Opening,
    quote: Option<u8>,
    in_word: bool,
    words: usize,
}

#[derive(Debug, Default, PartialEq, Eq)]
enum Opening {
    #[default]
    Nothing,
    LessThan,
    /// `</`.
    Slash,
    Tag,
    /// A comment, a declaration or text: it has no attributes.
    Other,
}

impl AttributeCount {
    /// Takes more of the tag; says whether it has too many attributes.
    fn add(&mut self, text: &[u8]) -> bool {
        for &byte in text {
            match self.opening {
                Opening::Tag => self.count(byte),
                Opening::Other => return false,
                _ => self.open(byte),
            }
        }
        // The first word is the tag's name.
        self.words > MAX_ATTRIBUTES.saturating_add(1)
    }

    fn open(&mut self, byte: u8) {
        self.opening = match (&self.opening, byte) {
            (Opening::Nothing, b'<') => Opening::LessThan,
            (Opening::LessThan, b'/') => Opening::Slash,
            (Opening::LessThan | Opening::Slash, byte) if byte.is_ascii_alphabetic() => {
                self.in_word = true;
                self.words = 1;
                Opening::Tag
            }
            _ => Opening::Other,
        };
    }

    fn count(&mut self, byte: u8) {
        match (self.quote, byte) {
            (Some(quote), byte) if quote == byte => {
                self.quote = None;
                self.in_word = false;
            }
            (None, b'"' | b'\'') => self.quote = Some(byte),
            (None, b'/') => self.in_word = false,
            (None, byte) if byte.is_ascii_whitespace() => self.in_word = false,
            (None, _) if !self.in_word => {
                self.in_word = true;
                self.words = self.words.saturating_add(1);
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(pieces: &[&str]) -> usize {
        let mut count = AttributeCount::default();
        for piece in pieces {
            count.add(piece.as_bytes());
        }
        count.words
    }

    #[test]
    fn names_are_counted_and_quoted_values_are_not() {
        assert_eq!(words(&["<meta name=robots content='a b c' x/y"]), 5);
        assert_eq!(words(&["<a b=\"x ", "y\"c=1 d"]), 4);
        assert_eq!(words(&["</a b"]), 2);
        assert_eq!(words(&["<!-- a b c"]), 0);
        assert_eq!(words(&["a b c"]), 0);
    }

    #[test]
    fn the_limit_is_kept() {
        let too_many = |attributes: usize| {
            AttributeCount::default().add(format!("<a{}", " b".repeat(attributes)).as_bytes())
        };
        assert!(!too_many(MAX_ATTRIBUTES - 1));
        assert!(!too_many(MAX_ATTRIBUTES));
        assert!(too_many(MAX_ATTRIBUTES + 1));
    }
}
