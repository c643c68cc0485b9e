//! Records: the facts that are stored about an origin.

use super::MAX_KEPT_BODY;
#[cfg(feature = "fetch")]
use super::MAX_KEPT_VALIDATOR;
use crate::cut::blank_last_line;
#[cfg(feature = "fetch")]
use crate::fetch::Fetched;
use crate::next_request::NextRequest;
#[cfg(feature = "fetch")]
use crate::next_request::Validators;
#[cfg(feature = "fetch")]
use crate::renewal::learned;
#[cfg(feature = "fetch")]
use robots_meta::Timestamp;
#[cfg(feature = "fetch")]
use robots_policy::RobotsFetch;
use robots_policy::origins::OriginChange;
use robots_policy::robots::OutcomeLog;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::sync::Arc;

/// The facts that a store has about an origin. They are valid for every robot and every dialect.
///
/// It has the files themselves, not compiled rules, and the outcomes of requests without their meaning. So a program for
/// another robot or profile, or a newer program, reads the same store.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct OriginRecord {
    /// The outcomes of the requests for robots.txt, with the bodies of successes.
    pub outcomes: OutcomeLog<FileBytes>,
    /// The tdmrep.json of the origin.
    pub tdmrep: Option<FileBytes>,
    /// The facts for the next request for robots.txt.
    pub next: NextRequest,
    /// The URL of the last success.
    pub success_url: SuccessUrl,
}

/// The URL of the response that was the last success: of the file that a record has.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub enum SuccessUrl {
    /// It is not known: there is no success, a caller learned it without its URL, or the URL is longer than
    /// [`MAX_KEPT_VALIDATOR`].
    #[default]
    Unknown,
    /// That of the origin's robots.txt.
    OwnRobotsTxt,
    /// Another one, after redirects.
    Redirected(Box<str>),
}

impl SuccessUrl {
    /// Returns the URL of a response.
    #[cfg(feature = "fetch")]
    fn of(fetched: &Fetched) -> Self {
        match fetched.url() {
            _ if fetched.hops().is_empty() => Self::OwnRobotsTxt,
            url if url.len() <= MAX_KEPT_VALIDATOR => Self::Redirected(url.into()),
            _ => Self::Unknown,
        }
    }
}

/// A file of an origin, as it is stored. Cheap to clone: clones share the bytes.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct FileBytes(Arc<[u8]>);

impl FileBytes {
    /// Returns the part of a robots.txt that is stored: up to [`MAX_KEPT_BODY`] bytes of its body. If the body is longer, the
    /// last line of the part is overwritten with `#`, as its end may be missing.
    pub fn of_robots_txt(body: &[u8]) -> Self {
        let Some(start) = body.get(..MAX_KEPT_BODY) else {
            return Self(body.into());
        };
        let mut kept = start.to_vec();
        if kept.len() < body.len() {
            blank_last_line(&mut kept);
        }
        Self(kept.into())
    }

    /// Returns a file as the store has it.
    pub(crate) fn of_stored(bytes: &[u8]) -> Self {
        Self(bytes.into())
    }

    /// Returns the bytes.
    pub fn as_slice(&self) -> &[u8] {
        &self.0
    }
}

impl AsRef<[u8]> for FileBytes {
    fn as_ref(&self) -> &[u8] {
        &self.0
    }
}

impl fmt::Debug for FileBytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "FileBytes({:?})", String::from_utf8_lossy(&self.0))
    }
}

impl OriginRecord {
    /// Applies a change.
    pub fn apply(&mut self, change: &OriginChange<'_>) {
        match change {
            OriginChange::Robots { fetch, at } => {
                self.outcomes.record(fetch, *at, |body| {
                    (!body.is_empty()).then(|| FileBytes::of_robots_txt(body))
                });
                if fetch
                    .response()
                    .is_some_and(|response| response.is_success())
                {
                    self.success_url = SuccessUrl::Unknown;
                }
            }
            OriginChange::Tdmrep(tdmrep) => {
                self.tdmrep = Some(FileBytes(tdmrep.source().into()));
            }
            // A later version may have further changes: a record of this version has no field for them.
            _ => {}
        }
    }

    /// Forgets what is known about robots.txt. The tdmrep.json stays.
    #[cfg(feature = "fetch")]
    pub(crate) fn forget_robots(&mut self) {
        *self = Self {
            tdmrep: self.tdmrep.take(),
            ..Self::default()
        };
    }

    /// Learns the outcome of a request that sent these validators of the last success.
    #[cfg(feature = "fetch")]
    pub(crate) fn learn(&mut self, fetched: &Fetched, sent: &Validators, now: Timestamp) {
        let fetch = learned(fetched);
        let response = fetch.response();
        let fresh_for = response.and_then(|response| response.freshness());
        let is_confirmed = confirms(fetched, sent) && self.outcomes.confirm(Some(now), fresh_for);
        if !is_confirmed {
            let at = Some(now);
            self.apply(&OriginChange::Robots { fetch, at });
        }
        let is_success = matches!(fetch, RobotsFetch::Response(response) if response.is_success());
        if is_success {
            self.success_url = SuccessUrl::of(fetched);
        }
        // A success replaces the validators, even if it has none, and so does a confirmation. Others have no copy.
        if is_success || is_confirmed {
            self.next.validators = fetched.validators().within(MAX_KEPT_VALIDATOR);
        }
    }
}

/// Returns whether a response confirms the body that has these validators: it is a 304 to a request that had them.
#[cfg(feature = "fetch")]
fn confirms(fetched: &Fetched, sent: &Validators) -> bool {
    let is_conditional = match sent.url() {
        Some(url) => url == fetched.url(),
        None => fetched.hops().is_empty(),
    };
    fetched.status() == Some(304) && !sent.is_empty() && is_conditional
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rule_that_is_cut_is_kept_as_a_comment() {
        // The body is cut after `Disallow: /`, which alone would disallow everything.
        let mut body = b"User-agent: *\n".to_vec();
        body.resize(MAX_KEPT_BODY - "\nDisallow: /".len(), b'#');
        body.push(b'\n');
        body.extend_from_slice(b"Disallow: /cgi-bin/");
        let kept = FileBytes::of_robots_txt(&body);
        assert_eq!(kept.as_slice().len(), MAX_KEPT_BODY);
        assert!(kept.as_slice().ends_with(b"\n###########"));
    }
}
