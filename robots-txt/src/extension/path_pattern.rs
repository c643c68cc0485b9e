//! A path pattern by itself: other files use the patterns of robots.txt too, `tdmrep.json` among
//! them (docs/semantics.md, section 4.6).
//!
//! Reading is linear in the pattern; a match costs as much as for a rule.

use crate::dialect::{Dialect, EmptyPattern, Encoding, NulByte};
use crate::pattern::{self, PatternContext, Reading};
use crate::target::Target;

/// A path pattern by itself, compiled: for files other than robots.txt that use its patterns
/// (docs/semantics.md, section 4.6). If several patterns match, the specification of such a file defines which of them
/// applies.
///
/// Two patterns are equal if they are the same after encoding, and are compared in the same way.
///
/// ```
/// use robots_txt::{Dialect, Target};
/// use robots_txt::extension::PathPattern;
///
/// let locations = ["/free/*.pdf$", "/free/", "/"];
/// let patterns: Vec<_> = locations
///     .iter()
///     .filter_map(|location| PathPattern::new(location.as_bytes(), &Dialect::RFC9309))
///     .collect();
///
/// // In a tdmrep.json, the first location that matches decides.
/// let target = Target::new("https://a.example/free/%62ooks?page=2");
/// let first = patterns.iter().position(|pattern| pattern.matches(&target));
/// assert_eq!(first, Some(1));
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PathPattern {
    form: Box<[u8]>,
    reading: Reading,
    encoding: Encoding,
    nul_byte: NulByte,
}

impl PathPattern {
    /// Reads a pattern in the dialect's syntax, as it is: spaces around it and a `#` are part of it. Where
    /// an empty pattern has an effect, it matches everything.
    ///
    /// Returns `None` if the pattern has no effect under the dialect. A dialect that resolves patterns
    /// against the URL of their file does so as if that URL were unknown.
    ///
    /// Two switches affect only the rules of a robots.txt file. An index page does not represent its
    /// folder here, and a pattern of [`PatternSyntax::Typed`](crate::dialect::PatternSyntax::Typed) is a
    /// prefix, as in a group without a `Robot-version`.
    pub fn new(pattern: impl AsRef<[u8]>, dialect: &Dialect) -> Option<Self> {
        let (form, reading) = pattern::read(pattern.as_ref(), dialect, &PatternContext::default())?;
        if form.is_empty() && dialect.empty_pattern == EmptyPattern::Ignored {
            return None;
        }
        Some(Self {
            form: form.into(),
            reading,
            encoding: dialect.encoding,
            nul_byte: dialect.nul_byte,
        })
    }

    /// Returns whether it matches a target.
    pub fn matches(&self, target: &Target<'_>) -> bool {
        self.matches_form(&target.form_for_rules(self.encoding, self.nul_byte))
    }

    /// Returns whether it matches a path in the form that its dialect compares.
    pub(super) fn matches_form(&self, path: &[u8]) -> bool {
        self.reading.matches(&self.form, path)
    }

    /// Returns its length in bytes after encoding, its rank among several patterns; `*` and `$` count.
    pub(super) fn length(&self) -> usize {
        self.form.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::RobotsTxt;

    fn pattern(text: &str) -> PathPattern {
        PathPattern::new(text.as_bytes(), &Dialect::RFC9309).unwrap()
    }

    #[test]
    fn a_pattern_matches_what_a_rule_matches() {
        let cases = [
            ("/", "/a", true),
            ("/fish", "/fish/salmon", true),
            ("/fish", "/Fish", false),
            ("/fish/", "/fish", false),
            ("/*.php", "/a/b.php?c", true),
            ("/*.php$", "/b.php5", false),
            ("/*.php$", "/b.php", true),
            ("/a$", "/a", true),
            ("/a$", "/ab", false),
            ("*b", "/ab", true),
            ("fish", "/fish", false),
            ("/%7Ejoe", "/~joe/", true),
            ("/~joe", "/%7ejoe", true),
            ("/é", "/%c3%a9", true),
            ("/a%2fb", "/a/b", false),
            ("/a%2fb", "/a%2Fb", true),
            ("/a%2A", "/a*", true),
            ("/a%2A", "/ab", false),
            ("", "/a", true),
        ];
        for (text, url, expected) in cases {
            let target = Target::new(url);
            assert_eq!(pattern(text).matches(&target), expected, "{text} on {url}");
            let body = format!("User-agent: *\nDisallow: {text}");
            let rules = RobotsTxt::parse(body.as_bytes()).rules("a", &Dialect::RFC9309);
            let is_match = rules.verdict(&target).line() == Some(2);
            assert_eq!(is_match, expected, "{text} on {url}");
        }
    }

    #[test]
    fn the_length_is_that_of_the_form() {
        assert_eq!(pattern("").length(), 0);
        assert_eq!(pattern("/a*").length(), 3);
        assert_eq!(pattern("/%61$").length(), 3);
        assert_eq!(pattern("/é").length(), 7);
    }

    #[test]
    fn equal_patterns_have_equal_forms() {
        assert_eq!(pattern("/%61"), pattern("/a"));
        assert_ne!(pattern("/a$"), pattern("/a"));
        let literal = PathPattern::new(b"/a$", &Dialect::KOSTER_1994).unwrap();
        assert_ne!(pattern("/a$"), literal);
        assert!(literal.matches(&Target::new("/a$b")));
    }

    #[test]
    fn a_pattern_without_effect_is_none() {
        assert_eq!(PathPattern::new(b"", &Dialect::KOSTER_1994), None);
        let elsewhere = b"http://a.example/b";
        assert_eq!(PathPattern::new(elsewhere, &Dialect::WWW_ROBOT_RULES), None);
        assert!(PathPattern::new(b"b", &Dialect::WWW_ROBOT_RULES).is_some());
    }

    #[test]
    fn patterns_can_be_stored_and_shared() {
        fn check<T: Send + Sync + Clone + 'static>() {}
        check::<PathPattern>();
    }
}
