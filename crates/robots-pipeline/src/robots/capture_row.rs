//! Captures of robots.txt files as rows of flat values, as tables keep them.

use super::book::Capture;
use super::capture_source::CaptureSource;
use super::fault::RequestFault;
use super::kept_file::Kept;
use super::request::RequestResult;
use crate::robots_url::normalized;
use robots_meta::Timestamp;
use std::sync::Arc;
use thiserror::Error as ThisError;
use url::Url;

/// A capture of a robots.txt, or of the target of its redirect, as a row of flat values. A `url` and an `outcome` are needed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[allow(
    clippy::exhaustive_structs,
    reason = "a row of a table: callers fill the columns that they know"
)]
pub struct CaptureRow<'a> {
    /// The URL that was requested.
    pub url: &'a str,
    /// The time of the request, if it is known.
    pub captured_at: Option<Timestamp>,
    /// The outcome: one of [`OUTCOMES`](Self::OUTCOMES).
    pub outcome: &'a str,
    /// The status of the response; of a redirect, and of one whose body cannot be read, only with the file that has it.
    pub status: Option<u16>,
    /// The Content-Type of the response.
    pub content_type: Option<&'a str>,
    /// The URL to which a redirect leads.
    pub target: Option<&'a str>,
    /// The body of a 2xx response, as far as it was kept.
    pub body: Option<&'a [u8]>,
    /// The archive or file that has the capture; without it, decisions have no evidence of it.
    pub file: Option<&'a str>,
    /// The offset of its record in the archive, in bytes.
    pub offset: Option<u64>,
    /// The SHA-256 of the body ([`CaptureSource::digest`](crate::evidence::CaptureSource::digest)).
    pub digest: Option<&'a str>,
}

const RESPONSE: &str = "response";
const REDIRECT: &str = "redirect";
const REDIRECT_TO_NOWHERE: &str = "redirect_to_nowhere";
const REDIRECT_FAULT: &str = "redirect_fault";
const FAULT: &str = "fault";
const UNREADABLE: &str = "unreadable";

/// The reason why a row is not a capture.
#[derive(Debug, Clone, PartialEq, Eq, ThisError)]
#[non_exhaustive]
pub enum CaptureRowError {
    /// A URL that is invalid.
    #[error("unexpected URL {0:?}: expected an absolute one, as in rows of a book")]
    Url(String),
    /// An outcome without a meaning.
    #[error("unexpected outcome {0:?}: expected one of {known}", known = CaptureRow::OUTCOMES.join(", "))]
    Outcome(String),
    /// A response without a status.
    #[error("a response without a status")]
    NoStatus,
    /// A redirect without a target.
    #[error("a redirect without a target: expected one, or the outcome redirect_to_nowhere")]
    NoTarget,
}

impl<'a> CaptureRow<'a> {
    /// The outcomes: a response; a redirect to `target`; one without a target, or to a URL that HTTP cannot request; a request
    /// that failed by its redirects, or for another reason; a response whose body cannot be read.
    pub const OUTCOMES: [&'static str; 6] = [
        RESPONSE,
        REDIRECT,
        REDIRECT_TO_NOWHERE,
        REDIRECT_FAULT,
        FAULT,
        UNREADABLE,
    ];

    /// Returns the row of a capture.
    pub(super) fn of(url: &'a str, capture: &'a Capture<Kept>) -> Self {
        let source = capture.source.as_deref();
        let mut row = Self {
            url,
            captured_at: capture.date,
            outcome: UNREADABLE,
            status: source.and_then(|source| source.status),
            file: source.map(|source| &*source.file),
            offset: source.and_then(|source| source.offset),
            digest: source.and_then(|source| source.digest.as_deref()),
            ..Self::default()
        };
        match &capture.result {
            RequestResult::Response {
                status,
                content_type,
                rules,
            } => {
                row.outcome = RESPONSE;
                row.status = Some(*status);
                row.content_type = content_type.as_deref();
                row.body = rules.as_ref().map(|kept| &kept.file.body()[..]);
            }
            RequestResult::Redirect(target) => {
                row.outcome = REDIRECT;
                row.target = Some(target);
            }
            RequestResult::RedirectToNowhere => row.outcome = REDIRECT_TO_NOWHERE,
            RequestResult::Fault(RequestFault::Redirect | RequestFault::TooManyRedirects) => {
                row.outcome = REDIRECT_FAULT;
            }
            RequestResult::Fault(RequestFault::Other | RequestFault::Timeout) => {
                row.outcome = FAULT;
            }
            RequestResult::Unreadable => {}
        }
        row
    }

