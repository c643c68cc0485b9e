//! Requests of pages for questions: only what the robots.txt of the site allows to this service.

use super::fault_text;
use crate::state::AppState;
use robots_answers::why::evidence::{KnownPage, PageEvidence};
use robots_answers::why::refusal;
use robots_crawl::FetchFault;
use robots_crawl::known::Known;
use robots_meta::Timestamp;
use std::time::SystemTime;

/// Requests a page, if robots.txt allows it now to this service, whatever the time of the question, up to `limits.body-bytes`. A
/// redirect is not followed: its target is another page.
pub(crate) async fn page(state: &AppState, url: &str, robots: &Known) -> PageEvidence {
    let user_agent = &state.config.user_agent;
    let now = Timestamp::from(SystemTime::now());
    let robots = |policy: &_| robots.state(policy, now);
    if let Some(why) = refusal(user_agent, "this service", url, now, robots) {
        return PageEvidence::Unknown(why);
    }
    match requested(state, url).await {
        Ok(page) => PageEvidence::Known(Box::new(page)),
        Err(fault) => PageEvidence::Unknown(fault_text(&fault)),
    }
}

async fn requested(state: &AppState, url: &str) -> Result<KnownPage, FetchFault> {
    let limit = state.config.limits.body_bytes.0;
    let mut response = state.sites.robots.fetcher().page(url).await?;
    let body = response.body_up_to(limit).await?;
    Ok(KnownPage::requested(
        response.status(),
        response.headers(),
        body.bytes,
        body.is_whole,
    ))
}
