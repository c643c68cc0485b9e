//! The results of questions, with their lines and times.

use crate::error::CaseError;
use crate::lines::KeyLines;
use std::collections::HashMap;
use std::collections::hash_map::Entry;
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
    /// The path of a question about a site that has no page there: the URL counts as not fetched.
    pub missing_page: Option<String>,
    /// The 1-based line of the question, or of the case that asks it.
    line: Option<usize>,
}

impl QuestionResult {
    /// Returns whether the question is invalid, rather than answered in an unexpected way.
    pub fn is_invalid(&self) -> bool {
        self.result.as_ref().is_err_and(CaseError::is_invalid_case)
    }

    /// Asks a question, and measures the time of the answer.
    pub(crate) fn of(name: String, ask: impl FnOnce() -> Result<(), CaseError>) -> Self {
        let start = Instant::now();
        let result = ask();
        Self {
            file: PathBuf::new(),
            time: start.elapsed(),
            result,
            missing_page: None,
            line: None,
            name,
        }
    }

    /// Creates the result of a question that cannot be asked.
    pub(crate) fn invalid(name: String, error: CaseError) -> Self {
        Self {
            file: PathBuf::new(),
            time: Duration::ZERO,
            missing_page: None,
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

    /// Names the line of the key that is unknown, if these lines of keys have it.
    pub(crate) fn at_key(self, lines: &KeyLines) -> Self {
        Self {
            result: self.result.map_err(|error| error.at_key(lines)),
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
    results: Result<Vec<QuestionResult>, CaseError>,
) -> Vec<QuestionResult> {
    let mut results =
        results.unwrap_or_else(|error| vec![QuestionResult::invalid(WHOLE_FILE.to_owned(), error)]);
    let mut first_lines: HashMap<String, Option<usize>> = HashMap::new();
    for question in &mut results {
        file.clone_into(&mut question.file);
        match first_lines.entry(question.name.clone()) {
            Entry::Vacant(first) => {
                first.insert(question.line);
            }
            // An invalid one has its error, such as that of a duplicate in another file.
            Entry::Occupied(first) if !question.is_invalid() => {
                let error = duplicate(&question.name, *first.get());
                question.result = Err(match question.line {
                    Some(line) => error.at_line(line),
                    None => error,
                });
            }
            Entry::Occupied(_) => {}
        }
    }
    results
}

/// Creates the error of a question with the name of an earlier one, whose 1-based line may be known.
pub(crate) fn duplicate(name: &str, first_line: Option<usize>) -> CaseError {
    let first = first_line.map_or(String::new(), |line| {
        format!(" the first is at line {line}:")
    });
    let text = format!("two questions are named {name:?};{first} remove one of them");
    CaseError::new(text)
}
