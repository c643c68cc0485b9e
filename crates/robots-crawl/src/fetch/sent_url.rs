//! URLs as a request sends them.

use http::Uri;
use url::Url;

/// Returns whether HTTP can request a URL. The URL parser accepts URLs that the HTTP client refuses, such as one of over 64 KiB.
pub(super) fn is_http(url: &Url) -> bool {
    matches!(url.scheme(), "http" | "https") && Uri::try_from(url.as_str()).is_ok()
}

/// Returns the URL without the parts that a request does not send: the fragment, the user and the password.
pub(super) fn sent(mut url: Url) -> Url {
    url.set_fragment(None);
    // Both fail only for URLs without a host, which have neither.
    url.set_username("").ok();
    url.set_password(None).ok();
    url
}

/// Returns the URL that is requested when the response of `url` redirects to `location`: relative to `url`, and without
/// fragment, user and password. `None` if HTTP cannot request it: then the redirect ends the request.
///
/// ```
/// use robots_crawl::fetch::redirect_target;
/// use url::Url;
///
/// let url = Url::parse("https://example.com/robots.txt")?;
/// let target = redirect_target(&url, "//user@www.example.com/robots.txt#top");
/// assert_eq!(target.unwrap().as_str(), "https://www.example.com/robots.txt");
/// assert_eq!(redirect_target(&url, "mailto:webmaster@example.com"), None);
/// # Ok::<(), url::ParseError>(())
/// ```
pub fn redirect_target(url: &Url, location: &str) -> Option<Url> {
    url.join(location).ok().map(sent).filter(is_http)
}
