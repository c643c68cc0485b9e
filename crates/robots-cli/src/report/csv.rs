//! Tables as CSV files (RFC 4180).

use anyhow::{Context, Result};
use csv::Writer;
use robots_pipeline::new_file::NewFile;
use robots_pipeline::text::csv_cell;
use robots_pipeline::text::path_text;
use std::fs;
use std::path::{Path, PathBuf};

/// A folder of tables.
#[derive(Debug)]
pub(crate) struct Tables<'p> {
    folder: &'p Path,
    names: &'static [&'static str],
}

impl<'p> Tables<'p> {
    /// Returns a writer of the tables of these names in a folder. Creates the folder if it does not exist.
    pub(crate) fn in_folder(folder: &'p Path, names: &'static [&'static str]) -> Result<Self> {
        fs::create_dir_all(folder).with_context(|| format!("cannot make {}", path_text(folder)))?;
        Ok(Self { folder, names })
    }

    /// Writes the table of this name: the names of the columns, and the rows.
    pub(crate) fn write(
        &self,
        name: &str,
        head: &[&str],
        rows: impl IntoIterator<Item = Vec<String>>,
    ) -> Result<()> {
        debug_assert!(self.names.contains(&name), "the names lack {name}");
        let path = path_of(self.folder, name);
        let mut table = NewTable::create(&path, head)?;
        for row in rows {
            table.add(row.iter())?;
        }
        table.finish()
    }
}

/// Returns the paths of the tables of these names in a folder.
pub(crate) fn paths<'p>(
    folder: &'p Path,
    names: &'static [&'static str],
) -> impl Iterator<Item = PathBuf> + 'p {
    names.iter().map(move |name| path_of(folder, name))
}

fn path_of(folder: &Path, name: &str) -> PathBuf {
    folder.join(format!("{name}.csv"))
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
