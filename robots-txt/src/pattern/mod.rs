//! Path patterns: their meaning under each dialect, and their matchers. The *form* of a pattern or a path has the bytes that
//! the dialect compares ([`encoding`]).
//!
//! Every pattern, of any standard, has one of four shapes: a prefix, an exact path, a glob (`*` is
//! any run of bytes, a final `$` the end: RFC 9309, 2.2.3; docs/semantics.md, sections 1.5, 2.2),
//! or a shell pattern (Conner, docs/semantics.md, section 3.3). Comparing prefixes and exact paths
//! is linear in the pattern, a glob in pattern and path; a shell pattern costs their product.

pub(crate) mod encoding;
pub(crate) mod quoted;
mod relative;

use crate::dialect::{BarePattern, Dialect, IndexPage, PatternSyntax};
use crate::pattern::encoding::{Role, is_plain, normalise, plain_length};
use memchr::{memchr, memmem, memrchr};
use std::borrow::Cow;

/// The shape of a pattern, which decides how it is compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Shape {
    /// A prefix: compared with the start of a path.
    Prefix,
    /// An exact path: compared with a whole path.
    Exact,
    /// A glob: literals between stars.
    Glob,
    /// A shell pattern.
    Shell,
}

/// The shape of a pattern, and the number of bytes at its end that are not compared: the star or
/// the dollar that the shape already expresses.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Reading {
    pub(crate) shape: Shape,
    pub(crate) tail: u8,
}

impl Reading {
    /// Returns the reading of a pattern, given in its form, under a syntax. `is_version_2`: the group
    /// of the pattern states version 2.0 or later of Conner's standard.
    pub(crate) fn of(form: &[u8], syntax: PatternSyntax, is_version_2: bool) -> Self {
        let (shape, tail) = match syntax {
            PatternSyntax::Wildcards | PatternSyntax::WildcardsOrDollar => match memchr(b'*', form)
            {
                Some(at) if at + 1 == form.len() => (Shape::Prefix, 1),
                Some(_) => (Shape::Glob, 0),
                None if form.ends_with(b"$") => (Shape::Exact, 1),
                None => (Shape::Prefix, 0),
            },
            // An empty pattern has no type: it matches every path, as a prefix.
            PatternSyntax::Typed if is_version_2 && !form.is_empty() => {
                match form.iter().position(|byte| b"*?[".contains(byte)) {
                    None => (Shape::Exact, 0),
                    Some(at) if form[at..] == *b"*" => (Shape::Prefix, 1),
                    Some(_) => (Shape::Shell, 0),
                }
            }
            PatternSyntax::Typed | PatternSyntax::Prefix => (Shape::Prefix, 0),
        };
        Self { shape, tail }
    }

    /// The reading of a pattern without special characters, except in a group of Conner's version
    /// 2.0.
    pub(crate) const PLAIN: Self = Self {
        shape: Shape::Prefix,
        tail: 0,
    };

    /// Returns the bytes of a pattern's form that are compared: all but the tail.
    pub(crate) fn compared(self, form: &[u8]) -> &[u8] {
        &form[..form.len() - usize::from(self.tail)]
    }

    /// Returns whether a pattern matches a path in the same form.
    #[inline]
    pub(crate) fn matches(self, form: &[u8], path: &[u8]) -> bool {
        match self.shape {
            Shape::Prefix => path.starts_with(self.compared(form)),
            Shape::Exact => path == self.compared(form),
            Shape::Glob => glob(form, path),
            Shape::Shell => shell(form, path),
        }
    }
}

/// Returns a glob without its final `$`, and whether it has one. A glob with a final `$` must match the
/// whole path, another one only a start of it.
pub(crate) fn split_end(form: &[u8]) -> (&[u8], bool) {
    match form {
        [pattern @ .., b'$'] => (pattern, true),
        pattern => (pattern, false),
    }
}

