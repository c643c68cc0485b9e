//! The lines of a body in batches, as they arrive.

use super::lines::{Line, Lines};
use super::task::OwnedTask;
use crate::api::body::frames;
use crate::config::shown_time;
use crate::limit::held::Held;
use crate::problem::{Problem, ProblemKind};
use crate::state::AppState;
use axum::body::{Body, Bytes};
use futures_util::FutureExt;
use futures_util::stream::{Stream, StreamExt};
use std::pin::Pin;
use std::time::{Duration, Instant};
use tokio::sync::mpsc;
use tokio::time::timeout;

/// Some lines, and what they hold.
pub(super) struct Batch {
    /// Each with its number.
    pub(super) lines: Vec<(u64, Line)>,
    pub(super) held: Held,
}

/// A body as it is read.
struct Reading {
    frames: Pin<Box<dyn Stream<Item = Result<Bytes, Problem>> + Send>>,
    /// What arrived, but is not divided into lines.
    rest: Bytes,
    state: AppState,
    lines: Lines,
    /// What the lines hold that are not in a batch.
    held: Held,
    /// The time for which the end of a line with a question was waited for since the last one.
    waited: Duration,
    is_over: bool,
}

/// The lines of a body in batches, from a task of its own: a line is read in time also while its client is held up, and reads no
/// answers.
pub(super) struct Batches {
    batches: mpsc::Receiver<Batch>,
    /// Until the last batch was read.
    task: Option<OwnedTask<()>>,
}

impl Batches {
    /// Begins to read. A body that breaks off ends with a problem.
    pub(super) fn read(body: Body, held: Held, state: AppState) -> Self {
        let mut reading = Reading {
            frames: Box::pin(frames(body)),
            rest: Bytes::new(),
            lines: Lines::new(state.config.limits.line_bytes.0),
            held,
            state,
            waited: Duration::ZERO,
            is_over: false,
        };
        let (send, batches) = mpsc::channel(1);
        let task = OwnedTask::spawn(async move {
            // A batch is read when the one before was taken.
            while let Ok(place) = send.reserve().await {
                match reading.next().await {
                    Some(batch) => place.send(batch),
                    None => return,
                }
            }
        });
        Self {
            batches,
            task: Some(task),
        }
    }

    /// Returns the next batch. A panic while it was read continues here: an answer that ends has answered every line.
    pub(super) async fn next(&mut self) -> Option<Batch> {
        let batch = self.batches.recv().await;
        if batch.is_none()
            && let Some(task) = &mut self.task
        {
            // If this future is dropped here, the next one joins the task.
            task.join().await;
            self.task = None;
        }
        batch
    }
}

impl Reading {
    async fn next(&mut self) -> Option<Batch> {
        while !self.is_over && !self.lines.are_batch() {
            let has_lines = !self.lines.complete.is_empty();
            if self.rest.is_empty() {
                // While lines wait, they are not held back for others that have not arrived.
                let next = if has_lines {
                    match self.frames.next().now_or_never() {
                        Some(next) => next,
                        None => break,
                    }
                } else {
                    self.next_frame().await
                };
                match next {
                    Some(Ok(part)) => self.rest = part,
                    Some(Err(problem)) => self.fail(problem),
                    None => {
                        self.is_over = true;
                        self.lines.end();
                    }
                }
                continue;
            }
            let length = self.lines.piece_len(&self.rest);
            if let Err(problem) = self.held.memory.add(length) {
                // These lines are answered first: the memory may be theirs.
                if has_lines {
                    break;
                }
                let time = self.state.config.limits.body_timeout;
                let waited = timeout(time, self.held.memory.wait(length)).await;
                if let Err(problem) = waited.unwrap_or(Err(problem)) {
                    self.fail(problem);
                    break;
                }
            }
            let piece = self.rest.split_to(length);
            let complete = self.lines.complete.len();
            self.lines.add(&piece);
            // An empty line is no question: a stream of them would hold its place without an end.
            if self.lines.complete.len() != complete {
                self.waited = Duration::ZERO;
            }
            // Line feeds and the rest of a line over the limit are not kept.
            let unused = self.held.memory.bytes().saturating_sub(self.lines.len());
            drop(self.held.split(unused));
        }
        let (lines, bytes) = self.lines.take();
        if lines.is_empty() {
            return None;
        }
        let held = self.held.split(bytes);
        Some(Batch { lines, held })
    }

    /// Returns the next frame. All frames of a line must arrive within `limits.body-timeout`; the time in which no batch is read, as
    /// the client is held up, does not count.
    async fn next_frame(&mut self) -> Option<Result<Bytes, Problem>> {
        let limit = self.state.config.limits.body_timeout;
        let begun = Instant::now();
        let next = timeout(limit.saturating_sub(self.waited), self.frames.next()).await;
        self.waited = self.waited.saturating_add(begun.elapsed());
        next.unwrap_or_else(|_| {
            let limit = shown_time(limit);
            let detail = format!("no question was complete within {limit}");
            let problem = Problem::new(ProblemKind::SlowRequest, detail);
            Some(Err(problem.with_limit("limits.body-timeout", limit)))
        })
    }

    /// Ends a body that cannot be read on.
    fn fail(&mut self, problem: Problem) {
        self.is_over = true;
        self.lines.fail(problem);
    }
}

#[cfg(test)]
mod tests {
    use super::super::lines::{BATCH_LINES, Line};
    use super::Batches;
    use crate::limit::held::Held;
    use crate::state::AppState;
    use axum::body::Body;
    use futures_util::stream::{self, StreamExt};
    use std::convert::Infallible;
    use std::time::Duration;
    use tokio::time::sleep;

