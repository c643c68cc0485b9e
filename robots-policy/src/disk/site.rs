//! What is kept of one origin.

use super::body::BodyKey;
use crate::outcome::History;
use crate::retry::Retry;

/// What is kept of one origin: facts that hold for every robot and dialect.
///
/// The copy of the history is the name of a body, not compiled rules: so a program with another
/// robot, or a newer one, reads the same store. What outcomes mean was said by the table by which
/// they were recorded.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct KeptSite {
    /// What came of asking for robots.txt, over time.
    pub history: History<BodyKey>,
    /// The `ETag` of the last good copy, to ask whether it has changed.
    pub etag: Option<String>,
    /// The `Last-Modified` of the last good copy, as it was sent.
    pub last_modified: Option<String>,
    /// The URL whose answer had these two, if the origin redirects there.
    pub validated_url: Option<String>,
    /// When the next request may be made, if the last one failed.
    pub retry: Option<Retry>,
    /// The name of the origin's tdmrep.json.
    pub tdmrep: Option<BodyKey>,
}

impl KeptSite {
    /// A site with this history, and nothing else.
    pub const fn new(history: History<BodyKey>) -> Self {
        Self {
            history,
            etag: None,
            last_modified: None,
            validated_url: None,
            retry: None,
            tdmrep: None,
        }
    }

    /// The last good copy of robots.txt.
    pub(super) fn robots(&self) -> Option<BodyKey> {
        self.history.parts().copy.copied()
    }

    /// The bodies that it names.
    pub(crate) fn bodies(&self) -> impl Iterator<Item = BodyKey> + use<> {
        [self.robots(), self.tdmrep].into_iter().flatten()
    }
}
