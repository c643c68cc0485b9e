//! Files of recorded decisions: JSON Lines, CSV and, with the feature `columnar`, Parquet.

use super::cells::{AGENT, COLUMNS, JSON_SOURCES, JsonSource, URL, position};
use crate::error::Error;
use crate::evidence::VERSION;
use crate::evidence::columns::{TERMS, TERMS_KEY};
use crate::evidence::terms::{Terms, terms_text};
use crate::input::{files_in, lines};
use crate::overrides::is_past;
use crate::sink::columns::is_override;
use crate::sink::csv::{cell, io_error};
use crate::sink::{Format, RowContext};
use crate::text::{path_text, restored_cell};
use robots_meta::Timestamp;
use robots_policy::Decision;
use robots_policy::decision::Value;
use serde::Serialize;
use serde::de::{self, Deserializer, IgnoredAny, MapAccess, Visitor};
use std::borrow::Cow;
use std::fmt;
use std::path::{Path, PathBuf};

/// The maximum length of a line of JSON, in bytes: 64 MiB. A longer one is not read.
pub const MAX_LINE_BYTES: usize = 64 << 20;

/// The columns with times.
const TIMES: [&str; 3] = ["captured_at", "decided_at", "robots_captured_at"];

/// The place of a row in a file of decisions.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Place {
    /// The file of decisions.
    pub recorded_in: String,
    /// The 1-based number of the line, or of the row in Parquet.
    pub line: u64,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: line {}", self.recorded_in, self.line)
    }
}

/// A row that is not a decision with evidence.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct RowProblem {
    /// The place of the row.
    #[serde(flatten)]
    pub place: Place,
    /// The reason.
    pub reason: String,
}

impl fmt::Display for RowProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.place, self.reason)
    }
}

/// A recorded decision: a cell for each column.
#[derive(Debug)]
pub struct Recorded {
    pub(super) place: Place,
    cells: Vec<String>,
}

impl Recorded {
    /// Returns a row with these cells.
    fn new(place: Place, cells: Vec<String>) -> Result<Self, RowProblem> {
        let row = Self { place, cells };
        let version = row.text("evidence_version");
        let problem = if version != VERSION.to_string() {
            Some(format!(
                "evidence of version {version:?}: this program reads version {VERSION}"
            ))
        } else if let Some(column) = TIMES.iter().find(|column| !row.has_time(column)) {
            Some(format!("{column} is not a time: {:?}", row.text(column)))
        } else if let Err(error) = row.terms() {
            Some(format!("{TERMS} is not a list of terms: {error}"))
        } else if row.cell(*URL).is_empty() || row.cell(*AGENT).is_empty() {
            Some("no URL or no robot".to_owned())
        } else {
            None
        };
        match problem {
            None => Ok(row),
            Some(reason) => Err(RowProblem {
                place: row.place,
                reason,
            }),
        }
    }

    /// Returns whether a column is empty or has a time.
    fn has_time(&self, column: &str) -> bool {
        let text = self.text(column);
        text.is_empty() || Timestamp::parse(&text).is_some()
    }

    /// Returns the tdmrep.json and the licences of RSL that were looked up.
    pub(super) fn terms(&self) -> serde_json::Result<Vec<Terms<'static>>> {
        let text = self.text(TERMS);
        if text.is_empty() {
            return Ok(Vec::new());
        }
        serde_json::from_str(&text)
    }

    pub(super) fn cells(&self) -> impl Iterator<Item = &str> {
        self.cells.iter().map(String::as_str)
    }

    pub(super) fn cell(&self, position: usize) -> &str {
        self.cells.get(position).map_or("", String::as_str)
    }

    /// Returns the place of the row.
    pub fn place(&self) -> &Place {
        &self.place
    }

    /// Returns the text of a column as CSV has it, of those of decisions with evidence; empty for another one, and without a value.
    pub fn text(&self, column: &str) -> String {
        position(column).map_or_else(String::new, |position| self.text_at(position))
    }

    /// Returns whether the override of the row has expired at a time.
    pub(super) fn override_has_expired(&self, now: Option<Timestamp>) -> bool {
        let until = self.text("override_until").parse().ok();
        until.is_some_and(|until| now.is_some_and(|now| is_past(until, now)))
    }

    pub(super) fn text_at(&self, position: usize) -> String {
        restored_cell(self.cell(position)).into_owned()
    }
}

