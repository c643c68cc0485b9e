//! Requests for files in which owners state terms: tdmrep.json, and licences of RSL.

use super::robots_request::RobotsRequest;
use super::{FetchFault, Fetched, Fetcher};
use crate::next_request::Validators;
use robots_policy::limits::{MAX_RSL_BYTES, MAX_TDMREP_BYTES};
use robots_policy::origins::Origin;
use robots_policy::robots::OutcomeLog;
use robots_policy::site::{Rsl, Tdmrep};
use url::Url;

impl Fetcher {
    /// Requests the tdmrep.json of an origin, as [`fetch`](Self::fetch) requests a robots.txt. Returns `None` if it does not exist. One that was refused,
    /// or could not be requested or read, is [unreadable](Tdmrep::unreadable).
    pub async fn fetch_tdmrep(&self, origin: &Origin) -> Option<Tdmrep> {
        let tdmrep = self.tdmrep(origin).await;
        tdmrep.unwrap_or_else(|fault| Some(Tdmrep::unreadable(&fault.to_string())))
    }

    /// Requests the tdmrep.json of an origin. The error is a fault that says nothing about the site: the request had no turn, or its host
    /// cannot be asked.
    pub(crate) async fn tdmrep(&self, origin: &Origin) -> Result<Option<Tdmrep>, FetchFault> {
        let url = Url::parse(&origin.robots_url()).and_then(|url| url.join(Tdmrep::PATH));
        let url = url.map_err(|_| origin.robots_url());
        let fetched = self.fetch_terms(url, MAX_TDMREP_BYTES).await;
        let has_no_turn = |fault: &&FetchFault| **fault == FetchFault::NoTurn;
        let fault = fetched.fault().filter(has_no_turn);
        if let Some(fault) = fault.or(fetched.host_fault()) {
            return Err(fault.clone());
        }
        Ok(match terms(&fetched, "tdmrep.json") {
            None => None,
            Some(Ok(body)) => Tdmrep::of_response(body),
            Some(Err(cause)) => Some(Tdmrep::unreadable(&cause)),
        })
    }

    /// Requests a licence of RSL, as [`fetch`](Self::fetch) requests a robots.txt. Returns `None` if it does not exist. One that was refused or could
    /// not be read is [unreadable](Rsl::unreadable).
    pub async fn fetch_license(&self, url: &Url) -> Option<Rsl> {
        let fetched = self.fetch_terms(Ok(url.clone()), MAX_RSL_BYTES).await;
        Some(match terms(&fetched, "the licence")? {
            Ok(body) => Rsl::read(body),
            Err(cause) => Rsl::unreadable(&cause),
        })
    }

    /// Requests a file of up to this number of bytes. The error is the text of a URL that is not valid.
    async fn fetch_terms(&self, url: Result<Url, String>, most: usize) -> Fetched {
        let validators = Validators::default();
        RobotsRequest::new(self, url, &validators, most).run().await
    }
}

/// Returns the body of a response, or why it is not known; `None` if it does not exist.
fn terms<'f>(fetched: &'f Fetched, name: &str) -> Option<Result<&'f [u8], String>> {
    let mut log = OutcomeLog::default();
    log.record(&fetched.as_fetch(), None, |_| Some(()));
    Some(match log.archived_terms(None)? {
        Ok(_) if fetched.is_cut() => Err(format!("{name} is too long")),
        Ok(_) => Ok(fetched.body()),
        Err(cause) => Err(cause.about(name)),
    })
}
