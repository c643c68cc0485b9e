//! `/v1/decide/bulk`: questions as NDJSON, answered in order while they arrive.
//!
//! Lines are answered in batches, a few at once, and sent in parts. A batch waits when a part of it waits for the client: the memory
//! of a stream is bounded by its batches, by one line that is not complete, and by an answer and a part for each batch. All of it
//! counts for `limits.bodies-bytes`. When the client goes, the batches end with it.

use super::body::{frames, json_problem};
use super::decide::{DecideQuestion, PageDecisions};
use super::question::Requests;
use super::work::{Answer, stopping, work};
use crate::config::shown_time;
use crate::limit::held::Held;
use crate::limit::memory::HeldMemory;
use crate::problem::{Problem, ProblemDocument, ProblemKind};
use crate::state::AppState;
use axum::body::{Body, Bytes};
use axum::extract::{Request, State};
use axum::response::{IntoResponse, Response};
use futures_util::FutureExt;
use futures_util::stream::{self, Stream, StreamExt};
use http::header::CONTENT_TYPE;
use serde::Serialize;
use std::collections::VecDeque;
use std::convert::Infallible;
use std::panic::AssertUnwindSafe;
use std::pin::Pin;
use std::thread::available_parallelism;
use std::time::{Duration, Instant};
use tokio::sync::mpsc;
use tokio::task::JoinHandle;
use tokio::time::timeout;

/// The media type of questions and answers.
const MEDIA_TYPE: &str = "application/x-ndjson";

/// The number of bytes from which on lines are a batch. A longer line is a batch of its own.
const BATCH_BYTES: usize = 128 << 10;

/// The most lines of a batch: each takes some 100 bytes beyond its own, which do not count as memory.
const BATCH_LINES: usize = 512;

/// What may robots do with pages, a question a line?
///
/// Each line is a question as for `/v1/decide`. Each line of the answer has the number of its question, from 1, and its
/// `decisions`, or an `error` as a problem. Answers come in the order of the questions, while these arrive. Empty lines have
/// no answer.
#[utoipa::path(
    post,
    path = "/v1/decide/bulk",
    tag = "decisions",
    request_body(content = DecideQuestion, content_type = "application/x-ndjson", description = "A question a line"),
    responses(
        (status = 200, description = "An answer a line", body = Value, content_type = "application/x-ndjson"),
        (status = 415, description = "The body is not NDJSON", body = Value, content_type = "application/problem+json"),
    )
)]
pub(super) async fn bulk(
    State(state): State<AppState>,
    request: Request,
) -> Result<Response, Problem> {
    let content_type = request.headers().get(CONTENT_TYPE);
    let content_type = content_type.and_then(|value| value.to_str().ok());
    let essence = content_type.and_then(|value| value.split(';').next());
    let is_ndjson = essence.map(str::trim).is_some_and(|essence| {
        [
            "application/x-ndjson",
            "application/ndjson",
            "application/jsonl",
        ]
        .iter()
        .any(|known| essence.eq_ignore_ascii_case(known))
    });
    if !is_ndjson {
        return Err(Problem::new(
            ProblemKind::UnsupportedMediaType,
            format!("expected a body with the header Content-Type: {MEDIA_TYPE}"),
        ));
    }
    let held = Held::of(request.extensions(), &state.memory);
    let answers = Answers {
        batches: Box::pin(batches(request.into_body(), held, state.clone())),
        are_all_begun: false,
        begun: VecDeque::new(),
        at_once: available_parallelism().map_or(1, usize::from),
        state,
    };
    let parts = stream::unfold(answers, async |mut answers| {
        let part = answers.next().await?;
        Some((Ok::<_, Infallible>(part), answers))
    });
    Ok(([(CONTENT_TYPE, MEDIA_TYPE)], Body::from_stream(parts)).into_response())
}

/// The number of lines of a batch that wait for the robots.txt of their sites at once.
const WAITING_LINES: usize = 64;

/// The most bytes of a body that are divided into lines at once.
const PIECE_BYTES: usize = 16 << 10;

/// The bytes from which on answers are sent, before those of the whole batch are complete.
const PART_BYTES: usize = 64 << 10;

