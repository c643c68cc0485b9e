//! `robots test`: runs test cases that a team writes without Rust.

use crate::answer_output;
use crate::args::Test as Args;
use crate::terminal::{counted, cut_list, grouped, printable, shortened};
use anyhow::{Context, Result};
use robots_cases::recorded::{ChangeKind, Recorded};
use robots_cases::site::Site;
use robots_cases::{CaseError, QuestionResult, recorded};
use robots_pipeline::json::write_line;
use robots_pipeline::new_file::{NewFile, refuse_to_overwrite};
use robots_pipeline::text::{path_text, with_causes};
use robots_policy::text::is_unprintable;
use serde_json::json;
use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

/// The maximum length of the message of a failure in a JUnit report, in characters. Its text has the whole difference.
const MAX_MESSAGE: usize = 120;

pub(crate) fn run(args: &Args) -> Result<ExitCode> {
    if args.accept {
        return accept(args);
    }
    let inputs = args.paths.iter().map(Into::into);
    refuse_to_overwrite(args.junit.iter().cloned(), inputs)?;
    let mut results = Vec::new();
    for path in &args.paths {
        results.extend(robots_cases::check_all(path)?);
    }
    if let Some(path) = &args.junit {
        write_junit(path, &results)?;
    }
    let mut out = answer_output::stdout();
    if args.json {
        for question in &results {
            let error = question.result.as_ref().err();
            let row = json!({
                "file": path_text(&question.file),
                "name": question.name,
                "passed": error.is_none(),
                "message": error.map(|error| with_causes(error)),
            });
            write_line(&mut out, &row)?;
        }
    } else {
        write_errors(&mut out, &results)?;
    }
    out.flush()?;
    note_missing_pages(&results);
    let (_, failures, invalid, _) = totals(results.iter());
    let passed = results.len() - failures - invalid;
    notice!("{passed} passed, {failures} failed");
    if invalid > 0 {
        message!("error: {invalid} invalid");
        return Ok(ExitCode::from(2));
    }
    if results.is_empty() {
        message!("error: no question in the inputs: expected site.toml, .toml or .jsonl files");
        return Ok(ExitCode::from(2));
    }
    Ok(ExitCode::from(u8::from(failures > 0)))
}

/// Writes the questions that failed or are invalid, those of equal errors together.
fn write_errors(out: &mut impl Write, results: &[QuestionResult]) -> Result<()> {
    let errors = results.iter().filter_map(|question| {
        let error = with_causes(question.result.as_ref().err()?);
        Some(((question.file.as_path(), error), question))
    });
    let shown = grouped(errors)
        .into_iter()
        .map(|((file, error), questions)| {
            let file = path_text(file);
            let titles = questions.into_iter().map(move |question| {
                let word = if question.is_invalid() {
                    "INVALID"
                } else {
                    "FAILED"
                };
                format!("{word} {file}: {}", question.name)
            });
            (titles.collect(), error)
        });
    write_joined(out, shown)
}

/// Writes lines with the text that is about all of them, which is indented.
fn write_joined(
    out: &mut impl Write,
    shown: impl Iterator<Item = (Vec<String>, String)>,
) -> Result<()> {
    for (titles, text) in shown {
        for title in titles {
            writeln!(out, "{}", printable(&title))?;
        }
        for line in text.lines() {
            writeln!(out, "    {}", printable(line))?;
        }
    }
    Ok(())
}

/// Notes the paths of questions about sites that have no page there: they may be misspelt.
fn note_missing_pages(results: &[QuestionResult]) {
    let missing = results.iter().filter_map(|question| {
        let path = question.missing_page.as_ref()?;
        Some((&question.file, path))
    });
    // Several questions may ask about one path.
    let missing: BTreeSet<(&PathBuf, &String)> = missing.collect();
    for (file, paths) in grouped(missing.into_iter()) {
        notice!(
            "note: {}: the site has no page for {} of its questions, so the URL counts as not fetched: {}",
            path_text(file),
            counted(paths.len() as u64, "path"),
            cut_list(paths).join(", ")
        );
    }
}

/// Records the decisions about the sites.
fn accept(args: &Args) -> Result<ExitCode> {
    let (mut sites, mut failed) = (0_u64, 0_u64);
    let mut out = answer_output::stdout();
    for path in &args.paths {
        for file in robots_cases::files(path)? {
            match accept_file(&file) {
                Ok(Some((folder, recorded))) => {
                    write_changes(&mut out, &folder, &recorded)?;
                    sites += 1;
                }
                Ok(None) => {}
                Err(error) => {
                    // The other sites are still recorded. Most errors name their file.
                    let error = match error.file() {
                        Some(_) => with_causes(&error),
                        None => format!("{}: {}", path_text(&file), with_causes(&error)),
                    };
                    message!("error: {error}");
                    failed += 1;
                }
            }
        }
    }
    if failed > 0 {
        return Ok(ExitCode::from(2));
    }
    if sites == 0 {
        message!("error: no site.toml in the inputs; only decisions about sites can be recorded");
        return Ok(ExitCode::from(2));
    }
    Ok(ExitCode::SUCCESS)
}

