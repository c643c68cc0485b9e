//! The forms of [`Encoding::Quoted`] and [`Encoding::Requoted`]: texts decoded and encoded again, as
//! urllib.robotparser and Protego do (docs/semantics.md, sections 3.5, 3.6).
//!
//! The cost is linear in the bytes. A form has at most three times as many bytes as its text: an escape of
//! three bytes that is not UTF-8 becomes U+FFFD, which has nine.

use crate::dialect::Encoding;
use crate::parse::text::trim;
use crate::pattern::encoding::{Role, is_unreserved, split_escape};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode, percent_encode};
use std::borrow::Cow;

/// The bytes that are encoded, in addition to those beyond ASCII.
const ENCODED: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'.')
    .remove(b'_')
    .remove(b'~')
    .remove(b'/');

/// The bytes that are encoded under [`Encoding::Requoted`]. The escapes that are left have a `%`.
const REQUOTED: &AsciiSet = &ENCODED.remove(b'=').remove(b'%');

/// Returns whether a text certainly is its own form.
pub(super) fn is_own_form(text: &[u8]) -> bool {
    // Two slashes may begin an authority.
    !text.starts_with(b"//") && text.iter().all(|&byte| is_unreserved(byte) || byte == b'/')
}

/// Returns the form of a pattern or of the path and query of a target.
pub(super) fn quoted(text: &[u8], role: Role) -> Vec<u8> {
    let decoded = match role {
        Role::Target => unquoted(text),
        Role::Pattern | Role::Literal => unquoted(trimmed(text)),
    };
    let mut rest = &*without_line_ends(&decoded);
    let mut authority: &[u8] = &[];
    if role != Role::Target {
        let is_dropped = |byte: &u8| *byte <= b' ';
        while let [first, tail @ ..] = rest
            && is_dropped(first)
        {
            rest = tail;
        }
        if let Some(after) = rest.strip_prefix(b"//") {
            let end = after.iter().position(|byte| b"/?#".contains(byte));
            let end = end.unwrap_or(after.len());
            if end == 0 {
                // An empty authority is left out with its slashes.
                rest = after;
            } else {
                (authority, rest) = rest.split_at(end + 2);
            }
        }
    }
    let (rest, fragment) = split_before(rest, b'#');
    let (path, query) = split_before(rest, b'?');
    // Parameters belong to the last segment.
    let segment = path.iter().rposition(|&byte| byte == b'/').unwrap_or(0);
    let (folder, segment) = path.split_at(segment);
    let (segment, parameters) = split_before(segment, b';');
    let mut form = Vec::with_capacity(text.len());
    let optional = [parameters, query, fragment].map(without_lone_mark);
    for part in [authority, folder, segment].into_iter().chain(optional) {
        for piece in percent_encode(part, ENCODED) {
            form.extend_from_slice(piece.as_bytes());
        }
    }
    form
}

/// Returns the form of a pattern or of the path and query of a target under [`Encoding::Requoted`].
pub(super) fn requoted(text: &[u8], role: Role) -> Vec<u8> {
    let (text, anchor) = match text {
        [text @ .., b'$'] if role == Role::Pattern => (text, &b"$"[..]),
        text => (text, &[][..]),
    };
    let decoded = without_most_escapes(text, role);
    let decoded = String::from_utf8_lossy(&decoded);
    let mut form = requoted_bytes(decoded.as_bytes(), role);
    form.extend_from_slice(anchor);
    form
}

/// Returns a text with its escapes decoded but those of `/`, `%` and, in a pattern, `*`; their digits become
/// upper-case.
fn without_most_escapes(text: &[u8], role: Role) -> Vec<u8> {
    let mut decoded = Vec::with_capacity(text.len());
    let mut rest = text;
    while let [byte, tail @ ..] = rest {
        match split_escape(rest) {
            Some((b'*', after)) if role != Role::Target => {
                decoded.extend(b"%2A");
                rest = after;
            }
            Some((octet @ (b'/' | b'%'), after)) => {
                decoded.extend(if octet == b'/' { b"%2F" } else { b"%25" });
                rest = after;
            }
            Some((octet, after)) => {
                decoded.push(octet);
                rest = after;
            }
            None => {
                decoded.push(*byte);
                rest = tail;
            }
        }
    }
    decoded
}