/// A consumer of rows.
pub type Visit<'v> = dyn FnMut(Result<Recorded, RowProblem>) -> Result<(), Error> + 'v;

/// Passes each row of some files of decisions with evidence to `visit`, in order. Of a folder, all files are read.
///
/// # Errors
///
/// If a file cannot be read, or does not have all columns; and those of `visit`.
pub fn read_recorded(paths: &[PathBuf], visit: &mut Visit<'_>) -> Result<(), Error> {
    for path in paths {
        if !path.is_dir() {
            read_file(path, visit)?;
            continue;
        }
        let mut unread = None;
        // A file of another format may be one of decisions, too, such as a compressed one: it is an error, and is not left out.
        let files = files_in(path, &|_| true, &mut |found, error| {
            unread.get_or_insert_with(|| Error::at("read", found)(error));
        });
        unread.map_or(Ok(()), Err)?;
        for file in files {
            read_file(&file, visit)?;
        }
    }
    Ok(())
}

fn read_file(path: &Path, visit: &mut Visit<'_>) -> Result<(), Error> {
    match Format::of_file_name(path) {
        Ok(Some(Format::Csv)) => read_csv(path, visit),
        Ok(Some(Format::Jsonl)) => read_json_lines(path, visit),
        #[cfg(feature = "columnar")]
        Ok(Some(Format::Parquet)) => read_parquet(path, visit),
        _ => Err(Error::NotVerifiable(path.to_owned())),
    }
}

/// Returns the position of each of [`COLUMNS`] among the names of a file's columns; `None` for those of overrides that are missing.
///
/// # Errors
///
/// If another one is missing.
fn positions<'n>(
    path: &Path,
    names: impl Iterator<Item = &'n str>,
) -> Result<Vec<Option<usize>>, Error> {
    let names: Vec<&str> = names.collect();
    let find = |name: &str| names.iter().position(|found| *found == name);
    let all: Vec<_> = COLUMNS.iter().map(|column| find(column.name())).collect();
    let missing = COLUMNS.iter().zip(&all).filter(|(_, at)| at.is_none());
    let missing = missing.map(|(column, _)| column.name());
    let missing: Vec<_> = missing.filter(|name| !is_override(name)).collect();
    if missing.is_empty() {
        return Ok(all);
    }
    Err(Error::MissingColumns {
        path: path.to_owned(),
        columns: missing.join(", "),
    })
}

fn read_csv(path: &Path, visit: &mut Visit<'_>) -> Result<(), Error> {
    let name = path_text(path);
    let mut reader = csv::Reader::from_reader(lines::open(path)?);
    let read_error = |error| Error::at("read", path)(io_error(error));
    let headers = reader.headers().map_err(read_error)?.clone();
    let positions = positions(path, headers.iter())?;
    let mut record = csv::StringRecord::new();
    loop {
        let line = reader.position().line();
        let place = |line| Place {
            recorded_in: name.clone(),
            line,
        };
        let row = match reader.read_record(&mut record) {
            Ok(false) => return Ok(()),
            Ok(true) => {
                let line = record.position().map_or(line, csv::Position::line);
                let cells = positions
                    .iter()
                    .map(|at| at.and_then(|at| record.get(at)).unwrap_or_default());
                Recorded::new(place(line), cells.map(str::to_owned).collect())
            }
            Err(error) => {
                let line = error.position().map_or(line, csv::Position::line);
                let reason = match error.kind() {
                    csv::ErrorKind::UnequalLengths {
                        expected_len, len, ..
                    } => format!("{len} cells where the first line has {expected_len}"),
                    csv::ErrorKind::Utf8 { .. } => "not UTF-8".to_owned(),
                    _ => return Err(read_error(error)),
                };
                Err(RowProblem {
                    place: place(line),
                    reason,
                })
            }
        };
        visit(row)?;
    }
}