    /// Returns the source of the capture, if the row has its file.
    pub(super) fn source(&self) -> Option<Arc<CaptureSource>> {
        let file = self.file?;
        Some(Arc::new(CaptureSource {
            url: self.url.to_owned(),
            // A file that is not in an archive was not a response.
            status: self.status.filter(|_| self.offset.is_some()),
            captured_at: self.captured_at,
            digest: self.digest.map(Box::from),
            file: file.into(),
            offset: self.offset,
        }))
    }

    /// Returns the URL of the row, and its result.
    pub(super) fn result(&self) -> Result<(Url, RequestResult<&'a [u8]>), CaptureRowError> {
        let parsed = |text: &str| Url::parse(text).map_err(|_| CaptureRowError::Url(text.into()));
        let result = match self.outcome {
            RESPONSE => RequestResult::Response {
                status: self.status.ok_or(CaptureRowError::NoStatus)?,
                content_type: self.content_type.map(Box::from),
                rules: self.body,
            },
            REDIRECT => {
                let target = self.target.ok_or(CaptureRowError::NoTarget)?;
                RequestResult::Redirect(normalized(&parsed(target)?).into_owned())
            }
            REDIRECT_TO_NOWHERE => RequestResult::RedirectToNowhere,
            REDIRECT_FAULT => RequestResult::Fault(RequestFault::Redirect),
            FAULT => RequestResult::Fault(RequestFault::Other),
            UNREADABLE => RequestResult::Unreadable,
            other => return Err(CaptureRowError::Outcome(other.to_owned())),
        };
        Ok((parsed(self.url)?, result))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::robots::capture_book::CaptureBook;
    use robots_policy::{Policies, Policy};

    fn row(outcome: &str) -> CaptureRow<'_> {
        CaptureRow {
            url: "http://a.example/robots.txt",
            outcome,
            ..CaptureRow::default()
        }
    }

    fn book() -> CaptureBook {
        CaptureBook::new(&Arc::new(Policies::new(vec![Policy::default()])))
    }

    #[test]
    fn every_outcome_comes_back() {
        let mut book = book();
        let mut rows: Vec<_> = CaptureRow::OUTCOMES.map(row).into();
        rows[0].status = Some(200);
        rows[0].content_type = Some("text/plain");
        rows[0].body = Some(b"User-agent: *");
        rows[0].captured_at = Some(Timestamp::from_seconds(-1));
        rows[1].target = Some("http://b.example/robots.txt");
        rows.push(CaptureRow {
            status: Some(404),
            ..row(RESPONSE)
        });
        for row in &rows {
            book.add_row(row).unwrap();
        }
        assert_eq!(book.rows().collect::<Vec<_>>(), rows);
    }

    #[test]
    fn rows_that_are_not_captures_are_errors() {
        let mut book = book();
        let to_no_url = CaptureRow {
            target: Some("rules"),
            ..row(REDIRECT)
        };
        let of_no_url = CaptureRow {
            url: "a.example",
            ..row(UNREADABLE)
        };
        for (row, text) in [
            (
                row("respond"),
                "unexpected outcome \"respond\": expected one of response, redirect, redirect_to_nowhere, redirect_fault, fault, unreadable",
            ),
            (row(RESPONSE), "a response without a status"),
            (
                row(REDIRECT),
                "a redirect without a target: expected one, or the outcome redirect_to_nowhere",
            ),
            (
                to_no_url,
                "unexpected URL \"rules\": expected an absolute one, as in rows of a book",
            ),
            (
                of_no_url,
                "unexpected URL \"a.example\": expected an absolute one, as in rows of a book",
            ),
        ] {
            assert_eq!(book.add_row(&row).unwrap_err().to_string(), text);
        }
        assert!(book.is_empty());
    }
}
