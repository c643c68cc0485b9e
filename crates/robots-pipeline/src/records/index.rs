//! The entries of CDXJ indexes as Arrow batches, with the columns of Common Crawl's columnar index.

use super::{BATCH_BYTES, BATCH_ROWS, from_arrow};
use crate::error::{Error, Operation};
use crate::sink::column_builder::{Cell, ColumnBuilder};
use arrow_array::RecordBatch;
use arrow_schema::{Field, Schema, SchemaRef};
use robots_archive::cdxj::{CdxjError, CdxjReader, Entry};
use robots_policy::decision::{Value, ValueType};
use std::fmt;
use std::io::{self, BufRead};
use std::sync::Arc;

/// The columns: those of Common Crawl's columnar index of the same names, and `error`.
const COLUMNS: [(&str, ValueType); 8] = [
    ("url", ValueType::Text),
    ("content_mime_type", ValueType::Text),
    ("content_mime_detected", ValueType::Text),
    ("fetch_status", ValueType::Int),
    ("warc_filename", ValueType::Text),
    ("warc_record_offset", ValueType::Int),
    ("warc_record_length", ValueType::Int),
    ("error", ValueType::Text),
];

/// The batches of the entries of an index. A line that is not an entry is a row with only `error`.
pub struct IndexBatches {
    name: String,
    entries: CdxjReader<Box<dyn BufRead + Send>>,
    schema: SchemaRef,
    /// The error that ended reading, to be returned after the rows before it.
    failure: Option<Error>,
    has_ended: bool,
}

impl fmt::Debug for IndexBatches {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("IndexBatches")
            .field("name", &self.name)
            .finish_non_exhaustive()
    }
}

impl IndexBatches {
    /// Returns the entries of an index that is not compressed. `name` is for errors.
    pub fn new(name: impl Into<String>, input: Box<dyn BufRead + Send>) -> Self {
        let fields = COLUMNS.map(|(name, value_type)| {
            let builder = ColumnBuilder::of_batch(value_type, false);
            Field::new(name, builder.data_type(), true)
        });
        Self {
            name: name.into(),
            entries: CdxjReader::new(input),
            schema: Arc::new(Schema::new(fields.to_vec())),
            failure: None,
            has_ended: false,
        }
    }

    /// Returns the schema of the batches.
    pub fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    /// Returns the next batch; `None` at the end.
    ///
    /// # Errors
    ///
    /// If the index cannot be read, or not any further. Later calls return `None`.
    pub fn next_batch(&mut self) -> Result<Option<RecordBatch>, Error> {
        if let Some(error) = self.failure.take() {
            return Err(error);
        }
        let mut builders =
            COLUMNS.map(|(_, value_type)| ColumnBuilder::of_batch(value_type, false));
        let (mut rows, mut bytes) = (0_usize, 0_usize);
        while !self.has_ended && rows < BATCH_ROWS && bytes < BATCH_BYTES {
            let cells = match self.entries.next_entry() {
                Ok(None) => {
                    self.has_ended = true;
                    break;
                }
                Ok(Some(entry)) => cells(entry),
                Err(error) if error.line_number().is_some() => {
                    let mut cells = COLUMNS.map(|_| Value::Nothing);
                    if let Some(last) = cells.last_mut() {
                        *last = Value::Text(line_error(&error).into());
                    }
                    cells
                }
                Err(error) => {
                    self.has_ended = true;
                    let error = Error::io(Operation::Read, &self.name)(io::Error::other(error));
                    if rows == 0 {
                        return Err(error);
                    }
                    self.failure = Some(error);
                    break;
                }
            };
            for (builder, value) in builders.iter_mut().zip(cells) {
                let cell = Cell::Value(value);
                bytes = bytes.saturating_add(cell.text_bytes());
                builder.append_cell(cell);
            }
            rows = rows.saturating_add(1);
        }
        if rows == 0 {
            return Ok(None);
        }
        let columns = builders.iter_mut().map(ColumnBuilder::finish).collect();
        let batch = RecordBatch::try_new(Arc::clone(&self.schema), columns);
        batch.map(Some).map_err(from_arrow)
    }
}

/// Returns the values of an entry, in the order of [`COLUMNS`].
fn cells(entry: Entry<'_>) -> [Value<'_>; COLUMNS.len()] {
    let number = |number: u64| i64::try_from(number).map_or(Value::Nothing, Value::Int);
    [
        Value::Text(entry.url),
        entry.mime.map_or(Value::Nothing, Value::Text),
        entry.mime_detected.map_or(Value::Nothing, Value::Text),
        entry.status.map_or(Value::Nothing, number),
        Value::Text(entry.filename),
        number(entry.offset),
        entry.length.map_or(Value::Nothing, number),
        Value::Nothing,
    ]
}

/// Returns an error with its cause.
fn line_error(error: &CdxjError) -> String {
    crate::text::with_causes(error)
}
