//! A whole file: one owned body, the records in it as ranges, and the readings of it.
//!
//! [`RobotsTxt::parse`] takes any bytes and never fails. It keeps the body once and, for every
//! line that is neither blank nor a comment, where the line is. One parse serves every dialect.

use crate::agent;
use crate::dialect::Dialect;
use crate::extension::sitemap::{self, Sitemap};
use crate::line::{Field, Line, LineKind, Lines};
use crate::rules::Rules;
use std::fmt;
use std::ops::Range;
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
    document: Arc<Document>,
}

struct Document {
    body: Box<[u8]>,
    records: Box<[Record]>,
}

/// Where a line that says something stands.
struct Record {
    number: usize,
    bytes: Range<usize>,
}

impl RobotsTxt {
    /// Parses a body. Every input is accepted; what cannot be read says nothing.
    ///
    /// Linear in the bytes. Keeps a copy of the body and 24 bytes for each line that is neither
    /// blank nor a comment.
    pub fn parse(body: &[u8]) -> Self {
        let records = Lines::new(body)
            .filter(|line| matches!(line.kind(), LineKind::Directive | LineKind::Junk))
            .map(|line| Record {
                number: line.number(),
                bytes: line.offset()..line.offset().saturating_add(line.bytes().len()),
            })
            .collect();
        Self {
            document: Arc::new(Document {
                body: body.into(),
                records,
            }),
        }
    }

    /// The bytes that were parsed.
    pub fn body(&self) -> &[u8] {
        &self.document.body
    }

    /// Every line of the body, blank lines, comments and junk included, as neutrally as it was
    /// read.
    pub fn lines(&self) -> Lines<'_> {
        Lines::new(&self.document.body)
    }

    /// Every line of the body as a dialect sees it: without what it skips, up to where it stops
    /// reading the line. The dialect's size limit plays no part.
    pub fn lines_under<'a>(&'a self, dialect: &Dialect) -> impl Iterator<Item = Line<'a>> {
        let dialect = *dialect;
        self.lines().map(move |line| dialect.narrow(line))
    }

    /// The text of a line (1-based), without its line end; `None` if there is no such line.
    /// Linear in the bytes before it.
    pub fn line_text(&self, number: usize) -> Option<&[u8]> {
        self.lines()
            .nth(number.checked_sub(1)?)
            .map(|line| line.bytes())
    }

    /// The directives that a dialect sees, in order: lines with a field and a value, within the
    /// dialect's limits.
    pub fn directives<'a>(&'a self, dialect: &Dialect) -> Directives<'a> {
        Directives {
            body: &self.document.body,
            records: self.document.records.iter(),
            dialect: *dialect,
            end: self.end_of_view(dialect),
        }
    }

    /// Whether the dialect's size limit leaves a part of the body unread.
    pub fn is_truncated_for(&self, dialect: &Dialect) -> bool {
        dialect
            .size_limit
            .is_some_and(|limit| self.document.body.len() > limit)
    }

    /// The offset at which the last line that the dialect reads must have ended. A line whose end
    /// is not within the limit may be cut, so it does not count.
    fn end_of_view(&self, dialect: &Dialect) -> usize {
        let length = self.document.body.len();
        match dialect.size_limit {
            Some(limit) if length > limit => limit.saturating_sub(1),
            _ => length,
        }
    }

    /// The rules for a robot, under a dialect.
    ///
    /// `agent` is the robot's product token, such as `Googlebot`; `*` asks for the rules of a
    /// robot that no group names. Linear in the records.
    pub fn rules(&self, agent: &str, dialect: &Dialect) -> Rules {
        Rules::compile(self, agent, dialect)
    }

    /// The groups of the file as a dialect sees them, in order.
    pub fn groups(&self, dialect: &Dialect) -> Vec<agent::Group<'_>> {
        agent::groups(self, dialect)
    }

    /// The sitemaps that the file names, in order, wherever they stand (RFC 9309, 2.2.4).
    pub fn sitemaps<'a>(&'a self, dialect: &Dialect) -> impl Iterator<Item = Sitemap<'a>> {
        sitemap::of(self.directives(dialect))
    }
}

impl fmt::Debug for RobotsTxt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RobotsTxt")
            .field("bytes", &self.document.body.len())
            .field("records", &self.document.records.len())
            .finish()
    }
}

/// One directive as a dialect sees it: a field and the line that it stands on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Directive<'a> {
    field: Field,
    line: Line<'a>,
}

impl<'a> Directive<'a> {
    /// The field, as the dialect accepts it: a misspelt name is [`Field::Other`] to a strict one.
    pub fn field(&self) -> Field {
        self.field
    }

    /// The line, as far as the dialect reads it.
    pub fn line(&self) -> Line<'a> {
        self.line
    }
}

/// The directives of a file under a dialect. See [`RobotsTxt::directives`].
#[derive(Clone)]
pub struct Directives<'a> {
    body: &'a [u8],
    records: std::slice::Iter<'a, Record>,
    dialect: Dialect,
    end: usize,
}

impl<'a> Iterator for Directives<'a> {
    type Item = Directive<'a>;

    fn next(&mut self) -> Option<Directive<'a>> {
        for record in self.records.by_ref() {
            if record.bytes.end > self.end {
                return None;
            }
            let bytes = self.body.get(record.bytes.clone())?;
            let line = Line::read(record.number, record.bytes.start, bytes);
            let line = self.dialect.narrow(line);
            if let Some(field) = self.dialect.field(&line) {
                return Some(Directive { field, line });
            }
        }
        None
    }
}

impl fmt::Debug for Directives<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Directives")
            .field("dialect", &self.dialect.name())
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
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
    fn a_line_can_be_had_by_its_number() {
        let robots = RobotsTxt::parse(b"a\r\n\nb");
        assert_eq!(robots.line_text(1), Some(&b"a"[..]));
        assert_eq!(robots.line_text(3), Some(&b"b"[..]));
        assert_eq!(robots.line_text(4), None);
        assert_eq!(robots.line_text(0), None);
    }

    #[test]
    fn what_is_shared_between_threads_can_be() {
        fn check<T: Send + Sync + Clone + 'static>() {}
        check::<RobotsTxt>();
        check::<Rules>();
        check::<Dialect>();
        check::<Target>();
    }
}
