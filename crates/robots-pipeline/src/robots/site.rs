//! Sites: the units to which a robots.txt applies, and the keys of their captures.

use crate::robots_url::is_robots_url;
use url::Url;

/// The unit to which a robots.txt applies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Sites {
    /// Scheme, host and port (RFC 9309, section 2.3).
    Origins,
    /// Host and port alone, for access logs, which have no scheme. A redirect leads to the file of its target at
    /// the time of the page's request, not at the time of the redirect.
    Hosts,
}

impl Sites {
    /// Returns the key under which the captures of a normalized URL are entered: the URL itself. For [`Hosts`](Self::Hosts),
    /// the robots.txt of a host has the same key with every scheme.
    pub(super) fn key(self, url: String) -> String {
        if self == Self::Origins {
            return url;
        }
        let Ok(parsed) = Url::parse(&url) else {
            return url;
        };
        match host_of(&parsed) {
            Some(host) if is_robots_url(&parsed) => format!("http://{host}/robots.txt"),
            _ => url,
        }
    }
}

/// Returns the host of a URL, with its port unless that is the port of HTTP or HTTPS (see [`plain_host`]).
pub(super) fn host_of(url: &Url) -> Option<String> {
    let host = url.host_str()?;
    let port = url.port().map_or(String::new(), |port| format!(":{port}"));
    Some(plain_host(&format!("{host}{port}")))
}

/// Returns a host in the form in which hosts are compared: in lower case, without a dot at its end, and without the port of
/// HTTP or HTTPS.
pub fn plain_host(host: &str) -> String {
    let host = host.trim().to_ascii_lowercase();
    let host = host
        .strip_suffix(":80")
        .or_else(|| host.strip_suffix(":443"))
        .unwrap_or(&host);
    host.trim_end_matches('.').to_owned()
}
