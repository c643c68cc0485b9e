//! Test cases as data: questions and answers that a team writes without Rust.
//!
//! tests/README.md describes the formats. `robots test` and the tests of this project run them.
//!
//! * A *question* has one result: the answer is the expected one, or not. [`check_all`] returns the
//!   [`QuestionResult`]s of files and folders.
//! * A *case* is a table of a TOML file with one or more questions: about a robots.txt ([`robots_case`]), a page
//!   ([`page_case`]), one outcome of a request for robots.txt, or several over time ([`history_case`]).
//! * A *vector* is a line of a JSON Lines file with one question about a robots.txt ([`vector`]). A line without a
//!   `dialect` is a case about a page.
//! * A *site* is a folder with a robots.txt, pages and questions ([`site`]); its decisions may be recorded
//!   ([`recorded`]).
#![forbid(unsafe_code)]

mod decision_diff;
mod elapsed;
mod error;
mod expect;
pub mod history_case;
pub mod names;
pub mod page_case;
mod question;
pub mod recorded;
pub mod robots_case;
pub mod site;
pub mod vector;

pub use error::{CaseError, CaseErrorKind};
pub use question::QuestionResult;

use expect::expect_fields;
use history_case::{HistoryCase, HistoryFile, OutcomeCase};
use page_case::{PageCase, PageFile};
use question::NamedResult;
use robots_case::{RobotsCase, RobotsCaseFile};
use robots_policy::Profile;
use serde::de::DeserializeOwned;
use site::Site;
use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};
use toml::Spanned;
use toml::de::{DeTable, DeValue};
use vector::RobotsVector;

/// Asks every question in a file, or in the files of a folder and below, in the order of the files' paths.
///
/// A file that cannot be read or is not well-formed has one result, and the other files are still asked.
///
/// # Errors
///
/// If a folder cannot be read.
pub fn check_all(path: &Path) -> Result<Vec<QuestionResult>, CaseError> {
    let is_named = !path.is_dir();
    let results = files(path)?.into_iter().flat_map(|file| {
        let results = match results_of_file(&file) {
            // A folder may have other files; a file that is named must have questions.
            Ok(results) if results.is_empty() && is_named => {
                let missing = "[[case]], [[outcome]], [[history]] or lines of JSON";
                Err(CaseErrorKind::NoExpectation(missing).into())
            }
            results => results,
        };
        question::results_in_file(&file, results)
    });
    Ok(results.collect())
}

/// Returns the files of a folder and below that may have questions, or the file itself.
///
/// # Errors
///
/// If a folder cannot be read.
pub fn files(path: &Path) -> Result<Vec<PathBuf>, CaseError> {
    let mut files = Vec::new();
    if path.is_dir() {
        collect(path, &mut files)?;
        files.sort();
    } else {
        files.push(path.to_owned());
    }
    Ok(files)
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) -> Result<(), CaseError> {
    let cannot_read = |error| CaseError::wrap_in(CaseErrorKind::Read, folder)(error);
    let site = folder.join("site.toml");
    if site.is_file() {
        // All other files of the folder belong to the site.
        files.push(site);
        return Ok(());
    }
    for entry in fs::read_dir(folder).map_err(cannot_read)? {
        let entry = entry.map_err(cannot_read)?;
        let kind = entry.file_type().map_err(cannot_read)?;
        let path = entry.path();
        let ending = path.extension().and_then(|ending| ending.to_str());
        if kind.is_dir() {
            collect(&path, files)?;
        } else if matches!(ending, Some("toml" | "jsonl")) && !(kind.is_symlink() && path.is_dir())
        {
            // A link to a file is read; one to a folder is not followed, as that may be within its own.
            files.push(path);
        }
    }
    Ok(())
}

