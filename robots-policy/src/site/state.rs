//! What an origin's robots.txt means for one robot, at one moment.

use super::rules::SiteRules;
use crate::robots::{Cause, State};

/// What is known of an origin's robots.txt, for one robot.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum Robots {
    /// There are rules.
    Rules(SiteRules),
    /// Everything may be fetched.
    AllowAll(Cause),
    /// Nothing may be fetched.
    DenyAll(Cause),
    /// Nothing may be fetched now; the answer will come later.
    Defer(Cause),
    /// Nothing is known.
    Unknown(Cause),
}

impl Robots {
    /// Whether anything is known.
    pub fn is_known(&self) -> bool {
        !matches!(self, Self::Unknown(_))
    }
}

impl From<State<'_, SiteRules>> for Robots {
    fn from(state: State<'_, SiteRules>) -> Self {
        match state {
            State::Rules(rules) => Self::Rules(rules.clone()),
            State::AllowAll(cause) => Self::AllowAll(cause),
            State::DenyAll(cause) => Self::DenyAll(cause),
            State::Defer(cause) => Self::Defer(cause),
            State::Unknown(cause) => Self::Unknown(cause),
        }
    }
}
