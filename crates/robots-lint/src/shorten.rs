//! The shortening of texts in messages.

use robots_policy::text;
use std::borrow::Cow;

/// The maximum length of a quoted text in a message, in characters, with the ellipsis that marks a cut.
const LONGEST: usize = 60;

/// Returns a text, or its start with an ellipsis if it is longer than 60 characters.
pub(crate) fn shortened(text: &str) -> Cow<'_, str> {
    text::shortened(text, LONGEST)
}