/// Asks the questions in a file.
fn results_of_file(file: &Path) -> Result<Vec<NamedResult>, CaseError> {
    if Site::is_file(file)? {
        return results_of_site(file.parent().unwrap_or(Path::new(".")));
    }
    let text = fs::read_to_string(file).map_err(CaseError::wrap(CaseErrorKind::Read))?;
    if file.extension().is_some_and(|ending| ending == "jsonl") {
        return Ok(results_of_vectors(&text));
    }
    let table = DeTable::parse(&text).map_err(CaseError::wrap(CaseErrorKind::Syntax))?;
    let table = table.get_ref();
    let lines = |key| lines_of(&text, table.get(key));
    if table.contains_key("history") || table.contains_key("outcome") {
        let cases: HistoryFile = match parse_toml(&text) {
            Ok(cases) => cases,
            Err(error) => {
                let mut valid = ValidCases::of(&text, error)?;
                valid.ask("outcome", lines("outcome"), OutcomeCase::results);
                valid.ask("history", lines("history"), HistoryCase::results);
                return valid.results();
            }
        };
        let rows = results_of_cases(&cases.outcome, lines("outcome"), OutcomeCase::results);
        let histories = results_of_cases(&cases.history, lines("history"), HistoryCase::results);
        return Ok(rows.into_iter().chain(histories).collect());
    }
    if !table.contains_key("case") {
        // Not a file of cases: the manifest of a crate, for example.
        return Ok(Vec::new());
    }
    // A case about robots.txt has dialects, one about a page does not. The first case decides for the file.
    let is_about_robots = table
        .get("case")
        .and_then(|cases| cases.get_ref().as_array()?.iter().next())
        .is_some_and(|case| case.get_ref().get("dialects").is_some());
    let results_of_page_case = |case: &PageCase| vec![result_of_page_case(case)];
    let results = if is_about_robots {
        parse_toml(&text).map(|cases: RobotsCaseFile| {
            results_of_cases(&cases.case, lines("case"), results_of_robots_case)
        })
    } else {
        parse_toml(&text).map(|cases: PageFile| {
            results_of_cases(&cases.case, lines("case"), results_of_page_case)
        })
    };
    results.or_else(|error| {
        let mut valid = ValidCases::of(&text, error)?;
        if is_about_robots {
            valid.ask("case", lines("case"), results_of_robots_case);
        } else {
            valid.ask("case", lines("case"), results_of_page_case);
        }
        valid.results()
    })
}

/// The cases of a TOML file of which some are not valid. The others are asked.
struct ValidCases {
    table: toml::Table,
    /// The error of the file as a whole.
    error: CaseError,
    results: Vec<NamedResult>,
    has_invalid: bool,
}

impl ValidCases {
    /// Reads a file that is not valid as a whole, as this error says.
    fn of(text: &str, error: CaseError) -> Result<Self, CaseError> {
        Ok(Self {
            table: parse_toml(text)?,
            error,
            results: Vec::new(),
            has_invalid: false,
        })
    }

    /// Asks the questions of each case in an array. `lines` has the 1-based line of each.
    fn ask<C: DeserializeOwned>(
        &mut self,
        key: &str,
        lines: Vec<usize>,
        results_of_case: impl Fn(&C) -> Vec<NamedResult>,
    ) {
        let cases = self.table.get(key).and_then(|cases| cases.as_array());
        for (case, line) in cases.into_iter().flatten().zip(lines) {
            let results = match case.clone().try_into() {
                Ok(case) => results_of_case(&case),
                Err(error) => {
                    self.has_invalid = true;
                    let name = case.get("name").and_then(|name| name.as_str());
                    let name = name.map_or_else(|| name_of_line(line), str::to_owned);
                    let error = CaseError::wrap(CaseErrorKind::Syntax)(error);
                    vec![NamedResult::invalid(name, error)]
                }
            };
            let results = results.into_iter().map(|result| result.at_line(line));
            self.results.extend(results);
        }
    }

    /// Returns the results; the error of the file if it is in no case.
    fn results(self) -> Result<Vec<NamedResult>, CaseError> {
        if self.has_invalid {
            Ok(self.results)
        } else {
            Err(self.error)
        }
    }
}

/// Returns the name of a case that has none.
fn name_of_line(line: usize) -> String {
    format!("(line {line})")
}

/// Returns the 1-based lines at which the tables of an array begin.
fn lines_of(text: &str, array: Option<&Spanned<DeValue<'_>>>) -> Vec<usize> {
    let tables = array.and_then(|array| array.get_ref().as_array());
    let (mut line, mut at) = (1_usize, 0);
    let starts = tables.into_iter().flatten().map(|table| {
        let start = table.span().start;
        let between = text.get(at..start).unwrap_or_default();
        line = line.saturating_add(between.matches('\n').count());
        at = start;
        line
    });
    starts.collect()
}

/// Asks the questions of each case. `lines` has the 1-based line of each, which its errors name.
fn results_of_cases<C>(
    cases: &[C],
    lines: Vec<usize>,
    results_of_case: impl Fn(&C) -> Vec<NamedResult>,
) -> Vec<NamedResult> {
    let cases = cases.iter().zip(lines);
    let results_of_all = cases.flat_map(|(case, line)| {
        let results = results_of_case(case).into_iter();
        results.map(move |result| result.at_line(line))
    });
    results_of_all.collect()
}

fn parse_toml<T: DeserializeOwned>(text: &str) -> Result<T, CaseError> {
    toml::from_str(text).map_err(CaseError::wrap(CaseErrorKind::Syntax))
}

