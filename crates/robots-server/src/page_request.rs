//! Requests of pages for questions: only what the robots.txt of the site allows to this service.

use crate::state::AppState;
use robots_answers::why::evidence::{KnownPage, PageEvidence};
use robots_crawl::FetchFault;
use robots_crawl::known::Known;
use robots_meta::Timestamp;
use robots_policy::{Page, Policy, Profile};
use robots_txt::Agent;
use robots_txt::select::product_token;
use std::time::SystemTime;

/// Requests a page, if robots.txt allows it to this service, up to `limits.body-bytes`. A redirect is not followed: its target is
/// another page.
pub(crate) async fn page(state: &AppState, url: &str, robots: &Known) -> PageEvidence {
    if !may_fetch(&state.config.user_agent, url, robots) {
        return PageEvidence::Unknown(
            "robots.txt does not allow this service to fetch it".to_owned(),
        );
    }
    match fetched(state, url).await {
        Ok(page) => PageEvidence::Known(Box::new(page)),
        Err(fault) => PageEvidence::Unknown(fault_text(&fault)),
    }
}

/// Returns whether the page may be fetched now, whatever the time of the question.
fn may_fetch(user_agent: &str, url: &str, robots: &Known) -> bool {
    let now = Timestamp::from(SystemTime::now());
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

/// Returns the words of a fault. Those about an address that is not public do not name it: a name of the network of this service
/// may lead to it.
pub(crate) fn fault_text(fault: &FetchFault) -> String {
    match fault {
        FetchFault::PrivateAddress(_) => "the address is not public".to_owned(),
        fault => fault.to_string(),
    }
}
