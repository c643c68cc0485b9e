//! Limits of time, which cost nothing while no time passes.

use std::future::{Future, poll_fn};
use std::pin::pin;
use std::task::Poll;
use std::time::Duration;
use tokio::time::timeout;

/// Returns the output of a future; `None` if it takes longer than the limit.
///
/// Most steps of a request are ready when they begin. A timer is only made for one that waits: each takes its turn at the clock of
/// the runtime, which all threads share.
pub(crate) async fn within<F: Future>(limit: Duration, future: F) -> Option<F::Output> {
    let mut future = pin!(future);
    let first = poll_fn(|cx| Poll::Ready(future.as_mut().poll(cx)));
    match first.await {
        Poll::Ready(output) => Some(output),
        Poll::Pending => timeout(limit, future).await.ok(),
    }
}

#[cfg(test)]
mod tests {
    use super::within;
    use std::future::{pending, ready};
    use std::time::Duration;
    use tokio::time::sleep;

    #[tokio::test]
    async fn a_future_has_its_time() {
        let limit = Duration::from_millis(20);
        assert_eq!(within(limit, ready(7)).await, Some(7));
        assert_eq!(within(limit, pending::<()>()).await, None);
        assert_eq!(within(limit, sleep(limit * 50)).await, None);
        let late = async {
            sleep(Duration::from_millis(5)).await;
            7
        };
        assert_eq!(within(limit * 50, late).await, Some(7));
        // What is ready at once has no need of time.
        assert_eq!(within(Duration::ZERO, ready(7)).await, Some(7));
    }
}
