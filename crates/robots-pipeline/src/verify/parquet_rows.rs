//! The rows of a Parquet file of decisions, as cells.

use crate::error::Error;
use crate::sink::csv::cell;
use arrow_array::cast::AsArray;
use arrow_array::types::{
    Float64Type, Int64Type, TimestampMicrosecondType, TimestampMillisecondType,
};
use arrow_array::{Array, RecordBatch};
use arrow_schema::{DataType, TimeUnit};
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use robots_meta::Timestamp;
use robots_policy::decision::Value;
use std::fs::File;
use std::io;
use std::path::Path;

/// The names of the columns of a file, and its batches.
pub(super) struct ParquetRows {
    pub(super) names: Vec<String>,
    pub(super) batches: Box<dyn Iterator<Item = Result<RecordBatch, Error>>>,
}

/// Opens a file.
///
/// # Errors
///
/// If it cannot be read, or is not Parquet, as one that is cut before its end.
pub(super) fn open(path: &Path) -> Result<ParquetRows, Error> {
    let read_error = {
        let path = path.to_owned();
        move |error: io::Error| Error::at("read", &path)(error)
    };
    let file = File::open(path).map_err(&read_error)?;
    let builder = ParquetRecordBatchReaderBuilder::try_new(file)
        .map_err(|error| read_error(io::Error::other(error)))?;
    let fields = builder.schema().fields();
    let names = fields.iter().map(|field| field.name().clone()).collect();
    let reader = builder
        .build()
        .map_err(|error| read_error(io::Error::other(error)))?;
    let batches =
        reader.map(move |batch| batch.map_err(|error| read_error(io::Error::other(error))));
    Ok(ParquetRows {
        names,
        batches: Box::new(batches),
    })
}

/// Returns the cell of a value; the error is the type of a column that decisions do not have.
pub(super) fn cell_at(column: &dyn Array, row: usize) -> Result<String, String> {
    if column.is_null(row) {
        return Ok(String::new());
    }
    let time = |seconds: i64| Value::Time(Timestamp::from_seconds(seconds));
    let value = match column.data_type() {
        DataType::Utf8 => Value::Text(column.as_string::<i32>().value(row).into()),
        DataType::LargeUtf8 => Value::Text(column.as_string::<i64>().value(row).into()),
        DataType::Utf8View => Value::Text(column.as_string_view().value(row).into()),
        DataType::Boolean => Value::Bool(column.as_boolean().value(row)),
        DataType::Int64 => Value::Int(column.as_primitive::<Int64Type>().value(row)),
        DataType::Float64 => Value::Float(column.as_primitive::<Float64Type>().value(row)),
        DataType::Timestamp(TimeUnit::Millisecond, _) => {
            let times = column.as_primitive::<TimestampMillisecondType>();
            time(times.value(row).div_euclid(1_000))
        }
        DataType::Timestamp(TimeUnit::Microsecond, _) => {
            let times = column.as_primitive::<TimestampMicrosecondType>();
            time(times.value(row).div_euclid(1_000_000))
        }
        DataType::List(_) => {
            let items = column.as_list::<i32>().value(row);
            let texts = items
                .as_string_opt::<i32>()
                .ok_or_else(|| column.data_type().to_string())?;
            let texts = texts
                .iter()
                .map(|text| text.unwrap_or_default().to_owned().into());
            return Ok(cell(Value::List(texts.collect())).into_owned());
        }
        other => return Err(other.to_string()),
    };
    Ok(cell(value).into_owned())
}
