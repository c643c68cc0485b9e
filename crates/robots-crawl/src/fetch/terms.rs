//! Requests for files in which owners state terms: tdmrep.json, and licences of RSL.

use super::robots_request::RobotsRequest;
use super::{Fetched, Fetcher};
use crate::next_request::Validators;
use robots_policy::origins::Origin;
use robots_policy::robots::OutcomeLog;
use robots_policy::site::{Rsl, Tdmrep};
use url::Url;

impl Fetcher {
    /// Requests the tdmrep.json of an origin, as [`fetch`](Self::fetch) requests a robots.txt. Returns `None` if it does not exist. One that was refused
    /// or could not be read is [unreadable](Tdmrep::unreadable).
    pub async fn fetch_tdmrep(&self, origin: &Origin) -> Option<Tdmrep> {
        let url = Url::parse(&origin.robots_url()).and_then(|url| url.join(Tdmrep::PATH));
        let fetched = self.fetch_terms(url.ok()).await;
        match terms(&fetched, "tdmrep.json")? {
            Ok(body) => Tdmrep::of_response(body),
            Err(cause) => Some(Tdmrep::unreadable(&cause)),
        }
    }

    /// Requests a licence of RSL, as [`fetch`](Self::fetch) requests a robots.txt. Returns `None` if it does not exist. One that was refused or could
    /// not be read is [unreadable](Rsl::unreadable).
    pub async fn fetch_license(&self, url: &Url) -> Option<Rsl> {
        let fetched = self.fetch_terms(Some(url.clone())).await;
        Some(match terms(&fetched, "the licence")? {
            Ok(body) => Rsl::read(body),
            Err(cause) => Rsl::unreadable(&cause),
        })
    }

    async fn fetch_terms(&self, url: Option<Url>) -> Fetched {
        let url = url.ok_or_else(String::new);
        let validators = Validators::default();
        RobotsRequest::new(&self.shared, self.turn_limits, url, &validators)
            .run()
            .await
    }
}

/// Returns the body of a response, or why it is not known; `None` if it does not exist.
fn terms<'f>(fetched: &'f Fetched, name: &str) -> Option<Result<&'f [u8], String>> {
    let mut log = OutcomeLog::default();
    log.record(&fetched.as_fetch(), None, |_| Some(()));
    Some(match log.archived_terms(None)? {
        Ok(_) if fetched.is_cut() => Err(format!("{name} is too long")),
        Ok(_) => Ok(fetched.body()),
        // Causes name the file that they are usually about.
        Err(cause) => Err(cause.to_string().replace("robots.txt", name)),
    })
}
