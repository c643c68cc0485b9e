//! Findings as JSON Lines.

use super::FindingWriter;
use super::linted::Linted;
use anyhow::Result;
use robots_lint::report::json::JsonFinding;
use std::io::Write;

pub(super) struct Json<'o> {
    out: &'o mut dyn Write,
}

impl<'o> Json<'o> {
    pub(super) fn new(out: &'o mut dyn Write) -> Self {
        Self { out }
    }
}

impl FindingWriter for Json<'_> {
    fn add(&mut self, linted: &Linted) -> Result<()> {
        for found in linted.annotations() {
            let row = JsonFinding::new(&linted.file, linted.url.as_deref(), &found);
            serde_json::to_writer(&mut self.out, &row)?;
            writeln!(self.out)?;
        }
        Ok(())
    }
}
