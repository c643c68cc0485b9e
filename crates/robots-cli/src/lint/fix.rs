//! Fixes files, or shows what a fix would change.

use super::linted::LintedInput;
use super::{FindingWriter, Totals};
use crate::terminal::counted;
use crate::text_diff::difference;
use anyhow::{Context, Result, anyhow, bail};
use robots_lint::{Finding, Fix, FixedBody, apply_fixes};
use robots_pipeline::new_file::NewFile;
use robots_txt::limits::MAX_BODY;
use std::io::Write;

/// A writer that fixes files, or shows what a fix would change.
pub(super) struct Fixes<'o> {
    pub(super) out: &'o mut dyn Write,
    /// Whether files are rewritten, and the text of standard input is written to standard output; otherwise the differences are
    /// shown.
    pub(super) applies: bool,
    /// The number of files that could not be fixed.
    pub(super) failed: u64,
}

impl FindingWriter for Fixes<'_> {
    fn add(&mut self, input: &LintedInput) -> Result<()> {
        let Some(body) = input.robots_body() else {
            return Ok(());
        };
        let name = input.name();
        if self.applies && body.len() > MAX_BODY {
            message!("error: cannot fix {name}: it has more than 16 MiB, and only these are read");
            self.failed += 1;
            return Ok(());
        }
        let fixes: Vec<&Fix> = input
            .linted
            .in_robots_txt()
            .filter_map(Finding::fix)
            .collect();
        let FixedBody {
            body: new_body,
            applied,
            ..
        } = apply_fixes(body, fixes.iter().copied());
        let applies = self.applies;
        if applies && input.file.is_stdin() {
            // The output is the whole text, even if it is unchanged.
            self.out.write_all(&new_body)?;
        } else if new_body == body {
            return Ok(());
        } else if applies {
            let fixed = if input.is_rewritable {
                NewFile::write(&input.file.path, &new_body)
                    .with_context(|| format!("cannot write {name}"))
            } else {
                let reason = "it is compressed or in an archive; extract it first";
                Err(anyhow!("cannot fix {name}: {reason}"))
            };
            if let Err(error) = fixed {
                // The others are still fixed.
                message!("error: {error:#}");
                self.failed += 1;
                return Ok(());
            }
        } else {
            let diff = difference([name, name], [body, &new_body]);
            write!(self.out, "{diff}")?;
        }
        let left = input
            .linted
            .finding_count()
            .saturating_sub(fixes.len() as u64);
        let done = if applies { "fixed" } else { "can be fixed" };
        match fixes.len().saturating_sub(applied) {
            0 => notice!("{name}: {applied} {done}, {left} without a fix"),
            overlapping => notice!(
                "{name}: {applied} {done}, {overlapping} overlap with these (run --fix again), \
                 {left} without a fix"
            ),
        }
        Ok(())
    }

    fn end(&mut self, _totals: &Totals) -> Result<()> {
        if self.failed > 0 {
            bail!("not fixed: {}", counted(self.failed, "file"));
        }
        Ok(())
    }
}
