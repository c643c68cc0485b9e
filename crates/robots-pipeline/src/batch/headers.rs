//! The header lines of rows: a text with lines, or a list of names and values.

use super::row::RowError;
use super::values::Bytes;
use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef};
use arrow_schema::{DataType, Fields};
use robots_archive::http::HeaderLines;
use robots_meta::header::control_characters_as_spaces;
use std::borrow::Cow;
use std::sync::Arc;

/// The header lines of the rows of a column.
#[derive(Debug, Clone)]
pub(crate) enum Headers {
    /// Lines, as HTTP writes them.
    Lines(Bytes),
    /// Lists or maps of names and values. The items of a row are those from its offset up to the next.
    Lists {
        /// The rows, for their nulls.
        rows: ArrayRef,
        offsets: Vec<i64>,
        items: NamesAndValues,
    },
}

/// The names and values of all header lines of a column.
#[derive(Debug, Clone)]
pub(crate) struct NamesAndValues {
    /// The structs of the lines, for their nulls.
    lines: ArrayRef,
    names: Bytes,
    values: Bytes,
}

impl NamesAndValues {
    fn of(items: &ArrayRef) -> Option<Self> {
        let structs = items.as_struct_opt()?;
        let (name, value) = name_and_value(structs.fields())?;
        Some(Self {
            lines: Arc::clone(items),
            names: Bytes::of(structs.column(name))?,
            values: Bytes::of(structs.column(value))?,
        })
    }

    /// Returns a line; `None` if it is null, or has no name. The memory of a null may have a name.
    fn line(&self, item: usize) -> Option<(&[u8], &[u8])> {
        if self.lines.is_null(item) {
            return None;
        }
        let name = self.names.get(item).filter(|name| !name.is_empty())?;
        Some((name, self.values.get(item).unwrap_or_default()))
    }
}

/// Returns the indexes of the fields of a header line: `name` or `key`, and `value`; in a struct of two fields with other
/// names, the first and the second.
pub(super) fn name_and_value(fields: &Fields) -> Option<(usize, usize)> {
    let at = |name: &str| fields.iter().position(|field| field.name() == name);
    match (at("name").or_else(|| at("key")), at("value")) {
        (Some(name), Some(value)) => Some((name, value)),
        _ if fields.len() == 2 => Some((0, 1)),
        _ => None,
    }
}

impl Headers {
    /// Returns the values of a column; `None` if they are not header lines.
    pub(crate) fn of(array: &ArrayRef) -> Option<Self> {
        let wide = |offsets: &[i32]| offsets.iter().copied().map(i64::from).collect();
        let (offsets, items) = match array.data_type() {
            DataType::List(_) => {
                let lists = array.as_list::<i32>();
                (wide(lists.value_offsets()), Arc::clone(lists.values()))
            }
            DataType::LargeList(_) => {
                let lists = array.as_list::<i64>();
                (lists.value_offsets().to_vec(), Arc::clone(lists.values()))
            }
            DataType::Map(..) => {
                let maps = array.as_map();
                let items: ArrayRef = Arc::new(maps.entries().clone());
                (wide(maps.value_offsets()), items)
            }
            _ => return Bytes::of(array).map(Self::Lines),
        };
        Some(Self::Lists {
            rows: Arc::clone(array),
            offsets,
            items: NamesAndValues::of(&items)?,
        })
    }

    /// Returns the header lines of a row; none for a null.
    ///
    /// # Errors
    ///
    /// If a line of a list is null, or has no name.
    pub(crate) fn get(&self, row: usize) -> Result<RowHeaders<'_>, RowError> {
        let (items, range) = match self {
            Self::Lines(lines) => {
                let lines = lines.get(row).unwrap_or_default();
                return Ok(RowHeaders::of_lines(lines));
            }
            Self::Lists {
                rows,
                offsets,
                items,
            } => {
                let at = |row: usize| offsets.get(row).and_then(|&at| usize::try_from(at).ok());
                let (from, until) = (at(row), at(row + 1));
                let range = from.unwrap_or_default()..until.unwrap_or_default();
                (items, if rows.is_null(row) { 0..0 } else { range })
            }
        };
        let mut headers = RowHeaders::default();
        headers.pairs.reserve(range.len());
        for (number, item) in range.enumerate() {
            let (name, value) = items.line(item).ok_or(RowError::NoName(number))?;
            headers
                .pairs
                .push((name, control_characters_as_spaces(value)));
        }
        Ok(headers)
    }
}

/// The header lines of a row.
#[derive(Debug, Default)]
pub(crate) struct RowHeaders<'a> {
    blocks: Vec<HeaderLines<'a>>,
    pairs: Vec<(&'a [u8], Cow<'a, [u8]>)>,
}

impl<'a> RowHeaders<'a> {
    /// Reads lines as HTTP writes them. Empty lines do not end them.
    pub(crate) fn of_lines(mut rest: &'a [u8]) -> Self {
        let mut headers = Self::default();
        while !rest.is_empty() {
            let read = HeaderLines::read(rest);
            rest = rest.get(read.length()..).unwrap_or_default();
            if read.iter().next().is_some() {
                headers.blocks.push(read);
            }
        }
        headers
    }

    /// Returns the names and values, in order.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (&[u8], &[u8])> {
        let lines = self.blocks.iter().flat_map(HeaderLines::iter);
        let lines = lines.map(|(name, value)| (name.as_bytes(), value));
        lines.chain(self.pairs.iter().map(|(name, value)| (*name, &**value)))
    }

    /// Returns whether lines past a limit were left out.
    pub(crate) fn is_cut(&self) -> bool {
        self.blocks.iter().any(HeaderLines::is_over_limit)
    }
}
