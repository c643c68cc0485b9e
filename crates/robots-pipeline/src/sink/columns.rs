//! The columns of rows: the origin of the page, and the flat values of the decision ([`Decision::columns`]).
//!
//! docs/columns.md is this list as a table; a test compares the two.

use super::{FileOutput, Filter, RowContext};
use robots_policy::Decision;
use robots_policy::decision::{Value, ValueType};
use std::borrow::Cow;

/// The name of the column with the fields in which decisions differ.
pub(super) const DIFFERS: &str = "differs";

/// A column of rows.
#[derive(Debug, Clone, Copy)]
pub struct Column {
    source: ColumnSource,
}

/// The source of the values of a column.
#[derive(Debug, Clone, Copy)]
enum ColumnSource {
    File,
    Offset,
    Status,
    Differs,
    Decision(&'static robots_policy::decision::Column),
}

impl Column {
    const fn new(source: ColumnSource) -> Self {
        Self { source }
    }

    /// Returns the name.
    pub fn name(self) -> &'static str {
        match self.source {
            ColumnSource::File => "file",
            ColumnSource::Offset => "offset",
            ColumnSource::Status => "status",
            ColumnSource::Differs => DIFFERS,
            ColumnSource::Decision(column) => column.name(),
        }
    }

    /// Returns a description, as a sentence.
    pub fn about(self) -> &'static str {
        match self.source {
            ColumnSource::File => "The archive, or the saved page.",
            ColumnSource::Offset => {
                "The offset of the record in the archive, in bytes; in gzip or Zstandard, that of its member or frame. A saved page has none."
            }
            ColumnSource::Status => {
                "The HTTP status of the response; no value if there was no response."
            }
            ColumnSource::Differs => {
                "The fields in which the decisions for the robot differ between profiles; if each robot has one profile, between robots."
            }
            ColumnSource::Decision(column) => column.about(),
        }
    }

    /// Returns the possible values, if they are words of a closed set; otherwise nothing.
    pub fn words(self) -> &'static [&'static str] {
        match self.source {
            ColumnSource::File
            | ColumnSource::Offset
            | ColumnSource::Status
            | ColumnSource::Differs => &[],
            ColumnSource::Decision(column) => column.words(),
        }
    }

    /// Returns the type of the values.
    pub fn value_type(self) -> ValueType {
        match self.source {
            ColumnSource::File => ValueType::Text,
            ColumnSource::Offset | ColumnSource::Status => ValueType::Int,
            ColumnSource::Differs => ValueType::List,
            ColumnSource::Decision(column) => column.value_type(),
        }
    }

    /// Returns whether a row may have no value.
    pub fn is_optional(self) -> bool {
        match self.source {
            ColumnSource::File | ColumnSource::Differs => false,
            ColumnSource::Offset | ColumnSource::Status => true,
            ColumnSource::Decision(column) => column.is_optional(),
        }
    }

    /// Returns the value of a decision; a list is one text.
    pub fn value<'a>(self, row: &RowContext<'a>, decision: &'a Decision) -> Value<'a> {
        match self.source {
            ColumnSource::File => Value::Text(Cow::Borrowed(row.file)),
            ColumnSource::Offset => int(row.offset),
            ColumnSource::Status => int(row.status),
            ColumnSource::Differs => {
                let names = row.differs.iter().map(|field| field.name());
                Value::List(names.map(Cow::Borrowed).collect())
            }
            ColumnSource::Decision(column) => column.value(decision),
        }
    }
}

fn int(number: Option<impl TryInto<i64>>) -> Value<'static> {
    let number = number.map(|number| number.try_into().unwrap_or(i64::MAX));
    number.map_or(Value::Nothing, Value::Int)
}

/// Returns the columns of every row, in order.
pub fn columns() -> impl Iterator<Item = Column> {
    let of_row = [
        ColumnSource::File,
        ColumnSource::Offset,
        ColumnSource::Status,
    ];
    let of_decision = Decision::columns().iter().map(ColumnSource::Decision);
    of_row.into_iter().chain(of_decision).map(Column::new)
}

/// Returns the additional columns with all reasons and warnings, as JSON.
pub fn explanation_columns() -> impl Iterator<Item = Column> {
    let columns = Decision::explaining_columns().iter();
    columns.map(ColumnSource::Decision).map(Column::new)
}

/// Returns all columns, with those that rows have only on request: the reasons and warnings, and the differences.
pub fn all_columns() -> impl Iterator<Item = Column> {
    let differs = Column::new(ColumnSource::Differs);
    columns().chain(explanation_columns()).chain([differs])
}

/// Returns the columns of the fields of an output. Without fields, returns all; those of reasons and warnings only if the output explains,
/// and that of differences only if it is filtered by them.
///
/// # Errors
///
/// The first name without a column.
pub(super) fn chosen(output: &FileOutput) -> Result<Vec<Column>, String> {
    let Some(fields) = &output.fields else {
        let explanation = explanation_columns().filter(|_| output.explain);
        let differs = output.only.contains(&Filter::Differs);
        let differs = differs.then_some(Column::new(ColumnSource::Differs));
        return Ok(columns().chain(explanation).chain(differs).collect());
    };
    fields
        .iter()
        .map(|field| {
            all_columns()
                .find(|column| column.name() == field)
                .ok_or_else(|| field.clone())
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the row of a column in docs/columns.md.
    fn row(column: Column) -> String {
        let value_type = match column.value_type() {
            ValueType::List => "list of strings",
            ValueType::Text => "string",
            ValueType::Bool => "bool",
            ValueType::Int => "int64",
            ValueType::Float => "double",
            ValueType::Time => "timestamp[ms, UTC]",
            other => panic!("{other:?}"),
        };
        let null = if column.is_optional() { "yes" } else { "no" };
        let words: Vec<String> = column
            .words()
            .iter()
            .map(|word| format!("`{word}`"))
            .collect();
        let words = match words.as_slice() {
            [] => String::new(),
            words => format!(" One of {}.", words.join(", ")),
        };
        let (name, about) = (column.name(), column.about());
        format!("| `{name}` | {value_type} | {null} | {about}{words} |")
    }

    #[test]
    fn columns_are_as_documented() {
        let doc = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/columns.md");
        let doc = std::fs::read_to_string(doc).unwrap();
        let documented: Vec<&str> = doc.lines().filter(|line| line.starts_with("| `")).collect();
        let rows: Vec<String> = all_columns().map(row).collect();
        assert_eq!(
            rows,
            documented,
            "docs/columns.md needs:\n{}",
            rows.join("\n")
        );
    }
}
