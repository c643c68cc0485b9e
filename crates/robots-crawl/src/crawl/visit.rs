//! A visit to a page: permission, the wait for it, the request, and the decision as HEAD arrives.

use super::Crawler;
use super::pace::Pace;
use crate::fetch::{FetchFault, PageResponse};
use crate::known::Known;
use robots_meta::value::MediaType;
use robots_meta::{HeadReader, PageFacts, Progress, Timestamp};
use robots_policy::origins::{Origin, UrlError};
use robots_policy::robots::RobotsState;
use robots_policy::site::SiteRules;
use robots_policy::{Decision, Fetch, Page};
use std::sync::Arc;
use std::time::{Duration, SystemTime};
use tokio::sync::OwnedMutexGuard;
use tokio::time::Instant;

/// The maximum number of bytes of a page that are read, decompressed: 16 MiB. A longer page is decided by its start.
pub const MAX_PAGE_BYTES: usize = 16 * 1024 * 1024;

/// The number of bytes of a page that are read even if its HEAD ends earlier: 16 KiB. To stop before that would
/// save no traffic.
const MIN_PAGE_BYTES: usize = 16 * 1024;

/// The pause before a visit is tried again that found others waiting for the same origin: one second.
const BUSY_PAUSE: Duration = Duration::from_secs(1);

/// The decision about a page, and the page if it was fetched.
#[derive(Debug)]
pub struct Visit {
    decision: Decision,
    robots_fault: Option<FetchFault>,
    end: VisitEnd,
}

/// The end of a visit.
#[derive(Debug)]
#[non_exhaustive]
pub enum VisitEnd {
    /// The page may not be fetched, or not now: see [`Decision::fetch`] and [`Visit::robots_fault`].
    NotAllowed,
    /// The page may not be requested before this time, which is later than the crawler waits
    /// ([`CrawlerBuilder::with_max_wait`](super::CrawlerBuilder::with_max_wait)). If other visits to the origin have not made
    /// their requests by then, it is a second later or more.
    TooSoon(SystemTime),
    /// The request failed.
    Failed(FetchFault),
    /// The page was fetched.
    Page(VisitedPage),
}

/// A page that was fetched.
#[derive(Debug)]
pub struct VisitedPage {
    status: u16,
    headers: Vec<(String, Vec<u8>)>,
    body: Vec<u8>,
    is_whole: bool,
}

/// The part of a body that was read.
#[derive(Debug, Default)]
struct Body {
    bytes: Vec<u8>,
    is_whole: bool,
    /// The METAs of HEAD, if they were read while the body arrived.
    head: Option<PageFacts>,
}

impl Visit {
    fn new(decision: Decision, end: VisitEnd) -> Self {
        Self {
            decision,
            robots_fault: None,
            end,
        }
    }

    /// Returns the decision about the page.
    pub fn decision(&self) -> &Decision {
        &self.decision
    }

    /// Returns the fault of the last request for the site's robots.txt, if the end is
    /// [`NotAllowed`](VisitEnd::NotAllowed) and that request failed: for example, the name did not resolve, or the
    /// address is not public.
    ///
    /// `None` if the request was made before this crawler was created, or by another process.
    pub fn robots_fault(&self) -> Option<&FetchFault> {
        self.robots_fault.as_ref()
    }

    /// Returns the end of the visit.
    pub fn end(&self) -> &VisitEnd {
        &self.end
    }
}

impl VisitedPage {
    /// Returns the status of the response. Redirects are not followed.
    pub fn status(&self) -> u16 {
        self.status
    }

    /// Returns its header lines, as name and value; a value is the bytes that were received.
    pub fn headers(&self) -> impl Iterator<Item = (&str, &[u8])> {
        self.headers
            .iter()
            .map(|(name, value)| (name.as_str(), value.as_slice()))
    }

    /// Returns the part of the body that was read.
    pub fn body(&self) -> &[u8] {
        &self.body
    }

    /// Returns whether the whole body was read. Unless the crawler reads whole pages, reading stops
    /// after HEAD.
    pub fn is_whole(&self) -> bool {
        self.is_whole
    }
}

impl Crawler {
    /// Decides about a page, and fetches it if that is allowed. It waits until the
    /// pace of the site permits a request, and stops the download after HEAD, unless whole pages are wanted
    /// ([`CrawlerBuilder::with_whole_pages`](super::CrawlerBuilder::with_whole_pages)).
    ///
    /// # Errors
    ///
    /// If the URL has no origin.
    pub async fn visit(&self, url: &str) -> Result<Visit, UrlError> {
        let origin = Origin::of(url)?;
        let requests = &self.shared.requests;
        let (_, robots, permission) = match self.permission(url, &origin).await {
            Ok(permission) => permission,
            Err(refused) => return Ok(*refused),
        };
        let pace = Pace::of(&robots, self.policy().profile());
        // One page of an origin is requested at a time, until its headers have arrived.
        let guard = match self.wait_for_origin(&origin, &pace).await {
            Ok(guard) => guard,
            Err(until) => return Ok(Visit::new(permission, VisitEnd::TooSoon(until))),
        };
        // robots.txt may have changed during the wait.
        let (known, robots, permission) = match self.permission(url, &origin).await {
            Ok(permission) => permission,
            Err(refused) => return Ok(*refused),
        };
        // The delay to the next request counts from the arrival of the headers. If the visit is cancelled before, it counts
        // from the start of the request.
        requests.note(&origin);
        let response = self.fetcher().page(url).await;
        requests.note(&origin);
        drop(guard);
        let mut response = match response {
            Ok(response) => response,
            Err(fault) => return Ok(Visit::new(permission, VisitEnd::Failed(fault))),
        };
        requests.back_off(&origin, response.status(), response.retry_after());
        let body = match self.read(&mut response).await {
            Ok(body) => body,
            Err(fault) => return Ok(Visit::new(permission, VisitEnd::Failed(fault))),
        };
        let decision = self.decide_response(url, &known, &robots, &response, &body);
        let page = VisitedPage {
            status: response.status(),
            headers: response
                .headers()
                .map(|(name, value)| (name.to_owned(), value.to_owned()))
                .collect(),
            body: body.bytes,
            is_whole: body.is_whole,
        };
        Ok(Visit::new(decision, VisitEnd::Page(page)))
    }

