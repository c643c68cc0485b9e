//! Patterns and paths in the form in which a dialect compares them, octet by octet.

use crate::{protego, robotparser};
use robots_txt::Dialect;
use robots_txt::dialect::{BarePattern, Encoding, NulByte, PatternSyntax};

/// One part of a text: an escape (`%XX`), or another byte.
#[derive(Clone, Copy)]
pub(crate) enum Part {
    /// An escape: its octet and its two digits.
    Escape(u8, [u8; 2]),
    /// Any other byte; a `%` that does not begin an escape too.
    Byte(u8),
}

pub(crate) fn parts(text: &[u8]) -> Vec<Part> {
    let mut parts = Vec::new();
    let mut at = 0;
    while at < text.len() {
        let digits = text.get(at + 1..at + 3).filter(|_| text[at] == b'%');
        let octet = digits
            .filter(|digits| digits.iter().all(u8::is_ascii_hexdigit))
            .and_then(|digits| std::str::from_utf8(digits).ok())
            .and_then(|digits| u8::from_str_radix(digits, 16).ok());
        if let Some(octet) = octet {
            parts.push(Part::Escape(octet, [text[at + 1], text[at + 2]]));
            at += 3;
        } else {
            parts.push(Part::Byte(text[at]));
            at += 1;
        }
    }
    parts
}

/// Returns whether a byte is unreserved (RFC 3986, 2.3).
pub(crate) fn is_unreserved(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"-._~".contains(&byte)
}

/// Returns whether a byte is reserved (RFC 3986, 2.2).
fn is_reserved(byte: u8) -> bool {
    b":/?#[]@!$&'()*+,;=".contains(&byte)
}

pub(crate) fn escape(byte: u8) -> Vec<u8> {
    format!("%{byte:02X}").into_bytes()
}

/// Returns the form of a rule's pattern; `None` if the rule has no effect under the dialect.
pub(crate) fn pattern(text: &[u8], own_url: Option<&str>, dialect: &Dialect) -> Option<Vec<u8>> {
    let text = with_path_start(text, own_url, dialect.bare_pattern())?;
    if dialect.encoding() == Encoding::Quoted {
        return Some(robotparser::pattern(&text));
    }
    let has_wildcards = matches!(
        dialect.pattern_syntax(),
        PatternSyntax::Wildcards | PatternSyntax::WildcardsOrDollar
    );
    if dialect.encoding() == Encoding::Requoted {
        return Some(protego::pattern(&text, has_wildcards));
    }
    let all = parts(&text);
    let mut form = Vec::new();
    let mut query = Query::default();
    for (index, part) in all.iter().enumerate() {
        let in_value = query.add(*part);
        let is_last = index + 1 == all.len();
        let is_special = has_wildcards
            && match part {
                Part::Byte(b'*') => true,
                Part::Byte(b'$') => is_last,
                _ => false,
            };
        form.extend(match (dialect.encoding(), *part) {
            (_, Part::Byte(byte)) if is_special => vec![byte],
            // google/robotstxt: bytes beyond ASCII are encoded, and digits made upper-case.
            (Encoding::PatternOnly, Part::Escape(octet, _)) => escape(octet),
            (Encoding::PatternOnly, Part::Byte(byte)) if byte.is_ascii() => vec![byte],
            (Encoding::PatternOnly, Part::Byte(byte)) => escape(byte),
            (encoding, part) => compared(part, in_value, encoding),
        });
    }
    Some(form)
}

/// Returns the path and query of a URL in the form in which a dialect compares them.
pub(crate) fn path(url: &[u8], dialect: &Dialect) -> Vec<u8> {
    let mut path = match dialect.encoding() {
        Encoding::PatternOnly => google_path(url),
        _ => standard_path(url),
    };
    if dialect.nul_byte() == NulByte::EndsText {
        let nul = path.iter().position(|byte| *byte == 0);
        path.truncate(nul.unwrap_or(path.len()));
    }
    match dialect.encoding() {
        Encoding::PatternOnly => path,
        Encoding::Quoted => robotparser::path(&path),
        Encoding::Requoted => protego::path(&path),
        encoding => {
            let mut query = Query::default();
            let form = parts(&path).into_iter().flat_map(|part| {
                let in_value = query.add(part);
                compared(part, in_value, encoding)
            });
            form.collect()
        }
    }
}

