//! Facts for the next request for a robots.txt.

use robots_meta::Timestamp;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::time::Duration;

/// The validators that the next request for a robots.txt sends, and the earliest time for it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct NextRequest {
    /// The validators of the last good copy.
    pub validators: Validators,
    /// The earliest time of the next request, if the last one failed or did not bring fresh facts.
    pub retry: Option<Retry>,
}

/// The validators of a response: they ask its server whether the resource has changed (RFC 9110,
/// section 8.8).
///
/// Validators belong to the URL whose response had them. Without redirects, this is the URL of the origin's robots.txt. After
/// a redirect, it is the URL of the target, which is stored with them ([`Validators::url`]).
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Validators {
    etag: Option<String>,
    last_modified: Option<String>,
    url: Option<String>,
}

impl Validators {
    /// Returns the validators of the origin's own robots.txt: the values of `ETag` and
    /// `Last-Modified`, unchanged.
    pub const fn new(etag: Option<String>, last_modified: Option<String>) -> Self {
        Self {
            etag,
            last_modified,
            url: None,
        }
    }

    /// Sets the URL whose response had the validators, if the origin redirects to it. They are sent only to this URL.
    #[must_use]
    pub fn with_url(self, url: impl Into<String>) -> Self {
        Self {
            url: Some(url.into()),
            ..self
        }
    }

    /// Returns the value of `ETag`.
    pub fn etag(&self) -> Option<&str> {
        self.etag.as_deref()
    }

    /// Returns the value of `Last-Modified`.
    pub fn last_modified(&self) -> Option<&str> {
        self.last_modified.as_deref()
    }

    /// Returns the URL whose response had the validators, if it is not that of the origin's robots.txt.
    pub fn url(&self) -> Option<&str> {
        self.url.as_deref()
    }

    /// Returns whether there is neither an `ETag` nor a `Last-Modified`.
    pub fn is_empty(&self) -> bool {
        self.etag.is_none() && self.last_modified.is_none()
    }

    /// Returns these validators, with the `ETag` and `Last-Modified` of `other` in place of missing ones.
    #[cfg(feature = "fetch")]
    pub(crate) fn or(self, other: &Self) -> Self {
        Self {
            etag: self.etag.or_else(|| other.etag.clone()),
            last_modified: self.last_modified.or_else(|| other.last_modified.clone()),
            url: self.url,
        }
    }

    /// Returns the validators that are not longer than a limit in bytes. As the others are not sent, the
    /// server may send an unchanged robots.txt again.
    #[cfg(feature = "fetch")]
    pub(crate) fn within(&self, limit: usize) -> Self {
        let fits = |value: &String| value.len() <= limit;
        // Without their URL, they would be sent to that of the origin's robots.txt.
        if self.url.as_ref().is_some_and(|url| !fits(url)) {
            return Self::default();
        }
        Self {
            etag: self.etag.clone().filter(fits),
            last_modified: self.last_modified.clone().filter(fits),
            url: self.url.clone(),
        }
    }
}

/// The time from which a robots.txt may be requested again after a failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Retry {
    /// The earliest time.
    #[serde(serialize_with = "to_seconds", deserialize_with = "from_seconds")]
    pub at: Timestamp,
    /// The pause after the last failure, without regard to the server's `Retry-After`. After the next failure, the
    /// crawler's pause is twice as long, up to one hour.
    pub pause: Duration,
}

impl Retry {
    /// Returns a retry at this time, after this pause.
    pub const fn new(at: Timestamp, pause: Duration) -> Self {
        Self { at, pause }
    }
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde calls it with a reference"
)]
fn to_seconds<S: Serializer>(time: &Timestamp, serializer: S) -> Result<S::Ok, S::Error> {
    time.as_seconds().serialize(serializer)
}

fn from_seconds<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Timestamp, D::Error> {
    i64::deserialize(deserializer).map(Timestamp::from_seconds)
}
