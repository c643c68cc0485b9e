//! Decisions as Parquet and Arrow files: columns of typed values, some thousand rows at once.

use super::columns::{Column, Kind, Value};
use super::{Row, Sink};
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
use std::io::{self, Write};
use std::sync::Arc;

/// How many rows are put together before they are written.
const BATCH_ROWS: usize = 4_096;

/// How many bytes of text are put together at the most, about: 4 MiB.
const BATCH_BYTES: usize = 4 << 20;

/// How many bytes of rows the writer of a Parquet file holds, about, before it ends a row group: 16 MiB.
const ROW_GROUP_BYTES: usize = 16 << 20;

/// Who writes batches of rows to a file.
pub(super) trait Batches {
    fn write(&mut self, batch: &RecordBatch) -> io::Result<()>;

    /// Writes what stands at the end of the file. Nothing can be written after it.
    fn finish(&mut self) -> io::Result<()>;
}

pub(super) struct Columnar<B> {
    schema: SchemaRef,
    columns: Vec<(&'static Column, Builder)>,
    rows: usize,
    /// How many bytes of text they have.
    bytes: usize,
    batches: B,
}

impl<B: Batches> Columnar<B> {
    pub(super) fn new(
        columns: &[&'static Column],
        open: impl FnOnce(&SchemaRef) -> io::Result<B>,
    ) -> io::Result<Self> {
        let fields: Vec<Field> = columns.iter().map(|column| field(column)).collect();
        let schema = Arc::new(Schema::new(fields));
        Ok(Self {
            batches: open(&schema)?,
            schema,
            columns: columns
                .iter()
                .map(|&column| (column, Builder::of(column.kind)))
                .collect(),
            rows: 0,
            bytes: 0,
        })
    }

    fn write_batch(&mut self) -> io::Result<()> {
        if self.rows == 0 {
            return Ok(());
        }
        (self.rows, self.bytes) = (0, 0);
        let columns = self.columns.iter_mut();
        let columns = columns.map(|(_, builder)| builder.finish()).collect();
        let batch = RecordBatch::try_new(Arc::clone(&self.schema), columns);
        self.batches.write(&batch.map_err(arrow_error)?)
    }
}

impl<B: Batches> Sink for Columnar<B> {
    fn write(&mut self, row: &Row<'_>, decision: &Decision) -> io::Result<()> {
        for (column, builder) in &mut self.columns {
            let value = column.value(row, decision);
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

    /// What is begun can only be ended.
    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }

    fn finish(&mut self) -> io::Result<()> {
        self.write_batch()?;
        self.batches.finish()
    }
}

fn field(column: &Column) -> Field {
    let kind = match column.kind {
        Kind::Text => DataType::Utf8,
        Kind::Bool => DataType::Boolean,
        Kind::Int => DataType::Int64,
        Kind::Float => DataType::Float64,
        Kind::Time => DataType::Timestamp(TimeUnit::Millisecond, Some("UTC".into())),
    };
    Field::new(column.name, kind, column.is_optional)
}

/// The values of a column.
#[derive(Debug)]
enum Builder {
    Text(StringBuilder),
    Bool(BooleanBuilder),
    Int(Int64Builder),
    Float(Float64Builder),
    Time(TimestampMillisecondBuilder),
}

impl Builder {
    fn of(kind: Kind) -> Self {
        match kind {
            Kind::Text => Self::Text(StringBuilder::new()),
            Kind::Bool => Self::Bool(BooleanBuilder::new()),
            Kind::Int => Self::Int(Int64Builder::new()),
            Kind::Float => Self::Float(Float64Builder::new()),
            Kind::Time => Self::Time(TimestampMillisecondBuilder::new().with_timezone("UTC")),
        }
    }

    /// A value of the column's kind; any other is none.
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

/// A Parquet file, compressed with Zstandard.
pub(super) fn parquet<W: Write + Send>(
    writer: W,
    columns: &[&'static Column],
) -> io::Result<Columnar<ArrowWriter<W>>> {
    Columnar::new(columns, |schema| {
        let properties = WriterProperties::builder()
            .set_compression(Compression::ZSTD(ZstdLevel::default()))
            .build();
        ArrowWriter::try_new(writer, Arc::clone(schema), Some(properties)).map_err(parquet_error)
    })
}

/// An Arrow IPC file, compressed with Zstandard.
pub(super) fn arrow<W: Write>(
    writer: W,
    columns: &[&'static Column],
) -> io::Result<Columnar<FileWriter<W>>> {
    Columnar::new(columns, |schema| {
        let options = IpcWriteOptions::default()
            .try_with_compression(Some(CompressionType::ZSTD))
            .map_err(arrow_error)?;
        FileWriter::try_new_with_options(writer, schema, options).map_err(arrow_error)
    })
}

impl<W: Write + Send> Batches for ArrowWriter<W> {
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

impl<W: Write> Batches for FileWriter<W> {
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
