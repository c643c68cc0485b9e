//! The columns of records, and the values of a row.

use crate::evidence::columns::int;
use crate::sink::column_builder::{Cell, ColumnBuilder};
use arrow_array::builder::BinaryBuilder;
use arrow_schema::Field;
use robots_archive::http::{Head, Response};
use robots_archive::{Cut, Damage, Record};
use robots_meta::value::MediaType;
use robots_policy::decision::{Value, ValueType};
use std::borrow::Cow;

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
        self.builder().field(self.name(), true)
    }

    pub(super) fn builder(self) -> ColumnBuilder {
        match self {
            Self::Offset | Self::Length | Self::Status => ColumnBuilder::of_batch(ValueType::Int),
            Self::Date => ColumnBuilder::of_batch(ValueType::Time),
            Self::Payload | Self::Block => ColumnBuilder::Bytes(BinaryBuilder::new()),
            Self::Headers => ColumnBuilder::pairs(["name", "value"]),
            _ => ColumnBuilder::of_batch(ValueType::Text),
        }
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

    /// Returns the cell of a column.
    pub(super) fn cell(&self, column: RecordColumn) -> Cell<'_> {
        let text =
            |text: Option<&'a str>| text.map_or(Value::Nothing, |text| Value::Text(text.into()));
        let of_record = |read: fn(&'a Record) -> Option<&'a str>| text(self.record.and_then(read));
        Cell::Value(match column {
            RecordColumn::File => text(Some(self.file)),
            RecordColumn::Offset => int(Some(self.offset)),
            RecordColumn::Length => int(self.length),
            RecordColumn::Type => of_record(|record| Some(&record.kind)),
            RecordColumn::TargetUri => of_record(|record| record.url.as_deref()),
            RecordColumn::Date => {
                let time = self.record.and_then(Record::captured_at);
                time.map_or(Value::Nothing, Value::Time)
            }
            RecordColumn::RecordId => of_record(|record| record.id.as_deref()),
            RecordColumn::Status => int(self.status()),
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
            RecordColumn::Headers => {
                let head = self.head.as_ref();
                let pairs = head.map(|head| Cell::Pairs(head.headers.texts().collect()));
                return pairs.unwrap_or(Cell::NOTHING);
            }
            RecordColumn::Payload | RecordColumn::Block => {
                let Some(record) = self.record else {
                    return Cell::NOTHING;
                };
                let is_payload = column == RecordColumn::Payload;
                return Cell::Bytes(if is_payload {
                    &self.payload
                } else {
                    &record.block
                });
            }
        })
    }
}
