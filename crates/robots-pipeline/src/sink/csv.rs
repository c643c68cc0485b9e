//! Decisions as comma-separated values.

use super::columns::Column;
use super::{RowContext, Sink};
use crate::text::csv_cell;
use robots_policy::Decision;
use robots_policy::decision::Value;
use std::borrow::Cow;
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
            let field = self.writer.write_field(&*cell(column.value(row, decision)));
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

/// Returns a value as a cell.
pub(crate) fn cell(value: Value<'_>) -> Cow<'_, str> {
    match value {
        Value::Text(Cow::Borrowed(text)) => csv_cell(text),
        Value::Text(Cow::Owned(text)) => match csv_cell(&text) {
            Cow::Owned(guarded) => Cow::Owned(guarded),
            Cow::Borrowed(_) => Cow::Owned(text),
        },
        Value::Bool(is) => Cow::Borrowed(if is { "true" } else { "false" }),
        Value::Int(number) => Cow::Owned(number.to_string()),
        Value::Float(number) => Cow::Owned(format!("{number:?}")),
        Value::Time(time) => Cow::Owned(time.to_string()),
        Value::List(items) => Cow::Owned(csv_cell(&items.join("; ")).into_owned()),
        _ => Cow::Borrowed(""),
    }
}

/// Returns the cause of a failure.
pub(crate) fn io_error(error: csv::Error) -> io::Error {
    match error.into_kind() {
        csv::ErrorKind::Io(error) => error,
        other => io::Error::other(format!("{other:?}")),
    }
}
