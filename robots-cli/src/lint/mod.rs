//! `robots lint`: what is odd in robots.txt files, and how it is mended.
//!
//! Files come one after the other ([`robots_files`]); what is found in each is
//! shown ([`show`]), written as JSON ([`json`]) or SARIF ([`sarif`]), counted ([`statistics`]), or
//! mended ([`mend`]). [`explain`] says what a code means.

pub(crate) mod explain;
mod json;
mod mend;
mod sarif;
mod show;
mod statistics;

use crate::args::Lint as Args;
use crate::progress::Progress;
use crate::robots_files::{self, RobotsFile};
use anyhow::{Result, bail};
use robots_txt::{Diagnostic, DiagnosticKind, Linter, RobotsTxt};
use std::io::Write;
use std::process::ExitCode;

/// What was found in a file, and is to be told.
struct Findings<'a> {
    file: &'a RobotsFile<'a>,
    robots: &'a RobotsTxt,
    found: Vec<&'a Diagnostic>,
    /// How many there are of each kind, those beyond the limit too.
    counts: Vec<(DiagnosticKind, usize)>,
    /// How many more there are, beyond the limit for a kind.
    left_out: usize,
}

/// Where findings go.
trait Report {
    /// Takes what was found in a file, which may be nothing.
    fn add(&mut self, findings: &Findings<'_>) -> Result<()>;

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
    let count = read(args, report.as_mut())?;
    report.end()?;
    drop(report);
    out.flush()?;
    let Count {
        files,
        odd_files,
        findings,
        failed,
    } = count;
    if files == 0 && failed == 0 {
        anstream::eprintln!("error: there is no robots.txt in this");
        return Ok(ExitCode::from(2));
    }
    if !args.statistics {
        anstream::eprintln!(
            "{findings} {} in {odd_files} of {files} {}",
            if findings == 1 { "finding" } else { "findings" },
            if files == 1 { "file" } else { "files" }
        );
    }
    if failed > 0 {
        return Ok(ExitCode::from(2));
    }
    Ok(ExitCode::from(u8::from(findings > 0)))
}

/// Reads all files, and hands what is found to the report.
fn read(args: &Args, report: &mut dyn Report) -> Result<Count> {
    let trainers = args
        .known
        .table()
        .iter()
        .filter(|agent| agent.trains() && agent.crawls);
    let mut linter = Linter::new().with_trainers(trainers.map(|agent| &agent.token));
    if args.fix || args.diff {
        linter = linter.with_limit(usize::MAX);
    }
    let progress = Progress::of_files(true);
    let mut count = Count::default();
    for path in &args.files {
        let mut told = Ok(());
        let read = robots_files::visit(path, &progress, &mut |file| {
            progress.add(1);
            progress.show("reading");
            let robots = RobotsTxt::parse(file.body);
            let lint = linter.lint(&robots);
            let findings = Findings {
                file: &file,
                robots: &robots,
                found: lint
                    .iter()
                    .filter(|found| is_asked_for(args, found))
                    .collect(),
                counts: lint.counts().collect(),
                left_out: lint.left_out(),
            };
            count.files = count.files.saturating_add(1);
            let found = findings.found.len() as u64;
            count.findings = count.findings.saturating_add(found);
            count.odd_files = count.odd_files.saturating_add(u64::from(found > 0));
            told = report.add(&findings);
            if told.is_err() {
                bail!("nobody takes what is found");
            }
            Ok(())
        });
        told?;
        if let Err(error) = read {
            // The other inputs are read all the same.
            progress.say(&format!("error: {error:#}"));
            count.failed = count.failed.saturating_add(1);
        }
    }
    progress.finish();
    Ok(count)
}

fn is_asked_for(args: &Args, found: &Diagnostic) -> bool {
    let kind = found.kind();
    let is_only = if args.only.is_empty() {
        found.severity() >= args.level.severity()
    } else {
        args.only.contains(&kind)
    };
    is_only && !args.ignore.contains(&kind)
}
