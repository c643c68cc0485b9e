//! The number of findings of each kind.

use super::linted::LintedInput;
use super::{FindingWriter, Totals};
use crate::statistics::share::fraction;
use crate::table::{self, Column};
use crate::terminal::counted;
use anyhow::Result;
use robots_lint::FindingKind;
use std::collections::BTreeMap;
use std::io::Write;

pub(super) struct Statistics<'o> {
    out: &'o mut dyn Write,
    counts: BTreeMap<FindingKind, KindCount>,
}

#[derive(Default)]
struct KindCount {
    findings: u64,
    files: u64,
}

impl<'o> Statistics<'o> {
    pub(super) fn new(out: &'o mut dyn Write) -> Self {
        let counts = BTreeMap::new();
        Self { out, counts }
    }
}

impl FindingWriter for Statistics<'_> {
    fn add(&mut self, input: &LintedInput) -> Result<()> {
        for (kind, times) in input.linted.counts() {
            let count = self.counts.entry(*kind).or_default();
            count.files += 1;
            count.findings += *times as u64;
        }
        Ok(())
    }

    fn end(&mut self, totals: &Totals) -> Result<()> {
        let columns = [
            Column::Text("code"),
            Column::Number("findings"),
            Column::Number("files"),
            Column::Number("share"),
            Column::Text("severity"),
            Column::Text("name"),
        ];
        let rows = self.counts.iter().map(|(kind, count)| {
            vec![
                kind.code().to_owned(),
                count.findings.to_string(),
                count.files.to_string(),
                format!("{:.1}%", fraction(count.files, totals.files) * 100.0),
                kind.severity().name().to_owned(),
                kind.name().to_owned(),
            ]
        });
        table::write(self.out, &columns, rows)?;
        let files = counted(totals.files, "file");
        writeln!(
            self.out,
            "{} of {files} with findings",
            totals.files_with_findings
        )?;
        if totals.ignored > 0 {
            writeln!(self.out, "{} ignored by comments", totals.ignored)?;
        }
        Ok(())
    }
}
