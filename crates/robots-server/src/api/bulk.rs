//! `/v1/decide/bulk`: questions as NDJSON, answered in order while they arrive.
//!
//! Lines are answered in batches, a few at once. A batch begins when its predecessor has been sent as far as the client reads:
//! the memory of a stream is bounded by its batches, and by one line that is not complete. When the client goes, the batches
//! end with it.

use super::body::{frames, json_problem};
use super::decide::DecideQuestion;
use super::question::Requests;
use super::work::{Answer, Cancelled};
use crate::config::shown_time;
use crate::problem::{Problem, ProblemDocument, ProblemKind};
use crate::state::AppState;
use axum::body::{Body, Bytes};
use axum::extract::{Request, State};
use axum::response::{IntoResponse, Response};
use futures_util::stream::{self, Stream, StreamExt};
use http::header::CONTENT_TYPE;
use robots_policy::text::printable;
use serde::Serialize;
use serde_json::value::RawValue;
use std::convert::Infallible;
use std::pin::Pin;
use std::sync::Arc;
use std::thread::available_parallelism;
use tokio::sync::OwnedSemaphorePermit;
use tokio::task::JoinHandle;
use tokio::time::timeout;

/// The media type of questions and answers.
const MEDIA_TYPE: &str = "application/x-ndjson";

/// The number of bytes from which on lines are a batch. A longer line is a batch of its own.
const BATCH_BYTES: usize = 128 << 10;

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
    let at_once = available_parallelism().map_or(1, usize::from);
    let batches = batches(request.into_body(), state.clone());
    let answers = batches
        .map(move |batch| answered(batch, state.clone()))
        // Up to this number of batches are answered at once, and are sent in order.
        .buffered(at_once)
        .map(Ok::<_, Infallible>);
    let body = Body::from_stream(answers);
    Ok(([(CONTENT_TYPE, MEDIA_TYPE)], body).into_response())
}

/// The number of lines of a batch that wait for the robots.txt of their sites at once.
const WAITING_LINES: usize = 64;

/// Some lines, and their part of the memory for bodies.
struct Batch {
    /// Each with its number.
    lines: Vec<(u64, Line)>,
    memory: Option<OwnedSemaphorePermit>,
}

/// A line of the stream.
enum Line {
    Question(Vec<u8>),
    /// There is no question, or none that is read.
    Problem(Problem),
}

/// A line of the answer.
#[derive(Serialize)]
struct AnswerLine<'a> {
    line: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    decisions: Option<&'a RawValue>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<ProblemDocument<'a>>,
}

/// A body as it is read.
struct Reading {
    frames: Pin<Box<dyn Stream<Item = Result<Bytes, Problem>> + Send>>,
    state: AppState,
    lines: Lines,
    is_over: bool,
}

/// Returns the lines of a body in batches. A body that breaks off ends with a problem.
fn batches(body: Body, state: AppState) -> impl Stream<Item = Batch> + Send {
    let reading = Reading {
        frames: Box::pin(frames(body)),
        lines: Lines::new(state.config.limits.line_bytes.0),
        state,
        is_over: false,
    };
    stream::unfold(reading, async |mut reading| {
        let batch = reading.next().await?;
        Some((batch, reading))
    })
}