/// Encodes a text whose escapes are decoded.
fn requoted_bytes(decoded: &[u8], role: Role) -> Vec<u8> {
    let encoded = match role {
        Role::Pattern => percent_encode(decoded, const { &REQUOTED.remove(b'*') }),
        Role::Literal | Role::Target => percent_encode(decoded, REQUOTED),
    };
    encoded.collect::<String>().into_bytes()
}

/// Returns the form of a part of a path, if what is around it makes it neither invalid nor empty.
pub(crate) fn quoted_part(part: &[u8], encoding: Encoding) -> Vec<u8> {
    if encoding == Encoding::Requoted {
        return requoted_bytes(&without_most_escapes(part, Role::Target), Role::Target);
    }
    let decoded: Vec<u8> = percent_decode(part).collect();
    let encoded = percent_encode(&without_line_ends(&decoded), ENCODED).collect::<String>();
    encoded.into_bytes()
}

/// Returns whether a form has U+FFFD.
pub(crate) fn has_replacement(form: &[u8]) -> bool {
    form.windows(9).any(|bytes| bytes == b"%EF%BF%BD")
}

/// Splits a text before the first of these bytes; the second part is empty if there is none.
fn split_before(text: &[u8], mark: u8) -> (&[u8], &[u8]) {
    let at = text.iter().position(|&byte| byte == mark);
    text.split_at(at.unwrap_or(text.len()))
}

/// Returns a part that begins with a mark; nothing if nothing follows the mark.
fn without_lone_mark(part: &[u8]) -> &[u8] {
    if part.len() == 1 { &[] } else { part }
}

/// Returns a text without tabs and line ends.
fn without_line_ends(text: &[u8]) -> Cow<'_, [u8]> {
    let is_removed = |byte: &u8| matches!(byte, b'\t' | b'\r' | b'\n');
    if !text.iter().any(is_removed) {
        return Cow::Borrowed(text);
    }
    text.iter()
        .copied()
        .filter(|byte| !is_removed(byte))
        .collect()
}

/// Returns a text with its escapes decoded. Where the octets between two characters beyond ASCII are not
/// UTF-8, U+FFFD takes their place; bytes that the text itself has are kept.
fn unquoted(text: &[u8]) -> Cow<'_, [u8]> {
    if !text.contains(&b'%') {
        return Cow::Borrowed(text);
    }
    let mut decoded = Vec::with_capacity(text.len());
    for run in text.chunk_by(|one, two| one.is_ascii() == two.is_ascii()) {
        if run.is_ascii() {
            let run = percent_decode(run).decode_utf8_lossy();
            decoded.extend_from_slice(run.as_bytes());
        } else {
            decoded.extend_from_slice(run);
        }
    }
    Cow::Owned(decoded)
}

/// Returns the name in a `User-agent` line, decoded, without white space around it as written.
pub(crate) fn unquoted_name(name: &[u8]) -> Cow<'_, str> {
    match unquoted(trimmed(name)) {
        Cow::Borrowed(name) => String::from_utf8_lossy(name),
        Cow::Owned(name) => Cow::Owned(String::from_utf8_lossy(&name).into_owned()),
    }
}

/// Returns whether a value has nothing but white space.
pub(crate) fn is_blank(value: &[u8]) -> bool {
    trimmed(value).is_empty()
}

