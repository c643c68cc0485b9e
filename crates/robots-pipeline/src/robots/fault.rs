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

    /// Returns the fault that a record keeps, if it keeps one of a request that was made.
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
        Self::named(reason)
    }

    /// Returns the fault of this name, which `robots_crawl::FetchFault::name` returns; `None` if no request was made.
    pub fn named(name: &str) -> Option<Self> {
        match RobotsFetch::of_fault(name) {
            RobotsFetch::NotFetched => None,
            RobotsFetch::TooManyRedirects if name == "too_many_redirects" => {
                Some(Self::TooManyRedirects)
            }
            RobotsFetch::TooManyRedirects => Some(Self::Redirect),
            _ if name == "timeout" => Some(Self::Timeout),
            _ => Some(Self::Other),
        }
    }

    /// Returns whether it is a fault of all redirects of a request together: their number or their time. It says nothing about the
    /// URLs after the first. The others are faults of the last URL.
    pub fn is_of_redirects(self) -> bool {
        matches!(self, Self::TooManyRedirects | Self::Timeout)
    }

    /// Returns the meaning of the fault for a robots.txt.
    pub fn as_fetch(self) -> RobotsFetch<'static> {
        match self {
            Self::Redirect | Self::TooManyRedirects => RobotsFetch::TooManyRedirects,
            Self::Other | Self::Timeout => RobotsFetch::Unreachable,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is read from an archive means what it meant when it was fetched.
    #[test]
    fn a_fault_in_an_archive_has_the_meaning_of_the_request() {
        for name in [
            "redirect_without_target",
            "too_many_redirects",
            "timeout",
            "tls",
            "private_address",
        ] {
            let fault = RequestFault::named(name).unwrap();
            assert_eq!(fault.as_fetch(), RobotsFetch::of_fault(name), "{name}");
        }
        for name in ["bad_url", "no_turn"] {
            assert_eq!(RobotsFetch::of_fault(name), RobotsFetch::NotFetched);
            assert_eq!(RequestFault::named(name), None, "{name}");
        }
    }
}
