//! The outcomes of requests for robots.txt, and their meaning over time (`docs/semantics.md`,
//! section 8.1).
//!
//! An [`OutcomeTable`] has the meaning of each kind of outcome ([`RobotsFetch`]), and a [`History`] the state
//! after several requests. An [`OutcomeLog`] has the outcomes themselves, from which the history under each table follows.
//!
//! "Unknown" is a state of its own: a robots.txt that was never requested does not allow everything.

mod history;
mod outcome;
mod outcome_log;
mod table;

pub use history::{History, HistoryState};
pub use outcome::{Cause, RobotsFetch, RobotsResponse};
pub use outcome_log::{LoggedOutcome, OutcomeLog};
#[cfg(feature = "toml")]
pub(crate) use table::OutcomeKeys;
pub use table::{FailureState, MaxAge, OutcomeMeaning, OutcomeTable, Step};
