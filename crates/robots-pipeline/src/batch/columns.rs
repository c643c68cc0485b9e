//! The columns of batches of pages, found by their names in a schema.

use super::headers::{Headers, name_and_value};
use super::row::Pages;
use super::values::{Bytes, Numbers, Times, is_text, value_type};
use arrow_array::{Array, ArrayRef};
use arrow_schema::{DataType, Schema};
use std::fmt;
use thiserror::Error as ThisError;

/// A column of a batch of pages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PageColumn {
    Url,
    Html,
    Status,
    Headers,
    RobotsTxt,
    RobotsStatus,
    RobotsContentType,
    RobotsFetchedAt,
    FetchedAt,
}

impl PageColumn {
    const ALL: [Self; 9] = [
        Self::Url,
        Self::Html,
        Self::Status,
        Self::Headers,
        Self::RobotsTxt,
        Self::RobotsStatus,
        Self::RobotsContentType,
        Self::RobotsFetchedAt,
        Self::FetchedAt,
    ];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Url => "url",
            Self::Html => "html",
            Self::Status => "status",
            Self::Headers => "headers",
            Self::RobotsTxt => "robots_txt",
            Self::RobotsStatus => "robots_status",
            Self::RobotsContentType => "robots_content_type",
            Self::RobotsFetchedAt => "robots_fetched_at",
            Self::FetchedAt => "fetched_at",
        }
    }

    fn is_required(self) -> bool {
        matches!(self, Self::Url | Self::Html)
    }

    /// Returns a description of the types that the column may have.
    fn expected(self) -> &'static str {
        match self {
            Self::Url | Self::Html | Self::RobotsTxt | Self::RobotsContentType => {
                "strings or binary"
            }
            Self::Status | Self::RobotsStatus => "numbers",
            Self::Headers => "strings, binary, a list of structs with name and value, or a map",
            Self::RobotsFetchedAt | Self::FetchedAt => {
                "timestamps, dates, seconds since 1970, or strings"
            }
        }
    }

    fn accepts(self, data_type: &DataType) -> bool {
        let is_bytes = |data_type: &DataType| {
            let of_bytes = [
                DataType::Null,
                DataType::Binary,
                DataType::LargeBinary,
                DataType::BinaryView,
            ];
            is_text(data_type) || of_bytes.contains(value_type(data_type))
        };
        let is_number = |data_type: &DataType| {
            let data_type = value_type(data_type);
            data_type.is_integer()
                || matches!(
                    data_type,
                    DataType::Null
                        | DataType::Float32
                        | DataType::Float64
                        | DataType::Decimal128(_, 0)
                )
        };
        match self {
            // Rows of the null type need no bytes: a batch could state any number of them.
            Self::Url => is_bytes(data_type) && *value_type(data_type) != DataType::Null,
            Self::Html | Self::RobotsTxt | Self::RobotsContentType => is_bytes(data_type),
            Self::Status | Self::RobotsStatus => is_number(data_type),
            Self::RobotsFetchedAt | Self::FetchedAt => {
                let is_timestamp = matches!(data_type, DataType::Timestamp(..) | DataType::Date32);
                is_timestamp || is_number(data_type) || is_bytes(data_type)
            }
            Self::Headers => match data_type {
                DataType::List(items) | DataType::LargeList(items) | DataType::Map(items, _) => {
                    let DataType::Struct(fields) = items.data_type() else {
                        return false;
                    };
                    let is_bytes_at = |at: usize| {
                        let field = fields.get(at);
                        field.is_some_and(|field| is_bytes(field.data_type()))
                    };
                    name_and_value(fields)
                        .is_some_and(|(name, value)| is_bytes_at(name) && is_bytes_at(value))
                }
                other => is_bytes(other),
            },
        }
    }
}

