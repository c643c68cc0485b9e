//! The methods of a policy that record, read and forget the facts about origins.

use super::Policy;
use crate::input::UrlError;
use crate::robots::{OutcomeLog, RobotsFetch, RobotsState};
use crate::site::{SiteRules, Tdmrep};
use robots_meta::Timestamp;

impl Policy {
    /// Returns the number of known origins in memory.
    pub fn known_origins(&self) -> usize {
        self.origins.len()
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
        self.origins
            .learn(url, &fetch, None, || self.rules_in(&fetch))
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
        self.origins
            .learn(url, &fetch, Some(at), || self.rules_in(&fetch))
    }

    /// Returns the rules of an outcome whose body has rules under the profile's table.
    pub(super) fn rules_in(&self, fetch: &RobotsFetch<'_>) -> Option<SiteRules> {
        let response = fetch.response();
        let response = response.filter(|_| self.profile.outcomes.reads(fetch))?;
        Some(self.compile(response.body()))
    }

    /// Records the tdmrep.json of an origin; `url` is any URL of the origin.
    ///
    /// # Errors
    ///
    /// If the URL has no origin.
    pub fn learn_tdmrep(&self, url: &str, tdmrep: Tdmrep) -> Result<(), UrlError> {
        self.origins.learn_tdmrep(url, tdmrep)
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
    pub(crate) fn rules_of(&self, rules: Option<&SiteRules>) -> SiteRules {
        rules.cloned().unwrap_or_else(|| self.compile(b""))
    }

    /// Forgets an origin; `url` is any URL of the origin.
    ///
    /// # Errors
    ///
    /// If the URL has no origin.
    pub fn forget(&self, url: &str) -> Result<(), UrlError> {
        self.origins.forget(url)
    }

    /// Returns the last second in which the robots.txt of an origin is fresh ([`OutcomeLog::ask_again_at`]).
    /// `None` if the origin or the time is unknown.
    ///
    /// # Errors
    ///
    /// If the URL has no origin.
    pub fn ask_again_at(&self, url: &str) -> Result<Option<Timestamp>, UrlError> {
        let known = self.origins.get(url)?;
        Ok(known.and_then(|known| known.outcomes.ask_again_at(&self.profile.outcomes)))
    }
}

#[cfg(test)]
mod tests {
    use crate::{Fetch, Page, Policy, RobotsFetch};
    use robots_txt::Dialect;

    #[test]
    fn a_full_store_forgets_and_does_not_grow() {
        let policy = Policy::new("a").unwrap().with_store_limit(100_000);
        let body = format!("User-agent: *\nDisallow: /x\n#{}", "x".repeat(500));
        for site in 0..2_000 {
            let url = format!("https://s{site}.example/x");
            policy
                .learn(&url, RobotsFetch::Body(body.as_bytes()))
                .unwrap();
        }
        let kept = policy.known_origins();
        // Each file has more than 500 bytes, so at most 200 fit. The cache may keep fewer.
        assert!((20..=200).contains(&kept), "{kept}");
        let found = (0..2_000)
            .filter(|site| {
                let url = format!("https://s{site}.example/x");
                match policy.decide_page(&Page::new(&url)).fetch {
                    Fetch::Disallow => true,
                    Fetch::Unknown => false,
                    other => panic!("{other}"),
                }
            })
            .count();
        assert_eq!(found, kept);
    }

    #[test]
    fn a_dialect_is_that_of_crawlers() {
        let profile = crate::Profile::duckduckgo();
        let policy = Policy::under(&profile, "DuckDuckBot").unwrap();
        let same = policy.with_dialect(Dialect::WWW_ROBOT_RULES);
        assert_eq!(same.profile(), &profile);
        let google = same.with_dialect(Dialect::GOOGLE);
        assert_eq!(google.profile().name(), "duckduckgo (google)");
        assert!(google.profile().dialect().allows_itself(b"/robots.txt"));
    }

    #[test]
    fn equal_files_are_read_in_each_dialect() {
        let body = b"User-agent: *\nDisallow: /a\nAllow: /a/b";
        let policy = Policy::new("a").unwrap();
        policy
            .learn("https://a.example/", RobotsFetch::Body(body))
            .unwrap();
        let policy = policy.with_dialect(Dialect::KOSTER_1996);
        policy
            .learn("https://b.example/", RobotsFetch::Body(body))
            .unwrap();
        let fetch = |url| policy.decide_page(&Page::new(url)).fetch;
        assert_eq!(fetch("https://a.example/a/b"), Fetch::Allow);
        assert_eq!(fetch("https://b.example/a/b"), Fetch::Disallow);
        policy.forget("https://b.example/").unwrap();
        assert_eq!(fetch("https://b.example/a/b"), Fetch::Unknown);
    }
}
