//! Errors of callers' input. Pages and robots.txt files never cause one.

use std::fmt;
use thiserror::Error;

/// The error for a URL without an origin.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub struct UrlError {
    url: String,
    source: Option<url::ParseError>,
}

impl UrlError {
    pub(crate) fn unparsable(url: &str, source: url::ParseError) -> Self {
        Self {
            url: url.to_owned(),
            source: Some(source),
        }
    }

    pub(crate) fn without_host(url: &str) -> Self {
        Self {
            url: url.to_owned(),
            source: None,
        }
    }

    /// Returns the URL.
    pub fn url(&self) -> &str {
        &self.url
    }
}

impl fmt::Display for UrlError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.source {
            Some(_) => write!(f, "cannot read {:?} as a URL", self.url),
            None => write!(f, "{:?} has no host", self.url),
        }
    }
}
