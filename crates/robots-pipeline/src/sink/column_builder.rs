//! The builders of columns of Arrow batches.

use arrow_array::ArrayRef;
use arrow_array::builder::{
    BooleanBuilder, Float64Builder, Int64Builder, StringBuilder, TimestampMillisecondBuilder,
};
use arrow_schema::{DataType, TimeUnit};
use robots_policy::decision::{Value, ValueType};
use std::sync::Arc;

/// Returns the type of the values in a batch.
pub(super) fn data_type(value_type: ValueType) -> DataType {
    match value_type {
        ValueType::Bool => DataType::Boolean,
        ValueType::Int => DataType::Int64,
        ValueType::Float => DataType::Float64,
        ValueType::Time => DataType::Timestamp(TimeUnit::Millisecond, Some("UTC".into())),
        // `ColumnBuilder::new` has the same cases.
        _ => DataType::Utf8,
    }
}

/// A builder of the values of a column.
#[derive(Debug)]
pub(super) enum ColumnBuilder {
    Text(StringBuilder),
    Bool(BooleanBuilder),
    Int(Int64Builder),
    Float(Float64Builder),
    Time(TimestampMillisecondBuilder),
}

impl ColumnBuilder {
    pub(super) fn new(value_type: ValueType) -> Self {
        match value_type {
            ValueType::Bool => Self::Bool(BooleanBuilder::new()),
            ValueType::Int => Self::Int(Int64Builder::new()),
            ValueType::Float => Self::Float(Float64Builder::new()),
            ValueType::Time => Self::Time(TimestampMillisecondBuilder::new().with_timezone("UTC")),
            _ => Self::Text(StringBuilder::new()),
        }
    }

    /// Appends a value of the column's type, or else null.
    pub(super) fn append(&mut self, value: Value<'_>) {
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

    pub(super) fn finish(&mut self) -> ArrayRef {
        match self {
            Self::Text(builder) => Arc::new(builder.finish()),
            Self::Bool(builder) => Arc::new(builder.finish()),
            Self::Int(builder) => Arc::new(builder.finish()),
            Self::Float(builder) => Arc::new(builder.finish()),
            Self::Time(builder) => Arc::new(builder.finish()),
        }
    }
}
