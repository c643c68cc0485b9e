//! A visit to a page: permission, the wait for it, the request, and the decision as HEAD comes in.

use super::pace::Pace;
use super::{Crawler, lock};
use crate::fetch::{Fault, PageResponse};
use robots_meta::{HeadEnd, MediaType, Timestamp};
use robots_policy::{Decision, Fetch, Origin, Page, Policy, Robots, UrlError};
use std::time::{Duration, SystemTime};
use tokio::sync::OwnedMutexGuard;
use tokio::time::Instant;

/// How many bytes of a page are read at the most: 16 MiB, decompressed. A decision about one that is longer
/// is made by its start.
pub const MAX_PAGE_BYTES: usize = 16 * 1024 * 1024;

/// From how many bytes on the HEAD is looked for the end of; then at twice as many, and so on, so that
/// no byte is read more than twice over.
const FIRST_LOOK: usize = 16 * 1024;

/// How long a site is left alone that says 429 or 503 without saying for how long.
const BACK_OFF: Duration = Duration::from_secs(60);

/// How long it is left alone at the least that asks for time.
const MIN_BACK_OFF: Duration = Duration::from_secs(1);

/// What came of a visit.
#[derive(Debug)]
pub struct Visit {
    decision: Decision,
    end: VisitEnd,
}

/// How a visit ended.
#[derive(Debug)]
#[non_exhaustive]
pub enum VisitEnd {
    /// The page may not be fetched, or not now: [`Decision::fetch`] says which.
    NotAllowed,
    /// The site may not be asked before this time, which is too long to wait.
    TooSoon(SystemTime),
    /// There was no answer.
    Failed(Fault),
    /// There was one.
    Page(VisitedPage),
}

/// A page that was fetched.
#[derive(Debug)]
pub struct VisitedPage {
    status: u16,
    headers: Vec<(String, String)>,
    body: Vec<u8>,
    is_whole: bool,
}

impl Visit {
    fn new(decision: Decision, end: VisitEnd) -> Self {
        Self { decision, end }
    }

    /// The decision about the page.
    pub fn decision(&self) -> &Decision {
        &self.decision
    }

    /// How it ended.
    pub fn end(&self) -> &VisitEnd {
        &self.end
    }

    /// Both.
    pub fn into_parts(self) -> (Decision, VisitEnd) {
        (self.decision, self.end)
    }
}

impl VisitedPage {
    /// The status of the response; redirects are not followed.
    pub fn status(&self) -> u16 {
        self.status
    }

    /// Its header lines, as name and value.
    pub fn headers(&self) -> impl Iterator<Item = (&str, &str)> {
        self.headers
            .iter()
            .map(|(name, value)| (name.as_str(), value.as_str()))
    }

    /// As much of the body as was read.
    pub fn body(&self) -> &[u8] {
        &self.body
    }

    /// Whether that is all of it. Reading stops at the end of HEAD, if no more is wanted.
    pub fn is_whole(&self) -> bool {
        self.is_whole
    }
}

impl Crawler {
    /// Visits a page with the crawler's own fetcher. See [`decide`](Self::decide).
    ///
    /// # Errors
    ///
    /// If the URL has no origin.
    pub async fn visit(&self, url: &str) -> Result<Visit, UrlError> {
        self.decide(url, || self.fetcher().page(url)).await
    }

    /// Decides about a page, which is fetched by `fetch_page` if that is allowed: it waits until the site
    /// may be asked, and the download is stopped at the end of HEAD if no more is wanted
    /// ([`CrawlerBuilder::with_whole_pages`](super::CrawlerBuilder::with_whole_pages)).
    ///
    /// # Errors
    ///
    /// If the URL has no origin.
    pub async fn decide<F>(
        &self,
        url: &str,
        fetch_page: impl FnOnce() -> F,
    ) -> Result<Visit, UrlError>
    where
        F: Future<Output = Result<PageResponse, Fault>>,
    {
        let origin = Origin::of(url)?;
        let (robots, before) = self.permission(url, &origin).await?;
        if before.fetch != Fetch::Allow {
            return Ok(Visit::new(before, VisitEnd::NotAllowed));
        }
        let pace = Pace::of(&robots, self.policy().profile());
        // One page of an origin is asked for at a time, until its headers are in.
        let held = match self.turn(&origin, &pace).await {
            Ok(held) => held,
            Err(until) => return Ok(Visit::new(before, VisitEnd::TooSoon(until))),
        };
        // Much may have been learned in that time.
        let (robots, before) = self.permission(url, &origin).await?;
        if before.fetch != Fetch::Allow {
            return Ok(Visit::new(before, VisitEnd::NotAllowed));
        }
        self.note_request(&origin);
        let response = fetch_page().await;
        self.note_request(&origin);
        drop(held);
        let mut response = match response {
            Ok(response) => response,
            Err(fault) => return Ok(Visit::new(before, VisitEnd::Failed(fault))),
        };
        self.back_off(&origin, response.status(), response.retry_after());
        let (body, is_whole) = match self.read(&mut response).await {
            Ok(read) => read,
            Err(fault) => return Ok(Visit::new(before, VisitEnd::Failed(fault))),
        };
        let page = VisitedPage {
            status: response.status(),
            headers: response
                .headers()
                .map(|(name, value)| (name.to_owned(), value.to_owned()))
                .collect(),
            body,
            is_whole,
        };
        let now = Timestamp::from(self.now());
        let mut asked = Page::new(url)
            .at(now)
            .with_status(page.status())
            .with_headers(page.headers());
        asked = if may_be_html(&response) {
            asked.with_html(page.body())
        } else {
            asked.not_html()
        };
        if !is_whole {
            asked = asked.cut_short();
        }
        let decision = self.decide_known(&origin, &robots, asked);
        Ok(Visit::new(decision, VisitEnd::Page(page)))
    }