impl Reading {
    async fn next(&mut self) -> Option<Batch> {
        while !self.is_over && self.lines.bytes < BATCH_BYTES {
            let time = self.state.config.limits.body_timeout;
            // While lines wait, they are not held back for others that have not arrived.
            let next = if self.lines.complete.is_empty() {
                timeout(time, self.frames.next()).await.unwrap_or_else(|_| {
                    let time = shown_time(time);
                    let detail = format!("no part of the body arrived within {time}");
                    let problem = Problem::new(ProblemKind::SlowRequest, detail);
                    Some(Err(problem.with_limit("limits.body-timeout", time)))
                })
            } else {
                match futures_util::FutureExt::now_or_never(self.frames.next()) {
                    Some(next) => next,
                    None => break,
                }
            };
            match next {
                Some(Ok(part)) => self.lines.add(&part),
                Some(Err(problem)) => {
                    self.is_over = true;
                    self.lines.fail(problem);
                }
                None => {
                    self.is_over = true;
                    self.lines.end();
                }
            }
        }
        let (lines, bytes) = self.lines.take();
        if lines.is_empty() {
            return None;
        }
        let all = self.state.config.limits.bodies_bytes.0;
        let permits = u32::try_from(bytes.min(all)).unwrap_or(u32::MAX);
        let memory = Arc::clone(&self.state.body_bytes)
            .acquire_many_owned(permits)
            .await;
        Some(Batch {
            lines,
            // The semaphore is never closed.
            memory: memory.ok(),
        })
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
            self.complete.push((self.number, Line::Problem(problem)));
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

    /// Ends a stream that broke off.
    fn fail(&mut self, problem: Problem) {
        self.partial = Vec::new();
        self.complete.push((self.number, Line::Problem(problem)));
    }

    /// Returns the complete lines, and the number of their bytes.
    fn take(&mut self) -> (Vec<(u64, Line)>, usize) {
        (
            std::mem::take(&mut self.complete),
            std::mem::take(&mut self.bytes),
        )
    }
}

/// Answers a batch on a task of its own, which ends when this future is dropped.
async fn answered(batch: Batch, state: AppState) -> Bytes {
    struct AbortOnDrop(JoinHandle<Bytes>);

    impl Drop for AbortOnDrop {
        fn drop(&mut self) {
            self.0.abort();
        }
    }

    let mut task = AbortOnDrop(tokio::spawn(async move {
        let Batch { lines, memory } = batch;
        let _memory = memory;
        let mut answers = Vec::new();
        let mut written = stream::iter(lines)
            .map(|(number, line)| answer(number, line, state.clone()))
            // Those that wait for the robots.txt of their sites wait together.
            .buffered(WAITING_LINES);
        while let Some(line) = written.next().await {
            answers.extend_from_slice(&line);
            // Other tasks have their turn, and the task can be aborted.
            tokio::task::consume_budget().await;
        }
        Bytes::from(answers)
    }));
    // A panic is logged by its handler; the stream ends without the batch.
    (&mut task.0).await.unwrap_or_default()
}

/// Returns the answer to a line.
async fn answer(number: u64, line: Line, state: AppState) -> Vec<u8> {
    let mut answers = Vec::new();
    let decisions = match line {
        Line::Question(line) => decisions(number, &line, &state).await,
        Line::Problem(problem) => Err(problem),
    };
    let written = match &decisions {
        Ok(decisions) => serde_json::to_writer(
            &mut answers,
            &AnswerLine {
                line: number,
                decisions: Some(decisions),
                error: None,
            },
        ),
        Err(problem) => serde_json::to_writer(
            &mut answers,
            &AnswerLine {
                line: number,
                decisions: None,
                error: Some(problem.member()),
            },
        ),
    };
    // Texts and numbers are always JSON.
    if written.is_err() {
        answers.clear();
    }
    answers.push(b'\n');
    answers
}

/// Returns the decisions of a question as JSON.
async fn decisions(number: u64, line: &[u8], state: &AppState) -> Result<Box<RawValue>, Problem> {
    let question: DecideQuestion = serde_json::from_slice(line).map_err(|error| {
        let line = usize::try_from(number).unwrap_or(usize::MAX);
        json_problem(&error).at(line, error.column())
    })?;
    let prepared = question.prepare(state, Requests::Robots).await?;
    let mut answer = Answer::array(state);
    prepared.decide(&Cancelled::default(), |decision| answer.push(decision))?;
    let json = String::from_utf8(answer.end().into_bytes()).unwrap_or_default();
    RawValue::from_string(json).map_err(|error| {
        let error = error.to_string();
        Problem::new(ProblemKind::Internal, printable(&error).into_owned())
    })
}

#[cfg(test)]
mod tests {
    use super::{Line, Lines};

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
}
