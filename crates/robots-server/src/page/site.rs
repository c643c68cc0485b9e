//! What the page shows of a request for the robots.txt of a site.

use super::request::Requested;
use crate::page_request::fault_text;
use robots_answers::why::evidence::{RequestFault, RobotsEvidence, RobotsRequest};
use robots_crawl::FetchFault;
use robots_crawl::known::Known;
use robots_policy::origins::Origin;
use robots_policy::robots::{Cause, LoggedOutcome};

/// Returns what is known about the robots.txt of an origin.
pub(super) fn requested(origin: &Origin, known: &Known) -> Requested {
    let first_url = format!("{origin}/robots.txt");
    let redirects = known.redirects().iter();
    let status = match known.outcome().map(LoggedOutcome::cause) {
        Some(Cause::Status(status) | Cause::NoBody(status)) => Some(status),
        _ => None,
    };
    let fault = match (known.fault(), known.unanswered()) {
        (Some(fault), _) => Some(fault_text(fault)),
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
