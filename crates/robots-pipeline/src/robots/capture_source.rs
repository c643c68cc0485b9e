//! The source of a capture: where the bytes of a robots.txt are, and their digest.

use crate::robots_url::normalized;
use robots_archive::sha256;
use robots_meta::Timestamp;
use std::sync::Arc;
use url::Url;

/// The place and the digest of a request for a robots.txt, or for the target of its redirect.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct CaptureSource {
    /// The URL that was requested.
    pub url: String,
    /// The status; `None` without a response, and for a file that is not in an archive.
    pub status: Option<u16>,
    /// The time of the request, if it is known.
    pub captured_at: Option<Timestamp>,
    /// The SHA-256 of the body of a 2xx response without its codings, as a robot reads it; with its codings, as it is stored, if it
    /// cannot be decoded to its end.
    pub digest: Option<Box<str>>,
    /// The archive or file.
    pub file: Arc<str>,
    /// The offset of the record in the archive, in bytes.
    pub offset: Option<u64>,
}

/// The sources of the files of a site that a decision depends on, if evidence is collected.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct DecisionSources {
    /// That of the robots.txt whose rules applied, or without rules, of the last request for it.
    pub(crate) robots: Option<Arc<CaptureSource>>,
    /// That of the tdmrep.json, in the same way.
    pub(crate) tdmrep: Option<Arc<CaptureSource>>,
    /// Those of the licences of RSL that the page and its site name, in the same way, each once.
    pub(crate) licenses: Vec<Arc<CaptureSource>>,
}

impl CaptureSource {
    /// Returns its age at the time of a page, in seconds; negative if it was requested after the page.
    pub(crate) fn age(&self, page: Option<Timestamp>) -> Option<i64> {
        Some(
            page?
                .as_seconds()
                .saturating_sub(self.captured_at?.as_seconds()),
        )
    }

    /// Returns the source of a robots.txt that is a file.
    pub(crate) fn of_file(url: &Url, date: Option<Timestamp>, file: &str, body: &[u8]) -> Self {
        Self {
            url: normalized(url).into_owned(),
            status: None,
            captured_at: date,
            digest: Some(sha256(body).into()),
            file: file.into(),
            offset: None,
        }
    }
}
