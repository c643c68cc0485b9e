//! `/v1/decide/bulk`: questions as NDJSON, answered in order while they arrive.
//!
//! [`Lines`] divides the body. Some lines wait for the robots.txt of their sites at once; one is decided at a time, when the client has
//! read the answers before. The lines that wait have up to `limits.body-bytes` together, and a stream has a place of
//! `limits.bodies-at-once`: so its memory is bounded. When the client goes, all of it ends.

use super::body::{check_coding, media_type, read_object, unread};
use super::decide::DecideQuestion;
use super::question::{PreparedQuestion, Requests};
use crate::client::Sender;
use crate::problem::{Problem, ProblemDocument, ProblemKind};
use crate::state::{AppState, Held};
use crate::work::work;
use axum::Extension;
use axum::body::{Body, BodyDataStream, Bytes};
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use futures_util::FutureExt;
use futures_util::stream::{self, StreamExt};
use http::HeaderMap;
use http::header::CONTENT_TYPE;
use serde::Serialize;
use std::convert::Infallible;
use std::mem::take;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::sync::Semaphore;
use tokio::task::JoinSet;
use tokio::time::timeout;

/// The media types of questions; the first is that of answers.
const MEDIA_TYPES: [&str; 3] = [
    "application/x-ndjson",
    "application/ndjson",
    "application/jsonl",
];

/// The number of lines that wait for the robots.txt of their sites at once.
const WAITING_LINES: usize = 64;

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
    Extension(sender): Extension<Sender>,
    headers: HeaderMap,
    body: Body,
) -> Result<Response, Problem> {
    let media_type = MEDIA_TYPES[0];
    if !MEDIA_TYPES.contains(&&*self::media_type(&headers)) {
        return Err(Problem::new(
            ProblemKind::UnsupportedMediaType,
            format!("expected a body with the header Content-Type: {media_type}"),
        ));
    }
    check_coding(&headers)?;
    let mut held = Held::new(&state, Some(sender.client()));
    held.take_for(usize::MAX)?;
    let room = state.config.limits.body_bytes.0.min(Semaphore::MAX_PERMITS);
    let semaphore = Arc::new(Semaphore::new(room));
    let lines = stream::unfold(Lines::new(body, &state), async |mut lines| {
        Some((lines.next().await?, lines))
    });
    let decided = lines
        .then(move |(number, line)| {
            let semaphore = Arc::clone(&semaphore);
            let bytes = line.as_ref().map_or(0, Vec::len).min(room);
            async move {
                let bytes = u32::try_from(bytes).unwrap_or(u32::MAX);
                // It is never closed.
                let permit = semaphore.acquire_many_owned(bytes).await.ok();
                (number, line, permit)
            }
        })
        .map(move |(number, line, permit)| {
            let (state, held) = (held.state.clone(), held.clone());
            let prepared = async move { prepare(number, line?, held).await };
            let prepared = in_task(state.clone(), prepared);
            async move { (number, prepared.await, state, permit) }
        })
        .buffered(WAITING_LINES)
        .then(async |(number, prepared, state, _permit)| {
            // Other tasks have their turn.
            tokio::task::consume_budget().await;
            let answer = in_bounds(&state, async { decide(number, prepared?).await }).await;
            Ok::<_, Infallible>(answer.unwrap_or_else(|problem| error_line(number, &problem)))
        });
    Ok(([(CONTENT_TYPE, media_type)], Body::from_stream(decided)).into_response())
}

/// Reads a question and requests what it names.
async fn prepare(
    number: u64,
    line: Vec<u8>,
    held: Held,
) -> Result<(PreparedQuestion, Held), Problem> {
    let holder = held.clone();
    let read = work(&holder, line.len(), line.len(), move |_| {
        let question: Result<DecideQuestion, _> = read_object(&line);
        let question = question.map_err(|problem| problem.in_line(number))?;
        Ok((question, held))
    });
    let (question, mut held) = read.await?;
    let prepared = question.prepare(Requests::Robots, &mut held).await?;
    Ok((prepared, held))
}

/// Returns the line with the decisions of a question.
async fn decide(
    number: u64,
    (question, held): (PreparedQuestion, Held),
) -> Result<Vec<u8>, Problem> {
    let (bytes, cost) = (question.bytes, question.cost);
    let answer = work(&held.clone(), bytes, cost, move |cancelled| {
        question.decisions(held, cancelled)
    })
    .await?;
    let start = format!("{{\"line\":{number},\"decisions\":");
    Ok([start.as_bytes(), answer.as_bytes(), b"}\n"].concat())
}

/// Returns the line with the problem of a question.
fn error_line(number: u64, problem: &Problem) -> Vec<u8> {
    #[derive(Serialize)]
    struct ErrorLine<'a> {
        line: u64,
        error: ProblemDocument<'a>,
    }

    let error = problem.member();
    // Texts and numbers are always JSON.
    let mut line = serde_json::to_vec(&ErrorLine {
        line: number,
        error,
    })
    .unwrap_or_default();
    line.push(b'\n');
    line
}

