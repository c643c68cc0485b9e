//! The error of cases: a file that cannot be read, an invalid case, or an unexpected answer.

use crate::lines::{KeyLines, LineEnds};
use robots_policy::text::{UnknownName, near_key};
use std::error::Error;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

/// A failure to read or record cases, or the reason why a case fails.
///
/// The text names the file and the 1-based line where they are known.
#[derive(Debug)]
pub struct CaseError {
    file: Option<PathBuf>,
    line: Option<usize>,
    /// The key that is unknown, where only the caller knows its line.
    unknown_key: Option<String>,
    text: String,
    is_invalid_case: bool,
}

impl CaseError {
    /// Creates the error of a case that is invalid.
    pub(crate) fn new(text: impl Into<String>) -> Self {
        Self {
            file: None,
            line: None,
            unknown_key: None,
            text: text.into(),
            is_invalid_case: true,
        }
    }

    /// Creates the error of a valid case whose answer is not the expected one.
    pub(crate) fn mismatch(text: impl Into<String>) -> Self {
        Self {
            is_invalid_case: false,
            ..Self::new(text)
        }
    }

    /// Creates the error of a file that is not TOML or JSON Lines, or has a key that is missing, unknown or of the wrong type.
    pub(crate) fn syntax(error: impl fmt::Display) -> Self {
        let what = "not a valid case file (TOML or JSON Lines)";
        let mut text = error.to_string();
        // The nearest key in place of all.
        if let Some(near) = near_key(&text)
            && let Some((unknown, _)) = text.split_once(", expected ")
        {
            text = format!("{unknown}; did you mean `{near}`?");
        }
        Self::new(format!("{what}: {text}"))
    }

    /// Creates the error of TOML that is not valid, with its line.
    pub(crate) fn toml(error: &toml::de::Error, lines: &LineEnds) -> Self {
        let line = error.span().map(|span| lines.line_at(span.start));
        let error = Self::syntax(error.message().trim_end());
        Self { line, ..error }
    }

    /// Creates the error of a case without a question, or of a question without an expected answer.
    pub(crate) fn nothing_to_check(missing: &str) -> Self {
        Self::new(format!("nothing to check: expected {missing}"))
    }

    /// Returns a function for `map_err`, for a file or folder that cannot be read.
    pub(crate) fn unreadable(path: &Path) -> impl Fn(io::Error) -> Self {
        move |error| Self::new(format!("cannot read the file: {error}")).in_file(path)
    }

    /// Creates the error of an unknown key; [`at_key`](Self::at_key) adds its line. `expected` is the end of the text.
    pub(crate) fn unknown_key(key: &str, expected: &str) -> Self {
        Self {
            unknown_key: Some(key.to_owned()),
            ..Self::new(format!("unknown key {key:?}{expected}"))
        }
    }

    /// Names the 1-based line of the key that is unknown, if these lines of keys have it.
    #[must_use]
    pub(crate) fn at_key(self, lines: &KeyLines) -> Self {
        let line = self.unknown_key.as_ref().and_then(|key| lines.get(key));
        match line {
            Some(line) => self.at_line(*line),
            None => self,
        }
    }

    /// Names the file, unless the error already names one.
    #[must_use]
    pub(crate) fn in_file(mut self, file: &Path) -> Self {
        self.file.get_or_insert_with(|| file.to_owned());
        self
    }

    /// Names the 1-based line, unless the error already names a line or a file, which would be another one.
    #[must_use]
    pub(crate) fn at_line(mut self, line: usize) -> Self {
        if self.file.is_none() {
            self.line.get_or_insert(line);
        }
        self
    }

    /// Returns whether a case is invalid: it cannot be read or written, or it expects an impossible answer. Otherwise the case
    /// is valid, and its answer is not the expected one.
    pub(crate) fn is_invalid_case(&self) -> bool {
        self.is_invalid_case
    }

    /// Returns the file in which it went wrong, if it is known.
    pub fn file(&self) -> Option<&Path> {
        self.file.as_deref()
    }

    /// Returns the 1-based line of the file, if it is known.
    pub(crate) fn line(&self) -> Option<usize> {
        self.line
    }
}

/// Returns the text of an error with its causes.
pub(crate) fn causes(error: &dyn Error) -> String {
    let cause = error.source().map(causes);
    cause.map_or_else(|| error.to_string(), |cause| format!("{error}: {cause}"))
}

impl fmt::Display for CaseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(file) = &self.file {
            write!(f, "{}: ", file.display())?;
        }
        if let Some(line) = self.line {
            write!(f, "line {line}: ")?;
        }
        f.write_str(&self.text)
    }
}

impl From<UnknownName> for CaseError {
    fn from(unknown: UnknownName) -> Self {
        Self::new(unknown.to_string())
    }
}

impl Error for CaseError {}
