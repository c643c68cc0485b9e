//! Findings as a SARIF log.

use super::FindingWriter;
use super::linted::LintedInput;
use anyhow::Result;
use robots_lint::report::sarif::{SarifLog, file_uri};
use std::io::Write;

// `self.add` and `self.end` call the log's own methods of these names: Rust prefers them to those of the trait.
impl<W: Write> FindingWriter for SarifLog<W> {
    fn add(&mut self, linted: &LintedInput) -> Result<()> {
        let uri = match &linted.url {
            Some(url) => url.clone(),
            None if &*linted.file == "-" => "stdin".to_owned(),
            None => file_uri(&linted.file),
        };
        for found in linted.findings() {
            self.add(&uri, &found, linted.count_of(found.kind))?;
        }
        Ok(())
    }

    fn end(&mut self) -> Result<()> {
        self.end()?;
        Ok(())
    }
}
