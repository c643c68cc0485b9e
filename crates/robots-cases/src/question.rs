//! The results of questions, with their lines and times.

use crate::error::CaseError;
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
    /// The name of the question, unique in the file. If two questions have one name, the result of the second is an error. A file
    /// that is not valid has one result, `(file)`.
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
    pub(crate) fn invalid(name: String, error: CaseError) -> Self {
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
            time: self.time + time,
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
        let result = match first_lines.get(&named.name) {
            // An invalid one has its error, such as that of a duplicate in another file.
            Some(first) if !named.result.as_ref().is_err_and(CaseError::is_invalid_case) => {
                let error = duplicate(&named.name, *first);
                Err(match named.line {
                    Some(line) => error.at_line(line),
                    None => error,
                })
            }
            _ => {
                first_lines.entry(named.name.clone()).or_insert(named.line);
                named.result
            }
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

/// Creates the error of a question with the name of an earlier one, whose 1-based line may be known.
pub(crate) fn duplicate(name: &str, first_line: Option<usize>) -> CaseError {
    let first = first_line.map_or(String::new(), |line| {
        format!(" the first is at line {line}:")
    });
    let text = format!("two questions are named {name:?};{first} remove one of them");
    CaseError::new(text)
}
