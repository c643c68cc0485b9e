//! The answers to batches of lines, in order and in parts.

use super::batches::{Batch, Batches};
use super::lines::Line;
use super::task::OwnedTask;
use crate::api::body::{json_problem, read_object};
use crate::api::decide::{DecideQuestion, PageDecisions};
use crate::api::question::Requests;
use crate::api::work::{Answer, stopping, work};
use crate::config::shown_time;
use crate::limit::held::Held;
use crate::limit::memory::HeldMemory;
use crate::limit::time::within;
use crate::problem::{Problem, ProblemDocument, ProblemKind};
use crate::state::AppState;
use axum::body::Bytes;
use futures_util::FutureExt;
use futures_util::stream::{self, StreamExt};
use serde::Serialize;
use std::collections::VecDeque;
use std::panic::AssertUnwindSafe;
use std::pin::pin;
use std::thread::available_parallelism;
use tokio::sync::mpsc;

/// The number of lines of a batch that wait for the robots.txt of their sites at once.
const WAITING_LINES: usize = 64;

/// The bytes from which on answers are sent, before those of the whole batch are complete.
const PART_BYTES: usize = 64 << 10;

/// A line of the answer that is not a decision.
#[derive(Serialize)]
struct ErrorLine<'a> {
    line: u64,
    error: ProblemDocument<'a>,
}

/// The answers to a stream of batches, in order.
pub(super) struct Answers {
    batches: Batches,
    are_all_begun: bool,
    begun: VecDeque<BatchAnswers>,
    /// The number of batches that are answered at once.
    at_once: usize,
    state: AppState,
}

impl Answers {
    pub(super) fn new(batches: Batches, state: AppState) -> Self {
        Self {
            batches,
            are_all_begun: false,
            begun: VecDeque::new(),
            at_once: available_parallelism().map_or(1, usize::from),
            state,
        }
    }

    /// Returns the next answers. A batch begins when there is room for it, also while others are answered.
    pub(super) async fn next(&mut self) -> Option<Bytes> {
        loop {
            let has_room = !self.are_all_begun && self.begun.len() < self.at_once;
            tokio::select! {
                biased;
                batch = self.batches.next(), if has_room => match batch {
                    Some(batch) => self.begun.push_back(BatchAnswers::begin(batch, &self.state)),
                    None => self.are_all_begun = true,
                },
                part = next_part(&mut self.begun), if !self.begun.is_empty() => match part {
                    Some(part) => return Some(part),
                    None => drop(self.begun.pop_front()),
                },
                else => return None,
            }
        }
    }
}

/// Returns the next answers of the first batch.
async fn next_part(begun: &mut VecDeque<BatchAnswers>) -> Option<Bytes> {
    begun.front_mut()?.parts.recv().await
}

/// The answers of a batch, from a task of its own, which ends when this is dropped.
struct BatchAnswers {
    /// Up to one part waits; the task waits with the next one.
    parts: mpsc::Receiver<Bytes>,
    _task: OwnedTask<()>,
}

impl BatchAnswers {
    fn begin(batch: Batch, state: &AppState) -> Self {
        let (send, parts) = mpsc::channel(1);
        let (of_prepare, of_decide) = (state.clone(), state.clone());
        let prepare = move |number, line, held| prepare(number, line, held, of_prepare.clone());
        let decide = move |question| decide(question, of_decide.clone());
        let task = answer(batch, state.clone(), send, prepare, decide);
        Self {
            parts,
            _task: OwnedTask::spawn(task),
        }
    }
}

