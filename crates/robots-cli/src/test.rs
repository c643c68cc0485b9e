//! `robots test`: runs test cases that a team writes without Rust.

use crate::answer_output;
use crate::args::Test as Args;
use crate::terminal::{counted, printable};
use anyhow::{Context, Result};
use robots_cases::recorded::{ChangeKind, Recorded};
use robots_cases::site::Site;
use robots_cases::{CaseError, QuestionResult, recorded};
use robots_pipeline::json::write_line;
use robots_pipeline::new_file::{NewFile, refuse_to_overwrite};
use robots_pipeline::text::{path_text, with_causes};
use robots_policy::text::is_unprintable;
use serde_json::json;
use std::collections::BTreeMap;
use std::io::Write;
use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;

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
    let (mut failures, mut invalid) = (0_u64, 0_u64);
    for question in &results {
        let is_invalid = question.is_invalid();
        let error = question.result.as_ref().err();
        let error = error.map(|error| with_causes(error));
        let count = if is_invalid {
            &mut invalid
        } else {
            &mut failures
        };
        *count += u64::from(error.is_some());
        if args.json {
            let row = json!({
                "file": path_text(&question.file),
                "name": question.name,
                "passed": error.is_none(),
                "message": error,
            });
            write_line(&mut out, &row)?;
        } else if let Some(error) = error {
            let file = path_text(&question.file);
            writeln!(
                out,
                "{} {}: {}",
                if is_invalid { "INVALID" } else { "FAILED" },
                printable(&file),
                printable(&question.name)
            )?;
            for line in error.lines() {
                writeln!(out, "    {}", printable(line))?;
            }
        }
    }
    out.flush()?;
    let passed = results.len() as u64 - failures - invalid;
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

/// Writes the changes of recorded decisions: a line for each, with the fields that differ below it. Then reports their number.
fn write_changes(out: &mut impl Write, folder: &str, recorded: &Recorded) -> Result<()> {
    if let Some(error) = &recorded.invalid {
        notice!("warning: {}; it was replaced", with_causes(error));
    }
    for change in &recorded.changes {
        let (word, lines) = match &change.kind {
            ChangeKind::Added => ("ADDED", &[][..]),
            ChangeKind::Removed => ("REMOVED", &[][..]),
            ChangeKind::Changed(lines) => ("CHANGED", &lines[..]),
            // `ChangeKind` is non-exhaustive.
            _ => ("CHANGED", &[][..]),
        };
        let (folder, name) = (printable(folder), printable(&change.name));
        writeln!(out, "{word} {folder}: {name}")?;
        for line in lines {
            writeln!(out, "    {}", printable(line))?;
        }
    }
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
                let tag = if question.is_invalid() {
                    "error"
                } else {
                    "failure"
                };
                let message = attribute(&with_causes(error));
                writeln!(xml, "            <{tag} message=\"{message}\"/>")?;
            }
            writeln!(xml, "        </testcase>")?;
        }
        writeln!(xml, "    </testsuite>")?;
    }
    writeln!(xml, "</testsuites>")?;
    let about = || format!("cannot write {}", path_text(path));
    let mut file = NewFile::create(path).with_context(about)?;
    file.write_all(&xml).with_context(about)?;
    file.finish().with_context(about)
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
