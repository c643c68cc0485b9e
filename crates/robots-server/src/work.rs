//! Work that may take long, and answers that may be large.

use crate::problem::{Problem, ProblemKind};
use crate::state::Held;
use axum::response::{IntoResponse, Response};
use http::header::CONTENT_TYPE;
use serde::Serialize;
use std::io::{self, Write};
use std::panic::resume_unwind;
use tokio::task::{JoinHandle, spawn_blocking};
use tokio_util::sync::CancellationToken;

/// The cost up to which work is done on the thread of the connection: it takes less than a millisecond. The unit of costs is a
/// byte that is read.
const SMALL_COST: usize = 64 << 10;

/// Whether the client has gone, or the time for the answer has passed. The default is work that nothing cancels.
#[derive(Debug, Default)]
pub(crate) struct Cancelled(CancellationToken);

impl Cancelled {
    /// Returns a problem, which no one receives, if the answer is not awaited any more.
    pub(crate) fn check(&self) -> Result<(), Problem> {
        if self.0.is_cancelled() {
            return Err(Problem::new(ProblemKind::TimedOut, "nobody waits for it"));
        }
        Ok(())
    }
}

/// Does work on a number of bytes, of an estimated cost: large work on a thread of its own, after a wait for its place, both of
/// which are cancelled with the request. What the work holds, and the place, are free when it ends, even if the client has left
/// before. Work never waits for the network: it would keep its place meanwhile.
pub(crate) async fn work<T: Send + 'static>(
    held: &Held,
    bytes: usize,
    cost: usize,
    work: impl FnOnce(&Cancelled) -> Result<T, Problem> + Send + 'static,
) -> Result<T, Problem> {
    if cost <= SMALL_COST {
        return work(&Cancelled::default());
    }
    let place = held.state.work_place(bytes, held.client).await;
    let cancelled = Cancelled::default();
    let _cancel = cancelled.0.clone().drop_guard();
    let task = spawn_blocking(move || {
        let _place = place;
        // It may have waited for a thread.
        cancelled.check()?;
        work(&cancelled)
    });
    joined(task).await?
}

/// Waits for a task, and continues its panic. Fails if the task was stopped with the service.
pub(crate) async fn joined<T>(task: JoinHandle<T>) -> Result<T, Problem> {
    task.await.map_err(|error| {
        if let Ok(panic) = error.try_into_panic() {
            resume_unwind(panic);
        }
        Problem::new(ProblemKind::Overloaded, "the service was asked to stop")
    })
}

/// Returns the approximate cost of matching a URL with a robots.txt of this size, and of the answer, which repeats the URL: each of
/// the rules, of some 16 bytes, may take a step for each byte of the URL. A step costs less than a byte that is read.
pub(crate) fn matching_cost(file_bytes: usize, url_bytes: usize) -> usize {
    let per_url = 128;
    file_bytes * url_bytes / 64 + per_url + url_bytes
}

/// An answer as JSON, up to `limits.answer-bytes`.
#[derive(Debug)]
pub(crate) struct Answer {
    bytes: Vec<u8>,
    held: Held,
    /// Why the last bytes were not written.
    refusal: Option<Problem>,
}

