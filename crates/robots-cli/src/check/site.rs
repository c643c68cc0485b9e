//! A robots.txt by which URLs are checked: a file, or the response of a site.

use super::reading::{checked_robots, used_readings};
use super::verdict::Answer;
use super::{warn_of_errors, warn_of_truncation};
use crate::args::Check as Args;
use robots_answers::check::{CheckedFile, OutcomeAnswer, Reading};
use robots_crawl::{FetchFault, Fetched};
use robots_pipeline::text::with_causes;
use robots_policy::Profile;
use robots_policy::robots::{OutcomeLog, RobotsState};
use robots_txt::{RobotsTxt, Target};
use std::convert::Infallible;

/// A robots.txt with the verdicts of its rules, or what counts in their place.
pub(super) struct CheckedSite<'a> {
    pub(super) name: String,
    pub(super) file: CheckedFile<'a>,
    /// The outcome of the request; `None` for a file.
    outcome: Option<Outcome>,
}

/// The outcome of a request for robots.txt.
struct Outcome {
    /// The state of robots.txt for each robot and reading of the file, in their order.
    states: Vec<RobotsState<()>>,
    /// The name and the text of the fault.
    fault: Option<(&'static str, String)>,
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
        let outcome = None;
        Self {
            name,
            file,
            outcome,
        }
    }

    /// Compiles the robots.txt of a response. Warns of its errors.
    pub(super) fn of_response(
        fetched: &Fetched,
        url: &str,
        args: &'a Args,
        readings: &'a [Reading],
    ) -> Self {
        let robots = RobotsTxt::parse(fetched.body()).with_url(url);
        let site = Self::of_file(fetched.url().to_owned(), robots, args, readings);
        let mut log = OutcomeLog::new();
        log.record(&fetched.as_fetch(), None, |_| Some(()));
        let neutral = Profile::neutral();
        let states = site.file.rules().iter().map(|rules| {
            let profile = rules.reading.profile.as_ref().unwrap_or(&neutral);
            log.state(profile.outcomes(), None, None).map(|_| ())
        });
        let fault = fetched.fault();
        let outcome = Outcome {
            states: states.collect(),
            fault: fault.map(|fault| (FetchFault::name(fault), with_causes(fault))),
        };
        Self {
            outcome: Some(outcome),
            ..site
        }
    }

    /// Returns the answers about a URL, for every robot under every reading, and the file.
    pub(super) fn answers<'s>(
        &'s mut self,
        url: &'s str,
        target: &Target<'_>,
    ) -> (&'s RobotsTxt, Vec<Answer<'s>>) {
        self.file.set_site_of(url);
        let Ok(verdicts) = self.file.verdicts(target, || Ok::<_, Infallible>(()));
        let answers = verdicts.into_iter().enumerate().map(|(at, verdict)| {
            let outcome = self.outcome.as_ref().and_then(|outcome| {
                let rules = verdict.rules;
                let fault = outcome.fault.as_ref();
                let fault = fault.map(|(name, text)| (*name, text.as_str()));
                let state = outcome.states.get(at)?;
                OutcomeAnswer::new(url, rules.agent.name(), rules.reading, state, fault)
            });
            Answer { verdict, outcome }
        });
        (self.file.robots(), answers.collect())
    }

    /// Returns the robot, if there is one under one reading.
    pub(super) fn one_robot(&self) -> Option<String> {
        match self.file.rules() {
            [rules] => Some(rules.agent.name().to_owned()),
            _ => None,
        }
    }

    pub(super) fn has_too_many_robots(&self) -> bool {
        self.file.has_too_many_robots()
    }
}
