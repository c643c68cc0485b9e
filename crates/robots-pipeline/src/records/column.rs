//! The columns of records, and the values of a row.

use crate::record_date::captured_at;
use crate::sink::column_builder::{Cell, ColumnBuilder};
use arrow_array::ArrayRef;
use arrow_array::builder::{
    ArrayBuilder, BinaryBuilder, ListBuilder, StringBuilder, StructBuilder,
};
use arrow_schema::{DataType, Field, Fields};
use robots_archive::http::{Head, Response};
use robots_archive::{Cut, Damage, Record};
use robots_meta::value::MediaType;
use robots_policy::decision::{Value, ValueType};
use std::borrow::Cow;
use std::sync::Arc;

/// A column of records.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum RecordColumn {
    /// The archive.
    File,
    /// The offset of the record in the archive, in bytes; in gzip or Zstandard, that of its member or frame.
    Offset,
    /// The number of bytes up to the next record: the length of a member with one record. Null for the records of a member but the
    /// last.
    Length,
    /// The type, such as `response`.
    Type,
    /// The URL that the record is about.
    TargetUri,
    /// The time of the capture.
    Date,
    /// The identifier.
    RecordId,
    /// The status of an HTTP response.
    Status,
    /// The MIME type of the payload, in lower case and without parameters: of an HTTP response that of its header, and else that
    /// of the block.
    MimeType,
    /// The `Content-Type` of the block, such as `application/http; msgtype=response`.
    ContentType,
    /// The header lines of an HTTP response: structs of name and value.
    Headers,
    /// The body of an HTTP response without its codings, or else the block.
    Payload,
    /// The block as it is in the archive.
    Block,
    /// The reason why the block is not whole: `limit`, `short`, `corrupt` or `truncated`.
    Truncated,
    /// The damage of the archive at this place. Such a row has no other values than file and offset.
    Error,
}

/// The names of the parts of a header line.
const HEADER_PARTS: [&str; 2] = ["name", "value"];

impl RecordColumn {
    /// All columns, in order.
    pub const ALL: &[Self] = &[
        Self::File,
        Self::Offset,
        Self::Length,
        Self::Type,
        Self::TargetUri,
        Self::Date,
        Self::RecordId,
        Self::Status,
        Self::MimeType,
        Self::ContentType,
        Self::Headers,
        Self::Payload,
        Self::Block,
        Self::Truncated,
        Self::Error,
    ];

    /// The columns whose values are in the head of a response.
    pub(super) const OF_HEAD: [Self; 4] =
        [Self::Status, Self::MimeType, Self::Headers, Self::Payload];

    /// Returns the name.
    pub fn name(self) -> &'static str {
        match self {
            Self::File => "file",
            Self::Offset => "offset",
            Self::Length => "length",
            Self::Type => "type",
            Self::TargetUri => "target_uri",
            Self::Date => "date",
            Self::RecordId => "record_id",
            Self::Status => "status",
            Self::MimeType => "mime_type",
            Self::ContentType => "content_type",
            Self::Headers => "headers",
            Self::Payload => "payload",
            Self::Block => "block",
            Self::Truncated => "truncated",
            Self::Error => "error",
        }
    }

    /// Returns the column of this name.
    pub fn by_name(name: &str) -> Option<Self> {
        Self::ALL
            .iter()
            .copied()
            .find(|column| column.name() == name)
    }

    pub(super) fn field(self) -> Field {
        Field::new(self.name(), Builder::new(self).data_type(), true)
    }
}

/// The values of a row.
pub(super) struct Row<'a> {
    file: &'a str,
    offset: u64,
    length: Option<u64>,
    record: Option<&'a Record>,
    /// The head of a response, if it was read.
    head: Option<Head<'a>>,
    payload: Cow<'a, [u8]>,
    error: Option<&'a str>,
}

impl<'a> Row<'a> {
    pub(super) fn of_damage(file: &'a str, damage: &'a Damage) -> Self {
        Self {
            file,
            offset: damage.offset,
            length: None,
            record: None,
            head: None,
            payload: Cow::Borrowed(&[]),
            error: Some(&damage.text),
        }
    }

    /// Returns the row of a record, without its payload. The head of a response is read only if `reads_head`.
    pub(super) fn of_record(
        file: &'a str,
        record: &'a Record,
        length: Option<u64>,
        reads_head: bool,
    ) -> Self {
        // A revisit has the head of the response, without the body that was archived before.
        let has_head = matches!(record.kind.as_str(), "response" | "revisit");
        let head = (reads_head && has_head).then(|| Head::read(&record.block));
        Self {
            file,
            offset: record.offset,
            length,
            record: Some(record),
            head: head.flatten(),
            payload: Cow::Borrowed(&[]),
            error: None,
        }
    }

    /// Adds the payload.
    pub(super) fn with_payload(mut self) -> Self {
        if let Some(record) = self.record {
            self.payload = match self.head.as_ref().map(|_| Response::parse(&record.block)) {
                Some(Ok(response)) => response.into_body(),
                _ => Cow::Borrowed(&record.block),
            };
        }
        self
    }

    pub(super) fn status(&self) -> Option<u16> {
        self.head.as_ref().map(|head| head.status)
    }

    pub(super) fn mime_type(&self) -> Option<String> {
        let media_type = match &self.head {
            Some(head) => MediaType::of_headers(head.headers.iter()),
            None => MediaType::parse(self.record?.content_type.as_deref()?),
        };
        (!media_type.is_missing()).then(|| media_type.essence().to_ascii_lowercase())
    }

