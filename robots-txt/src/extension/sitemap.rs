//! `Sitemap: URL`. It belongs to the file, not to a group, and may name any host
//! (docs/semantics.md, sections 1.6, 2.1).

use crate::dialect::Dialect;
use crate::extension::license::is_absolute_uri;
use crate::parse::document::RobotsTxt;
use crate::parse::field::Field;
use std::fmt;

/// A sitemap that a file names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sitemap<'a> {
    line: usize,
    url: &'a [u8],
}

impl<'a> Sitemap<'a> {
    /// Takes a value as it is; `None` if it is empty.
    pub(crate) fn read(line: usize, value: &'a [u8]) -> Option<Self> {
        (!value.is_empty()).then_some(Self { line, url: value })
    }

    /// Returns the number of the line, from 1.
    pub fn line(&self) -> usize {
        self.line
    }

    /// Returns the URL as it is written. It should be absolute, and can be any bytes;
    /// [`Display`](fmt::Display) replaces those that are not UTF-8.
    pub fn url(&self) -> &'a [u8] {
        self.url
    }

    /// Returns whether the URL has a scheme followed by something (RFC 3986, 3.1 and 4.3), and
    /// has no white space. The part after the scheme is not checked.
    pub fn is_absolute(&self) -> bool {
        is_absolute_uri(self.url)
    }
}

impl fmt::Display for Sitemap<'_> {
    /// Writes the URL; bytes that are not UTF-8 are replaced.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&String::from_utf8_lossy(self.url))
    }
}

impl RobotsTxt {
    /// Returns the sitemaps that the file names within its first 500 KiB, in order, in a group or
    /// outside (RFC 9309, 2.2.4, 2.5).
    ///
    /// ```
    /// use robots_txt::RobotsTxt;
    ///
    /// let robots = RobotsTxt::parse("User-agent: *\nDisallow:\nSitemap: https://example.com/map.xml");
    /// let sitemap = robots.sitemaps().next().unwrap();
    /// assert_eq!(sitemap.to_string(), "https://example.com/map.xml");
    /// assert_eq!(sitemap.line(), 3);
    /// ```
    pub fn sitemaps(&self) -> impl Iterator<Item = Sitemap<'_>> {
        self.sitemaps_under(&Dialect::RFC9309)
    }

    /// Returns the sitemaps that a dialect sees, in order: `Site-map` is one under
    /// [`Dialect::GOOGLE`].
    pub fn sitemaps_under<'a>(&'a self, dialect: &'a Dialect) -> impl Iterator<Item = Sitemap<'a>> {
        self.directives(dialect)
            .filter(|directive| directive.field() == Field::Sitemap)
            .filter_map(|directive| {
                let line = directive.line();
                Sitemap::read(line.number(), line.value())
            })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sitemaps_are_found_anywhere() {
        let robots = RobotsTxt::parse(
            b"Sitemap: https://a.example/1\nUser-agent: x\nSITEMAP:/2 # two\nDisallow: /\n\
            Site-map: 3\nSitemap:",
        );
        let found = |dialect| {
            robots
                .sitemaps_under(dialect)
                .map(|sitemap| (sitemap.line(), sitemap.url()))
                .collect::<Vec<_>>()
        };
        let exact = [(1, &b"https://a.example/1"[..]), (3, b"/2")];
        assert_eq!(found(&Dialect::RFC9309), exact);
        assert_eq!(found(&Dialect::GOOGLE)[2], (5, &b"3"[..]));
        assert_eq!(found(&Dialect::GOOGLE).len(), 3);
    }
}
