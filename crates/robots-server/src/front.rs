//! The way of every request: its sender and key, the limits, the route, and what is logged and counted of it.

use crate::config::shown_time;
use crate::limit::client::{Client, Sender};
use crate::limit::held::Admission;
use crate::limit::share::Share;
use crate::limit::time::within;
use crate::log::AddressText;
use crate::metrics::LastCounters;
use crate::problem::{OVERLOAD_PAUSE, Problem, ProblemKind};
use crate::response_body::ResponseBody;
use crate::routes::{RoutePaths, Routes};
use crate::state::AppState;
use axum::Router;
use axum::body::Body;
use axum::extract::Request;
use axum::response::{IntoResponse, Response};
use futures_util::FutureExt;
use http::header::{
    CACHE_CONTROL, CONNECTION, CONTENT_SECURITY_POLICY, HOST, HeaderName, HeaderValue,
    REFERRER_POLICY, TRANSFER_ENCODING, X_CONTENT_TYPE_OPTIONS,
};
use http::uri::Authority;
use http::{HeaderMap, Method, StatusCode, Version};
use std::borrow::Cow;
use std::convert::Infallible;
use std::net::IpAddr;
use std::panic::AssertUnwindSafe;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::time::{Duration, Instant};
use tower::Service;

/// The header with the identifier of a request.
const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// The headers of every answer that has no others of these names. A constant, so that their values are not checked for each answer.
const DEFAULT_HEADERS: [(HeaderName, HeaderValue); 4] = [
    (X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff")),
    (REFERRER_POLICY, HeaderValue::from_static("no-referrer")),
    (CACHE_CONTROL, HeaderValue::from_static("no-store")),
    (
        CONTENT_SECURITY_POLICY,
        HeaderValue::from_static("default-src 'none'; frame-ancestors 'none'"),
    ),
];

/// The longest identifier that is taken from a trusted proxy, in bytes.
const MAX_ID_BYTES: usize = 128;

/// The longest path in a log line, in bytes.
const MAX_LOGGED_PATH: usize = 256;

/// The longest method in a log line, in bytes: a client can invent any.
const MAX_LOGGED_METHOD: usize = 32;

/// The paths that answer without a key and without limits on clients and requests: probes must get through.
pub(crate) const PROBES: [&str; 2] = ["/healthz", "/readyz"];

/// The routes, with what is done for every request.
#[derive(Debug, Clone)]
pub(crate) struct Front {
    router: Router,
    paths: Arc<RoutePaths>,
    state: AppState,
    pages: ProblemPages,
    /// Those of the connection.
    last: LastCounters,
}

/// Problems as pages, in place of documents.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ProblemPages {
    /// Returns whether the problems of a request are shown as pages.
    pub(crate) is_asked: fn(&Request) -> bool,
    /// Returns a problem as a page, and sets the headers of a page.
    pub(crate) write: fn(&Problem, &mut HeaderMap) -> Vec<u8>,
}

/// The body of the answer to a request.
pub(crate) type AnswerBody = ResponseBody<RequestEnd>;

impl Front {
    /// Returns the front of these routes.
    pub(crate) fn new(routes: Routes, state: AppState, pages: ProblemPages) -> Self {
        let (router, paths) = routes.into_parts();
        Self {
            router: router.with_state(state.clone()),
            paths: Arc::new(paths),
            state,
            pages,
            last: LastCounters::default(),
        }
    }

