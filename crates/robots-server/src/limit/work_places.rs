//! Places for large work on questions, so that its memory is bounded.

use std::sync::Arc;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// The bytes up to which work has the most places.
pub(crate) const SMALL_BYTES: usize = 64 << 10;

/// The bytes up to which work has more places than the largest: an archived page, or a robots.txt that engines read as a whole.
pub(crate) const MEDIUM_BYTES: usize = 1 << 20;

/// Places for large work: what it works on takes many times its bytes, so the places are fewer for more bytes. Each size has
/// places of its own, so that a page or a usual robots.txt does not wait for the largest files.
#[derive(Debug)]
pub(crate) struct WorkPlaces {
    /// For up to 64 KiB, up to 1 MiB, and more.
    places: [Arc<Semaphore>; 3],
    searches: Arc<Semaphore>,
}

impl WorkPlaces {
    /// Returns the places for a number of the largest works at once: twice as many for files of up to 1 MiB, and eight times as
    /// many for those of up to 64 KiB. Searches have as many places as the largest.
    pub(crate) fn new(at_once: usize) -> Self {
        let places = |factor| {
            let number = at_once.saturating_mul(factor);
            Arc::new(Semaphore::new(number.min(Semaphore::MAX_PERMITS)))
        };
        Self {
            places: [8, 2, 1].map(places),
            searches: places(1),
        }
    }

    /// Returns the places for a search over all paths, which compares rules. Small files may need as much memory for it as large ones.
    pub(crate) fn of_search(&self) -> WorkQueue {
        WorkQueue(Arc::clone(&self.searches))
    }

    /// Returns the places for work on this number of bytes.
    pub(crate) fn of(&self, bytes: usize) -> WorkQueue {
        let [small, medium, large] = &self.places;
        let places = if bytes <= SMALL_BYTES {
            small
        } else if bytes <= MEDIUM_BYTES {
            medium
        } else {
            large
        };
        WorkQueue(Arc::clone(places))
    }
}

/// The queue for the places of one size.
#[derive(Debug)]
pub(crate) struct WorkQueue(Arc<Semaphore>);

/// A place for work, until it is dropped.
#[derive(Debug)]
pub(crate) struct WorkPlace {
    _permit: Option<OwnedSemaphorePermit>,
}

impl WorkQueue {
    /// Returns a place as soon as one is free.
    pub(crate) async fn place(self) -> WorkPlace {
        // The places are never closed.
        let permit = self.0.acquire_owned().await.ok();
        WorkPlace { _permit: permit }
    }
}
