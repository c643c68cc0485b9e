//! `Clean-param: p0[&p1...] [path]`: query parameters that change nothing about a page. Yandex
//! (docs/semantics.md, section 2.5). It belongs to the file, and may occur anywhere in it, any
//! number of times.
//!
//! A value becomes names and a path pattern; names are case-sensitive and compared as written.
//! Reading is linear in the value. Cleaning costs the bytes of the value and of the URL for each line.

use crate::dialect::Dialect;
use crate::parse::text::{is_space, trim};
use crate::pattern::{self, PatternContext};
use crate::target::Target;
use memchr::memchr;
use std::borrow::Cow;
use std::collections::HashSet;

/// Parameters to be left out, with the line that names them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CleanParam<'a> {
    line: usize,
    parameters: &'a [u8],
    path: Option<&'a [u8]>,
}

impl<'a> CleanParam<'a> {
    /// The maximum number of characters (not bytes) of a value; Yandex ignores longer values.
    pub const MAX_CHARACTERS: usize = 500;

    /// Reads a value; `None` if it is too long, does not name a parameter (is only a path, for example)
    /// or has more than two words.
    pub(crate) fn read(line: usize, value: &'a [u8]) -> Option<Self> {
        // All but the first byte of a character in UTF-8 begin with the bits 1 and 0.
        let characters = value.iter().filter(|&&byte| byte & 0xC0 != 0x80).count();
        if characters > Self::MAX_CHARACTERS || value.starts_with(b"/") {
            return None;
        }
        let end = value
            .iter()
            .position(|&byte| is_space(byte))
            .unwrap_or(value.len());
        let (parameters, path) = value.split_at(end);
        let path = trim(path);
        if path.iter().any(|&byte| is_space(byte)) {
            return None;
        }
        let found = Self {
            line,
            parameters,
            path: (!path.is_empty()).then_some(path),
        };
        found.parameters().next()?;
        Some(found)
    }

    /// Returns the number of the line, from 1.
    pub fn line(&self) -> usize {
        self.line
    }

    /// Returns the names of the parameters, in order, as written; none of them is empty.
    pub fn parameters(&self) -> impl Iterator<Item = &'a [u8]> + use<'a> {
        self.parameters
            .split(|&byte| byte == b'&')
            .filter(|name| !name.is_empty())
    }

    /// Returns the pattern of the paths to which the line applies, as written: a prefix, in which
    /// `*` is any run of bytes and a final `$` the end. `None` if it applies to all.
    pub fn path(&self) -> Option<&'a [u8]> {
        self.path
    }

    /// Returns whether the line applies to a path, given in the form that [`Dialect::YANDEX`] compares.
    fn matches(&self, form: &[u8]) -> bool {
        self.path
            .and_then(|path| pattern::read(path, &Dialect::YANDEX, &PatternContext::default()))
            .is_none_or(|(pattern, reading)| reading.matches(&pattern, form))
    }
}

