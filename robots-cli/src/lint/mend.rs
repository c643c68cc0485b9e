//! Mends files, or shows how they would be mended.

use super::{Findings, Report};
use crate::terminal::printable;
use crate::text_diff::difference;
use anyhow::{Context, Result, bail};
use robots_txt::{Diagnostic, fixed};
use std::io::Write;
use std::path::Path;

pub(super) struct Mend<'o> {
    out: &'o mut dyn Write,
    /// Whether files are written anew; else the difference is shown.
    writes: bool,
}

impl<'o> Mend<'o> {
    pub(super) fn new(out: &'o mut dyn Write, writes: bool) -> Self {
        Self { out, writes }
    }
}

impl Report for Mend<'_> {
    fn add(&mut self, findings: &Findings<'_>) -> Result<()> {
        let file = findings.file;
        let body = file.body;
        let fixes: Vec<_> = findings
            .found
            .iter()
            .filter_map(|found| Diagnostic::fix(found))
            .collect();
        let mended = fixed(body, fixes.iter().copied());
        if self.writes && file.file == "-" {
            self.out.write_all(&mended)?;
        } else if mended == body {
            return Ok(());
        } else if self.writes {
            if !file.is_plain {
                bail!(
                    "{} is in an archive, or compressed: it cannot be mended there",
                    file.name()
                );
            }
            replace(Path::new(file.file), &mended)?;
        } else {
            let diff = difference([file.name(), file.name()], [body, &mended]);
            write!(self.out, "{diff}")?;
        }
        let (name, left) = (printable(file.name()), findings.found.len());
        let left = left.saturating_sub(fixes.len());
        let done = if self.writes {
            "mended"
        } else {
            "can be mended"
        };
        anstream::eprintln!("{name}: {} {done}, {left} need a person", fixes.len());
        Ok(())
    }
}

/// Writes a file anew: whole, or not at all.
fn replace(path: &Path, bytes: &[u8]) -> Result<()> {
    let about = || format!("cannot write {}", path.display());
    // A link stays one.
    let path = path.canonicalize().with_context(about)?;
    let folder = path.parent().unwrap_or(Path::new("."));
    let mut file = tempfile::NamedTempFile::new_in(folder).with_context(about)?;
    file.write_all(bytes).with_context(about)?;
    let permissions = std::fs::metadata(&path).with_context(about)?.permissions();
    file.as_file()
        .set_permissions(permissions)
        .with_context(about)?;
    file.persist(&path).with_context(about)?;
    Ok(())
}