/// Answers the lines of a batch. `prepare` is called for several lines at once, which may wait for sites; `decide` for one at a time,
/// so that up to one answer waits for its turn.
async fn answer<Q, P, D>(
    batch: Batch,
    state: AppState,
    parts: mpsc::Sender<Bytes>,
    prepare: impl Fn(u64, Vec<u8>, Held) -> P,
    decide: impl Fn(Q) -> D,
) where
    P: Future<Output = Result<Q, Problem>> + Send + 'static,
    Q: Send + 'static,
    D: Future<Output = Result<Answer, Problem>>,
{
    let Batch { lines, mut held } = batch;
    let lines = lines.into_iter().map(|(number, line)| {
        let state = state.clone();
        let question = match line {
            Line::Question(line) => {
                let held = held.split(line.len());
                Ok(prepare(number, line, held))
            }
            Line::Problem(problem) => Err(*problem),
        };
        async move {
            let question = match question {
                Ok(question) => in_task(state, question).await,
                Err(problem) => Err(problem),
            };
            (number, question)
        }
    });
    // Those that wait for the robots.txt of their sites wait together.
    let mut questions = stream::iter(lines).buffered(WAITING_LINES);
    let mut part = Part::new(&state);
    while let Some((number, question)) = questions.next().await {
        let answer = match question {
            Ok(question) => in_bounds(&state, decide(question)).await,
            Err(problem) => Err(problem),
        };
        part.push(number, answer);
        if part.bytes.len() >= PART_BYTES {
            let full = std::mem::replace(&mut part, Part::new(&state));
            if parts.send(full.into_bytes()).await.is_err() {
                return;
            }
        }
        // Other tasks have their turn, and the task can be aborted.
        tokio::task::consume_budget().await;
    }
    // If it fails, the client has left.
    let _ = parts.send(part.into_bytes()).await;
}

/// Some lines of the answer, each with its end, and their memory.
struct Part {
    bytes: Vec<u8>,
    memory: HeldMemory,
}

impl Part {
    fn new(state: &AppState) -> Self {
        Self {
            bytes: Vec::new(),
            memory: state.memory.hold(),
        }
    }

    /// Adds a line: decisions, or the problem in their place.
    fn push(&mut self, number: u64, answer: Result<Answer, Problem>) {
        let added = answer.and_then(|answer| {
            let start = format!("{{\"line\":{number},\"decisions\":");
            let decisions = answer.as_bytes();
            let length = start.len().saturating_add(decisions.len());
            self.memory.add(length.saturating_add(2))?;
            self.bytes.extend_from_slice(start.as_bytes());
            self.bytes.extend_from_slice(decisions);
            self.bytes.extend_from_slice(b"}\n");
            Ok(())
        });
        if let Err(problem) = added {
            let error = problem.member();
            // Texts and numbers are always JSON, and there is room in a vector.
            let _ = serde_json::to_writer(
                &mut self.bytes,
                &ErrorLine {
                    line: number,
                    error,
                },
            );
            self.bytes.push(b'\n');
        }
    }

    fn into_bytes(self) -> Bytes {
        self.memory.with_bytes(self.bytes)
    }
}

/// Does a step of a line as [`in_bounds`], in a task of its own if it must wait. It is not held up while the batch waits for its
/// client or for the decision of another line, and holds nothing longer than it needs, such as a permit for reading from the
/// store.
async fn in_task<T: Send + 'static>(
    state: AppState,
    step: impl Future<Output = Result<T, Problem>> + Send + 'static,
) -> Result<T, Problem> {
    let mut step = Box::pin(async move { in_bounds(&state, step).await });
    if let Some(done) = (&mut step).now_or_never() {
        return done;
    }
    let done = OwnedTask::spawn(step).join().await;
    done.unwrap_or_else(|| Err(stopping()))
}

/// Does a step of a line within `limits.request-timeout`. A panic in it is a problem of this line alone.
async fn in_bounds<T>(
    state: &AppState,
    step: impl Future<Output = Result<T, Problem>>,
) -> Result<T, Problem> {
    let limit = state.config.limits.request_timeout;
    match within(limit, pin!(AssertUnwindSafe(step).catch_unwind())).await {
        Some(Ok(result)) => result,
        Some(Err(panic)) => {
            let panic = state.metrics.add_panic(&*panic);
            tracing::error!(panic, "a line of /v1/decide/bulk panicked");
            let detail =
                "the question met an error of the service; its operator finds it in the log";
            Err(Problem::new(ProblemKind::Internal, detail))
        }
        None => {
            let limit = shown_time(limit);
            let detail = format!("the question was not answered within {limit}");
            let problem = Problem::new(ProblemKind::TimedOut, detail);
            Err(problem.with_limit("limits.request-timeout", limit))
        }
    }
}

