//! The columns of rows: the origin of the page, and the flat values of the decision ([`Decision::columns`]).
//!
//! docs/columns.md is this list as a table; a test compares the two.

use super::{FileOutput, Filter, RowContext};
use crate::evidence::columns::{COLUMNS, EvidenceColumn, TERMS_KEY, int};
use crate::overrides::Override;
use robots_policy::Decision;
use robots_policy::decision::{Value, ValueType};
use std::borrow::Cow;

/// The name of the column with the fields in which decisions differ.
pub(super) const DIFFERS: &str = "differs";

/// A column of rows.
#[derive(Debug, Clone, Copy)]
pub struct Column(ColumnSource);

/// The source of the values of a column.
#[derive(Debug, Clone, Copy)]
enum ColumnSource {
    File,
    Offset,
    Status,
    Differs,
    Decision(&'static robots_policy::decision::Column),
    Evidence(&'static EvidenceColumn),
    Override(OverrideColumn),
}

/// A column about the override of a decision.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum OverrideColumn {
    Decision,
    Who,
    Why,
    Until,
}

impl Column {
    /// Returns the name.
    pub fn name(self) -> &'static str {
        match self.0 {
            ColumnSource::File => "file",
            ColumnSource::Offset => "offset",
            ColumnSource::Status => "status",
            ColumnSource::Differs => DIFFERS,
            ColumnSource::Decision(column) => column.name(),
            ColumnSource::Evidence(column) => column.name,
            ColumnSource::Override(column) => match column {
                OverrideColumn::Decision => "override",
                OverrideColumn::Who => "override_who",
                OverrideColumn::Why => "override_why",
                OverrideColumn::Until => "override_until",
            },
        }
    }

    /// Returns a description, as a sentence.
    pub fn about(self) -> &'static str {
        match self.0 {
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
            ColumnSource::Evidence(column) => column.about,
            ColumnSource::Override(column) => match column {
                OverrideColumn::Decision => {
                    "The fields that a team decided otherwise, such as `may_train=yes`; empty without an override."
                }
                OverrideColumn::Who => "The person who decided so.",
                OverrideColumn::Why => "The reason.",
                OverrideColumn::Until => "The last day on which this is in force.",
            },
        }
    }

    /// Returns the possible values, if they are words of a closed set; otherwise nothing.
    pub fn words(self) -> &'static [&'static str] {
        match self.0 {
            ColumnSource::File
            | ColumnSource::Offset
            | ColumnSource::Status
            | ColumnSource::Differs
            | ColumnSource::Override(_) => &[],
            ColumnSource::Decision(column) => column.words(),
            ColumnSource::Evidence(column) => column.words,
        }
    }

    /// Returns the type of the values.
    pub fn value_type(self) -> ValueType {
        match self.0 {
            ColumnSource::Offset | ColumnSource::Status => ValueType::Int,
            ColumnSource::Differs | ColumnSource::Override(OverrideColumn::Decision) => {
                ValueType::List
            }
            ColumnSource::File | ColumnSource::Override(_) => ValueType::Text,
            ColumnSource::Decision(column) => column.value_type(),
            ColumnSource::Evidence(column) => column.value_type,
        }
    }

    /// Returns whether a row may have no value.
    pub fn is_optional(self) -> bool {
        match self.0 {
            ColumnSource::File | ColumnSource::Differs => false,
            ColumnSource::Offset | ColumnSource::Status => true,
            ColumnSource::Decision(column) => column.is_optional(),
            ColumnSource::Evidence(column) => column.is_optional,
            ColumnSource::Override(column) => column != OverrideColumn::Decision,
        }
    }

    /// Returns the value of a decision; a list is one text.
    pub fn value<'a>(self, row: &RowContext<'a>, decision: &'a Decision) -> Value<'a> {
        match self.0 {
            ColumnSource::File => Value::Text(Cow::Borrowed(row.file)),
            ColumnSource::Offset => int(row.offset),
            ColumnSource::Status => int(row.status),
            ColumnSource::Differs => {
                let names = row.differs.iter().map(|field| field.name());
                Value::List(names.map(Cow::Borrowed).collect())
            }
            ColumnSource::Decision(column) => column.value(decision),
            ColumnSource::Evidence(column) => {
                let evidence = row.evidence.as_ref();
                evidence.map_or(Value::Nothing, column.value)
            }
            ColumnSource::Override(column) => column.value(row),
        }
    }
}

