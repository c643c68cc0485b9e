//! Tables as CSV files (RFC 4180).

use crate::terminal::printable;
use anyhow::{Context, Result};
use csv::Writer;
use std::borrow::Cow;
use std::fs::{self, File};
use std::path::{Path, PathBuf};

/// A folder of tables.
#[derive(Debug)]
pub(crate) struct Tables<'p>(&'p Path);

impl<'p> Tables<'p> {
    /// Returns the tables of a folder. Creates the folder if it does not exist.
    pub(crate) fn into(folder: &'p Path) -> Result<Self> {
        fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
        Ok(Self(folder))
    }

    /// Writes the table of this name: the names of the columns, and the rows.
    pub(crate) fn write(
        &self,
        name: &str,
        head: &[&str],
        rows: impl IntoIterator<Item = Vec<String>>,
    ) -> Result<()> {
        let path = self.0.join(format!("{name}.csv"));
        let mut table = NewTable::create(&path, head)?;
        for row in rows {
            table.add(row.iter())?;
        }
        table.finish()
    }
}

/// A table under construction. Its rows go to a file next to its own, `.part` added to the name, which takes that name at
/// the end.
#[derive(Debug)]
pub(crate) struct NewTable<'p> {
    path: &'p Path,
    part: PathBuf,
    writer: Writer<File>,
}

impl<'p> NewTable<'p> {
    /// Creates the file, and writes the names of the columns.
    pub(crate) fn create(path: &'p Path, head: &[&str]) -> Result<Self> {
        // A pipe or a device has no other name.
        let is_special = fs::metadata(path).is_ok_and(|metadata| !metadata.is_file());
        let mut part = path.as_os_str().to_owned();
        if !is_special {
            part.push(".part");
        }
        let part = PathBuf::from(part);
        let file = File::create(&part).with_context(|| cannot_write(path))?;
        let mut writer = Writer::from_writer(file);
        writer
            .write_record(head)
            .with_context(|| cannot_write(path))?;
        Ok(Self { path, part, writer })
    }

    /// Adds a row.
    pub(crate) fn add<'c>(&mut self, cells: impl Iterator<Item = &'c String>) -> Result<()> {
        let cells = cells.map(|cell| safe(cell).into_owned());
        let written = self.writer.write_record(cells);
        written.with_context(|| cannot_write(self.path))
    }

    /// Completes the file, under its name.
    pub(crate) fn finish(mut self) -> Result<()> {
        let about = || cannot_write(self.path);
        self.writer.flush().with_context(about)?;
        if self.part == self.path {
            return Ok(());
        }
        fs::rename(&self.part, self.path).with_context(about)
    }
}

fn cannot_write(path: &Path) -> String {
    format!("cannot write {}", path.display())
}

/// Returns a cell that no spreadsheet treats as a formula: text that looks like one gets an apostrophe in front. Control
/// characters are escaped.
fn safe(cell: &str) -> Cow<'_, str> {
    let is_formula = cell.starts_with(['=', '+', '-', '@']) && cell.parse::<f64>().is_err();
    if is_formula && cell.len() > 1 {
        Cow::Owned(format!("'{}", printable(cell)))
    } else {
        printable(cell)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_cell_is_a_formula() {
        for (cell, expected) in [
            ("=HYPERLINK(\"a\")", "'=HYPERLINK(\"a\")"),
            ("+a", "'+a"),
            ("@a", "'@a"),
            ("-5.5", "-5.5"),
            ("-", "-"),
            ("/a", "/a"),
            ("a\u{1b}", "a\\u{1b}"),
        ] {
            assert_eq!(safe(cell), expected);
        }
    }
}
