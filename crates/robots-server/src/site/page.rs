//! Requests of pages for questions: what the robots.txt of the site allows to this service, with the exceptions of
//! [`Requester::permission`].

use super::fault_text;
use super::robots::client_place;
use crate::problem::Problem;
use crate::state::{AppState, Held};
use crate::work::work;
use robots_answers::why::evidence::{KnownPage, PageEvidence};
use robots_answers::why::{Permission, Requester};
use robots_crawl::FetchFault;
use robots_crawl::known::Known;
use robots_meta::Timestamp;
use robots_pipeline::robots_url::normalized;
use robots_policy::origins::Origin;
use robots_policy::{Policies, Policy};
use std::sync::Arc;
use std::time::SystemTime;
use url::Url;

/// A page to request, and who asks for it.
#[derive(Debug, Clone)]
pub(crate) struct WantedPage<'a> {
    pub(crate) url: &'a str,
    /// The robots that are asked about. robots.txt may open the page to one of them by name.
    pub(crate) robots: Option<Arc<Policies>>,
    /// Whether the owner of the site asks, as far as the client says so.
    pub(crate) is_for_owner: bool,
    /// What the client can do if the page is for the owner only, after the reason.
    pub(crate) remedy: &'static str,
}

/// Requests a page, if robots.txt allows it now to this service, whatever the time of the question, up to `limits.body-bytes`;
/// [`Requester::permission`] has the exceptions. A redirect is not followed: its target is another page. Questions at the same time
/// share a request. Fails if too many requests wait for the site, or those of the client take too long.
pub(crate) async fn page(
    wanted: WantedPage<'_>,
    robots: &Arc<Known>,
    held: &mut Held,
) -> Result<PageEvidence, Problem> {
    let state = &held.state.clone();
    let url = wanted.url;
    let exception = match permission(&wanted, robots, held).await? {
        Permission::Refused(why) => return Ok(PageEvidence::Unknown(why)),
        Permission::OwnerOnly(why) => {
            return Ok(PageEvidence::Unknown(format!("{why}{}", wanted.remedy)));
        }
        Permission::Exception(why) => Some(why),
        _ => None,
    };
    let origin = match Origin::of(url) {
        Ok(origin) => origin,
        Err(error) => return Ok(PageEvidence::Unknown(error.to_string())),
    };
    let key = requested_url(url);
    // A question that shares a request has its own places, too: it must not wait for those of another client. The page may have as many
    // bytes as a body. No question waits for the first place while it has the second.
    let place = held.wait_for_place().await;
    let _client_place = client_place(state, held.client).await?;
    let request = async {
        let page = requested(state, &key).await;
        page.map_err(|fault| fault_text(&fault))
    };
    let page = state.pages.page(&key, &origin, request).await?;
    let page = match Arc::unwrap_or_clone(page) {
        Ok(mut page) => {
            page.exception = exception;
            PageEvidence::Known(Box::new(page))
        }
        Err(fault) => PageEvidence::Unknown(fault),
    };
    held.keep_for(page_bytes(&page), place);
    Ok(page)
}

/// Returns whether the robots.txt of its site allows a page now.
async fn permission(
    wanted: &WantedPage<'_>,
    robots: &Arc<Known>,
    held: &Held,
) -> Result<Permission, Problem> {
    let bytes = robots.body().unwrap_or_default().len();
    let (holding, robots, url) = (held.clone(), Arc::clone(robots), wanted.url.to_owned());
    let (asked, is_for_owner) = (wanted.robots.clone(), wanted.is_for_owner);
    work(held, bytes, bytes + url.len(), move |_| {
        let now = Timestamp::from(SystemTime::now());
        let user_agent = &holding.state.config.user_agent;
        let requester = Requester::new(user_agent, "this service", is_for_owner);
        let file = robots.body().unwrap_or_default();
        let state = |policy: &Policy| robots.state(policy, now);
        let asked = asked.iter().flat_map(|asked| asked.iter());
        Ok(requester.permission(&url, now, asked, file, state))
    })
    .await
}

/// Returns the number of bytes of what is known about a page.
pub(crate) fn page_bytes(page: &PageEvidence) -> usize {
    let PageEvidence::Known(page) = page else {
        return 0;
    };
    let lines = page.headers.iter();
    let lines = lines.map(|(name, value)| name.len() + value.len());
    page.body.len() + lines.sum::<usize>()
}

/// Returns a URL as it is requested: without the parts that are not sent.
fn requested_url(url: &str) -> String {
    match Url::parse(url) {
        Ok(parsed) => normalized(&parsed).into_owned(),
        Err(_) => url.to_owned(),
    }
}

async fn requested(state: &AppState, url: &str) -> Result<KnownPage, FetchFault> {
    let mut response = state.sites.robots.fetcher().page(url).await?;
    let body = response
        .body_up_to(state.config.limits.body_bytes.0)
        .await?;
    let (status, headers) = (response.status(), response.headers());
    Ok(KnownPage::requested(
        status,
        headers,
        body.bytes,
        body.is_whole,
    ))
}
