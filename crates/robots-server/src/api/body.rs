//! The bodies of requests: their type, size and time, and JSON in them.

use crate::client::Sender;
use crate::config::Time;
use crate::problem::{Problem, ProblemKind};
use crate::state::{AppState, Held};
use crate::work::work;
use axum::body::{Body, Bytes, HttpBody};
use axum::extract::{FromRequest, Request};
use http::HeaderMap;
use http::header::{CONTENT_ENCODING, CONTENT_TYPE};
use http_body_util::BodyExt;
use robots_policy::text::{near_key, printable};
use serde::de::{DeserializeOwned, IgnoredAny};
use serde_json::error::Category;
use std::time::Duration;
use tokio::time::timeout;

/// The maximum time between two parts of a body.
const MAX_PAUSE: Duration = Duration::from_secs(5);

/// The body of a request, whole.
#[derive(Debug)]
pub(crate) struct WholeBody {
    pub(crate) bytes: Bytes,
    pub(crate) held: Held,
}

impl FromRequest<AppState> for WholeBody {
    type Rejection = Problem;

    async fn from_request(request: Request, state: &AppState) -> Result<Self, Problem> {
        check_coding(request.headers())?;
        let sender = request.extensions().get::<Sender>();
        let mut held = Held::new(state, sender.map(|sender| sender.client()));
        let body = request.into_body();
        let (limit, time) = (
            state.config.limits.body_bytes,
            state.config.limits.body_timeout,
        );
        let too_large = || {
            let detail = format!("the body has more than {limit}");
            Problem::over(
                ProblemKind::BodyTooLarge,
                "limits.body-bytes",
                limit,
                detail,
            )
        };
        let stated = body.size_hint();
        let stated = stated.upper().map_or(limit.0, |bytes| {
            usize::try_from(bytes).unwrap_or(usize::MAX)
        });
        if stated > limit.0 {
            return Err(too_large());
        }
        held.take_for(stated)?;
        let read = read_parts(body, limit.0, MAX_PAUSE, too_large);
        let bytes = timeout(time.0, read).await.unwrap_or_else(|_| {
            let detail = format!("the body did not arrive within {time}");
            let kind = ProblemKind::SlowRequest;
            Err(Problem::over(kind, "limits.body-timeout", time, detail))
        });
        Ok(Self {
            bytes: bytes?,
            held,
        })
    }
}

/// Reads the parts of a body, each of which arrives within a time.
async fn read_parts(
    mut body: Body,
    limit: usize,
    max_pause: Duration,
    too_large: impl Fn() -> Problem,
) -> Result<Bytes, Problem> {
    let mut bytes = Vec::new();
    let stalled = |_| {
        let pause = Time(max_pause);
        let detail = format!("no part of the body arrived for {pause}");
        Problem::new(ProblemKind::SlowRequest, detail)
    };
    // Each part is copied: it would keep the whole buffer of its connection.
    while let Some(frame) = timeout(max_pause, body.frame()).await.map_err(stalled)? {
        // Trailers have no meaning here.
        let Ok(part) = frame.map_err(|error| unread(&error))?.into_data() else {
            continue;
        };
        if part.len() > limit - bytes.len() {
            return Err(too_large());
        }
        bytes.extend_from_slice(&part);
    }
    Ok(bytes.into())
}

/// Returns the problem of a body that breaks off.
pub(super) fn unread(error: &axum::Error) -> Problem {
    let detail = format!("the body cannot be read: {error}");
    Problem::new(ProblemKind::MalformedRequest, detail)
}

/// Returns the media type of a body, without its parameters.
pub(crate) fn media_type(headers: &HeaderMap) -> String {
    let value = headers
        .get(CONTENT_TYPE)
        .and_then(|value| value.to_str().ok());
    let essence = value.and_then(|value| value.split(';').next());
    essence.unwrap_or_default().trim().to_ascii_lowercase()
}

/// Checks that a body is not compressed: the header `Content-Encoding` has no other value than `identity`.
pub(super) fn check_coding(headers: &HeaderMap) -> Result<(), Problem> {
    let mut codings = headers.get_all(CONTENT_ENCODING).iter();
    if codings.all(|coding| coding.as_bytes().eq_ignore_ascii_case(b"identity")) {
        return Ok(());
    }
    Err(Problem::new(
        ProblemKind::UnsupportedMediaType,
        "compressed bodies are not supported: expected no header Content-Encoding",
    ))
}

/// A value in the body, as JSON with the type `application/json`. Unknown keys are errors if the type denies them.
#[derive(Debug)]
pub(super) struct JsonBody<T> {
    pub(super) value: T,
    /// The number of bytes.
    pub(super) length: usize,
    pub(super) held: Held,
}

impl<T: DeserializeOwned + Send + 'static> FromRequest<AppState> for JsonBody<T> {
    type Rejection = Problem;

    async fn from_request(request: Request, state: &AppState) -> Result<Self, Problem> {
        if media_type(request.headers()) != "application/json" {
            return Err(Problem::new(
                ProblemKind::UnsupportedMediaType,
                "expected a body with the header Content-Type: application/json",
            ));
        }
        let WholeBody { bytes, held } = WholeBody::from_request(request, state).await?;
        let length = bytes.len();
        // The work has the place of the body until it ends, even if the client leaves.
        work(&held.clone(), length, length, move |_| {
            let value = read_object(&bytes)?;
            Ok(Self {
                value,
                length,
                held,
            })
        })
        .await
    }
}

