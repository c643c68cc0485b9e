//! The form of patterns and targets: the bytes that a dialect's [`Encoding`] compares.
//!
//! Each encoding percent-encodes some bytes and decodes some escapes: as RFC 9309, 2.2.2 and 2.2.3, as
//! google/robotstxt, and others (docs/semantics.md, sections 1.4, 1.5, 2.2). Encodings that decode
//! escapes treat a `%` that does not begin an escape as data, and write `%25`. Otherwise the bytes
//! decoded after it could form an escape with it: `%%36%31` would become `%61`, and the form of that is `a`. So it is
//! under [`Encoding::Requoted`], as in Protego.
//!
//! In the form of RFC 9309, a literal `*` or `$` of a path is the escape `%2A` or `%24`, in pattern and
//! target. So an unescaped one in a pattern is special.
//!
//! The cost is linear in the bytes. Bytes that are already their own form are borrowed.

use crate::dialect::Encoding;
use crate::pattern::quoted;
use percent_encoding::percent_encode_byte;
use std::borrow::Cow;

/// The role of the bytes, which decides whether `*` and `$` can be special.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Role {
    /// A pattern in which `*` and a final `$` are special.
    Pattern,
    /// A pattern in which they are literal characters.
    Literal,
    Target,
}

/// For each byte, the sets that contain it: one bit for each set. The constants below name the bits.
const PLAIN: [u8; 256] = {
    let mut table = [0; 256];
    let mut byte = 0_u8;
    loop {
        let mut bits = 0;
        let is_bare = is_unreserved(byte) || is_reserved(byte);
        if is_bare {
            bits |= BARE;
            // A `#` would begin a fragment.
            if byte != b'#' {
                bits |= OF_URL;
            }
        }
        let is_bracket = matches!(byte, b'[' | b']');
        // A `$` is escaped, except at the end of a pattern. A bracket is escaped: no path and no query has one.
        if is_bare && byte != b'$' && !is_bracket {
            bits |= PLAIN_PATTERN;
            // A target escapes a `*`, and a `#` would begin a fragment.
            if byte != b'*' && byte != b'#' {
                bits |= PLAIN_URL;
                // After a `=`, `RfcTable` may escape a `:` or `/`.
                if byte != b'=' {
                    bits |= PLAIN_PATH;
                }
            }
        }
        if is_bare && !is_bracket || byte == b'%' {
            bits |= PLAIN_ESCAPED;
        }
        if byte != b'%' {
            bits |= PLAIN_DECODED;
            if byte.is_ascii() {
                bits |= PLAIN_PATTERN_ONLY;
            }
        }
        table[byte as usize] = bits;
        match byte.checked_add(1) {
            Some(next) => byte = next,
            None => break table,
        }
    }
};
/// Unchanged in a target under every encoding but [`Encoding::RfcTable`] and those that quote ([`Encoding::is_quoted`]).
const PLAIN_URL: u8 = 1;
/// Unchanged in a pattern with wildcards under [`Encoding::Unreserved`].
const PLAIN_PATTERN: u8 = 1 << 1;
/// Unchanged under [`Encoding::PatternOnly`].
const PLAIN_PATTERN_ONLY: u8 = 1 << 2;
/// Unchanged under [`Encoding::Decoded`].
const PLAIN_DECODED: u8 = 1 << 3;
/// Unchanged under [`Encoding::Escaped`].
const PLAIN_ESCAPED: u8 = 1 << 4;
/// Unchanged under every encoding that does not quote, in a pattern of any syntax. Only in a group of Conner's version 2.0
/// is one of them (`?`) special.
const PLAIN_PATH: u8 = 1 << 5;
/// Reserved or unreserved (RFC 3986).
const BARE: u8 = 1 << 6;
/// Reserved or unreserved, but not `#`, which would begin a fragment.
const OF_URL: u8 = 1 << 7;

/// Returns whether all the bytes are in the sets of [`PLAIN`] that `bits` name.
#[inline]
fn all_plain(bytes: &[u8], bits: u8) -> bool {
    // Eight at a time, to save a branch for each byte.
    let (eights, rest) = bytes.as_chunks::<8>();
    eights.iter().all(|eight| are_plain(eight, bits)) && are_plain(rest, bits)
}

