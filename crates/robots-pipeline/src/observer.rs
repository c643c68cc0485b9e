//! The reports of a run in progress: warnings and counts, as values.

use crate::error::Error;
use crate::text::{counted, path_text, with_causes};
use robots_archive::cdxj::CdxjError;
use robots_archive::http::Note;
use robots_archive::{Damage, DigestMismatch, Record};
use robots_policy::origins::UrlError;
use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use thiserror::Error as ThisError;

/// A receiver of warnings and progress, which can also stop a run. Several threads call it.
pub trait Observer: Sync {
    /// Notes that a run begins, with the number of bytes of its inputs.
    fn begin(&self, bytes: u64) {
        let _ = bytes;
    }

    /// Notes progress: this number of further bytes was read in a stage of the run, such as `deciding`.
    fn progress(&self, stage: &'static str, bytes: u64) {
        let _ = (stage, bytes);
    }

    /// Takes a warning.
    fn warn(&self, warning: &Warning) {
        let _ = warning;
    }

    /// Returns whether the run is to stop; decisions made until then are written.
    fn is_stopped(&self) -> bool {
        false
    }
}

/// An observer that ignores everything.
impl Observer for () {}

/// A problem that did not end the run. Its text may hold control characters of the input.
#[derive(Debug, ThisError)]
#[non_exhaustive]
pub enum Warning {
    /// A damaged place of an archive.
    #[error("{file}: {damage}")]
    Damage {
        /// The archive.
        file: String,
        /// The damage.
        damage: Damage,
    },
    /// An offset of an index at which no record begins.
    #[error("{file}: at byte {offset}: no record begins here, although the index lists one")]
    NoRecord {
        /// The archive.
        file: String,
        /// The offset, in bytes.
        offset: u64,
    },
    /// A problem of one record.
    #[error("{file}: at byte {offset}: {}: {problem}", url.as_deref().unwrap_or("no URL"))]
    Record {
        /// The archive.
        file: String,
        /// The offset of the record, in bytes.
        offset: u64,
        /// The URL of the record.
        url: Option<String>,
        /// The problem.
        problem: RecordProblem,
    },
    /// A page whose URL cannot be read: its robots.txt is unknown.
    #[error("{file}: at byte {offset}: {error}")]
    PageUrl {
        /// The archive.
        file: String,
        /// The offset of the record, in bytes.
        offset: u64,
        /// The cause.
        error: UrlError,
    },
    /// A line of an index that is not an entry.
    #[error("{}: {}", path_text(file), with_causes(error))]
    IndexLine {
        /// The index.
        file: PathBuf,
        /// The cause.
        error: CdxjError,
    },
    /// Entries of an index about files that are not inputs.
    #[error("the index has {} in files that are not inputs", counted(*records, "record"))]
    IndexOfOtherFiles {
        /// The number of records.
        records: u64,
    },
    /// An input of which an index lists no page and no robots.txt.
    #[error("{file}: the index lists no page and no robots.txt of it")]
    NotInIndex {
        /// The archive.
        file: String,
    },
    /// A file or folder, found in a folder, that cannot be read.
    #[error("cannot read {}: {error}; left out", path_text(path))]
    Unreadable {
        /// Its path.
        path: PathBuf,
        /// The cause.
        error: String,
    },
    /// A robots.txt file, named by the caller, that looks like an HTML page.
    #[error("{}: {}", path_text(path), RecordProblem::RobotsIsHtml)]
    RobotsFileIsHtml {
        /// The file.
        path: PathBuf,
    },
    /// An input that cannot be opened, and is left out.
    #[error("{}; left out", with_causes(.0))]
    NotOpened(Error),
    /// An input that is not an archive, or whose rest cannot be read.
    #[error("{}", with_causes(.0))]
    NotRead(Error),
}

/// A problem of a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ThisError)]
#[non_exhaustive]
pub enum RecordProblem {
    /// A response without a URL.
    #[error("a response without a URL; skipped")]
    NoUrl,
    /// A block that is not an HTTP response.
    #[error("not an HTTP response{}", if *loses_decision { "; skipped" } else { "" })]
    NotHttp {
        /// Whether a decision is missing because of it.
        loses_decision: bool,
    },
    /// A body in an unknown coding.
    #[error("cannot be read")]
    Unreadable,
    /// A robots.txt that is not whole, in a reading that applies no rules, such as that of a linter. Its start is read.
    #[error("not whole")]
    Cut,
    /// A robots.txt that is not whole, in a reading that applies its rules. Those of its start decide.
    #[error("robots.txt is not whole, so its rules are not known")]
    RobotsCut,
    /// A robots.txt that is an HTML page.
    #[error("this robots.txt looks like an HTML page; only lines that are directives count")]
    RobotsIsHtml,
    /// A robots.txt that is gzip, although its headers do not state that.
    #[error(
        "this robots.txt is gzip, although its headers do not say so; it is not text, so it has no rules"
    )]
    RobotsIsGzip,
    /// A page that breaks off in HEAD.
    #[error("cut before the end of its HEAD; only what is forbidden is decided")]
    HeadCut,
    /// An anomaly of an HTTP response.
    #[error("{0}")]
    Http(Note),
    /// A digest that does not match.
    #[error("{0}")]
    Digest(DigestMismatch),
}

