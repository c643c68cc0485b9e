//! The names of directives.

use super::flags::{Directives, TOKENS};

/// The directives that have a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Parameter {
    UnavailableAfter,
    MaxSnippet,
    MaxImagePreview,
    MaxVideoPreview,
}

/// The names of these directives.
const PARAMETERS: [(&str, Parameter); 4] = [
    ("unavailable_after", Parameter::UnavailableAfter),
    ("max-snippet", Parameter::MaxSnippet),
    ("max-image-preview", Parameter::MaxImagePreview),
    ("max-video-preview", Parameter::MaxVideoPreview),
];

/// Returns the names of the directives that have a value, in lower case.
pub fn parameter_names() -> impl Iterator<Item = &'static str> {
    PARAMETERS.into_iter().map(|(name, _)| name)
}

/// Returns the names of the directives without a value, in lower case.
pub fn names() -> impl Iterator<Item = &'static str> {
    TOKENS.into_iter().map(|(name, _)| name)
}

impl Parameter {
    /// Returns the directive of this name, ASCII case ignored.
    pub(crate) fn from_name(name: &str) -> Option<Self> {
        PARAMETERS
            .iter()
            .find(|(known, _)| known.eq_ignore_ascii_case(name))
            .map(|(_, parameter)| *parameter)
    }
}

/// Returns whether the text begins with a known token or with a name that has a value.
pub(crate) fn begins_with_directive(text: &str) -> bool {
    let text = text.trim_start();
    let word = text
        .split(|c: char| c.is_whitespace() || c == ':')
        .next()
        .unwrap_or_default();
    Directives::from_token(word).is_some() || Parameter::from_name(word).is_some()
}
