//! The outcome of a request for robots.txt, as the named arguments of a call.

use super::outcome::{RobotsFetch, RobotsResponse};
use std::time::Duration;
use thiserror::Error;

/// The outcome of a request for robots.txt, as languages with named arguments take it: `body`, `status` or `outcome`.
///
/// ```
/// use robots_policy::RobotsFetch;
/// use robots_policy::robots::OutcomeOptions;
///
/// let options = OutcomeOptions { outcome: Some("unreachable"), ..OutcomeOptions::default() };
/// assert_eq!(RobotsFetch::try_from(options)?, RobotsFetch::Unreachable);
/// # Ok::<(), robots_policy::robots::OutcomeOptionsError>(())
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq)]
#[allow(clippy::exhaustive_structs, reason = "a caller fills every field")]
pub struct OutcomeOptions<'a> {
    /// The body of the response.
    pub body: Option<&'a [u8]>,
    /// The status of the response; with a body, 200 by default.
    pub status: Option<u16>,
    /// The value of the `Content-Type` header of a response with a body.
    pub content_type: Option<&'a str>,
    /// The number of seconds for which the headers allow a response with a body to be kept.
    pub fresh_for: Option<f64>,
    /// `unreachable` or `too_many_redirects`, if there was no response.
    pub outcome: Option<&'a str>,
}

/// Options that state no outcome, or more than one.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{0}")]
pub struct OutcomeOptionsError(String);

impl<'a> TryFrom<OutcomeOptions<'a>> for RobotsFetch<'a> {
    type Error = OutcomeOptionsError;

    fn try_from(options: OutcomeOptions<'a>) -> Result<Self, OutcomeOptionsError> {
        let error = |message: &str| Err(OutcomeOptionsError(message.to_owned()));
        let of_body = options.content_type.is_some() || options.fresh_for.is_some();
        match (options.body, options.status, options.outcome) {
            (Some(body), status, None) => {
                let mut response = RobotsResponse::new(status.unwrap_or(200), body);
                if let Some(content_type) = options.content_type {
                    response = response.with_content_type(content_type);
                }
                if let Some(seconds) = options.fresh_for {
                    let time = Duration::try_from_secs_f64(seconds).map_err(|_| {
                        OutcomeOptionsError(format!(
                            "unexpected duration {seconds}: expected a finite number of seconds, not negative"
                        ))
                    })?;
                    response = response.fresh_for(time);
                }
                Ok(Self::Response(response))
            }
            (_, _, Some(_)) if options.body.is_some() || options.status.is_some() => {
                error("a body or status is an outcome: pass one of them")
            }
            (None, None, None) => error("no outcome: pass a body, a status or an outcome"),
            _ if of_body => error("a content type and a time to keep need a body"),
            (_, Some(status), _) => Ok(Self::Status(status)),
            (.., Some("unreachable")) => Ok(Self::Unreachable),
            (.., Some("too_many_redirects")) => Ok(Self::TooManyRedirects),
            (.., Some(outcome)) => error(&format!(
                "unknown outcome {outcome:?}: expected \"unreachable\" or \"too_many_redirects\""
            )),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_state_one_outcome() {
        let read = |options: OutcomeOptions<'static>| {
            RobotsFetch::try_from(options).map_err(|error| error.to_string())
        };
        let none = OutcomeOptions::default();
        let body = OutcomeOptions {
            body: Some(b"x"),
            ..none
        };
        let response = RobotsResponse::new(200, b"x");
        assert_eq!(read(body), Ok(RobotsFetch::Response(response)));
        let status = OutcomeOptions {
            status: Some(503),
            ..none
        };
        assert_eq!(read(status), Ok(RobotsFetch::Status(503)));
        let outcome = |outcome| OutcomeOptions {
            outcome: Some(outcome),
            ..none
        };
        assert_eq!(
            read(outcome("too_many_redirects")),
            Ok(RobotsFetch::TooManyRedirects)
        );
        let kept = OutcomeOptions {
            fresh_for: Some(1.5),
            ..body
        };
        let time = Duration::from_millis(1500);
        assert_eq!(
            read(kept),
            Ok(RobotsFetch::Response(response.fresh_for(time)))
        );
        for (options, expected) in [
            (none, "no outcome"),
            (outcome("lost"), "unknown outcome \"lost\""),
            (
                OutcomeOptions {
                    outcome: Some("unreachable"),
                    ..status
                },
                "a body or status is an outcome",
            ),
            (
                OutcomeOptions {
                    content_type: Some("text/plain"),
                    ..status
                },
                "a content type and a time to keep need a body",
            ),
            (
                OutcomeOptions {
                    fresh_for: Some(-1.0),
                    ..body
                },
                "unexpected duration -1",
            ),
        ] {
            let error = read(options).unwrap_err();
            assert!(error.starts_with(expected), "{error}");
        }
    }
}
