//! Decisions as comma-separated values.

use super::columns::Column;
use super::{RowContext, Sink};
use crate::text::csv_cell;
use robots_policy::Decision;
use robots_policy::decision::Value;
use std::io::{self, Write};

pub(super) struct Csv<W: Write> {
    writer: csv::Writer<W>,
    columns: Vec<Column>,
    has_header: bool,
}

impl<W: Write> Csv<W> {
    /// Returns a sink that writes a header first, if the file `is_new`.
    pub(super) fn new(writer: W, columns: Vec<Column>, is_new: bool) -> Self {
        Self {
            writer: csv::Writer::from_writer(writer),
            columns,
            has_header: !is_new,
        }
    }

    fn write_header(&mut self) -> io::Result<()> {
        if !self.has_header {
            self.has_header = true;
            let names = self.columns.iter().map(|column| column.name());
            self.writer.write_record(names).map_err(io_error)?;
        }
        Ok(())
    }
}

impl<W: Write> Sink for Csv<W> {
    fn write(&mut self, row: &RowContext<'_>, decision: &Decision) -> io::Result<()> {
        self.write_header()?;
        for column in &self.columns {
            let field = match column.value(row, decision) {
                Value::Text(text) => self.writer.write_field(csv_cell(&text).as_ref()),
                Value::Bool(is) => self.writer.write_field(if is { "true" } else { "false" }),
                Value::Int(number) => self.writer.write_field(number.to_string()),
                Value::Float(number) => self.writer.write_field(format!("{number:?}")),
                Value::Time(time) => self.writer.write_field(time.to_string()),
                Value::List(items) => {
                    let text = items.join("; ");
                    self.writer.write_field(csv_cell(&text).as_ref())
                }
                _ => self.writer.write_field(""),
            };
            field.map_err(io_error)?;
        }
        self.writer.write_record(None::<&[u8]>).map_err(io_error)
    }

    fn flush(&mut self) -> io::Result<()> {
        // A file without rows has a header, too.
        self.write_header()?;
        self.writer.flush()
    }
}

/// Returns the cause of a failure.
fn io_error(error: csv::Error) -> io::Error {
    match error.into_kind() {
        csv::ErrorKind::Io(error) => error,
        other => io::Error::other(format!("{other:?}")),
    }
}
