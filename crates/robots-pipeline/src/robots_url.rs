//! The URLs of robots.txt files, and of tdmrep.json files.

use robots_policy::site::Tdmrep;
use std::borrow::Cow;
use url::{Position, Url};

/// Returns whether a URL is the one of its origin's robots.txt.
pub fn is_robots_url(url: &Url) -> bool {
    url.path() == "/robots.txt" && url.query().is_none()
}

/// Returns the URL, if it is the one of its origin's robots.txt.
pub fn parse_robots_url(url: &str) -> Option<Url> {
    let parsed = may_be_robots(url).then(|| Url::parse(url).ok());
    parsed.flatten().filter(is_robots_url)
}

/// Returns whether a URL is the one of its origin's tdmrep.json.
pub(crate) fn is_tdmrep_url(url: &Url) -> bool {
    url.path() == Tdmrep::PATH && url.query().is_none()
}

/// Returns whether a text is the URL of its origin's robots.txt or tdmrep.json. Their captures are always wanted.
pub(crate) fn is_of_site(url: &str) -> bool {
    let parsed = may_be_of_site(url).then(|| Url::parse(url).ok()).flatten();
    parsed.is_some_and(|url| is_robots_url(&url) || is_tdmrep_url(&url))
}

/// Returns whether a text has the name of one of these files, as [`may_be_robots`] does for one.
pub(crate) fn may_be_of_site(url: &str) -> bool {
    may_be_robots(url) || memchr::memmem::find(url.as_bytes(), b"tdmrep.json").is_some()
}

/// Returns whether a text has the name of the file: if not, it is not the URL of a robots.txt. Parsing is slower than this search,
/// and few URLs have the name.
pub(crate) fn may_be_robots(url: &str) -> bool {
    memchr::memmem::find(url.as_bytes(), b"robots.txt").is_some()
}

/// Returns whether a text is the URL of its origin's robots.txt.
pub fn is_robots(url: &str) -> bool {
    parse_robots_url(url).is_some()
}

/// Returns the URL without the parts that a request does not send: the fragment, the user and the password. Captures are compared
/// in this form.
pub fn normalized(url: &Url) -> Cow<'_, str> {
    let before_user = &url[..Position::BeforeUsername];
    let sent = &url[Position::BeforeHost..Position::AfterQuery];
    if before_user.len() + sent.len() == url.as_str().len() {
        return Cow::Borrowed(url.as_str());
    }
    Cow::Owned([before_user, sent].concat())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_normalized_url_has_no_fragment_and_no_user() {
        for (url, expected) in [
            ("http://a.example/x?y", "http://a.example/x?y"),
            ("http://a.example", "http://a.example/"),
            ("http://a.example/#", "http://a.example/"),
            ("http://a.example/x?#y", "http://a.example/x?"),
            ("https://u@a.example:8/x", "https://a.example:8/x"),
            ("https://u:p@a.example:443/x#y", "https://a.example/x"),
            (
                "https://:p@a.example/robots.txt",
                "https://a.example/robots.txt",
            ),
            ("http://u@[::1]/robots.txt#x", "http://[::1]/robots.txt"),
            ("dns:a.example", "dns:a.example"),
            ("mailto:u@a.example#x", "mailto:u@a.example"),
            ("file:///x#y", "file:///x"),
            ("urn:x:y?z", "urn:x:y?z"),
        ] {
            assert_eq!(normalized(&Url::parse(url).unwrap()), expected, "{url}");
        }
    }

    #[test]
    fn a_normalized_url_is_what_setting_its_parts_leaves() {
        let schemes = [
            "http://", "https://", "ftp://", "x://", "x:", "file://", "x:/",
        ];
        let users = ["", "u@", "u:p@", ":p@", ":@", "@", "u%40:@"];
        let hosts = ["a.example", "A.example:80", "[::1]:443", "1.2.3.4:8", ""];
        let rests = [
            "",
            "/",
            "/robots.txt",
            "/robots.txt?",
            "/x?y#z",
            "#z",
            "?#",
            "//@x:y@/#@",
        ];
        let mut checked = 0;
        for scheme in schemes {
            for user in users {
                for host in hosts {
                    for rest in rests {
                        let Ok(url) = Url::parse(&[scheme, user, host, rest].concat()) else {
                            continue;
                        };
                        let mut expected = url.clone();
                        expected.set_fragment(None);
                        // These calls fail for URLs without a host, which have neither a user nor a password.
                        expected.set_username("").ok();
                        expected.set_password(None).ok();
                        assert_eq!(normalized(&url), expected.as_str(), "{url}");
                        checked += 1;
                    }
                }
            }
        }
        assert!(checked > 1_000, "{checked}");
    }
}