/// Returns whether a glob matches a path.
///
/// Each run between two stars is matched at its first occurrence: an earlier match leaves more for the
/// runs after it, so no other choice can do better. The run that must end the path is checked
/// first, as it can match only there.
pub(crate) fn glob(form: &[u8], path: &[u8]) -> bool {
    let (pattern, is_whole) = split_end(form);
    let (first, mut runs) = match memchr(b'*', pattern) {
        Some(at) => (&pattern[..at], &pattern[at + 1..]),
        None if is_whole => return path == pattern,
        None => return path.starts_with(pattern),
    };
    let Some(mut rest) = path.strip_prefix(first) else {
        return false;
    };
    if is_whole {
        let (before, last) = runs.split_at(memrchr(b'*', runs).map_or(0, |at| at + 1));
        match rest.strip_suffix(last) {
            Some(before_last) => (rest, runs) = (before_last, before),
            None => return false,
        }
    }
    for run in runs.split(|&byte| byte == b'*') {
        match after_first(rest, run) {
            Some(tail) => rest = tail,
            None => return false,
        }
    }
    true
}

/// Returns the bytes after the first occurrence of `run`.
fn after_first<'p>(path: &'p [u8], run: &[u8]) -> Option<&'p [u8]> {
    let at = match run {
        [] => return Some(path),
        [byte] => memchr(*byte, path)?,
        _ => memmem::find(path, run)?,
    };
    Some(&path[at + run.len()..])
}

/// One element of a shell pattern.
pub(crate) enum Element<'p> {
    Byte(u8),
    AnyByte,
    AnyRun,
    /// A class of bytes: `[...]`, or `[!...]` or `[^...]` for all bytes but the listed ones.
    Class {
        /// The text in the brackets, without a leading `!` or `^`.
        listed: &'p [u8],
        is_negated: bool,
    },
}

/// Returns whether a shell pattern matches a whole path. `*` and `?` match `/` too.
///
/// The search backtracks only to the last star, so the cost is at most the product of both lengths.
pub(crate) fn shell(pattern: &[u8], path: &[u8]) -> bool {
    let open_length = open_length(pattern);
    // The rests of pattern and path that are not matched yet.
    let (mut pattern_rest, mut path_rest) = (pattern, path);
    // For the last star: the pattern after it, and the path after the bytes that it matches so far.
    let mut star: Option<(&[u8], &[u8])> = None;
    loop {
        let step = element(pattern_rest, open_length);
        match (&step, path_rest) {
            (Some((Element::AnyRun, after)), _) => {
                star = Some((after, path_rest));
                pattern_rest = after;
                continue;
            }
            (None, []) => return true,
            (Some((element, after)), [byte, tail @ ..]) if element.takes(*byte) => {
                (pattern_rest, path_rest) = (after, tail);
                continue;
            }
            _ => {}
        }
        // The rests do not match: let the last star match one byte more, and try again.
        match star {
            Some((after, [_, tail @ ..])) => {
                star = Some((after, tail));
                (pattern_rest, path_rest) = (after, tail);
            }
            _ => return false,
        }
    }
}

/// Returns the number of bytes after the last `]` of a shell pattern. A `[` among them does not begin a class.
/// Without this bound, each `[` would search the rest of the pattern for a `]`: quadratic cost.
pub(crate) fn open_length(pattern: &[u8]) -> usize {
    pattern.len() - memrchr(b']', pattern).map_or(0, |at| at + 1)
}

/// Returns the first element of a shell pattern and the rest. A `[` without its `]` is literal.
/// `open_length` is the [`open_length`] of the whole pattern; `pattern` may be the rest of it.
pub(crate) fn element(pattern: &[u8], open_length: usize) -> Option<(Element<'_>, &[u8])> {
    let (first, rest) = pattern.split_first()?;
    Some(match first {
        b'[' if rest.len() <= open_length => (Element::Byte(b'['), rest),
        b'*' => (Element::AnyRun, rest),
        b'?' => (Element::AnyByte, rest),
        b'[' => {
            let (inside, is_negated) = match rest {
                [b'!' | b'^', inside @ ..] => (inside, true),
                inside => (inside, false),
            };
            // A `]` that comes first is listed, and does not end the class.
            let close = inside.iter().skip(1).position(|&byte| byte == b']');
            match close.map(|at| inside.split_at(at + 1)) {
                Some((listed, after)) => (Element::Class { listed, is_negated }, &after[1..]),
                None => (Element::Byte(b'['), rest),
            }
        }
        byte => (Element::Byte(*byte), rest),
    })
}

