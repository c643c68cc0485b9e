//! The error of cases: a file that cannot be read, an invalid case, or an unexpected answer.

use crate::names::UnknownName;
use robots_policy::Profile;
use robots_policy::decision::Field;
use robots_policy::origins::Origin;
use robots_policy::robots::OutcomeTable;
use robots_policy::text::expected_name;
use robots_txt::limits::MAX_BODY;
use std::error::Error;
use std::fmt;
use std::path::{Path, PathBuf};

/// A failure to read or record cases, or the reason why a case fails.
///
/// The text names the file and the 1-based line where they are known.
#[derive(Debug)]
pub struct CaseError {
    file: Option<PathBuf>,
    line: Option<usize>,
    kind: Box<CaseErrorKind>,
    source: Option<Box<dyn Error + Send + Sync>>,
}

/// The kinds of [`CaseError`].
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum CaseErrorKind {
    /// A file or folder cannot be read.
    Read,
    /// A file cannot be written.
    Write,
    /// A file is not valid TOML or JSON Lines, or a key is missing, unknown or of the wrong type.
    Syntax,
    /// Two questions of a file have one name, or two lines of `expected.jsonl` are about one robot, profile and URL.
    DuplicateName {
        /// The name.
        name: String,
        /// The 1-based line of the first one, if it is known.
        first_line: Option<usize>,
    },
    /// A file or folder of a site has this name, which differs from the expected one only in the case of letters.
    Misnamed {
        /// The name.
        found: String,
        /// The expected name.
        expected: &'static str,
    },
    /// The origin of a site is not this text, but a scheme and a host.
    InvalidOrigin(String),
    /// The URL in a question about a site is not a path, which begins with a slash.
    InvalidPath(String),
    /// A page of a site has a name with characters that the path of a URL does not have as they are: spaces, `?`, `\`, or others
    /// than ASCII, for example.
    InvalidPageName(PathBuf),
    /// A file with the headers of a page of a site, which has no such page.
    HeadersWithoutPage(PathBuf),
    /// The dialect, or a switch after it, is unknown.
    UnknownDialect(UnknownName),
    /// The profile of this name is unknown.
    UnknownProfile(String),
    /// The table of outcomes of this name is unknown.
    UnknownTable(String),
    /// A decision has no field of this name.
    UnknownField(String),
    /// The expected value of a key is impossible.
    InvalidValue {
        /// The key, below `expect`.
        key: String,
        /// The value, as JSON.
        value: String,
        /// The possible values.
        expected: String,
    },
    /// The text after `{pad:` is not a number of bytes, or too small for the preceding text, or above the limit.
    InvalidPad(String),
    /// A case does not name a dialect.
    NoDialect,
    /// This text is not a time.
    InvalidTime(String),
    /// This text is not an elapsed time.
    InvalidElapsed(String),
    /// This text is not a duration for which a response may be kept.
    InvalidFreshness(String),
    /// The settings of a page case have the key `based-on`.
    BasedOn,
    /// This text is not a header line.
    InvalidHeader(String),
    /// The origin of the site or its tdmrep.json is invalid.
    InvalidSite,
    /// A vector does not name a robot.
    NoAgent,
    /// A vector does not ask exactly one question: about a URL (`url` and `allowed`), or about the delay (`crawl_delay`).
    NoQuestion,
    /// A case has no question, or a question has no expected answer. The text names the missing keys.
    NoExpectation(&'static str),
    /// A recorded decision does not have an agent, a profile or a URL.
    IncompleteRecord,
    /// A decision is not in `expected.jsonl`.
    NotRecorded,
    /// A decision is in `expected.jsonl`, and the site no longer has its page, robot or profile.
    NoLongerAsked,
    /// The answer is not the expected one; the text compares both.
    Mismatch(String),
}

impl CaseErrorKind {
    /// Returns whether a case is invalid: it cannot be read or written, or it expects an impossible answer. Otherwise the case
    /// is valid, and its answer is not the expected one.
    pub fn is_invalid_case(&self) -> bool {
        !matches!(
            self,
            Self::Mismatch(_) | Self::NotRecorded | Self::NoLongerAsked
        )
    }
}

impl CaseError {
    pub(crate) fn new(kind: CaseErrorKind) -> Self {
        Self {
            file: None,
            line: None,
            kind: Box::new(kind),
            source: None,
        }
    }

    /// Returns a function for `map_err`, which wraps any error as one of this kind.
    pub(crate) fn wrap<E: Into<Box<dyn Error + Send + Sync>>>(
        kind: CaseErrorKind,
    ) -> impl FnOnce(E) -> Self {
        move |source| Self {
            source: Some(source.into()),
            ..Self::new(kind)
        }
    }

    /// Returns a function for `map_err`, which wraps any error as one of this kind in this file.
    pub(crate) fn wrap_in<E: Into<Box<dyn Error + Send + Sync>>>(
        kind: CaseErrorKind,
        file: &Path,
    ) -> impl FnOnce(E) -> Self {
        move |source| Self::wrap(kind)(source).in_file(file)
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

    /// Returns what went wrong.
    pub fn kind(&self) -> &CaseErrorKind {
        &self.kind
    }

    /// Returns the file in which it went wrong, if it is known.
    pub fn file(&self) -> Option<&Path> {
        self.file.as_deref()
    }

    /// Returns the 1-based line of the file, if it is known.
    pub fn line(&self) -> Option<usize> {
        self.line
    }
}

impl From<CaseErrorKind> for CaseError {
    fn from(kind: CaseErrorKind) -> Self {
        Self::new(kind)
    }
}

impl fmt::Display for CaseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(file) = &self.file {
            write!(f, "{}: ", file.display())?;
        }
        if let Some(line) = self.line {
            write!(f, "line {line}: ")?;
        }
        self.kind.fmt(f)
    }
}

