//! The table of files: a row for each robots.txt.

use super::lines::LineCounts;
use crate::report::csv::NewTable;
use anyhow::Result;
use std::path::Path;
use std::sync::Arc;

/// The columns of the table.
const COLUMNS: [&str; 14] = [
    "file",
    "url",
    "bytes",
    "html",
    "lines",
    "comment_lines",
    "lines_with_comment",
    "blank_lines",
    "directives",
    "user_agents",
    "groups",
    "named_robots",
    "errors",
    "findings",
];

/// A robots.txt of the inputs.
#[derive(Debug)]
pub(super) struct FileRow {
    /// The path of the file, or of the archive that holds it.
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
    pub(super) errors: u64,
    /// The codes of all findings.
    pub(super) findings: Vec<&'static str>,
}

impl FileFacts {
    /// Returns the facts of an HTML page.
    pub(super) fn of_html(bytes: usize) -> Self {
        Self {
            bytes,
            ..Self::default()
        }
    }
}

/// The table, as a CSV file.
#[derive(Debug)]
pub(super) struct FileTable<'p>(NewTable<'p>);

impl<'p> FileTable<'p> {
    /// Starts the table of a path.
    pub(super) fn create(path: &'p Path) -> Result<Self> {
        Ok(Self(NewTable::create(path, &COLUMNS)?))
    }

    /// Adds a row.
    pub(super) fn add(&mut self, row: &FileRow) -> Result<()> {
        let facts = &row.facts;
        let mut cells = vec![
            row.file.to_string(),
            row.url.clone().unwrap_or_default(),
            facts.bytes.to_string(),
            facts.lines.is_none().to_string(),
        ];
        if let Some(lines) = &facts.lines {
            let numbers = [
                lines.lines,
                lines.comments,
                lines.with_comment,
                lines.blank,
                lines.directives,
                lines.user_agents(),
                facts.groups,
                facts.named_robots,
            ];
            cells.extend(numbers.map(|number| number.to_string()));
            cells.push(facts.errors.to_string());
            cells.push(facts.findings.join(" "));
        }
        // The numbers of an HTML page are empty.
        cells.resize(COLUMNS.len(), String::new());
        self.0.add(cells.iter())
    }

    /// Completes the file, under its name.
    pub(super) fn finish(self) -> Result<()> {
        self.0.finish()
    }
}
