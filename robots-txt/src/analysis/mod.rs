//! The meaning of rules, independent of their wording: decided on the languages of their patterns,
//! not by trying URLs.
//!
//! * [`RobotsTxt::summary`](crate::RobotsTxt::summary), [`Rules::restriction`]: the restriction of a
//!   robot, from none to all paths;
//! * [`diff()`]: the paths on which two files decide differently;
//! * [`RobotsTxt::divergence`](crate::RobotsTxt::divergence): the paths on which dialects decide
//!   differently;
//! * [`Rules::shadows`]: the rules that never decide.
//!
//! Rules become automata that read a path byte by byte (`automaton`). A breadth-first search over
//! all paths keeps, for each set of rules, the position in every pattern that still matters
//! (`search`). Paths that lead to the same state are never distinguished later, so the search ends,
//! and every answer has the shortest path that shows it. The paths are those of URLs: the
//! characters of RFC 3986 and `%XX`.
//!
//! Finding the rules that never decide needs no search, nor, for most files, does the restriction: `probe` compares the verdicts
//! on one or two paths for each rule. A search costs forty times as much.
//!
//! A search stops at [`MAX_STATES`] states and [`MAX_WORK`] steps, and the answer reports that it
//! is not complete. On most files it takes a millisecond; at its limits, half a second and
//! several hundred megabytes.

mod automaton;
pub(crate) mod diff;
pub(crate) mod divergence;
mod probe;
mod search;
pub(crate) mod shadowing;
pub(crate) mod summary;

pub use diff::{Change, Changes, Comparison, MAX_CHANGES, diff};
pub use divergence::{Divergence, Divergences, MAX_DIVERGENCES};
pub use search::{MAX_STATES, MAX_WORK};
pub use shadowing::{Shadow, ShadowCause};
pub use summary::{Restriction, Summary};

use crate::rules::Rules;
use crate::target::Target;
use std::fmt;

/// A decision about a path, and the line that decided.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct PathVerdict {
    is_allowed: bool,
    line: Option<usize>,
    rule: Option<String>,
    reason_name: &'static str,
    reason: String,
}

impl PathVerdict {
    fn of(rules: &Rules, path: &str) -> Self {
        let verdict = rules.verdict(&Target::of_path(path));
        Self {
            is_allowed: verdict.is_allowed(),
            line: verdict.line(),
            rule: verdict.rule().map(|rule| rule.statement()),
            reason_name: verdict.reason().name(),
            reason: verdict.reason().to_string(),
        }
    }

    /// Returns whether the path may be fetched.
    pub fn is_allowed(&self) -> bool {
        self.is_allowed
    }

    /// Returns the number of the line that decided, from 1, if one did.
    pub fn line(&self) -> Option<usize> {
        self.line
    }

    /// Returns the rule that decided, if one did, without its line and group: `Disallow: /private`.
    pub fn rule(&self) -> Option<&str> {
        self.rule.as_deref()
    }

    /// Returns the name of the reason ([`Reason::name`](crate::Reason::name)).
    pub fn reason_name(&self) -> &'static str {
        self.reason_name
    }

    /// Returns the reason as text: `line 3: Disallow: /private (group of *)`.
    pub fn reason(&self) -> &str {
        &self.reason
    }
}

impl fmt::Display for PathVerdict {
    /// Writes `disallowed (line 3: Disallow: /private (group of *))`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let verdict = if self.is_allowed {
            "allowed"
        } else {
            "disallowed"
        };
        write!(f, "{verdict} ({})", self.reason)
    }
}
