//! Work that may take long, and answers that may be large.

use crate::config::Bytes;
use crate::limit::memory::HeldMemory;
use crate::limit::work_places::WorkQueue;
use crate::problem::{Problem, ProblemKind};
use crate::state::AppState;
use axum::response::{IntoResponse, Response};
use futures_util::future::{Either, ready};
use http::header::{CONTENT_TYPE, HeaderMap, HeaderValue};
use serde::Serialize;
use std::io::{self, Write};
use std::panic::resume_unwind;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use tokio::task::spawn_blocking;

/// The cost up to which work is done on the thread of the connection: it takes less than a millisecond. The unit of costs is a
/// byte that is read.
const SMALL_COST: usize = 64 << 10;

/// The first bytes of an answer, which do not count as memory: `limits.requests-at-once` bounds them.
const UNCOUNTED_BYTES: usize = 8 << 10;

/// The room for an answer at first, in bytes: enough for a verdict.
const FIRST_BYTES: usize = 512;

/// The number of headers of an answer: its type and length, the identifier of the request, and four that every answer has.
const HEADERS: usize = 7;

/// Whether the client has gone, or the time for the answer has passed. The default is work that nothing cancels.
#[derive(Debug, Clone, Default)]
pub(crate) struct Cancelled(Option<Arc<AtomicBool>>);

impl Cancelled {
    /// Returns a problem, which no one receives, if the answer is not awaited any more.
    pub(crate) fn check(&self) -> Result<(), Problem> {
        let is_cancelled = |flag: &AtomicBool| flag.load(Ordering::Relaxed);
        if self.0.as_deref().is_some_and(is_cancelled) {
            return Err(Problem::new(ProblemKind::TimedOut, "nobody waits for it"));
        }
        Ok(())
    }
}

/// Cancels work when it is dropped.
struct CancelOnDrop(Arc<AtomicBool>);

impl Drop for CancelOnDrop {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Does work of an estimated cost: large work on a thread of its own, after a wait for its place, both of which are cancelled with
/// the request. What is `held`, and the place, are free when the work ends, even if the client has left before. Work never waits for
/// the network: it would keep its place meanwhile.
///
/// Small work is done before this returns. For it, as most work is small, the future holds only the result.
pub(crate) fn work<H: Send + 'static, T: Send + 'static>(
    queue: WorkQueue,
    held: H,
    cost: usize,
    work: impl FnOnce(&Cancelled) -> Result<T, Problem> + Send + 'static,
) -> impl Future<Output = Result<T, Problem>> + Send {
    if cost <= SMALL_COST {
        return Either::Left(ready(work(&Cancelled::default())));
    }
    Either::Right(Box::pin(large_work(queue, held, work)))
}

async fn large_work<H: Send + 'static, T: Send + 'static>(
    queue: WorkQueue,
    held: H,
    work: impl FnOnce(&Cancelled) -> Result<T, Problem> + Send + 'static,
) -> Result<T, Problem> {
    let place = queue.place().await;
    let flag = Arc::default();
    let _cancel = CancelOnDrop(Arc::clone(&flag));
    let cancelled = Cancelled(Some(flag));
    let task = spawn_blocking(move || {
        let _held = (held, place);
        // It may have waited for a thread.
        cancelled.check()?;
        work(&cancelled)
    });
    match task.await {
        Ok(answer) => answer,
        Err(error) => match error.try_into_panic() {
            Ok(panic) => resume_unwind(panic),
            Err(_) => Err(stopping()),
        },
    }
}

/// Returns the problem of work that ends with the runtime.
pub(super) fn stopping() -> Problem {
    Problem::new(ProblemKind::Overloaded, "the service was asked to stop")
}

/// Returns the approximate cost of matching a URL with a robots.txt of this size, and of the answer, which repeats the URL: each of
/// the rules, of some 16 bytes, may take a step for each byte of the URL. A step costs less than a byte that is read.
pub(super) fn matching_cost(file_bytes: usize, url_bytes: usize) -> usize {
    let per_url = 128;
    let steps = file_bytes.saturating_mul(url_bytes).div_euclid(64);
    steps.saturating_add(per_url).saturating_add(url_bytes)
}

/// An answer as JSON, up to `limits.answer-bytes`.
#[derive(Debug)]
pub(super) struct Answer {
    bytes: Limited,
    /// Whether an element of an array was written.
    has_elements: bool,
}

/// Bytes up to a limit, and the memory that they hold.
#[derive(Debug)]
struct Limited {
    bytes: Vec<u8>,
    limit: Bytes,
    memory: HeldMemory,
    /// Why the last bytes were not written.
    refusal: Option<Problem>,
}

impl Limited {
    /// Makes room for this number of bytes in addition.
    #[inline]
    fn reserve(&mut self, more: usize) -> Result<(), Problem> {
        // Capacity is never over the limit.
        if more <= self.bytes.capacity().saturating_sub(self.bytes.len()) {
            return Ok(());
        }
        self.grow(more)
    }

