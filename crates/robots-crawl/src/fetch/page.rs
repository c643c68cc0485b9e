//! Requests for pages, with the same limits as for robots.txt. The caller reads as much of the body as it needs.

use super::builder::ACCEPT_PAGE;
use super::coding::decoded;
use super::fault::FetchFault;
use super::freshness;
use super::sent_url::{is_http, sent};
use super::turn::Turn;
use super::{Fetcher, within};
use reqwest::header::{ACCEPT, HeaderName, HeaderValue};
use std::time::{Duration, SystemTime};
use tokio::time::Instant;
use url::Url;

/// A response to a request for a page, whose body is not read yet.
#[derive(Debug)]
pub struct PageResponse {
    status: u16,
    headers: Vec<(String, Vec<u8>)>,
    retry_after: Option<Duration>,
    body: Body,
}

/// The body of a page, as far as it was read.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct PageBody {
    /// Its bytes, decompressed.
    pub bytes: Vec<u8>,
    /// Whether it was read to its end.
    pub is_whole: bool,
}

#[derive(Debug)]
enum Body {
    /// The whole body.
    Complete(Vec<u8>),
    /// A body that is still arriving.
    Arriving(Box<Arriving>),
}

#[derive(Debug)]
struct Arriving {
    response: reqwest::Response,
    /// The timeout from chunk to chunk.
    idle: Duration,
    /// The end of the total timeout.
    end: Instant,
    /// Ends when the response is dropped: until then, it counts against the limits on simultaneous requests.
    _turn: Turn,
}

impl PageResponse {
    /// Returns a response that was obtained in another way, just now, with one entry per header line.
    pub fn new(
        status: u16,
        headers: impl IntoIterator<Item = (String, impl Into<Vec<u8>>)>,
        body: Vec<u8>,
    ) -> Self {
        let headers: Vec<(String, Vec<u8>)> = headers
            .into_iter()
            .map(|(name, value)| (name, value.into()))
            .collect();
        // A line that no request can have says nothing about time.
        let lines = headers.iter().filter_map(|(name, value)| {
            let name = HeaderName::from_bytes(name.as_bytes()).ok()?;
            Some((name, HeaderValue::from_bytes(value).ok()?))
        });
        let retry_after = freshness::retry_after(&lines.collect(), SystemTime::now());
        Self {
            status,
            headers,
            retry_after,
            body: Body::Complete(body),
        }
    }

    /// Returns the status. Redirects are not followed: the target is another URL, with a decision of its own.
    pub fn status(&self) -> u16 {
        self.status
    }

    /// Returns the header lines, in order, as name and value; a value is the bytes that were received.
    pub fn headers(&self) -> impl Iterator<Item = (&str, &[u8])> {
        self.headers
            .iter()
            .map(|(name, value)| (name.as_str(), value.as_slice()))
    }

    /// Returns the pause that the server asks for, at most [`MAX_RETRY_AFTER`](super::MAX_RETRY_AFTER).
    pub fn retry_after(&self) -> Option<Duration> {
        self.retry_after
    }

    /// Returns the next part of the body, decompressed; `None` at its end.
    ///
    /// # Errors
    ///
    /// If the body breaks off, nothing arrives for too long, or the total timeout is over.
    pub async fn chunk(&mut self) -> Result<Option<Vec<u8>>, FetchFault> {
        match &mut self.body {
            Body::Complete(body) => {
                let body = std::mem::take(body);
                Ok((!body.is_empty()).then_some(body))
            }
            Body::Arriving(arriving) => {
                let left = arriving.end.saturating_duration_since(Instant::now());
                let chunk = within(arriving.idle, left, arriving.response.chunk()).await?;
                let chunk = chunk.map_err(|error| FetchFault::of_stream(&error))?;
                Ok(chunk.map(|chunk| chunk.to_vec()))
            }
        }
    }

    /// Reads the body up to a limit in bytes, decompressed. The rest is not received.
    ///
    /// # Errors
    ///
    /// As those of [`chunk`](Self::chunk).
    pub async fn body_up_to(&mut self, limit: usize) -> Result<PageBody, FetchFault> {
        self.try_body_up_to(limit, |_| Ok(())).await
    }

