//! The entries of CDXJ indexes as Arrow batches, with the columns of Common Crawl's columnar index.

use super::{Batches, Step};
use crate::error::Error;
use crate::sink::column_builder::{Cell, ColumnBuilder};
use crate::text::with_causes;
use arrow_array::RecordBatch;
use arrow_schema::SchemaRef;
use robots_archive::cdxj::{CdxjError, CdxjReader, Entry};
use robots_policy::decision::{Value, ValueType};
use std::fmt;
use std::io::{self, BufRead};

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
    batches: Batches,
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
        let builders = || COLUMNS.map(|(_, value_type)| ColumnBuilder::of_batch(value_type));
        let fields = builders().into_iter().zip(COLUMNS);
        let fields = fields.map(|(builder, (name, _))| builder.field(name, true));
        Self {
            name: name.into(),
            entries: CdxjReader::new(input),
            batches: Batches::new(fields.collect(), builders()),
        }
    }

    /// Returns the schema of the batches.
    pub fn schema(&self) -> &SchemaRef {
        &self.batches.rows.schema
    }

    /// Returns the next batch; `None` at the end.
    ///
    /// # Errors
    ///
    /// If the index cannot be read, or not any further. Later calls return `None`.
    pub fn next_batch(&mut self) -> Result<Option<RecordBatch>, Error> {
        let (name, entries) = (&self.name, &mut self.entries);
        self.batches.next(|rows| {
            let cells = match entries.next_entry() {
                Ok(None) => return Ok(Step::End),
                Ok(Some(entry)) => cells(entry),
                Err(error @ CdxjError::Line(..)) => {
                    let mut cells = COLUMNS.map(|_| Value::Nothing);
                    if let Some(last) = cells.last_mut() {
                        *last = Value::Text(with_causes(&error).into());
                    }
                    cells
                }
                Err(error) => {
                    return Err(Error::io("read", name)(io::Error::other(error)));
                }
            };
            rows.add(cells.map(Cell::Value));
            Ok(Step::Row)
        })
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
