//! The state of an origin's robots.txt for one robot, at one time.
//!
//! [`RobotsState`] owns its rules; a [`HistoryState`] borrows the copy of a [`History`](crate::robots::History), or has none. In both, the
//! [`OutcomeTable`](crate::robots::OutcomeTable) determines the state by the
//! [`OutcomeMeaning`](crate::robots::OutcomeMeaning) of the last outcome. While requests fail, the table determines it by
//! the time since the first of them ([`FailureState`](crate::robots::FailureState)).

use super::rules::SiteRules;
use crate::robots::{Cause, HistoryState};

/// The state of an origin's robots.txt, for one robot.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum RobotsState {
    /// There are rules.
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
    /// Returns the state of a history. `compile` returns the rules of its copy.
    pub fn compiled<R>(state: &HistoryState<'_, R>, compile: impl FnOnce(&R) -> SiteRules) -> Self {
        match *state {
            HistoryState::Rules(copy) => Self::Rules(compile(copy)),
            HistoryState::AllowAll(cause) => Self::AllowAll(cause),
            HistoryState::DenyAll(cause) => Self::DenyAll(cause),
            HistoryState::Defer(cause) => Self::Defer(cause),
            HistoryState::Unknown(cause) => Self::Unknown(cause),
        }
    }

    /// Returns whether robots.txt is known.
    pub fn is_known(&self) -> bool {
        !matches!(self, Self::Unknown(_))
    }
}

impl From<HistoryState<'_, SiteRules>> for RobotsState {
    fn from(state: HistoryState<'_, SiteRules>) -> Self {
        Self::compiled(&state, SiteRules::clone)
    }
}

impl<'s> From<&'s RobotsState> for HistoryState<'s, SiteRules> {
    fn from(state: &'s RobotsState) -> Self {
        match state {
            RobotsState::Rules(rules) => Self::Rules(rules),
            RobotsState::AllowAll(cause) => Self::AllowAll(*cause),
            RobotsState::DenyAll(cause) => Self::DenyAll(*cause),
            RobotsState::Defer(cause) => Self::Defer(*cause),
            RobotsState::Unknown(cause) => Self::Unknown(*cause),
        }
    }
}