impl OverrideColumn {
    fn value<'a>(self, row: &RowContext<'a>) -> Value<'a> {
        let found = row.overridden;
        let text = |text: &'a str| Value::Text(Cow::Borrowed(text));
        match self {
            Self::Decision => {
                let values = found.map(Override::values).unwrap_or_default();
                let values = values.iter().map(|value| Cow::Borrowed(value.as_str()));
                Value::List(values.collect())
            }
            Self::Who => found.map_or(Value::Nothing, |found| text(&found.who)),
            Self::Why => found.map_or(Value::Nothing, |found| text(&found.why)),
            Self::Until => found.map_or(Value::Nothing, |found| Value::Text(found.until().into())),
        }
    }
}

/// Returns the columns of every row, in order.
pub fn columns() -> impl Iterator<Item = Column> {
    let of_row = [
        ColumnSource::File,
        ColumnSource::Offset,
        ColumnSource::Status,
    ];
    let of_decision = Decision::columns().iter().map(ColumnSource::Decision);
    of_row.into_iter().chain(of_decision).map(Column)
}

/// Returns the additional columns with all reasons and warnings, as JSON.
pub fn explanation_columns() -> impl Iterator<Item = Column> {
    let columns = Decision::explaining_columns().iter();
    columns.map(ColumnSource::Decision).map(Column)
}

/// Returns the additional columns of evidence.
pub fn evidence_columns() -> impl Iterator<Item = Column> {
    COLUMNS.iter().map(ColumnSource::Evidence).map(Column)
}

/// Returns whether a column of evidence, or a key of JSON, has this name.
pub fn is_evidence(name: &str) -> bool {
    name == TERMS_KEY || COLUMNS.iter().any(|column| column.name == name)
}

/// Returns the additional columns about the override of a decision.
pub fn override_columns() -> impl Iterator<Item = Column> {
    let columns = [
        OverrideColumn::Decision,
        OverrideColumn::Who,
        OverrideColumn::Why,
        OverrideColumn::Until,
    ];
    let columns = columns.into_iter().map(ColumnSource::Override);
    columns.map(Column)
}

/// Returns whether a column about the override of a decision has this name.
pub fn is_override(name: &str) -> bool {
    override_columns().any(|column| column.name() == name)
}

/// Returns all columns, with those that rows have only on request: the reasons and warnings, the differences, the evidence, and the
/// override.
pub fn all_columns() -> impl Iterator<Item = Column> {
    let differs = Column(ColumnSource::Differs);
    let others = explanation_columns().chain([differs]);
    let others = others.chain(evidence_columns()).chain(override_columns());
    columns().chain(others)
}

/// Returns the columns of the fields of an output. Without fields, returns all; those of reasons and warnings only if the output explains
/// or has evidence, that of differences only if it is filtered by them, and those of evidence and of overrides only if it has these.
///
/// # Errors
///
/// The first name without a column.
pub(super) fn chosen(output: &FileOutput) -> Result<Vec<Column>, String> {
    let Some(fields) = &output.fields else {
        let explains = output.explain || output.evidence;
        let explanation = explanation_columns().filter(|_| explains);
        let evidence = evidence_columns().filter(|_| output.evidence);
        let differs = output.only.contains(&Filter::Differs);
        let differs = differs.then_some(Column(ColumnSource::Differs));
        let overrides = override_columns().filter(|_| output.overrides);
        let others = explanation.chain(differs).chain(evidence).chain(overrides);
        return Ok(columns().chain(others).collect());
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
