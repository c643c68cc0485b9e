//! Tables as CSV files (RFC 4180).

use crate::terminal::printable;
use anyhow::{Context, Result};
use csv::Writer;
use std::borrow::Cow;
use std::fs::{self, File};
use std::path::Path;

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
        let about = || format!("cannot write {}", path.display());
        let mut writer = Writer::from_writer(File::create(&path).with_context(about)?);
        writer.write_record(head).with_context(about)?;
        for row in rows {
            writer
                .write_record(row.iter().map(|cell| safe(cell).into_owned()))
                .with_context(about)?;
        }
        writer.flush().with_context(about)
    }
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
