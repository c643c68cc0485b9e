//! The header lines of rows: a text with lines, or a list of names and values.

use super::row::RowError;
use super::values::Bytes;
use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, GenericListArray, LargeListArray, ListArray, OffsetSizeTrait};
use arrow_schema::{DataType, Field, Fields};
use robots_archive::http::HeaderLines;
use robots_meta::header::control_characters_as_spaces;
use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;

/// The header lines of the rows of a column.
#[derive(Debug, Clone)]
pub(crate) enum Headers {
    /// Lines, as HTTP writes them.
    Lines(Bytes),
    List(ListArray, NamesAndValues),
    LargeList(LargeListArray, NamesAndValues),
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
        Some(match array.data_type() {
            DataType::List(_) => {
                let list: &ListArray = array.as_list();
                Self::List(list.clone(), NamesAndValues::of(list.values())?)
            }
            DataType::LargeList(_) => {
                let list: &LargeListArray = array.as_list();
                Self::LargeList(list.clone(), NamesAndValues::of(list.values())?)
            }
            DataType::Map(..) => {
                let (_, offsets, entries, nulls, _) = array.as_map().clone().into_parts();
                let field = Field::new_list_field(entries.data_type().clone(), true);
                let items: ArrayRef = Arc::new(entries);
                let list = ListArray::try_new(field.into(), offsets, Arc::clone(&items), nulls);
                Self::List(list.ok()?, NamesAndValues::of(&items)?)
            }
            _ => Self::Lines(Bytes::of(array)?),
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
            Self::List(list, items) => (items, items_of(list, row)),
            Self::LargeList(list, items) => (items, items_of(list, row)),
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

/// Returns the indexes of the items of a row; none for a null.
fn items_of<O: OffsetSizeTrait>(list: &GenericListArray<O>, row: usize) -> Range<usize>
where
    usize: TryFrom<O>,
{
    if list.is_null(row) {
        return 0..0;
    }
    let offsets = list.value_offsets();
    let at = |row: usize| offsets.get(row).and_then(|&at| usize::try_from(at).ok());
    at(row).unwrap_or_default()..at(row + 1).unwrap_or_default()
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
