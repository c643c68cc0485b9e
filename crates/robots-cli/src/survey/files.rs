//! The table of files: a row for each robots.txt, as CSV or Parquet.

use super::lines::LineCounts;
use crate::report::csv::{NewTable, cannot_write};
use anyhow::{Context, Result, bail};
#[cfg(feature = "columnar")]
use robots_pipeline::new_file::NewFile;
use robots_pipeline::sink::Format;
#[cfg(feature = "columnar")]
use robots_pipeline::sink::{columnar::TableColumn, columnar_files::ParquetTable};
use robots_pipeline::text::path_text;
use robots_policy::decision::{Value, ValueType};
use std::borrow::Cow;
#[cfg(feature = "columnar")]
use std::io::BufWriter;
use std::path::Path;
use std::sync::Arc;

/// The columns of the table: their names, their types, and whether a row may have no value. docs/survey.md describes them.
const COLUMNS: [(&str, ValueType, bool); 14] = [
    ("file", ValueType::Text, false),
    ("url", ValueType::Text, true),
    ("bytes", ValueType::Int, false),
    ("html", ValueType::Bool, false),
    ("lines", ValueType::Int, true),
    ("comment_lines", ValueType::Int, true),
    ("lines_with_comment", ValueType::Int, true),
    ("blank_lines", ValueType::Int, true),
    ("directives", ValueType::Int, true),
    ("user_agents", ValueType::Int, true),
    ("groups", ValueType::Int, true),
    ("named_robots", ValueType::Int, true),
    ("errors", ValueType::Int, true),
    ("findings", ValueType::Text, true),
];

/// A robots.txt of the inputs.
#[derive(Debug)]
pub(super) struct FileRow {
    /// The path of the file, or of the archive that contains it.
    pub(super) file: Arc<str>,
    /// The URL of a response in an archive.
    pub(super) url: Option<String>,
    pub(super) facts: FileFacts,
}

/// The facts of a robots.txt.
#[derive(Debug, Default)]
pub(super) struct FileFacts {
    pub(super) bytes: usize,
    /// The lines; `None` for an HTML page.
    pub(super) lines: Option<LineCounts>,
    pub(super) groups: usize,
    pub(super) named_robots: usize,
    /// The number of findings of `robots lint` that are errors.
    pub(super) errors: usize,
    /// The codes of all findings, each once.
    pub(super) findings: Vec<&'static str>,
}

impl FileRow {
    /// Returns the value of each column. An HTML page has only the first four.
    fn values(&self) -> [Value<'_>; COLUMNS.len()] {
        let facts = &self.facts;
        let lines = facts.lines.as_ref();
        let number = |of: fn(&FileFacts, &LineCounts) -> usize| {
            lines.map_or(Value::Nothing, |lines| int(of(facts, lines)))
        };
        [
            Value::Text(Cow::Borrowed(&self.file)),
            self.url
                .as_deref()
                .map_or(Value::Nothing, |url| Value::Text(Cow::Borrowed(url))),
            int(facts.bytes),
            Value::Bool(lines.is_none()),
            number(|_, lines| lines.lines),
            number(|_, lines| lines.comments),
            number(|_, lines| lines.with_comment),
            number(|_, lines| lines.blank),
            number(|_, lines| lines.directives),
            number(|_, lines| lines.user_agents()),
            number(|facts, _| facts.groups),
            number(|facts, _| facts.named_robots),
            number(|facts, _| facts.errors),
            lines.map_or(Value::Nothing, |_| {
                Value::Text(Cow::Owned(facts.findings.join(" ")))
            }),
        ]
    }
}

fn int(number: usize) -> Value<'static> {
    Value::Int(i64::try_from(number).unwrap_or(i64::MAX))
}

/// Returns a value as a cell of CSV; empty if there is none.
fn cell(value: Value<'_>) -> String {
    match value {
        Value::Text(text) => text.into_owned(),
        Value::Bool(is) => is.to_string(),
        Value::Int(number) => number.to_string(),
        _ => String::new(),
    }
}

/// The table, under construction.
#[derive(Debug)]
pub(super) enum FileTable<'p> {
    Csv(NewTable<'p>),
    #[cfg(feature = "columnar")]
    Parquet(&'p Path, ParquetTable<BufWriter<NewFile>>),
}

impl<'p> FileTable<'p> {
    /// Starts a table that will be written to a path, in the format that its extension names: CSV or Parquet. Without an
    /// extension, it is CSV.
    pub(super) fn create(path: &'p Path) -> Result<Self> {
        match Format::of_file_name(path) {
            Ok(None | Some(Format::Csv)) => {
                let names = COLUMNS.map(|(name, ..)| name);
                Ok(Self::Csv(NewTable::create(path, &names)?))
            }
            #[cfg(feature = "columnar")]
            Ok(Some(Format::Parquet)) => {
                let columns = COLUMNS.map(|(name, value_type, is_optional)| TableColumn {
                    name,
                    value_type,
                    is_optional,
                });
                let table = NewFile::create(path)
                    .and_then(|file| ParquetTable::new(BufWriter::new(file), &columns));
                Ok(Self::Parquet(
                    path,
                    table.with_context(|| cannot_write(path))?,
                ))
            }
            #[cfg(not(feature = "columnar"))]
            Ok(Some(Format::Parquet)) => Err(robots_pipeline::Error::NotColumnar("Parquet"))
                .with_context(|| cannot_write(path)),
            _ => bail!(
                "{}: the table of files is CSV or Parquet; use a name that ends with .csv or .parquet",
                path_text(path)
            ),
        }
    }

    /// Adds a row.
    pub(super) fn add(&mut self, row: &FileRow) -> Result<()> {
        match self {
            Self::Csv(table) => table.add(row.values().map(cell).iter()),
            #[cfg(feature = "columnar")]
            Self::Parquet(path, table) => {
                table.add(row.values()).with_context(|| cannot_write(path))
            }
        }
    }

    /// Completes the file, and gives it its name.
    pub(super) fn finish(self) -> Result<()> {
        match self {
            Self::Csv(table) => table.finish(),
            #[cfg(feature = "columnar")]
            Self::Parquet(path, table) => {
                let file = table.finish().and_then(|file| Ok(file.into_inner()?));
                file.and_then(NewFile::finish)
                    .with_context(|| cannot_write(path))
            }
        }
    }
}