/// Reads a JSON object as a value. The `Deserialize` of types with named keys would also take an array.
pub(super) fn read_object<T: DeserializeOwned>(json: &[u8]) -> Result<T, Problem> {
    let start = json.trim_ascii_start().first();
    if start != Some(&b'{') && serde_json::from_slice::<IgnoredAny>(json).is_ok() {
        return Err(Problem::invalid("expected an object").at(1, 1));
    }
    serde_json::from_slice(json).map_err(|error| json_problem(&error))
}

/// Returns the problem of a body that is not JSON, or JSON of another form, with its place.
fn json_problem(error: &serde_json::Error) -> Problem {
    let kind = match error.classify() {
        Category::Data => ProblemKind::InvalidValue,
        Category::Io | Category::Syntax | Category::Eof => ProblemKind::InvalidJson,
    };
    // The place is in members of its own.
    let text = error.to_string();
    let end = text.rfind(" at line ").unwrap_or(text.len());
    let text = text.get(..end).unwrap_or(&text);
    let hint = near_key(text).map_or_else(String::new, |near| format!("; did you mean `{near}`?"));
    let detail = format!("{}{hint}", printable(text));
    Problem::new(kind, detail).at(error.line() as u64, error.column())
}

#[cfg(test)]
mod tests {
    use super::{JsonBody, WholeBody, json_problem, read_parts};
    use crate::client::Sender;
    use crate::problem::{Problem, ProblemKind};
    use crate::state::{AppState, LARGE_BYTES};
    use axum::body::{Body, Bytes};
    use axum::extract::{FromRequest, Request};
    use futures_util::future::join_all;
    use futures_util::stream::{self, StreamExt};
    use serde::de::IgnoredAny;
    use serde::{Deserialize, Deserializer};
    use std::convert::Infallible;
    use std::net::IpAddr;
    use std::sync::Arc;
    use std::thread::{self, ThreadId};
    use std::time::Duration;
    use tokio::time::sleep;

    #[derive(Debug, Deserialize)]
    #[serde(deny_unknown_fields)]
    #[allow(dead_code, reason = "only its keys count")]
    struct Question {
        urls: Vec<String>,
        agents: Vec<String>,
    }

    #[test]
    fn a_problem_with_json_has_its_place_and_the_nearest_key() {
        for (text, kind, detail) in [
            (
                "{\n  \"uls\": []}",
                ProblemKind::InvalidValue,
                "unknown field `uls`, expected `urls` or `agents`; did you mean `urls`?",
            ),
            (
                "{\"urls\": 7}",
                ProblemKind::InvalidValue,
                "invalid type: integer `7`, expected a sequence",
            ),
            (
                "{\"urls\": []}",
                ProblemKind::InvalidValue,
                "missing field `agents`",
            ),
            ("{\"urls\": [}", ProblemKind::InvalidJson, "expected value"),
            ("", ProblemKind::InvalidJson, "EOF while parsing a value"),
        ] {
            let error = serde_json::from_str::<Question>(text).unwrap_err();
            let problem = json_problem(&error);
            assert_eq!((problem.kind(), problem.detail()), (kind, detail), "{text}");
        }
    }

