//! Requests for pages, with the same limits as for robots.txt. The caller reads as much of the body as it needs.

use super::builder::ACCEPT_PAGE;
use super::client::Response;
use super::coding;
use super::fault::FetchFault;
use super::freshness;
use super::sent_url::{is_http, sent};
use super::turn::Turn;
use super::{Fetcher, within};
use http::HeaderMap;
use http::header::ACCEPT;
use std::time::{Duration, SystemTime};
use tokio::time::Instant;
use url::Url;

/// A response to a request for a page, whose body is not read yet.
#[derive(Debug)]
pub struct PageResponse {
    response: Response,
    /// Whether the body breaks off.
    is_cut: bool,
    retry_after: Option<Duration>,
    /// The timeout from one part of the body to the next.
    idle: Duration,
    /// The end of the total timeout.
    end: Instant,
    /// Ends when the response is dropped: until then, it counts against the limits on simultaneous requests.
    _turn: Turn,
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

impl PageResponse {
    /// Returns the status. Redirects are not followed: the target is another URL, with a decision of its own.
    pub fn status(&self) -> u16 {
        self.response.status.as_u16()
    }

    /// Returns the header lines, in order, as name and value; a value is the bytes that were received.
    pub fn headers(&self) -> impl Iterator<Item = (&str, &[u8])> {
        let headers = self.response.headers.iter();
        headers.map(|(name, value)| (name.as_str(), value.as_bytes()))
    }

    /// Returns the pause that the server asks for, at most [`MAX_RETRY_AFTER`](super::MAX_RETRY_AFTER).
    pub fn retry_after(&self) -> Option<Duration> {
        self.retry_after
    }

    /// Returns whether the body of another status than 2xx breaks off, or could not be decompressed.
    pub fn is_cut(&self) -> bool {
        self.is_cut
    }

    /// Returns the next part of the body, decompressed; `None` at its end. The body of another status than 2xx ends at its first
    /// fault ([`is_cut`](Self::is_cut)): the status is the answer.
    ///
    /// # Errors
    ///
    /// If the body breaks off, nothing arrives for too long, or the total timeout is over.
    pub async fn chunk(&mut self) -> Result<Option<Vec<u8>>, FetchFault> {
        if self.is_cut {
            return Ok(None);
        }
        let left = self.end.saturating_duration_since(Instant::now());
        let chunk = within(self.idle, left, self.response.chunk()).await;
        match chunk.flatten() {
            Ok(chunk) => Ok(chunk.map(|chunk| chunk.to_vec())),
            Err(_) if !self.response.status.is_success() => {
                self.is_cut = true;
                Ok(None)
            }
            Err(fault) => Err(fault),
        }
    }

    /// Reads the body up to a limit in bytes, decompressed. The rest is not received.
    ///
    /// # Errors
    ///
    /// As those of [`chunk`](Self::chunk).
    pub async fn body_up_to(&mut self, limit: usize) -> Result<PageBody, FetchFault> {
        let mut body = PageBody {
            bytes: Vec::new(),
            is_whole: true,
        };
        while let Some(chunk) = self.chunk().await? {
            let room = limit.saturating_sub(body.bytes.len());
            body.bytes
                .extend_from_slice(&chunk[..chunk.len().min(room)]);
            if chunk.len() > room {
                body.is_whole = false;
                break;
            }
        }
        body.is_whole &= !self.is_cut;
        Ok(body)
    }
}

impl Fetcher {
    /// Requests a page, once: without redirects and retries. User, password and fragment of the URL are not
    /// sent.
    ///
    /// # Errors
    ///
    /// If the URL may not be requested, the server does not respond, or its response is a 2xx with a content coding that is not
    /// supported.
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
        let headers = HeaderMap::from_iter([(ACCEPT, ACCEPT_PAGE)]);
        let request = turn.client.get(&parsed, headers);
        let response = within(limits.headers(), limits.total, request).await??;
        let coding = coding::check(&response.headers);
        if response.status.is_success() {
            coding.clone()?;
        }
        Ok(PageResponse {
            retry_after: freshness::retry_after(&response.headers, SystemTime::now()),
            is_cut: coding.is_err(),
            response,
            idle: limits.idle,
            end: started.checked_add(limits.total).unwrap_or(started),
            _turn: turn,
        })
    }
}
