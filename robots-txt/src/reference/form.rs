//! Patterns and paths in the form in which a dialect compares them, octet by octet.

use crate::dialect::{BarePattern, Dialect, Encoding, PatternSyntax};

/// A text in its parts: escapes (`%XX`), and other bytes.
#[derive(Clone, Copy)]
enum Part {
    /// An escape: its octet and its two digits.
    Escape(u8, [u8; 2]),
    /// Any other byte; a `%` that does not begin an escape too.
    Byte(u8),
}

fn parts(text: &[u8]) -> Vec<Part> {
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

/// Reports whether a byte is unreserved (RFC 3986, 2.3).
fn is_unreserved(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"-._~".contains(&byte)
}

/// Reports whether a byte is reserved (RFC 3986, 2.2).
fn is_reserved(byte: u8) -> bool {
    b":/?#[]@!$&'()*+,;=".contains(&byte)
}

fn escape(byte: u8) -> Vec<u8> {
    format!("%{byte:02X}").into_bytes()
}

/// Returns the pattern of a rule in its form; `None` if the rule has no effect under the dialect.
pub(super) fn pattern(text: &[u8], own_url: Option<&str>, dialect: &Dialect) -> Option<Vec<u8>> {
    let text = meant(text, own_url, dialect.bare_pattern)?;
    let has_wildcards = dialect.pattern_syntax == PatternSyntax::Wildcards;
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
        form.extend(match (dialect.encoding, *part) {
            (_, Part::Byte(byte)) if is_special => vec![byte],
            // google/robotstxt: bytes beyond ASCII are encoded, and digits made upper-case.
            (Encoding::Verbatim, Part::Escape(octet, _)) => escape(octet),
            (Encoding::Verbatim, Part::Byte(byte)) if byte.is_ascii() => vec![byte],
            (Encoding::Verbatim, Part::Byte(byte)) => escape(byte),
            (encoding, part) => compared(part, in_value, encoding),
        });
    }
    Some(form)
}

/// Returns the path and query of a URL in the form in which a dialect compares them.
pub(super) fn path(url: &[u8], dialect: &Dialect) -> Vec<u8> {
    match dialect.encoding {
        Encoding::Verbatim => google_path(url),
        encoding => {
            let mut query = Query::default();
            let path = standard_path(url);
            let form = parts(&path).into_iter().flat_map(|part| {
                let in_value = query.add(part);
                compared(part, in_value, encoding)
            });
            form.collect()
        }
    }
}

/// Returns a part in the form of an encoding, where it has no special meaning.
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
        (Encoding::Unreserved | Encoding::RfcTable, Part::Byte(byte)) => {
            let is_kept = (is_unreserved(byte) || is_reserved(byte)) && !b"*$".contains(&byte);
            let is_data = encoding == Encoding::RfcTable && in_value && matches!(byte, b':' | b'/');
            if is_kept && !is_data {
                vec![byte]
            } else {
                escape(byte)
            }
        }
        // 1996: everything is compared decoded but `/`, and `%` so that forms stay apart.
        (Encoding::Decoded, Part::Escape(octet @ (b'/' | b'%'), _)) => escape(octet),
        (Encoding::Decoded, Part::Escape(octet, _)) => vec![octet],
        (Encoding::Decoded, Part::Byte(b'%')) => escape(b'%'),
        // WWW::RobotRules: bytes that cannot be in a URL become escapes; 1994: nothing changes.
        (Encoding::Escaped, Part::Byte(byte))
            if byte != b'%' && !is_unreserved(byte) && !is_reserved(byte) =>
        {
            escape(byte)
        }
        (Encoding::Decoded | Encoding::Escaped | Encoding::Exact | Encoding::Verbatim, _) => {
            as_it_is
        }
    }
}

/// The position in a query: after the first `=` of a parameter, or elsewhere.
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