/// Records the decisions about the site of a `site.toml`. Returns its folder with the result; `None` for any other file.
fn accept_file(file: &Path) -> Result<Option<(String, Recorded)>, CaseError> {
    if !Site::is_file(file)? {
        return Ok(None);
    }
    let site = Site::open(file.parent().unwrap_or(Path::new(".")))?;
    Ok(Some((path_text(&site.folder), recorded::record(&site)?)))
}

/// Writes the changes of recorded decisions: a line for each, and below those of equal changes, the fields that differ. Then reports
/// their number.
fn write_changes(out: &mut impl Write, folder: &str, recorded: &Recorded) -> Result<()> {
    if let Some(error) = &recorded.invalid {
        notice!("warning: {}; it was replaced", with_causes(error));
    }
    let changes = recorded.changes.iter().map(|change| {
        let (word, lines) = match &change.kind {
            ChangeKind::Added => ("ADDED", String::new()),
            ChangeKind::Removed => ("REMOVED", String::new()),
            ChangeKind::Changed(lines) => ("CHANGED", lines.join("\n")),
            // `ChangeKind` is non-exhaustive.
            _ => ("CHANGED", String::new()),
        };
        (lines, format!("{word} {folder}: {}", change.name))
    });
    let changes = grouped(changes).into_iter();
    write_joined(out, changes.map(|(lines, titles)| (titles, lines)))?;
    notice!(
        "{folder}: {} recorded, {} changed",
        counted(recorded.decisions as u64, "decision"),
        recorded.changes.len()
    );
    Ok(())
}

/// Writes the results as JUnit XML, with a suite for each file.
fn write_junit(path: &Path, results: &[QuestionResult]) -> Result<()> {
    let mut suites: BTreeMap<&Path, Vec<&QuestionResult>> = BTreeMap::new();
    for question in results {
        suites.entry(&question.file).or_default().push(question);
    }
    let (tests, failures, errors, time) = totals(results.iter());
    let mut xml: Vec<u8> = Vec::new();
    writeln!(xml, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>")?;
    writeln!(
        xml,
        "<testsuites name=\"robots test\" tests=\"{tests}\" failures=\"{failures}\" errors=\"{errors}\" time=\"{time}\">"
    )?;
    for (file, questions) in suites {
        let file = attribute(&path_text(file));
        let (tests, failures, errors, time) = totals(questions.iter().copied());
        writeln!(
            xml,
            "    <testsuite name=\"{file}\" tests=\"{tests}\" disabled=\"0\" errors=\"{errors}\" failures=\"{failures}\" time=\"{time}\">"
        )?;
        for question in questions {
            let (name, time) = (attribute(&question.name), seconds(question.time));
            writeln!(
                xml,
                "        <testcase name=\"{name}\" classname=\"{file}\" time=\"{time}\">"
            )?;
            if let Err(error) = &question.result {
                let (tag, kind) = if question.is_invalid() {
                    ("error", "invalid")
                } else {
                    ("failure", "mismatch")
                };
                let error = with_causes(error);
                let first = error.lines().next().unwrap_or_default();
                let message = attribute(&shortened(first, MAX_MESSAGE));
                let lines: Vec<_> = error.lines().map(attribute).collect();
                let lines = lines.join("\n");
                writeln!(
                    xml,
                    "            <{tag} message=\"{message}\" type=\"{kind}\">{lines}</{tag}>"
                )?;
            }
            writeln!(xml, "        </testcase>")?;
        }
        writeln!(xml, "    </testsuite>")?;
    }
    writeln!(xml, "</testsuites>")?;
    NewFile::write(path, &xml).with_context(|| format!("cannot write {}", path_text(path)))
}

/// Returns the numbers of questions, failures and errors, and the time in seconds.
fn totals<'q>(
    questions: impl Iterator<Item = &'q QuestionResult> + Clone,
) -> (usize, usize, usize, String) {
    let errors = questions.clone().filter(|one| one.is_invalid()).count();
    let failed = questions.clone().filter(|one| one.result.is_err()).count();
    let time = questions.clone().map(|one| one.time).sum();
    (questions.count(), failed - errors, errors, seconds(time))
}

fn seconds(time: Duration) -> String {
    format!("{:.3}", time.as_secs_f64())
}

/// Returns a text as the value of an XML attribute in quotes. XML does not allow every character: unprintable ones are escaped for
/// people. White space other than a space is written as references, as readers of XML replace the characters by spaces.
fn attribute(text: &str) -> String {
    let mut value = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => value.push_str("&amp;"),
            '<' => value.push_str("&lt;"),
            '>' => value.push_str("&gt;"),
            '\'' => value.push_str("&apos;"),
            '"' => value.push_str("&quot;"),
            '\t' => value.push_str("&#9;"),
            '\n' => value.push_str("&#10;"),
            '\r' => value.push_str("&#13;"),
            c if is_unprintable(c) => value.extend(c.escape_default()),
            c => value.push(c),
        }
    }
    value
}
