//! The results of requests for robots.txt files.

use super::fault::RequestFault;
use crate::robots_url::normalized;
use robots_archive::Record;
use robots_archive::http::{Note, Response};
use robots_policy::RobotsFetch;
use robots_txt::limits::RFC9309_SIZE_LIMIT;
use serde::{Deserialize, Serialize};
use url::Url;

/// The result of a request for a robots.txt, or for the target of its redirect.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[non_exhaustive]
pub enum RequestResult<R> {
    /// A response other than a redirect.
    #[non_exhaustive]
    Response {
        /// The status.
        status: u16,
        /// The media type of the body.
        content_type: Option<Box<str>>,
        /// The value kept for the body of a 2xx.
        rules: Option<R>,
    },
    /// A redirect to this URL, normalized.
    Redirect(String),
    /// A redirect without a target, or to one that HTTP cannot request.
    RedirectToNowhere,
    /// A request without a response.
    Fault(RequestFault),
    /// A body that cannot be read, or of which there is only the start.
    Unreadable,
}

/// Whether there is all of a robots.txt that is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(clippy::exhaustive_enums, reason = "there is no third")]
pub enum Completeness {
    /// The whole body, or at least [`RFC9309_SIZE_LIMIT`] bytes of it: a crawler may stop there.
    Whole,
    /// Only the start. The rest may have rules for any path, so the rules are not known.
    Cut,
}

impl Completeness {
    /// Returns the completeness of the [unsniffed body](Response::unsniffed_body) of a record's response.
    pub fn of(record: &Record, response: &Response<'_>) -> Self {
        let is_cut = record.cut.is_some() || response.unsniffed_notes().any(Note::is_cut);
        if is_cut && response.unsniffed_body().len() < RFC9309_SIZE_LIMIT {
            Self::Cut
        } else {
            Self::Whole
        }
    }
}

impl<R> RequestResult<R> {
    /// Returns the result of a request with this response; `compile` turns a body into the value that is kept. `whole` states how much
    /// of the body there is.
    pub fn of(
        url: &Url,
        response: &Response<'_>,
        whole: Completeness,
        compile: impl FnOnce(&[u8]) -> R,
    ) -> Self {
        let is_unread = response.unsniffed_notes().any(Note::is_unread);
        match response.status() {
            200..=299 if is_unread || whole == Completeness::Cut => Self::Unreadable,
            status if RobotsFetch::is_redirect(status) => {
                let location = response.header("location").next();
                let target = location.and_then(|location| url.join(location).ok());
                match target.filter(|target| matches!(target.scheme(), "http" | "https")) {
                    Some(target) => Self::Redirect(normalized(&target).into_owned()),
                    None => Self::RedirectToNowhere,
                }
            }
            status => Self::Response {
                status,
                content_type: response.content_type().map(Box::from),
                rules: (200..=299)
                    .contains(&status)
                    .then(|| compile(response.unsniffed_body())),
            },
        }
    }

    /// Returns the value kept for the body of a 2xx.
    pub(super) fn kept(&self) -> Option<&R> {
        match self {
            Self::Response { rules, .. } => rules.as_ref(),
            _ => None,
        }
    }

    /// Returns the same result, with another value kept for the body.
    pub(super) fn map<'r, S>(&'r self, value: impl FnOnce(&'r R) -> S) -> RequestResult<S> {
        match self {
            Self::Response {
                status,
                content_type,
                rules,
            } => RequestResult::Response {
                status: *status,
                content_type: content_type.clone(),
                rules: rules.as_ref().map(value),
            },
            Self::Redirect(target) => RequestResult::Redirect(target.clone()),
            Self::RedirectToNowhere => RequestResult::RedirectToNowhere,
            Self::Fault(fault) => RequestResult::Fault(*fault),
            Self::Unreadable => RequestResult::Unreadable,
        }
    }

    /// Returns the result of a robots.txt that came from a file.
    pub fn of_file(rules: R) -> Self {
        Self::Response {
            status: 200,
            content_type: None,
            rules: Some(rules),
        }
    }
}