/// Begins a step of a line in a task of its own, as [`in_bounds`]. The step continues while another line is decided, or while the client
/// does not read its answers. It ends if the returned future is dropped.
fn in_task<T: Send + 'static>(
    state: AppState,
    step: impl Future<Output = Result<T, Problem>> + Send + 'static,
) -> impl Future<Output = Result<T, Problem>> {
    let mut task = JoinSet::new();
    task.spawn(async move { in_bounds(&state, step).await });
    async move {
        let stopped = || Problem::new(ProblemKind::Overloaded, "the service was asked to stop");
        let result = task.join_next().await.and_then(Result::ok);
        result.unwrap_or_else(|| Err(stopped()))
    }
}

/// Does a step of a line within `limits.request-timeout`. A panic in it is a problem of this line alone.
async fn in_bounds<T>(
    state: &AppState,
    step: impl Future<Output = Result<T, Problem>>,
) -> Result<T, Problem> {
    let limit = state.config.limits.request_timeout;
    match timeout(limit.0, AssertUnwindSafe(step).catch_unwind()).await {
        Ok(Ok(result)) => result,
        Ok(Err(_)) => {
            state.metrics.panics.inc();
            tracing::error!("a line of /v1/decide/bulk panicked");
            let detail =
                "the question met an error of the service; its operator finds it in the log";
            Err(Problem::new(ProblemKind::Internal, detail))
        }
        Err(_) => {
            let detail = format!("the question was not answered within {limit}");
            let kind = ProblemKind::TimedOut;
            Err(Problem::over(kind, "limits.request-timeout", limit, detail))
        }
    }
}

/// The lines of a body with their numbers. A body that breaks off ends with a problem.
struct Lines {
    state: AppState,
    frames: BodyDataStream,
    /// What arrived, but is not divided into lines.
    rest: Bytes,
    /// The number of the line that begins or continues with the rest.
    number: u64,
    /// What is known of that line.
    partial: Vec<u8>,
    /// Whether that line is over its limit, so that its end is skipped.
    is_skipping: bool,
    /// The time for which the end of a question was waited for since the last one.
    waited: Duration,
    is_over: bool,
}

impl Lines {
    fn new(body: Body, state: &AppState) -> Self {
        Self {
            state: state.clone(),
            frames: body.into_data_stream(),
            rest: Bytes::new(),
            number: 1,
            partial: Vec::new(),
            is_skipping: false,
            waited: Duration::ZERO,
            is_over: false,
        }
    }

    /// Returns the next question, or the problem in its place. An empty line is no question: a stream of them would hold its place
    /// without an end.
    async fn next(&mut self) -> Option<(u64, Result<Vec<u8>, Problem>)> {
        let limit = self.state.config.limits.line_bytes;
        loop {
            let number = self.number;
            let end = memchr::memchr(b'\n', &self.rest);
            let part = self.rest.split_to(end.unwrap_or(self.rest.len()));
            if !self.is_skipping {
                if part.len() > limit.0.saturating_sub(self.partial.len()) {
                    self.is_skipping = true;
                    self.partial = Vec::new();
                    self.waited = Duration::ZERO;
                    let detail = format!("the line has more than {limit}");
                    let kind = ProblemKind::BodyTooLarge;
                    let problem = Problem::over(kind, "limits.line-bytes", limit, detail);
                    return Some((number, Err(problem)));
                }
                self.partial.extend_from_slice(&part);
            }
            if end.is_none() && !self.is_over {
                match self.frame().await {
                    Some(Ok(frame)) => self.rest = frame,
                    None => self.is_over = true,
                    Some(Err(problem)) => {
                        self.is_over = true;
                        self.partial = Vec::new();
                        // A line over the limit has its problem already.
                        if !self.is_skipping {
                            return Some((number, Err(problem)));
                        }
                    }
                }
                continue;
            }
            let line = take(&mut self.partial);
            if end.is_some() {
                let _ = self.rest.split_to(1);
                self.number += 1;
                self.is_skipping = false;
            } else if line.is_empty() {
                return None;
            }
            if !line.trim_ascii().is_empty() {
                self.waited = Duration::ZERO;
                return Some((number, Ok(line)));
            }
        }
    }