fn results_of_robots_case(case: &RobotsCase) -> Vec<NamedResult> {
    let fails = |kind: CaseErrorKind| vec![NamedResult::invalid(case.name.clone(), kind)];
    if case.dialects.is_empty() {
        return fails(CaseErrorKind::NoDialect);
    }
    if case.ask.is_empty() && case.delay.is_empty() {
        return fails(CaseErrorKind::NoExpectation("\"ask\" or \"delay\""));
    }
    let vectors = case
        .dialects
        .iter()
        .flat_map(|dialect| case.vectors(&case.name, dialect));
    vectors
        .map(|vector| NamedResult::of(vector.id.clone(), || vector.check()))
        .collect()
}

fn result_of_page_case(case: &PageCase) -> NamedResult {
    if case.expect.is_empty() {
        let error = CaseErrorKind::NoExpectation("a field in \"expect\"");
        return NamedResult::invalid(case.name.clone(), error);
    }
    NamedResult::of(case.name.clone(), || {
        let decision = case.decide()?;
        expect_fields(&decision, &case.expect)
    })
}

/// Asks the questions of a JSON Lines file: vectors, and cases about pages. A line that is not valid has one result.
fn results_of_vectors(text: &str) -> Vec<NamedResult> {
    let lines = numbered_lines(text).filter(|(_, line)| !line.trim().is_empty());
    let results = lines.map(|(number, line)| {
        let result = result_of_line(line).unwrap_or_else(|error| {
            let error = CaseError::wrap(CaseErrorKind::Syntax)(LineError(error));
            NamedResult::invalid(name_of_line(number), error)
        });
        result.at_line(number)
    });
    results.collect()
}

/// Returns the lines of a text with their 1-based numbers. The text may begin with a byte order mark.
pub(crate) fn numbered_lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    (1..).zip(text.lines())
}

/// An error in one line of JSON. Its place is a column: what wraps it has the number of the line in its file.
#[derive(Debug)]
pub(crate) struct LineError(pub(crate) serde_json::Error);

impl fmt::Display for LineError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = self.0.to_string();
        match text.split_once(" at line 1 column ") {
            // The column is 0 if the line is empty.
            Some((what, "0")) => f.write_str(what),
            Some((what, column)) => write!(f, "{what} at column {column}"),
            None => f.write_str(&text),
        }
    }
}

impl std::error::Error for LineError {}

fn result_of_line(line: &str) -> Result<NamedResult, serde_json::Error> {
    let row: serde_json::Value = serde_json::from_str(line)?;
    if row.get("dialect").is_none() {
        return serde_json::from_value(row).map(|case| result_of_page_case(&case));
    }
    let vector: RobotsVector = serde_json::from_value(row)?;
    Ok(NamedResult::of(vector.id.clone(), || vector.check()))
}

fn results_of_site(folder: &Path) -> Result<Vec<NamedResult>, CaseError> {
    let site = Site::open(folder)?;
    let mut results: Vec<NamedResult> = Vec::new();
    for (question, line) in site.question.iter().zip(&site.lines) {
        let profile = question.profile.as_deref().unwrap_or(Profile::NEUTRAL);
        let name = format!("{} {} ({profile})", question.agent, question.url);
        let result = NamedResult::of(name, || {
            if question.expect.is_empty() {
                let missing = "a field of the decision, such as \"fetch\"";
                return Err(CaseErrorKind::NoExpectation(missing).into());
            }
            let profile: Profile = profile
                .parse()
                .map_err(|_| CaseErrorKind::UnknownProfile(profile.to_owned()))?;
            let decision = site.decide(&profile, &question.agent, &question.url)?;
            expect_fields(&decision, &question.expect)
        });
        results.push(result.at_line(*line));
    }
    results.extend(recorded::compare(&site)?);
    if results.is_empty() {
        let missing = "a [[question]], or the decisions that --accept records";
        return Err(CaseErrorKind::NoExpectation(missing).into());
    }
    Ok(results)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_case_that_asks_nothing_names_the_missing_keys() {
        let text = |named: &NamedResult| named.result.as_ref().unwrap_err().to_string();
        let robots: RobotsCaseFile =
            toml::from_str("[[case]]\nname = 'a'\nsource = 's'\ndialects = ['google']\nbody = ''")
                .unwrap();
        let results: Vec<_> = robots
            .case
            .iter()
            .flat_map(results_of_robots_case)
            .collect();
        let texts: Vec<_> = results.iter().map(text).collect();
        assert_eq!(texts, ["nothing to check: expected \"ask\" or \"delay\""]);
        let page: PageFile =
            toml::from_str("[[case]]\nname = 'a'\nsource = 's'\nexpect = {}").unwrap();
        let texts: Vec<_> = page.case.iter().map(result_of_page_case).collect();
        let texts: Vec<_> = texts.iter().map(text).collect();
        assert_eq!(texts, ["nothing to check: expected a field in \"expect\""]);
    }
}
