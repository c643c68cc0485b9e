//! The records of archives, and the entries of indexes of them, as Arrow batches.
//!
//! A batch has the columns that were asked for; what another column would hold is neither copied nor unpacked. Memory is bounded
//! by the batch and one record.

mod column;
mod index;

pub use column::RecordColumn;
pub use index::IndexBatches;

use crate::error::Error;
use crate::extent::{ArchiveItems, ItemSource};
use arrow_array::RecordBatch;
use arrow_schema::{ArrowError, Field, Schema, SchemaRef};
use column::{Builder, Row};
use robots_archive::{Item, ReadAt, Record};
use std::sync::Arc;

/// The maximum number of rows of a batch.
pub const BATCH_ROWS: usize = 4_096;

/// The number of bytes of values after which a batch ends: 4 MiB. Its last row may have more.
pub const BATCH_BYTES: usize = 4 << 20;

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

/// The batches of the records of an archive.
///
/// A damaged place is a row with only `file`, `offset` and `error`, among the records.
#[derive(Debug)]
pub struct RecordBatches<R> {
    items: ArchiveItems<R>,
    columns: Vec<RecordColumn>,
    filter: RecordFilter,
    schema: SchemaRef,
    /// The error that ended reading, to be returned after the rows before it.
    failure: Option<Error>,
    has_ended: bool,
}

impl<R: ReadAt> RecordBatches<R> {
    /// Returns batches with these columns of the records that pass a filter.
    pub fn new(items: ArchiveItems<R>, columns: Vec<RecordColumn>, filter: RecordFilter) -> Self {
        let fields: Vec<Field> = columns.iter().map(|column| column.field()).collect();
        Self {
            items,
            columns,
            filter,
            schema: Arc::new(Schema::new(fields)),
            failure: None,
            has_ended: false,
        }
    }

    /// Returns the schema of the batches.
    pub fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    /// Returns the next batch; `None` at the end. A batch may be empty.
    ///
    /// # Errors
    ///
    /// If the archive cannot be read, or not any further. Later calls return `None`.
    pub fn next_batch(&mut self) -> Result<Option<RecordBatch>, Error> {
        if let Some(error) = self.failure.take() {
            return Err(error);
        }
        if self.has_ended {
            return Ok(None);
        }
        let builders = self.columns.iter().map(|&column| Builder::new(column));
        let mut builders: Vec<Builder> = builders.collect();
        let (mut rows, mut bytes, mut scanned) = (0_usize, 0_usize, 0_usize);
        // Without its column, the length of a record is not found out: the next one is read only when it is needed.
        let needs_length = self.columns.contains(&RecordColumn::Length);
        while rows < BATCH_ROWS && bytes < BATCH_BYTES && scanned < SCAN_BYTES {
            let next = if needs_length {
                self.items.next_with_length()
            } else {
                let next = self.items.next_item();
                next.map(|item| item.map(|item| (item, None)))
            };
            let (item, length) = match next {
                Ok(Some(next)) => next,
                Ok(None) => {
                    self.has_ended = true;
                    break;
                }
                Err(error) => {
                    self.has_ended = true;
                    if rows == 0 {
                        return Err(error);
                    }
                    self.failure = Some(error);
                    break;
                }
            };
            if let Item::Record(record) = &item {
                scanned = scanned.saturating_add(record.block.len());
            }
            if let Some(row) = self.row(&item, length) {
                for builder in &mut builders {
                    bytes = bytes.saturating_add(builder.append(&row));
                }
                rows = rows.saturating_add(1);
            }
            self.items.recycle(item);
        }
        if self.has_ended && rows == 0 {
            return Ok(None);
        }
        let columns = builders.into_iter().map(Builder::finish).collect();
        let options = arrow_array::RecordBatchOptions::new().with_row_count(Some(rows));
        RecordBatch::try_new_with_options(Arc::clone(&self.schema), columns, &options)
            .map(Some)
            .map_err(from_arrow)
    }

    /// Returns the row of an item; `None` if the filter drops it.
    fn row<'i>(&'i self, item: &'i Item, length: Option<u64>) -> Option<Row<'i>> {
        match item {
            Item::Damage(_) if self.filter.drops_faults => None,
            Item::Damage(damage) => Some(Row::of_damage(self.items.name(), damage)),
            Item::Record(record) => {
                if !self.filter.contains_type(record) {
                    return None;
                }
                let has = |wanted: &[RecordColumn]| {
                    self.columns.iter().any(|column| wanted.contains(column))
                };
                let reads_head = self.filter.reads_head() || has(&RecordColumn::OF_HEAD);
                let row = Row::of_record(self.items.name(), record, length, reads_head);
                let row = self.filter.contains(&row).then_some(row)?;
                Some(if has(&[RecordColumn::Payload]) {
                    row.with_payload()
                } else {
                    row
                })
            }
        }
    }
}

/// Returns the error for values that do not fit into a batch: more than 2 GiB, which the limits of a batch do not allow.
fn from_arrow(error: ArrowError) -> Error {
    Error::Record(error.into())
}

#[cfg(test)]
mod tests;