/// Returns a part in the form of an encoding. The part is not a wildcard.
fn compared(part: Part, in_value: bool, encoding: Encoding) -> Vec<u8> {
    let as_it_is = match part {
        Part::Escape(_, [high, low]) => vec![b'%', high, low],
        Part::Byte(byte) => vec![byte],
    };
    match (encoding, part) {
        // RFC 9309, 2.2.2: octets that are unreserved are compared decoded, others encoded.
        (Encoding::Unreserved | Encoding::RfcTable, Part::Escape(octet, _)) => {
            if is_unreserved(octet) {
                vec![octet]
            } else {
                escape(octet)
            }
        }
        // A `*` or `$` that is not a wildcard is encoded, so that it is not compared as one, and so is a bracket, which
        // no path and no query has. The table of the RFC also encodes `:` and `/` in the value of a parameter.
        (Encoding::Unreserved | Encoding::RfcTable, Part::Byte(byte)) => {
            let is_bare = (is_unreserved(byte) || is_reserved(byte)) && !b"*$[]".contains(&byte);
            let is_data = encoding == Encoding::RfcTable && in_value && matches!(byte, b':' | b'/');
            if is_bare && !is_data {
                vec![byte]
            } else {
                escape(byte)
            }
        }
        // 1996: everything but `/` is compared decoded. `%` stays an escape: otherwise the forms of
        // `%252F` and `%2F` would be equal.
        (Encoding::Decoded, Part::Escape(octet @ (b'/' | b'%'), _)) => escape(octet),
        (Encoding::Decoded, Part::Escape(octet, _)) => vec![octet],
        (Encoding::Decoded, Part::Byte(b'%')) => escape(b'%'),
        // WWW::RobotRules: bytes that cannot be in a URL become escapes; 1994: nothing changes.
        (Encoding::Escaped, Part::Byte(byte))
            if b"[]".contains(&byte)
                || byte != b'%' && !is_unreserved(byte) && !is_reserved(byte) =>
        {
            escape(byte)
        }
        _ => as_it_is,
    }
}

/// The state of a reader of a URL or a pattern: whether it is in the value of a query parameter, after its first `=`.
#[derive(Default)]
struct Query {
    has_begun: bool,
    is_value: bool,
}

impl Query {
    /// Adds a part, and returns whether it is in the value of a parameter.
    fn add(&mut self, part: Part) -> bool {
        let Part::Byte(byte) = part else {
            return self.is_value;
        };
        let was_value = self.is_value;
        match byte {
            b'?' => self.has_begun = true,
            b'&' => self.is_value = false,
            b'=' if self.has_begun => self.is_value = true,
            _ => {}
        }
        was_value && byte != b'&'
    }
}

/// Returns the text of a pattern; `bare` decides how one that begins with neither `/` nor `*` is read.
/// `None` if the pattern then has no effect.
fn with_path_start(text: &[u8], own_url: Option<&str>, bare: BarePattern) -> Option<Vec<u8>> {
    let first = text.first();
    match (bare, first) {
        (_, None) | (BarePattern::AsWritten, _) | (BarePattern::Anywhere, Some(b'/' | b'*')) => {
            Some(text.to_vec())
        }
        (BarePattern::Anywhere, _) => Some([b"*", text].concat()),
        (BarePattern::UrlAfterSlash, _) => Some(protego::with_slash(text)),
        _ => resolved(text, own_url.map(str::as_bytes)),
    }
}

