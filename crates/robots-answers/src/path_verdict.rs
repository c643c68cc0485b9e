//! The verdict on a path.

use robots_txt::analysis::PathVerdict;
use serde::Serialize;

/// A verdict on a path, in words.
#[derive(Debug, Serialize)]
pub struct PathVerdictAnswer<'a> {
    allowed: bool,
    /// The 1-based line of the rule that decides.
    line: Option<usize>,
    reason: &'static str,
    reason_text: &'a str,
}

impl<'a> PathVerdictAnswer<'a> {
    /// Returns the answer of a verdict.
    pub fn new(verdict: &'a PathVerdict) -> Self {
        Self {
            allowed: verdict.is_allowed(),
            line: verdict.line(),
            reason: verdict.reason_name(),
            reason_text: verdict.reason(),
        }
    }
}