    /// What is known of the robots.txt now, and what that says of a page that nobody has seen yet.
    async fn permission(&self, url: &str, origin: &Origin) -> Result<(Robots, Decision), UrlError> {
        let robots = self.robots(url).await?;
        let page = Page::new(url).at(Timestamp::from(self.now()));
        let decision = self.decide_known(origin, &robots, page);
        Ok((robots, decision))
    }

    /// Waits for the moment at which the origin may be asked, and for those that wait for it already;
    /// gives the moment back if it is too far away.
    async fn turn(&self, origin: &Origin, pace: &Pace) -> Result<OwnedMutexGuard<()>, SystemTime> {
        let started = Instant::now();
        let turn = self.shared.visits.of(origin);
        let longest = self.shared.max_wait;
        // Who does not want to wait has his turn if nobody else has.
        let turn = tokio::time::timeout(longest, turn.lock_owned()).await;
        let Ok(held) = turn else {
            let now = self.now();
            return Err(lock(&self.shared.schedule).next_allowed_at(origin, pace, now));
        };
        loop {
            let now = self.now();
            let next = lock(&self.shared.schedule).next_allowed_at(origin, pace, now);
            let Ok(wait) = next.duration_since(now) else {
                break;
            };
            if wait.is_zero() {
                break;
            }
            if started.elapsed().saturating_add(wait) > longest {
                return Err(next);
            }
            tokio::time::sleep(wait).await;
        }
        Ok(held)
    }

    /// Notes that an origin is asked.
    pub(super) fn note_request(&self, origin: &Origin) {
        lock(&self.shared.schedule).note_request(origin, self.now());
    }

    /// Leaves an origin alone that asks for time, by its status.
    pub(super) fn back_off(&self, origin: &Origin, status: u16, asked: Option<Duration>) {
        if !matches!(status, 429 | 503) {
            return;
        }
        let pause = asked.unwrap_or(BACK_OFF).max(MIN_BACK_OFF);
        if let Some(until) = self.now().checked_add(pause) {
            lock(&self.shared.schedule).back_off(origin, until);
        }
    }

    /// The body, as far as it is wanted, and whether that is all of it.
    async fn read(&self, response: &mut PageResponse) -> Result<(Vec<u8>, bool), Fault> {
        let mut body = Vec::new();
        if !may_be_html(response) && !self.shared.wants_whole_pages {
            return Ok((body, false));
        }
        let policy = self.policy();
        let wants_all = self.shared.wants_whole_pages || policy.reads_body();
        let mut next_look = if wants_all { usize::MAX } else { FIRST_LOOK };
        while let Some(chunk) = response.chunk().await? {
            let room = MAX_PAGE_BYTES.saturating_sub(body.len());
            body.extend_from_slice(chunk.get(..room).unwrap_or(&chunk));
            if body.len() >= MAX_PAGE_BYTES {
                return Ok((body, false));
            }
            if body.len() >= next_look {
                if has_head(policy, &body, charset(response)) {
                    return Ok((body, false));
                }
                next_look = body.len().saturating_mul(2);
            }
        }
        Ok((body, true))
    }
}

/// Whether all of the HEAD is there.
fn has_head(policy: &Policy, body: &[u8], charset: Option<&str>) -> bool {
    *policy.read(body, charset).end() != HeadEnd::EndOfPage
}

fn media_type(response: &PageResponse) -> MediaType<'_> {
    let line = response
        .headers()
        .find(|(name, _)| name.eq_ignore_ascii_case("content-type"));
    MediaType::parse(line.map_or("", |(_, value)| value))
}

/// Whether it is HTML, or nobody says what it is.
fn may_be_html(response: &PageResponse) -> bool {
    let media_type = media_type(response);
    media_type.is_missing() || media_type.is_html()
}

fn charset(response: &PageResponse) -> Option<&str> {
    media_type(response).charset()
}
