//! How much of a site is disallowed to a robot.

use super::reading::AgentRules;
use robots_policy::Profile;
use robots_txt::analysis::Summary;
use serde::Serialize;

/// How much of a site is disallowed to a robot. `robots check --help` describes the keys.
#[derive(Debug, Serialize)]
pub struct RestrictionAnswer<'a> {
    agent: &'a str,
    dialect: &'static str,
    profile: Option<&'a str>,
    disallowed: &'static str,
    allowed_path: Option<&'a str>,
    disallowed_path: Option<&'a str>,
}

impl<'a> RestrictionAnswer<'a> {
    /// Returns the answer for a robot. The summary is that of its rules, or of rules that it shares.
    pub fn new(rules: &'a AgentRules<'_>, summary: &'a Summary) -> Self {
        Self {
            agent: rules.agent.name(),
            dialect: rules.reading.dialect.name(),
            profile: rules.reading.profile.as_ref().map(Profile::name),
            disallowed: summary.restriction().name(),
            allowed_path: summary.allowed(),
            disallowed_path: summary.disallowed(),
        }
    }
}
