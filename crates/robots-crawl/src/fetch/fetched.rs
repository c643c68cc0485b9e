//! What came of a request.

use super::fault::Fault;
use super::freshness;
use crate::next_request::Validators;
use reqwest::Response;
use reqwest::header::{AsHeaderName, CONTENT_TYPE, ETAG, HeaderMap, LAST_MODIFIED};
use robots_policy::{RobotsFetch, RobotsResponse};
use std::net::IpAddr;
use std::time::{Duration, SystemTime};

/// What came of a request, redirects followed.
#[derive(Debug, Clone)]
pub struct Fetched {
    pub(super) answer: Answer,
    pub(super) fault: Option<Fault>,
    pub(super) url: String,
    pub(super) hops: Vec<Hop>,
    pub(super) attempts: u32,
}

impl Fetched {
    /// What it means for a robots.txt.
    ///
    /// A complete 2xx is a response with its body, its type, and the time for which it may be kept.
    /// A redirect that leads nowhere is [`RobotsFetch::TooManyRedirects`]; any other fault means
    /// that the origin is out of reach.
    pub fn as_fetch(&self) -> RobotsFetch<'_> {
        if let Some(fault) = &self.fault {
            return fault.as_fetch(!self.hops.is_empty());
        }
        let Some(status) = self.status() else {
            return RobotsFetch::Unreachable;
        };
        // What 304 says about time is about the answer that it stands for.
        let is_kept = matches!(status, 200..=299 | 304);
        let fresh_for = self.fresh_for().filter(|_| is_kept);
        if !(200..=299).contains(&status) && fresh_for.is_none() {
            return RobotsFetch::Status(status);
        }
        let mut response = RobotsResponse::new(status, self.body());
        if let Some(content_type) = self.content_type() {
            response = response.with_content_type(content_type);
        }
        if let Some(fresh_for) = fresh_for {
            response = response.fresh_for(fresh_for);
        }
        RobotsFetch::Response(response)
    }

    /// What went wrong, if something did. Statuses are no faults.
    pub fn fault(&self) -> Option<&Fault> {
        self.fault.as_ref()
    }

    /// The status of the last response, if the last request got one.
    pub fn status(&self) -> Option<u16> {
        self.answer.status
    }

    /// The body of a 2xx, decompressed; else nothing. If it is cut, it has one byte more than the
    /// limit, so that who parses it can tell; and its last line, which is cut too, is all `#`, as a rule that is cut
    /// is another rule.
    pub fn body(&self) -> &[u8] {
        &self.answer.body
    }

    /// Whether the body is longer than the limit. The rest of it was not read.
    pub fn is_cut(&self) -> bool {
        self.answer.is_cut
    }

    /// The header lines of the last response, names in lower case, in order; none if there is a fault. Of a
    /// body that came compressed, those that say so are gone.
    pub fn headers(&self) -> &[(String, String)] {
        &self.answer.headers
    }

    /// The address that the last response came from.
    pub fn address(&self) -> Option<IpAddr> {
        self.answer.address
    }

    /// The value of `Content-Type`.
    pub fn content_type(&self) -> Option<&str> {
        self.answer.content_type.as_deref()
    }

    /// What to give to the next [`fetch`](super::Fetcher::fetch), to be kept with the body: those
    /// of a complete 2xx. Those of a 304 are the ones of the answer that it stands for. Else there
    /// are none, and those that are kept stay good.
    pub fn validators(&self) -> &Validators {
        &self.answer.validators
    }

    /// For how long the answer may be kept, from [`at`](Self::at), if its headers say so; no time
    /// at all if they forbid it. Nothing is guessed.
    pub fn fresh_for(&self) -> Option<Duration> {
        self.answer.fresh_for
    }

    /// How long the server asks to wait, from [`at`](Self::at), at most
    /// [`MAX_RETRY_AFTER`](super::MAX_RETRY_AFTER).
    pub fn retry_after(&self) -> Option<Duration> {
        self.answer.retry_after
    }

    /// The URL that was asked last.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// The redirects, in order. If they are too many, or one leads nowhere, it is the last of them.
    pub fn hops(&self) -> &[Hop] {
        &self.hops
    }

    /// When the answer came: its headers, or what went wrong.
    pub fn at(&self) -> SystemTime {
        self.answer.at
    }

    /// How often it was tried: once, and once more for each retry. Redirects do not count.
    pub fn attempts(&self) -> u32 {
        self.attempts
    }
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
            status: response.status().as_u16(),
            headers: lines(response.headers()),
            address: response.remote_addr().map(|address| address.ip()),
        }
    }

    /// The URL that was asked.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// The status: 301, 302, 303, 307 or 308.
    pub fn status(&self) -> u16 {
        self.status
    }

    /// The header lines, names in lower case, in order.
    pub fn headers(&self) -> &[(String, String)] {
        &self.headers
    }

    /// The address that the response came from.
    pub fn address(&self) -> Option<IpAddr> {
        self.address
    }
}

/// What is known of the last response.
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
    /// Nothing but when it came, and perhaps a status.
    pub(super) fn none(status: Option<u16>) -> Self {
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

    /// What the head of a response says.
    pub(super) fn of_head(response: &Response) -> Self {
        let (status, headers) = (response.status(), response.headers());
        let none = Self::none(Some(status.as_u16()));
        let has_copy = status.is_success() || status.as_u16() == 304;
        let content_type = headers.get(CONTENT_TYPE);
        Self {
            headers: lines(headers),
            address: response.remote_addr().map(|address| address.ip()),
            content_type: content_type
                .map(|value| String::from_utf8_lossy(value.as_bytes()).into_owned()),
            validators: if has_copy {
                Validators::new(ascii(headers, ETAG), ascii(headers, LAST_MODIFIED))
            } else {
                Validators::default()
            },
            fresh_for: freshness::fresh_for(headers, none.at),
            retry_after: freshness::retry_after(headers, none.at),
            ..none
        }
    }
}

/// Header lines in order. What is not UTF-8 in a value is replaced.
pub(super) fn lines(headers: &HeaderMap) -> Vec<(String, String)> {
    headers
        .iter()
        .map(|(name, value)| {
            let value = String::from_utf8_lossy(value.as_bytes()).into_owned();
            (name.as_str().to_owned(), value)
        })
        .collect()
}

fn ascii(headers: &HeaderMap, name: impl AsHeaderName) -> Option<String> {
    headers.get(name)?.to_str().ok().map(str::to_owned)
}
