//! Annotations: findings as one line each, for editors and CI systems.
//!
//! | format | writer |
//! | --- | --- |
//! | `path:line:column: CODE message`, as editors and other linters have it | [`concise`] |
//! | workflow commands of GitHub Actions | [`github`] |
//! | a Code Quality report of GitLab | [`CodeQuality`](super::gitlab::CodeQuality) |

use super::LocatedFinding;
use super::lines::column_after;
use crate::catalogue::Severity;
use robots_policy::text::printable;
use std::borrow::Cow;
use std::io::{self, Write};
use std::ops::Range;

/// A finding of any program in a file, which one line describes.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Annotation<'a> {
    /// The path of the file.
    pub path: &'a str,
    /// The place; `None` if the file has no line about it.
    pub place: Option<Place>,
    /// The severity.
    pub severity: Severity,
    /// The code of the rule, such as `R037`.
    pub code: &'a str,
    /// The name of the rule, such as `shadowed-rule`.
    pub name: &'a str,
    /// The message, in one line.
    pub message: Cow<'a, str>,
    /// Whether `--fix` fixes it.
    pub has_fix: bool,
    /// The text of the line.
    pub text: Cow<'a, [u8]>,
}

/// A part of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Place {
    /// The 1-based line.
    pub line: usize,
    /// The 1-based character at which it begins.
    pub column: usize,
    /// The 1-based character after its end.
    pub end_column: usize,
}

impl Place {
    /// Creates the place of a range of bytes in a line, which is cut to the line. Bytes that are not UTF-8 count as the
    /// characters that replace them.
    pub fn in_line(line: usize, text: &[u8], part: Range<usize>) -> Self {
        let column = |end: usize| column_after(text.get(..end).unwrap_or(text));
        Self {
            line,
            column: column(part.start),
            end_column: column(part.end),
        }
    }
}

impl<'a> Annotation<'a> {
    /// Creates an annotation without a place and a fix.
    pub fn new(
        path: &'a str,
        severity: Severity,
        code: &'a str,
        message: impl Into<Cow<'a, str>>,
    ) -> Self {
        Self {
            path,
            place: None,
            severity,
            code,
            name: code,
            message: message.into(),
            has_fix: false,
            text: Cow::Borrowed(&[]),
        }
    }

    /// Sets the place, and the text of its line.
    #[must_use]
    pub fn at(self, place: Place, text: impl Into<Cow<'a, [u8]>>) -> Self {
        Self {
            place: Some(place),
            text: text.into(),
            ..self
        }
    }

    /// Returns the path as CI systems name files of a repository: without `./` at its start.
    pub(super) fn repository_path(&self) -> &'a str {
        self.path.strip_prefix("./").unwrap_or(self.path)
    }

    /// Creates an annotation of a finding in the file of this path. A header has no line in the file, so the message names its
    /// line.
    pub fn of_finding(path: &'a str, finding: &'a LocatedFinding<'_>) -> Self {
        let LocatedFinding { kind, location, .. } = finding;
        let (message, place) = if location.is_header {
            let (line, column) = (location.line, location.column);
            let message = format!("{} (header line {line}, column {column})", finding.message);
            (Cow::Owned(message), None)
        } else {
            let place = Place {
                line: location.line,
                column: location.column,
                end_column: location.end_column,
            };
            (Cow::Borrowed(finding.message.as_str()), Some(place))
        };
        Self {
            path,
            place,
            severity: kind.severity(),
            code: kind.code(),
            name: kind.name(),
            message,
            has_fix: finding.fix.is_some(),
            text: Cow::Borrowed(&location.text),
        }
    }
}

/// Writes `path:line:column: CODE message`. The line and column are 1 where there is no place. `[*]` before the message marks
/// a fix.
///
/// # Errors
///
/// Those of `out`.
pub fn concise(mut out: impl Write, annotation: &Annotation<'_>) -> io::Result<()> {
    let Annotation {
        path,
        code,
        message,
        ..
    } = annotation;
    let (line, column) = annotation
        .place
        .map_or((1, 1), |place| (place.line, place.column));
    let fix = if annotation.has_fix { "[*] " } else { "" };
    let (path, message) = (printable(path), printable(message));
    writeln!(out, "{path}:{line}:{column}: {code} {fix}{message}")
}

/// Writes a workflow command of GitHub Actions: `::error file=robots.txt,line=2,...::message`.
///
/// # Errors
///
/// Those of `out`.
pub fn github(mut out: impl Write, annotation: &Annotation<'_>) -> io::Result<()> {
    let Annotation {
        code,
        name,
        message,
        ..
    } = annotation;
    let path = annotation.repository_path();
    let command = match annotation.severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Note => "notice",
    };
    write!(out, "::{command} file={}", property(path))?;
    if let Some(place) = annotation.place {
        let Place {
            line,
            column,
            end_column,
        } = place;
        write!(
            out,
            ",line={line},col={column},endLine={line},endColumn={end_column}"
        )?;
    }
    let title = if code == name {
        Cow::Borrowed(*code)
    } else {
        Cow::Owned(format!("{code} {name}"))
    };
    writeln!(out, ",title={}::{}", property(&title), data(message))
}

/// Escapes the text after `::`. GitHub's runner reads `%25`, `%0D` and `%0A`; other controls are unprintable in any case.
fn data(text: &str) -> String {
    printable(text).replace('%', "%25")
}

/// Escapes a property, which ends at a comma or colon.
fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}
