//! What counts for URLs whose site has no rules.

use super::reading::AgentRules;
use robots_policy::Profile;
use robots_policy::robots::RobotsState;
use robots_txt::{Reason, Target};

/// The outcome of the request for a robots.txt, for each robot under each reading.
#[derive(Debug)]
pub(super) struct Outcomes {
    /// In the order of the rules. Whether there are rules depends only on the profile.
    states: Vec<RobotsState<()>>,
    /// The name and the text of the fault, if the request had no response.
    fault: Option<(&'static str, String)>,
}

impl Outcomes {
    /// Returns the outcomes, by a function that returns the state of robots.txt under a profile.
    pub(super) fn new(
        rules: &[AgentRules<'_>],
        state: impl Fn(&Profile) -> RobotsState<()>,
        fault: Option<(&'static str, String)>,
    ) -> Self {
        let neutral = Profile::neutral();
        let profiles = rules.iter().map(|rules| rules.reading.profile.as_ref());
        let states = profiles.map(|profile| state(profile.unwrap_or(&neutral)));
        Self {
            states: states.collect(),
            fault,
        }
    }

    /// Returns what counts for a target in place of the rules at an index; `None` if these count.
    pub(super) fn of<'a>(
        &'a self,
        index: usize,
        rules: &AgentRules<'_>,
        target: &Target<'_>,
    ) -> Option<Outcome<'a>> {
        let (is_allowed, reason, cause) = match self.states.get(index)? {
            RobotsState::Rules(()) => return None,
            RobotsState::AllowAll(cause) => (true, "robots_txt_absent", cause.to_string()),
            RobotsState::DenyAll(cause) | RobotsState::Defer(cause) => {
                (false, "robots_txt_unreachable", cause.to_string())
            }
            RobotsState::Unknown(cause) => (false, "robots_txt_unknown", cause.to_string()),
            // A state that this crate does not know is a reason not to fetch.
            _ => (false, "robots_txt_unknown", "not known".to_owned()),
        };
        // Otherwise, no robot could ask for the file again.
        let is_itself = !is_allowed && rules.reading.dialect.allows_itself(target.path());
        let fault = self.fault.as_ref();
        Some(Outcome {
            is_allowed: is_allowed || is_itself,
            reason: if is_itself {
                Reason::OwnPath.name()
            } else {
                reason
            },
            cause,
            fault: fault.map(|(name, text)| (*name, text.as_str())),
        })
    }
}

/// What counts for a URL whose site has no rules (robots.txt is missing, unreachable or unknown).
#[derive(Debug)]
pub(super) struct Outcome<'a> {
    pub(super) is_allowed: bool,
    pub(super) reason: &'static str,
    pub(super) cause: String,
    /// The name and the text of the fault.
    pub(super) fault: Option<(&'static str, &'a str)>,
}

impl Outcome<'_> {
    /// Returns the explanation: the response or the failure, and what counts in its place.
    pub(super) fn explanation(&self) -> String {
        if self.reason == Reason::OwnPath.name() {
            format!("{}; {}", self.cause, Reason::OwnPath)
        } else {
            self.cause.clone()
        }
    }
}
