//! The outcomes of a request for robots.txt.

use robots_meta::value::MediaType;
use std::fmt;
use std::time::Duration;

/// The outcome of a request for /robots.txt, after redirects.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum RobotsFetch<'a> {
    /// Status 200 with this body: a [`Response`](Self::Response) without known headers.
    Body(&'a [u8]),
    /// The status of a response whose body is not available. After a success (2xx), the state of robots.txt stays as it
    /// was. Without an earlier outcome, it is unknown, with [`Cause::NoBody`]. Status 204 is an exception: such a response
    /// never has a body, so none is missing.
    Status(u16),
    /// A response.
    Response(RobotsResponse<'a>),
    /// More redirects than the robot follows (at least five: RFC 9309, 2.3.1.2), or a redirect without
    /// a valid target.
    TooManyRedirects,
    /// No response: the name did not resolve, the connection failed or broke, or the request timed out. Also, the
    /// robot did not connect because the address of the site, or of a redirect's target, is not public.
    Unreachable,
    /// No request was made.
    NotFetched,
}

impl<'a> RobotsFetch<'a> {
    /// The number of redirects that are followed, unless a robot follows more: the minimum of RFC 9309, section 2.3.1.2.
    pub const MAX_REDIRECTS: usize = 5;

    /// Returns whether a status is a redirect that a robot follows (RFC 9110, section 15.4).
    pub const fn is_redirect(status: u16) -> bool {
        matches!(status, 301 | 302 | 303 | 307 | 308)
    }

    /// Returns the response, if there was one.
    pub fn response(&self) -> Option<RobotsResponse<'a>> {
        match *self {
            Self::Body(body) => Some(RobotsResponse::new(200, body)),
            Self::Status(status) => Some(RobotsResponse::new(status, b"")),
            Self::Response(response) => Some(response),
            Self::TooManyRedirects | Self::Unreachable | Self::NotFetched => None,
        }
    }

    /// Returns whether the site failed in a way that may be other soon: 429, 5xx or no response. Other 4xx are answers, and so are too
    /// many redirects.
    pub fn is_passing_failure(&self) -> bool {
        self.kind().0.is_passing_failure()
    }

    /// Returns the outcome of a request that ended with this fault, named as `robots_crawl::FetchFault::name` does, also in archives.
    /// A redirect to a target that HTTP cannot request counts as too many redirects. A host without public addresses counts as
    /// unreachable, also after a redirect: a crawler on the public network cannot connect to it (`docs/semantics.md`, section 8.1).
    pub fn of_fault(name: &str) -> Self {
        match name {
            "redirect_to_other" | "redirect_without_target" | "too_many_redirects" => {
                Self::TooManyRedirects
            }
            "bad_url" | "no_turn" => Self::NotFetched,
            _ => Self::Unreachable,
        }
    }

    /// Returns the kind of the outcome, and the cause of a state that follows from it.
    pub(crate) fn kind(&self) -> (OutcomeKind, Cause) {
        match self {
            Self::Body(_) => (OutcomeKind::Success, Cause::Status(200)),
            Self::Status(status @ (200..=203 | 205..=299)) => {
                (OutcomeKind::NoBody, Cause::NoBody(*status))
            }
            Self::Status(status) => RobotsResponse::new(*status, b"").kind(),
            Self::Response(response) => response.kind(),
            Self::TooManyRedirects => (OutcomeKind::TooManyRedirects, Cause::TooManyRedirects),
            Self::Unreachable => (OutcomeKind::Unreachable, Cause::Unreachable),
            Self::NotFetched => (OutcomeKind::NotFetched, Cause::NotFetched),
        }
    }
}

/// A response to a request for /robots.txt, after redirects.
///
/// ```
/// use robots_policy::RobotsFetch;
/// use robots_policy::robots::RobotsResponse;
/// use std::time::Duration;
///
/// let response = RobotsResponse::new(200, b"User-agent: *\nDisallow: /private")
///     .with_content_type("text/plain; charset=utf-8")
///     .fresh_for(Duration::from_secs(3600));
/// # let _ = RobotsFetch::Response(response);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RobotsResponse<'a> {
    status: u16,
    body: &'a [u8],
    content_type: Option<&'a str>,
    fresh_for: Option<Duration>,
}

