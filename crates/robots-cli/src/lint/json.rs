//! Findings as JSON Lines.

use super::FindingWriter;
use super::linted::LintedInput;
use anyhow::Result;
use robots_lint::report::json::JsonFinding;
use robots_pipeline::json::write_line;
use std::io::Write;

/// A writer of findings as JSON objects, one a line.
pub(super) struct Json<'o> {
    out: &'o mut dyn Write,
}

impl<'o> Json<'o> {
    pub(super) fn new(out: &'o mut dyn Write) -> Self {
        Self { out }
    }
}

impl FindingWriter for Json<'_> {
    fn add(&mut self, linted: &LintedInput) -> Result<()> {
        for found in linted.findings() {
            let count = linted.count_of(found.kind);
            let row = JsonFinding::new(&linted.file.text, linted.url.as_deref(), &found, count);
            write_line(&mut self.out, &row)?;
        }
        Ok(())
    }
}
