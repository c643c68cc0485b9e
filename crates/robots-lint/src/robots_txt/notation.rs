//! Values in another notation than that of rules: regular expressions, and several paths in one line. Linear in the value.

use memchr::{memchr, memchr_iter, memmem, memrchr};
use robots_txt::parse::{is_space, trim};
use std::ops::Range;

/// Returns the first part of a path that only a regular expression has.
///
/// Not counted are `.*` after a name, which may stand for any ending (`/index.*`), `/.*` without a folder before it, which may
/// stand for hidden files, and brackets without a range, which some URLs have.
pub(super) fn regular_expression(text: &[u8]) -> Option<Range<usize>> {
    if text.starts_with(b"^") || text.starts_with(b".*") {
        return Some(0..if text.starts_with(b"^") { 1 } else { 2 });
    }
    if text.starts_with(b"/^") {
        return Some(1..2);
    }
    [
        escape(text),
        brackets(text),
        alternatives(text),
        any_characters(text),
    ]
    .into_iter()
    .flatten()
    .min_by_key(|found| found.start)
}

/// Finds a character that is escaped with a backslash, or a class such as `\d+`.
fn escape(text: &[u8]) -> Option<Range<usize>> {
    const ESCAPED: &[u8] = b"?.+()[]{}|^$";
    const CLASSES: &[u8] = b"dwsDWS";
    const REPEATED: &[u8] = b"+*{";
    memchr_iter(b'\\', text).find_map(|at| {
        let next = text.get(at + 1)?;
        let is_repeated = || text.get(at + 2).is_some_and(|byte| REPEATED.contains(byte));
        let is_escape = ESCAPED.contains(next) || (CLASSES.contains(next) && is_repeated());
        is_escape.then_some(at..at + 2)
    })
}

/// Finds brackets with ranges (`[0-9]`, `[a-zA-Z_]`) or with a negation (`[^/]`).
fn brackets(text: &[u8]) -> Option<Range<usize>> {
    let mut from = 0;
    loop {
        let close = from + memchr(b']', text.get(from..)?)?;
        // Of nested brackets, the inner ones; so each byte is examined once.
        if let Some(open) = memrchr(b'[', text.get(from..close)?) {
            let open = from + open;
            let inner = text.get(open + 1..close)?;
            if matches!(inner, [b'^', _, ..]) || is_ranges(inner) {
                return Some(open..close + 1);
            }
        }
        from = close + 1;
    }
}

/// Returns whether a text is one range or more, such as `a-z`, with single punctuation marks after them.
fn is_ranges(mut text: &[u8]) -> bool {
    let mut has_range = false;
    loop {
        match text {
            [from, b'-', to, rest @ ..]
                if from.is_ascii_alphanumeric() && to.is_ascii_alphanumeric() && from < to =>
            {
                has_range = true;
                text = rest;
            }
            [b'_' | b'-' | b'.' | b'%' | b'+' | b'/', rest @ ..] if has_range => text = rest,
            [] => return has_range,
            _ => return false,
        }
    }
}

/// Finds parentheses with alternatives (`(a|b)`), with any characters (`(.*)`), or with a question mark of their own (`(?:`).
fn alternatives(text: &[u8]) -> Option<Range<usize>> {
    let mut from = 0;
    loop {
        let open = from + memchr(b'(', text.get(from..)?)?;
        let inner = text.get(open + 1..)?;
        if matches!(inner, [b'?', b':' | b'!', ..]) {
            return Some(open..open + 3);
        }
        let close = inner.iter().position(|byte| matches!(byte, b'(' | b')'))?;
        let end = open + close + 2;
        let is_closed = inner.get(close) == Some(&b')');
        let inner = inner.get(..close)?;
        let has_alternatives = memchr(b'|', inner).is_some() && inner.len() > 1;
        if is_closed && (has_alternatives || matches!(inner, b".*" | b".+" | b".*?")) {
            return Some(open..end);
        }
        from = open + 1 + close;
    }
}

/// Any characters as a whole part of a path, a query or a value.
const ANY_CHARACTERS: [&[u8]; 6] = [b"/.*", b"/.+", b"?.*", b"?.+", b"=.*", b"=.+"];

/// Finds `.*` or `.+` in place of a whole part of a path, below a folder with a name, or in place of a query or a value in it.
fn any_characters(text: &[u8]) -> Option<Range<usize>> {
    let named = text.iter().position(u8::is_ascii_alphanumeric)?;
    ANY_CHARACTERS
        .into_iter()
        .filter_map(|part| {
            let mut places = memmem::find_iter(text, part);
            let at = places.find(|&at| {
                let after = text.get(at + part.len()..).unwrap_or_default();
                at > named && matches!(after, [] | [b'$'] | [b'/' | b'&', ..])
            })?;
            Some(at + 1..at + part.len())
        })
        .min_by_key(|found| found.start)
}

