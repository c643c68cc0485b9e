//! When a robots.txt that failed may be asked for again.

use robots_meta::Timestamp;
use std::time::Duration;

/// When the robots.txt of an origin may be asked for again, after it could not be had.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Retry {
    /// Not before this time.
    pub at: Timestamp,
    /// How long the pause is that grows with each failure, whatever the server asks for.
    pub pause: Duration,
}

impl Retry {
    /// At this time, after this pause.
    pub const fn new(at: Timestamp, pause: Duration) -> Self {
        Self { at, pause }
    }
}
