//! The methods of a policy that record, read and forget the facts about origins.

use super::Policy;
use crate::input::{Origin, UrlError};
use crate::origins::OriginChange;
use crate::robots::{OutcomeLog, RobotsFetch, RobotsState};
use crate::site::{SiteRules, Tdmrep};
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

    /// Records an outcome in a log that the caller keeps. Bodies that have no rules under the profile's table are left out.
    pub fn record(
        &self,
        log: &mut OutcomeLog<SiteRules>,
        fetch: RobotsFetch<'_>,
        at: Option<Timestamp>,
    ) {
        let reads = self.profile.outcomes.reads(&fetch);
        log.record(&fetch, at, |body| reads.then(|| self.compile(body)));
    }

    /// Returns the state of a log, which the caller keeps, at the time `now`. See [`OutcomeLog::state`].
    pub fn state(
        &self,
        log: &OutcomeLog<SiteRules>,
        now: Option<Timestamp>,
        site_is_available: Option<bool>,
    ) -> RobotsState<SiteRules> {
        log.state(&self.profile.outcomes, now, site_is_available)
            .map(|rules| self.rules_of(rules))
    }

    /// Returns the state of a log at the time when an archive captured a page. See [`OutcomeLog::archived_state`].
    pub fn archived_state(
        &self,
        log: &OutcomeLog<SiteRules>,
        captured: Option<Timestamp>,
    ) -> RobotsState<SiteRules> {
        log.archived_state(&self.profile.outcomes, captured)
            .map(|rules| self.rules_of(rules))
    }

    /// Returns the rules of a logged outcome; those of an empty file if it has none.
    fn rules_of(&self, rules: Option<&SiteRules>) -> SiteRules {
        rules.cloned().unwrap_or_else(|| self.compile(b""))
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

    /// Returns the time from which the robots.txt of an origin should be requested again ([`OutcomeLog::ask_again_at`]).
    /// `None` if the origin or the time is unknown.
    ///
    /// # Errors
    ///
    /// If the URL has no origin.
    pub fn ask_again_at(&self, url: &str) -> Result<Option<Timestamp>, UrlError> {
        let origin = Origin::of(url)?.to_string();
        let known = self.origins.get(&origin, self);
        Ok(known.and_then(|known| known.outcomes().ask_again_at(&self.profile.outcomes)))
    }
}