/// Some lines, and what they hold.
struct Batch {
    /// Each with its number.
    lines: Vec<(u64, Line)>,
    held: Held,
}

/// A line of the stream.
#[derive(Debug)]
enum Line {
    Question(Vec<u8>),
    /// There is no question, or none that is read.
    Problem(Box<Problem>),
}

/// A line of the answer that is not a decision.
#[derive(Serialize)]
struct ErrorLine<'a> {
    line: u64,
    error: ProblemDocument<'a>,
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
    /// The time for which the end of the present line was waited for.
    waited: Duration,
    is_over: bool,
}

/// Returns the lines of a body in batches. A body that breaks off ends with a problem.
fn batches(body: Body, held: Held, state: AppState) -> impl Stream<Item = Batch> + Send {
    let reading = Reading {
        frames: Box::pin(frames(body)),
        rest: Bytes::new(),
        lines: Lines::new(state.config.limits.line_bytes.0),
        held,
        state,
        waited: Duration::ZERO,
        is_over: false,
    };
    stream::unfold(reading, async |mut reading| {
        let batch = reading.next().await?;
        Some((batch, reading))
    })
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
                match timeout(time, self.held.memory.wait(length)).await {
                    Ok(Ok(())) => {}
                    Ok(Err(problem)) => self.fail(problem),
                    Err(_) => self.fail(problem),
                }
                if self.is_over {
                    break;
                }
            }
            let piece = self.rest.split_to(length);
            let number = self.lines.number;
            self.lines.add(&piece);
            if self.lines.number != number {
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

    /// Returns the next frame. All frames of a line must arrive within `limits.body-timeout`; the time in which the client is held up
    /// does not count.
    async fn next_frame(&mut self) -> Option<Result<Bytes, Problem>> {
        let limit = self.state.config.limits.body_timeout;
        let begun = Instant::now();
        let next = timeout(limit.saturating_sub(self.waited), self.frames.next()).await;
        self.waited = self.waited.saturating_add(begun.elapsed());
        next.unwrap_or_else(|_| {
            let limit = shown_time(limit);
            let detail = format!("no line of the body was complete within {limit}");
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

/// The lines of a stream of bytes.
struct Lines {
    limit: usize,
    /// The number of the line that begins or continues with the next bytes.
    number: u64,
    /// The line that is not complete.
    partial: Vec<u8>,
    /// Whether that line is over the limit. The rest of it is skipped.
    is_skipping: bool,
    complete: Vec<(u64, Line)>,
    /// The number of bytes of the complete lines.
    bytes: usize,
}

impl Lines {
    fn new(limit: usize) -> Self {
        Self {
            limit,
            number: 1,
            partial: Vec::new(),
            is_skipping: false,
            complete: Vec::new(),
            bytes: 0,
        }
    }

    fn add(&mut self, part: &[u8]) {
        let mut rest = part;
        while let Some(end) = memchr::memchr(b'\n', rest) {
            let (line, after) = rest.split_at(end);
            self.extend(line);
            self.end_line();
            rest = after.get(1..).unwrap_or_default();
        }
        self.extend(rest);
    }

    fn extend(&mut self, part: &[u8]) {
        if self.is_skipping {
            return;
        }
        if part.len() > self.limit.saturating_sub(self.partial.len()) {
            self.is_skipping = true;
            self.partial = Vec::new();
            let limit = crate::config::Bytes(self.limit);
            let detail = format!("the line has more than {limit}");
            let problem = Problem::new(ProblemKind::BodyTooLarge, detail);
            let problem = problem.with_limit("limits.line-bytes", limit);
            let line = Line::Problem(Box::new(problem));
            self.complete.push((self.number, line));
            return;
        }
        self.partial.extend_from_slice(part);
    }

    fn end_line(&mut self) {
        let line = std::mem::take(&mut self.partial);
        if !line.trim_ascii().is_empty() {
            self.bytes = self.bytes.saturating_add(line.len());
            self.complete.push((self.number, Line::Question(line)));
        }
        self.is_skipping = false;
        self.number = self.number.saturating_add(1);
    }

    /// Ends the stream. Its last line needs no line feed.
    fn end(&mut self) {
        self.end_line();
    }

    /// Ends a stream that broke off. A line over the limit has its problem already.
    fn fail(&mut self, problem: Problem) {
        self.partial = Vec::new();
        if !self.is_skipping {
            let line = Line::Problem(Box::new(problem));
            self.complete.push((self.number, line));
        }
    }

    /// Returns whether the complete lines are a batch.
    fn are_batch(&self) -> bool {
        self.bytes >= BATCH_BYTES || self.complete.len() >= BATCH_LINES
    }

    /// Returns the number of bytes to divide next: up to [`PIECE_BYTES`], and up to [`BATCH_LINES`] with the complete lines.
    fn piece_len(&self, rest: &[u8]) -> usize {
        let piece = rest.get(..PIECE_BYTES).unwrap_or(rest);
        let room = BATCH_LINES.saturating_sub(self.complete.len());
        let last = memchr::memchr_iter(b'\n', piece).nth(room.saturating_sub(1));
        last.map_or(piece.len(), |end| end.saturating_add(1))
    }

    /// Returns the number of bytes of all lines, with the one that is not complete.
    fn len(&self) -> usize {
        self.bytes.saturating_add(self.partial.len())
    }

    /// Returns the complete lines, and the number of their bytes.
    fn take(&mut self) -> (Vec<(u64, Line)>, usize) {
        (
            std::mem::take(&mut self.complete),
            std::mem::take(&mut self.bytes),
        )
    }
}

/// The answers to a stream of batches, in order.
struct Answers {
    batches: Pin<Box<dyn Stream<Item = Batch> + Send>>,
    are_all_begun: bool,
    begun: VecDeque<BatchAnswers>,
    /// The number of batches that are answered at once.
    at_once: usize,
    state: AppState,
}

impl Answers {
    /// Returns the next answers. A batch begins when there is room for it, also while others are answered.
    async fn next(&mut self) -> Option<Bytes> {
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

/// A task that ends when this is dropped.
struct OwnedTask<T>(JoinHandle<T>);

impl<T> Drop for OwnedTask<T> {
    fn drop(&mut self) {
        self.0.abort();
    }
}

impl BatchAnswers {
    fn begin(batch: Batch, state: &AppState) -> Self {
        let (send, parts) = mpsc::channel(1);
        let (of_prepare, of_decide) = (state.clone(), state.clone());
        let prepare = move |number, line, held| prepare(number, line, held, of_prepare.clone());
        let decide = move |question| decide(question, of_decide.clone());
        let task = tokio::spawn(answer(batch, state.clone(), send, prepare, decide));
        Self {
            parts,
            _task: OwnedTask(task),
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
    let mut task = OwnedTask(tokio::spawn(step));
    // Panics are caught in the task.
    (&mut task.0).await.unwrap_or_else(|_| Err(stopping()))
}

/// Does a step of a line within `limits.request-timeout`. A panic in it is a problem of this line alone.
async fn in_bounds<T>(
    state: &AppState,
    step: impl Future<Output = Result<T, Problem>>,
) -> Result<T, Problem> {
    let limit = state.config.limits.request_timeout;
    match timeout(limit, AssertUnwindSafe(step).catch_unwind()).await {
        Ok(Ok(result)) => result,
        Ok(Err(panic)) => {
            let panic = state.metrics.add_panic(&*panic);
            tracing::error!(panic, "a line of /v1/decide/bulk panicked");
            let detail =
                "the question met an error of the service; its operator finds it in the log";
            Err(Problem::new(ProblemKind::Internal, detail))
        }
        Err(_) => {
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
    let read = work((), line.len(), move |_| {
        let question: DecideQuestion = serde_json::from_slice(&line).map_err(|error| {
            let line = usize::try_from(number).unwrap_or(usize::MAX);
            json_problem(&error).at(line, error.column())
        })?;
        Ok((question, held))
    });
    let (question, mut held) = read.await?;
    let prepared = question.prepare(&state, Requests::Robots, &mut held.memory);
    Ok((prepared.await?, held))
}

/// Returns the decisions of a question. A requested robots.txt counts as memory meanwhile, not while the question waits for its
/// turn: the lines of a batch may be about the same site.
async fn decide(
    (question, mut held): (PageDecisions, Held),
    state: AppState,
) -> Result<Answer, Problem> {
    held.memory.add(question.uncounted_bytes())?;
    work(held, question.cost(), move |cancelled| {
        question.answer(&state, cancelled)
    })
    .await
}

#[cfg(test)]
mod tests {
    use super::{
        Answer, BATCH_LINES, Batch, Held, Line, Lines, OwnedTask, Part, Problem, ProblemKind,
        answer, batches,
    };
    use crate::state::AppState;
    use axum::body::{Body, Bytes};
    use futures_util::stream::{self, StreamExt};
    use serde_json::Value;
    use std::convert::Infallible;
    use std::future::pending;
    use std::sync::Arc;
    use std::time::Duration;
    use tokio::sync::{Notify, Semaphore, mpsc};
    use tokio::time::{sleep, timeout};

    fn shown(lines: &mut Lines) -> Vec<String> {
        let (lines, _) = lines.take();
        let shown = lines.into_iter().map(|(number, line)| match line {
            Line::Question(line) => format!("{number} {}", String::from_utf8_lossy(&line)),
            Line::Problem(problem) => format!("{number} {}", problem.kind().name()),
        });
        shown.collect()
    }

    #[test]
    fn lines_have_numbers_however_they_arrive() {
        let text = b"one\n\ntwo\r\nlonger than eight\nend";
        let expected = ["1 one", "3 two\r", "4 body-too-large", "5 end"];
        for size in 1..text.len() {
            let mut lines = Lines::new(8);
            for part in text.chunks(size) {
                lines.add(part);
            }
            lines.end();
            assert_eq!(shown(&mut lines), expected, "{size}");
        }
    }

    #[test]
    fn a_line_may_have_as_many_bytes_as_the_limit() {
        for (length, shown_line) in [(7, "1 aaaaaaa"), (8, "1 aaaaaaaa"), (9, "1 body-too-large")] {
            let mut lines = Lines::new(8);
            lines.add(&vec![b'a'; length]);
            lines.end();
            assert_eq!(shown(&mut lines), [shown_line]);
        }
    }

    #[test]
    fn a_line_over_its_limit_has_one_problem_if_the_body_breaks_off() {
        let broken = || Problem::new(ProblemKind::MalformedRequest, "");
        for (text, expected) in [
            ("aaaaaaaaa", &["1 body-too-large"][..]),
            ("aaaa", &["1 malformed-request"]),
            ("", &["1 malformed-request"]),
            ("aaaaaaaaa\na", &["1 body-too-large", "2 malformed-request"]),
        ] {
            let mut lines = Lines::new(8);
            lines.add(text.as_bytes());
            lines.fail(broken());
            assert_eq!(shown(&mut lines), expected, "{text}");
        }
    }

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
        let mut batches = Box::pin(batches(body, held(state), state.clone()));
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
        let mut all = Box::pin(batches(body, held(&state), state.clone()));
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
    async fn small_lines_are_batches_of_limited_length() {
        let state = AppState::of_settings(&[]);
        for (number, expected) in [
            (BATCH_LINES - 1, &[BATCH_LINES - 1][..]),
            (BATCH_LINES, &[BATCH_LINES]),
            (BATCH_LINES + 1, &[BATCH_LINES, 1]),
            (BATCH_LINES * 20, &[BATCH_LINES; 20]),
        ] {
            let body = Body::from("1\n".repeat(number));
            let batches = batches(body, held(&state), state.clone());
            let lengths = batches.map(|batch| batch.lines.len());
            assert_eq!(lengths.collect::<Vec<_>>().await, expected, "{number}");
        }
    }

    /// Returns these lines as a batch.
    fn batch(state: &AppState, lines: &[&str]) -> Batch {
        let lines = lines.iter().zip(1_u64..);
        let lines = lines.map(|(line, number)| (number, Line::Question(line.as_bytes().to_vec())));
        Batch {
            lines: lines.collect(),
            held: held(state),
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
        let task = OwnedTask(tokio::spawn(task));
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
