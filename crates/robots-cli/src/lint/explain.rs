//! `robots lint --explain`: the explanation of a kind of finding.

use crate::args::ExplanationFormat;
use crate::markdown::rendered;
use crate::table::{self, Column};
use crate::terminal::{has_styles, text_width};
use anyhow::Result;
use robots_lint::FindingKind;
use robots_pipeline::json::write_pretty;
use serde::Serialize;
use std::io::Write;
use std::process::ExitCode;

pub(crate) fn run(kind: Option<FindingKind>, format: ExplanationFormat) -> Result<ExitCode> {
    let mut out = anstream::stdout().lock();
    match (format, kind) {
        (ExplanationFormat::Text, Some(kind)) => {
            let text = rendered(&kind.explanation(), text_width(), has_styles());
            write!(out, "{text}")?;
        }
        (ExplanationFormat::Text, None) => list(&mut out)?,
        (ExplanationFormat::Markdown, Some(kind)) => write!(out, "{}", kind.explanation())?,
        (ExplanationFormat::Markdown, None) => {
            for kind in FindingKind::ALL {
                writeln!(out, "{}\n", kind.explanation().trim_end())?;
            }
        }
        (ExplanationFormat::Json, Some(kind)) => write_pretty(&mut out, &Entry::new(kind))?,
        (ExplanationFormat::Json, None) => {
            let all: Vec<Entry> = FindingKind::ALL.iter().copied().map(Entry::new).collect();
            write_pretty(&mut out, &all)?;
        }
    }
    out.flush()?;
    Ok(ExitCode::SUCCESS)
}

/// Writes a line for each kind.
fn list(out: &mut impl Write) -> Result<()> {
    let columns = [
        Column::Text("code"),
        Column::Text("severity"),
        Column::Text("name"),
        Column::Prose("problem"),
    ];
    let rows = FindingKind::ALL.iter().map(|kind| {
        vec![
            kind.code().to_owned(),
            kind.severity().name().to_owned(),
            kind.name().to_owned(),
            kind.to_string(),
        ]
    });
    table::write(out, &columns, rows)?;
    Ok(())
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
