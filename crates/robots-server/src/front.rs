//! The layers around the routes: the sender and identifier of a request, its limits and key, and what is logged and counted of it.

use crate::client::Sender;
use crate::problem::{Problem, ProblemKind};
use crate::state::AppState;
use crate::{api, page};
use axum::body::Body;
use axum::error_handling::HandleErrorLayer;
use axum::extract::{MatchedPath, Request, State};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use axum::{BoxError, Router};
use http::header::{
    CACHE_CONTROL, CONTENT_SECURITY_POLICY, DATE, HOST, HeaderName, HeaderValue, REFERRER_POLICY,
    X_CONTENT_TYPE_OPTIONS,
};
use http::uri::Authority;
use http::{HeaderMap, Version};
use std::net::IpAddr;
use std::time::{Duration, Instant, SystemTime};
use tokio::sync::Semaphore;
use tower::ServiceBuilder;
use tower::limit::GlobalConcurrencyLimitLayer;
use tower_http::catch_panic::CatchPanicLayer;
use tower_http::request_id::{MakeRequestUuid, PropagateRequestIdLayer, SetRequestIdLayer};

/// The header with the identifier of a request.
const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// The headers of every answer that has no others of these names.
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

/// The last second of the year 9999, from 1970: the last date of HTTP.
const LAST_DATE: Duration = Duration::from_secs(253_402_300_799);

/// The address from which a connection came.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Peer(pub(crate) IpAddr);

/// Returns the service of requests, each of which has its [`Peer`].
pub(crate) fn service(state: &AppState) -> Router {
    layered(api::routes().merge(page::routes()), state)
}

/// Returns routes in their layers. Each request comes to the last one first.
fn layered(routes: Router<AppState>, state: &AppState) -> Router {
    let limits = &state.config.limits;
    let (at_once, time) = (limits.requests_at_once, limits.request_timeout);
    let refused = async move |error: BoxError| {
        if error.is::<tower::timeout::error::Elapsed>() {
            let detail = format!("the answer did not begin within {time}");
            let kind = ProblemKind::TimedOut;
            return Problem::over(kind, "limits.request-timeout", time, detail);
        }
        let detail = format!("{at_once} requests are being answered");
        let kind = ProblemKind::Overloaded;
        Problem::over(kind, "limits.requests-at-once", at_once, detail)
    };
    let bounds = ServiceBuilder::new()
        .layer(HandleErrorLayer::new(refused))
        .load_shed()
        .layer(GlobalConcurrencyLimitLayer::new(
            at_once.min(Semaphore::MAX_PERMITS),
        ))
        .timeout(time.0);
    let panics = state.metrics.panics.clone();
    let panicked = move |panic: Box<dyn std::any::Any + Send>| {
        panics.inc();
        let text = panic.downcast_ref::<&str>().map(ToString::to_string);
        let panic = text.or_else(|| panic.downcast_ref().cloned());
        tracing::error!(panic, "a handler panicked");
        let detail = "the request met an error of the service; its operator finds it in the log by the request_id";
        Problem::new(ProblemKind::Internal, detail).into_response()
    };
    routes
        .fallback(not_found)
        .method_not_allowed_fallback(method_not_allowed)
        .layer(bounds)
        .layer(from_fn_with_state(state.clone(), admit))
        .merge(api::probes())
        .layer(CatchPanicLayer::custom(panicked))
        .layer(from_fn_with_state(state.clone(), observe))
        .layer(PropagateRequestIdLayer::x_request_id())
        .layer(SetRequestIdLayer::x_request_id(MakeRequestUuid))
        .layer(from_fn_with_state(state.clone(), identify))
        .with_state(state.clone())
}

async fn not_found(request: Request) -> Problem {
    let path = request.uri().path();
    Problem::new(
        ProblemKind::NotFound,
        format!("there is nothing at {path}; /docs lists the paths"),
    )
}

async fn method_not_allowed(request: Request) -> Problem {
    let (method, path) = (request.method(), request.uri().path());
    Problem::new(
        ProblemKind::MethodNotAllowed,
        format!("{path} does not have the method {method}; the header Allow lists its methods"),
    )
}

