//! The robots.txt that questions with `fetch` request: as the service knows it.

use super::robots::not_known;
use crate::page_request::fault_text;
use crate::problem::Problem;
use crate::state::AppState;
use robots_answers::why::evidence::{RequestFault, RobotsRequest};
use robots_crawl::known::{Known, Source};
use robots_policy::origins::Origin;
use robots_policy::robots::{Cause, LoggedOutcome};
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
