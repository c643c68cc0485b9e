//! Patterns that are references to be resolved against the URL of the file, as Perl's URI module
//! (5.17) does for `WWW::RobotRules` (docs/semantics.md, section 3.4). Linear in the reference.
//!
//! Before a first `:`, the module accepts as a scheme only a letter followed by letters, digits, `.`,
//! `+` and `-`. But it cuts any other text before a first `:` from the path: `1a:b` is `/b`.

use crate::parse::text::trim;
use memchr::memchr;
use percent_encoding::percent_decode;
use std::borrow::Cow;

/// The path of the file, if its URL is not known.
const OWN_PATH: &[u8] = b"/robots.txt";

/// Returns path and query of a reference, resolved against the URL of the file; `None` if the reference
/// has another origin than the file, or has an origin and the URL of the file is not known.
pub(super) fn resolved<'t>(text: &'t [u8], own_url: Option<&str>) -> Option<Cow<'t, [u8]>> {
    // The scheme of the file's URL, and the rest after its colon.
    let own = own_url.map(|url| split_scheme(url.as_bytes()).unwrap_or((b"", url.as_bytes())));
    let text = unwrapped(text);
    let (scheme, rest) = match split_scheme(text) {
        Some((scheme, rest)) => (Some(scheme), rest),
        None => (None, text),
    };
    // A reference with an origin must have that of the file.
    if scheme.is_some() || rest.starts_with(b"//") {
        let (own_scheme, own_rest) = own?;
        let (authority, path) = split_authority(rest)?;
        let (own_authority, _) = split_authority(own_rest)?;
        let is_same_origin = scheme.is_none_or(|scheme| scheme.eq_ignore_ascii_case(own_scheme))
            && host_and_port(own_scheme, authority) == host_and_port(own_scheme, own_authority);
        let path = if path.is_empty() { b"/" } else { path };
        return is_same_origin.then_some(Cow::Borrowed(path));
    }
    let own_path_and_query = own.map_or(OWN_PATH, |(_, rest)| {
        split_authority(rest).map_or(rest, |(_, path)| path)
    });
    let (own_path, _) = split_query(own_path_and_query);
    let (_, query) = split_query(text);
    Some(match relative_path(text) {
        // A path from the root stays as it is.
        [b'/', ..] if text.starts_with(b"/") => Cow::Borrowed(text),
        // The path follows a `:`, as in `1a:/x`: the module then makes the whole reference a path.
        [b'/', ..] => Cow::Owned([b"/", text].concat()),
        // Without a path, the reference has the path of the file, and without a query, its query too.
        [] if query.is_empty() && own_path_and_query.is_empty() => Cow::Borrowed(b"/"),
        [] if query.is_empty() => Cow::Owned(own_path_and_query.to_vec()),
        [] => Cow::Owned([own_path, query].concat()),
        // Any other path is relative to the folder of the file.
        path => Cow::Owned([&merged(own_path, path), query].concat()),
    })
}

/// Returns a reference without the delimiters that may be around it: `<URL:...>`, `<...>`, `"..."`.
fn unwrapped(text: &[u8]) -> &[u8] {
    let inside = match text {
        [b'<', inside @ .., b'>'] => inside.strip_prefix(b"URL:").unwrap_or(inside),
        text => text,
    };
    trim(match inside {
        [b'"', inside @ .., b'"'] | inside => inside,
    })
}

/// Returns the scheme of a URL, and what follows its colon.
fn split_scheme(url: &[u8]) -> Option<(&[u8], &[u8])> {
    let (scheme, rest) = url.split_at(memchr(b':', url)?);
    let is_scheme = scheme.first().is_some_and(u8::is_ascii_alphabetic)
        && scheme
            .iter()
            .all(|byte| byte.is_ascii_alphanumeric() || b".+-".contains(byte));
    is_scheme.then_some((scheme, &rest[1..]))
}