/// Adds the [`Sender`] of a request, and removes an identifier that is not that of a trusted proxy.
async fn identify(State(state): State<AppState>, mut request: Request, next: Next) -> Response {
    let peer = request.extensions().get::<Peer>();
    let peer = peer.map_or(IpAddr::from([0; 4]), |peer| peer.0);
    let sender = state.senders.sender(peer, request.headers());
    request.extensions_mut().insert(sender);
    let is_id = |id: &HeaderValue| {
        (1..=MAX_ID_BYTES).contains(&id.len()) && id.as_bytes().iter().all(u8::is_ascii_graphic)
    };
    let headers = request.headers_mut();
    if !(sender.is_by_proxy && headers.get(REQUEST_ID).is_some_and(is_id)) {
        headers.remove(REQUEST_ID);
    }
    next.run(request).await
}

/// Logs and counts a request. Writes the problem of its response, as a page or as a document, and adds the headers that every
/// response has.
async fn observe(State(state): State<AppState>, request: Request, next: Next) -> Response {
    let started = Instant::now();
    let id = request.headers().get(REQUEST_ID).cloned();
    let id = id
        .as_ref()
        .and_then(|id| id.to_str().ok())
        .unwrap_or_default();
    let sender = request.extensions().get::<Sender>().copied();
    let method = request.method().clone();
    // Up to 256 characters, without the query, which may have what a visitor asks about.
    let path = format!("{:.256}", request.uri().path());
    let is_page_asked = page::is_asked(&request);
    let route = request.extensions().get::<MatchedPath>().cloned();
    let route = route.as_ref().map_or("none", MatchedPath::as_str);
    let metrics = &state.metrics;
    let in_flight = metrics.begin_request();
    let mut response = match check(&state, &request) {
        Ok(()) => next.run(request).await,
        Err(problem) => problem.into_response(),
    };
    drop(in_flight);
    let (time, status) = (started.elapsed(), response.status().as_u16());
    metrics.add_request(route, &method, status, time);
    let problem = response.extensions_mut().remove::<Problem>();
    let limit = problem.as_ref().and_then(Problem::limit_name);
    if let Some(limit) = limit {
        metrics.add_refused(limit);
    }
    tracing::info!(
        id,
        client = sender.map(|sender| tracing::field::display(sender.address)),
        // A client can invent any.
        method = format!("{:.32}", method.as_str()),
        path,
        status,
        limit,
        seconds = time.as_secs_f64(),
        "request"
    );
    if let Some(problem) = problem {
        problem.add_headers(response.headers_mut());
        *response.body_mut() = Body::from(if is_page_asked {
            page::of_problem(&problem, response.headers_mut())
        } else {
            problem.document(id)
        });
    }
    if let Some(date) = http_date(SystemTime::now()) {
        response.headers_mut().insert(DATE, date);
    }
    for (name, value) in DEFAULT_HEADERS {
        response.headers_mut().entry(name).or_insert(value);
    }
    response
}

/// Returns a time as a date of HTTP. One that has no such date becomes the nearest that has one.
fn http_date(time: SystemTime) -> Option<HeaderValue> {
    let first = SystemTime::UNIX_EPOCH;
    let last = first + LAST_DATE;
    let date = httpdate::fmt_http_date(time.clamp(first, last));
    HeaderValue::from_str(&date).ok()
}

/// Checks the Host header and the length of the path and query.
fn check(state: &AppState, request: &Request) -> Result<(), Problem> {
    check_host(request.version(), request.headers())?;
    check_allowed(&state.config.allowed_hosts, request)?;
    let (target, limit) = (request.uri(), state.config.limits.url_bytes);
    let length = target
        .path_and_query()
        .map_or(0, |path| path.as_str().len());
    if length > limit.0 {
        let detail = format!("the path and query have {length} bytes");
        let kind = ProblemKind::UrlTooLong;
        return Err(Problem::over(kind, "limits.url-bytes", limit, detail));
    }
    Ok(())
}