/// Returns the pattern for a text that begins with neither `/` nor `*`.
fn meant(text: &[u8], own_url: Option<&str>, bare: BarePattern) -> Option<Vec<u8>> {
    let first = text.first();
    match (bare, first) {
        (_, None) | (BarePattern::AsWritten, _) | (BarePattern::Anywhere, Some(b'/' | b'*')) => {
            Some(text.to_vec())
        }
        (BarePattern::Anywhere, _) => Some([b"*", text].concat()),
        (BarePattern::Relative, _) => resolved(text, own_url.map(str::as_bytes)),
    }
}

/// Returns a relative reference, resolved against the URL of the file (RFC 3986, 5.2, as far as
/// `WWW::RobotRules` needs it: docs/semantics.md, section 3.4); `None` if it has another origin.
fn resolved(text: &[u8], own_url: Option<&[u8]>) -> Option<Vec<u8>> {
    // The path of the file is always /robots.txt.
    if text.starts_with(b"?") {
        return Some([b"/robots.txt", text].concat());
    }
    if text.starts_with(b"/") && !text.starts_with(b"//") {
        return Some(text.to_vec());
    }
    let own = own_url.and_then(origin);
    let (scheme, rest) = if let Some(rest) = text.strip_prefix(b"//") {
        (own?.0, rest)
    } else if let Some((scheme, _)) = origin(text) {
        (scheme, &text[scheme.len() + 3..])
    } else {
        return Some([b"/", text].concat());
    };
    let authority = authority_of(rest);
    let (own_scheme, own_authority) = own?;
    let is_same = scheme.eq_ignore_ascii_case(own_scheme)
        && host(authority, scheme) == host(own_authority, scheme);
    let path = &rest[authority.len()..];
    let path = if path.starts_with(b"/") {
        path.to_vec()
    } else {
        [b"/", path].concat()
    };
    is_same.then_some(path)
}

/// Returns scheme and authority of an absolute URL.
fn origin(url: &[u8]) -> Option<(&[u8], &[u8])> {
    let colon = (0..url.len()).find(|at| url[*at..].starts_with(b"://"))?;
    let scheme = &url[..colon];
    let is_scheme = scheme.iter().all(u8::is_ascii_alphanumeric);
    is_scheme.then(|| (scheme, authority_of(&url[colon + 3..])))
}

fn authority_of(rest: &[u8]) -> &[u8] {
    let length = rest
        .iter()
        .take_while(|byte| !b"/?#".contains(byte))
        .count();
    &rest[..length]
}

/// Returns the host and port without user and default port.
fn host(authority: &[u8], scheme: &[u8]) -> Vec<u8> {
    let host = authority
        .split(|byte| *byte == b'@')
        .next_back()
        .unwrap_or_default();
    let port: &[u8] = if scheme.eq_ignore_ascii_case(b"https") {
        b":443"
    } else {
        b":80"
    };
    host.strip_suffix(port).unwrap_or(host).to_ascii_lowercase()
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
    // 1. It looks past a `//` at the start.
    let after = url.strip_prefix(b"//").unwrap_or(url);
    // 2. A scheme ends with `://`, unless a path begins before it.
    let scheme = (0..after.len()).find(|at| after[*at..].starts_with(b"://"));
    let scheme = scheme.filter(|at| !after[..*at].iter().any(starts_path));
    let authority = scheme.map_or(0, |at| at + 3);
    // 3. The path begins at the first of its characters after that, and ends at the fragment.
    let hash = after.iter().position(|byte| *byte == b'#');
    let end = hash.unwrap_or(after.len());
    let path = after.get(authority..end).and_then(|text| {
        let start = text.iter().position(starts_path)?;
        Some(&text[start..])
    });
    rooted(path)
}

/// Adds a slash at the start of a path; returns `/` if there is no path.
fn rooted(path: Option<&[u8]>) -> Vec<u8> {
    match path {
        None => b"/".to_vec(),
        Some(path) if path.starts_with(b"/") => path.to_vec(),
        Some(path) => [b"/", path].concat(),
    }
}