    fn decide_response(
        &self,
        url: &str,
        known: &Known,
        robots: &RobotsState<SiteRules>,
        response: &PageResponse,
        body: &Body,
    ) -> Decision {
        let mut page = Page::new(url)
            .at(Timestamp::from(self.now()))
            .with_status(response.status())
            .with_headers(response.headers());
        page = match &body.head {
            _ if !media_type(response).may_be_html() => page.not_html(),
            Some(head) => page.with_meta(head),
            None => page.with_html(&body.bytes),
        };
        if !body.is_whole {
            page = page.cut_short();
        }
        self.decide(known, robots, page)
    }

    /// Returns what is known about robots.txt, its present state, and the decision about a page that is not fetched yet. The error is
    /// the visit to a page that may not be fetched.
    async fn permission(
        &self,
        url: &str,
        origin: &Origin,
    ) -> Result<(Arc<Known>, RobotsState<SiteRules>, Decision), Box<Visit>> {
        let known = self.known_robots().of(origin).await;
        let now = Timestamp::from(self.now());
        let robots = known.state(self.policy(), now);
        let decision = self.decide(&known, &robots, Page::new(url).at(now));
        if decision.fetch == Fetch::Allow {
            return Ok((known, robots, decision));
        }
        Err(Box::new(Visit {
            robots_fault: known.fault().cloned(),
            ..Visit::new(decision, VisitEnd::NotAllowed)
        }))
    }

    /// Decides about a page under a state of its robots.txt, with the tdmrep.json of its origin, if it is known.
    fn decide(&self, known: &Known, robots: &RobotsState<SiteRules>, page: Page<'_>) -> Decision {
        let tdmrep = known.tdmrep();
        let page = match &tdmrep {
            Some(tdmrep) => page.with_tdmrep(tdmrep),
            None => page,
        };
        self.policy().decide_under(robots, &page)
    }

    /// Waits until earlier visits to the origin have made their requests, and its pace permits a request. If that takes
    /// too long, the error is the earliest time of the request.
    async fn wait_for_origin(
        &self,
        origin: &Origin,
        pace: &Pace,
    ) -> Result<OwnedMutexGuard<()>, SystemTime> {
        let started = Instant::now();
        let schedule = || self.shared.requests.schedule();
        let next = |now| schedule().next_allowed_at(origin, pace, now);
        let page_lock = self.shared.page_locks.of(origin);
        let max_wait = self.shared.max_wait;
        // With a wait of zero, the lock is taken if it is free.
        let locked = tokio::time::timeout(max_wait, page_lock.lock_owned()).await;
        let Ok(guard) = locked else {
            let now = self.now();
            return Err(next(now).max(now + BUSY_PAUSE));
        };
        loop {
            let now = self.now();
            let next = next(now);
            let Ok(wait) = next.duration_since(now) else {
                break;
            };
            if wait.is_zero() {
                break;
            }
            if started.elapsed() + wait > max_wait {
                return Err(next);
            }
            tokio::time::sleep(wait).await;
        }
        Ok(guard)
    }

    /// Reads the part of a body that is wanted.
    async fn read(&self, response: &mut PageResponse) -> Result<Body, FetchFault> {
        let wants_whole = self.shared.wants_whole_pages;
        let is_html = media_type(response).may_be_html();
        let mut body = Body::default();
        if !is_html && !wants_whole {
            // Only HTML has METAs: the body of another response is not needed.
            return Ok(body);
        }
        // The METAs of HEAD are read while the body arrives. If METAs in BODY count, the whole page is read first.
        let mut reader = (is_html && !self.policy().reads_body()).then(|| {
            self.policy()
                .head_options()
                .with_charset(charset(response).unwrap_or_default())
                .reader()
        });
        let mut has_head = false;
        while let Some(chunk) = response.chunk().await? {
            let room = MAX_PAGE_BYTES - body.bytes.len();
            let chunk = &chunk[..chunk.len().min(room)];
            body.bytes.extend_from_slice(chunk);
            if let Some(reader) = &mut reader {
                has_head = reader.feed(chunk) == Progress::Done;
            }
            let has_enough = has_head && !wants_whole && body.bytes.len() >= MIN_PAGE_BYTES;
            if has_enough || body.bytes.len() >= MAX_PAGE_BYTES {
                body.head = reader.map(HeadReader::finish);
                return Ok(body);
            }
        }
        body.is_whole = !response.is_cut();
        body.head = reader.map(HeadReader::finish);
        Ok(body)
    }
}

fn media_type(response: &PageResponse) -> MediaType<'_> {
    MediaType::of_headers(response.headers())
}

fn charset(response: &PageResponse) -> Option<&str> {
    media_type(response).charset()
}
