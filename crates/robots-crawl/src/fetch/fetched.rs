//! The outcome of a request for a robots.txt.

use super::client::Response;
use super::fault::FetchFault;
use super::freshness;
use crate::next_request::Validators;
use http::header::{
    AsHeaderName, CONTENT_TYPE, ETAG, HeaderMap, HeaderName, HeaderValue, LAST_MODIFIED,
};
use robots_meta::Timestamp;
use robots_meta::value::MediaType;
use robots_policy::RobotsFetch;
use robots_policy::robots::RobotsResponse;
use std::net::IpAddr;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// The outcome of a request for a robots.txt, after its redirects.
#[derive(Debug, Clone)]
pub struct Fetched {
    pub(super) answer: Answer,
    pub(super) fault: Option<FetchFault>,
    pub(super) url: String,
    pub(super) hops: Vec<Hop>,
    pub(super) attempts: u32,
}

impl Fetched {
    /// Returns the meaning of the outcome.
    ///
    /// A complete 2xx is a response with its body, its type, and the time for which it may be kept. A 304 whose headers state
    /// such a time is a response without a body. Any other status is [`RobotsFetch::Status`].
    ///
    /// Too many redirects, and a redirect without a valid target, are [`RobotsFetch::TooManyRedirects`]. Any other fault means
    /// that robots.txt is unreachable; a URL that HTTP cannot request is [`RobotsFetch::NotFetched`].
    pub fn as_fetch(&self) -> RobotsFetch<'_> {
        if let Some(fault) = &self.fault {
            return RobotsFetch::of_fault(fault.name());
        }
        // Not reached: a request without a fault has a response.
        let Some(status) = self.status() else {
            return RobotsFetch::Unreachable;
        };
        let media_type = MediaType::parse(self.content_type().unwrap_or_default());
        meaning_of(status, media_type, self.fresh_for(), self.body())
    }

    /// Returns the fault, if there was one. A status is not a fault.
    pub fn fault(&self) -> Option<&FetchFault> {
        self.fault.as_ref()
    }

    /// Returns the fault if no host was asked ([`FetchFault::is_of_host`]): no verdict about a site follows from it.
    pub fn host_fault(&self) -> Option<&FetchFault> {
        let fault = self.fault.as_ref();
        fault.filter(|fault| fault.is_of_host() && self.hops.is_empty())
    }

    /// Returns the status of the last response, if the last request had one.
    pub fn status(&self) -> Option<u16> {
        self.answer.status
    }

    /// Returns the body of a 2xx, decompressed; otherwise it is empty. A body that is cut has one byte more
    /// than [`RFC9309_SIZE_LIMIT`](robots_txt::limits::RFC9309_SIZE_LIMIT), so that parsers notice the cut. Its last line is replaced by `#`, as the start of a rule
    /// would be read as another rule.
    pub fn body(&self) -> &[u8] {
        &self.answer.body
    }

    /// Returns whether the body is longer than the limit. Its rest was not read.
    pub fn is_cut(&self) -> bool {
        self.answer.is_cut
    }

    /// Returns the header lines of the last response, in order, with names in lower case; none after a
    /// fault. Those about a compression that was undone are removed.
    pub fn headers(&self) -> &[(String, String)] {
        &self.answer.headers
    }

    /// Returns the address of the server of the last response.
    pub fn address(&self) -> Option<IpAddr> {
        self.answer.address
    }

    /// Returns the value of `Content-Type`; several values are joined with commas.
    pub fn content_type(&self) -> Option<&str> {
        self.answer.content_type.as_deref()
    }

    /// Returns the validators for the next [`fetch`](super::Fetcher::fetch), to be kept with the body: those
    /// of a complete 2xx, or of the response that a 304 confirms. After other outcomes there are none, and the caller keeps
    /// the earlier ones.
    pub fn validators(&self) -> &Validators {
        &self.answer.validators
    }

    /// Returns the time for which the response may be kept, from [`at`](Self::at), if its headers state it;
    /// zero if they forbid to keep it. No time is guessed.
    pub fn fresh_for(&self) -> Option<Duration> {
        self.answer.fresh_for
    }

    /// Returns the pause that the server asks for, from [`at`](Self::at), at most
    /// [`MAX_RETRY_AFTER`](super::MAX_RETRY_AFTER).
    pub fn retry_after(&self) -> Option<Duration> {
        self.answer.retry_after
    }

    /// Returns the URL of the last request.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// Returns the redirects, in order. The last one may be the one that failed.
    pub fn hops(&self) -> &[Hop] {
        &self.hops
    }

    /// Returns the time of the response headers, or of the failure.
    pub fn at(&self) -> SystemTime {
        self.answer.at
    }

    /// Returns the number of attempts: one, and one for each retry. Redirects do not count.
    pub fn attempts(&self) -> u32 {
        self.attempts
    }
}

