//! Targets: the path and query of a URL, brought once into the forms in which rules are compared.
//!
//! The form of a path is the bytes that a dialect's [`Encoding`] compares. A target keeps up to three:
//! the raw one, that of google/robotstxt and the normalised one of RFC 9309; the others are made from
//! these on request.

use crate::dialect::{Encoding, NulByte};
use crate::pattern::encoding::{Role, is_plain_target, normalise};
use memchr::memchr;
use std::borrow::Cow;
use std::fmt;

/// The path and query of a URL, ready to be compared with rules.
///
/// Rules never look at scheme, host, user or fragment. A URL without a path has the path `/` (RFC
/// 9309, 2.2.2; docs/semantics.md, section 8.3). Any bytes are accepted: a text that is not a URL
/// is read as far as it resembles one; a text that begins with `/` is a path.
///
/// A path that is the same in all forms is borrowed from the URL: nothing is allocated for it.
///
/// ```
/// use robots_txt::Target;
///
/// let target = Target::new("https://example.com/a%62c?x=1#top");
/// assert_eq!(target.path(), b"/abc?x=1");
/// assert_eq!(Target::new("https://example.com").path(), b"/");
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct Target<'u> {
    /// Path and query by RFC 3986, as in the URL.
    raw: Cow<'u, [u8]>,
    /// Path and query by google/robotstxt, if they differ from `raw`.
    google: Option<Box<[u8]>>,
    /// Path and query in the form of RFC 9309, if it differs from `raw`.
    normalised: Option<Box<[u8]>>,
}

impl<'u> Target<'u> {
    /// Reads path and query of a URL. Linear in its bytes.
    pub fn new<U: AsRef<[u8]> + ?Sized>(url: &'u U) -> Self {
        let url = url.as_ref();
        if let Some(path) = plain_path(url) {
            return Self {
                raw: Cow::Borrowed(path),
                google: None,
                normalised: None,
            };
        }
        let raw = path(url);
        let google = google_path(url);
        let normalised = match normalise(&raw, Role::Target, Encoding::Unreserved) {
            Cow::Borrowed(_) => None,
            Cow::Owned(form) => Some(form.into_boxed_slice()),
        };
        Self {
            google: (*google != *raw).then(|| google.into_owned().into_boxed_slice()),
            normalised,
            raw,
        }
    }

    /// Reads a path and query that begins with a slash. Two slashes begin a path here, not a host.
    ///
    /// ```
    /// use robots_txt::Target;
    ///
    /// assert_eq!(Target::of_path("//a/b").path(), b"//a/b");
    /// assert_eq!(Target::new("//a/b").path(), b"/b");
    /// ```
    pub fn of_path(path: &'u str) -> Self {
        if path.starts_with("//") {
            Target::new(&format!("https://example.com{path}")).into_owned()
        } else {
            Self::new(path)
        }
    }

    /// Returns path and query in the form of RFC 9309 ([`Encoding::Unreserved`]): always begins with `/`.
    pub fn path(&self) -> &[u8] {
        self.normalised.as_deref().unwrap_or(&self.raw)
    }

    /// Returns the same target, which then owns its bytes.
    pub fn into_owned(self) -> Target<'static> {
        Target {
            raw: Cow::Owned(self.raw.into_owned()),
            google: self.google,
            normalised: self.normalised,
        }
    }

    /// Returns path and query in the form that `encoding` compares.
    #[inline]
    pub(crate) fn form(&self, encoding: Encoding) -> Cow<'_, [u8]> {
        match encoding {
            Encoding::Unreserved => Cow::Borrowed(self.path()),
            Encoding::PatternOnly => Cow::Borrowed(self.google.as_deref().unwrap_or(&self.raw)),
            Encoding::Exact => Cow::Borrowed(&self.raw),
            Encoding::RfcTable => normalise(self.path(), Role::Target, encoding),
            Encoding::Decoded | Encoding::Escaped | Encoding::Quoted | Encoding::Requoted => {
                normalise(&self.raw, Role::Target, encoding)
            }
        }
    }

    /// Returns path and query in the form that rules are compared with: [`form`](Self::form), but only up
    /// to the first NUL where a NUL ends a text.
    #[inline]
    pub(crate) fn form_for_rules(&self, encoding: Encoding, nul_byte: NulByte) -> Cow<'_, [u8]> {
        // The normalised form escapes a NUL, so it differs from a raw path that has one. The path by
        // google/robotstxt may have a NUL of its own only if it differs from the raw path.
        let has_no_nul = self.normalised.is_none() && self.google.is_none();
        if nul_byte == NulByte::Keep || has_no_nul {
            return self.form(encoding);
        }
        let whole = match (encoding, &self.google) {
            (Encoding::PatternOnly, Some(google)) => google,
            _ => &*self.raw,
        };
        match memchr(0, whole).and_then(|nul| whole.get(..nul)) {
            Some(start) => normalise(start, Role::Target, encoding),
            None => self.form(encoding),
        }
    }
}