    /// Answers a request that came over a connection from this address. It is admitted at once: the returned future does
    /// not hold the request, so it stays small.
    pub(crate) fn answer(
        self: &Arc<Self>,
        peer: IpAddr,
        mut request: Request,
    ) -> impl Future<Output = Response<AnswerBody>> + Send + use<> {
        let started = Instant::now();
        let sender = self.state.senders.sender(peer, request.headers());
        let id = self.id(sender, request.headers());
        let method = request.method().clone();
        let path = cut(request.uri().path(), MAX_LOGGED_PATH).into_owned();
        let page = (self.pages.is_asked)(&request).then_some(self.pages.write);
        self.state.metrics.in_flight.inc();
        let mut end = RequestEnd {
            front: Arc::clone(self),
            admission: None,
        };
        let mut route = None;
        let routed = self.admit(sender, &request).map(|admission| {
            route = self.paths.of(request.uri().path());
            // Work that continues after the client has left holds it, too.
            request.extensions_mut().insert(admission.clone());
            end.admission = Some(admission);
            // On the heap: this future, which is moved, stays small.
            Box::pin(self.router.clone().call(request))
        });
        async move {
            let front = &*end.front;
            let mut response = match routed {
                Ok(answer) => front.response(answer, &id).await,
                Err(problem) => problem.into_response(),
            };
            let time = started.elapsed();
            let route = route.as_deref().unwrap_or("none");
            let status = response.status();
            let metrics = &front.state.metrics;
            metrics.add_request(&front.last, route, &method, status.as_u16(), time);
            let problem = response.extensions_mut().remove::<Problem>();
            let limit = problem.as_ref().and_then(Problem::limit_name);
            if let Some(limit) = limit {
                metrics.add_refused(limit);
            }
            log(&Answered {
                id: &id,
                sender,
                method: &method,
                path: &path,
                status,
                limit,
                time,
            });
            finish(response, problem.as_ref(), page, id, end)
        }
    }

    /// Returns the response of a route to the request with this identifier.
    async fn response(
        &self,
        answer: Pin<Box<impl Future<Output = Result<Response, Infallible>>>>,
        id: &str,
    ) -> Response {
        let limit = self.state.config.limits.request_timeout;
        // Shared state stays valid after a panic.
        match within(limit, pin!(AssertUnwindSafe(answer).catch_unwind())).await {
            Some(Ok(Ok(response))) => response,
            Some(Ok(Err(never))) => match never {},
            Some(Err(panic)) => {
                let panic = self.state.metrics.add_panic(&*panic);
                tracing::error!(id, panic, "a handler panicked");
                Problem::new(
                    ProblemKind::Internal,
                    "the request met an error of the service; its operator finds it in the log by the request_id",
                )
                .into_response()
            }
            None => Problem::new(
                ProblemKind::TimedOut,
                format!("the answer did not begin within {}", shown_time(limit)),
            )
            .with_limit("limits.request-timeout", shown_time(limit))
            .with_retry_after(OVERLOAD_PAUSE)
            .into_response(),
        }
    }

    /// Checks the Host header, the key and the limits.
    fn admit(&self, sender: Sender, request: &Request) -> Result<Admission, Problem> {
        let state = &self.state;
        let limits = &state.config.limits;
        check_host(request)?;
        check_transfer_coding(request.headers())?;
        let target = request.uri();
        let length = target
            .path_and_query()
            .map_or(0, |path| path.as_str().len());
        if length > limits.url_bytes.0 {
            return Err(Problem::new(
                ProblemKind::UrlTooLong,
                format!("the path and query have {length} bytes"),
            )
            .with_limit("limits.url-bytes", limits.url_bytes));
        }
        if PROBES.contains(&target.path()) {
            return Ok(Admission::default());
        }
        let client = Client::of(sender.address);
        let mut of_client = Share::unlimited();
        if sender.is_limited {
            state.rates.add(client).map_err(|pause| {
                Problem::new(
                    ProblemKind::TooManyRequests,
                    format!(
                        "client {client} sends more than {} requests a second",
                        limits.rate_per_client
                    ),
                )
                .with_limit("limits.rate-per-client", limits.rate_per_client)
                .with_retry_after(pause)
            })?;
            of_client = state.requests.add(client).ok_or_else(|| {
                Problem::new(
                    ProblemKind::TooManyRequests,
                    format!(
                        "{} requests of client {client} are being answered",
                        limits.requests_per_client
                    ),
                )
                .with_limit("limits.requests-per-client", limits.requests_per_client)
                .with_retry_after(OVERLOAD_PAUSE)
            })?;
        }
        // After the rate, so that keys cannot be tried at any speed.
        if !state.keys.accept(request.headers()) {
            return Err(Problem::new(
                ProblemKind::MissingKey,
                "the header Authorization or X-API-Key has no valid key",
            ));
        }
        let at_once = state.at_once.clone().try_acquire_owned().map_err(|_| {
            Problem::new(
                ProblemKind::Overloaded,
                format!("{} requests are being answered", limits.requests_at_once),
            )
            .with_limit("limits.requests-at-once", limits.requests_at_once)
            .with_retry_after(OVERLOAD_PAUSE)
        })?;
        let client = sender.is_limited.then_some(client);
        Ok(Admission::new(client, of_client, at_once))
    }

