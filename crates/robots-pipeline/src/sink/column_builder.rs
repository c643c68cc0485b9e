//! The builders of Arrow batches and of their columns.

use arrow_array::builder::{
    ArrayBuilder, BinaryBuilder, BooleanBuilder, Float64Builder, Int64Builder, ListBuilder,
    StringBuilder, StructBuilder, TimestampMicrosecondBuilder, TimestampMillisecondBuilder,
};
use arrow_array::{ArrayRef, RecordBatch, RecordBatchOptions};
use arrow_schema::{ArrowError, DataType, Field, Fields, SchemaRef, TimeUnit};
use robots_policy::decision::{Value, ValueType};
use std::sync::Arc;

/// The time zone of timestamps.
const UTC: &str = "UTC";

/// The value of a cell.
#[derive(Debug)]
pub(crate) enum Cell<'a> {
    Value(Value<'a>),
    Bytes(&'a [u8]),
    /// A list of names and values.
    Pairs(Vec<(&'a str, &'a str)>),
}

impl Cell<'_> {
    /// The cell of a row without a value.
    pub(crate) const NOTHING: Self = Self::Value(Value::Nothing);

    /// Returns the size of the texts or bytes, in bytes.
    pub(crate) fn bytes(&self) -> usize {
        match self {
            Self::Value(Value::Text(text)) => text.len(),
            Self::Value(Value::List(items)) => items.iter().map(|item| item.len()).sum(),
            Self::Value(_) => 0,
            Self::Bytes(bytes) => bytes.len(),
            Self::Pairs(pairs) => pairs
                .iter()
                .map(|(name, value)| name.len() + value.len())
                .sum(),
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
    Bytes(BinaryBuilder),
    /// Lists of structs with these two fields.
    Pairs(Fields, Box<ListBuilder<StructBuilder>>),
}

impl ColumnBuilder {
    /// Returns the builder of a column of a table: times are in milliseconds.
    pub(crate) fn new(value_type: ValueType) -> Self {
        match value_type {
            ValueType::List => Self::List(ListBuilder::new(StringBuilder::new())),
            ValueType::Bool => Self::Bool(BooleanBuilder::new()),
            ValueType::Int => Self::Int(Int64Builder::new()),
            ValueType::Float => Self::Float(Float64Builder::new()),
            ValueType::Time => Self::Time(TimestampMillisecondBuilder::new().with_timezone(UTC)),
            _ => Self::Text(StringBuilder::new()),
        }
    }

    /// Returns the builder of a column of a batch for other programs: times are in microseconds, as Spark has no others.
    pub(crate) fn of_batch(value_type: ValueType) -> Self {
        match value_type {
            ValueType::Time => {
                Self::MicrosecondTime(TimestampMicrosecondBuilder::new().with_timezone(UTC))
            }
            other => Self::new(other),
        }
    }

    /// Returns the builder of a column of lists of pairs: structs with two fields of these names.
    pub(crate) fn pairs(names: [&str; 2]) -> Self {
        let fields = Fields::from_iter(names.map(|name| Field::new(name, DataType::Utf8, true)));
        let texts = || -> Box<dyn ArrayBuilder> { Box::new(StringBuilder::new()) };
        let builder = StructBuilder::new(fields.clone(), vec![texts(), texts()]);
        Self::Pairs(fields, Box::new(ListBuilder::new(builder)))
    }

    /// Returns the field of a column of this name in a schema.
    pub(crate) fn field(&self, name: &str, is_optional: bool) -> Field {
        Field::new(name, self.data_type(), is_optional)
    }

    /// Returns the type of the values.
    fn data_type(&self) -> DataType {
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
            Self::Bytes(_) => DataType::Binary,
            Self::Pairs(fields, _) => {
                let item = DataType::Struct(fields.clone());
                DataType::List(Arc::new(Field::new_list_field(item, true)))
            }
        }
    }

    /// Returns the size of the texts, in bytes.
    fn text_bytes(&self) -> usize {
        match self {
            Self::Text(builder) => builder.values_slice().len(),
            Self::List(builder) => builder.values_ref().values_slice().len(),
            _ => 0,
        }
    }

    /// Appends the value of a cell of the column's type, or else null.
    fn append(&mut self, cell: Cell<'_>) {
        match (self, cell) {
            (Self::Text(builder), Cell::Value(Value::Text(text))) => builder.append_value(text),
            (Self::Bool(builder), Cell::Value(Value::Bool(is))) => builder.append_value(is),
            (Self::Int(builder), Cell::Value(Value::Int(number))) => builder.append_value(number),
            (Self::Float(builder), Cell::Value(Value::Float(number))) => {
                builder.append_value(number);
            }
            // A time of any year that a page can state.
            (Self::Time(builder), Cell::Value(Value::Time(time))) => {
                builder.append_value(time.as_seconds().saturating_mul(1_000));
            }
            (Self::MicrosecondTime(builder), Cell::Value(Value::Time(time))) => {
                builder.append_value(time.as_seconds().saturating_mul(1_000_000));
            }
            (Self::List(builder), Cell::Value(Value::List(items))) => {
                builder.append_value(items.iter().map(Some));
            }
            (Self::Bytes(builder), Cell::Bytes(bytes)) => builder.append_value(bytes),
            (Self::Pairs(_, builder), Cell::Pairs(pairs)) => {
                for (name, value) in pairs {
                    let pair = builder.values();
                    for (at, part) in [name, value].into_iter().enumerate() {
                        if let Some(texts) = pair.field_builder::<StringBuilder>(at) {
                            texts.append_value(part);
                        }
                    }
                    pair.append(true);
                }
                builder.append(true);
            }
            (Self::Text(builder), _) => builder.append_null(),
            (Self::Bool(builder), _) => builder.append_null(),
            (Self::Int(builder), _) => builder.append_null(),
            (Self::Float(builder), _) => builder.append_null(),
            (Self::Time(builder), _) => builder.append_null(),
            (Self::MicrosecondTime(builder), _) => builder.append_null(),
            (Self::List(builder), _) => builder.append_null(),
            (Self::Bytes(builder), _) => builder.append_null(),
            (Self::Pairs(_, builder), _) => builder.append_null(),
        }
    }

    fn finish(&mut self) -> ArrayRef {
        match self {
            Self::Text(builder) => Arc::new(builder.finish()),
            Self::Bool(builder) => Arc::new(builder.finish()),
            Self::Int(builder) => Arc::new(builder.finish()),
            Self::Float(builder) => Arc::new(builder.finish()),
            Self::Time(builder) => Arc::new(builder.finish()),
            Self::MicrosecondTime(builder) => Arc::new(builder.finish()),
            Self::List(builder) => Arc::new(builder.finish()),
            Self::Bytes(builder) => Arc::new(builder.finish()),
            Self::Pairs(_, builder) => Arc::new(builder.finish()),
        }
    }
}

/// A builder of batches from rows of cells.
#[derive(Debug)]
pub(crate) struct BatchRows {
    pub(crate) schema: SchemaRef,
    columns: Vec<ColumnBuilder>,
    /// The number of rows.
    pub(crate) rows: usize,
    /// The size of the texts and bytes in these rows, in bytes.
    pub(crate) bytes: usize,
}

impl BatchRows {
    /// Returns a builder without rows, for columns with this schema.
    pub(crate) fn new(schema: SchemaRef, columns: impl IntoIterator<Item = ColumnBuilder>) -> Self {
        Self {
            schema,
            columns: columns.into_iter().collect(),
            rows: 0,
            bytes: 0,
        }
    }

    /// Adds a row: a cell for each column.
    pub(crate) fn add<'v>(&mut self, cells: impl IntoIterator<Item = Cell<'v>>) {
        for (column, cell) in self.columns.iter_mut().zip(cells) {
            self.bytes += cell.bytes();
            column.append(cell);
        }
        self.rows += 1;
    }

    /// Returns whether no column would have more than `most` bytes of text with these cells.
    pub(crate) fn have_space(&self, cells: &[Cell<'_>], most: usize) -> bool {
        let mut columns = self.columns.iter().zip(cells);
        columns.all(|(column, cell)| column.text_bytes() + cell.bytes() <= most)
    }

    /// Returns the rows as a batch, and forgets them.
    ///
    /// # Errors
    ///
    /// If the columns do not have the types of the schema, or no value in a column that is not optional.
    pub(crate) fn take(&mut self) -> Result<RecordBatch, ArrowError> {
        let options = RecordBatchOptions::new().with_row_count(Some(self.rows));
        (self.rows, self.bytes) = (0, 0);
        let columns = self.columns.iter_mut().map(ColumnBuilder::finish).collect();
        RecordBatch::try_new_with_options(Arc::clone(&self.schema), columns, &options)
    }
}