    /// A body of parts with pauses before them.
    fn slow_body(parts: Vec<(u64, &'static str)>) -> Body {
        Body::from_stream(stream::iter(parts).then(async |(pause, part)| {
            sleep(Duration::from_millis(pause)).await;
            Ok::<_, Infallible>(part)
        }))
    }

    fn held(state: &AppState) -> Held {
        Held::of(&http::Extensions::new(), &state.memory)
    }

    /// Returns the questions of a body, and its problems with the limits that it is over.
    async fn read(state: &AppState, body: Body) -> Vec<String> {
        let mut batches = Batches::read(body, held(state), state.clone());
        let mut all = Vec::new();
        while let Some(batch) = batches.next().await {
            all.extend(batch.lines.into_iter().map(|(number, line)| match line {
                Line::Question(line) => format!("{number} {}", String::from_utf8_lossy(&line)),
                Line::Problem(problem) => {
                    format!("{number} {}", problem.limit_name().unwrap_or_default())
                }
            }));
        }
        all
    }

    #[tokio::test]
    async fn a_line_arrives_in_its_time() {
        let state = AppState::of_settings(&[("limits.body-timeout", "400ms")]);
        // Each part is in time, but the line is not.
        let trickle = slow_body(vec![
            (0, "1\n"),
            (150, "a"),
            (150, "b"),
            (150, "c"),
            (150, "\n"),
        ]);
        assert_eq!(
            read(&state, trickle).await,
            ["1 1", "2 limits.body-timeout"]
        );
        let lines = slow_body(vec![
            (150, "a"),
            (150, "\nb"),
            (150, "\n"),
            (150, "\nc"),
            (150, ""),
        ]);
        assert_eq!(read(&state, lines).await, ["1 a", "2 b", "4 c"]);
        let empty = slow_body(vec![(0, "1\n"), (150, "\n"), (150, " \n"), (150, "\n")]);
        assert_eq!(read(&state, empty).await, ["1 1", "4 limits.body-timeout"]);
    }

    #[tokio::test]
    async fn lines_count_as_memory_from_their_first_byte() {
        let settings = [
            ("limits.body-bytes", "100"),
            ("limits.bodies-bytes", "100"),
            ("limits.body-timeout", "300ms"),
        ];
        let state = AppState::of_settings(&settings);
        // A line that is not complete, and one that is not answered yet.
        let body = slow_body(vec![(0, "0123456789\nabc"), (100, "d\n")]);
        let mut all = Batches::read(body, held(&state), state.clone());
        let first = all.next().await.unwrap();
        assert!(state.memory.hold().add(100 - 13 + 1).is_err());
        assert!(state.memory.hold().add(100 - 13).is_ok());
        let second = all.next().await.unwrap();
        assert!(state.memory.hold().add(100 - 14 + 1).is_err());
        drop(first);
        assert!(state.memory.hold().add(100 - 4).is_ok());
        drop(second);
        assert!(all.next().await.is_none());
        assert!(state.memory.hold().add(100).is_ok());
        // Memory that others hold is waited for.
        let mut others = state.memory.hold();
        others.add(95).unwrap();
        let body = || slow_body(vec![(0, "0123456789\n")]);
        assert_eq!(read(&state, body()).await, ["1 limits.bodies-bytes"]);
        tokio::spawn(async move {
            sleep(Duration::from_millis(50)).await;
            drop(others);
        });
        assert_eq!(read(&state, body()).await, ["1 0123456789"]);
        // More lines than fit are answered one after the other.
        let settings = [
            ("limits.body-bytes", "32KiB"),
            ("limits.bodies-bytes", "32KiB"),
        ];
        let state = AppState::of_settings(&settings);
        let many = Body::from("0123456789\n".repeat(10_000));
        assert_eq!(read(&state, many).await.len(), 10_000);
    }

    #[tokio::test]
    async fn a_line_arrives_in_its_time_while_no_answer_is_read() {
        let state = AppState::of_settings(&[("limits.body-timeout", "400ms")]);
        let body = slow_body(vec![
            (0, "1\n"),
            (20, "2\n"),
            (20, "a"),
            (20, "b"),
            (200, "c\n"),
        ]);
        let mut batches = Batches::read(body, held(&state), state.clone());
        sleep(Duration::from_millis(600)).await;
        let mut numbers = Vec::new();
        while let Some(batch) = batches.next().await {
            for (number, line) in batch.lines {
                assert!(matches!(line, Line::Question(_)), "{line:?}");
                numbers.push(number);
            }
        }
        assert_eq!(numbers, [1, 2, 3]);
    }

    #[tokio::test]
    #[should_panic(expected = "of the body")]
    async fn a_panic_does_not_end_the_batches_as_if_they_were_complete() {
        let state = AppState::of_settings(&[]);
        let parts = stream::iter(0..2).map(|number| {
            assert_eq!(number, 0, "of the body");
            Ok::<_, Infallible>("1\n")
        });
        read(&state, Body::from_stream(parts)).await;
    }

    #[tokio::test]
    async fn small_lines_are_batches_of_limited_length() {
        let state = AppState::of_settings(&[]);
        for (number, expected) in [
            (BATCH_LINES - 1, &[BATCH_LINES - 1][..]),
            (BATCH_LINES, &[BATCH_LINES]),
            (BATCH_LINES + 1, &[BATCH_LINES, 1]),
            (BATCH_LINES * 20, &[BATCH_LINES; 20]),
        ] {
            let body = Body::from("1\n".repeat(number));
            let mut batches = Batches::read(body, held(&state), state.clone());
            let mut lengths = Vec::new();
            while let Some(batch) = batches.next().await {
                lengths.push(batch.lines.len());
            }
            assert_eq!(lengths, expected, "{number}");
        }
    }
}
