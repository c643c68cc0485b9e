//! A whole file: one owned body and the marks of its lines.
//!
//! [`RobotsTxt::parse`] takes any bytes and never fails. It keeps the body once and a few bytes
//! for every line with content. One parse serves every dialect.

use crate::limits::MAX_BODY;
use crate::parse::line_mark::{self, LineMark, Scan};
use crate::parse::lines::{LineEnd, Lines};
use crate::parse::text::looks_like_html;
use memchr::memrchr2;
use std::fmt;
use std::sync::Arc;

/// A parsed robots.txt file. Cheap to clone: the body is shared.
///
/// ```
/// use robots_txt::{Dialect, RobotsTxt, Target};
///
/// let robots = RobotsTxt::parse(b"User-agent: *\nDisallow: /private\nAllow: /private/open\n");
/// let rules = robots.rules("ExampleBot", &Dialect::RFC9309);
/// let verdict = rules.verdict(&Target::new("https://example.com/private/x"));
/// assert!(!verdict.is_allowed());
/// assert_eq!(verdict.line(), Some(2));
/// ```
#[derive(Clone)]
pub struct RobotsTxt {
    body: Arc<[u8]>,
    /// The marks of the lines with content.
    marks: Arc<[LineMark]>,
    has_bare_cr: bool,
    is_cut: bool,
    /// Rarely set, so it is boxed.
    url: Option<Arc<String>>,
}

impl RobotsTxt {
    /// Parses a body. Every input is accepted; unreadable lines have no effect.
    ///
    /// Linear in the bytes. Keeps a copy of the body, up to [`MAX_BODY`], and 8 bytes for each line
    /// that is neither blank nor a comment, and for successive blank lines.
    pub fn parse(body: impl AsRef<[u8]>) -> Self {
        Self::parse_up_to(body.as_ref(), MAX_BODY)
    }

    fn parse_up_to(body: &[u8], max: usize) -> Self {
        let kept = match body.get(..max) {
            // The line that is cut does not count.
            Some(start) if start.len() < body.len() => {
                let end = memrchr2(b'\n', b'\r', start).map_or(0, |at| at + 1);
                start.get(..end).unwrap_or_default()
            }
            _ => body,
        };
        let Scan { marks, has_bare_cr } = line_mark::scan(kept);
        Self {
            body: kept.into(),
            marks: marks.as_slice().into(),
            has_bare_cr,
            is_cut: kept.len() < body.len(),
            url: None,
        }
    }

    /// Sets the URL that the file was read from. Only a dialect that accepts absolute URLs in rules
    /// ([`BarePattern::Relative`](crate::dialect::BarePattern::Relative)) uses it.
    #[must_use]
    pub fn with_url(self, url: &str) -> Self {
        Self {
            url: Some(Arc::new(url.to_owned())),
            ..self
        }
    }

    /// Returns the URL that the file was read from, if it was set.
    pub fn url(&self) -> Option<&str> {
        self.url.as_ref().map(|url| url.as_str())
    }

    /// Returns the bytes that were parsed.
    pub fn body(&self) -> &[u8] {
        &self.body
    }

    pub(crate) fn shared_body(&self) -> &Arc<[u8]> {
        &self.body
    }

    /// Returns the marks of its lines.
    pub(crate) fn marks(&self) -> &[LineMark] {
        &self.marks
    }

    /// Returns whether a CR without LF ends a line.
    pub(crate) fn has_bare_cr(&self) -> bool {
        self.has_bare_cr
    }

    /// Returns whether the body was longer than [`MAX_BODY`].
    pub(crate) fn is_cut(&self) -> bool {
        self.is_cut
    }

    /// Returns whether the body begins like an HTML page ([`looks_like_html`]).
    pub fn looks_like_html(&self) -> bool {
        looks_like_html(self.body())
    }

    /// Returns every line of the body, including blank lines, comments and junk.
    pub fn lines(&self) -> Lines<'_> {
        Lines::new(&self.body, LineEnd::Any)
    }

    /// Returns the text of a line by its number from 1, without its line end; `None` if there is no such
    /// line. Lines end at CR, LF and CRLF here, whatever a dialect's
    /// [`LineEnd`]. Linear in the bytes before it.
    pub fn line_text(&self, number: usize) -> Option<&[u8]> {
        self.lines()
            .nth(number.checked_sub(1)?)
            .map(|line| line.bytes())
    }
}

impl fmt::Debug for RobotsTxt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RobotsTxt")
            .field("bytes", &self.body.len())
            .field("marks", &self.marks.len())
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dialect::Dialect;
    use crate::target::Target;

    #[test]
    fn the_size_limit_drops_the_line_that_it_cuts() {
        let body = b"User-agent: *\nDisallow: /\nAllow: /";
        let target = Target::new("https://example.com/a");
        let allowed = |limit| {
            let dialect = Dialect::RFC9309.with_size_limit(Some(limit));
            let robots = RobotsTxt::parse(body);
            assert_eq!(robots.is_truncated_for(&dialect), limit < body.len());
            robots.rules("a", &dialect).verdict(&target).is_allowed()
        };
        // `Disallow: /` ends at offset 25, its line end at 26.
        assert!(allowed(25), "the rule may be cut: it does not count");
        assert!(!allowed(26), "the rule is whole");
        assert!(!allowed(27));
        // The last line has no line end: it is whole only if the body is.
        assert!(!allowed(body.len() - 1));
        assert!(allowed(body.len()));
        assert!(allowed(body.len() + 1));
    }

    #[test]
    fn a_body_is_kept_up_to_its_cap() {
        let body = b"User-agent: *\nDisallow: /";
        let first = b"User-agent: *\n".len();
        let whole = body.len();
        for (max, kept, rules) in [
            (whole, whole, 1),
            (whole - 1, first, 0),
            (first, first, 0),
            (first - 1, 0, 0),
        ] {
            let robots = RobotsTxt::parse_up_to(body, max);
            assert_eq!(robots.body().len(), kept);
            assert_eq!(robots.is_truncated_for(&Dialect::GOOGLE), max < body.len());
            assert_eq!(robots.rules("a", &Dialect::GOOGLE).iter().len(), rules);
        }
        assert!(!RobotsTxt::parse_up_to(body, body.len() + 1).is_truncated_for(&Dialect::GOOGLE));
    }

    #[test]
    fn a_file_over_the_limit_may_have_no_effect() {
        let body = b"User-agent: *\nDisallow: /";
        let allowed = |limit| {
            let dialect = Dialect::YANDEX.with_size_limit(Some(limit));
            let rules = RobotsTxt::parse(body).rules("a", &dialect);
            rules.verdict(&Target::new("/a")).is_allowed()
        };
        assert!(allowed(body.len() - 1));
        assert!(!allowed(body.len()));
        assert!(!allowed(body.len() + 1));
    }

    #[test]
    fn lines_are_found_by_number() {
        let robots = RobotsTxt::parse(b"a\r\n\nb");
        assert_eq!(robots.line_text(1), Some(&b"a"[..]));
        assert_eq!(robots.line_text(3), Some(&b"b"[..]));
        assert_eq!(robots.line_text(4), None);
        assert_eq!(robots.line_text(0), None);
    }
}
