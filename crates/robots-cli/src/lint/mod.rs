//! `robots lint`: findings in robots.txt files and in pages, and fixes.
//!
//! Inputs are read one after the other and linted by all processors. Each input with its findings
//! ([`linted`]) is shown ([`snippets`]), written in a format for programs ([`formats`]), counted ([`statistics`]) or fixed
//! ([`fix`]), in the order of the inputs. [`explain`] describes a kind of finding.

pub(crate) mod explain;
mod fix;
mod formats;
mod linted;
mod pages;
mod robots;
mod snippets;
mod statistics;

use crate::answer_output;
use crate::args::{ExplanationFormat, Lint as Args, ReportFormat};
use crate::observer::LostParts;
use crate::progress::Progress;
use crate::standard_input;
use crate::terminal::counted;
use anyhow::{Result, bail};
use fix::Fixes;
use formats::FindingLines;
use linted::LintedInput;
use pages::PageFile;
use robots::CapturedRobots;
use robots_answers::page::robots_metas;
use robots_lint::report::annotation::{Annotation, concise, github};
use robots_lint::report::gitlab::CodeQuality;
use robots_lint::report::sarif::SarifLog;
use robots_lint::robots_txt::is_misnamed;
use robots_lint::{FindingKind, PageLinter, RobotsTxtLinter};
use robots_meta::Timestamp;
use robots_pipeline::input::documents::documents;
use robots_pipeline::input::is_saved_page;
use robots_pipeline::input::robots_files::{RobotsFile, robots_files};
use robots_pipeline::json::write_line;
use robots_pipeline::ordered;
use std::io::Write;
use std::ops::ControlFlow;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;

/// The approximate number of bytes that a thread lints at once.
const BATCH_BYTES: usize = 256 * 1024;

/// The maximum number of findings of a kind in a file that are joined by their causes. Others are only counted.
const MAX_JOINED: usize = 10_000;

/// A destination of findings: text, JSON, SARIF, counts or fixed files.
trait FindingWriter {
    /// Adds an input with its findings, which may be none.
    fn add(&mut self, input: &LintedInput) -> Result<()>;

    /// Ends the report; `totals` are the numbers of all inputs.
    fn end(&mut self, _totals: &Totals) -> Result<()> {
        Ok(())
    }

    /// Returns the number of causes, where findings with one cause are shown as one.
    fn causes(&self) -> Option<u64> {
        None
    }
}

/// The numbers of inputs and findings.
#[derive(Default)]
struct Totals {
    files: u64,
    files_with_findings: u64,
    findings: u64,
    /// The number of findings that comments ignore.
    ignored: u64,
    /// The number of findings beyond the limit for a kind.
    left_out: u64,
    /// The number of inputs that could not be read to their end.
    failed: u64,
    /// The first file that was linted as a robots.txt and is an HTML page.
    page: Option<Arc<str>>,
}

