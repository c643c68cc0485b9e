//! The state of an origin's robots.txt at one time.

use super::outcome::Cause;
use std::convert::Infallible;

/// The state of an origin's robots.txt at a time. `R` is what is known of the file: rules compiled for one robot, a body, or a
/// reference to either.
///
/// The [`OutcomeTable`](super::OutcomeTable) determines the state by the [`OutcomeMeaning`](super::OutcomeMeaning) of the
/// last outcome. While requests fail, it determines it by the time since the first of them
/// ([`FailureState`](super::FailureState)).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum RobotsState<R> {
    /// There are rules.
    Rules(R),
    /// Everything may be fetched.
    AllowAll(Cause),
    /// Nothing may be fetched.
    DenyAll(Cause),
    /// Nothing may be fetched now; request robots.txt again.
    Defer(Cause),
    /// The rules are not known, or out of date.
    Unknown(Cause),
}

impl<R> RobotsState<R> {
    /// Returns whether robots.txt is known.
    pub fn is_known(&self) -> bool {
        !matches!(self, Self::Unknown(_))
    }

    /// Returns the same state with another form of its rules.
    pub fn map<T>(self, map: impl FnOnce(R) -> T) -> RobotsState<T> {
        let Ok(state) = self.try_map(|rules| Ok::<_, Infallible>(map(rules)));
        state
    }

    /// Returns the same state with another form of its rules.
    ///
    /// # Errors
    ///
    /// Those of `map`, which is called if there are rules.
    pub fn try_map<T, E>(self, map: impl FnOnce(R) -> Result<T, E>) -> Result<RobotsState<T>, E> {
        Ok(match self {
            Self::Rules(rules) => RobotsState::Rules(map(rules)?),
            Self::AllowAll(cause) => RobotsState::AllowAll(cause),
            Self::DenyAll(cause) => RobotsState::DenyAll(cause),
            Self::Defer(cause) => RobotsState::Defer(cause),
            Self::Unknown(cause) => RobotsState::Unknown(cause),
        })
    }
}
