//! Decisions as Arrow batches, Parquet files and Arrow files: columns of typed values.

use super::columns::{Column, columns, explanation_columns};
use super::{RowContext, Sink};
use arrow_array::builder::{
    BooleanBuilder, Float64Builder, Int64Builder, StringBuilder, TimestampMillisecondBuilder,
};
use arrow_array::{ArrayRef, RecordBatch};
use arrow_ipc::CompressionType;
use arrow_ipc::writer::{FileWriter, IpcWriteOptions};
use arrow_schema::{ArrowError, DataType, Field, Schema, SchemaRef, TimeUnit};
use parquet::arrow::ArrowWriter;
use parquet::basic::{Compression, ZstdLevel};
use parquet::errors::ParquetError;
use parquet::file::properties::WriterProperties;
use robots_policy::Decision;
use robots_policy::decision::{Value, ValueType};
use std::io::{self, Write};
use std::sync::Arc;

/// The maximum number of rows of a batch.
const BATCH_ROWS: usize = 4_096;

/// The approximate maximum size of the text in a batch: 4 MiB.
const BATCH_BYTES: usize = 4 << 20;

/// The approximate maximum size of a row group of a Parquet file: 16 MiB.
const ROW_GROUP_BYTES: usize = 16 << 20;

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
    reason = "a name, a type, and whether values may be missing: a column has no more"
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

/// A builder of batches from rows of values.
#[derive(Debug)]
struct BatchBuilder<B> {
    schema: SchemaRef,
    columns: Vec<Builder>,
    rows: usize,
    /// The size of the text in these rows, in bytes.
    bytes: usize,
    batches: B,
}

impl<B: BatchSink> BatchBuilder<B> {
    /// Adds a row: a value for each column.
    fn add<'v>(&mut self, values: impl Iterator<Item = Value<'v>>) -> io::Result<()> {
        for (builder, value) in self.columns.iter_mut().zip(values) {
            if let Value::Text(text) = &value {
                self.bytes = self.bytes.saturating_add(text.len());
            }
            builder.append(value);
        }
        self.rows = self.rows.saturating_add(1);
        if self.rows < BATCH_ROWS && self.bytes < BATCH_BYTES {
            return Ok(());
        }
        self.write_batch()
    }

    fn write_batch(&mut self) -> io::Result<()> {
        if self.rows == 0 {
            return Ok(());
        }
        (self.rows, self.bytes) = (0, 0);
        let columns = self.columns.iter_mut().map(Builder::finish).collect();
        let batch = RecordBatch::try_new(Arc::clone(&self.schema), columns);
        self.batches.write(&batch.map_err(arrow_error)?)
    }

    fn finish(&mut self) -> io::Result<()> {
        self.write_batch()?;
        self.batches.finish()
    }
}

/// A table as a Parquet file, compressed with Zstandard.
#[derive(Debug)]
pub struct ParquetTable<W: Write + Send>(BatchBuilder<ArrowWriter<W>>);

impl<W: Write + Send> ParquetTable<W> {
    /// Writes the start of the file.
    ///
    /// # Errors
    ///
    /// If it cannot be written.
    pub fn new(writer: W, columns: &[TableColumn]) -> io::Result<Self> {
        let schema = schema(columns.iter().copied());
        Ok(Self(BatchBuilder {
            batches: parquet_writer(writer, &schema)?,
            columns: builders(columns.iter().copied()),
            schema,
            rows: 0,
            bytes: 0,
        }))
    }

    /// Adds a row: a value for each column, in order.
    ///
    /// # Errors
    ///
    /// If a batch of rows cannot be written, or has no value in a column that is not optional. Batches are written when they
    /// are full: the error may be about an earlier row.
    pub fn add<'v>(&mut self, values: impl IntoIterator<Item = Value<'v>>) -> io::Result<()> {
        self.0.add(values.into_iter())
    }

    /// Writes the remaining rows and the end, and returns the writer.
    ///
    /// # Errors
    ///
    /// As for [`add`](Self::add).
    pub fn finish(mut self) -> io::Result<W> {
        self.0.write_batch()?;
        // This writes the end of the file, too.
        self.0.batches.into_inner().map_err(parquet_error)
    }
}