pub(crate) fn run(args: &Args) -> Result<ExitCode> {
    if let Some(kind) = args.explain {
        let format = if args.json {
            ExplanationFormat::Json
        } else {
            ExplanationFormat::Text
        };
        return explain::run(kind, format);
    }
    let robots = args.robots.iter().map(|source| &source.path);
    standard_input::refuse_twice(args.files.iter().chain(robots))?;
    refuse_other_kinds(args)?;
    // The text of a file has bytes that are left out of texts for people.
    let mut out: Box<dyn Write> = if args.fix {
        Box::new(answer_output::raw_stdout())
    } else {
        Box::new(answer_output::stdout())
    };
    let mut report: Box<dyn FindingWriter + '_> = if args.statistics {
        Box::new(statistics::Statistics::new(&mut out))
    } else if args.fix || args.diff {
        Box::new(Fixes {
            out: &mut out,
            applies: args.fix,
            failed: 0,
        })
    } else {
        let lines = |out, write| Box::new(FindingLines { out, write });
        match args.format() {
            ReportFormat::Full => Box::new(snippets::Snippets {
                out: &mut out,
                causes: 0,
            }),
            ReportFormat::Concise => lines(&mut out, |out, input, found| {
                concise(out, &Annotation::of_finding(input.name(), found))
            }),
            ReportFormat::Github => lines(&mut out, |out, input, found| {
                github(out, &Annotation::of_finding(input.name(), found))
            }),
            ReportFormat::Gitlab => Box::new(CodeQuality::new(&mut out)),
            ReportFormat::Sarif if args.meta => Box::new(SarifLog::of_pages(&mut out)),
            ReportFormat::Sarif => Box::new(SarifLog::of_robots_txt(&mut out)),
            ReportFormat::Jsonl => lines(&mut out, |out, input, found| {
                let url = input.url.as_deref();
                Ok(write_line(
                    out,
                    &input.linted.answer(&input.file.text, url, found),
                )?)
            }),
        }
    };
    let totals = lint(args, report.as_mut())?;
    report.end(&totals)?;
    let findings = found(report.causes(), totals.findings);
    drop(report);
    out.flush()?;
    let lost = LostParts::of_process();
    lost.report();
    let what = if args.meta { "page" } else { "robots.txt" };
    let has_failed = totals.failed > 0 || lost.has_unread_paths();
    if totals.files == 0 && !has_failed {
        let hint = if args.meta {
            ""
        } else {
            "; --all-files reads files of every name in folders, and --meta lints pages"
        };
        message!("error: no {what} in the input{hint}");
        return Ok(ExitCode::from(2));
    }
    // The report of `--statistics` ends with its own count. Without files, the errors above explain why there are none.
    if !args.statistics && totals.files > 0 {
        let by_comments = match totals.ignored {
            0 => String::new(),
            ignored => format!(", {ignored} ignored by comments"),
        };
        notice!(
            "{findings} in {} of {}{by_comments}",
            totals.files_with_findings,
            counted(totals.files, if args.meta { "page" } else { "file" }),
        );
    }
    let has_no_counts = matches!(
        args.format(),
        ReportFormat::Concise | ReportFormat::Github | ReportFormat::Gitlab
    );
    if totals.left_out > 0 && has_no_counts {
        notice!(
            "note: {} more of the same kinds are not listed",
            totals.left_out
        );
    }
    if let Some(page) = totals.page {
        notice!("note: {page} is an HTML page, and was linted as a robots.txt: --meta lints pages");
    }
    if has_failed {
        return Ok(ExitCode::from(2));
    }
    Ok(ExitCode::from(u8::from(totals.findings > 0)))
}

/// Returns the number of findings: where those with one cause are one, that of causes and that of all their places.
fn found(causes: Option<u64>, findings: u64) -> String {
    match causes {
        Some(causes) if causes < findings => format!(
            "{} at {}",
            counted(causes, "finding"),
            counted(findings, "place")
        ),
        _ => counted(findings, "finding"),
    }
}

/// Returns an error if every kind of `--only` is about files that are not linted: nothing would be reported.
fn refuse_other_kinds(args: &Args) -> Result<()> {
    let mut kinds = args.only.iter().flat_map(|kinds| &kinds.0);
    let is_other = |kind: &FindingKind| kind.is_about_robots_txt() == args.meta;
    if !args.only.is_empty() && kinds.all(is_other) {
        let about = if args.meta {
            "robots.txt: drop --meta"
        } else {
            "pages: add --meta"
        };
        bail!("--only selects only kinds about {about}");
    }
    Ok(())
}

