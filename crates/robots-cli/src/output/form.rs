//! The form of rows: what is asked for on the command line.

use super::Sink;
#[cfg(feature = "columnar")]
use super::columnar;
use super::columns::{self, Column};
use super::csv::Csv;
use super::json::{self, JsonLines};
use super::table::Table;
use crate::args::Format;
use anyhow::{Result, bail};
use std::io::{self, Write};

/// In what form rows are written.
#[derive(Debug)]
pub(crate) struct Form {
    format: Format,
    fields: Option<Vec<String>>,
    explains: bool,
    /// Whether there is more than one robot, whose names are to be told.
    names_robots: bool,
    columns: Vec<&'static Column>,
}

impl Form {
    /// A form with all fields, or with these.
    ///
    /// # Errors
    ///
    /// If the form has no such field.
    pub(crate) fn new(
        format: Format,
        fields: Option<Vec<String>>,
        explains: bool,
        names_robots: bool,
    ) -> Result<Self> {
        let no_field = |name: &str, known: &str| -> Result<Self> {
            bail!("there is no field \"{name}\"; the fields are {known}")
        };
        let named = fields.iter().flatten().enumerate();
        let mut twice = named.filter(|(at, name)| {
            fields
                .iter()
                .flatten()
                .take(*at)
                .any(|other| other == *name)
        });
        if let Some((_, name)) = twice.next() {
            bail!("the field \"{name}\" is named twice");
        }
        let mut columns = Vec::new();
        match (format, &fields) {
            (Format::Table, Some(_)) => bail!("a table has no --fields; --format csv has"),
            (Format::Jsonl, Some(fields)) => {
                let keys = json::keys();
                if let Some(name) = fields.iter().find(|field| !keys.contains(field)) {
                    return no_field(name, &keys.join(", "));
                }
            }
            (Format::Table | Format::Jsonl, None) => {}
            _ => match columns::chosen(fields.as_deref(), explains) {
                Ok(chosen) => columns = chosen,
                Err(name) => {
                    let known: Vec<&str> = columns::names().collect();
                    return no_field(&name, &known.join(", "));
                }
            },
        }
        Ok(Self {
            format,
            fields,
            explains,
            names_robots,
            columns,
        })
    }

    /// Whether a file that breaks off between two rows can be gone on with.
    pub(crate) fn can_go_on(&self) -> bool {
        matches!(self.format, Format::Table | Format::Jsonl | Format::Csv)
    }

    /// What the name of such a file ends with.
    pub(super) fn ending(&self) -> &'static str {
        match self.format {
            Format::Table => "txt",
            Format::Jsonl => "jsonl",
            Format::Csv => "csv",
            #[cfg(feature = "columnar")]
            Format::Parquet => "parquet",
            #[cfg(feature = "columnar")]
            Format::Arrow => "arrow",
        }
    }

    /// Takes rows for a writer, to which nothing was written yet, or some rows.
    #[cfg_attr(
        not(feature = "columnar"),
        expect(
            clippy::unnecessary_wraps,
            reason = "columns have a beginning that can fail"
        )
    )]
    pub(super) fn sink(
        &self,
        writer: impl Write + Send + 'static,
        is_new: bool,
    ) -> io::Result<Box<dyn Sink>> {
        Ok(match self.format {
            Format::Table => Box::new(Table::new(writer, self.names_robots, self.explains, is_new)),
            Format::Jsonl => Box::new(JsonLines::new(writer, self.fields.clone())),
            Format::Csv => Box::new(Csv::new(writer, self.columns.clone(), is_new)),
            #[cfg(feature = "columnar")]
            Format::Parquet => Box::new(columnar::parquet(writer, &self.columns)?),
            #[cfg(feature = "columnar")]
            Format::Arrow => Box::new(columnar::arrow(writer, &self.columns)?),
        })
    }
}
