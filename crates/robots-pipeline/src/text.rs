//! Text from archives and pages, made safe for terminals.

use std::borrow::Cow;
use std::error::Error;
use std::fmt::Write;

/// Returns the text with its control characters escaped, so that a page or an archive cannot control the terminal.
pub fn printable(text: &str) -> Cow<'_, str> {
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

/// Returns an error and its causes as one line: `cannot read a.warc: permission denied`.
pub fn with_causes(error: &dyn Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(source) = cause {
        let _ = write!(text, ": {source}");
        cause = source.source();
    }
    text
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
