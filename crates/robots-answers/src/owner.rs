//! Whether the owner of one page speaks for another.

use url::Url;

/// Returns whether two URLs are of one owner: an owner speaks for one port of one host. The default ports of `http` and `https`
/// are one. What is not a URL with a host has no owner.
///
/// ```
/// use robots_answers::is_of_one_owner;
///
/// assert!(is_of_one_owner("http://example.com/", "https://example.com/x"));
/// assert!(!is_of_one_owner("https://example.com/", "https://example.com:8443/"));
/// ```
pub fn is_of_one_owner(url: &str, other: &str) -> bool {
    let parse = |url: &str| Url::parse(url).ok().filter(Url::has_host);
    let (Some(url), Some(other)) = (parse(url), parse(other)) else {
        return false;
    };
    let are_of_web = [&url, &other]
        .iter()
        .all(|url| matches!(url.scheme(), "http" | "https"));
    // `port` is `None` for the default port of the scheme.
    let is_same_port =
        url.port() == other.port() || url.port_or_known_default() == other.port_or_known_default();
    are_of_web && url.host() == other.host() && is_same_port
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_owner_speaks_for_one_port_of_one_host() {
        let url = "https://example.com/x";
        for other in [
            url,
            "https://EXAMPLE.com/?y",
            "http://example.com",
            "http://example.com:80/",
            "http://example.com:443/",
            "https://example.com:443/",
        ] {
            assert!(is_of_one_owner(url, other), "{other}");
            assert!(is_of_one_owner(other, url), "{other}");
        }
        for other in [
            "https://www.example.com/x",
            "https://example.com.example/x",
            "https://example.com@other.example/x",
            "https://example.com:8443/x",
            "http://example.com:8080/x",
            "https://example.com:80/x",
            "ftp://example.com/x",
            "mailto:a@example.com",
            "/x",
            "",
        ] {
            assert!(!is_of_one_owner(url, other), "{other}");
            assert!(!is_of_one_owner(other, url), "{other}");
        }
        assert!(!is_of_one_owner("", ""));
        assert!(!is_of_one_owner("file:///x", "file:///x"));
        let port = "http://example.com:8080/";
        assert!(is_of_one_owner(port, "https://example.com:8080/"));
        assert!(!is_of_one_owner(port, "http://example.com:8081/"));
        let ipv6 = "http://[::1]:8080/";
        assert!(is_of_one_owner(ipv6, "http://[0::1]:8080/x"));
        assert!(!is_of_one_owner(ipv6, "http://[::2]:8080/"));
    }
}
