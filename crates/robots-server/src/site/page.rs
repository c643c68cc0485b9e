//! Requests of pages for questions: only what the robots.txt of the site allows to this service.

use super::fault_text;
use super::robots::client_place;
use crate::limit::held::Held;
use crate::page_requests::{NoPage, RequestedPage};
use crate::problem::Problem;
use crate::state::AppState;
use robots_answers::why::evidence::{KnownPage, PageEvidence};
use robots_answers::why::refusal;
use robots_crawl::FetchFault;
use robots_crawl::known::Known;
use robots_meta::Timestamp;
use robots_pipeline::robots_url::normalized;
use robots_policy::origins::Origin;
use std::sync::Arc;
use std::time::SystemTime;
use url::Url;

/// Requests a page, if robots.txt allows it now to this service, whatever the time of the question, up to `limits.body-bytes`. A
/// redirect is not followed: its target is another page. Questions at the same time share a request. The memory that is
/// `held` grows with the page.
///
/// # Errors
///
/// If the memory of requests is full, or if too many requests wait for the site.
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
    let origin = match Origin::of(url) {
        Ok(origin) => origin,
        Err(error) => return Ok(PageEvidence::Unknown(error.to_string())),
    };
    let key = requested_url(url);
    let request = if let Some(present) = state.pages.present(&key) {
        present
    } else {
        let place = match held.client() {
            Some(client) => Some(client_place(state, client).await?),
            None => None,
        };
        let (requesting, url) = (state.clone(), key.clone());
        let request = async move {
            let _place = place;
            requested(&requesting, &url).await
        };
        state.pages.present_or_new(&key, &origin, request)?
    };
    let page = match Arc::try_unwrap(request.await) {
        Ok(Ok(RequestedPage { page, memory })) => {
            held.memory.merge(memory)?;
            Ok(page)
        }
        Ok(Err(none)) => Err(none),
        // Others wait for it, too.
        Err(shared) => match &*shared {
            Ok(RequestedPage { page, memory }) => {
                held.memory.add(memory.bytes())?;
                Ok(page.clone())
            }
            Err(none) => Err(none.clone()),
        },
    };
    match page {
        Ok(page) => Ok(PageEvidence::Known(Box::new(page))),
        Err(NoPage::Fault(text)) => Ok(PageEvidence::Unknown(text)),
        Err(NoPage::Full(problem)) => Err(problem),
    }
}

/// Returns a URL as it is requested: without the parts that are not sent.
fn requested_url(url: &str) -> String {
    match Url::parse(url) {
        Ok(parsed) => normalized(&parsed).into_owned(),
        Err(_) => url.to_owned(),
    }
}

impl From<FetchFault> for NoPage {
    fn from(fault: FetchFault) -> Self {
        Self::Fault(fault_text(&fault))
    }
}

async fn requested(state: &AppState, url: &str) -> Result<RequestedPage, NoPage> {
    let limit = state.config.limits.body_bytes.0;
    let mut memory = state.memory.hold();
    let mut response = state.sites.robots.fetcher().page(url).await?;
    let body = response.try_body_up_to(limit, |bytes| memory.add(bytes).map_err(NoPage::Full));
    let body = body.await?;
    let page = KnownPage::requested(
        response.status(),
        response.headers(),
        body.bytes,
        body.is_whole,
    );
    Ok(RequestedPage { page, memory })
}
