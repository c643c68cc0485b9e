//! Decisions as Arrow batches: columns of typed values.

use super::column_builder::{BatchRows, Cell, ColumnBuilder};
use super::columns::{Column, columns, evidence_columns, explanation_columns};
use super::{RowContext, Sink};
use arrow_array::RecordBatch;
use arrow_schema::{ArrowError, Schema, SchemaRef};
use robots_policy::Decision;
use robots_policy::decision::ValueType;
use std::convert::Infallible;
use std::io;
use std::sync::Arc;

/// The maximum number of rows of a batch.
pub const BATCH_ROWS: usize = 4_096;

/// The number of bytes of values after which a batch ends: 4 MiB. Its last row may have more.
pub const BATCH_BYTES: usize = 4 << 20;

/// A receiver of batches.
pub trait BatchSink {
    /// Takes a batch.
    ///
    /// # Errors
    ///
    /// If it cannot be written.
    fn write(&mut self, batch: &RecordBatch) -> io::Result<()>;

    /// Writes the end. No batch may follow.
    ///
    /// # Errors
    ///
    /// If it cannot be written.
    fn finish(&mut self) -> io::Result<()>;
}

/// Keeps the batches in memory.
impl BatchSink for Vec<RecordBatch> {
    fn write(&mut self, batch: &RecordBatch) -> io::Result<()> {
        self.push(batch.clone());
        Ok(())
    }

    fn finish(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// A column of a table.
#[derive(Debug, Clone, Copy)]
#[allow(
    clippy::exhaustive_structs,
    reason = "a name, a type, and whether values are lists or may be missing: a column has no more"
)]
pub struct TableColumn {
    /// The name.
    pub name: &'static str,
    /// The type of the values.
    pub value_type: ValueType,
    /// Whether a row may have no value.
    pub is_optional: bool,
}

impl From<Column> for TableColumn {
    fn from(column: Column) -> Self {
        Self {
            name: column.name(),
            value_type: column.value_type(),
            is_optional: column.is_optional(),
        }
    }
}

/// A writer of rows in batches.
#[derive(Debug)]
pub(super) struct BatchBuilder<B> {
    rows: BatchRows,
    pub(super) batches: B,
}

impl<B: BatchSink> BatchBuilder<B> {
    /// Returns a writer without rows, for columns with this schema.
    pub(super) fn new(
        schema: SchemaRef,
        columns: impl Iterator<Item = TableColumn>,
        batches: B,
    ) -> Self {
        let columns = columns.map(|column| ColumnBuilder::new(column.value_type));
        Self {
            rows: BatchRows::new(schema, columns),
            batches,
        }
    }

    /// Adds a row: a cell for each column.
    pub(super) fn add<'v>(&mut self, cells: impl Iterator<Item = Cell<'v>>) -> io::Result<()> {
        self.rows.add(cells);
        if self.rows.rows < BATCH_ROWS && self.rows.bytes < BATCH_BYTES {
            return Ok(());
        }
        self.write_batch()
    }

    pub(super) fn write_batch(&mut self) -> io::Result<()> {
        if self.rows.rows == 0 {
            return Ok(());
        }
        let batch = self.rows.take().map_err(arrow_error)?;
        self.batches.write(&batch)
    }
}

/// A sink that makes batches of rows.
#[derive(Debug)]
pub struct Columnar<B> {
    columns: Vec<Column>,
    builder: BatchBuilder<B>,
}

impl Columnar<Vec<RecordBatch>> {
    /// Returns a sink that keeps batches with all columns in memory, with those of reasons and warnings if it `explains`, and with
    /// these and those of [`evidence`](crate::evidence) if it has evidence.
    pub fn in_memory(explains: bool, evidence: bool) -> Self {
        let explanation = explanation_columns().filter(|_| explains || evidence);
        let evidence = evidence_columns().filter(|_| evidence);
        let columns: Vec<Column> = columns().chain(explanation).chain(evidence).collect();
        let Ok(sink) = Self::with(&columns, |_| Ok::<_, Infallible>(Vec::new()));
        sink
    }

    /// Returns the schema of the batches.
    pub fn schema(&self) -> &SchemaRef {
        &self.builder.rows.schema
    }

    /// Returns the rows that are in no complete batch as a batch, which may be empty, and forgets them.
    ///
    /// # Errors
    ///
    /// If the columns do not have the types of the schema, which is a defect of this crate.
    pub fn take_rows(&mut self) -> io::Result<RecordBatch> {
        self.builder.rows.take().map_err(arrow_error)
    }

    /// Returns the batches that are complete, and forgets them.
    pub fn take_batches(&mut self) -> Vec<RecordBatch> {
        std::mem::take(&mut self.builder.batches)
    }
}

impl<B: BatchSink> Columnar<B> {
    /// Returns a sink with these columns, for the receiver of batches that `receiver` returns for their schema.
    pub(super) fn with<E>(
        columns: &[Column],
        receiver: impl FnOnce(&SchemaRef) -> Result<B, E>,
    ) -> Result<Self, E> {
        let of_table = columns.iter().copied().map(TableColumn::from);
        let schema = schema(of_table.clone());
        let batches = receiver(&schema)?;
        Ok(Self {
            columns: columns.to_vec(),
            builder: BatchBuilder::new(schema, of_table, batches),
        })
    }
}

impl<B: BatchSink> Sink for Columnar<B> {
    fn write(&mut self, row: &RowContext<'_>, decision: &Decision) -> io::Result<()> {
        let columns = self.columns.iter();
        self.builder
            .add(columns.map(|column| Cell::Value(column.value(row, decision))))
    }

    fn finish(&mut self) -> io::Result<()> {
        self.builder.write_batch()?;
        self.builder.batches.finish()
    }
}

/// Returns the schema of a table.
pub(super) fn schema(columns: impl Iterator<Item = TableColumn>) -> SchemaRef {
    let field = |column: TableColumn| {
        let builder = ColumnBuilder::new(column.value_type);
        builder.field(column.name, column.is_optional)
    };
    Arc::new(Schema::new(columns.map(field).collect::<Vec<_>>()))
}

pub(super) fn arrow_error(error: ArrowError) -> io::Error {
    match error {
        ArrowError::IoError(_, error) => error,
        other => io::Error::other(other),
    }
}