/// Checks that a request has one valid Host header (RFC 9112, section 3.2). HTTP/1.0 may have none.
fn check_host(version: Version, headers: &HeaderMap) -> Result<(), Problem> {
    let mut lines = headers.get_all(HOST).iter();
    let what = match (lines.next(), lines.next()) {
        (None, _) if version < Version::HTTP_11 => return Ok(()),
        (None, _) => "is missing",
        (Some(_), Some(_)) => "occurs twice",
        // An empty one is that of a target without an authority.
        (Some(host), None) if host.is_empty() => return Ok(()),
        (Some(host), None) => match Authority::try_from(host.as_bytes()) {
            Ok(authority) if !authority.as_str().contains('@') => return Ok(()),
            _ => "is not a host",
        },
    };
    let detail = format!("the header Host {what}");
    Err(Problem::new(ProblemKind::MalformedRequest, detail))
}

/// Checks that a request is for one of the allowed hosts, if there are any: a page of another site could otherwise have a browser send
/// requests under a name of its own that leads to this service. Probes have the address of the service as their host.
fn check_allowed(allowed: &[String], request: &Request) -> Result<(), Problem> {
    if allowed.is_empty() || api::PROBES.contains(&request.uri().path()) {
        return Ok(());
    }
    // RFC 9112, section 3.2.2: the authority of the target has precedence.
    let header = request.headers().get(HOST);
    let header = header.and_then(|host| Authority::try_from(host.as_bytes()).ok());
    let authority = request.uri().authority().or(header.as_ref());
    let host = authority.map_or("", Authority::host);
    let host = host.strip_suffix('.').unwrap_or(host);
    if allowed.iter().any(|name| name.eq_ignore_ascii_case(host)) {
        return Ok(());
    }
    let detail = format!("{host:?} is not in the setting allowed-hosts");
    Err(Problem::new(ProblemKind::Misdirected, detail))
}

/// Checks the limits of the client and the key.
async fn admit(State(state): State<AppState>, request: Request, next: Next) -> Response {
    let client = request
        .extensions()
        .get::<Sender>()
        .map(|sender| sender.client());
    if let Some(client) = client.filter(|client| !client.is_exempt)
        && let Err(pause) = state.rates.add(client)
    {
        let rate = state.config.limits.rate_per_client;
        let detail = format!("client {client} sends more than {rate} requests a second");
        let kind = ProblemKind::TooManyRequests;
        let problem = Problem::over(kind, "limits.rate-per-client", rate, detail);
        return problem.with_retry_after(pause).into_response();
    }
    let _place = match state.requests.take(client) {
        Ok(place) => place,
        Err(problem) => return problem.into_response(),
    };
    // After the rate, so that keys cannot be tried at any speed.
    if !state.keys.accept(request.headers()) {
        let detail = "the header Authorization or X-API-Key has no valid key";
        return Problem::new(ProblemKind::MissingKey, detail).into_response();
    }
    next.run(request).await
}

#[cfg(test)]
mod tests {
    use super::{LAST_DATE, Peer, http_date, layered};
    use crate::state::AppState;
    use axum::Router;
    use axum::body::{Body, to_bytes};
    use axum::extract::Request;
    use axum::routing::get;
    use serde_json::Value;
    use std::future::pending;
    use std::net::IpAddr;
    use std::time::{Duration, SystemTime};
    use tower::ServiceExt;

    /// Returns the layers around routes that panic, and that never answer.
    fn front(settings: &[(&str, &str)]) -> (Router, AppState) {
        let state = AppState::of_settings(settings);
        let routes = Router::new()
            .route("/panics", get(panics))
            .route("/waits", get(pending::<()>));
        (layered(routes, &state), state)
    }

    async fn panics() {
        panic!("secret words")
    }

