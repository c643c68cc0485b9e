//! The errors of rows that are decided by origin.

use crate::robots::capture_row::CaptureRowError;
use std::io;
use thiserror::Error as ThisError;

/// The reason why a sorted row cannot be decided.
#[derive(Debug, ThisError)]
#[non_exhaustive]
pub enum SortedRowError {
    /// The facts were written in another version of their format.
    #[error(
        "the facts of a page have version {found} of the format, and this is version {known}: read the pages again"
    )]
    #[non_exhaustive]
    OtherVersion {
        /// The version of the bytes.
        found: u32,
        /// The version that can be read.
        known: u32,
    },
    /// The facts end early, differ from those that were written, or were read for other policies.
    #[error("the facts of a page are damaged, or of other robots or profiles")]
    Damaged,
    /// Facts without a digest, where rows have evidence.
    #[error("the facts of a page have no evidence: read the pages with it")]
    NoDigest,
    /// A row whose key is less than that of the row before.
    #[error("the rows are not sorted: {found:?} comes after {before:?}")]
    #[non_exhaustive]
    NotSorted {
        /// The key.
        found: String,
        /// The key of the row before.
        before: String,
    },
    /// A capture after a page of the same group, which may have been decided without it.
    #[error("the rows are not sorted: a capture comes after a page of {0:?}")]
    LateCapture(String),
    /// A page with the key of another origin.
    #[error("the page {url:?} is not of the origin of {key:?}")]
    #[non_exhaustive]
    OtherOrigin {
        /// The URL of the page.
        url: String,
        /// The key.
        key: String,
    },
    /// A row that is not a capture.
    #[error("a row of {key:?} is not a capture")]
    #[non_exhaustive]
    Capture {
        /// The key.
        key: String,
        /// The reason.
        source: CaptureRowError,
    },
    /// A decision that cannot be written.
    #[error("cannot write a decision")]
    Write(#[source] io::Error),
}