/// Returns a text without the white space of Unicode at both ends. The separators of ASCII (FS, GS, RS, US)
/// are white space for Python.
fn trimmed(text: &[u8]) -> &[u8] {
    let is_white =
        |character: char| character.is_whitespace() || ('\u{1C}'..='\u{1F}').contains(&character);
    let is_inner = |byte: &u8| byte.is_ascii_graphic();
    // The first and last characters decide; most are printable.
    if text.first().is_some_and(is_inner) && text.last().is_some_and(is_inner) {
        return text;
    }
    match std::str::from_utf8(text) {
        Ok(text) => text.trim_matches(is_white).as_bytes(),
        Err(_) => trim(text),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn form(text: &[u8], role: Role) -> String {
        String::from_utf8(quoted(text, role)).unwrap()
    }

    #[test]
    fn everything_is_decoded_and_encoded_again() {
        for (text, expected) in [
            ("/a%2fb%3Fc", "/a/b%3Fc"),
            ("/é%C3%A9", "/%C3%A9%C3%A9"),
            ("/%C3é%A9", "/%EF%BF%BD%C3%A9%EF%BF%BD"),
            ("/%2541%zz%", "/%2541%25zz%25"),
            ("/*$[x]~%7E", "/%2A%24%5Bx%5D~~"),
            ("/a\tb%0A%0Dc", "/abc"),
        ] {
            for role in [Role::Target, Role::Literal, Role::Pattern] {
                assert_eq!(form(text.as_bytes(), role), expected, "{text}");
            }
        }
        // Bytes that are not UTF-8 as written stay.
        assert_eq!(form(b"/\xFF", Role::Target), "/%FF");
    }

    #[test]
    fn most_escapes_are_decoded_and_encoded_again() {
        let form = |text: &[u8], role| String::from_utf8(requoted(text, role)).unwrap();
        for (text, expected) in [
            ("/a?b=c%3Dd", "/a%3Fb=c=d"),
            ("/a%2fb%25%7e%", "/a%2Fb%25~%"),
            ("/é%C3%a9%A9", "/%C3%A9%C3%A9%EF%BF%BD"),
            ("/%%36%31", "/%61"),
            ("/a$b%24", "/a%24b%24"),
        ] {
            for role in [Role::Target, Role::Literal, Role::Pattern] {
                assert_eq!(form(text.as_bytes(), role), expected, "{text}");
            }
        }
        assert_eq!(form(b"/*%2a$", Role::Pattern), "/*%2A$");
        assert_eq!(form(b"/*%2a$", Role::Target), "/%2A%2A%24");
        assert_eq!(form(b"/\xFF", Role::Target), "/%EF%BF%BD");
    }

    #[test]
    fn empty_parts_are_left_out() {
        for (text, expected) in [
            ("/a?", "/a"),
            ("/a;", "/a"),
            ("/a;/b", "/a%3B/b"),
            ("/a;b;", "/a%3Bb%3B"),
            ("/a??", "/a%3F%3F"),
            ("/a;?%23", "/a"),
            ("/a?%23b", "/a%23b"),
        ] {
            for role in [Role::Target, Role::Literal] {
                assert_eq!(form(text.as_bytes(), role), expected, "{text}");
            }
        }
        for (text, of_target, of_pattern) in [
            ("//a", "//a", "//a"),
            ("//", "//", ""),
            ("//a?", "//a", "//a"),
            ("///a", "///a", "/a"),
            ("////a", "////a", "//a"),
        ] {
            assert_eq!(form(text.as_bytes(), Role::Target), of_target);
            assert_eq!(form(text.as_bytes(), Role::Literal), of_pattern);
        }
        assert_eq!(form("\u{a0} %20%09/a".as_bytes(), Role::Literal), "/a");
        assert_eq!(form(b"?", Role::Literal), "");
    }

    #[test]
    fn a_form_has_at_most_three_times_the_bytes() {
        for text in ["%FF%FE", "\u{1F600}", "%%%", "****", "%E2%82"] {
            assert!(quoted(text.as_bytes(), Role::Literal).len() <= 3 * text.len());
        }
        assert_eq!(quoted(b"\xFF\xFF", Role::Literal).len(), 6);
    }

    #[test]
    fn the_own_form_is_known() {
        for text in ["/", "/a-b._~/1", "", "a"] {
            assert!(is_own_form(text.as_bytes()));
            assert_eq!(form(text.as_bytes(), Role::Literal), text);
        }
        assert!(!is_own_form(b"//a") && !is_own_form(b"/?"));
    }
}
