//! Test cases as data: questions and answers that a team writes without Rust.
//!
//! tests/README.md describes the formats. `robots test` and the tests of this project run them.
//!
//! * A *question* has one result: the answer is the expected one, or not. [`check_all`] returns the
//!   [`QuestionResult`]s of files and folders.
//! * A *case* is a table of a TOML file, which may mix kinds of them, with one or more questions: about a robots.txt ([`robots_case`]), a page
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
mod lines;
pub mod page_case;
mod question;
pub mod recorded;
pub mod robots_case;
pub mod site;
pub mod vector;

pub use error::CaseError;
pub use question::QuestionResult;

use expect::expect_fields;
use history_case::{HistoryCase, OutcomeCase};
use lines::LineEnds;
use page_case::PageCase;
use robots_case::RobotsCase;
use robots_policy::Profile;
use robots_policy::text::{expected_name, nearest};
use serde::de::DeserializeOwned;
use site::Site;
use std::fs;
use std::path::{Path, PathBuf};
use toml::Spanned;
use toml::de::{DeString, DeTable, DeValue, ValueDeserializer};
use vector::RobotsVector;

/// The kinds of tables in a TOML file of cases.
const KINDS: [&str; 3] = ["case", "outcome", "history"];

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
                Err(CaseError::nothing_to_check(missing))
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
    let site = folder.join(site::FILE);
    let is_site = site.is_file();
    if is_site {
        files.push(site);
    }
    for (path, is_folder) in entries(folder)? {
        // Pages may have any name.
        if is_site && Site::has_part(&path) {
            continue;
        }
        let ending = path.extension().and_then(|ending| ending.to_str());
        if is_folder {
            collect(&path, files)?;
        } else if matches!(ending, Some("toml" | "jsonl")) {
            files.push(path);
        }
    }
    Ok(())
}

/// Returns the files in a folder, and its folders, which are marked. A link to a folder is left out, as that may be within its own.
pub(crate) fn entries(folder: &Path) -> Result<Vec<(PathBuf, bool)>, CaseError> {
    let unreadable = CaseError::unreadable(folder);
    let mut entries = Vec::new();
    for entry in fs::read_dir(folder).map_err(&unreadable)? {
        let entry = entry.map_err(&unreadable)?;
        let kind = entry.file_type().map_err(&unreadable)?;
        let path = entry.path();
        if !kind.is_symlink() || !path.is_dir() {
            entries.push((path, kind.is_dir()));
        }
    }
    Ok(entries)
}

/// Asks the questions in a file. A case that is not valid has one result.
fn results_of_file(file: &Path) -> Result<Vec<QuestionResult>, CaseError> {
    if Site::is_file(file)? {
        return results_of_site(file.parent().unwrap_or(Path::new(".")));
    }
    let text = fs::read_to_string(file)
        .map_err(|error| CaseError::new(format!("cannot read the file: {error}")))?;
    if file.extension().is_some_and(|ending| ending == "jsonl") {
        return Ok(results_of_lines(&text));
    }
    results_of_tables(&text)
}

/// Asks the questions of the tables of a TOML file, which may be of several kinds.
fn results_of_tables(text: &str) -> Result<Vec<QuestionResult>, CaseError> {
    let lines = LineEnds::of(text);
    let table = DeTable::parse(text).map_err(|error| CaseError::toml(&error, &lines))?;
    let mut table = table.into_inner();
    let is_misspelt = |(key, value): (&Spanned<DeString<'_>>, &Spanned<DeValue<'_>>)| {
        let items = value.get_ref().as_array();
        let has_tables = items.is_some_and(|items| {
            !items.is_empty() && items.iter().all(|item| item.get_ref().is_table())
        });
        has_tables && nearest(key.get_ref(), KINDS).is_some()
    };
    // Others are not files of cases: the manifest of a crate, for example.
    if !KINDS.iter().any(|kind| table.contains_key(*kind)) && !table.iter().any(is_misspelt) {
        return Ok(Vec::new());
    }
    let arrays = KINDS.map(|kind| (kind, table.remove(kind)));
    if let Some(key) = table.keys().next() {
        let name: &str = key.get_ref();
        let expected = expected_name(name, &KINDS);
        let error = CaseError::syntax(format!("unknown key `{name}`{expected}"));
        return Err(error.at_line(lines.line_at(key.span().start)));
    }
    let mut results = Vec::new();
    for (kind, array) in arrays {
        let Some(array) = array else { continue };
        let line = lines.line_at(array.span().start);
        let DeValue::Array(cases) = array.into_inner() else {
            let expected = CaseError::syntax(format!("expected tables [[{kind}]]"));
            return Err(expected.at_line(line));
        };
        for case in cases {
            let line = lines.line_at(case.span().start);
            let results_of_case = match kind {
                "outcome" => ask(case, &lines, |case: &OutcomeCase| case.results(&lines)),
                "history" => ask(case, &lines, |case: &HistoryCase| case.results(&lines)),
                _ if RobotsCase::is_table(case.get_ref()) => {
                    ask(case, &lines, |case| results_of_robots_case(case, &lines))
                }
                _ => {
                    let expect = case.get_ref().get("expect").map(Spanned::get_ref);
                    let keys = expect
                        .map(|expect| lines.of_keys(expect))
                        .unwrap_or_default();
                    ask(case, &lines, |case| {
                        vec![result_of_page_case(case).at_key(&keys)]
                    })
                }
            };
            let results_of_case = results_of_case.into_iter();
            results.extend(results_of_case.map(|result| result.at_line(line)));
        }
    }
    Ok(results)
}

