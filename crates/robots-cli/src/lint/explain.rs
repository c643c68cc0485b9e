//! `robots explain`: the explanation of a kind of finding.

use crate::args::Explain;
use anyhow::Result;
use robots_lint::FindingKind;
use robots_pipeline::json::write_pretty;
use serde::Serialize;
use std::io::Write;
use std::process::ExitCode;

pub(crate) fn run(args: &Explain) -> Result<ExitCode> {
    let mut out = anstream::stdout().lock();
    match args.kind {
        Some(kind) if args.json => {
            write_pretty(&mut out, &Entry::new(kind))?;
        }
        Some(kind) => write!(out, "{}", kind.explanation())?,
        None if args.json => {
            let all: Vec<Entry> = FindingKind::ALL.iter().copied().map(Entry::new).collect();
            write_pretty(&mut out, &all)?;
        }
        None => {
            for &kind in FindingKind::ALL {
                let severity = kind.severity().name();
                writeln!(
                    out,
                    "{}  {severity:<7}  {:<20} {kind}",
                    kind.code(),
                    kind.name()
                )?;
            }
        }
    }
    out.flush()?;
    Ok(ExitCode::SUCCESS)
}

/// A kind of finding as a JSON object.
#[derive(Serialize)]
struct Entry {
    code: &'static str,
    name: &'static str,
    severity: &'static str,
    message: String,
    help: &'static str,
    standard: String,
    text: String,
}

impl Entry {
    fn new(kind: FindingKind) -> Self {
        Self {
            code: kind.code(),
            name: kind.name(),
            severity: kind.severity().name(),
            message: kind.to_string(),
            help: kind.help(),
            standard: kind.standard(),
            text: kind.explanation(),
        }
    }
}