impl fmt::Display for CaseErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Read => f.write_str("cannot read the file"),
            Self::Write => f.write_str("cannot write the file"),
            Self::Syntax => f.write_str("not a valid case file (TOML or JSON Lines)"),
            Self::DuplicateName { name, first_line } => {
                write!(f, "two questions are named {name:?}")?;
                match first_line {
                    Some(line) => write!(f, "; the first is at line {line}: remove one of them"),
                    None => f.write_str("; remove one of them"),
                }
            }
            Self::Misnamed { found, expected } => write!(
                f,
                "{found:?} is not read: rename it to {expected:?}, as case matters in names"
            ),
            Self::InvalidOrigin(text) => {
                write!(f, "{text:?} is not an origin: expected a scheme and a host")?;
                match Origin::of(text) {
                    Ok(origin) => write!(f, ", as in \"{origin}\""),
                    Err(_) => f.write_str(", as in \"https://example.com\""),
                }
            }
            Self::InvalidPath(text) => write!(
                f,
                "{text:?} is not a path of the site: expected one that begins with a slash"
            ),
            Self::InvalidPageName(path) => write!(
                f,
                "{:?} is not part of a URL as it is: expected only characters that the path of a URL can have",
                path.display().to_string()
            ),
            Self::HeadersWithoutPage(path) => write!(
                f,
                "{} is not read: expected the name of a page before \".headers\"",
                path.display()
            ),
            Self::UnknownDialect(unknown) => unknown.fmt(f),
            Self::UnknownProfile(name) => {
                let profiles: Vec<_> = Profile::all().collect();
                let names: Vec<_> = profiles.iter().map(Profile::name).collect();
                write!(f, "unknown profile {name:?}{}", expected_name(name, &names))
            }
            Self::UnknownTable(name) => {
                let names = OutcomeTable::NAMED.map(|(name, _)| name);
                write!(f, "unknown table {name:?}{}", expected_name(name, &names))
            }
            Self::UnknownField(name) => {
                let fields: Vec<_> = Field::ALL.iter().map(|field| field.name()).collect();
                write!(
                    f,
                    "unknown key {name:?} in `expect`: expected line, warnings, reasons, reasons.FIELD or a field: {}",
                    fields.join(", ")
                )
            }
            Self::InvalidValue {
                key,
                value,
                expected,
            } => write!(f, "unexpected value {value} of {key:?}: expected {expected}"),
            Self::InvalidPad(text) => write!(
                f,
                "unexpected {text:?} after \"{{pad:\": expected a size in bytes and \"}}\"; \
                 the size must be above that of the preceding text, up to {MAX_BODY}"
            ),
            Self::NoDialect => {
                f.write_str("no dialect: expected at least one name in \"dialects\"")
            }
            Self::InvalidTime(text) => write!(
                f,
                "{text:?} is not a time: expected one like 2026-11-20T00:00:00Z"
            ),
            Self::InvalidElapsed(text) => write!(
                f,
                "{text:?} is not an elapsed time: expected one like 12h, -20h or 30d-1s, or min, max or unknown"
            ),
            Self::InvalidFreshness(text) => write!(
                f,
                "{text:?} is not a time to keep a response: expected one like 12h or 30d-1s, or max"
            ),
            Self::BasedOn => {
                f.write_str("unexpected `based-on` in `with`: `profile` names the profile that it changes")
            }
            Self::InvalidHeader(line) => {
                write!(f, "{line:?} is not a header line: expected \"Name: value\"")
            }
            Self::InvalidSite => f.write_str("invalid origin or tdmrep.json of the site"),
            Self::NoAgent => f.write_str("no robot: expected at least one name in \"agents\""),
            Self::NoQuestion => {
                f.write_str("expected either \"url\" and \"allowed\", or \"crawl_delay\"")
            }
            Self::NoExpectation(expected) => write!(f, "nothing to check: expected {expected}"),
            Self::IncompleteRecord => {
                f.write_str("a recorded decision needs \"agent\", \"profile\" and \"url\"")
            }
            Self::NotRecorded => f.write_str("not recorded; --accept records it"),
            Self::NoLongerAsked => {
                f.write_str("recorded, but the site no longer has this page, robot or profile; --accept removes it")
            }
            Self::Mismatch(text) => f.write_str(text),
        }
    }
}

impl Error for CaseError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match &self.source {
            Some(source) => Some(source.as_ref()),
            None => None,
        }
    }
}
