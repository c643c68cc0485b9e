//! Labels of encodings in questions.

use encoding_rs::Encoding;
use thiserror::Error as ThisError;

/// A label that names no encoding.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ThisError)]
#[error("expected an encoding, such as utf-8 or windows-1252")]
#[allow(clippy::exhaustive_structs, reason = "the question has the label")]
pub struct UnknownCharset;

/// Returns the label of an encoding, of those that browsers know (<https://encoding.spec.whatwg.org/#names-and-labels>).
///
/// # Errors
///
/// If it names none.
pub fn charset(label: &str) -> Result<String, UnknownCharset> {
    let known = Encoding::for_label(label.as_bytes());
    known.map(|_| label.to_owned()).ok_or(UnknownCharset)
}
