//! The shortening of texts in messages.

use std::borrow::Cow;

/// The maximum length of a quoted text in a message, in characters, with the ellipsis that marks a cut.
const LONGEST: usize = 60;

/// Returns a text, or its start with an ellipsis if it is longer than 60 characters.
pub(crate) fn shortened(text: &str) -> Cow<'_, str> {
    if text.char_indices().nth(LONGEST).is_none() {
        return Cow::Borrowed(text);
    }
    let end = text.char_indices().nth(LONGEST - 1);
    let start = end.and_then(|(end, _)| text.get(..end));
    Cow::Owned(format!("{}…", start.unwrap_or_default()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_cut_after_their_limit() {
        let text = "é".repeat(LONGEST);
        assert_eq!(shortened(&text), text);
        let cut = format!("{}…", "é".repeat(LONGEST - 1));
        assert_eq!(shortened(&"é".repeat(LONGEST + 1)), cut);
    }
}
