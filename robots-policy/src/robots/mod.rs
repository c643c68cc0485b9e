//! The outcomes of requests for robots.txt, and their meaning over time (`docs/semantics.md`,
//! section 8.1).
//!
//! An [`OutcomeLog`] has the outcomes of an origin ([`RobotsFetch`]). An [`OutcomeTable`] has the meaning of each kind of outcome
//! for an engine, from which the [`RobotsState`] at a time follows.
//!
//! "Unknown" is a state of its own: a robots.txt that was never requested does not allow everything.

mod history;
mod logged_outcome;
mod outcome;
mod outcome_log;
mod outcome_options;
mod state;
mod table;

pub use logged_outcome::LoggedOutcome;
pub use outcome::{Cause, RobotsFetch, RobotsResponse};
pub use outcome_log::OutcomeLog;
pub use outcome_options::{OutcomeOptions, OutcomeOptionsError};
pub use state::RobotsState;
pub use table::{FailureState, MaxAge, OutcomeMeaning, OutcomeTable, Step};
