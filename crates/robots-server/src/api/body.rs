//! The bodies of requests: their type, size and time, and JSON in them.

use super::work::work;
use crate::config::shown_time;
use crate::limit::held::Held;
use crate::limit::time::within;
use crate::problem::{Problem, ProblemKind};
use crate::state::AppState;
use axum::body::{Body, Bytes};
use axum::extract::{FromRequest, Request};
use futures_util::stream::{Stream, StreamExt};
use http::HeaderMap;
use http::header::{CONTENT_ENCODING, CONTENT_LENGTH, CONTENT_TYPE};
use robots_policy::text::{nearest, printable};
use serde::de::value::MapAccessDeserializer;
use serde::de::{DeserializeOwned, MapAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::error::Category;
use std::fmt;
use std::marker::PhantomData;
use std::mem::take;
use std::pin::pin;

/// The body of a request, whole, with its memory and the permits of the request.
#[derive(Debug)]
pub(crate) struct WholeBody {
    bytes: Bytes,
    pub(crate) held: Held,
}

impl WholeBody {
    /// Returns the bytes.
    pub(crate) fn bytes(&self) -> &[u8] {
        &self.bytes
    }
}

impl FromRequest<AppState> for WholeBody {
    type Rejection = Problem;

    fn from_request(
        request: Request,
        state: &AppState,
    ) -> impl Future<Output = Result<Self, Problem>> + Send {
        let body = UnreadBody::of(request, state);
        async move { body?.read(state).await }
    }
}

/// The body of a request that is not read yet.
#[derive(Debug)]
struct UnreadBody {
    body: Body,
    /// The length that the request states.
    stated: Option<usize>,
    held: Held,
}

impl UnreadBody {
    /// Returns the body of a request, unless it is compressed or too large.
    fn of(request: Request, state: &AppState) -> Result<Self, Problem> {
        check_coding(request.headers())?;
        let limit = state.config.limits.body_bytes.0;
        let stated = request.headers().get(CONTENT_LENGTH);
        let stated = stated.and_then(|length| length.to_str().ok()?.parse::<usize>().ok());
        if stated.is_some_and(|stated| stated > limit) {
            return Err(too_large(state));
        }
        Ok(Self {
            stated,
            held: Held::of(request.extensions(), &state.memory),
            body: request.into_body(),
        })
    }

    /// Reads the body, within its time.
    async fn read(self, state: &AppState) -> Result<WholeBody, Problem> {
        let time = state.config.limits.body_timeout;
        let read = within(time, pin!(self.read_to_end(state))).await;
        read.unwrap_or_else(|| {
            let time = shown_time(time);
            let detail = format!("the body did not arrive within {time}");
            let problem = Problem::new(ProblemKind::SlowRequest, detail);
            Err(problem.with_limit("limits.body-timeout", time))
        })
    }

    /// Reads the body up to its end.
    async fn read_to_end(self, state: &AppState) -> Result<WholeBody, Problem> {
        let Self {
            body,
            stated,
            mut held,
        } = self;
        let limit = state.config.limits.body_bytes.0;
        // A body that arrives in one part, as most do, is not copied. One that may have more parts is: a part keeps the whole buffer of
        // its connection.
        let mut whole = Bytes::new();
        let mut bytes = Vec::new();
        let mut frames = pin!(frames(body));
        while let Some(part) = frames.next().await {
            let part = part?;
            if part.len() > limit.saturating_sub(held.memory.bytes()) {
                return Err(too_large(state));
            }
            held.memory.add(part.len())?;
            if held.memory.bytes() == part.len() && stated == Some(part.len()) {
                whole = part;
                continue;
            }
            bytes.extend_from_slice(&take(&mut whole));
            bytes.extend_from_slice(&part);
        }
        let bytes = if bytes.is_empty() {
            whole
        } else {
            bytes.into()
        };
        Ok(WholeBody { bytes, held })
    }
}

/// Checks that a body is not compressed.
///
/// # Errors
///
/// If the header `Content-Encoding` has another value than `identity`.
pub(crate) fn check_coding(headers: &HeaderMap) -> Result<(), Problem> {
    let mut codings = headers.get_all(CONTENT_ENCODING).iter();
    if codings.all(|coding| coding.as_bytes().eq_ignore_ascii_case(b"identity")) {
        return Ok(());
    }
    Err(Problem::new(
        ProblemKind::UnsupportedMediaType,
        "compressed bodies are not supported: expected no header Content-Encoding",
    ))
}

fn too_large(state: &AppState) -> Problem {
    let limit = state.config.limits.body_bytes;
    let detail = format!("the body has more than {limit}");
    Problem::new(ProblemKind::BodyTooLarge, detail).with_limit("limits.body-bytes", limit)
}

/// Returns the parts of a body with data. Trailers have no meaning here.
pub(crate) fn frames(body: Body) -> impl Stream<Item = Result<Bytes, Problem>> + Send {
    body.into_data_stream().map(|part| {
        part.map_err(|error| {
            let detail = format!("the body cannot be read: {error}");
            Problem::new(ProblemKind::MalformedRequest, detail)
        })
    })
}

/// A value in the body, as JSON with the type `application/json`. Unknown keys are errors if the type denies them.
#[derive(Debug)]
pub(crate) struct JsonBody<T> {
    pub(crate) value: T,
    /// The number of bytes.
    pub(crate) length: usize,
    /// The memory of the body, and the permits of the request.
    pub(crate) held: Held,
}

impl<T: DeserializeOwned + Send + 'static> FromRequest<AppState> for JsonBody<T> {
    type Rejection = Problem;

    fn from_request(
        request: Request,
        state: &AppState,
    ) -> impl Future<Output = Result<Self, Problem>> + Send {
        // Taken apart before the future begins, so that the future does not hold the whole request.
        let body = if is_json(request.headers()) {
            UnreadBody::of(request, state)
        } else {
            Err(Problem::new(
                ProblemKind::UnsupportedMediaType,
                "expected a body with the header Content-Type: application/json",
            ))
        };
        async move {
            let WholeBody { bytes, held } = body?.read(state).await?;
            let length = bytes.len();
            let read = work(state.work_places.of(length), (), length, move |_| {
                let value = read_object(&bytes).map_err(|error| json_problem(&error))?;
                Ok(Self {
                    value,
                    length,
                    held,
                })
            });
            read.await
        }
    }
}

