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
use std::path::Path;

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
    /// Typed columns in the IPC format of Arrow: a file, or a stream in a pipe. Needs the feature `columnar`.
    Arrow,
}

/// The extensions of file names that name a format, in lower case.
const EXTENSIONS: [(&str, Format); 9] = [
    ("txt", Format::Table),
    ("jsonl", Format::Jsonl),
    ("ndjson", Format::Jsonl),
    ("json", Format::Jsonl),
    ("csv", Format::Csv),
    ("parquet", Format::Parquet),
    ("arrow", Format::Arrow),
    ("feather", Format::Arrow),
    ("ipc", Format::Arrow),
];

impl Format {
    /// All formats.
    pub const ALL: &[Self] = &[
        Self::Table,
        Self::Jsonl,
        Self::Csv,
        Self::Parquet,
        Self::Arrow,
    ];

    /// Returns the name of the format: `jsonl`.
    pub fn name(self) -> &'static str {
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
                "An Arrow IPC file, or in a pipe a stream; needs a build with the feature columnar"
            }
        }
    }

    /// Returns the format that the extension of a file name names, in upper or lower case: `decisions.parquet` is
    /// [`Parquet`](Self::Parquet). A name without extension names none.
    ///
    /// # Errors
    ///
    /// If the extension does not name a format of rows.
    pub fn of_file_name(path: &Path) -> Result<Option<Self>, Error> {
        let Some(extension) = path.extension() else {
            return Ok(None);
        };
        let mut known = EXTENSIONS.iter();
        let found = known.find(|(name, _)| extension.eq_ignore_ascii_case(name));
        found
            .map(|(_, format)| Some(*format))
            .ok_or_else(|| Error::UnknownExtension(path.to_owned()))
    }

    /// Returns the extensions of file names that name a format: `jsonl`, `csv`.
    pub fn extensions() -> impl Iterator<Item = &'static str> {
        EXTENSIONS.iter().map(|(name, _)| *name)
    }

    /// Returns whether the bytes are not text, so that a terminal cannot show them.
    pub fn is_binary(self) -> bool {
        matches!(self, Self::Parquet | Self::Arrow)
    }

    /// Returns whether a file of this format is valid after any of its rows.
    pub(crate) fn is_appendable(self) -> bool {
        matches!(self, Self::Table | Self::Jsonl | Self::Csv)
    }

    /// Returns the file name extension.
    pub(crate) fn extension(self) -> &'static str {
        match self {
            Self::Table => "txt",
            _ => self.name(),
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

    /// Returns a sink that writes to `writer`, from the start if it `is_new`. For a writer that `is_stream` (a pipe or a
    /// device), whose reader cannot seek, Arrow has another form.
    #[cfg_attr(
        not(feature = "columnar"),
        expect(unused_variables, reason = "only Arrow has a form for streams")
    )]
    pub(super) fn sink(
        &self,
        writer: impl Write + Send + 'static,
        is_new: bool,
        is_stream: bool,
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
            Format::Arrow if is_stream => {
                Box::new(columnar_files::arrow_stream(writer, &self.columns)?)
            }
            #[cfg(feature = "columnar")]
            Format::Arrow => Box::new(columnar_files::arrow(writer, &self.columns)?),
            // `new` refuses them.
            #[cfg(not(feature = "columnar"))]
            Format::Parquet | Format::Arrow => return Err(io::ErrorKind::Unsupported.into()),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_extension_names_a_format() {
        let of = |name: &str| Format::of_file_name(Path::new(name)).unwrap();
        for (name, format) in [
            ("a.txt", Format::Table),
            ("a.jsonl", Format::Jsonl),
            ("a.ndjson", Format::Jsonl),
            ("b.c/a.json", Format::Jsonl),
            ("a.CSV", Format::Csv),
            ("a.parquet", Format::Parquet),
            ("a.jsonl.Arrow", Format::Arrow),
            ("a.feather", Format::Arrow),
            ("a.ipc", Format::Arrow),
        ] {
            assert_eq!(of(name), Some(format), "{name}");
        }
        for name in ["a", "b.csv/a", ".csv", "/dev/stdout", "", ".."] {
            assert_eq!(of(name), None, "{name}");
        }
        for name in ["a.html", "a.csv.gz", "a.xlsx", "a."] {
            assert!(Format::of_file_name(Path::new(name)).is_err(), "{name}");
        }
    }

    /// Files of an output folder get extensions that name their format.
    #[test]
    fn each_format_has_its_extension() {
        for format in Format::ALL.iter().copied() {
            let name = format!("a.{}", format.extension());
            let found = Format::of_file_name(Path::new(&name)).unwrap();
            assert_eq!(found, Some(format));
        }
    }
}
