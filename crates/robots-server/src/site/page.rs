//! Requests of pages for questions: only what the robots.txt of the site allows to this service.

use super::fault_text;
use super::robots::client_place;
use crate::limit::held::Held;
use crate::limit::memory::HeldMemory;
use crate::problem::Problem;
use crate::state::AppState;
use robots_answers::why::evidence::{KnownPage, PageEvidence};
use robots_answers::why::refusal;
use robots_crawl::FetchFault;
use robots_crawl::known::Known;
use robots_meta::Timestamp;
use std::time::SystemTime;

/// Requests a page, if robots.txt allows it now to this service, whatever the time of the question, up to `limits.body-bytes`. A
/// redirect is not followed: its target is another page. The memory that is `held` grows with the page.
///
/// # Errors
///
/// If the memory of requests is full.
pub(crate) async fn page(
    state: &AppState,
    url: &str,
    robots: &Known,
    held: &mut Held,
) -> Result<PageEvidence, Problem> {
    let user_agent = &state.config.user_agent;
    let now = Timestamp::from(SystemTime::now());
    let robots = |policy: &_| robots.state(policy, now);
    if let Some(why) = refusal(user_agent, "this service", url, now, robots) {
        return Ok(PageEvidence::Unknown(why));
    }
    let _place = match held.client() {
        Some(client) => Some(client_place(state, client).await?),
        None => None,
    };
    match requested(state, url, &mut held.memory).await {
        Ok(page) => Ok(PageEvidence::Known(Box::new(page))),
        Err(NoPage::Fault(fault)) => Ok(PageEvidence::Unknown(fault_text(&fault))),
        Err(NoPage::Full(problem)) => Err(problem),
    }
}

/// Why there is no page.
enum NoPage {
    Fault(FetchFault),
    /// There is no memory for it.
    Full(Problem),
}

impl From<FetchFault> for NoPage {
    fn from(fault: FetchFault) -> Self {
        Self::Fault(fault)
    }
}

async fn requested(
    state: &AppState,
    url: &str,
    memory: &mut HeldMemory,
) -> Result<KnownPage, NoPage> {
    let limit = state.config.limits.body_bytes.0;
    let mut response = state.sites.robots.fetcher().page(url).await?;
    let body = response.try_body_up_to(limit, |bytes| memory.add(bytes).map_err(NoPage::Full));
    let body = body.await?;
    Ok(KnownPage::requested(
        response.status(),
        response.headers(),
        body.bytes,
        body.is_whole,
    ))
}