    /// Makes room where there is none.
    #[cold]
    fn grow(&mut self, more: usize) -> Result<(), Problem> {
        let length = self.bytes.len().saturating_add(more);
        let limit = self.limit;
        if length > limit.0 {
            let detail = format!("the answer has more than {limit}: ask for less at once");
            return Err(Problem::new(ProblemKind::AnswerTooLarge, detail)
                .with_limit("limits.answer-bytes", limit));
        }
        let capacity = self.bytes.capacity().saturating_mul(2);
        let capacity = capacity.max(FIRST_BYTES).max(length).min(limit.0);
        let counted = capacity.saturating_sub(UNCOUNTED_BYTES);
        self.memory
            .add(counted.saturating_sub(self.memory.bytes()))?;
        let room = capacity.saturating_sub(self.bytes.len());
        self.bytes.reserve_exact(room);
        Ok(())
    }
}

impl Write for Limited {
    #[inline]
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.write_all(bytes)?;
        Ok(bytes.len())
    }

    // JSON is written in parts of a few bytes, for which the loop of the default takes longer than the copy.
    #[inline]
    fn write_all(&mut self, bytes: &[u8]) -> io::Result<()> {
        if let Err(refusal) = self.reserve(bytes.len()) {
            self.refusal = Some(refusal);
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        self.bytes.extend_from_slice(bytes);
        Ok(())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Answer {
    fn new(state: &AppState) -> Self {
        Self {
            bytes: Limited {
                bytes: Vec::new(),
                limit: state.config.limits.answer_bytes,
                memory: state.memory.hold(),
                refusal: None,
            },
            has_elements: false,
        }
    }

    /// Returns a value as an answer.
    pub(super) fn of(state: &AppState, value: &impl Serialize) -> Result<Self, Problem> {
        let mut answer = Self::new(state);
        answer.write(value)?;
        Ok(answer)
    }

    /// Begins an array.
    pub(super) fn array(state: &AppState) -> Self {
        let mut answer = Self::new(state);
        let capacity = FIRST_BYTES.min(answer.bytes.limit.0);
        answer.bytes.bytes = Vec::with_capacity(capacity);
        answer.bytes.bytes.push(b'[');
        answer
    }

    /// Adds an element to an array.
    pub(super) fn push(&mut self, element: &impl Serialize) -> Result<(), Problem> {
        if self.has_elements {
            self.bytes.reserve(1)?;
            self.bytes.bytes.push(b',');
        }
        self.has_elements = true;
        self.write(element)
    }

    /// Ends an array.
    #[must_use]
    pub(super) fn end(mut self) -> Self {
        // Not twice the capacity.
        self.bytes.bytes.reserve_exact(1);
        self.bytes.bytes.push(b']');
        self
    }

    fn write(&mut self, value: &impl Serialize) -> Result<(), Problem> {
        serde_json::to_writer(&mut self.bytes, value).map_err(|error| {
            self.bytes.refusal.take().unwrap_or_else(|| {
                let detail = format!("the answer is not JSON: {error}");
                Problem::new(ProblemKind::Internal, detail)
            })
        })
    }

    /// Returns the JSON.
    pub(super) fn as_bytes(&self) -> &[u8] {
        &self.bytes.bytes
    }
}

impl IntoResponse for Answer {
    fn into_response(self) -> Response {
        let Limited { bytes, memory, .. } = self.bytes;
        let mut headers = HeaderMap::with_capacity(HEADERS);
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        let mut response = Response::new(memory.with_bytes(bytes).into());
        *response.headers_mut() = headers;
        response
    }
}

/// Returns a problem unless a number is up to a limit.
pub(super) fn limited(
    number: usize,
    what: &str,
    name: &'static str,
    limit: usize,
) -> Result<(), Problem> {
    if number <= limit {
        return Ok(());
    }
    let detail = format!("{number} {what} in one question");
    Err(Problem::new(ProblemKind::InvalidValue, detail).with_limit(name, limit))
}

#[cfg(test)]
mod tests {
    use super::{Answer, SMALL_COST, UNCOUNTED_BYTES, matching_cost, work};
    use crate::limit::work_places::{MEDIUM_BYTES, SMALL_BYTES, WorkPlaces};
    use crate::problem::Problem;
    use crate::state::AppState;
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
        let places = WorkPlaces::new(1);
        let here = thread::current().id();
        for (cost, is_here) in [(SMALL_COST, true), (SMALL_COST + 1, false)] {
            let done = work(places.of(0), (), cost, move |_| {
                Ok(thread::current().id() == here)
            });
            assert_eq!(done.await, Ok(is_here), "{cost}");
        }
        let (send, receive) = mpsc::channel();
        let endless = work(places.of(0), (), usize::MAX, move |cancelled| {
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
        places: &WorkPlaces,
        bytes: usize,
    ) -> (mpsc::Sender<()>, mpsc::Receiver<()>, JoinHandle<()>) {
        let (end, is_ended) = mpsc::channel();
        let (begin, is_begun) = mpsc::channel();
        let work = work(places.of(bytes), (), usize::MAX, move |_| {
            let _ = begin.send(());
            let _ = is_ended.recv();
            Ok(())
        });
        let task = tokio::spawn(async move { work.await.unwrap() });
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
        let places = &state.work_places;
        let large = MEDIUM_BYTES + 1;
        let (end_first, first, _first) = begun(places, large);
        assert!(begins(&first).await);
        let (_, second, second_task) = begun(places, large);
        let (_end, third, _third) = begun(places, large);
        assert!(!begins(&second).await);
        assert!(!begins(&third).await);
        // Small work needs no place.
        let small = work(places.of(large), (), SMALL_COST, |_| Ok(7));
        assert_eq!(small.await, Ok(7));
        // One that does not wait any more leaves its place in the queue.
        second_task.abort();
        assert!(second_task.await.unwrap_err().is_cancelled());
        drop(end_first);
        assert!(begins(&third).await);
        assert!(second.try_recv().is_err());
    }

    #[tokio::test]
    async fn smaller_files_have_places_of_their_own() {
        let places = WorkPlaces::new(1);
        let mut at_work = Vec::new();
        for (bytes, number) in [
            (SMALL_BYTES, 8),
            (SMALL_BYTES + 1, 2),
            (MEDIUM_BYTES, 0),
            (MEDIUM_BYTES + 1, 1),
            (usize::MAX, 0),
        ] {
            let all: Vec<_> = (0..number).map(|_| begun(&places, bytes)).collect();
            for (_, is_begun, _) in &all {
                assert!(begins(is_begun).await, "{bytes}");
            }
            let (_, is_begun, _) = begun(&places, bytes);
            assert!(!begins(&is_begun).await, "{bytes}");
            at_work.extend(all);
        }
    }

    #[tokio::test]
    async fn searches_have_as_many_places_as_the_largest_files() {
        let places = WorkPlaces::new(1);
        let (search, file) = (places.of_search(), places.of(usize::MAX));
        let (_first, _second) = (search.place().await, file.place().await);
        for queue in [places.of_search(), places.of(usize::MAX)] {
            let waits = timeout(Duration::from_millis(20), queue.place()).await;
            assert!(waits.is_err());
        }
    }

    #[tokio::test]
    async fn what_is_held_is_free_when_the_work_ends() {
        let state = AppState::of_settings(&[]);
        let mut memory = state.memory.hold();
        let all = state.config.limits.bodies_bytes.0;
        memory.add(all).unwrap();
        let (end, is_ended) = mpsc::channel::<()>();
        let working = work(state.work_places.of(0), memory, usize::MAX, move |_| {
            let _ = is_ended.recv();
            Ok(())
        });
        assert!(timeout(Duration::from_millis(20), working).await.is_err());
        assert!(state.memory.hold().add(1).is_err());
        drop(end);
        timeout(Duration::from_secs(20), state.memory.hold().wait(all))
            .await
            .unwrap()
            .unwrap();
    }

    /// Returns the size up to which an answer grows, and the limit that it is over.
    fn grown(state: &AppState) -> (usize, Option<&'static str>) {
        let mut answer = Answer::array(state);
        let problem: Problem = loop {
            if let Err(problem) = answer.push(&"x".repeat(97)) {
                break problem;
            }
        };
        (answer.as_bytes().len(), problem.limit_name())
    }

    #[test]
    fn an_answer_counts_as_memory_until_it_was_sent() {
        let settings = [
            ("limits.body-bytes", "1KiB"),
            ("limits.bodies-bytes", "64KiB"),
            ("limits.answer-bytes", "100KiB"),
        ];
        let state = AppState::of_settings(&settings);
        let (size, limit) = grown(&state);
        // Capacity is doubled.
        assert!((32 << 10..=72 << 10).contains(&size), "{size}");
        assert_eq!(limit, Some("limits.bodies-bytes"));
        let mut others = state.memory.hold();
        others.add(64 << 10).unwrap();
        let (size, limit) = grown(&state);
        assert!((UNCOUNTED_BYTES - 100..=UNCOUNTED_BYTES).contains(&size));
        assert_eq!(limit, Some("limits.bodies-bytes"));
        drop(others);
        let state = AppState::of_settings(&[("limits.answer-bytes", "100KiB")]);
        let (size, limit) = grown(&state);
        assert!((100 << 10) - size < 100, "{size}");
        assert_eq!(limit, Some("limits.answer-bytes"));
    }
}
