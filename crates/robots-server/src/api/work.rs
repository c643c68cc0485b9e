//! Work that may take long, and answers that may be large.

use crate::problem::{Problem, ProblemKind};
use crate::state::AppState;
use axum::response::{IntoResponse, Response};
use http::header::CONTENT_TYPE;
use serde::Serialize;
use std::io::{self, Write};
use std::panic::resume_unwind;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use tokio::task::spawn_blocking;

/// The size of a question in bytes up to which its answer is made on the thread of the connection: it takes less than a
/// millisecond.
const SMALL_QUESTION: usize = 64 << 10;

/// Whether the client has gone, or the time for the answer has passed.
#[derive(Debug, Clone, Default)]
pub(super) struct Cancelled(Arc<AtomicBool>);

impl Cancelled {
    /// Returns a problem, which nobody receives, if the answer is not awaited any more.
    pub(super) fn check(&self) -> Result<(), Problem> {
        if self.0.load(Ordering::Relaxed) {
            return Err(Problem::new(ProblemKind::TimedOut, "nobody waits for it"));
        }
        Ok(())
    }
}

/// Cancels work when it is dropped.
struct CancelOnDrop(Cancelled);

impl Drop for CancelOnDrop {
    fn drop(&mut self) {
        self.0.0.store(true, Ordering::Relaxed);
    }
}

/// Does the work of a question of this size: large work on a thread of its own. It is cancelled with the request.
pub(super) async fn work<T: Send + 'static>(
    size: usize,
    work: impl FnOnce(&Cancelled) -> Result<T, Problem> + Send + 'static,
) -> Result<T, Problem> {
    let cancelled = Cancelled::default();
    if size <= SMALL_QUESTION {
        return work(&cancelled);
    }
    let _cancel = CancelOnDrop(cancelled.clone());
    match spawn_blocking(move || work(&cancelled)).await {
        Ok(answer) => answer,
        Err(error) => match error.try_into_panic() {
            Ok(panic) => resume_unwind(panic),
            // The runtime ends.
            Err(_) => Err(Problem::new(
                ProblemKind::Overloaded,
                "the service was asked to stop",
            )),
        },
    }
}

/// An answer as JSON, up to `limits.answer-bytes`.
#[derive(Debug)]
pub(super) struct Answer {
    bytes: Limited,
    /// Whether an element of an array was written.
    has_elements: bool,
}

#[derive(Debug)]
struct Limited {
    bytes: Vec<u8>,
    limit: crate::config::Bytes,
}

impl Write for Limited {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if bytes.len() > self.limit.0.saturating_sub(self.bytes.len()) {
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        self.bytes.extend_from_slice(bytes);
        Ok(bytes.len())
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
        answer.bytes.bytes.push(b'[');
        answer
    }

    /// Adds an element to an array.
    pub(super) fn push(&mut self, element: &impl Serialize) -> Result<(), Problem> {
        if self.has_elements {
            self.bytes.bytes.push(b',');
        }
        self.has_elements = true;
        self.write(element)
    }

    /// Ends an array.
    #[must_use]
    pub(super) fn end(mut self) -> Self {
        self.bytes.bytes.push(b']');
        self
    }

    fn write(&mut self, value: &impl Serialize) -> Result<(), Problem> {
        serde_json::to_writer(&mut self.bytes, value).map_err(|error| {
            if error.io_error_kind() == Some(io::ErrorKind::FileTooLarge) {
                let limit = self.bytes.limit;
                let detail = format!("the answer has more than {limit}: ask for less at once");
                return Problem::new(ProblemKind::AnswerTooLarge, detail)
                    .with_limit("limits.answer-bytes", limit);
            }
            Problem::new(
                ProblemKind::Internal,
                format!("the answer is not JSON: {error}"),
            )
        })
    }

    /// Returns the JSON.
    pub(super) fn into_bytes(self) -> Vec<u8> {
        self.bytes.bytes
    }
}

impl IntoResponse for Answer {
    fn into_response(self) -> Response {
        ([(CONTENT_TYPE, "application/json")], self.into_bytes()).into_response()
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
