//! The results of questions, with their lines and times.

use crate::error::{CaseError, CaseErrorKind};
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// The name of the result of a file that is not valid as a whole.
const WHOLE_FILE: &str = "(file)";

/// The result of a question.
#[derive(Debug)]
#[non_exhaustive]
pub struct QuestionResult {
    /// The file with the question.
    pub file: PathBuf,
    /// The name of the question, unique in the file. If two questions have one name, the result of the second is an error
    /// of the kind [`DuplicateName`](CaseErrorKind::DuplicateName). A file that is not valid has one result, `(file)`.
    pub name: String,
    /// The time that the answer took.
    pub time: Duration,
    /// The error, if the case is invalid or the answer is not the expected one.
    pub result: Result<(), CaseError>,
}

/// A question of a file with its result.
#[derive(Debug)]
pub(crate) struct NamedResult {
    pub(crate) name: String,
    /// The 1-based line of the question, or of the case that asks it.
    line: Option<usize>,
    time: Duration,
    pub(crate) result: Result<(), CaseError>,
}

impl NamedResult {
    /// Asks a question, and measures the time of the answer.
    pub(crate) fn of(name: String, ask: impl FnOnce() -> Result<(), CaseError>) -> Self {
        let start = Instant::now();
        let result = ask();
        Self {
            time: start.elapsed(),
            result,
            line: None,
            name,
        }
    }

    /// Creates the result of a question that cannot be asked.
    pub(crate) fn invalid(name: String, error: impl Into<CaseError>) -> Self {
        let error = error.into();
        Self {
            time: Duration::ZERO,
            line: error.line(),
            result: Err(error),
            name,
        }
    }

    /// Sets the 1-based line of the question. Its error names the line, unless it names one already.
    pub(crate) fn at_line(self, line: usize) -> Self {
        Self {
            line: Some(line),
            result: self.result.map_err(|error| error.at_line(line)),
            ..self
        }
    }

    /// Adds the time of work that was done before the question was asked.
    pub(crate) fn after(self, time: Duration) -> Self {
        Self {
            time: self.time.saturating_add(time),
            ..self
        }
    }
}

/// Returns the results of a file. Of two questions with one name, the second is invalid.
pub(crate) fn results_in_file(
    file: &Path,
    results: Result<Vec<NamedResult>, CaseError>,
) -> Vec<QuestionResult> {
    let results =
        results.unwrap_or_else(|error| vec![NamedResult::invalid(WHOLE_FILE.to_owned(), error)]);
    let mut first_lines: HashMap<String, Option<usize>> = HashMap::new();
    let results = results.into_iter().map(|named| {
        let is_known_duplicate = matches!(&named.result, Err(error) if is_duplicate(error));
        let result = if is_known_duplicate {
            named.result
        } else if let Some(first_line) = first_lines.get(&named.name) {
            let error = CaseError::from(CaseErrorKind::DuplicateName {
                name: named.name.clone(),
                first_line: *first_line,
            });
            Err(match named.line {
                Some(line) => error.at_line(line),
                None => error,
            })
        } else {
            first_lines.insert(named.name.clone(), named.line);
            named.result
        };
        QuestionResult {
            file: file.to_owned(),
            name: named.name,
            time: named.time,
            result,
        }
    });
    results.collect()
}

fn is_duplicate(error: &CaseError) -> bool {
    matches!(error.kind(), CaseErrorKind::DuplicateName { .. })
}