impl<'a> RobotsResponse<'a> {
    /// Returns a response with this status and body.
    pub const fn new(status: u16, body: &'a [u8]) -> Self {
        Self {
            status,
            body,
            content_type: None,
            fresh_for: None,
        }
    }

    /// Sets the value of the `Content-Type` header. Without a header, or with an empty one, the body counts as
    /// text.
    #[must_use]
    pub const fn with_content_type(self, content_type: &'a str) -> Self {
        Self {
            content_type: Some(content_type),
            ..self
        }
    }

    /// Sets the time, from the time of the outcome, for which the headers allow the response to be kept
    /// (`Cache-Control: max-age`, `Expires`). Its effect depends on
    /// [`OutcomeTable::max_age`](crate::robots::OutcomeTable::max_age).
    #[must_use]
    pub const fn fresh_for(self, fresh_for: Duration) -> Self {
        Self {
            fresh_for: Some(fresh_for),
            ..self
        }
    }

    /// Raises the time that the headers allow to this minimum. Without such headers it has no effect.
    #[must_use]
    pub fn fresh_for_at_least(mut self, minimum: Duration) -> Self {
        self.fresh_for = self.fresh_for.map(|time| time.max(minimum));
        self
    }

    /// Reports whether the status is a 2xx.
    pub fn is_success(&self) -> bool {
        (200..=299).contains(&self.status)
    }

    /// Returns the status.
    pub fn status(&self) -> u16 {
        self.status
    }

    /// Returns the body.
    pub fn body(&self) -> &'a [u8] {
        self.body
    }

    pub(crate) fn content_type(&self) -> Option<&'a str> {
        self.content_type
    }

    /// Returns the time for which the headers allow the response to be kept.
    pub fn freshness(&self) -> Option<Duration> {
        self.fresh_for
    }

    fn kind(&self) -> (OutcomeKind, Cause) {
        let outcome = match self.status() {
            200..=299 if !self.is_text() => return (OutcomeKind::NotText, Cause::NotText),
            200 => OutcomeKind::Success,
            201..=299 => OutcomeKind::OtherSuccess,
            304 => OutcomeKind::NotModified,
            // A redirect that was not followed has no valid target.
            300..=399 => OutcomeKind::TooManyRedirects,
            401 | 403 => OutcomeKind::Unauthorized,
            429 => OutcomeKind::TooManyRequests,
            400..=499 => OutcomeKind::ClientError,
            500..=599 => OutcomeKind::ServerError,
            // HTTP has no such status, or it is not the final one (1xx): this is not a valid response.
            _ => OutcomeKind::Unreachable,
        };
        (outcome, Cause::Status(self.status()))
    }

    /// Reports whether the media type is missing, or a text type other than HTML: robots.txt is text/plain
    /// (RFC 9309, 2.3), and some servers send error pages with status 200.
    fn is_text(&self) -> bool {
        let Some(value) = self.content_type() else {
            return true;
        };
        let media_type = MediaType::parse(value);
        let kind = media_type.essence().get(.."text/".len());
        let is_text = kind.is_some_and(|kind| kind.eq_ignore_ascii_case("text/"));
        media_type.is_missing() || (is_text && !media_type.is_html())
    }
}

/// The kinds of outcomes that tables distinguish: the rows of `docs/semantics.md`, section 8.1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub(crate) enum OutcomeKind {
    /// Status 200, and text.
    Success,
    /// Another 2xx, and text.
    OtherSuccess,
    /// A 2xx with HTML or with content that is not text.
    NotText,
    /// Too many redirects, or a 3xx without a valid target.
    TooManyRedirects,
    /// 401 and 403.
    Unauthorized,
    /// Any other 4xx except 429.
    ClientError,
    /// 429.
    TooManyRequests,
    /// 5xx.
    ServerError,
    /// No response, or a status that HTTP does not have.
    Unreachable,
    /// A success whose body is not available.
    NoBody,
    /// 304.
    NotModified,
    /// No request was made.
    NotFetched,
}

impl OutcomeKind {
    /// Returns whether the site failed in a way that may be other soon.
    pub(crate) fn is_passing_failure(self) -> bool {
        matches!(
            self,
            Self::TooManyRequests | Self::ServerError | Self::Unreachable
        )
    }
}

