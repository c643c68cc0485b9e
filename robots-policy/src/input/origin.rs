//! Origins: the scope of a robots.txt.

use super::error::UrlError;
use robots_txt::Target;
use std::borrow::Borrow;
use std::fmt;
use std::net::Ipv4Addr;
use url::Url;

/// Scheme, host and port: the scope of a robots.txt (RFC 9309, 2.3; `docs/semantics.md`, section 1.7).
///
/// The host is in lower case, and its labels outside ASCII are in Punycode. The default port of the scheme is left
/// out.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Origin {
    text: Box<str>,
}

impl Origin {
    /// Returns the origin of a URL.
    ///
    /// ```
    /// use robots_policy::origins::Origin;
    ///
    /// let origin = Origin::of("HTTPS://Bücher.Example:443/a?b").unwrap();
    /// assert_eq!(origin.to_string(), "https://xn--bcher-kva.example");
    /// assert_eq!(origin.robots_url(), "https://xn--bcher-kva.example/robots.txt");
    /// ```
    ///
    /// # Errors
    ///
    /// If the URL cannot be parsed, or has no host.
    pub fn of(url: &str) -> Result<Self, UrlError> {
        // Most URLs are written with their origin, and are not parsed.
        if let Some(text) = Self::as_written(url) {
            return Ok(Self { text: text.into() });
        }
        Self::of_parsed(&parse(url)?)
    }

    /// Returns the text of a URL's origin, if the URL is written with it: most are. Unlike [`of`](Self::of), this does not
    /// parse the URL.
    ///
    /// ```
    /// use robots_policy::origins::Origin;
    ///
    /// assert_eq!(Origin::as_written("https://example.com/a"), Some("https://example.com"));
    /// assert_eq!(Origin::as_written("https://EXAMPLE.com/a"), None);
    /// ```
    pub fn as_written(url: &str) -> Option<&str> {
        let authority = authority(url)?;
        let (scheme, rest) = url.split_at_checked(authority)?;
        let (host_and_port, _) = split_at_first(rest, b'/')?;
        let host = match split_at_first(host_and_port, b':') {
            Some((host, port)) if is_kept_port(port, scheme) => host,
            Some(_) => return None,
            None => host_and_port,
        };
        (is_plain_name(host) || host.parse::<Ipv4Addr>().is_ok())
            .then(|| &url[..scheme.len() + host_and_port.len()])
    }

    /// Returns the origin of a parsed URL, without user name and password.
    pub(crate) fn of_parsed(url: &Url) -> Result<Self, UrlError> {
        if url.host_str().is_none_or(str::is_empty) {
            return Err(UrlError::without_host(url.as_str()));
        }
        Ok(Self {
            text: [
                &url[..url::Position::BeforeUsername],
                &url[url::Position::BeforeHost..url::Position::BeforePath],
            ]
            .concat()
            .into(),
        })
    }

    /// Returns the URL of the origin's robots.txt.
    pub fn robots_url(&self) -> String {
        format!("{self}/robots.txt")
    }
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl Borrow<str> for Origin {
    fn borrow(&self) -> &str {
        &self.text
    }
}

/// Returns whether parsing leaves a host unchanged, as it is a name in lower case.
fn is_plain_name(host: &str) -> bool {
    let is_plain = |byte: u8| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.');
    // A host that ends with a number is an address; one with `--` may be Punycode.
    let last = host.rsplit('.').next().unwrap_or_default();
    let is_name = last.bytes().all(|byte| byte.is_ascii_lowercase()) && !last.is_empty();
    is_name && host.bytes().all(is_plain) && !host.contains("--")
}

/// Returns whether parsing keeps a port as it is written.
fn is_kept_port(port: &str, scheme: &str) -> bool {
    let is_default = matches!((scheme, port), ("http://", "80") | ("https://", "443"));
    let is_number = port.bytes().all(|byte| byte.is_ascii_digit()) && port.parse::<u16>().is_ok();
    is_number && !is_default && !port.starts_with('0')
}

/// Returns the target of a URL for robots.txt: the URL as a client would request it.
///
/// Most URLs are requested as written, and are not parsed. What is not a URL is a target as written.
pub fn requested_target(url: &str) -> Target<'_> {
    if is_requested_as_written(url) {
        return Target::new(url);
    }
    match Url::parse(url) {
        Ok(parsed) => Target::new(parsed.as_str()).into_owned(),
        Err(_) => Target::new(url),
    }
}

/// Returns whether parsing certainly leaves the path and query of a URL unchanged.
#[expect(
    clippy::needless_bitwise_bool,
    reason = "without branches, several bytes are compared at once"
)]
fn is_requested_as_written(url: &str) -> bool {
    let rest = authority(url).and_then(|start| url.get(start..));
    let Some((host, path)) = rest.and_then(|rest| split_at_first(rest, b'/')) else {
        return false;
    };
    let is_letter = |byte: u8| byte.is_ascii_alphanumeric();
    let is_plain_host = host
        .bytes()
        .all(|byte| is_letter(byte) || b".-:".contains(&byte));
    let path = path.as_bytes();
    let are_kept = path.iter().fold(true, |all, &byte| all & is_kept(byte));
    // Parsing resolves dot segments, escaped ones too.
    let pairs = path.iter().skip(1).zip(path);
    let has_dot_segment = pairs.fold(path.starts_with(b"."), |any, (&byte, &before)| {
        any | (byte == b'.') & (before == b'/')
    });
    let is_escaped_dot = |escape: &[u8]| matches!(escape, b"%2e" | b"%2E");
    // `https:///a` has no host as written; parsing takes `a` for the host.
    is_plain_host
        && host.bytes().next().is_some_and(is_letter)
        && are_kept
        && !has_dot_segment
        && !(path.contains(&b'%') && path.windows(3).any(is_escaped_dot))
}