    /// Returns the identifier of a request: that of a trusted proxy, or a new one.
    fn id(&self, sender: Sender, headers: &HeaderMap) -> String {
        let given = headers.get(REQUEST_ID).filter(|_| sender.is_by_proxy);
        let given = given.and_then(|id| id.to_str().ok());
        let is_id = |id: &&str| {
            !id.is_empty()
                && id.len() <= MAX_ID_BYTES
                && id.bytes().all(|byte| byte.is_ascii_graphic())
        };
        match given.filter(is_id) {
            Some(id) => id.to_owned(),
            None => self.state.next_id(),
        }
    }
}

/// Checks that a request has one valid Host header (RFC 9112, section 3.2). HTTP/1.0 may have none.
fn check_host(request: &Request) -> Result<(), Problem> {
    let malformed = |detail: &str| Err(Problem::new(ProblemKind::MalformedRequest, detail));
    let mut lines = request.headers().get_all(HOST).iter();
    match (lines.next(), lines.next()) {
        (None, _) if request.version() < Version::HTTP_11 => Ok(()),
        (None, _) => malformed("the header Host is missing"),
        (Some(_), Some(_)) => malformed("the header Host occurs twice"),
        (Some(host), None) => {
            let bytes = host.as_bytes();
            // An empty one is that of a target without an authority.
            let is_valid = bytes.is_empty()
                || is_plain_host(bytes)
                || (!bytes.contains(&b'@') && Authority::try_from(bytes).is_ok());
            if is_valid {
                Ok(())
            } else {
                malformed("the header Host is not a host")
            }
        }
    }
}

/// Returns whether a Host header is a name or an IPv4 address with a port of up to four digits or none, as most are. Such a host is
/// valid; accepting it here saves a copy.
fn is_plain_host(host: &[u8]) -> bool {
    let end = host.iter().position(|byte| *byte == b':');
    let (name, port) = host.split_at(end.unwrap_or(host.len()));
    let is_name = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.');
    let is_port = match port {
        [] => true,
        [_, digits @ ..] => {
            (1..=4).contains(&digits.len()) && digits.iter().all(u8::is_ascii_digit)
        }
    };
    !name.is_empty() && name.iter().all(is_name) && is_port
}

/// Checks that a body is in chunks or has a length, and has no other coding: the HTTP library lets those through that end in
/// chunks.
fn check_transfer_coding(headers: &HeaderMap) -> Result<(), Problem> {
    let mut lines = headers.get_all(TRANSFER_ENCODING).iter();
    let is_chunked = |line: &HeaderValue| {
        line.as_bytes()
            .trim_ascii()
            .eq_ignore_ascii_case(b"chunked")
    };
    match (lines.next(), lines.next()) {
        (None, _) => Ok(()),
        (Some(line), None) if is_chunked(line) => Ok(()),
        _ => Err(Problem::new(
            ProblemKind::MalformedRequest,
            "the header Transfer-Encoding has other codings than chunked",
        )),
    }
}

/// Writes the problem of a response, as a page or as a document, and adds the headers that every response has.
fn finish(
    response: Response,
    problem: Option<&Problem>,
    page: Option<fn(&Problem, &mut HeaderMap) -> Vec<u8>>,
    id: String,
    end: RequestEnd,
) -> Response<AnswerBody> {
    let (mut parts, body) = response.into_parts();
    let headers = &mut parts.headers;
    let body = match problem {
        Some(problem) => {
            problem.add_headers(headers);
            // What follows may not be a request.
            if problem.kind() == ProblemKind::MalformedRequest {
                headers.insert(CONNECTION, HeaderValue::from_static("close"));
            }
            Body::from(match page {
                Some(write) => write(problem, headers),
                None => problem.document(&id),
            })
        }
        None => body,
    };
    if let Ok(id) = HeaderValue::try_from(id) {
        headers.insert(REQUEST_ID, id);
    }
    for (name, value) in DEFAULT_HEADERS {
        headers.entry(name).or_insert(value);
    }
    Response::from_parts(parts, ResponseBody::new(body, end))
}