/// The reason why the rows of a schema are not pages.
#[derive(Debug, Clone, PartialEq, Eq, ThisError)]
#[non_exhaustive]
pub enum ColumnError {
    /// A column is missing.
    #[error("no column {column:?}: the columns are {}", Names(.names))]
    Missing {
        /// The name of the missing column.
        column: &'static str,
        /// The names of the columns that are there.
        names: Vec<String>,
    },
    /// Several columns have this name.
    #[error("several columns with the name {0:?}")]
    Repeated(&'static str),
    /// A column has another type.
    #[error("column {column:?} has the type {data_type}: expected {expected}")]
    Type {
        /// The name of the column.
        column: &'static str,
        /// Its type.
        data_type: DataType,
        /// A description of the types that it may have.
        expected: &'static str,
    },
    /// The arrays are not those of the schema.
    #[error("column {0:?} is not as the schema states")]
    NotAsStated(&'static str),
}

/// Names in an error: up to ten.
struct Names<'a>(&'a [String]);

impl fmt::Display for Names<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let shown: Vec<String> = self
            .0
            .iter()
            .take(10)
            .map(|name| format!("{name:?}"))
            .collect();
        f.write_str(&shown.join(", "))?;
        match self.0.len() - shown.len() {
            0 => Ok(()),
            more => write!(f, " and {more} more"),
        }
    }
}

/// The columns of batches of pages, found by their names in a schema. Other columns are ignored.
#[derive(Debug, Clone)]
pub struct PageColumns {
    /// The columns, with their indexes in the schema and their types.
    found: Vec<(PageColumn, usize, DataType)>,
}

impl PageColumns {
    /// Returns a description of the types that the column of this name may have; `None` if it is not read.
    pub fn expected(name: &str) -> Option<&'static str> {
        let mut columns = PageColumn::ALL.iter();
        let column = columns.find(|column| column.name() == name)?;
        Some(column.expected())
    }

    /// Finds the columns of a schema.
    ///
    /// # Errors
    ///
    /// If `url` or `html` is missing, or if a column has a type that cannot be read or is there twice.
    pub fn of(schema: &Schema) -> Result<Self, ColumnError> {
        let mut found = Vec::new();
        for column in PageColumn::ALL {
            let fields = schema.fields().iter().enumerate();
            let mut named = fields.filter(|(_, field)| field.name() == column.name());
            let Some((index, field)) = named.next() else {
                if column.is_required() {
                    let names = schema.fields().iter().map(|field| field.name().clone());
                    return Err(ColumnError::Missing {
                        column: column.name(),
                        names: names.collect(),
                    });
                }
                continue;
            };
            if named.next().is_some() {
                return Err(ColumnError::Repeated(column.name()));
            }
            let data_type = field.data_type();
            if !column.accepts(data_type) {
                return Err(ColumnError::Type {
                    column: column.name(),
                    data_type: data_type.clone(),
                    expected: column.expected(),
                });
            }
            found.push((column, index, data_type.clone()));
        }
        Ok(Self { found })
    }

    /// Returns the indexes in the schema and the types of the columns that are read, in the order of
    /// [`pages`](Self::pages).
    pub fn indexes(&self) -> impl Iterator<Item = (usize, &DataType)> {
        self.found
            .iter()
            .map(|(_, index, data_type)| (*index, data_type))
    }

    /// Returns the pages of arrays, given for the columns of [`indexes`](Self::indexes). An array of texts may be given as
    /// one of bytes: they are checked where they must be UTF-8.
    ///
    /// # Errors
    ///
    /// If an array does not have the type of its column, or not this number of rows.
    pub fn pages(&self, arrays: &[ArrayRef], rows: usize) -> Result<Pages, ColumnError> {
        let mut pages = Pages::new(rows);
        let mut arrays = arrays.iter();
        for (column, _, data_type) in &self.found {
            let wrong = || ColumnError::NotAsStated(column.name());
            let array = arrays.next().filter(|array| array.len() >= rows);
            let array = array.ok_or_else(wrong)?;
            let bytes = || Bytes::of(array).ok_or_else(wrong);
            match column {
                PageColumn::Url => pages.urls = bytes()?,
                PageColumn::Html => {
                    pages.html = bytes()?;
                    pages.is_decoded = is_text(data_type);
                }
                PageColumn::Status => pages.statuses = Numbers::of(array).ok_or_else(wrong)?,
                PageColumn::Headers => pages.headers = Headers::of(array).ok_or_else(wrong)?,
                PageColumn::RobotsTxt => pages.robots_txt = bytes()?,
                PageColumn::RobotsStatus => {
                    pages.robots_statuses = Numbers::of(array).ok_or_else(wrong)?;
                }
                PageColumn::RobotsContentType => pages.robots_types = bytes()?,
                PageColumn::RobotsFetchedAt => {
                    pages.robots_times = Times::of(array).ok_or_else(wrong)?;
                }
                PageColumn::FetchedAt => pages.times = Times::of(array).ok_or_else(wrong)?,
            }
        }
        Ok(pages)
    }
}
