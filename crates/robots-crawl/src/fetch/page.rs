//! Asking for pages, with the same care as for robots.txt; the body is read as far as it is wanted.

use super::Fetcher;
use super::chase::left_coding;
use super::fault::Fault;
use super::fetched::lines;
use super::freshness;
use std::sync::Arc;
use std::time::{Duration, SystemTime};
use tokio::sync::OwnedSemaphorePermit;
use tokio::time::Instant;
use url::Url;

/// A response to a request for a page, whose body is yet to be read.
#[derive(Debug)]
pub struct PageResponse {
    status: u16,
    headers: Vec<(String, String)>,
    retry_after: Option<Duration>,
    body: Body,
}

#[derive(Debug)]
enum Body {
    /// All of it.
    Kept(Vec<u8>),
    Coming(Box<Coming>),
}

#[derive(Debug)]
struct Coming {
    response: reqwest::Response,
    /// From chunk to chunk.
    idle: Duration,
    /// For all of it.
    end: Instant,
    /// Its place among the requests at once.
    _permit: Option<OwnedSemaphorePermit>,
}

impl PageResponse {
    /// A response that was had in another way, with its header lines apart.
    pub fn new(
        status: u16,
        headers: impl IntoIterator<Item = (String, String)>,
        body: Vec<u8>,
    ) -> Self {
        Self {
            status,
            headers: headers.into_iter().collect(),
            retry_after: None,
            body: Body::Kept(body),
        }
    }

    /// The status. Redirects are not followed: where they lead is another URL, with a decision of
    /// its own.
    pub fn status(&self) -> u16 {
        self.status
    }

    /// The header lines, in order, as name and value. What is no text in UTF-8 is read as far as it is.
    pub fn headers(&self) -> impl Iterator<Item = (&str, &str)> {
        self.headers
            .iter()
            .map(|(name, value)| (name.as_str(), value.as_str()))
    }

    /// How long the server asks to wait, at most [`MAX_RETRY_AFTER`](super::MAX_RETRY_AFTER).
    pub fn retry_after(&self) -> Option<Duration> {
        self.retry_after
    }

    /// More of the body, decompressed; `None` at its end.
    ///
    /// # Errors
    ///
    /// If it breaks off, nothing comes for too long, or all of it takes longer than the fetcher waits.
    pub async fn chunk(&mut self) -> Result<Option<Vec<u8>>, Fault> {
        match &mut self.body {
            Body::Kept(body) => {
                let body = std::mem::take(body);
                Ok((!body.is_empty()).then_some(body))
            }
            Body::Coming(coming) => {
                let left = coming.end.saturating_duration_since(Instant::now());
                let limit = coming.idle.min(left);
                let chunk = tokio::time::timeout(limit, coming.response.chunk()).await;
                let chunk = chunk.map_err(|_| {
                    if left <= coming.idle {
                        Fault::Timeout
                    } else {
                        Fault::IdleTimeout
                    }
                })?;
                let chunk = chunk.map_err(|error| Fault::of_stream(&error))?;
                Ok(chunk.map(|chunk| chunk.to_vec()))
            }
        }
    }
}

impl Fetcher {
    /// Asks for a page, once: redirects are not followed, and what fails is not tried again. User and
    /// password in the URL are not sent, nor is its fragment.
    ///
    /// # Errors
    ///
    /// If there is no answer, or the URL may not be asked.
    pub async fn page(&self, url: &str) -> Result<PageResponse, Fault> {
        let mut parsed = Url::parse(url).map_err(|_| Fault::BadUrl("no URL".to_owned()))?;
        parsed.set_fragment(None);
        parsed.set_username("").ok();
        parsed.set_password(None).ok();
        if !matches!(parsed.scheme(), "http" | "https") {
            return Err(Fault::BadUrl(parsed.into()));
        }
        self.shared.guard.check(&parsed)?;
        let permits = Arc::clone(&self.shared.permits);
        let permit = permits.acquire_owned().await.ok();
        let started = Instant::now();
        let limits = &self.shared.limits;
        let limit = limits.connect.saturating_add(limits.idle).min(limits.total);
        let sent = self.shared.client.get(parsed.clone()).send();
        let response = tokio::time::timeout(limit, sent)
            .await
            .map_err(|_| Fault::Timeout)?
            .map_err(|error| Fault::of_request(&error, &parsed, false))?;
        if let Some(coding) = left_coding(response.headers()) {
            return Err(Fault::Encoding(coding));
        }
        let at = SystemTime::now();
        Ok(PageResponse {
            status: response.status().as_u16(),
            headers: lines(response.headers()),
            retry_after: freshness::retry_after(response.headers(), at),
            body: Body::Coming(Box::new(Coming {
                response,
                idle: limits.idle,
                end: started.checked_add(limits.total).unwrap_or(started),
                _permit: permit,
            })),
        })
    }
}