/// Returns the meaning of an earlier response to a request for a robots.txt, for example of one from an archive. It is the
/// meaning that [`Fetched::as_fetch`] returned when the response arrived, at `at`.
///
/// The header lines are those of [`Fetched::headers`], and the body that of [`Fetched::body`].
pub fn replayed<'r>(
    status: u16,
    headers: impl IntoIterator<Item = (&'r str, &'r str)>,
    body: &'r [u8],
    at: Timestamp,
) -> RobotsFetch<'r> {
    let since_1970 = Duration::from_secs(at.as_seconds().unsigned_abs());
    let at = if at.as_seconds() < 0 {
        UNIX_EPOCH.checked_sub(since_1970)
    } else {
        UNIX_EPOCH.checked_add(since_1970)
    };
    // A time that this system cannot represent counts as 1970.
    let at = at.unwrap_or(UNIX_EPOCH);
    let mut types = Vec::new();
    let mut lines = HeaderMap::new();
    for (name, text) in headers {
        let name = HeaderName::from_bytes(name.as_bytes());
        let value = HeaderValue::from_bytes(text.as_bytes());
        // A line that no response can have is not replayed.
        if let (Ok(name), Ok(value)) = (name, value) {
            if name == CONTENT_TYPE {
                types.push((CONTENT_TYPE, text.as_bytes()));
            }
            lines.append(name, value);
        }
    }
    let media_type = MediaType::of_headers(types);
    meaning_of(status, media_type, freshness::fresh_for(&lines, at), body)
}

/// Returns the meaning of a response to a request for a robots.txt.
fn meaning_of<'r>(
    status: u16,
    media_type: MediaType<'r>,
    fresh_for: Option<Duration>,
    body: &'r [u8],
) -> RobotsFetch<'r> {
    match (status, fresh_for) {
        // A 304 has no content, but its headers may renew the freshness of the response that it confirms.
        (200..=299, _) | (304, Some(_)) => {}
        _ => return RobotsFetch::Status(status),
    }
    let mut response = RobotsResponse::new(status, body);
    if !media_type.is_missing() {
        // What matters is whether the body is text: the charset does not.
        response = response.with_content_type(media_type.essence());
    }
    if let Some(fresh_for) = fresh_for {
        response = response.fresh_for(fresh_for);
    }
    RobotsFetch::Response(response)
}

/// A redirect.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hop {
    url: String,
    status: u16,
    headers: Vec<(String, String)>,
    address: Option<IpAddr>,
}

impl Hop {
    pub(super) fn new(url: &url::Url, response: &Response) -> Self {
        Self {
            url: url.to_string(),
            status: response.status.as_u16(),
            headers: lines(&response.headers),
            address: response.address,
        }
    }

    /// Returns the URL that was requested.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// Returns the status: 301, 302, 303, 307 or 308.
    pub fn status(&self) -> u16 {
        self.status
    }

    /// Returns the header lines, in order, with names in lower case.
    pub fn headers(&self) -> &[(String, String)] {
        &self.headers
    }

    /// Returns the address of the server.
    pub fn address(&self) -> Option<IpAddr> {
        self.address
    }
}

/// The last response. After a fault, only its time is set, and its status if there was one.
#[derive(Debug, Clone)]
pub(super) struct Answer {
    pub(super) at: SystemTime,
    pub(super) status: Option<u16>,
    pub(super) headers: Vec<(String, String)>,
    pub(super) address: Option<IpAddr>,
    pub(super) content_type: Option<String>,
    pub(super) validators: Validators,
    pub(super) fresh_for: Option<Duration>,
    pub(super) retry_after: Option<Duration>,
    pub(super) body: Vec<u8>,
    pub(super) is_cut: bool,
}

impl Answer {
    /// Returns an answer without content: a time, and perhaps a status.
    pub(super) fn without_content(status: Option<u16>) -> Self {
        Self {
            at: SystemTime::now(),
            status,
            headers: Vec::new(),
            address: None,
            content_type: None,
            validators: Validators::default(),
            fresh_for: None,
            retry_after: None,
            body: Vec::new(),
            is_cut: false,
        }
    }

    /// Reads the head of a response.
    pub(super) fn of_head(response: &Response) -> Self {
        let (status, headers) = (response.status, &response.headers);
        let empty = Self::without_content(Some(status.as_u16()));
        let confirms_copy = status.as_u16() == 304;
        let types: Vec<_> = headers.get_all(CONTENT_TYPE).iter().collect();
        Self {
            headers: lines(headers),
            address: response.address,
            content_type: (!types.is_empty()).then(|| {
                let types = types
                    .iter()
                    .map(|value| String::from_utf8_lossy(value.as_bytes()));
                types.collect::<Vec<_>>().join(", ")
            }),
            validators: if status.is_success() || confirms_copy {
                Validators::new(ascii(headers, ETAG), ascii(headers, LAST_MODIFIED))
            } else {
                Validators::default()
            },
            fresh_for: freshness::fresh_for(headers, empty.at),
            retry_after: freshness::retry_after(headers, empty.at),
            ..empty
        }
    }
}

/// Returns the header lines in order. Bytes that are not UTF-8 are replaced.
fn lines(headers: &HeaderMap) -> Vec<(String, String)> {
    headers
        .iter()
        .map(|(name, value)| {
            let value = String::from_utf8_lossy(value.as_bytes()).into_owned();
            (name.as_str().to_owned(), value)
        })
        .collect()
}

/// Returns the first value of a header, if it is ASCII.
fn ascii(headers: &HeaderMap, name: impl AsHeaderName) -> Option<String> {
    headers.get(name)?.to_str().ok().map(str::to_owned)
}
