//! One connection: its requests in turn, within their times, and an end that lets the client read the last answer.

use super::transport::{Phase, SharedTimes, Transport};
use crate::config::{Limits, shown_time};
use crate::front::{AnswerBody, Front};
use crate::problem::{Problem, ProblemKind};
use crate::state::AppState;
use axum::body::Body;
use futures_util::FutureExt;
use http_body::{Frame, SizeHint};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use std::convert::Infallible;
use std::future::{Future, poll_fn};
use std::net::IpAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::{Duration, Instant};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::sync::watch;
use tokio::time::{Sleep, sleep, timeout};

/// The time in which a client may read the last answer, once the service has no more for it.
const LINGER: Duration = Duration::from_secs(1);

/// The most bytes that are read and thrown away in that time.
const LINGER_BYTES: usize = 1 << 20;

/// The bytes that are read at once in that time.
const LINGER_READ: usize = 4096;

/// Answers the requests of a connection until it ends. When `stopping` changes, the present request is the last.
pub(super) async fn serve(
    socket: TcpStream,
    peer: IpAddr,
    front: Front,
    state: AppState,
    mut stopping: watch::Receiver<bool>,
) {
    let limits = &state.config.limits;
    let times = SharedTimes::new();
    let front = Arc::new(front);
    let service = hyper::service::service_fn({
        let times = times.clone();
        move |request: http::Request<Incoming>| {
            let (front, times) = (Arc::clone(&front), times.clone());
            times.begin(Phase::Answer);
            let response = front.answer(peer, request.map(Body::new));
            Box::pin(response.map(|response| {
                let body = |body| Answer { body, times };
                Ok::<_, Infallible>(response.map(body))
            }))
        }
    });
    let transport = TokioIo::new(Transport::new(socket, times.clone()));
    let mut connection = http1::Builder::new()
        .timer(TokioTimer::new())
        // The times of heads are kept here, where idle connections have another.
        .header_read_timeout(None)
        .max_buf_size(limits.head_bytes.0)
        // The buffer may grow past its limit in one read.
        .max_header_size(limits.head_bytes.0)
        .max_headers(limits.header_lines)
        .serve_connection(transport, service);
    let mut timer = Box::pin(sleep(limits.idle_timeout));
    let mut is_last = *stopping.borrow_and_update();
    if is_last {
        Pin::new(&mut connection).graceful_shutdown();
    }
    let end = loop {
        let ended = poll_fn(|cx| {
            if let Poll::Ready(result) = connection.poll_without_shutdown(cx) {
                return Poll::Ready(End::Closed(result.err()));
            }
            poll_timeout(&times, limits, timer.as_mut(), cx).map(End::Slow)
        });
        tokio::select! {
            end = ended => break end,
            _ = stopping.changed(), if !is_last => {
                is_last = true;
                Pin::new(&mut connection).graceful_shutdown();
            }
        }
    };
    let parts = connection.into_parts();
    let problem = end.problem(&times, limits, &parts.read_buf);
    let mut socket = parts.io.into_inner().socket;
    if let Some(problem) = problem {
        let id = state.next_id();
        if let Some(limit) = problem.limit_name() {
            state.metrics.add_refused(limit);
        }
        tracing::info!(
            id,
            client = %peer,
            status = problem.kind().status().as_u16(),
            limit = problem.limit_name(),
            "connection refused"
        );
        // If there is no room for a few hundred bytes, the client does not read anyway.
        let _ = socket.try_write(&problem.message(&id));
    }
    if !matches!(end, End::Slow(Slow::Answer)) {
        linger(&mut socket).await;
    }
}

/// Sends a problem on a connection that is not served, and ends it.
pub(super) async fn refuse(mut socket: TcpStream, problem: Problem, id: String) {
    let _ = socket.try_write(&problem.message(&id));
    linger(&mut socket).await;
}

/// Closes the way to the client, and lets it read what was sent: a socket that is closed while bytes arrive discards what its
/// client has not read.
async fn linger(socket: &mut TcpStream) {
    if socket.shutdown().await.is_err() {
        return;
    }
    // On the heap: in the future, each connection would hold it from its start.
    let mut buffer = vec![0; LINGER_READ];
    let mut rest = LINGER_BYTES;
    let read_all = async {
        while let Ok(bytes) = socket.read(&mut buffer).await {
            rest = rest.saturating_sub(bytes);
            if bytes == 0 || rest == 0 {
                break;
            }
        }
    };
    // Whatever the client does in this time, the connection ends.
    let _ = timeout(LINGER, read_all).await;
}

/// How a connection ends.
#[derive(Debug)]
enum End {
    /// By the client, by an error, or after its last request.
    Closed(Option<hyper::Error>),
    /// By a limit of time.
    Slow(Slow),
}

/// What took too long.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Slow {
    /// No request came. This is the usual end of a connection.
    Idle,
    /// The head of a request.
    Head,
    /// The client did not read the answer.
    Answer,
}