/// The cause of a state without rules.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum Cause {
    /// The response had this status.
    Status(u16),
    /// The response had this status, and its body is not available.
    NoBody(u16),
    /// Too many redirects, or a redirect without a valid target.
    TooManyRedirects,
    /// No response.
    Unreachable,
    /// No request was made, or none is known.
    NotFetched,
    /// The page's URL has no origin, so it has no robots.txt.
    NoOrigin,
    /// The response was HTML, or not text.
    NotText,
    /// The last outcome is too old.
    Stale,
}

impl Cause {
    /// Returns the status of the response, if there was one and its status is the cause.
    pub fn status(self) -> Option<u16> {
        match self {
            Self::Status(status) | Self::NoBody(status) => Some(status),
            _ => None,
        }
    }
}

impl Cause {
    /// Returns the cause in words about a file of this name: `tdmrep.json cannot be reached`.
    pub fn about(self, file: &str) -> String {
        match self {
            Self::Status(status) => format!("{file} was answered with status {status}"),
            Self::NoBody(status) => {
                format!("{file} was answered with status {status}, and its body is not known")
            }
            Self::TooManyRedirects => {
                format!("{file} redirects too often, or to an invalid target")
            }
            Self::Unreachable => format!("{file} cannot be reached"),
            Self::NotFetched => format!("{file} is not known"),
            Self::NoOrigin => "the URL has no origin".to_owned(),
            Self::NotText => format!("{file} is not text"),
            Self::Stale => format!("the last outcome for {file} is too old"),
        }
    }
}

impl fmt::Display for Cause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.about("robots.txt"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_status_has_one_kind() {
        for status in 0..=u16::MAX {
            let expected = match status {
                0..=199 | 600.. => OutcomeKind::Unreachable,
                204 => OutcomeKind::OtherSuccess,
                200..=299 => OutcomeKind::NoBody,
                304 => OutcomeKind::NotModified,
                300..=303 | 305..=399 => OutcomeKind::TooManyRedirects,
                401 | 403 => OutcomeKind::Unauthorized,
                429 => OutcomeKind::TooManyRequests,
                400 | 402 | 404..=428 | 430..=499 => OutcomeKind::ClientError,
                500..=599 => OutcomeKind::ServerError,
            };
            let cause = match expected {
                OutcomeKind::NoBody => Cause::NoBody(status),
                _ => Cause::Status(status),
            };
            assert_eq!(RobotsFetch::Status(status).kind(), (expected, cause));
            let response = RobotsResponse::new(status, b"");
            let expected = match status {
                200 => OutcomeKind::Success,
                201..=299 => OutcomeKind::OtherSuccess,
                _ => expected,
            };
            assert_eq!(response.kind(), (expected, Cause::Status(status)));
        }
    }

    #[test]
    fn a_body_is_a_response_with_status_200() {
        let body = RobotsFetch::Body(b"x");
        assert_eq!(body.response(), Some(RobotsResponse::new(200, b"x")));
        let same = RobotsFetch::Response(RobotsResponse::new(200, b"x"));
        assert_eq!(body.kind(), same.kind());
        let status = RobotsFetch::Status(404);
        assert_eq!(status.response(), Some(RobotsResponse::new(404, b"")));
        assert_eq!(RobotsFetch::Unreachable.response(), None);
    }

    #[test]
    fn media_types_that_are_text() {
        let outcome = |status, content_type| {
            RobotsFetch::Response(RobotsResponse::new(status, b"").with_content_type(content_type))
                .kind()
        };
        let text = (OutcomeKind::Success, Cause::Status(200));
        for content_type in [
            "text/plain",
            " TEXT/Plain; charset=utf-8",
            "text/x-robots",
            "text/",
            "",
            " ; charset=utf-8",
        ] {
            assert_eq!(outcome(200, content_type), text, "{content_type}");
        }
        for content_type in [
            "text/html",
            "Text/HTML;charset=utf-8",
            "application/xhtml+xml",
            "application/octet-stream",
            "image/png",
            "text",
            "téxt/plain",
        ] {
            let no_text = (OutcomeKind::NotText, Cause::NotText);
            assert_eq!(outcome(200, content_type), no_text, "{content_type}");
            assert_eq!(outcome(206, content_type), no_text, "{content_type}");
            // The type of an error response has no effect.
            let error = (OutcomeKind::ClientError, Cause::Status(404));
            assert_eq!(outcome(404, content_type), error, "{content_type}");
        }
    }
}
