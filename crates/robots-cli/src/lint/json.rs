//! Findings as JSON Lines.

use super::FindingWriter;
use super::linted::LintedInput;
use anyhow::Result;
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
    fn add(&mut self, input: &LintedInput) -> Result<()> {
        for found in input.linted.findings() {
            let row = input
                .linted
                .answer(&input.file.text, input.url.as_deref(), &found);
            write_line(&mut self.out, &row)?;
        }
        Ok(())
    }
}
