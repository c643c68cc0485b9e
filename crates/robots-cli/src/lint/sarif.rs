//! Findings as a SARIF log.

use super::FindingWriter;
use super::linted::LintedInput;
use anyhow::Result;
use robots_lint::report::sarif::{SarifLog, file_uri};
use std::io::Write;

// `self.add` and `self.end` call the log's own methods of these names: Rust prefers them to those of the trait.
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

    fn end(&mut self) -> Result<()> {
        self.end()?;
        Ok(())
    }
}
