//! The robots.txt files of the rows of a batch.

use super::row::{Row, RowRobots};
use robots_meta::Timestamp;
use robots_policy::origins::Origin;
use robots_policy::robots::{Cause, OutcomeLog, RobotsResponse, RobotsState};
use robots_policy::site::SiteRules;
use robots_policy::{Page, Policies, RobotsFetch};
use std::collections::HashMap;
use std::rc::Rc;

/// The compiled robots.txt files of a batch. Policies keep the rules of equal files, too, by a hash of them.
#[derive(Debug)]
pub(super) struct RobotsFiles<'p, 'b> {
    policies: &'p Policies,
    /// The last file of each origin, with its rules for each policy. Comparing files is cheaper than a hash.
    last: HashMap<&'b str, (&'b [u8], Rc<[SiteRules]>)>,
}

impl<'p, 'b> RobotsFiles<'p, 'b> {
    pub(super) fn new(policies: &'p Policies) -> Self {
        Self {
            policies,
            last: HashMap::new(),
        }
    }

    /// Returns the state of the robots.txt that a row states, for each policy.
    pub(super) fn states(
        &mut self,
        row: &Row<'b>,
        robots: &RowRobots<'b>,
        page: &Page<'_>,
        now: Option<Timestamp>,
    ) -> Vec<RobotsState<SiteRules>> {
        let policies = self.policies.iter();
        let origin = Origin::as_written(row.url);
        if origin.is_none() && Origin::of(row.url).is_err() {
            return policies
                .map(|_| RobotsState::Unknown(Cause::NoOrigin))
                .collect();
        }
        let rules = robots.body.map(|body| self.rules(origin, body));
        let states = policies.enumerate().map(|(at, policy)| {
            let rules = rules.as_ref().and_then(|rules| rules.get(at));
            let log = outcomes(robots, rules);
            // At a known time of the page's request, the state is that of an archive.
            match row.fetched_at {
                Some(_) => policy.archived_state(&log, row.fetched_at),
                None => policy.state(&log, now, page.site_is_available()),
            }
        });
        states.collect()
    }

    /// Returns the rules of a file, for each policy.
    fn rules(&mut self, origin: Option<&'b str>, body: &'b [u8]) -> Rc<[SiteRules]> {
        if let Some((last, rules)) = origin.and_then(|origin| self.last.get(origin))
            && *last == body
        {
            return Rc::clone(rules);
        }
        let rules: Rc<[SiteRules]> = self.policies.compile(body).into();
        if let Some(origin) = origin {
            self.last.insert(origin, (body, Rc::clone(&rules)));
        }
        rules
    }
}

/// Returns the outcome of the one request for the robots.txt of a site. `rules` are those of its body.
fn outcomes(robots: &RowRobots<'_>, rules: Option<&SiteRules>) -> OutcomeLog<SiteRules> {
    let fetch = match (robots.body, robots.status) {
        (Some(body), status) => {
            let response = RobotsResponse::new(status.unwrap_or(200), body);
            let content_type = robots.content_type.unwrap_or_default();
            RobotsFetch::Response(response.with_content_type(content_type))
        }
        (None, Some(status)) => RobotsFetch::Status(status),
        (None, None) => RobotsFetch::NotFetched,
    };
    let mut log = OutcomeLog::new();
    log.record(&fetch, robots.fetched_at, |_| rules.cloned());
    log
}
