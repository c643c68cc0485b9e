//! Reads from a store on disk for async code: on threads that may block, up to a maximum number at once.

use std::sync::Arc;
use tokio::sync::Semaphore;

/// The maximum number of reads at once. Others wait.
const MAX_READS: usize = 16;

/// The reads of one store. Cheap to clone; clones share the maximum number.
#[derive(Debug, Clone)]
pub(crate) struct DiskReads {
    places: Arc<Semaphore>,
}

impl DiskReads {
    pub(crate) fn new() -> Self {
        Self {
            places: Arc::new(Semaphore::new(MAX_READS)),
        }
    }

    /// Runs a read on a thread that may block. Returns `None` if the runtime ends first, or the read panics.
    pub(crate) async fn run<T: Send + 'static>(
        &self,
        read: impl FnOnce() -> T + Send + 'static,
    ) -> Option<T> {
        // The semaphore is never closed.
        let place = Arc::clone(&self.places).acquire_owned().await.ok();
        let reading = tokio::task::spawn_blocking(move || {
            // Free when the read ends, even if the caller has left or is not polled.
            let _place = place;
            read()
        });
        reading.await.ok()
    }
}
