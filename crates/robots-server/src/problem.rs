//! Errors of the API as problem documents (RFC 9457).
//!
//! A [`Problem`] becomes a response without a body that has the problem as an extension. The [front](crate::front) adds the
//! identifier of the request and writes the document, so that there is one place that writes them.

use axum::response::{IntoResponse, Response};
use http::header::{
    CONNECTION, CONTENT_LENGTH, CONTENT_TYPE, HeaderValue, RETRY_AFTER, WWW_AUTHENTICATE,
};
use http::{HeaderMap, StatusCode};
use serde::Serialize;
use std::fmt;
use std::time::Duration;
use utoipa::ToSchema;

/// The media type of problem documents.
pub(crate) const MEDIA_TYPE: &str = "application/problem+json";

/// The pause after which a client may ask again, unless the problem has another one.
const RETRY_PAUSE: Duration = Duration::from_secs(1);

/// The kinds of problems.
macro_rules! kinds {
    ($($(#[$about:meta])* $variant:ident = $slug:literal, $status:ident, $title:literal;)+) => {
        /// A kind of problem. Its `type` is `/docs#problem-NAME`, where the page of the API describes it.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub(crate) enum ProblemKind { $($(#[$about])* $variant),+ }

        impl ProblemKind {
            /// All kinds.
            pub(crate) const ALL: &'static [Self] = &[$(Self::$variant),+];

            /// Returns the name.
            pub(crate) fn name(self) -> &'static str {
                match self { $(Self::$variant => $slug),+ }
            }

            /// Returns the status of the response.
            pub(crate) fn status(self) -> StatusCode {
                match self { $(Self::$variant => StatusCode::$status),+ }
            }

            /// Returns the description, which is the same for all problems of the kind.
            pub(crate) fn title(self) -> &'static str {
                match self { $(Self::$variant => $title),+ }
            }
        }
    };
}

kinds! {
    /// The bytes are not an HTTP request.
    MalformedRequest = "malformed-request", BAD_REQUEST, "The request is not valid HTTP/1.1";
    /// The path or query has an invalid value.
    InvalidParameter = "invalid-parameter", BAD_REQUEST, "A value in the path or query is invalid";
    /// The body is not JSON.
    InvalidJson = "invalid-json", BAD_REQUEST, "The body is not valid JSON";
    /// No key, or another one.
    MissingKey = "missing-key", UNAUTHORIZED, "The request has no valid API key";
    /// There is nothing at the path.
    NotFound = "not-found", NOT_FOUND, "There is nothing at this path";
    /// The Host header has a name that is not one of the service.
    Misdirected = "misdirected", MISDIRECTED_REQUEST, "The service does not answer for this host";
    /// The path exists, with other methods.
    MethodNotAllowed = "method-not-allowed", METHOD_NOT_ALLOWED, "The path does not have this method";
    /// The client was too slow.
    SlowRequest = "slow-request", REQUEST_TIMEOUT, "The request did not arrive in time";
    /// The body is over its limit.
    BodyTooLarge = "body-too-large", PAYLOAD_TOO_LARGE, "The body is too large";
    /// The path and query are over their limit.
    UrlTooLong = "url-too-long", URI_TOO_LONG, "The path and query are too long";
    /// The body has another type.
    UnsupportedMediaType = "unsupported-media-type", UNSUPPORTED_MEDIA_TYPE, "The body has an unsupported media type";
    /// The body is JSON with keys or values that are not those of the request.
    InvalidValue = "invalid-value", UNPROCESSABLE_ENTITY, "A key or value of the body is invalid";
    /// The answer is over its limit.
    AnswerTooLarge = "answer-too-large", UNPROCESSABLE_ENTITY, "The answer is too large";
    /// A limit per client.
    TooManyRequests = "too-many-requests", TOO_MANY_REQUESTS, "The client has sent too many requests";
    /// An error of the service.
    Internal = "internal", INTERNAL_SERVER_ERROR, "The service has an error";
    /// A limit of the whole service.
    Overloaded = "overloaded", SERVICE_UNAVAILABLE, "The service is at its limit";
    /// The answer took too long.
    TimedOut = "timed-out", SERVICE_UNAVAILABLE, "The answer took too long";
}

/// An error of a request, as the client gets it.
#[derive(Debug, Clone, PartialEq, Eq)]
#[must_use]
pub(crate) struct Problem {
    kind: ProblemKind,
    detail: String,
    limit: Option<Limit>,
    position: Option<Position>,
    retry_after: Option<Duration>,
}

/// The limit that a request is over, as the configuration names it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
struct Limit {
    name: &'static str,
    value: String,
}

/// A place in the body, from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, ToSchema)]
struct Position {
    line: u64,
    column: usize,
}

/// An error (RFC 9457).
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct ProblemDocument<'p> {
    r#type: String,
    title: &'static str,
    status: u16,
    detail: &'p str,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(inline)]
    limit: Option<&'p Limit>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(inline)]
    position: Option<Position>,
    #[serde(skip_serializing_if = "Option::is_none")]
    request_id: Option<&'p str>,
}

impl Problem {
    /// Returns a problem with a description of this occurrence.
    pub(crate) fn new(kind: ProblemKind, detail: impl Into<String>) -> Self {
        Self {
            kind,
            detail: detail.into(),
            limit: None,
            position: None,
            retry_after: None,
        }
    }

    /// Returns the problem of a key or value of the body.
    pub(crate) fn invalid(detail: impl Into<String>) -> Self {
        Self::new(ProblemKind::InvalidValue, detail)
    }