/// Lints all inputs, and passes the findings to the report.
fn lint(args: &Args, report: &mut dyn FindingWriter) -> Result<Totals> {
    let mut linter = RobotsTxtLinter::new().with_known_robots(args.known.table());
    let has_causes = args.format() == ReportFormat::Full && !args.statistics;
    if args.fix || args.diff {
        // A fix needs all findings, not only those that a report lists.
        linter = linter.with_limit(usize::MAX);
    } else if has_causes {
        linter = linter.with_limit(MAX_JOINED);
    }
    let selection = args.selection();
    let written_to_stdout = true;
    let progress = Progress::of_files(written_to_stdout);
    let robots = CapturedRobots::read(args, &progress)?;
    let page_linter = PageLinter::new(robots_metas()).with_robots(&robots);
    let started = Timestamp::from(std::time::SystemTime::now());
    let mut totals = Totals::default();
    let mut written = Ok(());
    let failed = ordered::map(
        ordered::threads(None),
        |send| read(args, &progress, send),
        || {
            let (linter, selection) = (&linter, &selection);
            move |batch: Vec<LintInput>| -> Vec<LintedInput> {
                let linted = batch.into_iter().map(|input| match input {
                    LintInput::Robots(file) => LintedInput::of_robots(file, linter, selection),
                    LintInput::Page(file) => {
                        let now = args.now.or(file.page.capture_time()).unwrap_or(started);
                        let page = page_linter.lint(file.page, now);
                        LintedInput::of_page(file.file, file.is_in_archive, page, selection)
                    }
                });
                linted.collect()
            }
        },
        |batch| {
            for input in batch {
                progress.add(1);
                progress.show("linting");
                let findings = input.linted.finding_count();
                if totals.page.is_none() && input.is_page_file() {
                    totals.page = Some(Arc::clone(&input.file.text));
                }
                totals.files += 1;
                totals.findings += findings;
                totals.ignored += input.linted.ignored();
                totals.left_out += input.linted.left_out();
                totals.files_with_findings += u64::from(findings > 0);
                if let Err(error) = report.add(&input) {
                    written = Err(error);
                    return ControlFlow::Break(());
                }
            }
            ControlFlow::Continue(())
        },
    );
    progress.finish();
    totals.failed = failed?;
    written?;
    Ok(totals)
}

/// Passes all inputs to `send` in batches. Returns the number of inputs that could not be read to their end.
fn read(
    args: &Args,
    progress: &Progress,
    send: &mut dyn FnMut(Vec<LintInput>) -> ControlFlow<()>,
) -> u64 {
    let mut failed = 0;
    let (mut batch, mut bytes) = (Vec::new(), 0);
    for path in &args.files {
        let inputs = match inputs(path, args, progress) {
            Ok(inputs) => inputs,
            Err(error) => Box::new(std::iter::once(Err(error))),
        };
        for input in inputs {
            match input {
                Ok(input) => {
                    bytes += input.len();
                    batch.push(input);
                }
                Err(error) => {
                    // The other inputs are still read.
                    progress.say(&format!("error: {error:#}"));
                    failed += 1;
                }
            }
            if bytes >= BATCH_BYTES {
                bytes = 0;
                if send(std::mem::take(&mut batch)).is_break() {
                    return failed;
                }
            }
        }
    }
    if !batch.is_empty() {
        let _ = send(batch);
    }
    failed
}

/// A robots.txt or a page.
enum LintInput {
    Robots(RobotsFile),
    Page(PageFile),
}

impl LintInput {
    /// Returns the length in bytes.
    fn len(&self) -> usize {
        match self {
            Self::Robots(file) => file.body.len(),
            Self::Page(file) => file.page.html().len(),
        }
    }
}

/// Returns each input at a path, in order, and warns about files in folders that cannot be read.
fn inputs<'a>(
    path: &'a Path,
    args: &'a Args,
    progress: &'a Progress,
) -> Result<Box<dyn Iterator<Item = Result<LintInput>> + 'a>> {
    if !args.meta {
        let named = args.folder_files.select();
        let select = move |path: &Path| named.contain(path) || is_misnamed(&path.to_string_lossy());
        let files = robots_files(path, select, progress)?;
        return Ok(Box::new(files.map(|file| Ok(LintInput::Robots(file?)))));
    }
    let documents = documents(path, is_saved_page, progress)?;
    Ok(Box::new(documents.filter_map(move |document| {
        let page = document
            .map_err(Into::into)
            .and_then(|document| pages::of_document(document, path, args.base.as_ref(), progress));
        Some(page.transpose()?.map(LintInput::Page))
    })))
}
