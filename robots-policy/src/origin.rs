//! Origins: what one robots.txt speaks for.

use crate::error::UrlError;
use std::fmt;
use url::Url;

/// Scheme, host and port: what one robots.txt speaks for (RFC 9309, 2.3; SEMANTICS 1.7).
///
/// The host is in lower case and its international names are in Punycode; a default port equals no
/// port.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Origin {
    text: Box<str>,
}

impl Origin {
    /// The origin of a URL.
    ///
    /// ```
    /// use robots_policy::Origin;
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
        Self::of_parsed(&parse(url)?)
    }

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

    /// The URL of the origin's robots.txt.
    pub fn robots_url(&self) -> String {
        format!("{self}/robots.txt")
    }
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
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
    fn what_matters_is_kept_and_nothing_else() {
        assert_eq!(origin("http://Example.com:80/x#y"), "http://example.com");
        assert_eq!(origin("http://example.com:8080"), "http://example.com:8080");
        assert_eq!(
            origin("https://user:pw@example.com/"),
            "https://example.com"
        );
        assert_eq!(
            origin("https://user@example.com:1/"),
            "https://example.com:1"
        );
        assert_eq!(origin("http://[::1]:8/"), "http://[::1]:8");
        assert_eq!(origin("ftp://example.com/"), "ftp://example.com");
    }

    #[test]
    fn what_has_no_origin_says_so() {
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
