//! Where each `<` of a page stands: in the text that the tokenizer reads, and in the bytes that the
//! text was decoded from.
//!
//! The tokenizer tells how much text it has taken when it gives a token; the first `<` behind the
//! token before is then where the tag begins. Marks are kept from the last token on.

use std::collections::VecDeque;

/// An end tag without a name, which is nothing at all: the tokenizer gives no token for it.
const EMPTY_END_TAG: [u8; 3] = *b"</>";

/// How many marks are kept: the first, and the last ones. The tokenizer looks ahead by one character
/// when it tells that a token has ended, which is one mark at the most.
const KEPT: usize = 8;

/// The places of `<`, in order.
#[derive(Debug, Default)]
pub(crate) struct Marks {
    marks: VecDeque<Mark>,
}

#[derive(Debug)]
struct Mark {
    /// The offset in the text.
    text: usize,
    /// The offset in the bytes of the page.
    source: usize,
    opening: Opening,
}

/// The `<` and what follows it, as far as it takes to know `</>`.
#[derive(Debug, Default)]
struct Opening {
    bytes: [u8; EMPTY_END_TAG.len()],
    length: usize,
}

impl Opening {
    /// Takes as much of the text as there is room for.
    fn extend(&mut self, text: &str) {
        for (to, from) in self.bytes.iter_mut().skip(self.length).zip(text.bytes()) {
            *to = from;
            self.length = self.length.saturating_add(1);
        }
    }
}

impl Marks {
    /// Takes the next piece of the text, which has at most one `<` and no text of its own before
    /// it. The piece begins at `start` in the text, and at `source` in the page.
    pub(crate) fn see(&mut self, piece: &str, start: usize, source: usize) {
        let mut following = piece;
        if let Some(at) = memchr::memchr(b'<', piece.as_bytes()) {
            following = piece.get(at..).unwrap_or_default();
            if self.marks.len() >= KEPT {
                self.marks.remove(1);
            }
            self.marks.push_back(Mark {
                text: start.saturating_add(at),
                source,
                opening: Opening::default(),
            });
        }
        if let Some(mark) = self.marks.back_mut() {
            mark.opening.extend(following);
            if mark.opening.bytes == EMPTY_END_TAG {
                self.marks.pop_back();
            }
        }
    }

    /// Where the first one stands in the text.
    pub(crate) fn first(&self) -> Option<usize> {
        self.marks.front().map(|mark| mark.text)
    }

    /// Where the first one at or behind `from` in the text stands in the page; those before it are
    /// forgotten.
    pub(crate) fn first_from(&mut self, from: usize) -> Option<usize> {
        self.forget_before(from);
        self.marks.front().map(|mark| mark.source)
    }

    /// Forgets those before this place in the text.
    pub(crate) fn forget_before(&mut self, text: usize) {
        while self.first().is_some_and(|first| first < text) {
            self.marks.pop_front();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_stand_where_tags_can_begin() {
        let mut marks = Marks::default();
        // A character of three bytes that was one in the page.
        marks.see("\u{20ac}", 0, 0);
        marks.see("<a>", 3, 1);
        marks.see("<", 6, 4);
        marks.see("/", 7, 5);
        marks.see(">", 8, 6);
        marks.see("\u{fffd}<b>", 9, 7);
        assert_eq!(marks.first(), Some(3));
        assert_eq!(marks.first_from(3), Some(1));
        assert_eq!(marks.first_from(4), Some(7), "`</>` is none");
        assert_eq!(marks.first(), Some(12));
        marks.forget_before(13);
        assert_eq!(marks.first(), None);
    }
}
