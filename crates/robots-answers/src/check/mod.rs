//! Whether URLs may be fetched, and the deciding lines.
//!
//! [`CheckedRobots`] are robots, and a [`Reading`] is a way to read a file. Together with a robots.txt they are a
//! [`CheckedFile`], which has a [`UrlVerdict`] on each URL for each robot. Without URLs, all paths are considered:
//! [`divergence_answers`] are the paths on which readings differ, and a [`RestrictionAnswer`] is how much is disallowed to a robot.

mod divergence;
mod file;
mod outcome;
mod reading;
mod restriction;
mod target;
mod url_verdict;

pub use divergence::divergence_answers;
pub use file::CheckedFile;
pub use reading::{AgentRules, CheckedRobots, Reading};
pub(crate) use reading::{by_operator, under};
pub use restriction::{RestrictionAnswer, restriction_answers};
pub use target::{TargetError, TargetErrorKind, target_of, web_origin};
pub use url_verdict::{UrlVerdict, url_error_answer, url_verdict_answer};
