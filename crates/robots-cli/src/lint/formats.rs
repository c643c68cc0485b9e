//! Findings as lines, as a Code Quality report and as a SARIF log.

use super::linted::LintedInput;
use super::{FindingWriter, Totals};
use anyhow::Result;
use robots_lint::LocatedFinding;
use robots_lint::report::annotation::Annotation;
use robots_lint::report::gitlab::CodeQuality;
use robots_lint::report::sarif::{SarifLog, file_uri};
use std::io::{self, Write};

/// A writer of findings as lines, each of which `write` writes.
pub(super) struct FindingLines<'o> {
    pub(super) out: &'o mut dyn Write,
    pub(super) write: fn(&mut dyn Write, &LintedInput, &LocatedFinding<'_>) -> io::Result<()>,
}

impl FindingWriter for FindingLines<'_> {
    fn add(&mut self, input: &LintedInput) -> Result<()> {
        for found in input.linted.findings() {
            (self.write)(self.out, input, &found)?;
        }
        Ok(())
    }
}

// In the implementations below, `self.add` and `self.end` call the report's own methods of these names: Rust prefers them to those
// of the trait.
impl<W: Write> FindingWriter for CodeQuality<W> {
    fn add(&mut self, input: &LintedInput) -> Result<()> {
        for found in input.linted.findings() {
            self.add(&Annotation::of_finding(input.name(), &found))?;
        }
        Ok(())
    }

    fn end(&mut self, _totals: &Totals) -> Result<()> {
        Ok(self.end()?)
    }
}

impl<W: Write> FindingWriter for SarifLog<W> {
    fn add(&mut self, input: &LintedInput) -> Result<()> {
        let uri = match input.archived_url() {
            Some(url) => url.to_owned(),
            None if input.file.is_stdin() => "stdin".to_owned(),
            None => file_uri(&input.file.path),
        };
        for (found, edits) in input.linted.findings_with_edits() {
            self.add(&uri, &found, &edits, input.linted.count_of(found.kind))?;
        }
        Ok(())
    }

    fn end(&mut self, _totals: &Totals) -> Result<()> {
        Ok(self.end()?)
    }
}
