//! The state of an origin's robots.txt for one robot, at one time.
//!
//! [`RobotsState`] owns its rules; a [`State`] borrows the copy of a [`History`](crate::robots::History). Both follow from an
//! [`OutcomeMeaning`](crate::robots::OutcomeMeaning) (one outcome) or a
//! [`FailureState`](crate::robots::FailureState) (a step of a failure) of the table.

use super::rules::SiteRules;
use crate::robots::{Cause, State};

/// The state of an origin's robots.txt, for one robot.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum RobotsState {
    /// Its rules.
    Rules(SiteRules),
    /// Everything may be fetched.
    AllowAll(Cause),
    /// Nothing may be fetched.
    DenyAll(Cause),
    /// Nothing may be fetched now; request robots.txt again.
    Defer(Cause),
    /// robots.txt is not known.
    Unknown(Cause),
}

impl RobotsState {
    /// Returns whether robots.txt is known.
    pub fn is_known(&self) -> bool {
        !matches!(self, Self::Unknown(_))
    }
}

impl From<State<'_, SiteRules>> for RobotsState {
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
