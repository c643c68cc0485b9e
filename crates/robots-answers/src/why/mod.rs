//! What engines may do with a page, and what would change it.
//!
//! [`evidence`] is what is known about the page. [`Answers`] has the decisions of all robots about it, the problems in its
//! statements, what would change an answer, and whether an [`Expectation`] is met. [`why_answer`] returns all of it, as JSON.

mod answer;
mod answers;
mod change;
pub mod evidence;
mod expectation;
mod headline;
mod permission;
mod places;
mod remark;
mod robots;
mod target;
mod words;

pub use answer::why_answer;
pub use answers::{Answers, Change, Expected, MAIN_FIELDS, Robot, StatementProblem};
pub use expectation::{Expectation, UnknownExpectation};
pub use headline::{Headline, headline, headline_of_urls, training};
pub use permission::{Permission, Requester};
pub use places::{StatementPlaces, meta_line, meta_tag};
pub use robots::{agents_under_profiles, asked_robots, engines, policies};
pub use target::target_sentence;
pub use words::{answer_text, answer_word, field_title, sentence};
