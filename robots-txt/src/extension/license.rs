//! `License: URI`: the address of the terms of use. RSL 1.0 (docs/semantics.md, section 4.7). It changes
//! no verdict.
//!
//! Inside a group it applies to that group, outside of all groups to the file. A group with a licence of
//! its own ignores those of the file.

use crate::parse::text::is_space;

/// A licence that a file or a group names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct License<'a> {
    line: usize,
    uri: &'a [u8],
}

impl<'a> License<'a> {
    /// Takes a value as it is; `None` if it is empty.
    pub(crate) fn read(line: usize, value: &'a [u8]) -> Option<Self> {
        (!value.is_empty()).then_some(Self { line, uri: value })
    }

    /// Returns the number of the line, from 1.
    pub fn line(&self) -> usize {
        self.line
    }

    /// Returns the URI as written; it should be absolute, and may be anything.
    pub fn uri(&self) -> &'a [u8] {
        self.uri
    }

    /// Returns whether the URI has a scheme followed by something (RFC 3986, 3.1 and 4.3), and no
    /// white space. The part after the scheme is not checked.
    pub fn is_absolute(&self) -> bool {
        is_absolute_uri(self.uri)
    }
}

/// Returns whether a URI has a scheme followed by something, and no white space.
pub(crate) fn is_absolute_uri(uri: &[u8]) -> bool {
    let mut parts = uri.splitn(2, |&byte| byte == b':');
    let (Some([first, scheme @ ..]), Some(rest)) = (parts.next(), parts.next()) else {
        return false;
    };
    first.is_ascii_alphabetic()
        && scheme
            .iter()
            .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'.'))
        && !rest.is_empty()
        && !rest.iter().any(|&byte| is_space(byte))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_absolute_uri_has_a_scheme() {
        let absolute = |uri: &str| License::read(1, uri.as_bytes()).unwrap().is_absolute();
        for uri in [
            "https://a.example/license.xml",
            "HTTPS://a.example",
            "urn:isbn:1",
            "a+b-c.1:x",
        ] {
            assert!(absolute(uri), "{uri}");
        }
        for uri in [
            "/license.xml",
            "//a.example/license.xml",
            "license.xml",
            "https:",
            ":x",
            "1a:x",
            "/a:b",
            "https://a.example/b c",
        ] {
            assert!(!absolute(uri), "{uri}");
        }
    }

    #[test]
    fn a_uri_is_kept_as_written() {
        let license = License::read(5, b"https://a.example/%zz").unwrap();
        assert_eq!(
            (license.line(), license.uri()),
            (5, &b"https://a.example/%zz"[..])
        );
        assert_eq!(License::read(5, b""), None);
    }
}