    /// Returns the value of a column other than headers and bytes.
    fn value(&self, column: RecordColumn) -> Value<'_> {
        let text =
            |text: Option<&'a str>| text.map_or(Value::Nothing, |text| Value::Text(text.into()));
        let number = |number: u64| Value::Int(i64::try_from(number).unwrap_or(i64::MAX));
        let of_record = |read: fn(&'a Record) -> Option<&'a str>| text(self.record.and_then(read));
        match column {
            RecordColumn::File => text(Some(self.file)),
            RecordColumn::Offset => number(self.offset),
            RecordColumn::Length => self.length.map_or(Value::Nothing, number),
            RecordColumn::Type => of_record(|record| Some(&record.kind)),
            RecordColumn::TargetUri => of_record(|record| record.url.as_deref()),
            RecordColumn::Date => {
                let time = self.record.and_then(captured_at);
                time.map_or(Value::Nothing, Value::Time)
            }
            RecordColumn::RecordId => of_record(|record| record.id.as_deref()),
            RecordColumn::Status => self
                .status()
                .map_or(Value::Nothing, |status| Value::Int(status.into())),
            RecordColumn::MimeType => {
                let mime_type = self.mime_type();
                mime_type.map_or(Value::Nothing, |text| Value::Text(text.into()))
            }
            RecordColumn::ContentType => of_record(|record| record.content_type.as_deref()),
            RecordColumn::Truncated => of_record(|record| {
                Some(match record.cut? {
                    Cut::Limit => "limit",
                    Cut::Short => "short",
                    Cut::Corrupt => "corrupt",
                    Cut::Truncated => "truncated",
                    _ => return None,
                })
            }),
            RecordColumn::Error => text(self.error),
            RecordColumn::Headers | RecordColumn::Payload | RecordColumn::Block => Value::Nothing,
        }
    }

    /// Returns the bytes of a column; `None` in a row without a record.
    fn bytes(&self, column: RecordColumn) -> Option<&[u8]> {
        let record = self.record?;
        Some(if column == RecordColumn::Payload {
            &self.payload
        } else {
            &record.block
        })
    }
}

/// A builder of the values of a column.
pub(super) struct Builder {
    column: RecordColumn,
    values: Values,
}

enum Values {
    Scalar(ColumnBuilder),
    Bytes(BinaryBuilder),
    Headers(Box<ListBuilder<StructBuilder>>),
}

impl Builder {
    pub(super) fn new(column: RecordColumn) -> Self {
        let scalar = |value_type| Values::Scalar(ColumnBuilder::of_batch(value_type, false));
        let values = match column {
            RecordColumn::Offset | RecordColumn::Length | RecordColumn::Status => {
                scalar(ValueType::Int)
            }
            RecordColumn::Date => scalar(ValueType::Time),
            RecordColumn::Payload | RecordColumn::Block => Values::Bytes(BinaryBuilder::new()),
            RecordColumn::Headers => {
                let parts = HEADER_PARTS.map(|part| Field::new(part, DataType::Utf8, true));
                let texts = || -> Box<dyn ArrayBuilder> { Box::new(StringBuilder::new()) };
                let builders = parts.iter().map(|_| texts()).collect();
                let builder = StructBuilder::new(Fields::from(parts.to_vec()), builders);
                Values::Headers(Box::new(ListBuilder::new(builder)))
            }
            _ => scalar(ValueType::Text),
        };
        Self { column, values }
    }

    fn data_type(&self) -> DataType {
        match &self.values {
            Values::Scalar(builder) => builder.data_type(),
            Values::Bytes(_) => DataType::Binary,
            Values::Headers(_) => {
                let parts = HEADER_PARTS.map(|part| Field::new(part, DataType::Utf8, true));
                let item = DataType::Struct(Fields::from(parts.to_vec()));
                DataType::List(Arc::new(Field::new_list_field(item, true)))
            }
        }
    }

    /// Appends the value of a row. Returns its approximate size in bytes.
    pub(super) fn append(&mut self, row: &Row<'_>) -> usize {
        match &mut self.values {
            Values::Scalar(builder) => {
                let cell = Cell::Value(row.value(self.column));
                let bytes = cell.text_bytes().saturating_add(size_of::<u64>());
                builder.append_cell(cell);
                bytes
            }
            Values::Bytes(builder) => {
                let bytes = row.bytes(self.column);
                builder.append_option(bytes);
                bytes.map_or(0, <[u8]>::len)
            }
            Values::Headers(builder) => {
                let Some(head) = &row.head else {
                    builder.append_null();
                    return 0;
                };
                let mut bytes = 0_usize;
                for (name, value) in head.headers.texts() {
                    let line = builder.values();
                    for (at, part) in [name, value].into_iter().enumerate() {
                        bytes = bytes.saturating_add(part.len());
                        if let Some(texts) = line.field_builder::<StringBuilder>(at) {
                            texts.append_value(part);
                        }
                    }
                    line.append(true);
                }
                builder.append(true);
                bytes
            }
        }
    }

    pub(super) fn finish(self) -> ArrayRef {
        match self.values {
            Values::Scalar(mut builder) => builder.finish(),
            Values::Bytes(mut builder) => Arc::new(builder.finish()),
            Values::Headers(mut builder) => Arc::new(builder.finish()),
        }
    }
}