impl End {
    /// Returns the problem that the client is sent. `unread` is what the HTTP library did not take.
    fn problem(&self, times: &SharedTimes, limits: &Limits, unread: &[u8]) -> Option<Problem> {
        match self {
            Self::Slow(Slow::Head) => {
                let time = shown_time(limits.head_timeout);
                let detail = format!("the head of the request did not arrive within {time}");
                let problem = Problem::new(ProblemKind::SlowRequest, detail);
                Some(problem.with_limit("limits.head-timeout", time))
            }
            // To the start of HTTP/2, the library has no answer.
            Self::Closed(Some(error)) if error.is_parse_version_h2() => {
                let detail = "HTTP/2 is not supported: expected HTTP/1.1";
                Some(Problem::new(ProblemKind::MalformedRequest, detail))
            }
            Self::Closed(Some(error)) if times.lock().is_refused => {
                Some(refusal(error, limits, unread))
            }
            Self::Closed(_) | Self::Slow(Slow::Idle | Slow::Answer) => None,
        }
    }
}

/// Returns the problem of a request that the HTTP library cannot read.
fn refusal(error: &hyper::Error, limits: &Limits, unread: &[u8]) -> Problem {
    if error.is_parse_too_large() {
        let (bytes, lines) = (limits.head_bytes, limits.header_lines);
        // The library has one error for both limits.
        if header_lines(unread) > lines {
            let detail = format!("the request has more than {lines} header lines");
            return Problem::new(ProblemKind::HeadTooLarge, detail)
                .with_limit("limits.header-lines", lines);
        }
        // A head that was read is refused for the length of the body alone: it is more than the library can count.
        if unread.len() < bytes.0 {
            let limit = limits.body_bytes;
            let detail = format!("the body has more than {limit}");
            return Problem::new(ProblemKind::BodyTooLarge, detail)
                .with_limit("limits.body-bytes", limit);
        }
        let detail = format!("the head of the request has more than {bytes}");
        return Problem::new(ProblemKind::HeadTooLarge, detail)
            .with_limit("limits.head-bytes", bytes);
    }
    // Its texts are words of the library, and quote nothing.
    let detail = error.to_string();
    if detail.contains("URI too long") {
        return Problem::new(
            ProblemKind::UrlTooLong,
            "the path and query have more than 65534 bytes",
        )
        .with_limit("limits.url-bytes", limits.url_bytes);
    }
    Problem::new(ProblemKind::MalformedRequest, detail)
}

/// Returns the number of header lines of a head, of which the last may be incomplete.
fn header_lines(head: &[u8]) -> usize {
    head.split(|byte| *byte == b'\n')
        .map(|line| line.strip_suffix(b"\r").unwrap_or(line))
        .skip_while(|line| line.is_empty())
        .skip(1)
        .take_while(|line| !line.is_empty())
        .count()
}

/// Waits until a limit of time is over.
fn poll_timeout(
    times: &SharedTimes,
    limits: &Limits,
    mut timer: Pin<&mut Sleep>,
    cx: &mut Context<'_>,
) -> Poll<Slow> {
    loop {
        let Some((slow, at)) = deadline(times, limits) else {
            return Poll::Pending;
        };
        let at = at.into();
        // A timer that ends too early is set again then; one that ends too late is set now.
        if timer.deadline() > at || timer.is_elapsed() {
            timer.as_mut().reset(at);
        }
        ready!(timer.as_mut().poll(cx));
        // Set for this limit, which then is over, or for an earlier one.
        if timer.deadline() == at {
            return Poll::Ready(slow);
        }
    }
}

/// Returns the next limit of time, and when it is over.
fn deadline(times: &SharedTimes, limits: &Limits) -> Option<(Slow, Instant)> {
    let mut times = times.lock();
    let at = |slow, since: Instant, limit| since.checked_add(limit).map(|at| (slow, at));
    if let Some(since) = times.unread_since {
        return at(Slow::Answer, since, limits.write_timeout);
    }
    match &mut times.phase {
        Phase::Idle(since) => at(Slow::Idle, *since, limits.idle_timeout),
        Phase::Head(since) => {
            let since = since.get_or_insert_with(Instant::now);
            at(Slow::Head, *since, limits.head_timeout)
        }
        // The service has limits of its own.
        Phase::Answer => None,
    }
}

/// The body of an answer: at its end, the connection waits for the next request.
#[derive(Debug)]
struct Answer {
    body: AnswerBody,
    times: SharedTimes,
}

impl Drop for Answer {
    fn drop(&mut self) {
        self.times.begin(Phase::Idle(Instant::now()));
    }
}

impl http_body::Body for Answer {
    type Data = <AnswerBody as http_body::Body>::Data;
    type Error = <AnswerBody as http_body::Body>::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Self::Data>, Self::Error>>> {
        Pin::new(&mut self.body).poll_frame(cx)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
