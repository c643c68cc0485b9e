//! Small functions on bytes: white space, byte order marks, offsets and numbers.

use std::ops::Range;

/// The UTF-8 byte order mark.
const BYTE_ORDER_MARK: &[u8] = b"\xEF\xBB\xBF";

/// Returns the number of leading bytes that match a UTF-8 byte order mark: 0 to 3.
pub fn byte_order_mark(body: &[u8]) -> usize {
    body.iter()
        .zip(BYTE_ORDER_MARK)
        .take_while(|(byte, mark)| byte == mark)
        .count()
}

/// Returns the bytes without ASCII white space (space, tab, LF, VT, FF, CR) at both ends.
///
/// RFC 9309 names space and tab. google/robotstxt strips all six.
pub fn trim(mut bytes: &[u8]) -> &[u8] {
    while let [first, rest @ ..] = bytes {
        if !is_space(*first) {
            break;
        }
        bytes = rest;
    }
    while let [rest @ .., last] = bytes {
        if !is_space(*last) {
            break;
        }
        bytes = rest;
    }
    bytes
}

/// Returns the range in bytes of `part` in `body`. `part` must be a slice of `body`, as their addresses are compared; for any other,
/// the range has no meaning.
///
/// ```
/// use robots_txt::parse::{range_in, trim};
///
/// let body = b"  /a ";
/// assert_eq!(range_in(body, trim(body)), 2..4);
/// ```
pub fn range_in(body: &[u8], part: &[u8]) -> Range<usize> {
    let start = part.as_ptr().addr().saturating_sub(body.as_ptr().addr());
    start..start + part.len()
}

/// Returns whether a byte is ASCII white space: space, tab, LF, VT, FF or CR.
pub fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t'..=b'\r')
}

/// Reads a number in decimal digits. `None` if another byte is present, if there is no digit, or if the
/// number is greater than [`u32::MAX`].
pub(crate) fn number(digits: &[u8]) -> Option<u32> {
    u32::try_from(saturating_number(digits)?).ok()
}

/// Reads a number in decimal digits; one that is too large is [`u64::MAX`]. `None` if another byte is present, or if there is no digit.
pub(crate) fn saturating_number(digits: &[u8]) -> Option<u64> {
    // `parse` alone would take a sign.
    let is_number = !digits.is_empty() && digits.iter().all(u8::is_ascii_digit);
    is_number.then(|| {
        let text = str::from_utf8(digits).unwrap_or_default();
        text.parse().unwrap_or(u64::MAX)
    })
}

/// Returns whether a body begins like an HTML page, such as an error page (docs/semantics.md, section 8.1). Reads nothing after
/// the first characters that are not white space.
///
/// ```
/// use robots_txt::parse::looks_like_html;
///
/// assert!(looks_like_html(b"\n<!DOCTYPE html>\n<title>Not found</title>"));
/// assert!(!looks_like_html(b"User-agent: *\nDisallow: /<html>\n"));
/// ```
pub fn looks_like_html(body: &[u8]) -> bool {
    let text = body.get(byte_order_mark(body)..).unwrap_or_default();
    let start = text.iter().position(|byte| !is_space(*byte));
    let start = text.get(start.unwrap_or(text.len())..).unwrap_or_default();
    ["<!doctype", "<html", "<head", "<body", "<?xml", "<!--"]
        .iter()
        .any(|tag| {
            start
                .get(..tag.len())
                .is_some_and(|found| found.eq_ignore_ascii_case(tag.as_bytes()))
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_digits_only() {
        assert_eq!(number(b"0"), Some(0));
        assert_eq!(number(b"4294967295"), Some(u32::MAX));
        for junk in ["", "+1", "-1", "1 ", "4294967296", "٣"] {
            assert_eq!(number(junk.as_bytes()), None, "{junk:?}");
        }
    }
}
