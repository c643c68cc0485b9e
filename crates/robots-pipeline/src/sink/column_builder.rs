//! The builders of columns of Arrow batches.

use arrow_array::ArrayRef;
use arrow_array::builder::{
    BooleanBuilder, Float64Builder, Int64Builder, ListBuilder, StringBuilder,
    TimestampMicrosecondBuilder, TimestampMillisecondBuilder,
};
use arrow_schema::{DataType, Field, TimeUnit};
use robots_policy::decision::{Value, ValueType};
use std::borrow::Cow;
use std::sync::Arc;

/// The time zone of timestamps.
const UTC: &str = "UTC";

/// The value of a cell.
#[derive(Debug)]
pub(crate) enum Cell<'a> {
    Value(Value<'a>),
    /// A list of texts.
    Items(Vec<Cow<'a, str>>),
}

impl Cell<'_> {
    /// Returns the size of the text, in bytes.
    pub(crate) fn text_bytes(&self) -> usize {
        match self {
            Self::Value(Value::Text(text)) => text.len(),
            Self::Items(items) => items.iter().map(|item| item.len()).sum(),
            Self::Value(_) => 0,
        }
    }
}

/// A builder of the values of a column.
#[derive(Debug)]
pub(crate) enum ColumnBuilder {
    Text(StringBuilder),
    Bool(BooleanBuilder),
    Int(Int64Builder),
    Float(Float64Builder),
    /// In milliseconds.
    Time(TimestampMillisecondBuilder),
    /// In microseconds.
    MicrosecondTime(TimestampMicrosecondBuilder),
    /// Lists of texts.
    List(ListBuilder<StringBuilder>),
}

impl ColumnBuilder {
    /// Returns the builder of a column of a table: times are in milliseconds.
    pub(crate) fn new(value_type: ValueType, is_list: bool) -> Self {
        match value_type {
            _ if is_list => Self::List(ListBuilder::new(StringBuilder::new())),
            ValueType::Bool => Self::Bool(BooleanBuilder::new()),
            ValueType::Int => Self::Int(Int64Builder::new()),
            ValueType::Float => Self::Float(Float64Builder::new()),
            ValueType::Time => Self::Time(TimestampMillisecondBuilder::new().with_timezone(UTC)),
            _ => Self::Text(StringBuilder::new()),
        }
    }

    /// Returns the builder of a column of a batch for other programs: times are in microseconds, as Spark has no others.
    pub(crate) fn of_batch(value_type: ValueType, is_list: bool) -> Self {
        match value_type {
            ValueType::Time => {
                Self::MicrosecondTime(TimestampMicrosecondBuilder::new().with_timezone(UTC))
            }
            other => Self::new(other, is_list),
        }
    }

    /// Returns the type of the values.
    pub(crate) fn data_type(&self) -> DataType {
        match self {
            Self::Text(_) => DataType::Utf8,
            Self::Bool(_) => DataType::Boolean,
            Self::Int(_) => DataType::Int64,
            Self::Float(_) => DataType::Float64,
            Self::Time(_) => DataType::Timestamp(TimeUnit::Millisecond, Some(UTC.into())),
            Self::MicrosecondTime(_) => {
                DataType::Timestamp(TimeUnit::Microsecond, Some(UTC.into()))
            }
            // The name and the nulls of items are those of `ListBuilder`.
            Self::List(_) => DataType::List(Arc::new(Field::new_list_field(DataType::Utf8, true))),
        }
    }

    /// Returns the size of the texts, in bytes.
    pub(crate) fn text_bytes(&self) -> usize {
        match self {
            Self::Text(builder) => builder.values_slice().len(),
            Self::List(builder) => builder.values_ref().values_slice().len(),
            _ => 0,
        }
    }

    /// Appends the value of a cell of the column's type, or else null.
    pub(crate) fn append_cell(&mut self, cell: Cell<'_>) {
        match cell {
            Cell::Value(value) => self.append(value),
            Cell::Items(items) => self.append_items(&items),
        }
    }

    /// Appends a list, or else null.
    fn append_items(&mut self, items: &[Cow<'_, str>]) {
        match self {
            Self::List(builder) => {
                for item in items {
                    builder.values().append_value(item);
                }
                builder.append(true);
            }
            other => other.append(Value::Nothing),
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
            (Self::MicrosecondTime(builder), Value::Time(time)) => {
                builder.append_value(time.as_seconds().saturating_mul(1_000_000));
            }
            (Self::Text(builder), _) => builder.append_null(),
            (Self::Bool(builder), _) => builder.append_null(),
            (Self::Int(builder), _) => builder.append_null(),
            (Self::Float(builder), _) => builder.append_null(),
            (Self::Time(builder), _) => builder.append_null(),
            (Self::MicrosecondTime(builder), _) => builder.append_null(),
            (Self::List(builder), _) => builder.append_null(),
        }
    }

    pub(crate) fn finish(&mut self) -> ArrayRef {
        match self {
            Self::Text(builder) => Arc::new(builder.finish()),
            Self::Bool(builder) => Arc::new(builder.finish()),
            Self::Int(builder) => Arc::new(builder.finish()),
            Self::Float(builder) => Arc::new(builder.finish()),
            Self::Time(builder) => Arc::new(builder.finish()),
            Self::MicrosecondTime(builder) => Arc::new(builder.finish()),
            Self::List(builder) => Arc::new(builder.finish()),
        }
    }
}
