//! Records: the facts that are stored about an origin.

use super::MAX_KEPT_BODY;
#[cfg(feature = "fetch")]
use super::MAX_KEPT_VALIDATOR;
use crate::cut::blank_last_line;
#[cfg(feature = "fetch")]
use crate::fetch::Fetched;
use crate::next_request::{NextRequest, Validators};
#[cfg(feature = "fetch")]
use crate::renewal::is_future;
#[cfg(feature = "fetch")]
use crate::renewal::learned;
use robots_meta::Timestamp;
use robots_policy::RobotsFetch;
use robots_policy::robots::OutcomeLog;
use robots_policy::site::Tdmrep;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::fmt;
use std::hash::{BuildHasher as _, RandomState};
use std::sync::{Arc, LazyLock, OnceLock};

/// The facts that a store has about an origin. They are valid for every robot and every dialect.
///
/// It has the files themselves, not compiled rules, and the outcomes of requests without their meaning. So a program for
/// another robot or profile, or a newer program, reads the same store.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
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
#[derive(Clone, Default)]
pub struct FileBytes(Arc<File>);

#[derive(Default)]
struct File {
    bytes: Box<[u8]>,
    digest: OnceLock<[u8; 16]>,
}

impl FileBytes {
    /// Returns the part of a robots.txt that is stored: up to [`MAX_KEPT_BODY`] bytes of its body. If the body is longer, the
    /// last line of the part is overwritten with `#`, as its end may be missing.
    pub fn of_robots_txt(body: &[u8]) -> Self {
        let mut kept = body[..body.len().min(MAX_KEPT_BODY)].to_vec();
        if kept.len() < body.len() {
            blank_last_line(&mut kept);
        }
        Self::new(kept)
    }

    /// Returns a tdmrep.json as it is stored.
    pub fn of_tdmrep(tdmrep: &Tdmrep) -> Self {
        Self::new(tdmrep.source())
    }

    fn new(bytes: impl Into<Box<[u8]>>) -> Self {
        Self(Arc::new(File {
            bytes: bytes.into(),
            digest: OnceLock::new(),
        }))
    }

    /// Returns the bytes.
    pub fn as_slice(&self) -> &[u8] {
        &self.0.bytes
    }

    /// Returns a digest, by which compiled rules are found. It is computed once: that of a long file takes longer than a verdict by its
    /// rules.
    ///
    /// It has two hashes with secrets of this process, so that no site can make a file with the digest of another.
    pub fn digest(&self) -> &[u8] {
        static SECRETS: LazyLock<[RandomState; 2]> =
            LazyLock::new(|| [RandomState::new(), RandomState::new()]);
        self.0.digest.get_or_init(|| {
            let [high, low] = SECRETS.each_ref().map(|key| key.hash_one(&self.0.bytes));
            (u128::from(high) << 64 | u128::from(low)).to_ne_bytes()
        })
    }
}

impl AsRef<[u8]> for FileBytes {
    fn as_ref(&self) -> &[u8] {
        self.as_slice()
    }
}

impl PartialEq for FileBytes {
    fn eq(&self, other: &Self) -> bool {
        self.as_slice() == other.as_slice()
    }
}

impl Eq for FileBytes {}

impl Serialize for FileBytes {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_bytes(self.as_slice())
    }
}

impl<'de> Deserialize<'de> for FileBytes {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        <&[u8]>::deserialize(deserializer).map(Self::new)
    }
}

impl fmt::Debug for FileBytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "FileBytes({:?})",
            String::from_utf8_lossy(self.as_slice())
        )
    }
}

impl OriginRecord {
    /// Adds the outcome of a request for robots.txt that the caller has made. The validators of an earlier response, which do not
    /// belong to it, go.
    pub fn add_outcome(&mut self, fetch: RobotsFetch<'_>, at: Option<Timestamp>) {
        self.record(fetch, at);
        self.next.validators = Validators::default();
    }

    fn record(&mut self, fetch: RobotsFetch<'_>, at: Option<Timestamp>) {
        self.outcomes.record(&fetch, at, |body| {
            (!body.is_empty()).then(|| FileBytes::of_robots_txt(body))
        });
        let response = fetch.response();
        if response.is_some_and(|response| response.is_success()) {
            self.success_url = SuccessUrl::Unknown;
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
            self.record(fetch, Some(now));
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

    /// Returns the times by which records are compared: that of the last outcome, and that of the next request after a failure
    /// that did not replace a fresh copy.
    #[cfg(feature = "fetch")]
    pub(crate) fn age(&self) -> (Option<Timestamp>, Option<Timestamp>) {
        let retry = self.next.retry.map(|retry| retry.at);
        (self.outcomes.last_request(), retry)
    }

    /// Returns whether it was written by a clock that was ahead. It is not used, and is replaced.
    #[cfg(feature = "fetch")]
    pub(crate) fn is_from_future(&self, now: Timestamp) -> bool {
        let last = self.outcomes.last_request();
        last.is_some_and(|at| is_future(at, now))
    }

    /// Returns the record to write in place of a stored one; `None` if that has the same or newer facts. This record was made
    /// from `before`, and others may have written since then: the newer robots.txt stays, and so does the tdmrep.json, unless this
    /// record has changed it.
    #[cfg(feature = "fetch")]
    pub(crate) fn merged(&self, before: &Self, stored: Self, now: Timestamp) -> Option<Self> {
        let is_tdmrep_learned = self.tdmrep != before.tdmrep;
        let is_newer = stored.is_from_future(now) || self.age() >= stored.age();
        let (robots, tdmrep) = match (is_newer, is_tdmrep_learned) {
            (true, true) => return Some(self.clone()),
            (true, false) => (self.clone(), stored.tdmrep.or_else(|| self.tdmrep.clone())),
            (false, true) => (stored, self.tdmrep.clone()),
            (false, false) => return None,
        };
        Some(Self { tdmrep, ..robots })
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