/// Reads a JSON object as a value. The `Deserialize` of types with named keys would also take an array, and names the type in errors
/// about other values.
pub(crate) fn read_object<T: DeserializeOwned>(json: &[u8]) -> Result<T, serde_json::Error> {
    struct Object<T>(T);

    struct ObjectVisitor<T>(PhantomData<T>);

    impl<'de, T: Deserialize<'de>> Visitor<'de> for ObjectVisitor<T> {
        type Value = T;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("an object")
        }

        fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<T, A::Error> {
            T::deserialize(MapAccessDeserializer::new(map))
        }
    }

    impl<'de, T: Deserialize<'de>> Deserialize<'de> for Object<T> {
        fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
            let value = deserializer.deserialize_map(ObjectVisitor(PhantomData));
            value.map(Self)
        }
    }

    serde_json::from_slice(json).map(|Object(value)| value)
}

fn is_json(headers: &HeaderMap) -> bool {
    headers.get(CONTENT_TYPE).is_some_and(|value| {
        let value = value.as_bytes();
        let end = memchr::memchr(b';', value).unwrap_or(value.len());
        let essence = value.get(..end).unwrap_or_default();
        essence
            .trim_ascii()
            .eq_ignore_ascii_case(b"application/json")
    })
}

/// Returns the problem of a body that is not JSON, or JSON of another form, with its place.
pub(crate) fn json_problem(error: &serde_json::Error) -> Problem {
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
    Problem::new(kind, detail).at(error.line(), error.column())
}

