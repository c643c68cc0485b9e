//! `Comment: text`: a message that a robot is to send to its author. Sean Conner's extended
//! standard (docs/semantics.md, section 3.3). It is not the text after a `#`.

/// A message, with its line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Comment<'a> {
    line: usize,
    text: &'a [u8],
}

impl<'a> Comment<'a> {
    /// Takes a value as it is; `None` if it is empty.
    pub(crate) fn read(line: usize, value: &'a [u8]) -> Option<Self> {
        (!value.is_empty()).then_some(Self { line, text: value })
    }

    /// Returns the number of the line, from 1.
    pub fn line(&self) -> usize {
        self.line
    }

    /// Returns the message as written, in no particular character encoding.
    pub fn text(&self) -> &'a [u8] {
        self.text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_is_kept_as_written() {
        let comment = Comment::read(4, b"Ask us: we are nice\xFF").unwrap();
        assert_eq!(comment.line(), 4);
        assert_eq!(comment.text(), b"Ask us: we are nice\xFF");
        assert_eq!(Comment::read(4, b""), None);
    }
}
