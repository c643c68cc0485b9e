//! The outcomes of requests for robots.txt, and their meaning over time (`docs/semantics.md`,
//! section 8.1).
//!
//! A request has an outcome ([`RobotsFetch`]) of one of a few kinds. An [`OutcomeTable`] gives the
//! meaning of each kind, and a [`History`] the state after several requests, one after the other.
//!
//! "Unknown" is a value: a robots.txt that was never requested does not allow everything.

mod history;
mod outcome;
mod table;

pub use history::{History, State};
pub use outcome::{Cause, RobotsFetch, RobotsResponse};
pub use table::{Failing, MaxAge, OutcomeTable, Step, Then};
