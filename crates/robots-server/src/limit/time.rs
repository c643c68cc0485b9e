//! Limits of time, which cost nothing while no time passes.

use std::future::{Future, poll_fn};
use std::pin::Pin;
use std::task::Poll;
use std::time::Duration;
use tokio::time::timeout;

/// Returns the output of a future; `None` if it takes longer than the limit.
///
/// Most steps of a request are ready when they begin. A timer is only made for one that waits: each takes its turn at the clock of
/// the runtime, which all threads share. The future is pinned by the caller: here, it would have room twice, as an argument and
/// as what is polled.
pub(crate) async fn within<F: Future>(
    limit: Duration,
    mut future: Pin<&mut F>,
) -> Option<F::Output> {
    let first = poll_fn(|cx| Poll::Ready(future.as_mut().poll(cx)));
    if let Poll::Ready(output) = first.await {
        return Some(output);
    }
    // On the heap: a future that does not wait has no room for a timer.
    Box::pin(timeout(limit, future)).await.ok()
}

#[cfg(test)]
mod tests {
    use super::within;
    use std::future::{pending, ready};
    use std::pin::pin;
    use std::time::Duration;
    use tokio::time::sleep;

    #[tokio::test]
    async fn a_future_has_its_time() {
        let limit = Duration::from_millis(20);
        assert_eq!(within(limit, pin!(ready(7))).await, Some(7));
        assert_eq!(within(limit, pin!(pending::<()>())).await, None);
        assert_eq!(within(limit, pin!(sleep(limit * 50))).await, None);
        let late = async {
            sleep(Duration::from_millis(5)).await;
            7
        };
        assert_eq!(within(limit * 50, pin!(late)).await, Some(7));
        // What is ready at once has no need of time.
        assert_eq!(within(Duration::ZERO, pin!(ready(7))).await, Some(7));
    }
}
