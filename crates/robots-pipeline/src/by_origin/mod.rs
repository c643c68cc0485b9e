//! Decisions about pages that are sorted by origin: the second half of a join of pages and robots.txt captures, for engines that
//! sort more rows than a machine can keep.
//!
//! ```text
//! read_pages()      archives -> UndecidedPage: the key of its origin, and its facts as bytes
//! (an engine)       sorts pages and captures by key, and a capture before the pages of its key
//! OriginDecider     captures and pages of one key after another -> decisions
//! ```
//!
//! The key of an origin is the URL of its robots.txt. A capture belongs to the key of each origin whose robots.txt it is, or whose
//! redirects lead to it, over up to [`MAX_REDIRECT_STEPS`] captures. The rows are those of a run that has all captures in
//! a book ([`RobotsSource::Book`](crate::RobotsSource::Book)).
//!
//! Only the captures of one key are in memory at a time.

mod decider;
mod error;
mod page_bytes;

pub use decider::{Group, OriginDecider};
pub use error::SortedRowError;
pub(crate) use page_bytes::PageCodec;

use robots_policy::RobotsFetch;
use std::io;

/// The maximum number of redirects after which a capture can still decide about an origin: those that are followed, and one
/// more, whose target shows that there are too many.
pub const MAX_REDIRECT_STEPS: usize = RobotsFetch::MAX_REDIRECTS + 1;

/// A page that was read and not decided.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct UndecidedPage<'a> {
    /// The archive.
    pub file: &'a str,
    /// The offset of the record in the archive, in bytes.
    pub offset: u64,
    /// The key of its origin: the URL of the robots.txt. `None` if the URL of the page has no origin.
    pub key: Option<&'a str>,
    /// All that a decision needs of it, for [`OriginDecider::decide`]: a version, a checksum, and some hundred bytes.
    pub facts: &'a [u8],
}

/// A receiver of pages that were read and not decided.
pub trait PageReceiver {
    /// Takes a page.
    ///
    /// # Errors
    ///
    /// If it cannot be kept. This ends the run.
    fn receive(&mut self, page: &UndecidedPage<'_>) -> io::Result<()>;
}
