//! Batches as Parquet and Arrow files, compressed with Zstandard.

use super::column_builder::Cell;
use super::columnar::{BatchBuilder, BatchSink, Columnar, TableColumn, arrow_error, schema};
use super::columns::Column;
use arrow_array::RecordBatch;
use arrow_ipc::CompressionType;
use arrow_ipc::writer::{FileWriter, IpcWriteOptions, StreamWriter};
use arrow_schema::SchemaRef;
use parquet::arrow::ArrowWriter;
use parquet::basic::{Compression, ZstdLevel};
use parquet::errors::ParquetError;
use parquet::file::properties::WriterProperties;
use robots_policy::decision::Value;
use std::io::{self, Write};
use std::sync::Arc;

/// The approximate maximum size of a row group of a Parquet file: 16 MiB.
const ROW_GROUP_BYTES: usize = 16 << 20;

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
        let batches = parquet_writer(writer, &schema)?;
        let columns = columns.iter().copied();
        Ok(Self(BatchBuilder::new(schema, columns, batches)))
    }

    /// Adds a row: a value for each column, in order.
    ///
    /// # Errors
    ///
    /// If a batch of rows cannot be written, or has no value in a column that is not optional. Batches are written when they
    /// are full: the error may be about an earlier row.
    pub fn add<'v>(&mut self, values: impl IntoIterator<Item = Value<'v>>) -> io::Result<()> {
        self.0.add(values.into_iter().map(Cell::Value))
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

/// Returns a sink that writes a Parquet file, compressed with Zstandard.
pub(super) fn parquet<W: Write + Send>(
    writer: W,
    columns: &[Column],
) -> io::Result<Columnar<ArrowWriter<W>>> {
    Columnar::with(columns, |schema| parquet_writer(writer, schema))
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
    let options = arrow_options()?;
    let receiver = |schema: &SchemaRef| FileWriter::try_new_with_options(writer, schema, options);
    Columnar::with(columns, receiver).map_err(arrow_error)
}

/// Returns a sink that writes an Arrow IPC stream, compressed with Zstandard: its reader need not seek.
pub(super) fn arrow_stream<W: Write>(
    writer: W,
    columns: &[Column],
) -> io::Result<Columnar<StreamWriter<W>>> {
    let options = arrow_options()?;
    let receiver = |schema: &SchemaRef| StreamWriter::try_new_with_options(writer, schema, options);
    Columnar::with(columns, receiver).map_err(arrow_error)
}

fn arrow_options() -> io::Result<IpcWriteOptions> {
    IpcWriteOptions::default()
        .try_with_compression(Some(CompressionType::ZSTD))
        .map_err(arrow_error)
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

impl<W: Write> BatchSink for StreamWriter<W> {
    fn write(&mut self, batch: &RecordBatch) -> io::Result<()> {
        self.write(batch).map_err(arrow_error)
    }

    fn finish(&mut self) -> io::Result<()> {
        self.finish().map_err(arrow_error)?;
        self.get_mut().flush()
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