impl fmt::Display for Target<'_> {
    /// Writes path and query in the form of RFC 9309; bytes beyond ASCII are escaped.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.path().escape_ascii())
    }
}

impl fmt::Debug for Target<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Target({})", self.path().escape_ascii())
    }
}

/// Returns path and query of a plain URL, the same in all forms: a path, or scheme,
/// authority and path.
#[inline]
fn plain_path(url: &[u8]) -> Option<&[u8]> {
    let path = match url {
        // Two slashes begin an authority.
        [b'/', b'/', ..] => return None,
        [b'/', ..] => url,
        _ => {
            // Most schemes are `http` and `https`; `path` reads all others.
            let rest = url.strip_prefix(b"http")?;
            let rest = rest.strip_prefix(b"s").unwrap_or(rest);
            let rest = rest.strip_prefix(b"://")?;
            match rest.get(authority_end(rest)?..)? {
                path @ [b'/', ..] => path,
                // The authority ends at a `?`, `#` or `;`: `path` and `google_path` read such a URL.
                _ => return None,
            }
        }
    };
    is_plain_target(path).then_some(path)
}

/// Returns the offset of the first byte that ends an authority for [`path`] or for [`google_path`]. Reads eight bytes at a
/// time, as nearly all URLs have an authority.
///
/// Not inlined: the loop over the path in [`plain_path`] would then have more instructions.
#[inline(never)]
fn authority_end(bytes: &[u8]) -> Option<usize> {
    const LOWEST: u64 = u64::from_ne_bytes([1; 8]);
    const HIGHEST: u64 = LOWEST << 7;
    let (eights, rest) = bytes.as_chunks::<8>();
    for (number, eight) in eights.iter().enumerate() {
        let word = u64::from_le_bytes(*eight);
        // The highest bit of each byte that is one of the four. Above the first such byte, bits of others may be set, too.
        let ends = [b'/', b'?', b'#', b';'].map(|end| {
            let zero_if_end = word ^ u64::from_ne_bytes([end; 8]);
            zero_if_end.wrapping_sub(LOWEST) & !zero_if_end & HIGHEST
        });
        let ends = ends.into_iter().fold(0, |all, ends| all | ends);
        if ends != 0 {
            let at = ends.trailing_zeros() as usize / 8;
            return Some(number * 8 + at);
        }
    }
    let at = rest
        .iter()
        .position(|byte| matches!(byte, b'/' | b'?' | b'#' | b';'))?;
    Some(bytes.len() - rest.len() + at)
}

/// Returns path and query by RFC 3986, 3: after scheme and authority, before the fragment.
fn path(url: &[u8]) -> Cow<'_, [u8]> {
    let url = url.split(|&byte| byte == b'#').next().unwrap_or_default();
    let authority = if url.starts_with(b"//") {
        2
    } else {
        scheme_end(url, b"/?").unwrap_or(0)
    };
    from_path(url, authority, url.len(), b"/?")
}

/// Returns path, parameters and query as google/robotstxt takes them out of a URL (docs/semantics.md,
/// section 2.2): it looks for `;` too, which may be in an authority.
fn google_path(url: &[u8]) -> Cow<'_, [u8]> {
    let skip = if url.starts_with(b"//") { 2 } else { 0 };
    let rest = &url[skip..];
    let authority = scheme_end(rest, b"/?;").unwrap_or(0) + skip;
    let fragment = rest
        .iter()
        .position(|&byte| byte == b'#')
        .map_or(url.len(), |at| at + skip);
    from_path(url, authority, fragment, b"/?;")
}

/// Returns the offset after `://`; `None` if there is none, or if one of `path_starts` is before it.
fn scheme_end(url: &[u8], path_starts: &[u8]) -> Option<usize> {
    let colon = url.windows(3).position(|window| window == b"://")?;
    if url[..colon].iter().any(|byte| path_starts.contains(byte)) {
        return None;
    }
    Some(colon + 3)
}

