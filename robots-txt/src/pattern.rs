//! Path patterns: `*` is any run of bytes, a final `$` the end; all else is a prefix.
//!
//! This is the reference matcher: short enough to be seen to be right, and linear in pattern and
//! path together. RFC 9309, 2.2.3; google/robotstxt has the same language (SEMANTICS 1.5, 2.2).

use crate::dialect::Encoding;
use crate::encoding::{Role, normalise};
use memchr::memmem;

/// A pattern in the form in which it is compared.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Pattern {
    form: Box<[u8]>,
}

impl Pattern {
    pub(crate) fn new(text: &[u8], encoding: Encoding) -> Self {
        Self {
            form: normalise(text, Role::Pattern, encoding).into(),
        }
    }

    /// The pattern that google/robotstxt tries when an `Allow` of an index page does not match:
    /// the page's folder and nothing below it (SEMANTICS 2.2).
    pub(crate) fn folder_of_index_page(&self) -> Option<Self> {
        let slash = self.form.iter().rposition(|&byte| byte == b'/')?;
        let (folder, page) = self.form.split_at_checked(slash.checked_add(1)?)?;
        page.starts_with(b"index.htm").then(|| Self {
            form: [folder, b"$"].concat().into(),
        })
    }

    /// The bytes that are compared, `*` and `$` among them. Their number is the pattern's weight:
    /// the most octets decide (RFC 9309, 2.2.2).
    pub(crate) fn form(&self) -> &[u8] {
        &self.form
    }

    /// Whether the pattern matches a path in the same form.
    ///
    /// Each run between two stars is taken where it first occurs: an earlier place leaves more
    /// for the runs behind it, so no other choice can do better.
    pub(crate) fn matches(&self, path: &[u8]) -> bool {
        let (pattern, anchored) = match &*self.form {
            [pattern @ .., b'$'] => (pattern, true),
            pattern => (pattern, false),
        };
        let mut runs = pattern.split(|&byte| byte == b'*');
        let Some(mut rest) = path.strip_prefix(runs.next().unwrap_or_default()) else {
            return false;
        };
        let Some(mut run) = runs.next() else {
            return !anchored || rest.is_empty();
        };
        for next in runs {
            let Some(behind) = behind_first(rest, run) else {
                return false;
            };
            rest = behind;
            run = next;
        }
        if anchored {
            rest.ends_with(run)
        } else {
            memmem::find(rest, run).is_some()
        }
    }
}

/// What follows the first occurrence of `run`.
fn behind_first<'p>(path: &'p [u8], run: &[u8]) -> Option<&'p [u8]> {
    let at = memmem::find(path, run)?;
    path.get(at..)?.get(run.len()..)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn matches(pattern: &str, path: &str) -> bool {
        Pattern::new(pattern.as_bytes(), Encoding::Verbatim).matches(path.as_bytes())
    }

    #[test]
    fn stars_and_dollars() {
        let cases = [
            ("/", "/anything", true),
            ("/fish", "/fish/salmon", true),
            ("/fish", "/Fish", false),
            ("/fish/", "/fish", false),
            ("/*.php", "/folder/a.php?b", true),
            ("/*.php$", "/a.php5", false),
            ("/*.php$", "/a.php.php", true),
            ("/fish*.php", "/fishheads/catfish.php?parameters", true),
            ("/$", "/", true),
            ("/$", "/a", false),
            ("/a$b", "/a$b", true),
            ("*", "/", true),
            ("*$", "/", true),
            ("/a*b*$", "/acb", true),
            ("/a*a$", "/a", false),
            ("", "/", true),
            ("$", "/", false),
            ("fish", "/fish", false),
        ];
        for (pattern, path, expected) in cases {
            assert_eq!(matches(pattern, path), expected, "{pattern} on {path}");
        }
    }

    #[test]
    fn a_folder_is_found_behind_its_index_page() {
        let folder = |text: &str| {
            Pattern::new(text.as_bytes(), Encoding::Verbatim)
                .folder_of_index_page()
                .map(|pattern| String::from_utf8(pattern.form.into()).unwrap())
        };
        assert_eq!(folder("/a/index.html"), Some("/a/$".into()));
        assert_eq!(folder("/index.htm*"), Some("/$".into()));
        assert_eq!(folder("/a/Index.html"), None);
        assert_eq!(folder("/index.html/x"), None);
        assert_eq!(folder("index.html"), None);
    }

    /// Which prefixes of the path the pattern so far can match, byte by byte: the definition.
    fn by_definition(pattern: &[u8], path: &[u8]) -> bool {
        let mut reached = vec![false; path.len() + 1];
        reached[0] = true;
        for (index, &byte) in pattern.iter().enumerate() {
            if byte == b'$' && index + 1 == pattern.len() {
                return reached[path.len()];
            }
            let mut next = vec![false; path.len() + 1];
            for at in 0..=path.len() {
                if byte == b'*' {
                    next[at] = reached[at] || at > 0 && next[at - 1];
                } else if at > 0 {
                    next[at] = reached[at - 1] && path[at - 1] == byte;
                }
            }
            reached = next;
        }
        reached.contains(&true)
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 4096, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn runs_between_stars_agree_with_the_definition(
            pattern in "[/ab*]{0,12}\\$?",
            path in "/[ab/]{0,20}",
        ) {
            prop_assert_eq!(
                matches(&pattern, &path),
                by_definition(pattern.as_bytes(), path.as_bytes())
            );
        }
    }
}