/// Returns whether parsing leaves a byte of a path or a query unchanged, except in dot segments.
#[expect(
    clippy::needless_bitwise_bool,
    reason = "without branches, several bytes are compared at once"
)]
#[inline]
fn is_kept(byte: u8) -> bool {
    // Letters, digits and punctuation; parsing escapes an apostrophe in a query.
    byte.is_ascii_alphabetic()
        | ((b'$'..=b';').contains(&byte) & (byte != b'\''))
        | (byte == b'!')
        | (byte == b'=')
        | (byte == b'?')
        | (byte == b'@')
        | (byte == b'_')
        | (byte == b'~')
}

/// Returns the texts before and after the first of a byte, which must be ASCII. Hosts are short: a search that compares several bytes at
/// once, as that of the standard library, takes longer to begin than this one to end.
fn split_at_first(text: &str, separator: u8) -> Option<(&str, &str)> {
    let at = text.bytes().position(|byte| byte == separator)?;
    Some((&text[..at], &text[at + 1..]))
}

/// Returns whether a text begins with a scheme and `://`. One that does not may be the name of a site, to which callers add a scheme.
///
/// ```
/// use robots_policy::origins::has_scheme;
///
/// assert!(has_scheme("https://example.com/"));
/// assert!(!has_scheme("example.com/login?next=https://example.com/"));
/// ```
pub fn has_scheme(url: &str) -> bool {
    url.split_once("://").is_some_and(|(scheme, _)| {
        let is_of_scheme = |byte: u8| byte.is_ascii_alphanumeric() || b"+-.".contains(&byte);
        scheme.starts_with(|first: char| first.is_ascii_alphabetic())
            && scheme.bytes().all(is_of_scheme)
    })
}

/// Returns the offset of the authority of a URL, if its scheme is `http` or `https` in lower case.
fn authority(url: &str) -> Option<usize> {
    ["https://", "http://"]
        .into_iter()
        .find(|scheme| url.starts_with(scheme))
        .map(str::len)
}

pub(crate) fn parse(url: &str) -> Result<Url, UrlError> {
    Url::parse(url).map_err(|source| UrlError::unparsable(url, source))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn origin(url: &str) -> String {
        Origin::of(url).map_or_else(|error| error.to_string(), |origin| origin.to_string())
    }

    #[test]
    fn an_origin_is_scheme_host_and_port() {
        for (url, expected) in [
            ("http://Example.com:80/x#y", "http://example.com"),
            ("http://example.com:8080", "http://example.com:8080"),
            ("https://user:pw@example.com/", "https://example.com"),
            ("https://user@example.com:1/", "https://example.com:1"),
            ("http://[::1]:8/", "http://[::1]:8"),
            ("ftp://example.com/", "ftp://example.com"),
        ] {
            assert_eq!(origin(url), expected, "{url}");
        }
    }

    #[test]
    fn unparsed_urls_equal_parsed_ones() {
        // Parts of URLs, and characters that parsing changes.
        let words = [
            "a",
            "b.example",
            "xn--a",
            "1",
            "0x1",
            "-",
            "--",
            ".",
            "..",
            "/",
            "//",
            "/.",
            "%2e",
            "%2E",
            "%20",
            "%zz",
            "?",
            "#",
            "&x=1",
            ":",
            ":80",
            ":443",
            ":0",
            ":8080",
            ":65536",
            ":+1",
            "127.0.0.1",
            "0177.0.0.1",
            "@",
            "\\",
            "'",
            "\"",
            " ",
            "\t",
            "A",
            "\u{e9}",
            "|",
            "~",
            ";",
            "http://",
            "https://",
            "HTTP://",
        ];
        let mut unparsed = 0;
        let mut seed = 1_u32;
        for _ in 0..200_000 {
            let mut url = String::new();
            for _ in 0..6 {
                seed ^= seed << 13;
                seed ^= seed >> 17;
                seed ^= seed << 5;
                if url.is_empty() {
                    url.push_str(["http://", "https://"][seed as usize % 2]);
                } else {
                    url.push_str(words[seed as usize % words.len()]);
                }
            }
            let parsed = Url::parse(&url);
            let requested = parsed.as_ref().map_or(url.as_str(), Url::as_str);
            assert_eq!(requested_target(&url), Target::new(requested), "{url}");
            if let Some(written) = Origin::as_written(&url) {
                unparsed += 1;
                let parsed = Origin::of_parsed(&parsed.unwrap()).unwrap();
                assert_eq!(parsed.to_string(), written, "{url}");
                assert_eq!(origin(&url), written, "{url}");
            }
        }
        assert!(unparsed > 1_000, "{unparsed}");
        for (url, expected) in [
            ("https://www.a.example/x", Some("https://www.a.example")),
            ("http://a.example:8080/x", Some("http://a.example:8080")),
            ("http://192.0.2.1/", Some("http://192.0.2.1")),
            ("http://192.0.2.1:443/", Some("http://192.0.2.1:443")),
            ("https://a.example:443/", None),
            ("https://a.example:/", None),
            ("https://a.example:08/", None),
            ("https://192.0.2.01/", None),
            ("https://192.0.2.256/", None),
        ] {
            assert_eq!(Origin::as_written(url), expected, "{url}");
        }
    }

    #[test]
    fn a_url_without_an_origin_is_an_error() {
        assert_eq!(
            origin("example.com/x"),
            "cannot read \"example.com/x\" as a URL"
        );
        assert_eq!(origin("mailto:a@b"), "\"mailto:a@b\" has no host");
        assert_eq!(
            origin("file:///etc/hosts"),
            "\"file:///etc/hosts\" has no host"
        );
    }
}