/// Returns the authority after `//`, and the rest.
fn split_authority(rest: &[u8]) -> Option<(&[u8], &[u8])> {
    let rest = rest.strip_prefix(b"//")?;
    let end = rest.iter().position(|byte| b"/?#".contains(byte));
    Some(rest.split_at(end.unwrap_or(rest.len())))
}

/// Returns a path without its query, and the query with its `?`.
fn split_query(path: &[u8]) -> (&[u8], &[u8]) {
    path.split_at(memchr(b'?', path).unwrap_or(path.len()))
}

/// Returns the path of a reference without a scheme: after a first `:` and after an authority, without
/// the query.
fn relative_path(text: &[u8]) -> &[u8] {
    let end = text.iter().position(|byte| b":/?#".contains(byte));
    let rest = match end.map(|end| text.split_at(end)) {
        Some(([_, ..], [b':', rest @ ..])) => rest,
        _ => text,
    };
    let path = split_authority(rest).map_or(rest, |(_, path)| path);
    split_query(path).0
}

/// Returns host and port of an authority. The port is compared as text; without one it is that of
/// the scheme.
fn host_and_port<'a>(scheme: &[u8], authority: &'a [u8]) -> (Vec<u8>, &'a [u8]) {
    let default: &[u8] = if scheme.eq_ignore_ascii_case(b"https") {
        b"443"
    } else {
        b"80"
    };
    let start = authority.iter().rposition(|&byte| byte == b'@');
    let with_port = start.map_or(authority, |at| &authority[at + 1..]);
    let before_digits = with_port.iter().rposition(|byte| !byte.is_ascii_digit());
    let (host, port) = match before_digits {
        Some(colon) if with_port.get(colon) == Some(&b':') => with_port.split_at(colon),
        _ => (with_port, &[][..]),
    };
    let (host, port) = match port {
        [] => (host, default),
        // The colon of an empty port is part of the host.
        [_] => (with_port, default),
        [_, digits @ ..] => (host, digits),
    };
    let host = match host {
        [b'[', inside @ .., b']'] => inside,
        host => host,
    };
    (
        percent_decode(host)
            .collect::<Vec<u8>>()
            .to_ascii_lowercase(),
        port,
    )
}