    /// Returns the status, and the problem or null.
    async fn answer(front: &Router, path: &str) -> (u16, Value) {
        let request = Request::builder().uri(path).header("host", "x");
        let mut request = request.body(Body::empty()).unwrap();
        request
            .extensions_mut()
            .insert(Peer(IpAddr::from([127, 0, 0, 1])));
        let response = front.clone().oneshot(request).await.unwrap();
        let status = response.status().as_u16();
        let body = to_bytes(response.into_body(), usize::MAX).await.unwrap();
        (status, serde_json::from_slice(&body).unwrap_or_default())
    }

    /// A panic and a timeout are counted at their route.
    fn assert_counted(state: &AppState, route: &str, status: u16) {
        let counters = state.metrics.text();
        for line in [
            &format!("route=\"{route}\",method=\"GET\",status=\"{status}\"}} 1"),
            "robots_http_requests_in_flight 0\n",
        ] {
            assert!(counters.contains(line), "{line}\n{counters}");
        }
    }

    #[test]
    fn every_time_has_a_date() {
        let first = SystemTime::UNIX_EPOCH;
        let (before, last) = (
            "Thu, 01 Jan 1970 00:00:00 GMT",
            "Fri, 31 Dec 9999 23:59:59 GMT",
        );
        for (time, expected) in [
            (first, before),
            (first - Duration::from_secs(1), before),
            (first + LAST_DATE, last),
            (first + LAST_DATE + Duration::from_secs(1), last),
            (first + 9 * LAST_DATE, last),
        ] {
            assert_eq!(http_date(time).unwrap(), expected, "{time:?}");
        }
    }

    #[tokio::test]
    async fn requests_are_for_allowed_hosts() {
        let (front, _) = front(&[("allowed-hosts", "robots.example,[::1]")]);
        for (target, host, status) in [
            ("/none", "robots.example", 404),
            ("/none", "Robots.Example.:8080", 404),
            ("/none", "[::1]:80", 404),
            ("/none", "other.example", 421),
            ("/none", "robots.example.other", 421),
            ("/none", "", 421),
            ("http://other.example/none", "robots.example", 421),
            ("http://robots.example/none", "other.example", 404),
            ("/healthz", "10.0.0.1:8080", 200),
            ("/readyz", "10.0.0.1:8080", 200),
        ] {
            let request = Request::builder().uri(target).header("host", host);
            let request = request.body(Body::empty()).unwrap();
            let response = front.clone().oneshot(request).await.unwrap();
            assert_eq!(response.status(), status, "{target} {host}");
            assert!(response.headers().contains_key("date"));
        }
    }

    #[tokio::test]
    async fn a_panic_is_a_problem_without_its_words() {
        let (front, state) = front(&[]);
        let (status, problem) = answer(&front, "/panics").await;
        assert_eq!(
            (status, &problem["type"]),
            (500, &"/docs#problem-internal".into())
        );
        assert!(!problem.to_string().contains("secret"), "{problem}");
        assert_eq!(state.metrics.panics.get(), 1);
        assert_counted(&state, "/panics", 500);
        assert_eq!(answer(&front, "/healthz").await.0, 200);
    }

    #[tokio::test]
    async fn an_answer_begins_in_its_time() {
        let (front, state) = front(&[("limits.request-timeout", "50ms")]);
        let (status, problem) = answer(&front, "/waits").await;
        assert_eq!(
            (status, &problem["limit"]["name"]),
            (503, &"limits.request-timeout".into())
        );
        assert_counted(&state, "/waits", 503);
    }

    /// Asks as many questions as the limit, and one more. Those that are given up make room again.
    async fn assert_limit(settings: &[(&str, &str)], status: u16, limit: &str) {
        let (front, state) = front(settings);
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
        assert_counted(&state, "/panics", 500);
    }

    #[tokio::test]
    async fn requests_at_once_are_as_many_as_their_limit() {
        let settings = [("limits.requests-at-once", "2")];
        assert_limit(&settings, 503, "limits.requests-at-once").await;
    }

    #[tokio::test]
    async fn requests_of_a_client_are_as_many_as_their_limit() {
        let settings = [("limits.requests-per-client", "2"), ("exempt-clients", "")];
        assert_limit(&settings, 429, "limits.requests-per-client").await;
    }
}
