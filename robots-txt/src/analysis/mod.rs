//! What rules mean, whatever they look like: decided on the languages of their patterns, not by
//! trying URLs.
//!
//! Rules are machines that read a path byte by byte ([`automaton`]); a walk over all paths keeps, for
//! each set of rules, how far every pattern that still matters has come ([`search`]). Two paths that
//! lead to the same state will never be told apart, so the walk ends, and every answer comes with
//! the shortest path that shows it.
//!
//! The paths are those of URLs: the characters of RFC 3986 and `%XX`. What is asked:
//!
//! * [`summary`]: whether nothing, something, everything or all but something is disallowed;
//! * [`diff`]: on which paths two files decide otherwise;
//! * [`divergence`]: on which paths dialects decide otherwise;
//! * [`shadowing`]: which rules can never decide.
//!
//! Most files need no walk for the last: [`probe`] asks for the verdict about a path or two for each rule, and
//! mostly their [`fast_path`] alone tell.
//!
//! A walk can be long: it is cut off at [`MAX_STATES`] states and [`MAX_WORK`] steps, and then the
//! answer says that it is not complete. On most files it takes a millisecond; at its longest, half
//! a second and some hundred megabytes.

mod automaton;
pub(crate) mod diff;
pub(crate) mod divergence;
mod dominance;
mod equivalence;
pub(crate) mod fast_path;
mod probe;
mod search;
pub(crate) mod shadowing;
pub(crate) mod summary;

pub use search::{MAX_STATES, MAX_WORK};

use crate::rules::Rules;
use crate::target::Target;
use std::fmt;

/// A decision about a path, and the line that decided.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Said {
    is_allowed: bool,
    line: Option<usize>,
    reason: String,
}

/// A URL with a path, as a path alone may look like a URL: `//a/b` is one without a scheme.
fn url_of(path: &str) -> String {
    format!("https://example.com{path}")
}

impl Said {
    fn of(rules: &Rules, path: &str) -> Self {
        let url = url_of(path);
        let verdict = rules.verdict(&Target::new(&url));
        Self {
            is_allowed: verdict.is_allowed(),
            line: verdict.line(),
            reason: verdict.reason().to_string(),
        }
    }

    /// Whether the path may be fetched.
    pub fn is_allowed(&self) -> bool {
        self.is_allowed
    }

    /// The number of the line that decided, from 1, if one did.
    pub fn line(&self) -> Option<usize> {
        self.line
    }

    /// What decided, for people.
    pub fn reason(&self) -> &str {
        &self.reason
    }
}

impl fmt::Display for Said {
    /// `disallowed (line 3: Disallow: /private (group of *))`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let verdict = if self.is_allowed {
            "allowed"
        } else {
            "disallowed"
        };
        write!(f, "{verdict} ({})", self.reason)
    }
}

/// All that may follow in a path: each octet as it stands in URLs, escaped where it must be, or where it were special
/// in a pattern.
#[cfg(test)]
fn characters() -> impl Iterator<Item = String> {
    use crate::pattern::encoding::is_bare;
    (0..=u8::MAX).map(|byte| {
        if is_bare(byte) && !b"#*$".contains(&byte) {
            char::from(byte).to_string()
        } else {
            format!("%{byte:02X}")
        }
    })
}
