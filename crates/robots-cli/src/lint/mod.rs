//! `robots lint`: what is odd in robots.txt files and in pages, and how it is mended.
//!
//! Inputs come one after the other ([`input`]) and are linted by all processors: robots.txt files by the library,
//! pages and their headers by [`page`]. What is found in each ([`found`]) is
//! shown ([`show`]), written as JSON ([`json`]) or SARIF ([`sarif`]), counted ([`statistics`]), or
//! mended ([`mend`]), in the order of the inputs. [`explain`] says what a code ([`kind`]) means.

pub(crate) mod explain;
mod found;
mod input;
mod json;
pub(crate) mod kind;
mod mend;
mod page;
mod sarif;
mod show;
mod statistics;

use crate::args::Lint as Args;
use crate::in_order;
use crate::progress::Progress;
use anyhow::Result;
use found::Linted;
use input::Input;
use kind::Kind;
use robots_txt::Linter;
use std::io::Write;
use std::ops::ControlFlow;
use std::process::ExitCode;

/// How many bytes are linted at once, about.
const BATCH_BYTES: usize = 256 * 1024;

/// Where findings go.
trait Report {
    /// Takes what was found in a file, which may be nothing.
    fn add(&mut self, linted: &Linted) -> Result<()>;

    /// Ends the report.
    fn end(&mut self) -> Result<()> {
        Ok(())
    }
}

/// How many files were read, and what was found in them.
#[derive(Default)]
struct Count {
    files: u64,
    odd_files: u64,
    findings: u64,
    /// Inputs that could not be read to their end.
    failed: u64,
}

/// Which findings are asked for.
#[derive(Debug, Clone)]
pub(crate) struct Asked {
    pub(crate) only: Vec<Kind>,
    pub(crate) ignored: Vec<Kind>,
    pub(crate) level: robots_txt::Severity,
}

impl Asked {
    fn has(&self, kind: Kind) -> bool {
        let is_only = if self.only.is_empty() {
            kind.severity() >= self.level
        } else {
            self.only.contains(&kind)
        };
        is_only && !self.ignored.contains(&kind)
    }
}

pub(crate) fn run(args: &Args) -> Result<ExitCode> {
    let mut out = anstream::stdout().lock();
    let mut report: Box<dyn Report + '_> = if args.json {
        Box::new(json::Json::new(&mut out))
    } else if args.sarif {
        Box::new(sarif::Sarif::new(&mut out))
    } else if args.statistics {
        Box::new(statistics::Statistics::new(&mut out))
    } else if args.fix || args.diff {
        Box::new(mend::Mend::new(&mut out, args.fix))
    } else {
        Box::new(show::Show::new(&mut out))
    };
    let count = lint(args, report.as_mut())?;
    report.end()?;
    drop(report);
    out.flush()?;
    let Count {
        files,
        odd_files,
        findings,
        failed,
    } = count;
    let what = if args.meta { "page" } else { "robots.txt" };
    if files == 0 && failed == 0 {
        anstream::eprintln!("error: there is no {what} in this");
        return Ok(ExitCode::from(2));
    }
    if !args.statistics {
        let files_name = match (args.meta, files) {
            (true, 1) => "page",
            (true, _) => "pages",
            (false, 1) => "file",
            (false, _) => "files",
        };
        anstream::eprintln!(
            "{findings} {} in {odd_files} of {files} {files_name}",
            if findings == 1 { "finding" } else { "findings" },
        );
    }
    if failed > 0 {
        return Ok(ExitCode::from(2));
    }
    Ok(ExitCode::from(u8::from(findings > 0)))
}

/// Lints all inputs, and hands what is found to the report.
fn lint(args: &Args, report: &mut dyn Report) -> Result<Count> {
    let trainers = args.known.table().trainers();
    let mut linter = Linter::new().with_trainers(trainers.map(|agent| &agent.token));
    if args.fix || args.diff {
        linter = linter.with_limit(usize::MAX);
    }
    let asked = args.asked();
    let progress = Progress::of_files(true);
    let page_linter = page::PageLinter::new(args, &progress)?;
    let mut count = Count::default();
    let mut told = Ok(());
    let failed = in_order::map(
        in_order::threads(None),
        |hand| read(args, &progress, hand),
        || {
            let (linter, page_linter, asked) = (&linter, &page_linter, &asked);
            move |batch: Vec<Input>| -> Vec<Linted> {
                let linted = batch.into_iter().map(|input| match input {
                    Input::Robots(file) => Linted::of_robots(file, linter, asked),
                    Input::Page(page) => page_linter.lint(page, asked),
                });
                linted.collect()
            }
        },
        |batch| {
            for linted in batch {
                progress.add(1);
                progress.show("linting");
                let findings = linted.findings();
                count.files = count.files.saturating_add(1);
                count.findings = count.findings.saturating_add(findings);
                count.odd_files = count.odd_files.saturating_add(u64::from(findings > 0));
                if let Err(error) = report.add(&linted) {
                    told = Err(error);
                    return ControlFlow::Break(());
                }
            }
            ControlFlow::Continue(())
        },
    );
    progress.finish();
    told?;
    count.failed = failed;
    Ok(count)
}

/// Hands over all inputs in batches; gives how many could not be read to their ends.
fn read(
    args: &Args,
    progress: &Progress,
    hand: &mut dyn FnMut(Vec<Input>) -> ControlFlow<()>,
) -> u64 {
    let mut failed = 0_u64;
    let (mut batch, mut bytes) = (Vec::new(), 0_usize);
    for path in &args.files {
        let mut is_over = false;
        let read = input::visit(path, args, progress, &mut |input| {
            bytes = bytes.saturating_add(input.len());
            batch.push(input);
            if bytes < BATCH_BYTES {
                return Ok(());
            }
            bytes = 0;
            if hand(std::mem::take(&mut batch)).is_break() {
                is_over = true;
                anyhow::bail!("nobody takes what is found");
            }
            Ok(())
        });
        if is_over {
            return failed;
        }
        if let Err(error) = read {
            // The other inputs are read all the same.
            progress.say(&format!("error: {error:#}"));
            failed = failed.saturating_add(1);
        }
    }
    if !batch.is_empty() {
        let _ = hand(batch);
    }
    failed
}
