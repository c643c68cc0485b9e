//! Findings as JSON Lines.

use super::{Findings, Report};
use anyhow::Result;
use robots_txt::{Diagnostic, RobotsTxt};
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
    line: usize,
    column: usize,
    offset: usize,
    length: usize,
    code: &'static str,
    name: &'static str,
    severity: &'static str,
    message: String,
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
    fn add(&mut self, findings: &Findings<'_>) -> Result<()> {
        for found in &findings.found {
            let kind = found.kind();
            let span = found.span();
            let row = Row {
                file: findings.file.file,
                url: findings.file.url,
                line: found.line(),
                column: column(findings.robots, found, span.start),
                offset: span.start,
                length: span.len(),
                code: kind.code(),
                name: kind.name(),
                severity: found.severity().name(),
                message: found.message(),
                help: kind.help(),
                standard: kind.standard(),
                related_line: found.related(),
                fix: found.fix().map(|fix| {
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

/// The column of an offset in the line of a finding: in characters, from 1.
pub(super) fn column(robots: &RobotsTxt, found: &Diagnostic, offset: usize) -> usize {
    let line = robots.line_text(found.line()).unwrap_or_default();
    let start = line
        .as_ptr()
        .addr()
        .saturating_sub(robots.body().as_ptr().addr());
    let before = robots.body().get(start..offset).unwrap_or_default();
    String::from_utf8_lossy(before)
        .chars()
        .count()
        .saturating_add(1)
}
