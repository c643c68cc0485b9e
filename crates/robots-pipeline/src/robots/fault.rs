//! Requests without a response, as `robots fetch` keeps them in archives: `metadata` records.

use robots_archive::Record;
use robots_policy::RobotsFetch;
use serde::{Deserialize, Serialize};

/// The reason why a request for a robots.txt had no response.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub enum RequestFault {
    /// A redirect without a usable target, or one too many.
    Redirect,
    /// Any other reason.
    Other,
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

    /// Returns the fault of this name.
    pub(crate) fn named(name: &str) -> Self {
        match name {
            "too_many_redirects" | "redirect_to_other" | "redirect_without_target" => {
                Self::Redirect
            }
            _ => Self::Other,
        }
    }

    /// Returns the meaning of the fault for a robots.txt: the same as `robots_crawl::Fetched::as_fetch` returns.
    pub fn as_fetch(self) -> RobotsFetch<'static> {
        match self {
            Self::Redirect => RobotsFetch::TooManyRedirects,
            Self::Other => RobotsFetch::Unreachable,
        }
    }
}