/// Reads a question and requests what it names.
async fn prepare(
    number: u64,
    line: Vec<u8>,
    held: Held,
    state: AppState,
) -> Result<(PageDecisions, Held), Problem> {
    // The work returns what it holds, and has it until it ends if the client has left before.
    let queue = state.work_places.of(line.len());
    let read = work(queue, (), line.len(), move |_| {
        let question: DecideQuestion = read_object(&line).map_err(|error| {
            let line = usize::try_from(number).unwrap_or(usize::MAX);
            json_problem(&error).at(line, error.column())
        })?;
        Ok((question, held))
    });
    let (question, mut held) = read.await?;
    let prepared = question.prepare(&state, Requests::Robots, &mut held);
    Ok((prepared.await?, held))
}

/// Returns the decisions of a question. A requested robots.txt counts as memory meanwhile, not while the question waits for its
/// turn: the lines of a batch may be about the same site.
async fn decide(
    (question, mut held): (PageDecisions, Held),
    state: AppState,
) -> Result<Answer, Problem> {
    held.memory.add(question.uncounted_bytes())?;
    let queue = state.work_places.of(held.memory.bytes());
    work(queue, held, question.cost(), move |cancelled| {
        question.answer(&state, cancelled)
    })
    .await
}

#[cfg(test)]
mod tests {
    use super::{OwnedTask, Part, answer};
    use crate::api::bulk::batches::Batch;
    use crate::api::bulk::lines::Line;
    use crate::api::work::Answer;
    use crate::limit::held::Held;
    use crate::problem::Problem;
    use crate::state::AppState;
    use axum::body::Bytes;
    use serde_json::Value;
    use std::future::pending;
    use std::sync::Arc;
    use std::time::Duration;
    use tokio::sync::{Notify, Semaphore, mpsc};
    use tokio::time::{sleep, timeout};

    /// Returns these lines as a batch.
    fn batch(state: &AppState, lines: &[&str]) -> Batch {
        let lines = lines.iter().zip(1_u64..);
        let lines = lines.map(|(line, number)| (number, Line::Question(line.as_bytes().to_vec())));
        Batch {
            lines: lines.collect(),
            held: Held::of(&http::Extensions::new(), &state.memory),
        }
    }

    #[tokio::test]
    async fn a_line_that_waits_goes_on_while_another_is_decided() {
        let state = AppState::of_settings(&[("limits.request-timeout", "10s")]);
        let places = Arc::new(Semaphore::new(1));
        let is_taken = Arc::new(Notify::new());
        let prepare = |_: u64, line: Vec<u8>, _: Held| {
            let (places, is_taken) = (Arc::clone(&places), Arc::clone(&is_taken));
            async move {
                if line == b"waits" {
                    let _place = places.acquire().await.unwrap();
                    is_taken.notify_one();
                    sleep(Duration::from_millis(20)).await;
                } else {
                    is_taken.notified().await;
                }
                Ok(())
            }
        };
        // The first line is decided while the second one has the place.
        let decide = |()| async {
            let _place = places.acquire().await.unwrap();
            Answer::of(&state, &1)
        };
        let (send, mut parts) = mpsc::channel::<Bytes>(1);
        let batch = batch(&state, &["is decided", "waits"]);
        answer(batch, state.clone(), send, prepare, decide).await;
        let part = parts.recv().await.unwrap();
        let text = String::from_utf8_lossy(&part);
        assert_eq!(text.matches("\"decisions\":1}").count(), 2, "{text}");
    }

