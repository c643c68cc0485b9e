//! Decisions as rows: in a format (`format`), written to standard output, a file or a folder (`output`).
//!
//! [`columns`] lists the flat values of a decision; `table`, `json`, `csv` and [`columnar`] write rows. `filter`
//! selects the decisions that are written.

pub(crate) mod checksummed_file;
#[cfg(feature = "arrow")]
pub(crate) mod column_builder;
#[cfg(feature = "arrow")]
pub mod columnar;
#[cfg(feature = "columnar")]
pub mod columnar_files;
pub mod columns;
pub(crate) mod comparison;
pub(crate) mod csv;
mod file_output;
mod filter;
mod format;
mod json;
pub(crate) mod output;
mod row_format;
mod table;

pub use file_output::{Destination, FileOutput};
pub use filter::Filter;
pub use format::Format;
pub use table::TableLayout;

use crate::evidence::Evidence;
use crate::overrides::Override;
use robots_policy::Decision;
use robots_policy::decision::Field;
use serde::Serialize;
use std::io;

/// The values of a row that are not in the decision: the source of the page, its status, and the comparison with other decisions.
#[derive(Debug, Clone, Copy, Serialize)]
#[non_exhaustive]
pub struct RowContext<'a> {
    /// The archive or file of the page.
    pub file: &'a str,
    /// The offset of the record in the archive, in bytes; a saved page has none.
    pub offset: Option<u64>,
    /// The HTTP status of the page.
    pub status: Option<u16>,
    /// The fields in which decisions about the page differ ([`Filter::Differs`]), if they are compared.
    #[serde(skip_serializing_if = "is_empty")]
    pub differs: &'a [Field],
    /// The evidence of the decision, if it is collected.
    #[serde(skip)]
    pub evidence: Option<Evidence<'a>>,
    /// The override that applies, if there is one.
    #[serde(skip)]
    pub overridden: Option<&'a Override>,
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "the signature of serde")]
fn is_empty(fields: &&[Field]) -> bool {
    fields.is_empty()
}

impl<'a> RowContext<'a> {
    pub(crate) fn new(file: &'a str, offset: Option<u64>, status: Option<u16>) -> Self {
        Self {
            file,
            offset,
            status,
            differs: &[],
            evidence: None,
            overridden: None,
        }
    }
}

/// A receiver of decisions.
pub trait Sink {
    /// Writes a decision, or buffers it.
    ///
    /// # Errors
    ///
    /// If it cannot be written.
    fn write(&mut self, row: &RowContext<'_>, decision: &Decision) -> io::Result<()>;

    /// Writes the rows that are buffered. By default, does nothing.
    ///
    /// # Errors
    ///
    /// If they cannot be written.
    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }

    /// Writes the end. No row may follow.
    ///
    /// # Errors
    ///
    /// If it cannot be written.
    fn finish(&mut self) -> io::Result<()> {
        self.flush()
    }
}

impl<S: Sink + ?Sized> Sink for &mut S {
    fn write(&mut self, row: &RowContext<'_>, decision: &Decision) -> io::Result<()> {
        (**self).write(row, decision)
    }

    fn flush(&mut self) -> io::Result<()> {
        (**self).flush()
    }

    fn finish(&mut self) -> io::Result<()> {
        (**self).finish()
    }
}
