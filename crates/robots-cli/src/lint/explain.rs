//! `robots explain`: what a code means, at length: the sections of docs/lints.md.

use super::kind::Kind;
use crate::args::Explain;
use anyhow::Result;
use serde_json::{Value, json};
use std::io::Write;
use std::process::ExitCode;

/// The text that has a section for each kind; a test holds it to what the linter finds.
pub(crate) const TEXT: &str = include_str!("../../../../docs/lints.md");

pub(crate) fn run(args: &Explain) -> Result<ExitCode> {
    let mut out = anstream::stdout().lock();
    match args.kind {
        Some(kind) if args.json => writeln!(out, "{:#}", object(kind))?,
        Some(kind) => write!(out, "{}", section(kind))?,
        None if args.json => {
            let all: Vec<Value> = Kind::all().map(object).collect();
            writeln!(out, "{:#}", Value::from(all))?;
        }
        None => {
            for kind in Kind::all() {
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

fn object(kind: Kind) -> Value {
    json!({
        "code": kind.code(),
        "name": kind.name(),
        "severity": kind.severity().name(),
        "message": kind.to_string(),
        "help": kind.help(),
        "standard": kind.standard(),
        "text": section(kind),
    })
}

/// The section of a kind, with its heading.
fn section(kind: Kind) -> &'static str {
    let heading = format!("## {} ", kind.code());
    let Some(start) = TEXT.find(&heading) else {
        return "";
    };
    let section = TEXT.get(start..).unwrap_or_default();
    let end = section.get(3..).and_then(|rest| rest.find("\n## "));
    match end {
        Some(end) => section.get(..end.saturating_add(4)).unwrap_or(section),
        None => section,
    }
}
