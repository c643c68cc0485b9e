//! The records of archives, and the entries of indexes of them, as Arrow batches.
//!
//! A batch has the columns that were asked for; what another column would hold is neither copied nor unpacked. Memory is bounded
//! by the batch and one record.

mod column;
mod index;

pub use column::RecordColumn;
pub use index::IndexBatches;

use crate::error::Error;
use crate::extent::ArchiveItems;
use crate::input::ItemSource;
use crate::sink::column_builder::{BatchRows, ColumnBuilder};
pub use crate::sink::columnar::{BATCH_BYTES, BATCH_ROWS};
use arrow_array::RecordBatch;
use arrow_schema::{Field, Schema, SchemaRef};
use column::Row;
use robots_archive::{Item, ReadAt, Record};
use std::sync::Arc;

/// The number of bytes of blocks that are read for one batch: 64 MiB. If a filter drops most of them, the batch may be empty.
pub const SCAN_BYTES: usize = 64 << 20;

/// A filter of records. A list that is `None` lets all pass; else the value of the column must be in the list.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct RecordFilter {
    /// Types, in lower case.
    pub types: Option<Vec<String>>,
    /// HTTP statuses.
    pub statuses: Option<Vec<u16>>,
    /// MIME types of the payload, in lower case and without parameters.
    pub mime_types: Option<Vec<String>>,
    /// Whether rows with an error are left out, too.
    pub drops_faults: bool,
}

impl RecordFilter {
    /// Returns whether the head of a record is needed to decide.
    fn reads_head(&self) -> bool {
        self.statuses.is_some() || self.mime_types.is_some()
    }

    fn contains_type(&self, record: &Record) -> bool {
        let types = self.types.as_ref();
        types.is_none_or(|types| types.contains(&record.kind))
    }

    fn contains(&self, row: &Row<'_>) -> bool {
        let has_status = |statuses: &Vec<u16>| {
            let status = row.status();
            status.is_some_and(|status| statuses.contains(&status))
        };
        let has_mime_type = |types: &Vec<String>| {
            let mime_type = row.mime_type();
            mime_type.is_some_and(|mime_type| types.contains(&mime_type))
        };
        self.statuses.as_ref().is_none_or(has_status)
            && self.mime_types.as_ref().is_none_or(has_mime_type)
    }
}

/// What a read of [`Batches::next`] has added.
enum Step {
    /// Nothing, or a row.
    Row,
    /// Nothing, after so many bytes that the batch is to end.
    Pause,
    /// Nothing: there is no more.
    End,
}

/// The batches of a source of rows.
#[derive(Debug)]
struct Batches {
    rows: BatchRows,
    /// The error that ended reading, to be returned after the rows before it.
    failure: Option<Error>,
    has_ended: bool,
}

impl Batches {
    fn new(fields: Vec<Field>, columns: impl IntoIterator<Item = ColumnBuilder>) -> Self {
        Self {
            rows: BatchRows::new(Arc::new(Schema::new(fields)), columns),
            failure: None,
            has_ended: false,
        }
    }

    /// Returns the next batch of the rows that `read` adds; `None` at the end, and after an error.
    fn next(
        &mut self,
        mut read: impl FnMut(&mut BatchRows) -> Result<Step, Error>,
    ) -> Result<Option<RecordBatch>, Error> {
        while !self.has_ended && self.rows.rows < BATCH_ROWS && self.rows.bytes < BATCH_BYTES {
            match read(&mut self.rows) {
                Ok(Step::Row) => {}
                Ok(Step::Pause) => break,
                Ok(Step::End) => self.has_ended = true,
                Err(error) => {
                    self.has_ended = true;
                    self.failure = Some(error);
                }
            }
        }
        if self.has_ended && self.rows.rows == 0 {
            return self.failure.take().map_or(Ok(None), Err);
        }
        // Values that do not fit have more than 2 GiB, which the limits of a batch do not allow.
        let batch = self.rows.take();
        batch.map(Some).map_err(|error| Error::Record(error.into()))
    }
}

/// The batches of the records of an archive.
///
/// A damaged place is a row with only `file`, `offset` and `error`, among the records.
#[derive(Debug)]
pub struct RecordBatches<R> {
    items: ArchiveItems<R>,
    columns: Vec<RecordColumn>,
    filter: RecordFilter,
    batches: Batches,
}

impl<R: ReadAt> RecordBatches<R> {
    /// Returns batches with these columns of the records that pass a filter.
    pub fn new(items: ArchiveItems<R>, columns: Vec<RecordColumn>, filter: RecordFilter) -> Self {
        let fields = columns.iter().map(|column| column.field()).collect();
        let builders = columns.iter().map(|column| column.builder());
        Self {
            batches: Batches::new(fields, builders),
            items,
            columns,
            filter,
        }
    }

    /// Returns the schema of the batches.
    pub fn schema(&self) -> &SchemaRef {
        &self.batches.rows.schema
    }

    /// Returns the next batch; `None` at the end. A batch may be empty.
    ///
    /// # Errors
    ///
    /// If the archive cannot be read, or not any further. Later calls return `None`.
    pub fn next_batch(&mut self) -> Result<Option<RecordBatch>, Error> {
        let Self {
            items,
            columns,
            filter,
            batches,
        } = self;
        let mut scanned = 0;
        // Without its column, the length of a record is not found out: the next one is read only when it is needed.
        let needs_length = columns.contains(&RecordColumn::Length);
        batches.next(|rows| {
            if scanned >= SCAN_BYTES {
                return Ok(Step::Pause);
            }
            let (item, length) = if needs_length {
                items.next_with_length()?.unzip()
            } else {
                (items.next_item()?, None)
            };
            let Some(item) = item else {
                return Ok(Step::End);
            };
            if let Item::Record(record) = &item {
                scanned += record.block.len();
            }
            if let Some(row) = row(items.name(), columns, filter, &item, length.flatten()) {
                rows.add(columns.iter().map(|&column| row.cell(column)));
            }
            items.recycle(item);
            Ok(Step::Row)
        })
    }
}

/// Returns the row of an item, with what the columns need; `None` if the filter drops it.
fn row<'i>(
    name: &'i str,
    columns: &[RecordColumn],
    filter: &RecordFilter,
    item: &'i Item,
    length: Option<u64>,
) -> Option<Row<'i>> {
    let record = match item {
        Item::Damage(damage) => {
            return (!filter.drops_faults).then(|| Row::of_damage(name, damage));
        }
        Item::Record(record) => record,
    };
    if !filter.contains_type(record) {
        return None;
    }
    let has = |wanted: &[RecordColumn]| columns.iter().any(|column| wanted.contains(column));
    let reads_head = filter.reads_head() || has(&RecordColumn::OF_HEAD);
    let row = Row::of_record(name, record, length, reads_head);
    let row = filter.contains(&row).then_some(row)?;
    Some(if has(&[RecordColumn::Payload]) {
        row.with_payload()
    } else {
        row
    })
}