    /// Reads a body of parts, which then ends or not. Returns it, or the limit of the problem.
    async fn read(
        state: &AppState,
        parts: &[usize],
        ends: bool,
    ) -> Result<WholeBody, Option<&'static str>> {
        let parts = stream::iter(parts.to_vec()).map(|bytes| vec![b' '; bytes]);
        let parts = parts.map(Ok::<_, Infallible>);
        let body = if ends {
            Body::from_stream(parts)
        } else {
            Body::from_stream(parts.chain(stream::pending()))
        };
        WholeBody::from_request(Request::new(body), state)
            .await
            .map_err(|problem| problem.limit_name())
    }

    #[tokio::test]
    async fn a_body_is_as_large_as_its_limit() {
        let state = AppState::of_settings(&[("limits.body-bytes", "1000")]);
        for (parts, expected) in [
            (&[999][..], Ok(999)),
            (&[1000], Ok(1000)),
            (&[1001], Err(Some("limits.body-bytes"))),
            (&[1, 400, 599], Ok(1000)),
            (&[1, 400, 600], Err(Some("limits.body-bytes"))),
            (&[], Ok(0)),
        ] {
            let found = read(&state, parts, true).await;
            assert_eq!(found.map(|body| body.bytes.len()), expected, "{parts:?}");
        }
        // A length that is stated is refused before the body comes.
        for (length, is_read) in [(1000, true), (1001, false)] {
            let request = Request::new(Body::from(vec![b' '; length]));
            let found = WholeBody::from_request(request, &state).await;
            assert_eq!(found.is_ok(), is_read, "{length}");
        }
    }

    /// One client has up to a quarter of the places.
    #[tokio::test]
    async fn large_bodies_are_as_many_as_their_limit() {
        let state = AppState::of_settings(&[("limits.bodies-at-once", "4")]);
        let from = |last, bytes| {
            let address = IpAddr::from([192, 0, 2, last]);
            let mut request = Request::new(Body::from(vec![b' '; bytes]));
            request.extensions_mut().insert(Sender {
                address,
                is_limited: true,
                is_by_proxy: false,
            });
            let body = WholeBody::from_request(request, &state);
            async { body.await.map_err(|problem| problem.kind()) }
        };
        let first = from(1, LARGE_BYTES + 1).await.unwrap();
        let refused = from(1, LARGE_BYTES + 1).await.unwrap_err();
        assert_eq!(refused, ProblemKind::TooManyRequests);
        assert!(from(1, LARGE_BYTES).await.is_ok());
        let others = [2, 3, 4].map(|last| from(last, LARGE_BYTES + 1));
        let others = join_all(others).await;
        assert!(others.iter().all(Result::is_ok));
        let refused = from(5, LARGE_BYTES + 1).await.unwrap_err();
        assert_eq!(refused, ProblemKind::Overloaded);
        drop(first);
        assert!(from(5, LARGE_BYTES + 1).await.is_ok());
    }

    /// No part is kept, as it would keep the whole buffer of its connection.
    #[tokio::test]
    async fn a_body_has_all_its_parts() {
        struct Buffer(
            &'static str,
            #[expect(dead_code, reason = "counted")] Arc<()>,
        );
        impl AsRef<[u8]> for Buffer {
            fn as_ref(&self) -> &[u8] {
                self.0.as_bytes()
            }
        }

        let state = AppState::of_settings(&[]);
        for parts in [&["abcdef"][..], &["abc", "def"], &["a", "bcd", "ef"], &[""]] {
            let buffers = Arc::new(());
            let body = stream::iter(parts.to_vec()).map(move |part| {
                assert_eq!(Arc::strong_count(&buffers), 1);
                let buffer = Buffer(part, Arc::clone(&buffers));
                Ok::<_, Infallible>(Bytes::from_owner(buffer))
            });
            let request = Request::new(Body::from_stream(body));
            let found = WholeBody::from_request(request, &state).await.unwrap();
            assert_eq!(found.bytes, parts.concat());
        }
    }

    #[tokio::test]
    async fn a_body_arrives_in_its_time() {
        let state = AppState::of_settings(&[("limits.body-timeout", "50ms")]);
        let refused = read(&state, &[10], false).await.map(|_| ());
        assert_eq!(refused, Err(Some("limits.body-timeout")));
    }

    #[tokio::test]
    async fn a_body_that_stalls_is_refused() {
        let parts = |pause| {
            let parts = stream::iter([0, pause, pause]).then(async |pause| {
                sleep(Duration::from_millis(pause)).await;
                Ok::<_, Infallible>("part")
            });
            Body::from_stream(parts)
        };
        let max_pause = Duration::from_millis(150);
        let read = async |pause| {
            let too_large = || Problem::invalid("too large");
            let read = read_parts(parts(pause), 1000, max_pause, too_large).await;
            read.map_err(|problem| problem.kind())
        };
        // Each part has its own time.
        assert_eq!(read(100).await.unwrap(), "partpartpart");
        assert_eq!(read(1000).await, Err(ProblemKind::SlowRequest));
    }

    #[tokio::test]
    async fn a_large_body_is_read_on_another_thread() {
        #[derive(Debug)]
        struct ReadOn(ThreadId);
        impl<'de> Deserialize<'de> for ReadOn {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                IgnoredAny::deserialize(deserializer)?;
                Ok(Self(thread::current().id()))
            }
        }

        let state = AppState::of_settings(&[]);
        for (length, is_here) in [(LARGE_BYTES, true), (LARGE_BYTES + 1, false)] {
            let request = Request::builder().header("content-type", "application/json");
            let request = request.body(Body::from(format!(
                "{{}}{:length$}",
                "",
                length = length - 2
            )));
            let body = JsonBody::<ReadOn>::from_request(request.unwrap(), &state).await;
            let is_read_here = body.unwrap().value.0 == thread::current().id();
            assert_eq!(is_read_here, is_here, "{length}");
        }
    }

    #[tokio::test]
    async fn a_body_of_another_type_is_refused() {
        let state = AppState::of_settings(&[]);
        for (value, is_json) in [
            ("application/json", true),
            ("Application/JSON; charset=utf-8", true),
            ("text/json", false),
            ("application/x-www-form-urlencoded", false),
        ] {
            let request = Request::builder().header("content-type", value);
            let request = request
                .body(Body::from("{\"urls\": [], \"agents\": []}"))
                .unwrap();
            let found = JsonBody::<Question>::from_request(request, &state).await;
            let kind = found.as_ref().err().map(Problem::kind);
            let expected = (!is_json).then_some(ProblemKind::UnsupportedMediaType);
            assert_eq!(kind, expected, "{value}");
        }
    }
}
