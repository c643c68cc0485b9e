//! Text from outside, made safe to print.

use std::borrow::Cow;
use std::fmt::Write;

/// The text with its control characters escaped: a page or an archive must not be able to speak to
/// the terminal.
pub(crate) fn printable(text: &str) -> Cow<'_, str> {
    if !text.chars().any(char::is_control) {
        return Cow::Borrowed(text);
    }
    let mut safe = String::with_capacity(text.len());
    for c in text.chars() {
        if c.is_control() {
            // Writing to a string cannot fail.
            let _ = write!(safe, "{}", c.escape_default());
        } else {
            safe.push(c);
        }
    }
    Cow::Owned(safe)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_characters_are_escaped() {
        assert_eq!(printable("caf\u{e9}"), "caf\u{e9}");
        assert_eq!(
            printable("a\u{1b}[2J\u{7}b\nc\u{9b}"),
            "a\\u{1b}[2J\\u{7}b\\nc\\u{9b}"
        );
    }
}