/// Returns path and query of a reference, resolved against the URL of the file; `None` if it has
/// another origin. Follows `URI::new_abs`, `host`, `port` and `path_query` of Perl's URI module
/// step by step (docs/semantics.md, section 3.4).
fn resolved(text: &[u8], own_url: Option<&[u8]>) -> Option<Vec<u8>> {
    let text = unwrapped(text);
    let scheme = scheme(text);
    // host, port and path_query: a reference with an origin must have that of the file.
    if scheme.is_some() || text.starts_with(b"//") {
        let own = own_url?;
        let own_scheme = self::scheme(own).unwrap_or_default();
        if scheme.is_some_and(|scheme| !scheme.eq_ignore_ascii_case(own_scheme)) {
            return None;
        }
        let (authority, path) = authority_and_rest(without_scheme(text))?;
        let (own_authority, _) = authority_and_rest(without_scheme(own))?;
        if host(authority) != host(own_authority)
            || port(authority, own_scheme) != port(own_authority, own_scheme)
        {
            return None;
        }
        return Some(if path.is_empty() { b"/" } else { path }.to_vec());
    }
    // Without its URL, the path of the file is /robots.txt.
    let own = own_url.unwrap_or(b"/robots.txt");
    let own = without_scheme(own);
    let own = authority_and_rest(own).map_or(own, |(_, rest)| rest);
    let until_query = |text: &[u8]| text.iter().position(|byte| *byte == b'?');
    let (_, query) = text.split_at(until_query(text).unwrap_or(text.len()));
    let (own_path, _) = own.split_at(until_query(own).unwrap_or(own.len()));
    // path: begins after a first colon and after an authority, and ends at the query.
    let mut path = text;
    let colon = text.iter().position(|byte| b":/?#".contains(byte));
    if let Some(colon) = colon.filter(|at| *at > 0 && text[*at] == b':') {
        path = &text[colon + 1..];
    }
    path = authority_and_rest(path).map_or(path, |(_, rest)| rest);
    path = &path[..until_query(path).unwrap_or(path.len())];
    // abs: a path from the root stays as it is.
    if path.starts_with(b"/") {
        return Some(rooted(Some(text)));
    }
    // abs: a reference without a path has the path of the file.
    if path.is_empty() {
        let own_path = if query.is_empty() { own } else { own_path };
        let whole = [own_path, query].concat();
        return Some(if whole.is_empty() {
            b"/".to_vec()
        } else {
            whole
        });
    }
    // abs: any other path is relative to the folder of the file.
    let slash = own_path.iter().rposition(|byte| *byte == b'/');
    let folder = &own_path[..slash.map_or(0, |at| at + 1)];
    let path = without_dots(&[folder, path].concat());
    Some([&*path, query].concat())
}

/// Returns a reference without `<URL:...>` or `<...>`, quotes and white space around it, as `URI::new`.
fn unwrapped(text: &[u8]) -> &[u8] {
    let mut text = text;
    if text.len() >= 2 && text.starts_with(b"<") && text.ends_with(b">") {
        text = &text[1..text.len() - 1];
        text = text.strip_prefix(b"URL:").unwrap_or(text);
    }
    if text.len() >= 2 && text.starts_with(b"\"") && text.ends_with(b"\"") {
        text = &text[1..text.len() - 1];
    }
    crate::line::without_space(text)
}

/// Applies the segments `.` and `..` of a path, as `URI::abs`: a `..` that would leave the root stays.
fn without_dots(path: &[u8]) -> Vec<u8> {
    let mut parts: Vec<&[u8]> = path.split(|byte| *byte == b'/').collect();
    if parts[0].is_empty() {
        parts.remove(0);
    }
    let mut at = 1;
    while at < parts.len() {
        if parts[at - 1] == b"." {
            parts.remove(at - 1);
            at = (at - 1).max(1);
        } else if parts[at] == b".." && parts[at - 1] != b".." {
            parts.drain(at - 1..=at);
            if at > 1 {
                at -= 1;
                // After a `..` at the end, the path is that of a folder, which ends with a slash.
                if at == parts.len() {
                    parts.push(b"");
                }
            }
        } else {
            at += 1;
        }
    }
    if let Some(last) = parts.last_mut().filter(|last| **last == b".") {
        *last = b"";
    }
    [b"/", &*parts.join(&b'/')].concat()
}

/// Returns the scheme: a letter, and letters, digits, `.`, `+` and `-`, before a colon.
fn scheme(url: &[u8]) -> Option<&[u8]> {
    let length = url
        .iter()
        .take_while(|byte| byte.is_ascii_alphanumeric() || b".+-".contains(byte))
        .count();
    let is_scheme = url.first().is_some_and(u8::is_ascii_alphabetic);
    (is_scheme && url.get(length) == Some(&b':')).then(|| &url[..length])
}

