//! How often each kind is found.

use super::Report;
use super::found::Linted;
use super::kind::Kind;
use anyhow::Result;
use std::collections::BTreeMap;
use std::io::Write;

pub(super) struct Statistics<'o> {
    out: &'o mut dyn Write,
    files: u64,
    odd_files: u64,
    counts: BTreeMap<Kind, Count>,
}

#[derive(Default)]
struct Count {
    findings: u64,
    files: u64,
}

impl<'o> Statistics<'o> {
    pub(super) fn new(out: &'o mut dyn Write) -> Self {
        Self {
            out,
            files: 0,
            odd_files: 0,
            counts: BTreeMap::new(),
        }
    }
}

impl Report for Statistics<'_> {
    fn add(&mut self, linted: &Linted) -> Result<()> {
        self.files = self.files.saturating_add(1);
        let is_odd = u64::from(!linted.counts.is_empty());
        self.odd_files = self.odd_files.saturating_add(is_odd);
        for (kind, times) in &linted.counts {
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
            odd_files,
            counts,
        } = self;
        writeln!(out, "code  findings    files  share  severity  name")?;
        for (kind, count) in counts {
            writeln!(
                out,
                "{}  {:>8} {:>8} {:>5}%  {:<8}  {}",
                kind.code(),
                count.findings,
                count.files,
                percent(count.files, *files),
                kind.severity().name(),
                kind.name(),
            )?;
        }
        writeln!(out, "{odd_files} of {files} files have findings")?;
        Ok(())
    }
}

/// A share in percent, with one decimal.
fn percent(part: u64, whole: u64) -> String {
    let tenths = part
        .saturating_mul(1000)
        .saturating_add(whole / 2)
        .checked_div(whole)
        .unwrap_or_default();
    format!("{}.{}", tenths / 10, tenths % 10)
}
