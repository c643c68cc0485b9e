//! Tables as CSV files (RFC 4180).

use super::Report;
use super::table::In;
use anyhow::{Context, Result};
use csv::Writer;
use robots_pipeline::new_file::NewFile;
use robots_pipeline::text::csv_cell;
use robots_pipeline::text::path_text;
use std::fs;
use std::path::{Path, PathBuf};

/// Writes the tables of a report to a folder, which is created if it does not exist. `names` are the names of all tables.
pub(crate) fn write(folder: &Path, report: &Report, names: &[&str]) -> Result<()> {
    fs::create_dir_all(folder).with_context(|| format!("cannot make {}", path_text(folder)))?;
    let tables = report.sections.iter().flat_map(super::Section::tables);
    for table in tables.filter(|table| !table.name.is_empty()) {
        debug_assert!(names.contains(&table.name), "unnamed: {}", table.name);
        let path = path_of(folder, table.name);
        let mut file = NewTable::create(&path, &table.names(In::CSV))?;
        for row in table.cells(In::CSV) {
            let cells: Vec<String> = row.iter().map(|value| value.plain()).collect();
            file.add(cells.iter())?;
        }
        file.finish()?;
    }
    Ok(())
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
    pub(crate) fn create(path: &'p Path, head: &[impl AsRef<[u8]>]) -> Result<Self> {
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

/// Returns the start of an error message about a file that cannot be written.
pub(crate) fn cannot_write(path: &Path) -> String {
    format!("cannot write {}", path_text(path))
}