impl RecordProblem {
    /// Returns the name of the group of similar problems, in the plural.
    fn group(self) -> &'static str {
        match self {
            Self::NoUrl => "responses without a URL",
            Self::NotHttp { .. } => "responses that are not HTTP",
            Self::Unreadable => "bodies that cannot be read",
            Self::Cut | Self::RobotsCut => "robots.txt files that are not whole",
            Self::RobotsIsHtml => "robots.txt files that look like HTML",
            Self::RobotsIsGzip => "robots.txt files that are gzip",
            Self::HeadCut => "pages that are cut in HEAD",
            Self::Http(Note::InvalidHeaderLine | Note::HeadLimit) => {
                "responses with header lines that were not read"
            }
            Self::Http(_) => "bodies that differ from their headers",
            Self::Digest(_) => "wrong digests",
        }
    }
}

impl Warning {
    /// Returns the warning about a problem of a record of a file.
    pub fn of_record(file: &str, record: &Record, problem: RecordProblem) -> Self {
        Self::Record {
            file: file.to_owned(),
            offset: record.offset,
            url: record.url.clone(),
            problem,
        }
    }

    /// Returns whether a part of the input is left out. Otherwise, the input is unusual or damaged, and is used as far as possible.
    pub fn is_error(&self) -> bool {
        matches!(
            self,
            Self::NotOpened(_) | Self::NotRead(_) | Self::Unreadable { .. }
        )
    }

    /// Returns whether the warning is about a damaged place of an archive. Such places are counted.
    pub fn is_damage(&self) -> bool {
        matches!(
            self,
            Self::Damage { .. }
                | Self::NoRecord { .. }
                | Self::Record {
                    problem: RecordProblem::Digest(_),
                    ..
                }
        )
    }

    /// Returns the name of the group of similar warnings, in the plural. A receiver may show the first of each group and count
    /// the others.
    pub fn group(&self) -> &'static str {
        match self {
            Self::Damage { damage, .. } if damage.is_of_member => "damaged members of archives",
            Self::Damage { .. } => "damaged records",
            Self::NoRecord { .. } => "offsets of an index without a record",
            Self::Record { problem, .. } => problem.group(),
            Self::PageUrl { .. } => "URLs that cannot be read",
            Self::IndexLine { .. } => "lines of an index that are not entries",
            Self::IndexOfOtherFiles { .. } | Self::NotInIndex { .. } => {
                "files without a part in the run"
            }
            Self::RobotsFileIsHtml { .. } => RecordProblem::RobotsIsHtml.group(),
            Self::Unreadable { .. } => "unreadable files and folders",
            Self::NotOpened(_) | Self::NotRead(_) => "unreadable inputs",
        }
    }

    /// Returns the warning about a file or folder.
    pub(crate) fn unreadable(path: &Path, error: &io::Error) -> Self {
        Self::Unreadable {
            path: path.to_owned(),
            error: error.to_string(),
        }
    }
}

/// The numbers of warnings, by their groups ([`Warning::group`]): a receiver shows the first ones of each group, and at the end the
/// number of the others.
///
/// ```
/// use robots_pipeline::WarningCounts;
///
/// let mut counts = WarningCounts::new();
/// let shown = (0..12).filter(|_| counts.add("damaged records")).count();
/// assert_eq!(shown, 10);
/// assert_eq!(counts.hidden().collect::<Vec<_>>(), [("damaged records", 2)]);
/// ```
#[derive(Debug, Default)]
pub struct WarningCounts(BTreeMap<&'static str, u64>);

impl WarningCounts {
    /// The number of warnings of a group that are shown.
    pub const SHOWN: u64 = 10;

    /// Returns counts without a warning.
    pub const fn new() -> Self {
        Self(BTreeMap::new())
    }

    /// Counts a warning of a group, and returns whether it is one of the first [`SHOWN`](Self::SHOWN).
    pub fn add(&mut self, group: &'static str) -> bool {
        let count = self.0.entry(group).or_default();
        *count += 1;
        *count <= Self::SHOWN
    }

    /// Returns each group with more warnings than are shown, and how many more it has.
    pub fn hidden(&self) -> impl Iterator<Item = (&'static str, u64)> {
        self.0.iter().filter_map(|(group, count)| {
            let hidden = count.checked_sub(Self::SHOWN)?;
            (hidden > 0).then_some((*group, hidden))
        })
    }
}
