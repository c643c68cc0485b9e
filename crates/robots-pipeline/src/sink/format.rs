//! The formats of rows.

use crate::error::Error;
use std::path::Path;

/// A format of rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Format {
    /// A line for each page, for people.
    Table,
    /// A JSON object for each page, with reasons.
    Jsonl,
    /// Comma-separated values with a header line.
    Csv,
    /// A Parquet file with typed columns; needs the feature `columnar`.
    Parquet,
    /// Typed columns in the IPC format of Arrow: a file, or a stream in a pipe. Needs the feature `columnar`.
    Arrow,
}

impl Format {
    /// All formats.
    pub const ALL: &[Self] = &[
        Self::Table,
        Self::Jsonl,
        Self::Csv,
        Self::Parquet,
        Self::Arrow,
    ];

    /// Returns the name, a few words about the format, and the extensions of file names that name it, in lower case.
    fn facts(self) -> (&'static str, &'static str, &'static [&'static str]) {
        match self {
            Self::Table => ("table", "A line for each page, for reading", &["txt"]),
            Self::Jsonl => (
                "jsonl",
                "A JSON object for each page, with reasons",
                &["jsonl", "ndjson", "json"],
            ),
            Self::Csv => ("csv", "Comma-separated values with a header line", &["csv"]),
            Self::Parquet => (
                "parquet",
                "A Parquet file with typed columns; needs a build with the feature columnar",
                &["parquet"],
            ),
            Self::Arrow => (
                "arrow",
                "An Arrow IPC file, or in a pipe a stream; needs a build with the feature columnar",
                &["arrow", "feather", "ipc"],
            ),
        }
    }

    /// Returns the name of the format: `jsonl`.
    pub fn name(self) -> &'static str {
        self.facts().0
    }

    /// Returns a few words about the format, for help texts.
    pub fn about(self) -> &'static str {
        self.facts().1
    }

    /// Returns the format that the extension of a file name names, in upper or lower case: `decisions.parquet` is
    /// [`Parquet`](Self::Parquet). A name without extension names none.
    ///
    /// # Errors
    ///
    /// If the extension does not name a format of rows.
    pub fn of_file_name(path: &Path) -> Result<Option<Self>, Error> {
        let Some(extension) = path.extension() else {
            return Ok(None);
        };
        let is_named = |name: &&str| extension.eq_ignore_ascii_case(name);
        let mut all = Self::ALL.iter().copied();
        let found = all.find(|format| format.facts().2.iter().any(is_named));
        found
            .map(Some)
            .ok_or_else(|| Error::UnknownExtension(path.to_owned()))
    }

    /// Returns the extensions of file names that name a format: `jsonl`, `csv`.
    pub fn extensions() -> impl Iterator<Item = &'static str> {
        Self::ALL
            .iter()
            .flat_map(|format| format.facts().2)
            .copied()
    }

    /// Returns whether the bytes are not text, so that a terminal cannot show them.
    pub fn is_binary(self) -> bool {
        matches!(self, Self::Parquet | Self::Arrow)
    }

    /// Returns whether a file of this format is valid after any of its rows.
    pub(crate) fn is_appendable(self) -> bool {
        !self.is_binary()
    }

    /// Returns the file name extension.
    pub(crate) fn extension(self) -> &'static str {
        self.facts().2.first().copied().unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_extension_names_a_format() {
        let of = |name: &str| Format::of_file_name(Path::new(name)).unwrap();
        for (name, format) in [
            ("a.txt", Format::Table),
            ("a.jsonl", Format::Jsonl),
            ("a.ndjson", Format::Jsonl),
            ("b.c/a.json", Format::Jsonl),
            ("a.CSV", Format::Csv),
            ("a.parquet", Format::Parquet),
            ("a.jsonl.Arrow", Format::Arrow),
            ("a.feather", Format::Arrow),
            ("a.ipc", Format::Arrow),
        ] {
            assert_eq!(of(name), Some(format), "{name}");
        }
        for name in ["a", "b.csv/a", ".csv", "/dev/stdout", "", ".."] {
            assert_eq!(of(name), None, "{name}");
        }
        for name in ["a.html", "a.csv.gz", "a.xlsx", "a."] {
            assert!(Format::of_file_name(Path::new(name)).is_err(), "{name}");
        }
    }

    /// Files of an output folder get extensions that name their format.
    #[test]
    fn each_format_has_its_extension() {
        for format in Format::ALL.iter().copied() {
            let name = format!("a.{}", format.extension());
            let found = Format::of_file_name(Path::new(&name)).unwrap();
            assert_eq!(found, Some(format));
        }
    }
}
