//! URLs as people type them: with a scheme, or from the host on.

use robots_policy::origins::has_scheme;
use thiserror::Error;
use url::{Host, ParseError, Url};

/// A text that is neither a URL with `http` or `https`, nor begins with a host.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum TypedUrlError {
    /// It begins with something other than a host.
    #[error("{0:?} is not a host or a URL")]
    NoHost(String),
    /// An IPv6 address without brackets cannot be told from a host with a port.
    #[error("{0:?} is not a host or a URL: write an IPv6 address in brackets, as [::1]")]
    Ipv6(String),
    /// Its scheme is neither `http` nor `https`.
    #[error("{0:?}: expected http or https")]
    Scheme(String),
    /// It is not a valid URL.
    #[error("{0:?}: {1}")]
    Invalid(String, ParseError),
}

/// Returns the URL that a text names: as it is with a scheme, and with `https` if it begins with a host.
///
/// # Errors
///
/// If the text does not name a site of the Web: it has another scheme, or no valid host.
///
/// ```
/// use robots_answers::typed_url;
///
/// assert_eq!(typed_url("example.com:8080/x").unwrap(), "https://example.com:8080/x");
/// assert!(typed_url("ftp://example.com/").is_err());
/// ```
pub fn typed_url(text: &str) -> Result<String, TypedUrlError> {
    let text = text.trim();
    let no_host = || TypedUrlError::NoHost(text.to_owned());
    let url = if has_scheme(text) {
        text.to_owned()
    } else if begins_with_host(text) {
        format!("https://{text}")
    } else if text
        .trim_end_matches('/')
        .parse::<std::net::Ipv6Addr>()
        .is_ok()
    {
        return Err(TypedUrlError::Ipv6(text.to_owned()));
    } else {
        return Err(no_host());
    };
    let scheme = url.split("://").next().unwrap_or_default();
    if !["http", "https"]
        .iter()
        .any(|web| scheme.eq_ignore_ascii_case(web))
    {
        return Err(TypedUrlError::Scheme(text.to_owned()));
    }
    let parsed =
        Url::parse(&url).map_err(|error| TypedUrlError::Invalid(text.to_owned(), error))?;
    // The host of a URL may have characters that a name in the DNS may not have.
    let is_name = |c: char| c.is_ascii_alphanumeric() || "-._[:]".contains(c);
    let host = parsed.host_str().unwrap_or_default();
    // A bare number such as 5 is not a host. As that of a URL, it becomes the address 0.0.0.5, which is not in the text.
    let is_number = matches!(parsed.host(), Some(Host::Ipv4(_))) && !text.contains(host);
    if is_number || !host.chars().all(is_name) {
        return Err(no_host());
    }
    Ok(url)
}

/// Returns the host at the start of a text without a scheme, with its port and without; `None` if the port is not a number.
pub fn host_of(text: &str) -> Option<(&str, &str)> {
    let end = text.find(['/', '?', '#']).unwrap_or(text.len());
    let host = text.get(..end)?;
    // Colons within the brackets of an IPv6 address do not begin a port.
    let brackets = host.rfind(']').map_or(0, |at| at + 1);
    let Some((name, port)) = host.get(brackets..)?.split_once(':') else {
        return Some((host, host));
    };
    let is_port = !port.is_empty() && port.bytes().all(|byte| byte.is_ascii_digit());
    let name = host.get(..brackets + name.len())?;
    is_port.then_some((host, name))
}

/// Returns whether a text without a scheme begins with a host, followed by a port if it has a colon.
fn begins_with_host(text: &str) -> bool {
    // The text before an `@` would be a user name, not a host.
    host_of(text).is_some_and(|(host, name)| !name.is_empty() && !host.contains('@'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_host_takes_https() {
        for (text, url) in [
            ("example.com", "https://example.com"),
            (" example.com/x?y#z ", "https://example.com/x?y#z"),
            ("example.com:8080", "https://example.com:8080"),
            ("http://example.com/x", "http://example.com/x"),
            ("HTTP://example.com/", "HTTP://example.com/"),
            ("localhost", "https://localhost"),
            ("localhost:8080/x", "https://localhost:8080/x"),
            ("127.0.0.1", "https://127.0.0.1"),
            ("[::1]:8443/x", "https://[::1]:8443/x"),
            ("b\u{fc}cher.example", "https://b\u{fc}cher.example"),
            ("a_b.example", "https://a_b.example"),
            (
                "example.com/?u=https://a/",
                "https://example.com/?u=https://a/",
            ),
        ] {
            assert_eq!(typed_url(text).unwrap(), url);
        }
    }

    #[test]
    fn other_texts_are_refused() {
        let error = |text: &str| typed_url(text).unwrap_err().to_string();
        for text in [
            "",
            " ",
            "/",
            "/x",
            "//example.com",
            "://example.com",
            "mailto:a@example.com",
            "5",
            "user@example.com",
            "example.com:x",
            "example.com:",
            "https:/example.com",
            "1,example.com",
            "?x",
            "#x",
        ] {
            assert_eq!(
                error(text),
                format!("{:?} is not a host or a URL", text.trim())
            );
        }
        for text in ["::1", "2001:db8::1"] {
            assert!(error(text).contains("in brackets"), "{}", error(text));
        }
        for text in [
            "ftp://",
            "ftp://example.com/",
            "file:///x",
            "javascript://x",
        ] {
            assert!(
                error(text).ends_with("expected http or https"),
                "{}",
                error(text)
            );
        }
        for text in ["a b", "example.com:99999", "https://", "http://[", "[::1"] {
            assert!(typed_url(text).is_err(), "{text}");
        }
    }
}
