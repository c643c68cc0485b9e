//! The verdict on a path as JSON, for `robots check` and `robots diff`.

use robots_txt::analysis::PathVerdict;
use serde::Serialize;

/// A verdict as a JSON object, or as a part of one.
#[derive(Debug, Serialize)]
pub(crate) struct VerdictJson<'a> {
    allowed: bool,
    /// The 1-based line of the rule that decides.
    line: Option<usize>,
    reason: &'static str,
    reason_text: &'a str,
}

impl<'a> VerdictJson<'a> {
    pub(crate) fn new(verdict: &'a PathVerdict) -> Self {
        Self {
            allowed: verdict.is_allowed(),
            line: verdict.line(),
            reason: verdict.reason_name(),
            reason_text: verdict.reason(),
        }
    }
}