/// Asks the questions of a case in a file with these lines.
fn ask<C: DeserializeOwned>(
    case: Spanned<DeValue<'_>>,
    lines: &LineEnds,
    results_of_case: impl Fn(&C) -> Vec<QuestionResult>,
) -> Vec<QuestionResult> {
    let name = case
        .get_ref()
        .get("name")
        .and_then(|name| name.get_ref().as_str());
    let name = name.map_or_else(
        || name_of_line(lines.line_at(case.span().start)),
        str::to_owned,
    );
    match C::deserialize(ValueDeserializer::from(case)) {
        Ok(case) => results_of_case(&case),
        Err(error) => vec![QuestionResult::invalid(
            name,
            CaseError::toml(&error, lines),
        )],
    }
}

/// Returns the name of a case that has none.
fn name_of_line(line: usize) -> String {
    format!("(line {line})")
}

fn results_of_robots_case(case: &RobotsCase, lines: &LineEnds) -> Vec<QuestionResult> {
    let missing = if case.dialects.is_empty() {
        CaseError::new("no dialect: expected at least one name in \"dialects\"")
    } else if case.ask.is_empty() && case.delay.is_empty() {
        CaseError::nothing_to_check("\"ask\" or \"delay\"")
    } else {
        let of_questions: Vec<usize> = case.offsets().map(|at| lines.line_at(at)).collect();
        let results = case.dialects.iter().flat_map(|dialect| {
            let vectors = case.vectors(&case.name, dialect).into_iter();
            let numbered = vectors.zip(of_questions.iter().copied());
            numbered.map(|(vector, line)| vector.result().at_line(line))
        });
        return results.collect();
    };
    vec![QuestionResult::invalid(case.name.clone(), missing)]
}

fn result_of_page_case(case: &PageCase) -> QuestionResult {
    if case.expect.is_empty() {
        let error = CaseError::nothing_to_check("a field in \"expect\"");
        return QuestionResult::invalid(case.name.clone(), error);
    }
    QuestionResult::of(case.name.clone(), || {
        let decision = case.decide()?;
        expect_fields(&decision, &case.expect)
    })
}

/// Asks the questions of a JSON Lines file: vectors, and cases about pages. A line that is not valid has one result.
fn results_of_lines(text: &str) -> Vec<QuestionResult> {
    let lines = numbered_lines(text).filter(|(_, line)| !line.trim().is_empty());
    let results = lines.map(|(number, line)| {
        let result = json_line(line).and_then(result_of_row);
        let result =
            result.unwrap_or_else(|error| QuestionResult::invalid(name_of_line(number), error));
        result.at_line(number)
    });
    results.collect()
}

fn result_of_row(row: serde_json::Value) -> Result<QuestionResult, CaseError> {
    if row.get("dialect").is_none() {
        let case = serde_json::from_value(row).map_err(CaseError::syntax)?;
        return Ok(result_of_page_case(&case));
    }
    let vector: RobotsVector = serde_json::from_value(row).map_err(CaseError::syntax)?;
    Ok(vector.result())
}

/// Returns the lines of a text with their 1-based numbers. The text may begin with a byte order mark.
pub(crate) fn numbered_lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    (1..).zip(text.lines())
}

/// Reads a line of JSON. Its errors have a column: the line is that of its file.
pub(crate) fn json_line(line: &str) -> Result<serde_json::Value, CaseError> {
    serde_json::from_str(line).map_err(|error| {
        let text = error.to_string();
        CaseError::syntax(match text.split_once(" at line 1 column ") {
            // The column is 0 if the line is empty.
            Some((what, "0")) => what.to_owned(),
            Some((what, column)) => format!("{what} at column {column}"),
            None => text,
        })
    })
}

fn results_of_site(folder: &Path) -> Result<Vec<QuestionResult>, CaseError> {
    let site = Site::open(folder)?;
    let mut results: Vec<QuestionResult> = Vec::new();
    for (question, line) in site.questions() {
        let profile = question.profile.as_deref();
        let profile = profile.unwrap_or_else(|| Profile::of_robot(&question.agent).name());
        let name = format!("{} {} ({profile})", question.agent, question.url);
        let result = QuestionResult::of(name, || {
            if question.expect.is_empty() {
                let missing = "a field of the decision, such as \"fetch\"";
                return Err(CaseError::nothing_to_check(missing));
            }
            let profile = profile.parse::<Profile>()?;
            let decision = site.decide(&profile, &question.agent, &question.url)?;
            expect_fields(&decision, &question.expect)
        });
        let path = question.url.as_str();
        let has_no_page = path.starts_with('/') && !site.has(path);
        let mut result = result.at_key(&question.key_lines).at_line(line);
        result.missing_page = has_no_page.then(|| path.to_owned());
        results.push(result);
    }
    results.extend(recorded::compare(&site)?);
    if results.is_empty() {
        let missing = "a [[question]], or the decisions that --accept records";
        return Err(CaseError::nothing_to_check(missing));
    }
    Ok(results)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_case_that_asks_nothing_names_the_missing_keys() {
        let text = |results: &[QuestionResult]| {
            let texts = results
                .iter()
                .map(|named| named.result.as_ref().unwrap_err());
            texts.map(CaseError::to_string).collect::<String>()
        };
        let start = "name = 'a'\nsource = 's'";
        let robots = format!("{start}\ndialects = ['google']\nbody = ''");
        let robots: RobotsCase = toml::from_str(&robots).unwrap();
        assert_eq!(
            text(&results_of_robots_case(&robots, &LineEnds::of(""))),
            "nothing to check: expected \"ask\" or \"delay\""
        );
        let page: PageCase = toml::from_str(&format!("{start}\nexpect = {{}}")).unwrap();
        assert_eq!(
            text(&[result_of_page_case(&page)]),
            "nothing to check: expected a field in \"expect\""
        );
    }
}
