//! Why a run ends before its inputs do.

use std::error::Error;
use std::fmt;

/// What ends a run, and is no fault.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Stop {
    /// It was asked to end, and has this exit code.
    Asked(u8),
    /// As many pages are decided as were wanted.
    Limit,
}

impl fmt::Display for Stop {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Asked(_) => "interrupted",
            Self::Limit => "enough pages were decided",
        })
    }
}

impl Error for Stop {}