impl Element<'_> {
    /// Returns whether the element matches this byte as one byte. A star does not: it matches runs.
    pub(crate) fn takes(&self, byte: u8) -> bool {
        match self {
            Self::Byte(expected) => *expected == byte,
            Self::AnyByte => true,
            Self::AnyRun => false,
            Self::Class { listed, is_negated } => lists(listed, byte) != *is_negated,
        }
    }
}

/// Returns whether the text of a class, such as `a-cx`, lists a byte.
fn lists(mut listed: &[u8], byte: u8) -> bool {
    loop {
        match listed {
            [low, b'-', high, rest @ ..] => {
                if (*low..=*high).contains(&byte) {
                    return true;
                }
                listed = rest;
            }
            [one, rest @ ..] => {
                if *one == byte {
                    return true;
                }
                listed = rest;
            }
            [] => return false,
        }
    }
}

/// The circumstances of a rule, beyond its text, that decide how its pattern is read.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct PatternContext<'u> {
    /// True if the group states version 2.0 or later of Conner's standard.
    pub(crate) is_version_2: bool,
    /// The URL of the file.
    pub(crate) own_url: Option<&'u str>,
    /// True if the text is a resolved path, false if it is as in the file.
    pub(crate) is_resolved: bool,
}

/// Returns the pattern that `rest` begins with if it is plain: [`read`] then returns it with [`Reading::PLAIN`].
///
/// `rest` is the body from the value of a line on. Returns `None` also if a byte other than a line end follows the plain bytes.
/// The rule's group must not have version 2.0 of Conner's standard.
#[inline]
pub(crate) fn plain_pattern<'b>(rest: &'b [u8], dialect: &Dialect) -> Option<&'b [u8]> {
    let (path, after) = rest.split_at(plain_length(rest));
    // Where a pattern is a reference to be resolved (`BarePattern::Relative`), `//` begins an authority.
    let is_plain = matches!(after, [] | [b'\n' | b'\r', ..])
        && path.starts_with(b"/")
        && !path.starts_with(b"//")
        && !dialect.encoding.is_quoted();
    is_plain.then_some(path)
}

/// Returns the form of a rule's pattern and how it is compared under a dialect; `None` if the rule
/// has no effect.
#[inline]
pub(crate) fn read<'t>(
    text: &'t [u8],
    dialect: &Dialect,
    context: &PatternContext<'_>,
) -> Option<(Cow<'t, [u8]>, Reading)> {
    // Most patterns are plain paths, which all dialects read alike but those that quote; a dialect may read `//` as an
    // authority.
    if text.starts_with(b"/")
        && !text.starts_with(b"//")
        && is_plain(text)
        && !context.is_version_2
        && !dialect.encoding.is_quoted()
    {
        return Some((Cow::Borrowed(text), Reading::PLAIN));
    }
    let form = form_of(text, dialect, context)?;
    let reading = Reading::of(&form, dialect.pattern_syntax, context.is_version_2);
    Some((form, reading))
}

/// Returns the form of a rule's pattern under a dialect; `None` if the rule has no effect.
pub(crate) fn form_of<'t>(
    text: &'t [u8],
    dialect: &Dialect,
    context: &PatternContext<'_>,
) -> Option<Cow<'t, [u8]>> {
    let text = match (dialect.bare_pattern, text) {
        _ if context.is_resolved => Cow::Borrowed(text),
        (_, []) | (BarePattern::AsWritten, _) | (BarePattern::Anywhere, [b'/' | b'*', ..]) => {
            Cow::Borrowed(text)
        }
        (BarePattern::Anywhere, _) => Cow::Owned([b"*", text].concat()),
        (BarePattern::UrlAfterSlash, _)
            if text.starts_with(b"http://") || text.starts_with(b"https://") =>
        {
            Cow::Owned([b"/", text].concat())
        }
        (BarePattern::UrlAfterSlash, _) => Cow::Borrowed(text),
        (BarePattern::Relative, _) => relative::resolved(text, context.own_url)?,
    };
    let role = match dialect.pattern_syntax {
        PatternSyntax::Wildcards | PatternSyntax::WildcardsOrDollar => Role::Pattern,
        PatternSyntax::Prefix | PatternSyntax::Typed => Role::Literal,
    };
    Some(match text {
        Cow::Borrowed(text) => normalise(text, role, dialect.encoding),
        Cow::Owned(text) => Cow::Owned(normalise(&text, role, dialect.encoding).into_owned()),
    })
}

