//! The methods of a policy that record, read and forget the facts about origins.

use super::Policy;
use crate::input::{Origin, UrlError};
use crate::origins::OriginChange;
use crate::robots::{Cause, History, RobotsFetch};
use crate::site::{RobotsState, SiteRules, Tdmrep};
use robots_meta::Timestamp;

impl Policy {
    /// Returns the number of known origins in memory.
    pub fn known_origins(&self) -> usize {
        self.origins.known_origins()
    }

    /// Records the outcome of a request for an origin's robots.txt; `url` is any URL of the origin. Without a time, the
    /// outcome never becomes stale.
    ///
    /// After redirects, pass the origin of the first request: the last response is its robots.txt
    /// (RFC 9309, 2.3.1.2). Status 304 confirms the known state.
    ///
    /// # Errors
    ///
    /// If the URL has no origin.
    pub fn learn(&self, url: &str, fetch: RobotsFetch<'_>) -> Result<(), UrlError> {
        self.change(url, &OriginChange::Robots { fetch, at: None })
    }

    /// Records the outcome of a request for an origin's robots.txt, with its time. For a page with a time
    /// ([`Page::at`](crate::Page::at)), the profile's table decides when it is stale and how long a failure
    /// lasts.
    ///
    /// ```
    /// use robots_policy::robots_meta::Timestamp;
    /// use robots_policy::{Fetch, Page, Policy, Profile, RobotsFetch};
    ///
    /// let google = Policy::under(&Profile::google(), "Googlebot")?;
    /// let (url, hour) = ("https://example.com/x", 3600);
    /// let at = Timestamp::from_seconds;
    /// google.learn_at(url, RobotsFetch::Status(503), at(0))?;
    /// let fetch = |time| google.decide_page(&Page::new(url).at(time)).fetch;
    /// assert_eq!(fetch(at(11 * hour)), Fetch::Defer);
    /// assert_eq!(fetch(at(13 * hour)), Fetch::Allow);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// If the URL has no origin.
    pub fn learn_at(
        &self,
        url: &str,
        fetch: RobotsFetch<'_>,
        at: Timestamp,
    ) -> Result<(), UrlError> {
        let at = Some(at);
        self.change(url, &OriginChange::Robots { fetch, at })
    }

    fn change(&self, url: &str, change: &OriginChange<'_>) -> Result<(), UrlError> {
        self.origins.change(&Origin::of(url)?, change, self);
        Ok(())
    }

    /// Records the tdmrep.json of an origin; `url` is any URL of the origin.
    ///
    /// # Errors
    ///
    /// If the URL has no origin.
    pub fn learn_tdmrep(&self, url: &str, tdmrep: Tdmrep) -> Result<(), UrlError> {
        self.change(url, &OriginChange::Tdmrep(tdmrep))
    }

    /// Records an outcome in a history that the caller keeps, by the profile's table.
    pub fn record(
        &self,
        history: &mut History<SiteRules>,
        fetch: RobotsFetch<'_>,
        at: Option<Timestamp>,
    ) {
        history.record(&self.profile.outcomes, &fetch, at, |body| {
            self.compile(body)
        });
    }

    /// Returns the state that a history, which the caller keeps, has at the time `now`. See [`History::state`].
    pub fn state(
        &self,
        history: &History<SiteRules>,
        now: Option<Timestamp>,
        site_is_available: Option<bool>,
    ) -> RobotsState {
        history
            .state(&self.profile.outcomes, now, site_is_available)
            .into()
    }

    /// Returns the state of a history at the time when an archive captured a page. Unlike in [`state`](Self::state), the
    /// last outcome is never stale, as the archive has no newer one.
    pub fn archived_state(
        &self,
        history: &History<SiteRules>,
        captured: Option<Timestamp>,
    ) -> RobotsState {
        match self.state(history, captured, None) {
            RobotsState::Unknown(Cause::Stale) => self.state(history, None, None),
            robots => robots,
        }
    }

    /// Forgets an origin, in memory and on disk; `url` is any URL of the origin.
    ///
    /// # Errors
    ///
    /// If the URL has no origin.
    pub fn forget(&self, url: &str) -> Result<(), UrlError> {
        self.origins.forget(&Origin::of(url)?);
        Ok(())
    }

    /// Returns the time from which the robots.txt of an origin should be requested again ([`History::ask_again_at`]).
    /// `None` if the origin or the time is unknown.
    ///
    /// # Errors
    ///
    /// If the URL has no origin.
    pub fn ask_again_at(&self, url: &str) -> Result<Option<Timestamp>, UrlError> {
        let origin = Origin::of(url)?.to_string();
        let known = self.origins.get(&origin, self);
        Ok(known.and_then(|known| known.history().ask_again_at(&self.profile.outcomes)))
    }
}