#[cfg(feature = "columnar")]
fn read_parquet(path: &Path, visit: &mut Visit<'_>) -> Result<(), Error> {
    let name = path_text(path);
    let file = super::parquet_rows::open(path, |name| position(name).is_some())?;
    let positions = positions(path, file.names.iter().map(String::as_str))?;
    let mut number = 0;
    for batch in file.batches {
        let batch = batch?;
        for row in 0..batch.num_rows() {
            number += 1;
            let place = Place {
                recorded_in: name.clone(),
                line: number,
            };
            let cell = |at: &Option<usize>| match at {
                Some(at) => super::parquet_rows::cell_at(batch.column(*at), row),
                None => String::new(),
            };
            visit(Recorded::new(place, positions.iter().map(cell).collect()))?;
        }
    }
    Ok(())
}

fn read_json_lines(path: &Path, visit: &mut Visit<'_>) -> Result<(), Error> {
    let name = path_text(path);
    for line in lines::numbered(lines::open(path)?, MAX_LINE_BYTES, &name) {
        let (number, line) = line?;
        if line.iter().all(u8::is_ascii_whitespace) {
            continue;
        }
        let place = Place {
            recorded_in: name.clone(),
            line: number,
        };
        let row = match json_cells(&line) {
            Ok(cells) => Recorded::new(place, cells),
            Err(reason) => Err(RowProblem { place, reason }),
        };
        visit(row)?;
    }
    Ok(())
}

/// Returns the cells of a JSON object.
fn json_cells(line: &[u8]) -> Result<Vec<String>, String> {
    if line.len() > MAX_LINE_BYTES {
        return Err("the line is longer than 64 MiB".to_owned());
    }
    let not_a_row = |error: serde_json::Error| {
        let what = if error.is_data() {
            "not a decision with evidence"
        } else {
            "not JSON"
        };
        format!("{what}: {error}")
    };
    let mut deserializer = serde_json::Deserializer::from_slice(line);
    let others = deserializer.deserialize_map(OthersVisitor);
    let mut others = others.map_err(not_a_row)?;
    let decision: Decision = serde_json::from_slice(line).map_err(not_a_row)?;
    let row = RowContext::new("", None, None);
    let columns = COLUMNS.iter().zip(&*JSON_SOURCES).zip(&mut others);
    let cells = columns.map(|((column, source), other)| match (source, other.take()) {
        (JsonSource::Decision, _) => Ok(cell(column.value(&row, &decision)).into_owned()),
        (_, Some(cell)) => Ok(cell),
        (JsonSource::OptionalKey, None) => Ok(String::new()),
        (JsonSource::Key, None) => Err(format!("no {}", column.name())),
    });
    cells.collect()
}

/// Reads the cells of the keys of an object that are not of the decision, by the position of their column.
struct OthersVisitor;

impl<'de> Visitor<'de> for OthersVisitor {
    type Value = Vec<Option<String>>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut others = vec![None; COLUMNS.len()];
        while let Some(key) = map.next_key::<Cow<'_, str>>()? {
            let at = match &*key {
                TERMS_KEY => position(TERMS),
                key => position(key),
            };
            let source = at.and_then(|at| JSON_SOURCES.get(at));
            let is_other = source.is_some_and(|source| *source != JsonSource::Decision);
            let Some(other) = at.and_then(|at| others.get_mut(at)).filter(|_| is_other) else {
                map.next_value::<IgnoredAny>()?;
                continue;
            };
            if key == TERMS_KEY {
                // Written as the column has them, whatever the order of their keys.
                let terms = map.next_value::<Vec<Terms<'_>>>()?;
                *other = Some(terms_text(&terms).unwrap_or_default());
                continue;
            }
            let value = map.next_value::<serde_json::Value>()?;
            let value = match value {
                serde_json::Value::Null => Value::Nothing,
                serde_json::Value::Number(number) if number.is_i64() => {
                    Value::Int(number.as_i64().unwrap_or_default())
                }
                serde_json::Value::String(text) => Value::Text(text.into()),
                serde_json::Value::Array(items) => {
                    let items = items.iter().filter_map(serde_json::Value::as_str);
                    Value::List(items.map(|item| item.to_owned().into()).collect())
                }
                _ => return Err(de::Error::custom(format!("unexpected value of {key}"))),
            };
            *other = Some(cell(value).into_owned());
        }
        Ok(others)
    }
}
