//! The URLs of robots.txt files.

use robots_policy::origins::Origin;
use url::Url;

/// Returns whether a URL is the one of its origin's robots.txt.
pub fn is_robots_url(url: &Url) -> bool {
    url.path() == "/robots.txt" && url.query().is_none()
}

/// Returns the URL, if it is the one of its origin's robots.txt.
pub fn parse_robots_url(url: &str) -> Option<Url> {
    // Parsing is slower than this search, and few URLs have the text.
    memchr::memmem::find(url.as_bytes(), b"robots.txt")?;
    Url::parse(url).ok().filter(is_robots_url)
}

/// Returns whether a text is the URL of its origin's robots.txt.
pub fn is_robots(url: &str) -> bool {
    parse_robots_url(url).is_some()
}

/// Returns the URL without the parts that a request does not send. Captures are compared in this form.
pub(crate) fn normalized(url: &Url) -> String {
    if is_robots_url(url)
        && let Ok(origin) = Origin::of(url.as_str())
    {
        return origin.robots_url();
    }
    let mut url = url.clone();
    url.set_fragment(None);
    // These calls fail for URLs without a host, which have neither a user nor a password.
    url.set_username("").ok();
    url.set_password(None).ok();
    url.into()
}