/// Resolves a relative path against the folder of `own_path`: applies `.` and `..` as the module does. A
/// `..` that would leave the root stays.
fn merged(own_path: &[u8], path: &[u8]) -> Vec<u8> {
    let folder = own_path.iter().rposition(|&byte| byte == b'/');
    let folder = folder.map_or(&[][..], |slash| &own_path[..=slash]);
    let whole = [folder, path].concat();
    let whole = whole.strip_prefix(b"/").unwrap_or(&whole);
    // Each step does one of three things. It drops a `.` at the end of `parts`, applies a `..` at the start of
    // `rest`, or moves the next segment from `rest` to `parts`. If `parts` becomes empty, it moves one at once.
    let mut parts: Vec<&[u8]> = Vec::new();
    let mut rest = whole.split(|&byte| byte == b'/').peekable();
    parts.extend(rest.next());
    while let Some(next) = rest.peek() {
        let last = parts.last().copied();
        if last == Some(b".") {
            parts.pop();
            if parts.is_empty() {
                parts.extend(rest.next());
            }
        } else if *next == b".." && last.is_some_and(|last| last != b"..") {
            parts.pop();
            rest.next();
            if parts.is_empty() {
                parts.extend(rest.next());
            } else if rest.peek().is_none() {
                // A `..` at the end leads to a folder, whose path ends with a slash.
                parts.push(b"");
            }
        } else {
            parts.extend(rest.next());
        }
    }
    // So does a `.` at the end.
    if let Some(last) = parts.last_mut()
        && *last == b"."
    {
        *last = b"";
    }
    [b"/", &*parts.join(&b'/')].concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The results of URI 5.17, by `URI->new_abs(REFERENCE, FILE)`, `host`, `port` and
    /// `path_query`, on 2026-11-22.
    #[test]
    fn references_have_the_paths_of_perls_module() {
        let own = "http://a.example/robots.txt";
        for (text, expected) in [
            ("/x", Some("/x")),
            ("/a/../b", Some("/a/../b")),
            ("x", Some("/x")),
            ("./x", Some("/x")),
            ("a/./b", Some("/a/b")),
            (".", Some("/")),
            ("..", Some("/..")),
            ("../x", Some("/../x")),
            ("a/../b", Some("/b")),
            ("a/../../b", Some("/../b")),
            ("a/..", Some("/")),
            ("b/a/..", Some("/b/")),
            ("a/.", Some("/a/")),
            ("a/./", Some("/a/")),
            ("a//b", Some("/a//b")),
            ("a//../b", Some("/a/b")),
            ("x;y?z/../w", Some("/x;y?z/../w")),
            ("?q", Some("/robots.txt?q")),
            ("?", Some("/robots.txt?")),
            ("?a/../b", Some("/robots.txt?a/../b")),
            ("\"\"", Some("/robots.txt")),
            ("<>", Some("/robots.txt")),
            ("\"/q\"", Some("/q")),
            ("<URL:http://a.example/z>", Some("/z")),
            ("1a:b/c", Some("/b/c")),
            ("1a:/x", Some("/1a:/x")),
            ("1a://h/x", Some("/1a://h/x")),
            ("1a:?q", Some("/robots.txt?q")),
            ("*:", Some("/robots.txt")),
            (":x", Some("/:x")),
            ("::", Some("/::")),
            ("mailto:x", None),
            ("foo:bar", None),
            ("x:", None),
            ("http:x", None),
            ("http:/x", None),
            ("https:x", None),
            ("http:///x", None),
            ("https://a.example/x", None),
            ("http://b.example/x", None),
            ("http://A.example/x", Some("/x")),
            ("HTTP://%61.example/x", Some("/x")),
            ("http://a.example", Some("/")),
            ("http://a.example?x", Some("?x")),
            ("http://a.example/../x", Some("/../x")),
            ("http://a.example:80/x", Some("/x")),
            ("http://a.example:080/x", None),
            ("http://a.example:99/x", None),
            ("//a.example", Some("/")),
            ("//a.example?x", Some("?x")),
            ("//a.example:80/y", Some("/y")),
            ("//a.example:/y", None),
            ("//u@a.example/y", Some("/y")),
            ("//u:1@a.example:80/y", Some("/y")),
            ("//u@a.example:/y", None),
            ("//b.example/y", None),
            ("//", None),
            ("///x", None),
        ] {
            let path = resolved(text.as_bytes(), Some(own));
            assert_eq!(path.as_deref(), expected.map(str::as_bytes), "{text}");
        }
    }

    #[test]
    fn a_reference_is_relative_to_the_file() {
        for (own, text, expected) in [
            ("http://a.example/b/robots.txt", "x", "/b/x"),
            ("http://a.example/b/robots.txt", "../x", "/x"),
            ("http://a.example/b/robots.txt", "?x", "/b/robots.txt?x"),
            ("http://a.example/r?s", "?x", "/r?x"),
            ("http://a.example/r?s", "\"\"", "/r?s"),
            ("http://a.example", "x", "/x"),
            ("http://a.example", "\"\"", "/"),
            ("http://[::1]:80/r", "//[::1]/x", "/x"),
        ] {
            let path = resolved(text.as_bytes(), Some(own));
            assert_eq!(path.as_deref(), Some(expected.as_bytes()), "{own} {text}");
        }
        // Without the URL of the file, a reference with an origin cannot be compared with it.
        let path = |text: &'static str| resolved(text.as_bytes(), None);
        assert_eq!(path("a/../x").as_deref(), Some(&b"/x"[..]));
        assert_eq!(path("?x").as_deref(), Some(&b"/robots.txt?x"[..]));
        assert_eq!(path("http://a.example/x"), None);
        assert_eq!(path("//a.example/x"), None);
    }
}
