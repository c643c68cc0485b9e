//! Mends files, or shows how they would be mended.

use super::Report;
use super::found::Linted;
use crate::terminal::printable;
use crate::text_diff::difference;
use anyhow::{Context, Result, bail};
use robots_txt::fixed;
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
    fn add(&mut self, linted: &Linted) -> Result<()> {
        let Some((body, fixes, is_plain)) = linted.to_mend() else {
            return Ok(());
        };
        let name = linted.name();
        let mended = fixed(body, fixes.iter().copied());
        if self.writes && &*linted.file == "-" {
            self.out.write_all(&mended)?;
        } else if mended == body {
            return Ok(());
        } else if self.writes {
            if !is_plain {
                bail!("{name} is in an archive, or compressed: it cannot be mended there");
            }
            replace(Path::new(&*linted.file), &mended)?;
        } else {
            let diff = difference([name, name], [body, &mended]);
            write!(self.out, "{diff}")?;
        }
        let (mended, name) = (fixes.len() as u64, printable(name));
        let left = linted.findings().saturating_sub(mended);
        let done = if self.writes {
            "mended"
        } else {
            "can be mended"
        };
        anstream::eprintln!("{name}: {mended} {done}, {left} need a person");
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
