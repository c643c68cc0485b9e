//! Tables as CSV files (RFC 4180).

use anyhow::{Context, Result};
use csv::Writer;
use robots_pipeline::new_file::NewFile;
use robots_pipeline::text::csv_cell;
use robots_pipeline::text::path_text;
use std::fs;
use std::path::Path;

/// A folder of tables.
#[derive(Debug)]
pub(crate) struct Tables<'p>(&'p Path);

impl<'p> Tables<'p> {
    /// Returns a writer of tables in a folder. Creates the folder if it does not exist.
    pub(crate) fn in_folder(folder: &'p Path) -> Result<Self> {
        fs::create_dir_all(folder).with_context(|| format!("cannot make {}", path_text(folder)))?;
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

/// A table under construction. Its file takes its name at the end.
#[derive(Debug)]
pub(crate) struct NewTable<'p> {
    path: &'p Path,
    writer: Writer<NewFile>,
}

impl<'p> NewTable<'p> {
    /// Creates the file, and writes the names of the columns.
    pub(crate) fn create(path: &'p Path, head: &[&str]) -> Result<Self> {
        let about = || cannot_write(path);
        let mut writer = Writer::from_writer(NewFile::create(path).with_context(about)?);
        writer.write_record(head).with_context(about)?;
        Ok(Self { path, writer })
    }

    /// Adds a row.
    pub(crate) fn add<'c>(&mut self, cells: impl Iterator<Item = &'c String>) -> Result<()> {
        let written = self
            .writer
            .write_record(cells.map(|cell| csv_cell(cell).into_owned()));
        written.with_context(|| cannot_write(self.path))
    }

    /// Completes the file, under its name.
    pub(crate) fn finish(self) -> Result<()> {
        let about = || cannot_write(self.path);
        let file = self
            .writer
            .into_inner()
            .map_err(csv::IntoInnerError::into_error);
        file.and_then(NewFile::finish).with_context(about)
    }
}

fn cannot_write(path: &Path) -> String {
    format!("cannot write {}", path_text(path))
}