/// Returns the part of `url` that begins at the first of `path_starts` at or after `from`, and ends at
/// `end`; `/` if none of them is in between. A slash is added at its start if it has none.
fn from_path<'u>(url: &'u [u8], from: usize, end: usize, path_starts: &[u8]) -> Cow<'u, [u8]> {
    let part = url
        .get(from..end)
        .and_then(|part| {
            let start = part.iter().position(|byte| path_starts.contains(byte))?;
            part.get(start..)
        })
        .unwrap_or(b"/");
    match part {
        [b'/', ..] => Cow::Borrowed(part),
        _ => Cow::Owned([b"/", part].concat()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_found_in_a_url() {
        let cases = [
            ("http://www.example.com", "/"),
            ("http://www.example.com/", "/"),
            ("http://www.example.com/a/b?c=d#e", "/a/b?c=d"),
            ("http://www.example.com?c", "/?c"),
            ("http://www.example.com#/a", "/"),
            ("//a.example/b/c", "/b/c"),
            ("a.example/b/c", "/b/c"),
            ("/b/c?d=http://e", "/b/c?d=http://e"),
            ("", "/"),
            ("?x", "/?x"),
            ("http://a.example//b", "//b"),
        ];
        for (url, expected) in cases {
            assert_eq!(*path(url.as_bytes()), *expected.as_bytes(), "{url}");
            assert_eq!(*google_path(url.as_bytes()), *expected.as_bytes(), "{url}");
        }
    }

    #[test]
    fn an_authority_ends_at_the_first_of_four_bytes() {
        let by_byte = |bytes: &[u8]| bytes.iter().position(|byte| b"/?#;".contains(byte));
        for length in 0..20 {
            for at in 0..length {
                for byte in 0..=u8::MAX {
                    // The bytes next to the ends are the ones that a subtraction with a borrow could confuse.
                    for other in [b'a', b'.', b'0', b'>', b'"', b':', 0, 0xaf, 0xff] {
                        let mut bytes = vec![other; length];
                        bytes[at] = byte;
                        assert_eq!(authority_end(&bytes), by_byte(&bytes), "{bytes:?}");
                    }
                }
            }
        }
        assert_eq!(authority_end(b"a.example:80/b?c#d;e"), Some(12));
    }

    #[test]
    fn google_takes_a_semicolon_for_the_start_of_a_path() {
        let url = b"http://a.example;b";
        assert_eq!(*google_path(url), *b"/;b");
        assert_eq!(*path(url), *b"/");
        assert_eq!(*google_path(b"a;b://c/d"), *b"/;b://c/d");
    }

    #[test]
    fn plain_targets_are_not_copied() {
        let is_borrowed = |url: &str| matches!(Target::new(url).raw, Cow::Borrowed(_));
        assert!(is_borrowed("https://a.example/b/c?d=e&f"));
        assert!(is_borrowed("/b/c"));
        for url in [
            "https://a.example/b/c?d=e&f",
            "http://a.example/",
            "/b",
            "https://a.example;x/b",
            "https://a.example/b#c",
            "https://a.example/%7e*$",
            "HTTP://a.example/b",
            "https://a.example?b/c",
            "//a.example/b",
        ] {
            let target = Target::new(url);
            assert_eq!(
                *target.form(Encoding::Exact),
                *path(url.as_bytes()),
                "{url}"
            );
            assert_eq!(
                *target.form(Encoding::PatternOnly),
                *google_path(url.as_bytes()),
                "{url}"
            );
            let form = normalise(&target.raw, Role::Target, Encoding::Unreserved);
            assert_eq!(*target.path(), *form, "{url}");
        }
    }

    #[test]
    fn a_nul_ends_a_path_where_texts_are_c_strings() {
        let form = |url: &str, encoding, nul_byte| {
            let target = Target::new(url).into_owned();
            target.form_for_rules(encoding, nul_byte).into_owned()
        };
        for (url, expected) in [
            ("/a\0b", "/a"),
            ("/\0", "/"),
            ("http://a.example/%62\0?c", "/%62"),
            ("http://a.example;\0/b", "/;"),
            ("http://a\0b/c", "/c"),
            ("/a%00b", "/a%00b"),
            ("/é", "/é"),
        ] {
            let cut = form(url, Encoding::PatternOnly, NulByte::EndsText);
            assert_eq!(*cut, *expected.as_bytes(), "{url:?}");
        }
        let encodings = [Encoding::Unreserved, Encoding::RfcTable, Encoding::Decoded];
        for encoding in encodings {
            assert_eq!(form("/%62\0c", encoding, NulByte::EndsText), b"/b");
        }
        assert_eq!(
            form("/b\0c", Encoding::PatternOnly, NulByte::Keep),
            b"/b\0c"
        );
        assert_eq!(
            form("/b\0c", Encoding::Unreserved, NulByte::Keep),
            b"/b%00c"
        );
    }

    #[test]
    fn a_target_has_the_forms_that_dialects_compare() {
        let target = Target::new("http://a.example/%62?c=d:e");
        assert_eq!(*target.form(Encoding::PatternOnly), *b"/%62?c=d:e");
        assert_eq!(*target.form(Encoding::Unreserved), *b"/b?c=d:e");
        assert_eq!(*target.form(Encoding::RfcTable), *b"/b?c=d%3Ae");
    }
}