/// Returns a URL without the parameters of every line that applies to its path.
///
/// A parameter is the text between two `&` of the query, with a value or without. The other
/// parameters keep their order, and the fragment stays. If no parameter is left, the `?` is removed
/// too.
pub(crate) fn clean<'a, 'u>(
    rules: impl IntoIterator<Item = CleanParam<'a>>,
    url: &'u [u8],
) -> Cow<'u, [u8]> {
    let end = memchr(b'#', url).unwrap_or(url.len());
    let (text, fragment) = url.split_at(end);
    let Some(question_mark) = memchr(b'?', text) else {
        return Cow::Borrowed(url);
    };
    let (path, query) = (&text[..question_mark], &text[question_mark + 1..]);
    // The query is left out, so that no pattern can match in it.
    let target = Target::new(path);
    let form = target.form(Dialect::YANDEX.encoding);
    let names: HashSet<&[u8]> = rules
        .into_iter()
        .filter(|rule| rule.matches(&form))
        .flat_map(|rule| rule.parameters())
        .collect();
    let is_named = |parameter: &&[u8]| {
        let end = memchr(b'=', parameter).unwrap_or(parameter.len());
        names.contains(&parameter[..end])
    };
    let parameters = || query.split(|&byte| byte == b'&');
    if !parameters().any(|parameter| is_named(&parameter)) {
        return Cow::Borrowed(url);
    }
    let kept: Vec<&[u8]> = parameters().filter(|one| !is_named(one)).collect();
    let kept = kept.join(&b'&');
    let question_mark: &[u8] = if kept.is_empty() { b"" } else { b"?" };
    Cow::Owned([path, question_mark, &kept, fragment].concat())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(value: &str) -> Option<(Vec<&str>, Option<&str>)> {
        let text = |bytes| std::str::from_utf8(bytes).unwrap();
        let found = CleanParam::read(1, value.as_bytes())?;
        Some((
            found.parameters().map(text).collect(),
            found.path().map(text),
        ))
    }

    fn cleaned(values: &[&str], url: &str) -> String {
        let rules = values
            .iter()
            .map(|value| CleanParam::read(1, value.as_bytes()).unwrap());
        String::from_utf8(clean(rules, url.as_bytes()).into_owned()).unwrap()
    }

    #[test]
    fn names_and_a_path_are_read() {
        assert_eq!(
            read("ref&sid /forum/*.php"),
            Some((vec!["ref", "sid"], Some("/forum/*.php")))
        );
        assert_eq!(read("ref"), Some((vec!["ref"], None)));
        assert_eq!(
            read("&a&&b& \t *.php"),
            Some((vec!["a", "b"], Some("*.php")))
        );
        for junk in ["", "&", "&& /a", "/a", "a /b /c"] {
            assert_eq!(read(junk), None, "{junk:?}");
        }
    }

    #[test]
    fn a_value_has_at_most_500_characters() {
        let of = |length| read(&"a".repeat(length)).is_some();
        assert!(of(CleanParam::MAX_CHARACTERS - 1));
        assert!(of(CleanParam::MAX_CHARACTERS));
        assert!(!of(CleanParam::MAX_CHARACTERS + 1));
        assert!(read(&"й".repeat(CleanParam::MAX_CHARACTERS)).is_some());
        assert!(read(&"й".repeat(CleanParam::MAX_CHARACTERS + 1)).is_none());
    }

    #[test]
    fn named_parameters_are_left_out_of_matching_urls() {
        let rule = ["ref&sid /forum/*.php"];
        let cases = [
            (
                "https://a.example/forum/index.php?id=1&ref=x&sid=2&page=3#top",
                "https://a.example/forum/index.php?id=1&page=3#top",
            ),
            (
                "https://a.example/forum/a.php?ref=x",
                "https://a.example/forum/a.php",
            ),
            ("/forum/a.php?ref=x&sid#top", "/forum/a.php#top"),
            ("/forum/a.php?sid", "/forum/a.php"),
            ("/forum/a.php5?sid=1&b=sid", "/forum/a.php5?b=sid"),
            (
                "/forum/a.php?Ref=x&ref2=y&xref=z",
                "/forum/a.php?Ref=x&ref2=y&xref=z",
            ),
            ("/forum/a.php?b=ref=x", "/forum/a.php?b=ref=x"),
            ("/forum/a.html?ref=x", "/forum/a.html?ref=x"),
            ("/forum/a?b=.php&ref=x", "/forum/a?b=.php&ref=x"),
            ("/forum/a.php", "/forum/a.php"),
            ("/forum/a.php?", "/forum/a.php?"),
            ("/forum/a.php#?ref=x", "/forum/a.php#?ref=x"),
            ("/forum/a.php?b&&ref=x", "/forum/a.php?b&"),
        ];
        for (url, expected) in cases {
            assert_eq!(cleaned(&rule, url), expected, "{url}");
        }
    }

    #[test]
    fn every_line_that_matches_counts() {
        let rules = ["a", "b /x", "c /y"];
        assert_eq!(cleaned(&rules, "/x?a=1&b=2&c=3&d=4"), "/x?c=3&d=4");
        assert_eq!(
            cleaned(&rules, "https://a.example?a=1"),
            "https://a.example"
        );
        assert_eq!(cleaned(&[], "/x?a=1"), "/x?a=1");
    }

    #[test]
    fn unchanged_urls_are_not_copied() {
        let rule = CleanParam::read(1, b"a /x").unwrap();
        assert!(matches!(clean([rule], b"/y?a=1"), Cow::Borrowed(_)));
        assert!(matches!(clean([rule], b"/x?b=1"), Cow::Borrowed(_)));
        assert_eq!(*clean([rule], b"/x?a=1&b=\xFF"), *b"/x?b=\xFF");
    }
}
