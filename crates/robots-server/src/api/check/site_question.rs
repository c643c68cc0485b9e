//! The verdicts on URLs by the robots.txt of their sites.

use super::check_robots;
use super::readings::Readings;
use super::sites::Sites;
use crate::api::work::{Answer, Cancelled};
use crate::policies::neutral;
use crate::problem::Problem;
use crate::site::fault_text;
use crate::state::{AppState, Held};
use robots_answers::check::{
    CheckedFile, CheckedRobots, OutcomeAnswer, Reading, url_verdict_answer,
};
use robots_crawl::FetchFault;
use robots_crawl::known::Known;
use robots_meta::Timestamp;
use robots_policy::origins::{Origin, requested_target};
use robots_policy::robots::RobotsState;
use robots_txt::RobotsTxt;
use std::sync::Arc;

/// A question about URLs by the robots.txt of their sites.
pub(super) struct SiteQuestion<'q> {
    pub(super) asked: &'q CheckedRobots<'static>,
    /// The robots that are named, whether all are meant, and whether each obeys its own name alone.
    pub(super) key: (&'q [String], bool, bool),
    pub(super) readings: &'q Readings,
    pub(super) now: Timestamp,
    pub(super) state: &'q AppState,
}

/// The robots.txt of the site of the last URL.
struct LastSite<'q> {
    origin: &'q Origin,
    checked: Arc<CheckedFile<'q>>,
    /// The state for each robot under each reading. Whether there are rules depends only on the profile.
    states: Vec<RobotsState<()>>,
}

impl<'q> SiteQuestion<'q> {
    /// Writes the verdicts on URLs.
    pub(super) fn answer(
        &self,
        urls: &[String],
        sites: &'q Sites,
        held: Held,
        cancelled: &Cancelled,
    ) -> Result<Answer, Problem> {
        let mut answer = Answer::array(held);
        let mut last: Option<LastSite<'_>> = None;
        for (url, (origin, known)) in urls.iter().zip(sites.of_urls()) {
            let site = match last.take().filter(|last| last.origin == origin) {
                Some(site) => site,
                None => self.site(origin, known)?,
            };
            // It was parsed for its origin: it is valid.
            let target = requested_target(url);
            cancelled.check()?;
            let fault_text = known.fault().map(fault_text);
            let fault = known.fault().map(FetchFault::name);
            let fault = fault.zip(fault_text.as_deref());
            let verdicts = site.checked.verdicts(&target, || cancelled.check())?;
            for (verdict, state) in verdicts.iter().zip(&site.states) {
                cancelled.check()?;
                let (reading, agent) = (verdict.rules.reading, &verdict.rules.agent);
                match OutcomeAnswer::new(url, agent.name(), reading, state, fault) {
                    Some(outcome) => answer.push(&outcome)?,
                    None => answer.push(&url_verdict_answer(url, verdict, &target))?,
                }
            }
            last = Some(site);
        }
        Ok(answer.end())
    }

    /// Returns a site with its compiled file.
    fn site(&self, origin: &'q Origin, known: &Known) -> Result<LastSite<'q>, Problem> {
        let checked = self.checked(origin, known)?;
        let mut states: Vec<RobotsState<()>> = Vec::with_capacity(checked.rules().len());
        let mut last: Option<&Reading> = None;
        for rules in checked.rules() {
            let is_same = last.is_some_and(|last| std::ptr::eq(last, rules.reading));
            let state = states.last().filter(|_| is_same).copied();
            states.push(state.unwrap_or_else(|| {
                let profile = rules.reading.profile.as_ref();
                let profile = profile.unwrap_or_else(|| neutral());
                known.outcome_state(profile.outcomes(), self.now)
            }));
            last = Some(rules.reading);
        }
        Ok(LastSite {
            origin,
            checked,
            states,
        })
    }

    /// Returns the compiled file of a site, which is kept for other questions about the same robots and readings.
    fn checked(&self, origin: &Origin, known: &Known) -> Result<Arc<CheckedFile<'q>>, Problem> {
        let url = self.readings.depend_on_url().then(|| origin.robots_url());
        let Some(kept) = &self.readings.kept else {
            let readings: Vec<&Reading> = self.readings.all().collect();
            return Ok(Arc::new(self.compiled(known, &readings, url.as_deref())?));
        };
        let names = kept.iter();
        let names: Vec<_> = names
            .map(|reading| (reading.name(), reading.profile.is_some()))
            .collect();
        let key = format!("{:?}", (known.body_digest(), &url, self.key, names));
        self.state
            .checked_files
            .get(&key, || self.compiled(known, kept, url.as_deref()))
    }

    /// Compiles the file of a site, which has this URL if a reading depends on it.
    fn compiled<'r>(
        &self,
        known: &Known,
        readings: &[&'r Reading],
        url: Option<&str>,
    ) -> Result<CheckedFile<'r>, Problem> {
        let file = RobotsTxt::parse(known.body().unwrap_or_default());
        check_robots(self.asked, &file, readings, self.state)?;
        let mut checked = CheckedFile::new(file, self.asked.clone(), readings.iter().copied());
        if let Some(url) = url {
            checked.set_site_of(url);
        }
        Ok(checked)
    }
}