/// Ends a request when it is dropped: when its answer was sent, but for the last 64 KiB that wait in the connection, or when the
/// connection has ended.
#[derive(Debug)]
pub(crate) struct RequestEnd {
    /// That of the connection: its count is not that of the state, which all threads change.
    front: Arc<Front>,
    /// None if the request was refused.
    admission: Option<Admission>,
}

impl Drop for RequestEnd {
    fn drop(&mut self) {
        self.front.state.metrics.in_flight.dec();
    }
}

/// Returns a text of a request as log lines have it, up to a number of bytes. A path is without its query, which may have what a
/// visitor asks about.
fn cut(text: &str, max: usize) -> Cow<'_, str> {
    if text.len() <= max {
        return text.into();
    }
    // The HTTP library lets UTF-8 through.
    let mut ends = (0..=max).rev();
    let end = ends.find(|end| text.is_char_boundary(*end));
    let start = text.get(..end.unwrap_or(0)).unwrap_or_default();
    format!("{start}...").into()
}

/// An answered request, for its log line.
struct Answered<'r> {
    id: &'r str,
    sender: Sender,
    method: &'r Method,
    path: &'r str,
    status: StatusCode,
    limit: Option<&'static str>,
    time: Duration,
}

fn log(answered: &Answered<'_>) {
    tracing::info!(
        id = answered.id,
        client = %AddressText(answered.sender.address),
        method = &*cut(answered.method.as_str(), MAX_LOGGED_METHOD),
        path = answered.path,
        status = answered.status.as_u16(),
        limit = answered.limit,
        seconds = answered.time.as_secs_f64(),
        "request"
    );
}

#[cfg(test)]
mod tests {
    use super::{Front, ProblemPages};
    use crate::api::work::work;
    use crate::limit::held::Held;
    use crate::routes::Routes;
    use crate::state::AppState;
    use axum::body::Body;
    use axum::extract::{Request, State};
    use axum::routing::get;
    use http_body_util::BodyExt;
    use serde_json::Value;
    use std::future::pending;
    use std::net::{IpAddr, Ipv4Addr};
    use std::sync::{Arc, Mutex, mpsc};
    use std::time::Duration;

    /// Returns a front of routes that panic, and that never answer.
    fn front(settings: &[(&str, &str)]) -> Arc<Front> {
        front_of(settings, Routes::default())
    }

    fn front_of(settings: &[(&str, &str)], others: Routes) -> Arc<Front> {
        let state = AppState::of_settings(settings);
        let routes = others
            .route("/panics", get(panics))
            .route("/waits", get(pending::<()>))
            .route("/healthz", get(async || "ok"));
        let pages = ProblemPages {
            is_asked: |_| false,
            write: |_, _| Vec::new(),
        };
        Arc::new(Front::new(routes, state, pages))
    }

    async fn panics() {
        panic!("secret words")
    }

    fn request(path: &str) -> Request {
        Request::builder()
            .uri(path)
            .header("host", "x")
            .body(Body::empty())
            .unwrap()
    }

    /// Returns the status, and the problem or null.
    async fn answer(front: &Arc<Front>, path: &str) -> (u16, Value) {
        let peer = IpAddr::V4(Ipv4Addr::LOCALHOST);
        let response = front.answer(peer, request(path)).await;
        let status = response.status().as_u16();
        let body = response.into_body().collect().await.unwrap().to_bytes();
        (status, serde_json::from_slice(&body).unwrap_or_default())
    }

    /// A panic and a timeout are counted at their route.
    fn assert_counted(front: &Arc<Front>, route: &str, status: u16) {
        let line = format!("route=\"{route}\",method=\"GET\",status=\"{status}\"}} 1");
        let counters = front.state.metrics.text();
        assert!(counters.contains(&line), "{line}\n{counters}");
    }

    #[tokio::test]
    async fn a_panic_is_a_problem_without_its_words() {
        let front = front(&[]);
        let (status, problem) = answer(&front, "/panics").await;
        assert_eq!(
            (status, &problem["type"]),
            (500, &"/docs#problem-internal".into())
        );
        assert!(!problem.to_string().contains("secret"), "{problem}");
        assert_eq!(front.state.metrics.panics.get(), 1);
        assert_counted(&front, "/panics", 500);
        assert_eq!(front.state.metrics.in_flight.get(), 0);
        assert_eq!(answer(&front, "/healthz").await.0, 200);
    }

