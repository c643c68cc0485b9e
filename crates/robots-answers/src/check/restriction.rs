//! How much of a site is disallowed to a robot.

use super::reading::AgentRules;
use robots_policy::Profile;
use robots_txt::Rules;
use robots_txt::analysis::{Restriction, Summary};
use serde::Serialize;
use std::convert::Infallible;

/// How much of a site is disallowed to a robot. `robots check --help` describes the keys.
#[derive(Debug, Serialize)]
pub struct RestrictionAnswer<'a> {
    agent: &'a str,
    dialect: &'static str,
    profile: Option<&'a str>,
    disallowed: &'static str,
    allowed_path: Option<&'a str>,
    disallowed_path: Option<&'a str>,
    #[serde(skip)]
    restriction: Restriction,
}

impl<'a> RestrictionAnswer<'a> {
    fn new(rules: &'a AgentRules<'_>, summary: &'a Summary) -> Self {
        Self {
            agent: rules.agent.name(),
            dialect: rules.reading.dialect.name(),
            profile: rules.reading.profile.as_ref().map(Profile::name),
            disallowed: summary.restriction().name(),
            allowed_path: summary.allowed(),
            disallowed_path: summary.disallowed(),
            restriction: summary.restriction(),
        }
    }

    /// Returns how much is disallowed.
    pub fn restriction(&self) -> Restriction {
        self.restriction
    }
}

/// How much is disallowed to each of several robots. Rules that they share are examined once.
#[derive(Debug)]
pub struct Restrictions<'r> {
    all: &'r [AgentRules<'r>],
    distinct: Vec<(&'r Rules, Summary)>,
}

impl<'r> Restrictions<'r> {
    /// Examines the rules of robots.
    pub fn new(all: &'r [AgentRules<'r>]) -> Self {
        match Self::try_new(all, || Ok::<_, Infallible>(())) {
            Ok(restrictions) => restrictions,
            Err(never) => match never {},
        }
    }

    /// Examines the rules of robots, unless the caller ends the work. To examine rules is a search, which takes a while.
    ///
    /// # Errors
    ///
    /// The first error of `proceed`, which is called before each examination.
    pub fn try_new<E>(
        all: &'r [AgentRules<'r>],
        mut proceed: impl FnMut() -> Result<(), E>,
    ) -> Result<Self, E> {
        let mut distinct: Vec<(&Rules, Summary)> = Vec::new();
        for AgentRules { rules, .. } in all {
            if !distinct
                .iter()
                .any(|(known, _)| known.shares_rules_with(rules))
            {
                proceed()?;
                distinct.push((rules, rules.summary()));
            }
        }
        Ok(Self { all, distinct })
    }

    /// Returns the answer for each robot, in order.
    pub fn answers(&self) -> impl Iterator<Item = RestrictionAnswer<'_>> {
        self.all.iter().filter_map(|rules| {
            let mut distinct = self.distinct.iter();
            let (_, summary) = distinct.find(|(known, _)| known.shares_rules_with(&rules.rules))?;
            Some(RestrictionAnswer::new(rules, summary))
        })
    }
}
