//! The formats of rows.

use super::Sink;
#[cfg(feature = "columnar")]
use super::columnar_files;
use super::columns::{self, Column};
use super::csv::Csv;
use super::json::{self, JsonLines};
use super::table::{Table, TableLayout};
use crate::error::Error;
use std::io::{self, Write};

/// A format of rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Format {
    /// A line for each page, for people.
    Table,
    /// A JSON object for each page, with reasons.
    Jsonl,
    /// Comma-separated values with a header line.
    Csv,
    /// A Parquet file with typed columns; needs the feature `columnar`.
    Parquet,
    /// An Arrow IPC file with typed columns; needs the feature `columnar`.
    Arrow,
}

impl Format {
    /// All formats.
    pub const ALL: [Self; 5] = [
        Self::Table,
        Self::Jsonl,
        Self::Csv,
        Self::Parquet,
        Self::Arrow,
    ];

    /// Returns the name of the format: `jsonl`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Table => "table",
            Self::Jsonl => "jsonl",
            Self::Csv => "csv",
            Self::Parquet => "parquet",
            Self::Arrow => "arrow",
        }
    }

    /// Returns a few words about the format, for help texts.
    pub fn about(self) -> &'static str {
        match self {
            Self::Table => "A line for each page, for reading",
            Self::Jsonl => "A JSON object for each page, with reasons",
            Self::Csv => "Comma-separated values with a header line",
            Self::Parquet => {
                "A Parquet file with typed columns; needs a build with the feature columnar"
            }
            Self::Arrow => {
                "An Arrow IPC file with typed columns; needs a build with the feature columnar"
            }
        }
    }

    /// Returns whether a file of this format is valid after any of its rows.
    pub(crate) fn is_appendable(self) -> bool {
        matches!(self, Self::Table | Self::Jsonl | Self::Csv)
    }

    /// Returns the file name extension.
    pub(crate) fn extension(self) -> &'static str {
        match self {
            Self::Table => "txt",
            _ => self.as_str(),
        }
    }
}

/// A format with its fields.
#[derive(Debug)]
pub(crate) struct RowFormat {
    format: Format,
    /// The chosen keys or columns; `None` for all.
    fields: Option<Vec<String>>,
    explains: bool,
    /// The layout of a table.
    layout: TableLayout,
    /// Whether there are several robots, so that rows name them.
    names_robots: bool,
    /// The columns of CSV, Parquet and Arrow; empty for other formats.
    columns: Vec<Column>,
}

impl RowFormat {
    /// Returns a format with all fields, or with these.
    ///
    /// # Errors
    ///
    /// If the format does not have such a field, or the build does not have the format.
    pub(crate) fn new(
        format: Format,
        fields: Option<Vec<String>>,
        explains: bool,
        names_robots: bool,
    ) -> Result<Self, Error> {
        let names = fields.as_deref().unwrap_or_default();
        let mut duplicates = (1..names.len()).filter_map(|at| {
            let (before, rest) = names.split_at_checked(at)?;
            rest.first().filter(|name| before.contains(name))
        });
        if let Some(name) = duplicates.next() {
            return Err(Error::DuplicateField(name.clone()));
        }
        let unknown = |name: &str, known: Vec<String>| Error::UnknownField {
            name: name.to_owned(),
            known,
        };
        let mut columns = Vec::new();
        match format {
            #[cfg(not(feature = "columnar"))]
            Format::Parquet => return Err(Error::NotColumnar("Parquet")),
            #[cfg(not(feature = "columnar"))]
            Format::Arrow => return Err(Error::NotColumnar("Arrow")),
            Format::Table if fields.is_some() => return Err(Error::FieldsOfTable),
            Format::Table => {}
            Format::Jsonl => {
                let keys = json::keys();
                if let Some(name) = names.iter().find(|field| !keys.contains(field)) {
                    return Err(unknown(name, keys));
                }
            }
            _ => {
                columns = columns::chosen(fields.as_deref(), explains).map_err(|name| {
                    let known = columns::names().map(str::to_owned);
                    unknown(&name, known.collect())
                })?;
            }
        }
        Ok(Self {
            format,
            fields,
            explains,
            layout: TableLayout::default(),
            names_robots,
            columns,
        })
    }

    /// Sets the layout of a table.
    pub(crate) fn with_layout(mut self, layout: TableLayout) -> Self {
        self.layout = layout;
        self
    }

    pub(crate) fn format(&self) -> Format {
        self.format
    }

    /// Returns a sink that writes to `writer`, from the start if it `is_new`.
    pub(super) fn sink(
        &self,
        writer: impl Write + Send + 'static,
        is_new: bool,
    ) -> io::Result<Box<dyn Sink>> {
        Ok(match self.format {
            Format::Table => {
                let table = Table::new(writer, self.names_robots, self.explains, is_new);
                Box::new(table.with_layout(self.layout))
            }
            Format::Jsonl => Box::new(JsonLines::new(writer, self.fields.clone())),
            Format::Csv => Box::new(Csv::new(writer, self.columns.clone(), is_new)),
            #[cfg(feature = "columnar")]
            Format::Parquet => Box::new(columnar_files::parquet(writer, &self.columns)?),
            #[cfg(feature = "columnar")]
            Format::Arrow => Box::new(columnar_files::arrow(writer, &self.columns)?),
            // `new` refuses them.
            #[cfg(not(feature = "columnar"))]
            Format::Parquet | Format::Arrow => return Err(io::ErrorKind::Unsupported.into()),
        })
    }
}
