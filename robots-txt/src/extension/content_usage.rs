//! `Content-Usage: [path] preferences`: the permitted uses of fetched content. IETF AIPREF, drafts
//! attach and vocab as read on 2026-11-20 (docs/semantics.md, section 4.1).
//!
//! A value becomes an optional path and two preferences. The rule with the longest path that
//! matches replaces all others; it does not add to them, so preferences that it omits are unknown.
//! Linear in the value.

use super::path::{self, Statement};
use crate::dialect::{Dialect, Encoding};
use crate::target::Target;
use robots_usage::content_usage::Usage;
use std::borrow::{Borrow, Cow};

/// One `Content-Usage` line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ContentUsage<'a> {
    line: usize,
    path: Option<&'a [u8]>,
    usage: Usage,
    is_dictionary: bool,
}

impl<'a> ContentUsage<'a> {
    /// Reads a value; `None` if it is empty, which states nothing.
    pub(crate) fn read(line: usize, value: &'a [u8]) -> Option<Self> {
        if value.is_empty() {
            return None;
        }
        let (path, text) = path::split(value);
        let usage = Usage::from_dictionary(text);
        Some(Self {
            line,
            path,
            usage: usage.unwrap_or_default(),
            is_dictionary: usage.is_some(),
        })
    }

    /// Returns the number of the line, from 1.
    pub fn line(&self) -> usize {
        self.line
    }

    /// Returns the path pattern as written; `None` if the line applies to every path.
    pub fn path(&self) -> Option<&'a [u8]> {
        self.path
    }

    /// Returns the preferences; all unknown if they are not a Dictionary.
    pub fn usage(&self) -> Usage {
        self.usage
    }

    /// Returns whether the preferences are a Dictionary. If they are not, the line still applies to
    /// its path, where everything is then unknown (docs/semantics.md, section 4.1, taken
    /// literally).
    pub fn is_dictionary(&self) -> bool {
        self.is_dictionary
    }

    /// Returns the line compiled; `None` if its path has no effect under the dialect.
    pub(crate) fn statement(&self, dialect: &Dialect) -> Option<Statement<Usage, Cow<'a, [u8]>>> {
        Statement::read(self.line, self.path, self.usage, dialect)
    }
}

/// The preferences of `Content-Usage` lines for a target, and the lines that decided.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct UsageVerdict {
    usage: Usage,
    lines: Vec<usize>,
}

impl UsageVerdict {
    /// Returns the preferences.
    pub fn usage(&self) -> Usage {
        self.usage
    }

    /// Returns the numbers of the lines that decided, from 1, in order; none if no line applies to
    /// the target.
    pub fn lines(&self) -> &[usize] {
        &self.lines
    }
}

/// Returns the preferences of the chosen group's lines for a target that may be fetched. A
/// disallowed target has no preference (docs/semantics.md, section 4.1); checking this is up to the
/// caller.
///
/// The longest path decides, counted in the bytes that are compared. Several of that length,
/// identical or not, are combined, and the most restrictive wins.
pub(crate) fn usage_for<F: AsRef<[u8]>>(
    statements: impl IntoIterator<Item = impl Borrow<Statement<Usage, F>>>,
    target: &Target<'_>,
    encoding: Encoding,
) -> UsageVerdict {
    let deciding = path::deciding(statements, target, encoding);
    UsageVerdict {
        usage: deciding
            .iter()
            .fold(Usage::default(), |all, (_, usage)| all.combine(*usage)),
        lines: deciding.iter().map(|(line, _)| *line).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use robots_usage::Preference::{self, Allow, Disallow, Unknown};

    fn verdict(values: &[&str], url: &str) -> (Preference, Preference, Vec<usize>) {
        let dialect = Dialect::RFC9309;
        let statements = values.iter().zip(1..).filter_map(|(value, line)| {
            let rule = ContentUsage::read(line, value.as_bytes()).unwrap();
            rule.statement(&dialect)
        });
        let verdict = usage_for(statements, &Target::new(url), dialect.encoding);
        let usage = verdict.usage();
        (usage.train_ai(), usage.search(), verdict.lines().to_vec())
    }

    #[test]
    fn one_bad_byte_makes_everything_unknown() {
        // The keys of a Dictionary have no capitals.
        let rule = ContentUsage::read(3, b"/a Train-AI=n").unwrap();
        assert!(!rule.is_dictionary());
        assert_eq!(rule.usage(), Usage::default());
        assert_eq!(rule.path(), Some(&b"/a"[..]));
        assert_eq!(rule.line(), 3);
    }

    #[test]
    fn a_path_is_split_off() {
        let read = |value: &'static str| {
            let rule = ContentUsage::read(1, value.as_bytes()).unwrap();
            (rule.path(), rule.usage().train_ai(), rule.is_dictionary())
        };
        assert_eq!(read("/a train-ai=n"), (Some(&b"/a"[..]), Disallow, true));
        assert_eq!(
            read("/a,b=c\ttrain-ai=n"),
            (Some(&b"/a,b=c"[..]), Disallow, true)
        );
        assert_eq!(read("train-ai=n"), (None, Disallow, true));
        assert_eq!(read("/a"), (Some(&b"/a"[..]), Unknown, true));
        assert_eq!(read("*/a train-ai=n"), (None, Unknown, false));
        assert_eq!(ContentUsage::read(1, b""), None);
    }

    #[test]
    fn the_example_of_the_draft() {
        let rules = ["train-ai=n", "/ai-ok/ train-ai=y"];
        assert_eq!(verdict(&rules, "/test"), (Disallow, Unknown, vec![1]));
        assert_eq!(verdict(&rules, "/ai-ok/test"), (Allow, Unknown, vec![2]));
    }

    #[test]
    fn a_longer_path_replaces_and_leaves_the_rest_unknown() {
        let rules = ["search=n, train-ai=n", "/a train-ai=y", "/a/b Search=y"];
        assert_eq!(verdict(&rules, "/"), (Disallow, Disallow, vec![1]));
        assert_eq!(verdict(&rules, "/a"), (Allow, Unknown, vec![2]));
        assert_eq!(verdict(&rules, "/a/b"), (Unknown, Unknown, vec![3]));
        assert_eq!(verdict(&rules[1..], "/x"), (Unknown, Unknown, vec![]));
    }

    #[test]
    fn the_same_path_twice_is_as_restrictive_as_either() {
        let rules = ["/a train-ai=y", "/a train-ai=n", "/a search=y"];
        assert_eq!(verdict(&rules, "/a"), (Disallow, Allow, vec![1, 2, 3]));
    }
}