/// A sink that makes batches of rows.
#[derive(Debug)]
pub struct Columnar<B> {
    columns: Vec<Column>,
    builder: BatchBuilder<B>,
}

impl Columnar<Vec<RecordBatch>> {
    /// Returns a sink that keeps batches with all columns in memory, with those of reasons and warnings if it `explains`.
    pub fn in_memory(explains: bool) -> Self {
        let explanation = explanation_columns().filter(|_| explains);
        let columns: Vec<Column> = columns().chain(explanation).collect();
        let schema = schema(columns.iter().copied().map(TableColumn::from));
        Self::with(&columns, schema, Vec::new())
    }

    /// Returns the schema of the batches.
    pub fn schema(&self) -> &SchemaRef {
        &self.builder.schema
    }

    /// Returns the batches that are complete, and forgets them.
    pub fn take_batches(&mut self) -> Vec<RecordBatch> {
        std::mem::take(&mut self.builder.batches)
    }
}

impl<B: BatchSink> Columnar<B> {
    fn new(columns: &[Column], open: impl FnOnce(&SchemaRef) -> io::Result<B>) -> io::Result<Self> {
        let schema = schema(columns.iter().copied().map(TableColumn::from));
        let batches = open(&schema)?;
        Ok(Self::with(columns, schema, batches))
    }

    fn with(columns: &[Column], schema: SchemaRef, batches: B) -> Self {
        Self {
            columns: columns.to_vec(),
            builder: BatchBuilder {
                batches,
                schema,
                columns: builders(columns.iter().copied().map(TableColumn::from)),
                rows: 0,
                bytes: 0,
            },
        }
    }
}

impl<B: BatchSink> Sink for Columnar<B> {
    fn write(&mut self, row: &RowContext<'_>, decision: &Decision) -> io::Result<()> {
        let columns = self.columns.iter();
        self.builder
            .add(columns.map(|column| column.value(row, decision)))
    }

    /// Does nothing: a file is valid only after its end.
    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }

    fn finish(&mut self) -> io::Result<()> {
        self.builder.finish()
    }
}

fn schema(columns: impl Iterator<Item = TableColumn>) -> SchemaRef {
    Arc::new(Schema::new(columns.map(field).collect::<Vec<_>>()))
}

fn field(column: TableColumn) -> Field {
    let kind = match column.value_type {
        ValueType::Bool => DataType::Boolean,
        ValueType::Int => DataType::Int64,
        ValueType::Float => DataType::Float64,
        ValueType::Time => DataType::Timestamp(TimeUnit::Millisecond, Some("UTC".into())),
        // `Builder::of` has the same cases.
        _ => DataType::Utf8,
    };
    Field::new(column.name, kind, column.is_optional)
}

fn builders(columns: impl Iterator<Item = TableColumn>) -> Vec<Builder> {
    columns
        .map(|column| Builder::of(column.value_type))
        .collect()
}

/// A builder of the values of a column.
#[derive(Debug)]
enum Builder {
    Text(StringBuilder),
    Bool(BooleanBuilder),
    Int(Int64Builder),
    Float(Float64Builder),
    Time(TimestampMillisecondBuilder),
}

impl Builder {
    fn of(value_type: ValueType) -> Self {
        match value_type {
            ValueType::Bool => Self::Bool(BooleanBuilder::new()),
            ValueType::Int => Self::Int(Int64Builder::new()),
            ValueType::Float => Self::Float(Float64Builder::new()),
            ValueType::Time => Self::Time(TimestampMillisecondBuilder::new().with_timezone("UTC")),
            _ => Self::Text(StringBuilder::new()),
        }
    }

