//! A robots.txt by which URLs are checked: a file, or the response of a site.

use super::reading::{checked_robots, used_readings};
use super::{warn_of_errors, warn_of_truncation};
use crate::args::Check as Args;
use robots_answers::check::{CheckedFile, Reading, UrlVerdict};
use robots_crawl::{FetchFault, Fetched};
use robots_pipeline::text::with_causes;
use robots_policy::Profile;
use robots_policy::robots::OutcomeLog;
use robots_txt::{RobotsTxt, Target};
use std::convert::Infallible;

/// A robots.txt with its name.
pub(super) struct CheckedSite<'a> {
    pub(super) name: String,
    pub(super) file: CheckedFile<'a>,
}

impl<'a> CheckedSite<'a> {
    /// Compiles a file. Warns of its errors.
    pub(super) fn of_file(
        name: String,
        robots: RobotsTxt,
        args: &'a Args,
        readings: &'a [Reading],
    ) -> Self {
        let file = CheckedFile::new(robots, checked_robots(args), readings);
        for reading in used_readings(&file) {
            warn_of_truncation(&name, file.robots(), &reading.dialect);
        }
        warn_of_errors(&name, file.robots(), file.rules());
        Self { name, file }
    }

    /// Compiles the robots.txt of a response. Warns of its errors.
    pub(super) fn of_response(
        fetched: &Fetched,
        url: &str,
        args: &'a Args,
        readings: &'a [Reading],
    ) -> Self {
        let robots = RobotsTxt::parse(fetched.body()).with_url(url);
        let Self { name, file } = Self::of_file(fetched.url().to_owned(), robots, args, readings);
        let mut log = OutcomeLog::new();
        log.record(&fetched.as_fetch(), None, |_| Some(()));
        let state = |profile: &Profile| log.state(profile.outcomes(), None, None).map(|_| ());
        let fault = fetched.fault();
        let fault = fault.map(|fault| (FetchFault::name(fault), with_causes(fault)));
        let file = file.with_outcome(state, fault);
        Self { name, file }
    }

    /// Returns the verdicts on a URL, for every robot under every reading, and the file.
    pub(super) fn verdicts(
        &mut self,
        url: &str,
        target: &Target<'_>,
    ) -> (&RobotsTxt, Vec<UrlVerdict<'_>>) {
        self.file.set_site_of(url);
        let Ok(verdicts) = self.file.verdicts(target, || Ok::<_, Infallible>(()));
        (self.file.robots(), verdicts)
    }

    /// Returns the robot, if there is one under one reading.
    pub(super) fn one_robot(&self) -> Option<String> {
        match self.file.rules() {
            [rules] => Some(rules.agent.name().to_owned()),
            _ => None,
        }
    }
}
