//! Tables of a report.

use super::number::{decimal, percent, whole};

bitflags::bitflags! {
    /// The writers that show a column.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub(crate) struct In: u8 {
        const CSV = 1;
        const HTML = 2;
        const TEXT = 4;
        const ALL = 7;
    }
}

/// The value of a cell.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Value {
    Missing,
    Text(String),
    /// A name, and the address of its explanation.
    Link(String, String),
    Flag(bool),
    Count(u64),
    Number(f64),
    /// A share from 0 to 1.
    Share(f64),
}

impl Value {
    /// Returns the value as text and HTML show it.
    pub(crate) fn shown(&self) -> String {
        match self {
            Self::Missing => "-".to_owned(),
            Self::Text(text) | Self::Link(text, _) => text.clone(),
            Self::Flag(is_set) => if *is_set { "yes" } else { "no" }.to_owned(),
            Self::Count(count) => whole(*count),
            Self::Number(number) => decimal(*number),
            Self::Share(share) => percent(*share),
        }
    }

    /// Returns the value for programs.
    pub(super) fn plain(&self) -> String {
        match self {
            Self::Missing => String::new(),
            Self::Text(text) | Self::Link(text, _) => text.clone(),
            Self::Flag(is_set) => is_set.to_string(),
            Self::Count(count) => count.to_string(),
            Self::Number(number) => ((number * 1_000.0).round() / 1_000.0).to_string(),
            Self::Share(share) => format!("{share:.6}"),
        }
    }

    pub(super) fn is_number(&self) -> bool {
        matches!(self, Self::Count(_) | Self::Number(_) | Self::Share(_))
    }
}

impl From<String> for Value {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

impl From<&String> for Value {
    fn from(text: &String) -> Self {
        Self::Text(text.clone())
    }
}

impl From<&str> for Value {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<bool> for Value {
    fn from(is_set: bool) -> Self {
        Self::Flag(is_set)
    }
}

impl From<u64> for Value {
    fn from(count: u64) -> Self {
        Self::Count(count)
    }
}

impl From<f64> for Value {
    fn from(number: f64) -> Self {
        Self::Number(number)
    }
}

impl<V: Into<Value>> From<Option<V>> for Value {
    fn from(value: Option<V>) -> Self {
        value.map_or(Self::Missing, Into::into)
    }
}

/// A column of a table.
#[derive(Debug)]
pub(super) struct Column {
    writers: In,
    /// The name in CSV. Text and HTML write spaces for its underscores.
    name: &'static str,
}

/// A table. Text and HTML show its first rows, CSV all of them.
#[derive(Debug)]
pub(crate) struct Table {
    /// The name of its file in CSV; empty if CSV does not have it.
    pub(super) name: &'static str,
    pub(super) caption: &'static str,
    columns: Vec<Column>,
    rows: Vec<Vec<Value>>,
}

impl Table {
    /// Returns a table of `items`, with a row for each.
    pub(crate) fn of<T>(
        name: &'static str,
        caption: &'static str,
        items: impl IntoIterator<Item = T>,
    ) -> TableOf<T> {
        let items: Vec<T> = items.into_iter().collect();
        let table = Self {
            name,
            caption,
            columns: Vec::new(),
            rows: items.iter().map(|_| Vec::new()).collect(),
        };
        TableOf { items, table }
    }

    pub(super) fn rows(&self) -> usize {
        self.rows.len()
    }

    /// Returns the names of the columns that a writer shows.
    pub(super) fn names(&self, writer: In) -> Vec<String> {
        let columns = self.columns.iter();
        let columns = columns.filter(|column| column.writers.contains(writer));
        columns
            .map(|column| match writer {
                In::CSV => column.name.to_owned(),
                _ => column.name.replace('_', " "),
            })
            .collect()
    }

    /// Returns the cells that a writer shows, by row.
    pub(super) fn cells(&self, writer: In) -> impl Iterator<Item = Vec<&Value>> {
        self.rows.iter().map(move |row| {
            let cells = self.columns.iter().zip(row);
            let cells = cells.filter(|(column, _)| column.writers.contains(writer));
            cells.map(|(_, value)| value).collect()
        })
    }
}

/// A table under construction.
#[derive(Debug)]
pub(crate) struct TableOf<T> {
    items: Vec<T>,
    pub(super) table: Table,
}

impl<T> TableOf<T> {
    /// Adds a column for some writers.
    pub(crate) fn column<V: Into<Value>>(
        mut self,
        writers: In,
        name: &'static str,
        value: impl Fn(&T) -> V,
    ) -> Self {
        self.table.columns.push(Column { writers, name });
        for (row, item) in self.table.rows.iter_mut().zip(&self.items) {
            row.push(value(item).into());
        }
        self
    }
}