    /// Appends a value of the column's type, or else null.
    fn append(&mut self, value: Value<'_>) {
        match (self, value) {
            (Self::Text(builder), Value::Text(text)) => builder.append_value(text),
            (Self::Bool(builder), Value::Bool(is)) => builder.append_value(is),
            (Self::Int(builder), Value::Int(number)) => builder.append_value(number),
            (Self::Float(builder), Value::Float(number)) => builder.append_value(number),
            (Self::Time(builder), Value::Time(time)) => {
                builder.append_value(time.as_seconds().saturating_mul(1_000));
            }
            (Self::Text(builder), _) => builder.append_null(),
            (Self::Bool(builder), _) => builder.append_null(),
            (Self::Int(builder), _) => builder.append_null(),
            (Self::Float(builder), _) => builder.append_null(),
            (Self::Time(builder), _) => builder.append_null(),
        }
    }

    fn finish(&mut self) -> ArrayRef {
        match self {
            Self::Text(builder) => Arc::new(builder.finish()),
            Self::Bool(builder) => Arc::new(builder.finish()),
            Self::Int(builder) => Arc::new(builder.finish()),
            Self::Float(builder) => Arc::new(builder.finish()),
            Self::Time(builder) => Arc::new(builder.finish()),
        }
    }
}

/// Returns a sink that writes a Parquet file, compressed with Zstandard.
pub(super) fn parquet<W: Write + Send>(
    writer: W,
    columns: &[Column],
) -> io::Result<Columnar<ArrowWriter<W>>> {
    Columnar::new(columns, |schema| parquet_writer(writer, schema))
}

fn parquet_writer<W: Write + Send>(writer: W, schema: &SchemaRef) -> io::Result<ArrowWriter<W>> {
    let properties = WriterProperties::builder()
        .set_compression(Compression::ZSTD(ZstdLevel::default()))
        .build();
    ArrowWriter::try_new(writer, Arc::clone(schema), Some(properties)).map_err(parquet_error)
}

/// Returns a sink that writes an Arrow IPC file, compressed with Zstandard.
pub(super) fn arrow<W: Write>(
    writer: W,
    columns: &[Column],
) -> io::Result<Columnar<FileWriter<W>>> {
    Columnar::new(columns, |schema| {
        let options = IpcWriteOptions::default()
            .try_with_compression(Some(CompressionType::ZSTD))
            .map_err(arrow_error)?;
        FileWriter::try_new_with_options(writer, schema, options).map_err(arrow_error)
    })
}

// `self.write` and `self.finish` call the writer's own methods of these names: Rust prefers them to those of the trait.
impl<W: Write + Send> BatchSink for ArrowWriter<W> {
    fn write(&mut self, batch: &RecordBatch) -> io::Result<()> {
        self.write(batch).map_err(parquet_error)?;
        if self.in_progress_size() >= ROW_GROUP_BYTES {
            self.flush().map_err(parquet_error)?;
        }
        Ok(())
    }

    fn finish(&mut self) -> io::Result<()> {
        self.finish().map_err(parquet_error)?;
        self.inner_mut().flush()
    }
}

// As above, `self.write` and `self.finish` are the writer's own methods.
impl<W: Write> BatchSink for FileWriter<W> {
    fn write(&mut self, batch: &RecordBatch) -> io::Result<()> {
        self.write(batch).map_err(arrow_error)
    }

    fn finish(&mut self) -> io::Result<()> {
        self.finish().map_err(arrow_error)?;
        self.get_mut().flush()
    }
}

fn arrow_error(error: ArrowError) -> io::Error {
    match error {
        ArrowError::IoError(_, error) => error,
        other => io::Error::other(other),
    }
}

fn parquet_error(error: ParquetError) -> io::Error {
    match error {
        ParquetError::External(error) => match error.downcast::<io::Error>() {
            Ok(error) => *error,
            Err(other) => io::Error::other(other),
        },
        other => io::Error::other(other),
    }
}