    #[tokio::test]
    async fn an_answer_begins_in_its_time() {
        let front = front(&[("limits.request-timeout", "50ms")]);
        let (status, problem) = answer(&front, "/waits").await;
        assert_eq!(
            (status, &problem["limit"]["name"]),
            (503, &"limits.request-timeout".into())
        );
        assert_counted(&front, "/waits", 503);
        assert_eq!(front.state.metrics.in_flight.get(), 0);
    }

    /// Asks as many questions as the limit, and one more. Those that are given up make room again.
    async fn assert_limit(settings: &[(&str, &str)], status: u16, limit: &str) {
        let front = front(settings);
        let waiting: Vec<_> = (0..2)
            .map(|_| {
                let front = front.clone();
                tokio::spawn(async move { answer(&front, "/waits").await })
            })
            .collect();
        tokio::time::sleep(Duration::from_millis(50)).await;
        let (found, problem) = answer(&front, "/panics").await;
        assert_eq!((found, &problem["limit"]["name"]), (status, &limit.into()));
        // Probes are not limited.
        assert_eq!(answer(&front, "/healthz").await.0, 200);
        for task in waiting {
            task.abort();
            let _ = task.await;
        }
        assert_eq!(answer(&front, "/panics").await.0, 500);
    }

    #[test]
    fn plain_hosts_are_authorities() {
        for (host, is_plain) in [
            ("a", true),
            ("Example.com", true),
            ("127.0.0.1:8080", true),
            ("a-b.example:1", true),
            ("a:65535", false),
            ("a:", false),
            (":80", false),
            ("[::1]", false),
            ("a_b", false),
            ("a@b", false),
            ("a b", false),
        ] {
            assert_eq!(super::is_plain_host(host.as_bytes()), is_plain, "{host}");
            assert!(
                !is_plain || super::Authority::try_from(host).is_ok(),
                "{host}"
            );
        }
    }

    #[test]
    fn texts_of_a_log_line_are_cut_at_a_character() {
        assert_eq!(super::cut("abc", 3), "abc");
        assert_eq!(super::cut("abcd", 3), "abc...");
        assert_eq!(super::cut("ab\u{e9}d", 3), "ab...");
    }

    #[tokio::test]
    async fn requests_at_once_are_as_many_as_their_limit() {
        let settings = [("limits.requests-at-once", "2")];
        assert_limit(&settings, 503, "limits.requests-at-once").await;
    }

    /// Work that has begun does not end when its client leaves: until then it counts.
    #[tokio::test]
    async fn work_holds_the_permits_of_its_request_until_it_ends() {
        let (end, is_ended) = mpsc::channel::<()>();
        let is_ended = Arc::new(Mutex::new(is_ended));
        let works = get(
            async move |State(state): State<AppState>, request: Request| {
                let held = Held::of(request.extensions(), &state.memory);
                let done = work(
                    state.work_places.of(0),
                    held,
                    usize::MAX,
                    move |cancelled| {
                        let _ = is_ended.lock().unwrap().recv();
                        cancelled.check()
                    },
                );
                done.await.map(|()| "ok")
            },
        );
        let settings = [("limits.requests-at-once", "1")];
        let front = front_of(&settings, Routes::default().route("/works", works));
        let working = front.clone();
        let request = tokio::spawn(async move { answer(&working, "/works").await });
        tokio::time::sleep(Duration::from_millis(50)).await;
        request.abort();
        let _ = request.await;
        let (status, problem) = answer(&front, "/panics").await;
        assert_eq!(
            (status, &problem["limit"]["name"]),
            (503, &"limits.requests-at-once".into())
        );
        drop(end);
        // The work ends on a thread of its own.
        for _ in 0..200 {
            if answer(&front, "/panics").await.0 == 500 {
                return;
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        panic!("the permit is not free");
    }

    #[tokio::test]
    async fn requests_of_a_client_are_as_many_as_their_limit() {
        let settings = [("limits.requests-per-client", "2"), ("exempt-clients", "")];
        assert_limit(&settings, 429, "limits.requests-per-client").await;
    }
}