/// Returns what [`all_plain`] returns, but for a few bytes: it reads all of them, without a branch for each.
#[inline]
fn are_plain(bytes: &[u8], bits: u8) -> bool {
    let common = bytes
        .iter()
        .fold(bits, |common, &byte| common & PLAIN[usize::from(byte)]);
    common == bits
}

/// Returns whether a pattern is its own form under every encoding that does not quote and has no special bytes, except
/// in a group of Conner's version 2.0.
#[inline]
pub(crate) fn is_plain(pattern: &[u8]) -> bool {
    all_plain(pattern, PLAIN_PATH)
}

/// Returns the length of the longest start of `bytes` that [`is_plain`].
#[inline]
pub(crate) fn plain_length(bytes: &[u8]) -> usize {
    let (eights, _) = bytes.as_chunks::<8>();
    let is_plain = |eight: &&[u8; 8]| are_plain(*eight, PLAIN_PATH);
    let length = 8 * eights.iter().take_while(is_plain).count();
    let rest = &bytes[length..];
    let is_other = |byte: &u8| !are_plain(&[*byte], PLAIN_PATH);
    length + rest.iter().position(is_other).unwrap_or(rest.len())
}

/// Returns whether a path has no fragment and is in the form of a target under every encoding but
/// [`Encoding::RfcTable`] and those that quote.
#[inline]
pub(crate) fn is_plain_target(path: &[u8]) -> bool {
    all_plain(path, PLAIN_URL)
}

/// Returns whether all the bytes can be in a URL, before its fragment, unescaped.
#[inline]
pub(crate) fn is_of_url(bytes: &[u8]) -> bool {
    all_plain(bytes, OF_URL)
}

/// Returns the bytes in the form in which `encoding` compares them.
pub(crate) fn normalise(bytes: &[u8], role: Role, encoding: Encoding) -> Cow<'_, [u8]> {
    let is_own_form = match (encoding, role) {
        (Encoding::Exact, _) | (Encoding::PatternOnly, Role::Target) => true,
        (Encoding::PatternOnly, _) => all_plain(bytes, PLAIN_PATTERN_ONLY),
        (Encoding::Decoded, _) => all_plain(bytes, PLAIN_DECODED),
        (Encoding::Escaped, _) => all_plain(bytes, PLAIN_ESCAPED),
        (Encoding::Quoted | Encoding::Requoted, _) => quoted::is_own_form(bytes),
        // A `:` or `/` after the `=` may change.
        (Encoding::RfcTable, _) if bytes.contains(&b'=') => false,
        (_, Role::Pattern) => all_plain(bytes.strip_suffix(b"$").unwrap_or(bytes), PLAIN_PATTERN),
        (_, Role::Literal | Role::Target) => all_plain(bytes, PLAIN_URL),
    };
    if is_own_form {
        return Cow::Borrowed(bytes);
    }
    let form = match encoding {
        Encoding::Decoded => decoded(bytes),
        Encoding::Escaped => escaped(bytes),
        Encoding::Quoted => quoted::quoted(bytes, role),
        Encoding::Requoted => quoted::requoted(bytes, role),
        _ => encoded(bytes, role, encoding),
    };
    if form == bytes {
        Cow::Borrowed(bytes)
    } else {
        Cow::Owned(form)
    }
}

/// Decodes every escape but those of `/` and of `%` (docs/semantics.md, sections 0.2, 3.2).
fn decoded(bytes: &[u8]) -> Vec<u8> {
    let mut form = Vec::with_capacity(bytes.len());
    let mut rest = bytes;
    while let [byte, tail @ ..] = rest {
        let escaped = split_escape(rest);
        rest = tail;
        match escaped {
            Some((octet, after)) => {
                rest = after;
                match octet {
                    b'/' => form.extend(b"%2F"),
                    b'%' => form.extend(b"%25"),
                    octet => form.push(octet),
                }
            }
            None if *byte == b'%' => form.extend(b"%25"),
            None => form.push(*byte),
        }
    }
    form
}

