//! Requests without a response, as `robots fetch` keeps them in archives: `metadata` records.

use robots_archive::Record;
use robots_policy::RobotsFetch;
use serde::{Deserialize, Serialize};

/// The reason why a request for a robots.txt had no response.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub enum RequestFault {
    /// A redirect without a usable target.
    Redirect,
    /// Any other reason.
    Other,
    /// More redirects than are followed.
    TooManyRedirects,
    /// The request took too long, with its redirects.
    Timeout,
}

impl RequestFault {
    /// The media type of the record's block.
    pub const MEDIA_TYPE: &str = "application/warc-fields";

    /// The field of the block that names the reason.
    pub const FIELD: &str = "robots-fault";

    /// Returns the fault that a record keeps, if it keeps one.
    pub fn of(record: &Record) -> Option<Self> {
        let is_fields =
            record.kind == "metadata" && record.content_type.as_deref() == Some(Self::MEDIA_TYPE);
        if !is_fields {
            return None;
        }
        let fields = String::from_utf8_lossy(&record.block);
        let reason = fields.lines().find_map(|line| {
            let (name, value) = line.split_once(':')?;
            (name == Self::FIELD).then(|| value.trim())
        })?;
        Some(Self::named(reason))
    }

    /// Returns the fault of this name, which `robots_crawl::FetchFault::name` returns.
    pub fn named(name: &str) -> Self {
        match name {
            "redirect_to_other" | "redirect_without_target" => Self::Redirect,
            "too_many_redirects" => Self::TooManyRedirects,
            "timeout" => Self::Timeout,
            _ => Self::Other,
        }
    }

    /// Returns whether it is a fault of all redirects of a request together: their number or their time. It says nothing about the
    /// URLs after the first. The others are faults of the last URL.
    pub fn is_of_redirects(self) -> bool {
        matches!(self, Self::TooManyRedirects | Self::Timeout)
    }

    /// Returns the meaning of the fault for a robots.txt: the same as `robots_crawl::Fetched::as_fetch` returns.
    pub fn as_fetch(self) -> RobotsFetch<'static> {
        match self {
            Self::Redirect | Self::TooManyRedirects => RobotsFetch::TooManyRedirects,
            Self::Other | Self::Timeout => RobotsFetch::Unreachable,
        }
    }
}