    #[tokio::test]
    async fn lines_that_wait_end_with_their_batch() {
        let state = AppState::of_settings(&[]);
        let places = Arc::new(Semaphore::new(2));
        let all = Arc::clone(&places);
        let prepare = move |_: u64, _: Vec<u8>, _: Held| {
            let places = Arc::clone(&all);
            async move {
                let _place = places.acquire().await.unwrap();
                pending::<Result<(), Problem>>().await
            }
        };
        let of_state = state.clone();
        let decide = move |()| {
            let state = of_state.clone();
            async move { Answer::of(&state, &1) }
        };
        let (send, _parts) = mpsc::channel::<Bytes>(1);
        let batch = batch(&state, &["a", "b"]);
        let task = answer(batch, state.clone(), send, prepare, decide);
        let task = OwnedTask::spawn(task);
        while places.available_permits() > 0 {
            sleep(Duration::from_millis(1)).await;
        }
        drop(task);
        let free = timeout(Duration::from_secs(20), places.acquire_many(2)).await;
        assert!(free.unwrap().is_ok());
    }

    /// Answers lines by functions that panic if a line says so. Returns the lines of the answer.
    async fn answered(state: &AppState, lines: &[&str]) -> Vec<Value> {
        let batch = batch(state, lines);
        let (send, mut parts) = mpsc::channel::<Bytes>(1);
        let prepare = async |_: u64, line: Vec<u8>, _: Held| {
            assert_ne!(line, b"panic before");
            if line == b"late" {
                sleep(Duration::from_secs(60)).await;
            }
            Ok(String::from_utf8(line).unwrap())
        };
        let of_state = state.clone();
        let decide = move |line: String| {
            let state = of_state.clone();
            async move {
                assert_ne!(line, "panic after");
                Answer::of(&state, &line)
            }
        };
        let task = tokio::spawn(answer(batch, state.clone(), send, prepare, decide));
        let mut all = Vec::new();
        while let Some(part) = parts.recv().await {
            all.extend_from_slice(&part);
        }
        task.await.unwrap();
        let text = String::from_utf8(all).unwrap();
        text.lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect()
    }

    #[tokio::test]
    async fn a_line_that_panics_or_is_late_has_an_error_and_the_others_are_answered() {
        let state = AppState::of_settings(&[("limits.request-timeout", "50ms")]);
        let answers = answered(
            &state,
            &["a", "panic before", "b", "panic after", "c", "late", "d"],
        )
        .await;
        for (index, expected) in ["a", "internal", "b", "internal", "c", "timed-out", "d"]
            .into_iter()
            .enumerate()
        {
            let answer = &answers[index];
            assert_eq!(answer["line"], index + 1);
            if expected.len() == 1 {
                assert_eq!(answer["decisions"], expected, "{answer}");
            } else {
                let kind = format!("/docs#problem-{expected}");
                assert_eq!(answer["error"]["type"], kind, "{answer}");
                assert!(!answer.to_string().contains("assertion"), "{answer}");
            }
        }
        assert_eq!(answers.len(), 7);
        assert_eq!(state.metrics.panics.get(), 2);
    }

    #[test]
    fn answers_that_wait_count_as_memory() {
        let settings = [("limits.body-bytes", "100"), ("limits.bodies-bytes", "100")];
        let state = AppState::of_settings(&settings);
        let mut part = Part::new(&state);
        for (number, length) in [(1, 30), (2, 30), (3, 1)] {
            part.push(number, Answer::of(&state, &"x".repeat(length)));
        }
        let text = String::from_utf8(part.bytes.clone()).unwrap();
        let lines: Vec<Value> = text
            .lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect();
        assert!(lines[0]["decisions"].is_string());
        assert_eq!(lines[1]["error"]["limit"]["name"], "limits.bodies-bytes");
        assert!(lines[2]["decisions"].is_string());
        assert!(state.memory.hold().add(50).is_err());
        let sent = part.into_bytes();
        assert!(state.memory.hold().add(50).is_err());
        drop(sent);
        assert!(state.memory.hold().add(100).is_ok());
    }
}