/// Encodes the bytes that cannot be in a path for Perl's URI module, and changes nothing else
/// (docs/semantics.md, section 3.4).
fn escaped(bytes: &[u8]) -> Vec<u8> {
    let mut form = Vec::with_capacity(bytes.len() * 2);
    for &byte in bytes {
        if all_plain(&[byte], PLAIN_ESCAPED) {
            form.push(byte);
        } else {
            form.extend_from_slice(percent_encode_byte(byte).as_bytes());
        }
    }
    form
}

/// Returns the form under [`Encoding::Unreserved`], [`Encoding::RfcTable`] or
/// [`Encoding::PatternOnly`].
fn encoded(bytes: &[u8], role: Role, encoding: Encoding) -> Vec<u8> {
    let mut form = Vec::with_capacity(bytes.len() * 2);
    let mut parameter = Parameter::default();
    let mut rest = bytes;
    while let [byte, tail @ ..] = rest {
        rest = tail;
        let in_value = encoding == Encoding::RfcTable && parameter.step(*byte);
        match (byte, tail) {
            // An escape of an unreserved octet is decoded, except by google/robotstxt; any other
            // escape stays, with upper-case digits.
            (b'%', [high, low, after @ ..]) if octet(*high, *low).is_some() => {
                rest = after;
                match octet(*high, *low) {
                    Some(bare) if is_unreserved(bare) && encoding != Encoding::PatternOnly => {
                        form.push(bare);
                    }
                    _ => form.extend([b'%', high.to_ascii_uppercase(), low.to_ascii_uppercase()]),
                }
            }
            (b'*', _) if role == Role::Pattern => form.push(b'*'),
            (b'$', []) if role == Role::Pattern => form.push(b'$'),
            _ if must_escape(*byte, encoding) || in_value && matches!(byte, b':' | b'/') => {
                form.extend_from_slice(percent_encode_byte(*byte).as_bytes());
            }
            _ => form.push(*byte),
        }
    }
    form
}

/// The state of a reader of a URL or a pattern: whether it is in the value of a query parameter, after its first `=`.
#[derive(Default)]
struct Parameter {
    in_query: bool,
    in_value: bool,
}

impl Parameter {
    /// Reads the next byte, and returns whether it is in a value.
    fn step(&mut self, byte: u8) -> bool {
        match byte {
            b'?' if !self.in_query => self.in_query = true,
            b'&' => self.in_value = false,
            b'=' if self.in_query && !self.in_value => {
                self.in_value = true;
                return false;
            }
            _ => {}
        }
        self.in_value
    }
}

/// Returns whether an encoding escapes a byte that is literal and does not begin an escape.
fn must_escape(byte: u8, encoding: Encoding) -> bool {
    match encoding {
        Encoding::PatternOnly => !byte.is_ascii(),
        Encoding::Unreserved | Encoding::RfcTable => {
            !is_bare(byte) || matches!(byte, b'*' | b'$' | b'[' | b']')
        }
        Encoding::Decoded
        | Encoding::Exact
        | Encoding::Escaped
        | Encoding::Quoted
        | Encoding::Requoted => false,
    }
}

/// Returns whether a byte is unreserved (RFC 3986, 2.3).
pub(crate) const fn is_unreserved(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_' | b'~')
}

/// Returns whether a byte is reserved (RFC 3986, 2.2).
const fn is_reserved(byte: u8) -> bool {
    matches!(
        byte,
        b':' | b'/'
            | b'?'
            | b'#'
            | b'['
            | b']'
            | b'@'
            | b'!'
            | b'$'
            | b'&'
            | b'\''
            | b'('
            | b')'
            | b'*'
            | b'+'
            | b','
            | b';'
            | b'='
    )
}

/// Returns whether a byte is unreserved or reserved: it can be in a URL unescaped.
#[inline]
pub(crate) fn is_bare(byte: u8) -> bool {
    all_plain(&[byte], BARE)
}

/// Returns the octet of the escape that a text begins with, and the text after it.
pub(super) fn split_escape(text: &[u8]) -> Option<(u8, &[u8])> {
    match text {
        [b'%', high, low, after @ ..] => octet(*high, *low).map(|octet| (octet, after)),
        _ => None,
    }
}

