//! The errors that end a run, the reading of one input, or that of a book of captures.

use crate::text::{counted, path_text};
use robots_policy::text::expected_name;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use thiserror::Error as ThisError;

/// An error that ends a run, or the reading of one input.
#[derive(Debug, ThisError)]
#[non_exhaustive]
pub enum Error {
    /// A file or a folder, on which an operation failed.
    #[error("cannot {operation} {file}")]
    #[non_exhaustive]
    Io {
        /// The operation that failed, as a verb: `read`.
        operation: &'static str,
        /// The file, as it was named.
        file: String,
        /// The cause.
        source: io::Error,
    },
    /// A folder where a file is needed.
    #[error("{0} is a folder; a file is needed")]
    IsFolder(String),
    /// A database where a robots.txt is needed: it would be read as one without rules.
    #[error("{0} is an SQLite file, such as a store (--store), not a robots.txt")]
    IsStore(String),
    /// An empty archive.
    #[error("{0}: an empty file; left out")]
    EmptyFile(String),
    /// A gzip file in a gzip file.
    #[error("{0}: gzip in gzip; left out: it must be unpacked once")]
    GzipInGzip(String),
    /// A part of an archive that the next one does not follow: a record within a record looks like the start of the next part.
    #[error(
        "{file}: after byte {until} the next record begins {}, but the next part {}: rows around there may be missing or wrong; \
         read the archive without dividing it",
        place(*.record),
        place(*.part)
    )]
    #[non_exhaustive]
    PartsDisagree {
        /// The archive.
        file: String,
        /// The offset of the end of the part.
        until: u64,
        /// The offset of the next record; `None` if there is none.
        record: Option<u64>,
        /// The offset at which the next part begins; `None` if there is none.
        part: Option<u64>,
    },
    /// A file that is neither an archive nor, by its name, a saved page.
    #[error(
        "{0}: neither a WARC nor an ARC file (plain, gzip or zstd), nor a page by its name (.html); left out"
    )]
    NotArchive(String),
    /// A folder without saved pages and archives.
    #[error("{}: no .html files and no archives in this folder", path_text(.0))]
    NoPages(PathBuf),
    /// A robots.txt whose site is not known, as there is no base URL.
    #[error("{}: a base URL must name the site of this robots.txt", path_text(.0))]
    RobotsWithoutBase(PathBuf),
    /// Two robots.txt files for all hosts.
    #[error("{first} and {second} are both for all hosts: name the host of each, as in HOST=FILE")]
    #[non_exhaustive]
    TwoRobotsOfAll {
        /// The file that was read first.
        first: String,
        /// The other one.
        second: String,
    },
    /// Two robots.txt files for one host and day.
    #[error("{first} and {second} are both for {host}: a host has one robots.txt at a time")]
    #[non_exhaustive]
    TwoRobotsOfHost {
        /// The host, with its port.
        host: String,
        /// The file that was read first.
        first: String,
        /// The other one.
        second: String,
    },
    /// A file that has the name of an archive and cannot be read as one.
    #[error("{}: neither a WARC nor an ARC file, although its name says so", path_text(.0))]
    MisnamedArchive(PathBuf),
    /// A folder without robots.txt files.
    #[error("{}: no robots.txt in this folder", path_text(.0))]
    NoRobots(PathBuf),
    /// Two inputs with one name, which an index cannot distinguish.
    #[error("an index knows files by their names, and two inputs are called {0}")]
    DuplicateInput(String),
    /// An index without an entry.
    #[error("{} is not a CDXJ index: no line is an entry", path_text(.0))]
    NotIndex(PathBuf),
    /// An index whose records are all in files that are not inputs; the number of these records.
    #[error("the index has {}, all in files that are not inputs", counted(*.0, "record"))]
    IndexOfOtherFiles(u64),
    /// An index, and a stream among the inputs.
    #[error("an index needs files, and {0} is a stream")]
    IndexOfStream(String),
    /// A book of captures that is not for the policies.
    #[error("cannot use the book of robots.txt captures")]
    Book(#[source] BookError),
    /// Evidence for decisions by a store, which does not have the robots.txt files as they were archived.
    #[error(
        "no evidence without archives of robots.txt files: a store does not have them as they were captured"
    )]
    EvidenceWithoutArchives,
    /// A field that the format does not have.
    #[error("unknown field \"{name}\"{}", expected_name(name, known))]
    #[non_exhaustive]
    UnknownField {
        /// The name.
        name: String,
        /// The names of the format's fields.
        known: Vec<String>,
    },
    /// A field that was requested twice.
    #[error("the field \"{0}\" is named twice")]
    DuplicateField(String),
    /// A choice of fields for the table format, which has none.
    #[error("the columns of a table cannot be chosen")]
    FieldsOfTable,
    /// A request for columns that the table format does not have: evidence, or overrides.
    #[error("a table has no {0}")]
    TableWithout(&'static str),
    /// A file whose extension does not name a format of decisions that can be verified.
    #[error("{}: decisions are read from .jsonl and .csv, and in a build with the feature columnar from .parquet", path_text(.0))]
    NotVerifiable(PathBuf),
    /// A file of decisions without all columns.
    #[error(
        "{}: no column {columns}: write decisions with --evidence, and without --fields",
        path_text(path)
    )]
    #[non_exhaustive]
    MissingColumns {
        /// The file.
        path: PathBuf,
        /// The names of the columns that are missing.
        columns: String,
    },
    /// Decisions of several runs.
    #[error(
        "the decisions are of several runs, made as of different times ({first}; {other}): verify each run alone"
    )]
    #[non_exhaustive]
    SeveralRuns {
        /// The place of the first decision.
        first: String,
        /// The place of a decision of another run.
        other: String,
    },
    /// Decisions of more robots than are verified at once.
    #[error("the decisions are of more than {0} robots or profiles: verify them in parts")]
    TooManyRobots(usize),
    /// Files of decisions without any.
    #[error("there are no decisions to verify")]
    NoDecisions,
    /// A file for rows whose extension does not name a format.
    #[error("{}: this extension does not name a format", path_text(.0))]
    UnknownExtension(PathBuf),
    /// A columnar format that this build does not have: it needs the feature `columnar`.
    #[error("this build has no {0}: build with --features columnar")]
    NotColumnar(&'static str),
    /// An output that would overwrite an input.
    #[error("{} is an input; nothing was written", path_text(.0))]
    OutputIsInput(PathBuf),
    /// An output that would be written twice.
    #[error("{} would be written twice", path_text(.0))]
    DuplicateOutput(PathBuf),
    /// A request to resume a run whose output cannot be resumed.
    #[error("{0}")]
    CannotResume(ResumeProblem),
    /// A file that has the name of the journal and is not one.
    #[error("{} is not a journal", path_text(.0))]
    NotJournal(PathBuf),
    /// A journal with a line whose checksum is wrong.
    #[error("{} was changed after it was written, in line {line}", path_text(path))]
    #[non_exhaustive]
    DamagedJournal {
        /// The journal.
        path: PathBuf,
        /// The 1-based number of the line.
        line: u64,
    },
    /// A journal of another run.
    #[error("cannot resume from {}", path_text(path))]
    #[non_exhaustive]
    OtherRun {
        /// The journal.
        path: PathBuf,
        /// The difference.
        source: Mismatch,
    },
    /// A thread that the system refuses.
    #[error("cannot start a thread; raise `ulimit -u` or pids.max")]
    NoThread(#[source] io::Error),
    /// A thread that ended before its work was done.
    #[error("a thread has ended early")]
    ThreadEnded,
    /// A record that the caller could not provide.
    #[error("cannot take the next record")]
    Record(#[source] Box<dyn std::error::Error + Send + Sync>),
}

/// Returns the text for the place at which something begins.
fn place(offset: Option<u64>) -> String {
    match offset {
        Some(offset) => format!("at byte {offset}"),
        None => "nowhere".to_owned(),
    }
}

/// The reason why an output cannot be resumed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ThisError)]
#[non_exhaustive]
pub enum ResumeProblem {
    /// Standard output has no journal.
    #[error("cannot resume a run that wrote to standard output")]
    StandardOutput,
    /// The format of a single file is not valid before its end.
    #[error("cannot resume a run that wrote a single file of this format")]
    SingleFile,
    /// A stream can be read only once.
    #[error("cannot resume a run that read a stream")]
    Stream,
    /// The records of a caller can be read only once.
    #[error("cannot resume a run that read records of its caller")]
    Items,
}

/// The difference between a run and the one that wrote its journal.
#[derive(Debug, Clone, PartialEq, Eq, ThisError)]
#[non_exhaustive]
pub enum Mismatch {
    /// The journal has another version.
    #[error("another version of this program wrote it")]
    Version,
    /// A setting differs.
    #[error("that run had another {0}")]
    Setting(String),
    /// The number of inputs differs.
    #[error("that run had {then} inputs that can be read, and now there are {now}")]
    #[non_exhaustive]
    InputCount {
        /// The number in the earlier run.
        then: usize,
        /// The number now.
        now: usize,
    },
    /// An input was changed.
    #[error("{0} has changed since")]
    InputChanged(String),
    /// An input is another file.
    #[error("where that run had {then}, now there is {now}")]
    #[non_exhaustive]
    OtherInput {
        /// The input of the earlier run.
        then: String,
        /// The input now.
        now: String,
    },
}

/// The reason why bytes are not a book that can be used.
#[derive(Debug, Clone, PartialEq, Eq, ThisError)]
#[non_exhaustive]
pub enum BookError {
    /// The bytes do not begin as a book does.
    #[error("the bytes are not a book of robots.txt captures")]
    NotBook,
    /// The bytes have another version of the format.
    #[error(
        "the book has version {found} of the format, and this is version {known}: read the captures again"
    )]
    #[non_exhaustive]
    OtherVersion {
        /// The version of the bytes.
        found: u32,
        /// The version that can be read.
        known: u32,
    },
    /// The bytes end early, or differ from those that were written.
    #[error("the book is damaged")]
    Damaged,
    /// The book was made for other robots or profiles.
    #[error("the book is of {book}, not of {expected}: read the captures for these")]
    #[non_exhaustive]
    OtherPolicies {
        /// The robots of the book, with their profiles.
        book: String,
        /// The expected ones.
        expected: String,
    },
    /// Robots and profiles have the same names, and differ.
    #[error(
        "the book is of another {0} than that of this name: the robot, the profile or its dialect differs"
    )]
    ChangedPolicy(String),
}

impl Error {
    /// Returns a function that turns an I/O error into the error of an operation on a file. `file` is its name in messages.
    pub(crate) fn io<E: Into<io::Error>>(
        operation: &'static str,
        file: impl fmt::Display,
    ) -> impl FnOnce(E) -> Self {
        move |source| Self::Io {
            operation,
            file: file.to_string(),
            source: source.into(),
        }
    }

    /// Does the same as [`io`](Self::io), for a temporary file.
    pub(crate) fn temporary(operation: &'static str) -> impl FnOnce(io::Error) -> Self {
        let folder = std::env::temp_dir();
        Self::io::<io::Error>(
            operation,
            format!("a temporary file in {}", path_text(folder)),
        )
    }

    /// Does the same as [`io`](Self::io), for a file at a path.
    pub(crate) fn at<E: Into<io::Error>>(
        operation: &'static str,
        path: &Path,
    ) -> impl FnOnce(E) -> Self + use<E> {
        Self::io::<E>(operation, path_text(path))
    }
}