fn without_scheme(url: &[u8]) -> &[u8] {
    scheme(url).map_or(url, |scheme| &url[scheme.len() + 1..])
}

/// Returns the authority after `//`, and the rest.
fn authority_and_rest(url: &[u8]) -> Option<(&[u8], &[u8])> {
    let url = url.strip_prefix(b"//")?;
    let end = url.iter().position(|byte| b"/?#".contains(byte));
    Some(url.split_at(end.unwrap_or(url.len())))
}

/// Returns the host: without user, port and brackets, decoded, in lower case.
fn host(authority: &[u8]) -> Vec<u8> {
    let mut host = authority
        .split(|byte| *byte == b'@')
        .next_back()
        .unwrap_or_default();
    let digits = host
        .iter()
        .rev()
        .take_while(|byte| byte.is_ascii_digit())
        .count();
    let before = &host[..host.len() - digits];
    if digits > 0 && before.ends_with(b":") {
        host = &before[..before.len() - 1];
    }
    if host.starts_with(b"[") && host.ends_with(b"]") {
        host = &host[1..host.len() - 1];
    }
    let decoded = parts(host).into_iter().map(|part| match part {
        Part::Escape(octet, _) | Part::Byte(octet) => octet,
    });
    decoded.map(|byte| byte.to_ascii_lowercase()).collect()
}

/// Returns the digits after the last colon; without any, the port of the scheme.
fn port<'u>(authority: &'u [u8], scheme: &[u8]) -> &'u [u8] {
    let port = authority.split(|byte| *byte == b':').next_back();
    let port = port.filter(|port| port.iter().all(u8::is_ascii_digit));
    match port {
        // Without a colon, `port` is the whole authority.
        Some(port) if !port.is_empty() && port.len() < authority.len() => port,
        _ if scheme.eq_ignore_ascii_case(b"https") => b"443",
        _ => b"80",
    }
}

/// Returns path and query by RFC 3986, 3: after scheme and authority, before the fragment.
fn standard_path(url: &[u8]) -> Vec<u8> {
    let url = url.split(|byte| *byte == b'#').next().unwrap_or_default();
    let starts_path = |byte: &u8| matches!(byte, b'/' | b'?');
    let scheme = (0..url.len()).find(|at| url[*at..].starts_with(b"://"));
    let scheme = scheme.filter(|at| !url[..*at].iter().any(starts_path));
    let after = match scheme {
        _ if url.starts_with(b"//") => &url[2..],
        Some(at) => &url[at + 3..],
        None => url,
    };
    rooted(after.iter().position(starts_path).map(|at| &after[at..]))
}

/// Returns path, parameters and query as google/robotstxt takes them from a URL (docs/semantics.md,
/// section 2.2).
fn google_path(url: &[u8]) -> Vec<u8> {
    let starts_path = |byte: &u8| matches!(byte, b'/' | b'?' | b';');
    // 1. A `//` at the start is skipped.
    let after = url.strip_prefix(b"//").unwrap_or(url);
    // 2. A scheme ends with `://`, unless a path begins before it.
    let scheme = (0..after.len()).find(|at| after[*at..].starts_with(b"://"));
    let scheme = scheme.filter(|at| !after[..*at].iter().any(starts_path));
    let authority = scheme.map_or(0, |at| at + 3);
    // 3. The path begins at the first `/`, `?` or `;` after the scheme, and ends before the fragment.
    let hash = after.iter().position(|byte| *byte == b'#');
    let end = hash.unwrap_or(after.len());
    let path = after.get(authority..end).and_then(|text| {
        let start = text.iter().position(starts_path)?;
        Some(&text[start..])
    });
    rooted(path)
}

/// Returns a path with a slash at its start, added if it has none; `/` if there is no path.
fn rooted(path: Option<&[u8]>) -> Vec<u8> {
    match path {
        None => b"/".to_vec(),
        Some(path) if path.starts_with(b"/") => path.to_vec(),
        Some(path) => [b"/", path].concat(),
    }
}