/// Returns a second pattern of an `Allow` rule for an index page (`index.htm...`): the page's folder and
/// nothing below it. google/robotstxt tries it when the rule's own pattern does not match
/// (docs/semantics.md, section 2.2).
pub(crate) fn folder_of_index_page(form: &[u8], index_page: IndexPage) -> Option<Vec<u8>> {
    let slash = form.iter().rposition(|&byte| byte == b'/')?;
    let (folder, page) = form.split_at(slash + 1);
    let is_index_page = match index_page {
        IndexPage::Plain => false,
        IndexPage::StandsForFolder => page.starts_with(b"index.htm"),
        IndexPage::HtmlStandsForFolder => page == b"index.html",
    };
    is_index_page.then(|| [folder, b"$"].concat())
}

/// Returns the second pattern of a rule with a final `$` where that may be a character of the path
/// ([`PatternSyntax::WildcardsOrDollar`]).
pub(crate) fn with_literal_dollar(form: &[u8], dialect: &Dialect) -> Option<Vec<u8>> {
    let pattern = match dialect.pattern_syntax {
        PatternSyntax::WildcardsOrDollar => form.strip_suffix(b"$")?,
        _ => return None,
    };
    let dollar = normalise(b"$", Role::Target, dialect.encoding);
    Some([pattern, &dollar].concat())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn matches(pattern: &str, path: &str) -> bool {
        Reading::of(pattern.as_bytes(), PatternSyntax::Wildcards, false)
            .matches(pattern.as_bytes(), path.as_bytes())
    }

    #[test]
    fn plain_patterns_are_read_as_all_are() {
        let context = PatternContext::default();
        let is_plain = |rest: &str| plain_pattern(rest.as_bytes(), &Dialect::RFC9309).is_some();
        assert!(is_plain("/a?b") && is_plain("/\nb") && is_plain("/12345678\r"));
        for text in [
            "/",
            "//a",
            "/a-long-path/without/anything?special&x",
            "/a*b",
            "/a$",
            "/é",
            "/%7e",
            "/a b",
            "/a#b",
            "/[a]",
            "/=",
            "",
            "*",
            "a",
            "?a",
            "http://a/b",
            "/123456",
            "/1234567",
            "/12345678",
        ] {
            for dialect in Dialect::ALL {
                for after in ["", "\n", "\r\nDisallow: /x", " ", "#", "\t\n", "\0"] {
                    let rest = format!("{text}{after}");
                    let Some(found) = plain_pattern(rest.as_bytes(), dialect) else {
                        continue;
                    };
                    assert!(
                        matches!(after.as_bytes(), [] | [b'\n' | b'\r', ..]),
                        "{rest:?}"
                    );
                    let read = read(text.as_bytes(), dialect, &context);
                    assert_eq!(
                        read,
                        Some((Cow::Borrowed(found), Reading::PLAIN)),
                        "{rest:?}"
                    );
                }
            }
        }
    }

    #[test]
    fn globs_match_stars_and_dollars() {
        let cases = [
            ("/", "/anything", true),
            ("/fish", "/fish/salmon", true),
            ("/fish", "/Fish", false),
            ("/fish/", "/fish", false),
            ("/*.php", "/folder/a.php?b", true),
            ("/*.php$", "/a.php5", false),
            ("/*.php$", "/a.php.php", true),
            ("/fish*.php", "/fishheads/catfish.php?parameters", true),
            ("/fish*", "/fish", true),
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
    fn an_index_page_represents_its_folder() {
        let folder = |form: &str| {
            folder_of_index_page(form.as_bytes(), IndexPage::StandsForFolder)
                .map(|folder| String::from_utf8(folder).unwrap())
        };
        assert_eq!(folder("/a/index.html"), Some("/a/$".into()));
        assert_eq!(folder("/index.htm*"), Some("/$".into()));
        assert_eq!(folder("/a/Index.html"), None);
        assert_eq!(folder("/index.html/x"), None);
        assert_eq!(folder("index.html"), None);
    }

    #[test]
    fn shell_patterns_match_whole_paths() {
        let cases = [
            ("*.shtml", "/a/b.shtml", true),
            ("*.shtml", "/a.shtml?x", false),
            ("/?.html", "/a.html", true),
            ("/?.html", "/.html", false),
            ("/[a-c]*[!0-9]", "/b-x", true),
            ("/[a-c]*[!0-9]", "/b-1", false),
            ("/[]x]", "/]", true),
            ("/[a", "/[a", true),
            ("*a*b*", "/xaxbx", true),
            ("", "", true),
        ];
        for (pattern, path, expected) in cases {
            let found = shell(pattern.as_bytes(), path.as_bytes());
            assert_eq!(found, expected, "{pattern} on {path}");
        }
    }

    #[test]
    fn typed_patterns_have_the_shape_of_their_type() {
        let of = |form: &str| Reading::of(form.as_bytes(), PatternSyntax::Typed, true).shape;
        assert_eq!(of("/images"), Shape::Exact);
        assert_eq!(of("/help*"), Shape::Prefix);
        assert_eq!(of("*index.html"), Shape::Shell);
        assert_eq!(of("/a?"), Shape::Shell);
        assert_eq!(of(""), Shape::Prefix);
    }

    #[test]
    fn a_bare_pattern_depends_on_the_dialect() {
        let form = |text: &str, dialect: &Dialect, own: Option<&str>| {
            let context = PatternContext {
                own_url: own,
                ..PatternContext::default()
            };
            form_of(text.as_bytes(), dialect, &context)
                .map(|form| String::from_utf8(form.into_owned()).unwrap())
        };
        let own = Some("http://a.example/robots.txt");
        let perl = Dialect::WWW_ROBOT_RULES;
        assert_eq!(form(".jpg$", &Dialect::BAIDU, None), Some("*.jpg$".into()));
        assert_eq!(form(".jpg$", &Dialect::GOOGLE, None), Some(".jpg$".into()));
        assert_eq!(form("tmp", &perl, None), Some("/tmp".into()));
        assert_eq!(form("http://A.example:80/x", &perl, own), Some("/x".into()));
        assert_eq!(form("http://a.example", &perl, own), Some("/".into()));
        assert_eq!(form("https://a.example/x", &perl, own), None);
        assert_eq!(form("http://b.example/x", &perl, own), None);
        assert_eq!(form("http://a.example/x", &perl, None), None);
        assert_eq!(form("//a.example/x", &perl, own), Some("/x".into()));
        assert_eq!(form("//b.example/x", &perl, own), None);
        assert_eq!(form("?q", &perl, own), Some("/robots.txt?q".into()));
        assert_eq!(form("*", &perl, own), Some("/*".into()));
        assert_eq!(form("/ツ b", &perl, own), Some("/%E3%83%84%20b".into()));
    }

    /// Matches by the definition: tracks which prefixes of the path the pattern so far can match.
    fn by_definition(pattern: &[u8], path: &[u8], is_shell: bool) -> bool {
        let mut reached = vec![false; path.len() + 1];
        reached[0] = true;
        for (index, &byte) in pattern.iter().enumerate() {
            if byte == b'$' && index + 1 == pattern.len() && !is_shell {
                return reached[path.len()];
            }
            let mut next = vec![false; path.len() + 1];
            for at in 0..=path.len() {
                if byte == b'*' {
                    next[at] = reached[at] || at > 0 && next[at - 1];
                } else if at > 0 {
                    let any = is_shell && byte == b'?';
                    next[at] = reached[at - 1] && (any || path[at - 1] == byte);
                }
            }
            reached = next;
        }
        if is_shell {
            reached[path.len()]
        } else {
            reached.contains(&true)
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 4096, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn runs_between_stars_agree_with_the_definition(
            pattern in "[/ab*]{0,12}\\$?",
            path in "/[ab/]{0,20}",
        ) {
            let expected = by_definition(pattern.as_bytes(), path.as_bytes(), false);
            prop_assert_eq!(matches(&pattern, &path), expected);
            prop_assert_eq!(glob(pattern.as_bytes(), path.as_bytes()), expected);
        }

        #[test]
        fn shell_patterns_agree_with_the_definition(
            pattern in "[/ab*?]{0,12}",
            path in "/[ab/]{0,20}",
        ) {
            prop_assert_eq!(
                shell(pattern.as_bytes(), path.as_bytes()),
                by_definition(pattern.as_bytes(), path.as_bytes(), true)
            );
        }
    }
}