    /// Reads the body up to a limit in bytes, decompressed, unless the caller ends it: calls `take` with the size of each part in
    /// bytes, before the part is kept.
    ///
    /// # Errors
    ///
    /// The first error of `take`, and those of [`chunk`](Self::chunk).
    pub async fn try_body_up_to<E: From<FetchFault>>(
        &mut self,
        limit: usize,
        mut take: impl FnMut(usize) -> Result<(), E>,
    ) -> Result<PageBody, E> {
        let mut body = PageBody {
            bytes: Vec::new(),
            is_whole: true,
        };
        while let Some(chunk) = self.chunk().await? {
            let room = limit.saturating_sub(body.bytes.len());
            let (kept, rest) = chunk.split_at_checked(room).unwrap_or((&chunk, &[]));
            take(kept.len())?;
            body.bytes.extend_from_slice(kept);
            if !rest.is_empty() {
                body.is_whole = false;
                break;
            }
        }
        Ok(body)
    }
}

impl Fetcher {
    /// Requests a page, once: without redirects and retries. User, password and fragment of the URL are not
    /// sent.
    ///
    /// # Errors
    ///
    /// If the URL may not be requested, the server does not respond, or its response has a content coding that was not
    /// requested.
    pub async fn page(&self, url: &str) -> Result<PageResponse, FetchFault> {
        let parsed = Url::parse(url).map_err(|_| FetchFault::BadUrl(url.to_owned()))?;
        let parsed = sent(parsed);
        if !is_http(&parsed) {
            return Err(FetchFault::BadUrl(parsed.into()));
        }
        let limits = &self.shared.limits;
        let mut waited = Duration::ZERO;
        let called = Instant::now();
        let turn = self
            .shared
            .turn(&parsed, limits.total, self.turn_limits, &mut waited, None)
            .await?;
        // The total timeout does not run while the request waits for its turn.
        let started = called.checked_add(waited).unwrap_or(called);
        let request = turn.client.get(parsed.clone()).header(ACCEPT, ACCEPT_PAGE);
        let response = within(limits.headers(), limits.total, request.send()).await?;
        let response = response.map_err(|error| FetchFault::of_request(&error))?;
        let at = SystemTime::now();
        let retry_after = freshness::retry_after(response.headers(), at);
        let response = decoded(response).await?;
        Ok(PageResponse {
            status: response.status().as_u16(),
            headers: response
                .headers()
                .iter()
                .map(|(name, value)| (name.as_str().to_owned(), value.as_bytes().to_vec()))
                .collect(),
            retry_after,
            body: Body::Arriving(Box::new(Arriving {
                response,
                idle: limits.idle,
                end: started.checked_add(limits.total).unwrap_or(started),
                _turn: turn,
            })),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_body_is_read_up_to_a_limit() {
        for (limit, bytes, is_whole) in [
            (0, "", false),
            (3, "bod", false),
            (4, "body", true),
            (5, "body", true),
        ] {
            let lines: [(String, Vec<u8>); 0] = [];
            let mut response = PageResponse::new(200, lines, b"body".to_vec());
            let body = response.body_up_to(limit).await.unwrap();
            assert_eq!(
                (body.bytes.as_slice(), body.is_whole),
                (bytes.as_bytes(), is_whole)
            );
        }
    }

    #[test]
    fn the_pause_that_a_site_asks_for_is_read_from_the_lines_of_any_response() {
        for (name, value, seconds) in [
            ("Retry-After", "3600", Some(3600)),
            ("retry-after", "Sun, 06 Nov 1994 08:49:37 GMT", Some(0)),
            ("Retry After", "3600", None),
            ("Retry-After", "\u{1}", None),
        ] {
            let response = PageResponse::new(503, [(name.to_owned(), value)], Vec::new());
            assert_eq!(
                response.retry_after(),
                seconds.map(Duration::from_secs),
                "{name}: {value}"
            );
        }
    }
}
