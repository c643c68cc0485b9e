//! The options of writing to files.

use super::columns::is_evidence;
use super::{Filter, Format, TableLayout};
use std::path::PathBuf;
use std::time::Duration;

/// The destination of rows.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Destination {
    /// Standard output.
    Stdout,
    /// A file.
    File(PathBuf),
    /// A folder, with a file for each input.
    Folder(PathBuf),
}

/// The options of writing to files.
#[derive(Debug, Clone)]
#[allow(
    clippy::exhaustive_structs,
    clippy::struct_excessive_bools,
    reason = "each is an option of its own, and callers start from the defaults"
)]
pub struct FileOutput {
    /// The destination of rows.
    pub destination: Destination,
    /// The format of rows.
    pub format: Format,
    /// The layout of the rows of a table.
    pub layout: TableLayout,
    /// The fields that are written; `None` for all.
    pub fields: Option<Vec<String>>,
    /// The kinds of decisions that are written: a decision of at least one of these kinds. If the list is empty, all decisions
    /// are written.
    pub only: Vec<Filter>,
    /// Whether all reasons are written.
    pub explain: bool,
    /// Whether the evidence of decisions is written, with all reasons.
    pub evidence: bool,
    /// Whether the overrides of decisions are written ([`Options::overrides`](crate::Options::overrides)).
    pub overrides: bool,
    /// Whether an earlier run is resumed.
    pub resume: bool,
    /// The minimum time between two lines of the journal.
    pub journal_interval: Duration,
    /// The file for the summary as JSON.
    pub summary: Option<PathBuf>,
    /// Other files that the caller reads: no output may be one of them.
    pub other_inputs: Vec<PathBuf>,
    /// Other files that the caller reads, such as a store: no output may be one of them, and if one has changed, the run is
    /// not resumed.
    pub compared_inputs: Vec<PathBuf>,
    /// Other settings of the caller that must be the same in a resumed run, by name.
    pub settings: Vec<(String, String)>,
}

impl FileOutput {
    /// Returns the default options of writing to a destination.
    pub fn new(destination: Destination, format: Format) -> Self {
        Self {
            destination,
            format,
            layout: TableLayout::default(),
            fields: None,
            only: Vec::new(),
            explain: false,
            evidence: false,
            overrides: false,
            resume: false,
            journal_interval: Duration::from_secs(1),
            summary: None,
            other_inputs: Vec::new(),
            compared_inputs: Vec::new(),
            settings: Vec::new(),
        }
    }

    /// Returns whether rows need evidence.
    pub(crate) fn needs_evidence(&self) -> bool {
        let mut fields = self.fields.iter().flatten();
        self.evidence || fields.any(|field| is_evidence(field))
    }
}
