//! `robots test`: runs test cases that a team writes without Rust.

use crate::args::Test as Args;
use crate::terminal::{counted, printable};
use anyhow::{Context, Result};
use quick_junit::{NonSuccessKind, Report, TestCase, TestCaseStatus, TestSuite};
use robots_cases::site::Site;
use robots_cases::{CaseError, QuestionResult, recorded};
use robots_pipeline::json::write_line;
use robots_pipeline::new_file::NewFile;
use robots_pipeline::text::with_causes;
use serde::Serialize;
use std::collections::BTreeMap;
use std::io::Write;
use std::path::Path;
use std::process::ExitCode;

/// The result of a question, as a JSON object.
#[derive(Debug, Serialize)]
struct ResultJson<'a> {
    file: String,
    name: &'a str,
    passed: bool,
    message: Option<String>,
}

pub(crate) fn run(args: &Args) -> Result<ExitCode> {
    if args.accept {
        return accept(args);
    }
    let mut results = Vec::new();
    for path in &args.paths {
        results.extend(robots_cases::check_all(path)?);
    }
    if let Some(path) = &args.junit {
        write_junit(path, &results)?;
    }
    let mut out = anstream::stdout().lock();
    let (mut failures, mut invalid) = (0_u64, 0_u64);
    for question in &results {
        let is_invalid = is_invalid(question);
        let error = question
            .result
            .as_ref()
            .err()
            .map(|error| with_causes(error));
        let count = if is_invalid {
            &mut invalid
        } else {
            &mut failures
        };
        *count = count.saturating_add(u64::from(error.is_some()));
        if args.json {
            let row = ResultJson {
                file: question.file.display().to_string(),
                name: &question.name,
                passed: error.is_none(),
                message: error,
            };
            write_line(&mut out, &row)?;
        } else if let Some(error) = error {
            let file = question.file.display().to_string();
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
    let passed = (results.len() as u64).saturating_sub(failures.saturating_add(invalid));
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

/// Returns whether a question is invalid, rather than answered in an unexpected way.
fn is_invalid(question: &QuestionResult) -> bool {
    let error = question.result.as_ref().err();
    error.is_some_and(|error| error.kind().is_invalid_case())
}

/// Records the decisions about the sites.
fn accept(args: &Args) -> Result<ExitCode> {
    let (mut sites, mut failed) = (0_u64, 0_u64);
    for path in &args.paths {
        for file in robots_cases::files(path)? {
            match accept_file(&file) {
                Ok(true) => sites = sites.saturating_add(1),
                Ok(false) => {}
                Err(error) => {
                    // The other sites are still recorded.
                    message!("error: {}: {}", file.display(), with_causes(&error));
                    failed = failed.saturating_add(1);
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

/// Records the decisions about the site of a `site.toml`. Returns false for any other file.
fn accept_file(file: &Path) -> Result<bool, CaseError> {
    if !Site::is_file(file)? {
        return Ok(false);
    }
    let site = Site::open(file.parent().unwrap_or(Path::new(".")))?;
    let decisions = recorded::record(&site)?;
    let folder = site.folder.display().to_string();
    notice!(
        "{folder}: {} recorded",
        counted(decisions as u64, "decision")
    );
    Ok(true)
}

/// Returns a text for XML, which does not allow every character: unprintable ones are escaped, and lines are kept.
fn xml_text(text: &str) -> String {
    let lines: Vec<_> = text.split('\n').map(printable).collect();
    lines.join("\n")
}

/// Writes the results as JUnit XML, with a suite for each file.
fn write_junit(path: &Path, results: &[QuestionResult]) -> Result<()> {
    let mut suites: BTreeMap<&Path, TestSuite> = BTreeMap::new();
    for question in results {
        let status = match &question.result {
            Ok(()) => TestCaseStatus::success(),
            Err(error) => {
                let kind = if is_invalid(question) {
                    NonSuccessKind::Error
                } else {
                    NonSuccessKind::Failure
                };
                let mut status = TestCaseStatus::non_success(kind);
                status.set_message(xml_text(&with_causes(error)));
                status
            }
        };
        let file = xml_text(&question.file.display().to_string());
        let mut case = TestCase::new(xml_text(&question.name), status);
        case.set_classname(file.as_str());
        case.set_time(question.time);
        let suite = suites
            .entry(&question.file)
            .or_insert_with(|| TestSuite::new(file));
        suite.set_time(suite.time.unwrap_or_default().saturating_add(question.time));
        suite.add_test_case(case);
    }
    let mut report = Report::new("robots test");
    report.set_time(results.iter().map(|question| question.time).sum());
    report.add_test_suites(suites.into_values());
    let about = || format!("cannot write {}", path.display());
    let mut file = NewFile::create(path).with_context(about)?;
    report.serialize(&mut file).with_context(about)?;
    file.finish().with_context(about)
}
