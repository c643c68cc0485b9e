//! What questions with `fetch` request: the robots.txt of a site, as the service knows it, and a page.

use super::robots::{fault_text, not_known};
use crate::problem::Problem;
use crate::state::AppState;
use robots_answers::why::evidence::{KnownPage, PageEvidence, RequestFault, RobotsRequest};
use robots_crawl::FetchFault;
use robots_crawl::known::{Known, Source};
use robots_meta::Timestamp;
use robots_policy::origins::Origin;
use robots_policy::robots::{Cause, LoggedOutcome};
use robots_policy::{Page, Policy, Profile};
use robots_txt::Agent;
use robots_txt::select::product_token;
use std::sync::Arc;

/// Returns what is known about the robots.txt of a site. It is requested if it is not known or stale.
pub(super) async fn robots(state: &AppState, origin: &Origin) -> Result<Arc<Known>, Problem> {
    let known = state.sites.robots.of(origin).await;
    if known.source() == Source::None {
        return Err(not_known(state, known.unanswered()));
    }
    Ok(known)
}

/// Returns the facts of the last request for a robots.txt.
pub(super) fn request(origin: &Origin, known: &Known) -> RobotsRequest {
    let url = known.redirected_to();
    let mut request = RobotsRequest::new(url.map_or_else(|| origin.robots_url(), str::to_owned));
    request.redirects = known.redirects().len();
    request.status = match known.outcome().map(LoggedOutcome::cause) {
        Some(Cause::Status(status) | Cause::NoBody(status)) => Some(status),
        _ => None,
    };
    let fault = known.fault();
    request.fault = fault.map(|fault| RequestFault::new(fault.name(), fault_text(fault)));
    request.bytes = known.body().map_or(0, <[u8]>::len);
    request
}

/// Requests a page, if robots.txt allows it to this service, up to `limits.body-bytes`.
pub(super) async fn page(
    state: &AppState,
    url: &str,
    robots: &Known,
    now: Timestamp,
) -> PageEvidence {
    if !may_fetch(&state.config.user_agent, url, robots, now) {
        return PageEvidence::Unknown(
            "robots.txt does not allow this service to fetch it".to_owned(),
        );
    }
    match fetched(state, url).await {
        Ok(page) => PageEvidence::Known(Box::new(page)),
        Err(fault) => PageEvidence::Unknown(fault_text(&fault)),
    }
}

fn may_fetch(user_agent: &str, url: &str, robots: &Known, now: Timestamp) -> bool {
    let agent = Agent::from_user_agent(user_agent);
    let token = agent
        .as_ref()
        .map_or("*", |agent| product_token(agent.name()));
    let policy = Policy::under(&Profile::neutral(), token).unwrap_or_default();
    let state = robots.state(&policy, now);
    policy
        .decide_under(&state, &Page::new(url).at(now))
        .may_fetch()
}

async fn fetched(state: &AppState, url: &str) -> Result<KnownPage, FetchFault> {
    let limit = state.config.limits.body_bytes.0;
    let mut response = state.sites.robots.fetcher().page(url).await?;
    let headers = response.headers();
    let headers = headers.map(|(name, value)| (name.to_owned(), value.to_owned()));
    let mut page = KnownPage::of_response(Some(response.status()), headers.collect());
    page.is_fetched = true;
    while let Some(chunk) = response.chunk().await? {
        let room = limit.saturating_sub(page.body.len());
        page.is_whole = chunk.len() <= room;
        page.body
            .extend_from_slice(chunk.get(..room).unwrap_or(&chunk));
        if !page.is_whole {
            break;
        }
    }
    Ok(page)
}