/// Returns the known key that is nearest to the unknown one of an error: of "unknown field `uls`, expected one of `urls`,
/// `agents`" it is `urls`.
fn near_key(error: &str) -> Option<&str> {
    let rest = error.strip_prefix("unknown field `")?;
    let (unknown, rest) = rest.split_once("`, expected ")?;
    nearest(unknown, rest.split('`').skip(1).step_by(2))
}

#[cfg(test)]
mod tests {
    use super::{JsonBody, WholeBody, json_problem};
    use crate::problem::{Problem, ProblemKind};
    use crate::state::AppState;
    use axum::body::{Body, Bytes};
    use axum::extract::{FromRequest, Request};
    use futures_util::stream::{self, StreamExt};
    use http_body::Frame;
    use serde::Deserialize;
    use std::convert::Infallible;
    use std::pin::Pin;
    use std::task::{Context, Poll};

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

    /// A body of parts, which then ends or not.
    struct Parts {
        parts: Vec<usize>,
        ends: bool,
    }

    impl http_body::Body for Parts {
        type Data = Bytes;
        type Error = Infallible;

        fn poll_frame(
            mut self: Pin<&mut Self>,
            _: &mut Context<'_>,
        ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
            match self.parts.pop() {
                Some(bytes) => Poll::Ready(Some(Ok(Frame::data(vec![b' '; bytes].into())))),
                None if self.ends => Poll::Ready(None),
                None => Poll::Pending,
            }
        }
    }

    /// Reads a body of parts. Returns its length, or the limit of the problem.
    async fn read(
        state: &AppState,
        parts: &[usize],
        ends: bool,
    ) -> Result<WholeBody, Option<&'static str>> {
        let body = Body::new(Parts {
            parts: parts.to_vec(),
            ends,
        });
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
            assert_eq!(found.map(|body| body.bytes().len()), expected, "{parts:?}");
        }
        // A length that is stated is refused before the body comes.
        for (length, is_read) in [
            ("1000", true),
            ("1001", false),
            ("99999999999999999999", true),
        ] {
            let request = Request::builder().header("content-length", length);
            let request = request.body(Body::empty()).unwrap();
            let found = WholeBody::from_request(request, &state).await;
            assert_eq!(found.is_ok(), is_read, "{length}");
        }
    }

    #[tokio::test]
    async fn a_body_has_all_its_parts() {
        let state = AppState::of_settings(&[]);
        for stated in [None, Some("3"), Some("6")] {
            for parts in [&["abcdef"][..], &["abc", "def"], &["a", "bcd", "ef"], &[""]] {
                let body = stream::iter(parts.to_vec()).map(Ok::<_, Infallible>);
                let mut request = Request::builder();
                if let Some(stated) = stated {
                    request = request.header("content-length", stated);
                }
                let request = request.body(Body::from_stream(body)).unwrap();
                let found = WholeBody::from_request(request, &state).await.unwrap();
                assert_eq!(found.bytes(), parts.concat().as_bytes(), "{stated:?}");
            }
        }
    }

    #[tokio::test]
    async fn bodies_in_memory_are_as_large_as_their_limit() {
        let settings = [
            ("limits.body-bytes", "1000"),
            ("limits.bodies-bytes", "1500"),
        ];
        let state = AppState::of_settings(&settings);
        let first = read(&state, &[1000], true).await.unwrap();
        let second = read(&state, &[500], true).await.unwrap();
        let refused = read(&state, &[1], true).await.map(|_| ());
        assert_eq!(refused, Err(Some("limits.bodies-bytes")));
        drop(second);
        // A part that was read before the refusal is free again.
        let refused = read(&state, &[501, 100], true).await.map(|_| ());
        assert_eq!(refused, Err(Some("limits.bodies-bytes")));
        assert!(read(&state, &[500], true).await.is_ok());
        drop(first);
        assert!(read(&state, &[1000], true).await.is_ok());
    }

    #[tokio::test]
    async fn a_body_arrives_in_its_time() {
        let state = AppState::of_settings(&[("limits.body-timeout", "50ms")]);
        let refused = read(&state, &[10], false).await.map(|_| ());
        assert_eq!(refused, Err(Some("limits.body-timeout")));
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
