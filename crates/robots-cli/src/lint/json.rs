//! Findings as JSON Lines.

use super::Report;
use super::found::{Found, Linted};
use anyhow::Result;
use serde::Serialize;
use std::io::Write;

pub(super) struct Json<'o> {
    out: &'o mut dyn Write,
}

impl<'o> Json<'o> {
    pub(super) fn new(out: &'o mut dyn Write) -> Self {
        Self { out }
    }
}

/// A finding; `robots lint --help` says what each key is.
#[derive(Serialize)]
struct Row<'a> {
    file: &'a str,
    url: Option<&'a str>,
    #[serde(rename = "header")]
    is_header: bool,
    line: usize,
    column: usize,
    offset: usize,
    length: usize,
    code: &'static str,
    name: &'static str,
    severity: &'static str,
    message: &'a str,
    help: &'static str,
    standard: &'static str,
    related_line: Option<usize>,
    fix: Option<Vec<JsonEdit>>,
}

#[derive(Serialize)]
struct JsonEdit {
    offset: usize,
    length: usize,
    text: String,
}

impl Report for Json<'_> {
    fn add(&mut self, linted: &Linted) -> Result<()> {
        for found in linted.found() {
            let Found { kind, place, .. } = &found;
            let row = Row {
                file: &linted.file,
                url: linted.url.as_deref(),
                is_header: place.is_header,
                line: place.line,
                column: place.column,
                offset: place.offset,
                length: place.length,
                code: kind.code(),
                name: kind.name(),
                severity: kind.severity().name(),
                message: &found.message,
                help: kind.help(),
                standard: kind.standard(),
                related_line: found.related.as_ref().map(|(place, _)| place.line),
                fix: found.fix.map(|fix| {
                    let edits = fix.edits().iter().map(|edit| JsonEdit {
                        offset: edit.span().start,
                        length: edit.span().len(),
                        text: String::from_utf8_lossy(edit.replacement()).into_owned(),
                    });
                    edits.collect()
                }),
            };
            serde_json::to_writer(&mut self.out, &row)?;
            writeln!(self.out)?;
        }
        Ok(())
    }
}
