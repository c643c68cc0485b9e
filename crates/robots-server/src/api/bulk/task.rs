//! Tasks that have an owner.

use std::panic::resume_unwind;
use tokio::task::JoinHandle;

/// A task that ends when this is dropped.
pub(super) struct OwnedTask<T>(JoinHandle<T>);

impl<T: Send + 'static> OwnedTask<T> {
    pub(super) fn spawn(work: impl Future<Output = T> + Send + 'static) -> Self {
        Self(tokio::spawn(work))
    }

    /// Returns the result of the task, or `None` if the service stops before. A panic of the task continues here.
    pub(super) async fn join(&mut self) -> Option<T> {
        match (&mut self.0).await {
            Ok(result) => Some(result),
            Err(error) => match error.try_into_panic() {
                Ok(panic) => resume_unwind(panic),
                Err(_) => None,
            },
        }
    }
}

impl<T> Drop for OwnedTask<T> {
    fn drop(&mut self) {
        self.0.abort();
    }
}