    /// Returns the problem of a request over a limit: its key in the configuration, and its value.
    pub(crate) fn over(
        kind: ProblemKind,
        name: &'static str,
        value: impl fmt::Display,
        detail: impl Into<String>,
    ) -> Self {
        let value = value.to_string();
        Self {
            limit: Some(Limit { name, value }),
            ..Self::new(kind, detail)
        }
    }

    /// Adds the place in the body, 1-based. The column 0 becomes 1: the JSON library counts the bytes of the line that it has read, none in
    /// an empty one.
    pub(crate) fn at(mut self, line: u64, column: usize) -> Self {
        let column = column.max(1);
        self.position = Some(Position { line, column });
        self
    }

    /// Moves the place of a problem in one line to that line of the body, 1-based.
    pub(crate) fn in_line(mut self, number: u64) -> Self {
        if let Some(position) = &mut self.position {
            position.line = number;
        }
        self
    }

    /// Adds the time after which the request may succeed; it is rounded up to seconds.
    pub(crate) fn with_retry_after(mut self, pause: Duration) -> Self {
        self.retry_after = Some(pause);
        self
    }

    /// Returns the kind.
    pub(crate) fn kind(&self) -> ProblemKind {
        self.kind
    }

    /// Returns the description of this occurrence.
    pub(crate) fn detail(&self) -> &str {
        &self.detail
    }

    /// Returns the description, with the limit that the request is over.
    pub(crate) fn line(&self) -> String {
        match &self.limit {
            Some(Limit { name, value }) => format!("{}; {name} is {value}", self.detail),
            None => self.detail.clone(),
        }
    }

    /// Returns the key of the limit that the request is over.
    pub(crate) fn limit_name(&self) -> Option<&'static str> {
        self.limit.as_ref().map(|limit| limit.name)
    }

    /// Returns the problem document.
    pub(crate) fn document(&self, request_id: &str) -> Vec<u8> {
        let mut document = self.member();
        document.request_id = Some(request_id);
        // Texts and numbers are always JSON.
        serde_json::to_vec_pretty(&document).unwrap_or_default()
    }

    /// Returns the problem document as a part of an answer, whose header has the identifier of the request.
    pub(crate) fn member(&self) -> ProblemDocument<'_> {
        ProblemDocument {
            r#type: format!("/docs#problem-{}", self.kind.name()),
            title: self.kind.title(),
            status: self.kind.status().as_u16(),
            detail: &self.detail,
            limit: self.limit.as_ref(),
            position: self.position,
            request_id: None,
        }
    }

    /// Adds the headers of the document to a response.
    pub(crate) fn add_headers(&self, headers: &mut HeaderMap) {
        headers.insert(CONTENT_TYPE, HeaderValue::from_static(MEDIA_TYPE));
        headers.remove(CONTENT_LENGTH);
        let status = self.kind.status();
        let may_pass = [
            StatusCode::TOO_MANY_REQUESTS,
            StatusCode::SERVICE_UNAVAILABLE,
        ];
        let pause = may_pass.contains(&status).then_some(RETRY_PAUSE);
        if let Some(pause) = self.retry_after.or(pause) {
            let seconds = pause.as_millis().div_ceil(1000).max(1);
            let seconds = u64::try_from(seconds).unwrap_or(u64::MAX);
            headers.insert(RETRY_AFTER, HeaderValue::from(seconds));
        }
        if self.kind == ProblemKind::MalformedRequest {
            // What follows may not be a request.
            headers.insert(CONNECTION, HeaderValue::from_static("close"));
        }
        if self.kind == ProblemKind::MissingKey {
            // A browser asks for a password only by the second.
            for challenge in ["Bearer", "Basic realm=\"robots\", charset=\"UTF-8\""] {
                headers.append(WWW_AUTHENTICATE, HeaderValue::from_static(challenge));
            }
        }
    }
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        let mut response = self.kind.status().into_response();
        response.extensions_mut().insert(self);
        response
    }
}

#[cfg(test)]
mod tests {
    use super::{HeaderMap, Problem, ProblemKind, RETRY_AFTER};
    use serde_json::{Value, json};
    use std::collections::HashSet;
    use std::time::Duration;

    #[test]
    fn a_document_has_the_members_of_the_rfc_and_the_limit() {
        let detail = "the body has more than 8MiB";
        let problem = Problem::over(
            ProblemKind::BodyTooLarge,
            "limits.body-bytes",
            "8MiB",
            detail,
        );
        let problem = problem.at(3, 7);
        let document: Value = serde_json::from_slice(&problem.document("1-2")).unwrap();
        assert_eq!(
            document,
            json!({
                "type": "/docs#problem-body-too-large",
                "title": "The body is too large",
                "status": 413,
                "detail": "the body has more than 8MiB",
                "limit": {"name": "limits.body-bytes", "value": "8MiB"},
                "position": {"line": 3, "column": 7},
                "request_id": "1-2",
            })
        );
    }

    #[test]
    fn names_are_unique() {
        let names: HashSet<_> = ProblemKind::ALL.iter().map(|kind| kind.name()).collect();
        assert_eq!(names.len(), ProblemKind::ALL.len());
    }

    #[test]
    fn a_pause_is_rounded_up_to_seconds() {
        for (millis, seconds) in [(1, "1"), (1000, "1"), (1001, "2")] {
            let problem = Problem::new(ProblemKind::TooManyRequests, "")
                .with_retry_after(Duration::from_millis(millis));
            let mut headers = HeaderMap::new();
            problem.add_headers(&mut headers);
            assert_eq!(headers[RETRY_AFTER], seconds);
        }
    }
}
