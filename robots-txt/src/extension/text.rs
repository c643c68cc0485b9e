//! Values that are kept as they are written: those of `Sitemap`, `Host`, `Noindex`, `License` and `Comment`.

use crate::dialect::Dialect;
use crate::parse::document::RobotsTxt;
use crate::parse::field::Field;
use crate::parse::text::is_space;
use std::fmt;

/// A value as it is written, with its line. It is never empty, and can be any bytes; [`Display`](fmt::Display)
/// replaces those that are not UTF-8.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Text<'a> {
    line: usize,
    text: &'a [u8],
}

impl<'a> Text<'a> {
    /// Takes a value as it is; `None` if it is empty, which has no effect.
    pub(super) fn read(line: usize, value: &'a [u8]) -> Option<Self> {
        (!value.is_empty()).then_some(Self { line, text: value })
    }

    /// Returns the number of the line, from 1.
    pub fn line(&self) -> usize {
        self.line
    }

    /// Returns the value as written.
    pub fn text(&self) -> &'a [u8] {
        self.text
    }

    /// Returns whether the value is an absolute URI, as that of `Sitemap` and `License` should be: it has a scheme
    /// followed by something (RFC 3986, 3.1 and 4.3), and no white space. The part after the scheme is not checked.
    pub fn is_absolute(&self) -> bool {
        let mut parts = self.text.splitn(2, |&byte| byte == b':');
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
}

impl fmt::Display for Text<'_> {
    /// Writes the value; bytes that are not UTF-8 are replaced.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&String::from_utf8_lossy(self.text))
    }
}

impl RobotsTxt {
    /// Returns the URLs of the sitemaps that the file names within its first 500 KiB, in order, in a group or
    /// outside (RFC 9309, 2.2.4, 2.5). They may name any host (docs/semantics.md, sections 1.6, 2.1).
    ///
    /// ```
    /// use robots_txt::RobotsTxt;
    ///
    /// let robots = RobotsTxt::parse("User-agent: *\nDisallow:\nSitemap: https://example.com/map.xml");
    /// let sitemap = robots.sitemaps().next().unwrap();
    /// assert_eq!(sitemap.to_string(), "https://example.com/map.xml");
    /// assert_eq!(sitemap.line(), 3);
    /// ```
    pub fn sitemaps(&self) -> impl Iterator<Item = Text<'_>> {
        self.sitemaps_under(&Dialect::RFC9309)
    }

    /// Returns the URLs of the sitemaps that a dialect sees, in order: `Site-map` is one under
    /// [`Dialect::GOOGLE`].
    pub fn sitemaps_under<'a>(&'a self, dialect: &'a Dialect) -> impl Iterator<Item = Text<'a>> {
        self.texts(dialect, Field::Sitemap)
    }

    /// Returns the values of the file's `Host` lines, the preferred names of the site, in order. Yandex ignores them since 2018
    /// (docs/semantics.md, section 2.5).
    pub fn hosts(&self) -> impl Iterator<Item = Text<'_>> {
        self.texts(&Dialect::RFC9309, Field::Host)
    }

    fn texts<'a>(&'a self, dialect: &'a Dialect, field: Field) -> impl Iterator<Item = Text<'a>> {
        self.directives(dialect)
            .filter(move |directive| directive.field() == field)
            .filter_map(|directive| {
                let line = directive.line();
                Text::read(line.number(), line.value())
            })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_is_kept_as_written() {
        let text = Text::read(4, b"Ask us: we are nice\xFF %zz").unwrap();
        assert_eq!(text.line(), 4);
        assert_eq!(text.text(), b"Ask us: we are nice\xFF %zz");
        assert_eq!(text.to_string(), "Ask us: we are nice\u{FFFD} %zz");
        assert_eq!(Text::read(4, b""), None);
    }

    #[test]
    fn an_absolute_uri_has_a_scheme() {
        let absolute = |uri: &str| Text::read(1, uri.as_bytes()).unwrap().is_absolute();
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
    fn sitemaps_are_found_anywhere() {
        let robots = RobotsTxt::parse(
            b"Sitemap: https://a.example/1\nUser-agent: x\nSITEMAP:/2 # two\nDisallow: /\n\
            Site-map: 3\nSitemap:",
        );
        let found = |dialect| {
            robots
                .sitemaps_under(dialect)
                .map(|sitemap| (sitemap.line(), sitemap.text()))
                .collect::<Vec<_>>()
        };
        let exact = [(1, &b"https://a.example/1"[..]), (3, b"/2")];
        assert_eq!(found(&Dialect::RFC9309), exact);
        assert_eq!(found(&Dialect::GOOGLE)[2], (5, &b"3"[..]));
        assert_eq!(found(&Dialect::GOOGLE).len(), 3);
    }
}
