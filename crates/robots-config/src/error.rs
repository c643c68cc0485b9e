//! The errors of a file.

use crate::{MAX_FILE, Place};
use std::error::Error;
use std::{fmt, io};

/// An error in a file, with its place, or the reason why it cannot be read.
#[derive(Debug)]
pub struct ConfigError {
    place: Option<Place>,
    message: String,
}

impl ConfigError {
    pub(crate) fn new(place: Place, message: String) -> Self {
        Self {
            place: Some(place),
            message,
        }
    }

    pub(crate) fn invalid(place: Place, key: &str, text: &str, error: &dyn fmt::Display) -> Self {
        Self::new(
            place,
            format!("invalid value \"{text}\" for `{key}`: {error}"),
        )
    }

    pub(crate) fn io(error: &io::Error) -> Self {
        Self {
            place: None,
            message: error.to_string(),
        }
    }

    pub(crate) fn too_long() -> Self {
        Self {
            place: None,
            message: format!("the file is longer than {} MiB", MAX_FILE >> 20),
        }
    }

    /// Returns the place in the file; `None` if the file cannot be read.
    pub fn place(&self) -> Option<Place> {
        self.place
    }
}

impl fmt::Display for ConfigError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(place) = self.place {
            write!(f, "{place}: ")?;
        }
        f.write_str(&self.message)
    }
}

impl Error for ConfigError {}