/// Returns the octet of two hexadecimal digits; `None` if one is not a digit.
fn octet(high: u8, low: u8) -> Option<u8> {
    let digit = |byte: u8| char::from(byte).to_digit(16);
    u8::try_from(digit(high)? * 16 + digit(low)?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn encoding_is_idempotent(bytes in "[/%0-9a-f?=:*$é]{0,16}") {
            for role in [Role::Pattern, Role::Literal, Role::Target] {
                for encoding in [
                    Encoding::Unreserved,
                    Encoding::RfcTable,
                    Encoding::PatternOnly,
                    Encoding::Decoded,
                    Encoding::Exact,
                    Encoding::Escaped,
                    Encoding::Quoted,
                ] {
                    // The form of a pattern may begin with two slashes, which are then read as those of an authority.
                    if encoding == Encoding::Quoted && role != Role::Target {
                        continue;
                    }
                    let once = normalise(bytes.as_bytes(), role, encoding).into_owned();
                    let twice = normalise(&once, role, encoding).into_owned();
                    prop_assert_eq!(once, twice);
                }
            }
        }
    }

    fn form(bytes: &str, role: Role, encoding: Encoding) -> String {
        String::from_utf8(normalise(bytes.as_bytes(), role, encoding).into_owned()).unwrap()
    }

    #[test]
    fn rfc_9309_decodes_only_unreserved_characters() {
        let both = [
            ("/foo/bar?baz=quz", "/foo/bar?baz=quz"),
            ("/ツ", "/%E3%83%84"),
            ("/%e3%83%84", "/%E3%83%84"),
            ("/%62%61%7A", "/baz"),
            ("/%7efred", "/~fred"),
            ("/a%2fb", "/a%2Fb"),
            ("/a<b c", "/a%3Cb%20c"),
            ("/a[b]", "/a%5Bb%5D"),
            ("/a%3cb", "/a%3Cb"),
            ("/100%", "/100%25"),
            ("/%4", "/%254"),
            ("/%zz", "/%25zz"),
            ("/%6%63", "/%256c"),
            ("/foo$bar", "/foo%24bar"),
            ("/%2a%24", "/%2A%24"),
        ];
        for (bytes, expected) in both {
            for role in [Role::Pattern, Role::Target] {
                assert_eq!(form(bytes, role, Encoding::Unreserved), expected);
            }
        }
        assert_eq!(form("/*a$", Role::Pattern, Encoding::Unreserved), "/*a$");
        assert_eq!(form("/*a$", Role::Target, Encoding::Unreserved), "/%2Aa%24");
    }

    #[test]
    fn the_table_of_the_rfc_encodes_data_in_queries() {
        let table = |bytes| form(bytes, Role::Pattern, Encoding::RfcTable);
        assert_eq!(
            table("/foo/bar?baz=https://foo.bar"),
            "/foo/bar?baz=https%3A%2F%2Ffoo.bar"
        );
        assert_eq!(table("/a=b/c?d/e=f/g&h/i=*/"), "/a=b/c?d/e=f%2Fg&h/i=*%2F");
    }

    #[test]
    fn the_drafts_decode_all_but_the_slash() {
        let cases = [
            ("/%7ejoe", "/~joe"),
            ("/a%3cd", "/a<d"),
            ("/a%2fb", "/a%2Fb"),
            ("/100%", "/100%25"),
            ("/100%25", "/100%25"),
            ("/%252F", "/%252F"),
            ("/%2A*$", "/**$"),
        ];
        for (bytes, expected) in cases {
            for role in [Role::Literal, Role::Target] {
                assert_eq!(form(bytes, role, Encoding::Decoded), expected);
            }
        }
    }

    #[test]
    fn google_encodes_patterns_and_leaves_targets() {
        let pattern = |bytes| form(bytes, Role::Pattern, Encoding::PatternOnly);
        assert_eq!(pattern("/SanJoséSellers"), "/SanJos%C3%A9Sellers");
        assert_eq!(pattern("/%aa%7e a$b*"), "/%AA%7E a$b*");
        assert_eq!(pattern("/%a"), "/%a");
        assert_eq!(form("/é%aa", Role::Target, Encoding::PatternOnly), "/é%aa");
    }
}
