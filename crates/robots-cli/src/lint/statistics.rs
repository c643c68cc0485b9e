//! The number of findings of each kind.

use super::FindingWriter;
use super::linted::LintedInput;
use crate::table::{self, Column};
use crate::terminal::counted;
use anyhow::Result;
use robots_lint::FindingKind;
use std::collections::BTreeMap;
use std::io::Write;

pub(super) struct Statistics<'o> {
    out: &'o mut dyn Write,
    files: u64,
    files_with_findings: u64,
    ignored: u64,
    counts: BTreeMap<FindingKind, KindCount>,
}

#[derive(Default)]
struct KindCount {
    findings: u64,
    files: u64,
}

impl<'o> Statistics<'o> {
    pub(super) fn new(out: &'o mut dyn Write) -> Self {
        Self {
            out,
            files: 0,
            files_with_findings: 0,
            ignored: 0,
            counts: BTreeMap::new(),
        }
    }
}

impl FindingWriter for Statistics<'_> {
    fn add(&mut self, input: &LintedInput) -> Result<()> {
        self.files = self.files.saturating_add(1);
        let has_findings = u64::from(!input.linted.counts().is_empty());
        self.files_with_findings = self.files_with_findings.saturating_add(has_findings);
        self.ignored = self.ignored.saturating_add(input.linted.ignored());
        for (kind, times) in input.linted.counts() {
            let count = self.counts.entry(*kind).or_default();
            count.files = count.files.saturating_add(1);
            count.findings = count.findings.saturating_add(*times as u64);
        }
        Ok(())
    }

    fn end(&mut self) -> Result<()> {
        let Self {
            out,
            files,
            files_with_findings,
            ignored,
            counts,
        } = self;
        let columns = [
            Column::Text("code"),
            Column::Number("findings"),
            Column::Number("files"),
            Column::Number("share"),
            Column::Text("severity"),
            Column::Text("name"),
        ];
        let rows = counts.iter().map(|(kind, count)| {
            vec![
                kind.code().to_owned(),
                count.findings.to_string(),
                count.files.to_string(),
                format!("{}%", percent(count.files, *files)),
                kind.severity().name().to_owned(),
                kind.name().to_owned(),
            ]
        });
        table::write(out, &columns, rows)?;
        writeln!(
            out,
            "{files_with_findings} of {} with findings",
            counted(*files, "file")
        )?;
        if *ignored > 0 {
            writeln!(out, "{ignored} ignored by comments")?;
        }
        Ok(())
    }
}

/// Returns a share in percent, with one decimal.
fn percent(part: u64, whole: u64) -> String {
    let tenths = part
        .saturating_mul(1000)
        .saturating_add(whole / 2)
        .checked_div(whole)
        .unwrap_or_default();
    format!("{}.{}", tenths / 10, tenths % 10)
}
