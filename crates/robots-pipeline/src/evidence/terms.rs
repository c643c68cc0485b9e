//! The tdmrep.json and the licences of RSL on which a decision depends, as evidence of it.

use super::CaptureSource;
use robots_meta::Timestamp;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// The kinds of terms.
pub(crate) const TDMREP: &str = "tdmrep";
pub(crate) const LICENSE: &str = "license";

/// A tdmrep.json or a licence of RSL, without its place.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Terms<'a> {
    /// [`TDMREP`] or [`LICENSE`].
    pub(crate) kind: Cow<'a, str>,
    /// The URL that was requested, at the end of redirects.
    pub(crate) url: Cow<'a, str>,
    pub(crate) status: Option<u16>,
    /// The time of the request.
    pub(crate) captured_at: Option<String>,
    pub(crate) digest: Option<Cow<'a, str>>,
    /// The age at the time of the page, in seconds; negative if they were requested later.
    pub(crate) age: Option<i64>,
}

impl<'a> Terms<'a> {
    pub(super) fn of(
        kind: &'static str,
        source: &'a CaptureSource,
        page: Option<Timestamp>,
    ) -> Self {
        Self {
            kind: kind.into(),
            url: source.url.as_str().into(),
            status: source.status,
            captured_at: source.captured_at.map(|time| time.to_string()),
            digest: source.digest.as_deref().map(Cow::Borrowed),
            age: source.age(page),
        }
    }
}

/// Returns terms as the text of a column; `None` without any.
pub(crate) fn terms_text(terms: &[Terms<'_>]) -> Option<String> {
    let json = (!terms.is_empty()).then(|| serde_json::to_string(terms));
    json.and_then(Result::ok)
}
