//! The verdict on a URL whose site has no rules.

use super::reading::Reading;
use robots_policy::Profile;
use robots_policy::origins::requested_target;
use robots_policy::robots::RobotsState;
use robots_txt::Reason;
use serde::Serialize;

/// The verdict on a URL whose site has no rules (robots.txt is missing, unreachable or unknown). `robots check --help` describes the keys.
#[derive(Debug, Serialize)]
pub struct OutcomeAnswer<'a> {
    url: &'a str,
    agent: &'a str,
    dialect: &'static str,
    /// The profile, if the reading has one.
    profile: Option<&'a str>,
    allowed: bool,
    reason: &'static str,
    cause: String,
    /// The name of the fault.
    fault: Option<&'static str>,
    fault_text: Option<&'a str>,
}

impl<'a> OutcomeAnswer<'a> {
    /// Returns the verdict on a URL for a robot under a reading, by the state of robots.txt. `fault` is the name of the fault of
    /// the request and its text, if it had no response. `None` if there are rules, which decide.
    pub fn new<R>(
        url: &'a str,
        agent: &'a str,
        reading: &'a Reading,
        state: &RobotsState<R>,
        fault: Option<(&'static str, &'a str)>,
    ) -> Option<Self> {
        let (allowed, reason, cause) = match state {
            RobotsState::Rules(_) => return None,
            RobotsState::AllowAll(cause) => (true, "robots_txt_absent", cause.to_string()),
            RobotsState::DenyAll(cause) | RobotsState::Defer(cause) => {
                (false, "robots_txt_unreachable", cause.to_string())
            }
            RobotsState::Unknown(cause) => (false, "robots_txt_unknown", cause.to_string()),
            // A state that this crate does not know is a reason not to fetch.
            _ => (false, "robots_txt_unknown", "not known".to_owned()),
        };
        // Otherwise, no robot could ask for the file again.
        let is_itself = || reading.dialect.allows_itself(requested_target(url).path());
        let (allowed, reason) = if !allowed && is_itself() {
            (true, Reason::OwnPath.name())
        } else {
            (allowed, reason)
        };
        let (fault, fault_text) = fault.unzip();
        Some(Self {
            url,
            agent,
            dialect: reading.dialect.name(),
            profile: reading.profile.as_ref().map(Profile::name),
            allowed,
            reason,
            cause,
            fault,
            fault_text,
        })
    }

    /// Returns whether the URL may be fetched.
    pub fn is_allowed(&self) -> bool {
        self.allowed
    }

    /// Returns the explanation: the response or the failure, and what counts in its place.
    pub fn explanation(&self) -> String {
        if self.reason == Reason::OwnPath.name() {
            format!("{}; {}", self.cause, Reason::OwnPath)
        } else {
            self.cause.clone()
        }
    }
}
