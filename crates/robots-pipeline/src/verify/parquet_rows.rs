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

/// Opens a file, of whose columns those for which `is_wanted` returns true are needed.
///
/// # Errors
///
/// If it cannot be read, or is not Parquet, as one that is cut before its end; or if a column that is needed has another type than
/// those of decisions.
pub(super) fn open(path: &Path, is_wanted: impl Fn(&str) -> bool) -> Result<ParquetRows, Error> {
    let read_error = {
        let path = path.to_owned();
        move |error: io::Error| Error::at("read", &path)(error)
    };
    let file = File::open(path).map_err(&read_error)?;
    let builder = ParquetRecordBatchReaderBuilder::try_new(file)
        .map_err(|error| read_error(io::Error::other(error)))?;
    let fields = builder.schema().fields();
    for field in fields.iter().filter(|field| is_wanted(field.name())) {
        if !is_known(field.data_type()) {
            let what = format!(
                "unexpected type {} of the column {}",
                field.data_type(),
                field.name()
            );
            return Err(read_error(io::Error::other(what)));
        }
    }
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

/// Returns whether a column of decisions may have a type: those that this program, Python and Spark write.
fn is_known(data_type: &DataType) -> bool {
    match data_type {
        DataType::Utf8
        | DataType::LargeUtf8
        | DataType::Boolean
        | DataType::Int64
        | DataType::Float64
        | DataType::Timestamp(TimeUnit::Millisecond | TimeUnit::Microsecond, _) => true,
        DataType::List(item) => *item.data_type() == DataType::Utf8,
        _ => false,
    }
}

/// Returns the cell of a value of a known type.
pub(super) fn cell_at(column: &dyn Array, row: usize) -> String {
    if column.is_null(row) {
        return String::new();
    }
    let time = |seconds: i64| Value::Time(Timestamp::from_seconds(seconds));
    let value = match column.data_type() {
        DataType::Utf8 => Value::Text(column.as_string::<i32>().value(row).into()),
        DataType::LargeUtf8 => Value::Text(column.as_string::<i64>().value(row).into()),
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
            let texts = items.as_string::<i32>().iter();
            let texts = texts.map(|text| text.unwrap_or_default().to_owned().into());
            return cell(Value::List(texts.collect())).into_owned();
        }
        // `open` refuses other types.
        _ => Value::Nothing,
    };
    cell(value).into_owned()
}