    /// Returns the next frame. All frames of a question must arrive within `limits.body-timeout`; the time in which none is asked for, as
    /// the client does not read its answers, does not count.
    async fn frame(&mut self) -> Option<Result<Bytes, Problem>> {
        let limit = self.state.config.limits.body_timeout;
        let begun = Instant::now();
        let next = timeout(limit.0.saturating_sub(self.waited), self.frames.next()).await;
        self.waited += begun.elapsed();
        let next = next.map(|next| next.map(|frame| frame.map_err(|error| unread(&error))));
        next.unwrap_or_else(|_| {
            let detail = format!("no question was complete within {limit}");
            let kind = ProblemKind::SlowRequest;
            Some(Err(Problem::over(
                kind,
                "limits.body-timeout",
                limit,
                detail,
            )))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::{Lines, in_task};
    use crate::state::AppState;
    use axum::body::Body;
    use futures_util::stream::{self, StreamExt};
    use std::convert::Infallible;
    use std::future::pending;
    use std::time::Duration;
    use tokio::sync::oneshot;
    use tokio::time::{sleep, timeout};

    /// Returns the lines of a body whose parts come after a pause in ms, each with its number, and the limits or names of problems. The
    /// body breaks off if it has a part `!`.
    async fn lines(settings: &[(&str, &str)], parts: Vec<(u64, Vec<u8>)>) -> Vec<String> {
        let state = AppState::of_settings(settings);
        let parts = stream::iter(parts).then(async |(pause, part)| {
            sleep(Duration::from_millis(pause)).await;
            if part == b"!" {
                Err("broken")
            } else {
                Ok(part)
            }
        });
        let mut lines = Lines::new(Body::from_stream(parts), &state);
        let mut all = Vec::new();
        while let Some((number, line)) = lines.next().await {
            all.push(match line {
                Ok(line) => format!("{number} {}", String::from_utf8_lossy(&line)),
                Err(problem) => {
                    let limit = problem.limit_name();
                    format!("{number} {}", limit.unwrap_or(problem.kind().name()))
                }
            });
        }
        all
    }

    const LINE_BYTES: &[(&str, &str)] = &[("limits.line-bytes", "8")];

    #[tokio::test]
    async fn lines_have_numbers_however_they_arrive() {
        let text = b"one\n\ntwo\r\nlonger than eight\n \nend";
        let expected = ["1 one", "3 two\r", "4 limits.line-bytes", "6 end"];
        for size in 1..=text.len() {
            let parts = text.chunks(size).map(|part| (0, part.to_vec()));
            assert_eq!(lines(LINE_BYTES, parts.collect()).await, expected, "{size}");
        }
    }

    #[tokio::test]
    async fn a_line_may_have_as_many_bytes_as_the_limit() {
        for (length, expected) in [
            (7, "1 aaaaaaa"),
            (8, "1 aaaaaaaa"),
            (9, "1 limits.line-bytes"),
        ] {
            let body = vec![(0, vec![b'a'; length])];
            assert_eq!(lines(LINE_BYTES, body).await, [expected]);
        }
    }

    #[tokio::test]
    async fn a_body_that_breaks_off_has_a_problem() {
        for (text, expected) in [
            ("aaaaaaaaa", &["1 limits.line-bytes"][..]),
            ("aaaa", &["1 malformed-request"]),
            ("\n", &["2 malformed-request"]),
            (
                "aaaaaaaaa\na",
                &["1 limits.line-bytes", "2 malformed-request"],
            ),
        ] {
            let parts = vec![(0, text.into()), (0, b"!".to_vec())];
            assert_eq!(lines(LINE_BYTES, parts).await, expected, "{text}");
        }
    }

    #[tokio::test]
    async fn a_line_arrives_in_its_time() {
        for (parts, expected) in [
            // Each part is in time, but the line is not.
            (
                &[(0, "1\n"), (150, "a"), (150, "b"), (150, "c"), (150, "\n")][..],
                &["1 1", "2 limits.body-timeout"][..],
            ),
            (
                &[
                    (150, "a"),
                    (150, "\nb"),
                    (150, "\n"),
                    (150, "\nc"),
                    (150, ""),
                ],
                &["1 a", "2 b", "4 c"],
            ),
            (
                &[(0, "1\n"), (150, "\n"), (150, " \n"), (150, "\n")],
                &["1 1", "4 limits.body-timeout"],
            ),
        ] {
            let parts = parts
                .iter()
                .map(|(pause, part)| (*pause, part.as_bytes().to_vec()));
            let found = lines(&[("limits.body-timeout", "400ms")], parts.collect()).await;
            assert_eq!(found, expected);
        }
    }

    #[tokio::test]
    async fn a_line_that_waits_goes_on_while_another_is_decided() {
        let state = AppState::of_settings(&[]);
        let soon = Duration::from_secs(5);
        let (send, receive) = oneshot::channel();
        // Nothing polls it.
        let _waits = in_task(state.clone(), async {
            sleep(Duration::from_millis(10)).await;
            send.send(()).unwrap();
            Ok(())
        });
        timeout(soon, receive).await.unwrap().unwrap();
        // It ends when the client has gone.
        let (send, receive) = oneshot::channel::<()>();
        drop(in_task(state, async {
            pending::<()>().await;
            drop(send);
            Ok(())
        }));
        assert!(timeout(soon, receive).await.unwrap().is_err());
    }

    #[tokio::test]
    async fn an_empty_body_has_no_line() {
        let state = AppState::of_settings(&[]);
        let body = Body::from_stream(stream::empty::<Result<Vec<u8>, Infallible>>());
        assert!(Lines::new(body, &state).next().await.is_none());
    }
}