impl Write for Answer {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let length = self.bytes.len() + bytes.len();
        match checked_length(length, &mut self.held) {
            Ok(()) => self.bytes.extend_from_slice(bytes),
            Err(refusal) => {
                self.refusal = Some(refusal);
                return Err(io::ErrorKind::FileTooLarge.into());
            }
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Checks the length of an answer, which takes a place if it is large.
pub(crate) fn checked_length(length: usize, held: &mut Held) -> Result<(), Problem> {
    let limit = held.state.config.limits.answer_bytes;
    if length > limit.0 {
        let detail = format!("the answer has more than {limit}: ask for less at once");
        let kind = ProblemKind::AnswerTooLarge;
        return Err(Problem::over(kind, "limits.answer-bytes", limit, detail));
    }
    held.take_for(length)
}

impl Answer {
    fn new(held: Held, bytes: Vec<u8>) -> Self {
        Self {
            bytes,
            held,
            refusal: None,
        }
    }

    /// Returns a value as an answer.
    pub(crate) fn of(held: Held, value: &impl Serialize) -> Result<Self, Problem> {
        let mut answer = Self::new(held, Vec::new());
        answer.write_value(value)?;
        Ok(answer)
    }

    /// Begins an array.
    pub(crate) fn array(held: Held) -> Self {
        Self::new(held, vec![b'['])
    }

    /// Adds an element to an array.
    pub(crate) fn push(&mut self, element: &impl Serialize) -> Result<(), Problem> {
        if self.bytes.len() > 1 {
            self.bytes.push(b',');
        }
        self.write_value(element)
    }

    /// Ends an array.
    #[must_use]
    pub(crate) fn end(mut self) -> Self {
        self.bytes.push(b']');
        self
    }

    fn write_value(&mut self, value: &impl Serialize) -> Result<(), Problem> {
        serde_json::to_writer(&mut *self, value).map_err(|error| {
            self.refusal.take().unwrap_or_else(|| {
                let detail = format!("the answer is not JSON: {error}");
                Problem::new(ProblemKind::Internal, detail)
            })
        })
    }

    /// Returns the JSON.
    pub(crate) fn as_bytes(&self) -> &[u8] {
        &self.bytes
    }
}

impl IntoResponse for Answer {
    fn into_response(self) -> Response {
        let bytes = self.held.with_bytes(self.bytes);
        ([(CONTENT_TYPE, "application/json")], bytes).into_response()
    }
}

/// Returns a value that the service knows as an answer.
pub(crate) fn json(value: &impl Serialize) -> Response {
    // What is known are texts and numbers.
    let bytes = serde_json::to_vec(value).unwrap_or_default();
    ([(CONTENT_TYPE, "application/json")], bytes).into_response()
}

/// Returns a problem unless a number is up to a limit.
pub(crate) fn limited(
    number: usize,
    what: &str,
    name: &'static str,
    limit: usize,
) -> Result<(), Problem> {
    if number <= limit {
        return Ok(());
    }
    let detail = format!("{number} {what} in one question");
    Err(Problem::over(
        ProblemKind::InvalidValue,
        name,
        limit,
        detail,
    ))
}

#[cfg(test)]
mod tests {
    use super::{Answer, SMALL_COST, matching_cost, work};
    use crate::problem::ProblemKind;
    use crate::state::{AppState, Held, LARGE_BYTES};
    use std::sync::mpsc;
    use std::thread;
    use std::time::Duration;
    use tokio::task::JoinHandle;
    use tokio::time::{sleep, timeout};

    #[test]
    fn a_long_url_is_large_work_without_a_file() {
        assert!(matching_cost(0, SMALL_COST) > SMALL_COST);
        assert!(matching_cost(0, 2_000) < SMALL_COST);
    }

    #[tokio::test]
    async fn large_work_is_on_another_thread_and_is_cancelled() {
        let state = AppState::of_settings(&[]);
        let here = thread::current().id();
        for (cost, is_here) in [(SMALL_COST, true), (SMALL_COST + 1, false)] {
            let held = Held::new(&state, None);
            let done = work(&held, 0, cost, move |_| Ok(thread::current().id() == here));
            assert_eq!(done.await, Ok(is_here), "{cost}");
        }
        let (send, receive) = mpsc::channel();
        let held = Held::new(&state, None);
        let endless = work(&held, 0, usize::MAX, move |cancelled| {
            while cancelled.check().is_ok() {
                thread::sleep(Duration::from_millis(1));
            }
            send.send("cancelled").unwrap();
            Ok(())
        });
        assert!(timeout(Duration::from_millis(20), endless).await.is_err());
        let end = receive.recv_timeout(Duration::from_secs(20));
        assert_eq!(end, Ok("cancelled"));
    }

    /// Begins large work that ends with the returned sender. The receiver has the time of its begin.
    fn begun(
        state: &AppState,
        bytes: usize,
    ) -> (mpsc::Sender<()>, mpsc::Receiver<()>, JoinHandle<()>) {
        let (end, is_ended) = mpsc::channel();
        let (begin, is_begun) = mpsc::channel();
        let state = state.clone();
        let task = tokio::spawn(async move {
            let held = Held::new(&state, None);
            let work = work(&held, bytes, usize::MAX, move |_| {
                let _ = begin.send(());
                let _ = is_ended.recv();
                Ok(())
            });
            work.await.unwrap();
        });
        (end, is_begun, task)
    }

    /// Returns whether work begins soon.
    async fn begins(is_begun: &mpsc::Receiver<()>) -> bool {
        for _ in 0..20 {
            if is_begun.try_recv().is_ok() {
                return true;
            }
            sleep(Duration::from_millis(10)).await;
        }
        false
    }

    #[tokio::test]
    async fn large_works_at_once_are_as_many_as_their_limit() {
        let state = AppState::of_settings(&[("limits.work-at-once", "1")]);
        let large = LARGE_BYTES + 1;
        let (end_first, first, _first) = begun(&state, large);
        assert!(begins(&first).await);
        let (_, second, second_task) = begun(&state, large);
        let (_end, third, _third) = begun(&state, large);
        assert!(!begins(&second).await);
        assert!(!begins(&third).await);
        // Smaller work has places of its own.
        let (_end, small, _small) = begun(&state, LARGE_BYTES);
        assert!(begins(&small).await);
        // One that does not wait any more leaves its place in the queue.
        second_task.abort();
        assert!(second_task.await.unwrap_err().is_cancelled());
        drop(end_first);
        assert!(begins(&third).await);
        assert!(second.try_recv().is_err());
    }

    #[test]
    fn an_answer_is_as_large_as_its_limit() {
        for (limit, is_answered) in [("1005", true), ("1004", false)] {
            let state = AppState::of_settings(&[("limits.answer-bytes", limit)]);
            let answer = Answer::of(Held::new(&state, None), &"x".repeat(1003));
            let problem = answer.err().and_then(|problem| problem.limit_name());
            assert_eq!(problem.is_none(), is_answered);
            assert!(is_answered || problem == Some("limits.answer-bytes"));
        }
    }

    /// A large answer has one of the places until it was sent.
    #[test]
    fn large_answers_are_as_many_as_their_limit() {
        let state = AppState::of_settings(&[("limits.bodies-at-once", "1")]);
        let answer = |bytes: usize| Answer::of(Held::new(&state, None), &"x".repeat(bytes));
        let first = axum::response::IntoResponse::into_response(answer(LARGE_BYTES).unwrap());
        assert!(answer(LARGE_BYTES - 2).is_ok());
        let refused = answer(LARGE_BYTES).unwrap_err();
        assert_eq!(refused.kind(), ProblemKind::Overloaded);
        drop(first);
        assert!(answer(LARGE_BYTES).is_ok());
    }
}
