//! The format of the rows of an output, with its fields.

#[cfg(feature = "columnar")]
use super::columnar_files;
use super::columns::{self, Column};
use super::csv::Csv;
use super::file_output::FileOutput;
use super::json::{self, JsonLines};
use super::table::Table;
use super::{Format, Sink};
use crate::error::Error;
use std::io::{self, Write};

/// The format of an output.
#[derive(Debug)]
pub(super) struct RowFormat<'o> {
    pub(super) output: &'o FileOutput,
    /// Whether there are several robots, so that rows name them.
    names_robots: bool,
    /// The columns of CSV, Parquet and Arrow; empty for other formats.
    columns: Vec<Column>,
}

impl<'o> RowFormat<'o> {
    /// Returns the format of an output.
    ///
    /// # Errors
    ///
    /// If the format does not have a field of the output, or the build does not have the format.
    pub(super) fn new(output: &'o FileOutput, names_robots: bool) -> Result<Self, Error> {
        let fields = output.fields.as_deref();
        let names = fields.unwrap_or_default();
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
        match output.format {
            #[cfg(not(feature = "columnar"))]
            Format::Parquet => return Err(Error::NotColumnar("Parquet")),
            #[cfg(not(feature = "columnar"))]
            Format::Arrow => return Err(Error::NotColumnar("Arrow")),
            Format::Table if fields.is_some() => return Err(Error::FieldsOfTable),
            Format::Table if output.evidence => return Err(Error::TableWithout("evidence")),
            Format::Table if output.overrides => return Err(Error::TableWithout("overrides")),
            Format::Table => {}
            Format::Jsonl => {
                let keys = json::keys();
                if let Some(name) = names.iter().find(|field| !keys.contains(field)) {
                    return Err(unknown(name, keys));
                }
            }
            _ => {
                columns = columns::chosen(output).map_err(|name| {
                    let known = columns::all_columns().map(|column| column.name().to_owned());
                    unknown(&name, known.collect())
                })?;
            }
        }
        Ok(Self {
            output,
            names_robots,
            columns,
        })
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
        let output = self.output;
        Ok(match output.format {
            Format::Table => {
                let (names_robots, explains) = (self.names_robots, output.explain);
                let layout = output.layout;
                Box::new(Table::new(writer, names_robots, explains, layout, is_new))
            }
            Format::Jsonl => {
                let fields = output.fields.clone();
                Box::new(JsonLines::new(writer, fields, output.overrides))
            }
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