/// Returns the part of a value after the first of several paths (`/a, /b`, `/a;/b`, `/a | /b`), with the separator.
pub(super) fn second_path(text: &[u8]) -> Option<Range<usize>> {
    b",;|".iter().find_map(|separator| {
        let at = memchr(*separator, text)?;
        let begins = |part: &&[u8], stars: bool| match part {
            [b'/', _, ..] => true,
            [b'*', _, ..] => stars,
            _ => false,
        };
        let mut parts = text.split(|byte| byte == separator);
        let first = parts.next().map(trim)?;
        // The semicolon of an HTML entity, such as `&eacute;`.
        let is_entity = |part: &[u8]| {
            let name = part.iter().rposition(|byte| !byte.is_ascii_alphanumeric());
            *separator == b';' && name.is_some_and(|at| part.get(at) == Some(&b'&'))
        };
        // After the last separator there may be nothing.
        let mut rest = parts.filter(|part| !trim(part).is_empty()).peekable();
        rest.peek()?;
        let are_paths = begins(&first, true)
            && !is_entity(first)
            && rest.all(|part| {
                let has_blank = part.first().is_some_and(|byte| is_space(*byte));
                let part = trim(part);
                begins(&part, has_blank) && !is_entity(part)
            });
        are_paths.then_some(at..text.len())
    })
}

/// Returns the part of the value of a `Sitemap` after the first of several URLs.
pub(super) fn second_url(text: &[u8]) -> Option<Range<usize>> {
    let is_separator = |byte: &u8| is_space(*byte) || matches!(byte, b',' | b';' | b'|');
    let is_url = |part: &[u8]| {
        let start = part.get(..4);
        start.is_some_and(|start| start.eq_ignore_ascii_case(b"http"))
            && memmem::find(part, b"://").is_some()
    };
    let at = text.iter().position(is_separator)?;
    let mut urls = text.split(is_separator).filter(|part| !part.is_empty());
    let is_list = urls.clone().count() > 1 && urls.all(is_url);
    is_list.then_some(at..text.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn regular_expressions_are_found() {
        let found = |text: &str| {
            let found = regular_expression(text.as_bytes());
            found.map(|range| text[range].to_owned())
        };
        for (text, expected) in [
            (r"/search\?", r"\?"),
            (r"/a\.html$", r"\."),
            (r"/a/\d+/", r"\d"),
            ("/ae/1[0-7]", "[0-7]"),
            ("/[a-zA-Z0-9_-]+/", "[a-zA-Z0-9_-]"),
            ("/x[y]/[^/]+/", "[^/]"),
            ("/(a|b)/", "(a|b)"),
            ("/f(x)(jpg|png)$", "(jpg|png)"),
            ("/(?:a)/", "(?:"),
            ("/a(.*)", "(.*)"),
            ("/news/.*", ".*"),
            ("/news/.*$", ".*"),
            ("/news/.*/print", ".*"),
            ("/a/.+", ".+"),
            ("/search?.*", ".*"),
            ("/x?id=.*&a=.+$", ".*"),
            ("^/a", "^"),
            ("/^a", "^"),
            (".*/a", ".*"),
        ] {
            assert_eq!(found(text).as_deref(), Some(expected), "{text}");
        }
        for text in [
            "/.*",
            "/*/.*",
            "/index.*",
            "/search.*?q=",
            "/*.*$",
            "/tv-schedule.*",
            "/files/.*.swp",
            "/filter[type]=x",
            "/*?f=[0]=",
            "/[user]/",
            "/date=[NOW-1DAY+TO+*]",
            "/a(b)/",
            "*$(this).fadeOut();*",
            r"*/\",
            r"\admin\data",
            "/O.*Z",
            "/a.+b",
            "/",
            "",
        ] {
            assert_eq!(found(text), None, "{text}");
        }
    }

    #[test]
    fn several_paths_are_found() {
        let rest = |text: &str| second_path(text.as_bytes()).map(|range| text[range].to_owned());
        for (text, expected) in [
            ("/a,/b", ",/b"),
            ("/a, /b, /c", ", /b, /c"),
            ("/a; *.pdf$", "; *.pdf$"),
            ("/a | /b|", " | /b|".trim_start()),
            ("*/a,/b", ",/b"),
        ] {
            assert_eq!(rest(text).as_deref(), Some(expected), "{text}");
        }
        for text in [
            "/a",
            "/a,b",
            "/*,*",
            "/a,/",
            "/compare/*;*",
            "/solidarit&eacute;/fsp/",
            "/a;b=/c",
            "/a,",
            ",/b",
            "",
            ",",
        ] {
            assert_eq!(rest(text), None, "{text}");
        }
        let rest = |text: &str| second_url(text.as_bytes()).map(|range| text[range].to_owned());
        assert_eq!(
            rest("https://a.example/1 https://a.example/2").as_deref(),
            Some(" https://a.example/2")
        );
        assert_eq!(
            rest("https://a.example/1, https://a.example/2").as_deref(),
            Some(", https://a.example/2")
        );
        assert_eq!(rest("https://a.example/1, 2"), None);
        assert_eq!(rest("https://a.example/a b"), None);
        assert_eq!(rest("https://a.example/1"), None);
    }
}
