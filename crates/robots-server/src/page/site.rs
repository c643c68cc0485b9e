//! What is known about a page of a site: its robots.txt, from the cache or by a request, and the page, by a request if that
//! robots.txt allows this service to make it.

use super::request::Requested;
use crate::state::AppState;
use robots_answers::why::evidence::{
    KnownPage, PageEvidence, RequestFault, RobotsEvidence, RobotsRequest,
};
use robots_crawl::crawl::MAX_PAGE_BYTES;
use robots_crawl::known::Known;
use robots_crawl::{FetchFault, Fetcher};
use robots_meta::Timestamp;
use robots_pipeline::text::with_causes;
use robots_policy::origins::Origin;
use robots_policy::robots::{Cause, LoggedOutcome};
use robots_policy::{Page, Policy, Profile};
use robots_txt::Agent;
use robots_txt::select::product_token;
use std::time::SystemTime;

/// Returns what is known about the robots.txt of an origin.
pub(super) fn requested(origin: &Origin, known: &Known) -> Requested {
    let first_url = format!("{origin}/robots.txt");
    let redirects = known.redirects().iter();
    let status = match known.outcome().map(LoggedOutcome::cause) {
        Some(Cause::Status(status) | Cause::NoBody(status)) => Some(status),
        _ => None,
    };
    let fault = match (known.fault(), known.unanswered()) {
        (Some(fault), _) => Some(with_causes(fault)),
        (None, Some(_)) => Some("the site has not answered yet".to_owned()),
        // Another process made the request.
        (None, None) => known
            .outcome()
            .filter(|_| status.is_none())
            .map(|outcome| outcome.cause().to_string()),
    };
    Requested {
        url: known.redirected_to().unwrap_or(&first_url).to_owned(),
        redirects: redirects
            .map(|hop| (hop.status(), hop.url().to_owned()))
            .collect(),
        status,
        fault,
        bytes: known.body().map_or(0, <[u8]>::len),
        at: known
            .requested_at()
            .map(|at| at.to_string())
            .unwrap_or_default(),
        first_url,
    }
}

impl Requested {
    /// Returns the request as evidence.
    pub(super) fn evidence(&self, known: &Known) -> RobotsEvidence {
        let mut request = RobotsRequest::new(&self.url);
        request.redirects = self.redirects.len();
        request.status = self.status;
        request.bytes = self.bytes;
        let name = known.fault().map_or("unreachable", FetchFault::name);
        request.fault = self.fault.clone().map(|text| RequestFault::new(name, text));
        RobotsEvidence::Requested(request)
    }
}

/// Requests a page, if robots.txt allows this service to. A redirect is not followed: its target is another page.
pub(super) async fn page(state: &AppState, known: &Known, url: &str) -> PageEvidence {
    let user_agent = &state.config.user_agent;
    if !may_fetch(user_agent, known, url) {
        return PageEvidence::Unknown(
            "robots.txt does not allow this service to fetch the page".to_owned(),
        );
    }
    match read(state.sites.robots.fetcher(), url).await {
        Ok(page) => PageEvidence::Known(Box::new(page)),
        Err(fault) => PageEvidence::Unknown(with_causes(&fault)),
    }
}

/// Returns whether robots.txt allows the robot of this service to fetch a URL.
fn may_fetch(user_agent: &str, known: &Known, url: &str) -> bool {
    let agent = Agent::from_user_agent(user_agent);
    let token = agent
        .as_ref()
        .map_or("*", |agent| product_token(agent.name()));
    let policy = Policy::under(&Profile::neutral(), token).unwrap_or_default();
    let now = Timestamp::from(SystemTime::now());
    let state = known.state(&policy, now);
    policy
        .decide_under(&state, &Page::new(url).at(now))
        .may_fetch()
}

/// Reads a page up to [`MAX_PAGE_BYTES`].
async fn read(fetcher: &Fetcher, url: &str) -> Result<KnownPage, FetchFault> {
    let mut response = fetcher.page(url).await?;
    let headers = response.headers();
    let headers = headers.map(|(name, value)| (name.to_owned(), value.to_owned()));
    let mut page = KnownPage::of_response(Some(response.status()), headers.collect());
    page.is_fetched = true;
    while let Some(chunk) = response.chunk().await? {
        let room = MAX_PAGE_BYTES.saturating_sub(page.body.len());
        page.is_whole = chunk.len() <= room;
        page.body
            .extend_from_slice(chunk.get(..room).unwrap_or(&chunk));
        if !page.is_whole {
            break;
        }
    }
    Ok(page)
}
