//! The arguments of `robots lint` and `robots explain`.

use clap::{Args, ValueEnum};
use robots_lint::catalogue::Selection;
use robots_lint::{DiagnosticKind, Severity};
use std::path::PathBuf;

/// Find what is odd in robots.txt files, and mend it; or in pages and their headers
///
/// Each finding has a code, a severity and its place; `robots explain CODE` says more. Reads files, folders
/// (files whose names end with robots.txt, in them and below; where there is none, all that end with .txt), and
/// the responses to /robots.txt of WARC and ARC files.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  robots lint robots.txt
  curl -s https://example.com/robots.txt | robots lint -
  robots lint --level note robots.txt
  robots lint --diff robots.txt
  robots lint --fix robots.txt
  robots lint --statistics robots.warc.gz
  robots lint --sarif sites/ > lint.sarif
  robots lint --ignore R025,unknown-field --json robots.warc.gz
  robots lint --meta crawl.warc.gz
  curl -si https://example.com/ | robots lint --meta --base https://example.com/ --robots robots.txt -

A fix changes no decision of Google's, who reads most of what is misspelt as it is meant: others then read
the same. Where it is not certain what is meant, there is none.

With --meta pages are linted, and the headers of responses: HTML files, folders of them, responses as `curl -i` prints
them, archives. What robots.txt hides is found where it is known: in archives by what they have, else by --robots.

Each object of --json has \"file\", \"url\" (of a response in an archive), \"header\" (whether it is about a header line,
and no line of the body), \"line\" and \"column\" (in characters, both from 1), \"offset\" and \"length\" (in bytes,
from 0), \"code\", \"name\", \"severity\", \"message\", \"help\", \"standard\", \"related_line\" (or null), and \"fix\": the
edits that mend it (or null).

Exit codes: 0 nothing was found (of --level and above), 1 something was, 2 an error.")]
#[allow(clippy::struct_excessive_bools, reason = "one for each flag")]
pub(crate) struct Lint {
    /// robots.txt files, folders, WARC or ARC files, or - for standard input
    #[arg(required = true, value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,
    /// Show findings of this severity and above
    #[arg(long, value_enum, default_value_t = Level::Warning, value_name = "SEVERITY")]
    pub(crate) level: Level,
    /// Show these kinds alone: codes or names
    #[arg(long, value_name = "CODE", value_delimiter = ',', value_parser = kind)]
    pub(crate) only: Vec<DiagnosticKind>,
    /// Do not show these kinds: codes or names
    #[arg(long, value_name = "CODE", value_delimiter = ',', value_parser = kind)]
    pub(crate) ignore: Vec<DiagnosticKind>,
    /// Mend what has a fix: write the files anew; of standard input, write it to standard output
    #[arg(long, conflicts_with_all = ["json", "sarif", "statistics", "diff"])]
    pub(crate) fix: bool,
    /// Show what --fix would change
    #[arg(long, conflicts_with_all = ["json", "sarif", "statistics"])]
    pub(crate) diff: bool,
    /// Write a JSON object for each finding
    #[arg(long, conflicts_with_all = ["sarif", "statistics"])]
    pub(crate) json: bool,
    /// Write a SARIF 2.1.0 log, for CI systems
    #[arg(long, conflicts_with = "statistics")]
    pub(crate) sarif: bool,
    /// Count the findings of each kind, and the files that have them
    #[arg(long)]
    pub(crate) statistics: bool,
    /// Lint pages and their headers, not robots.txt files
    #[arg(long, conflicts_with_all = ["fix", "diff"])]
    pub(crate) meta: bool,
    /// For --meta: what robots.txt says: a file, a folder, an archive (see `robots audit --help`); those of the
    /// archives that are linted if none is named
    #[arg(long, value_name = "FILE", requires = "meta")]
    pub(crate) robots: Vec<PathBuf>,
    /// For --meta: the URL of a page that is a file, or of the folder that it is in
    #[arg(long, value_name = "URL", requires = "meta", value_parser = super::base)]
    pub(crate) base: Option<url::Url>,
    /// For --meta: the time as of which dates have passed, such as 2026-11-20T00:00:00Z [default: that of the capture,
    /// or now]
    #[arg(long, value_name = "TIME", requires = "meta", value_parser = super::moment)]
    pub(crate) now: Option<robots_meta::Timestamp>,
    #[command(flatten)]
    pub(crate) known: super::KnownRobots,
}

impl Lint {
    /// Returns the kinds of findings to report.
    pub(crate) fn selection(&self) -> Selection {
        Selection::of_level(self.level.severity())
            .with_only(self.only.clone())
            .without(self.ignore.clone())
    }
}

/// A severity, as an argument.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Level {
    /// All
    Note,
    /// Warnings and errors
    Warning,
    /// Errors alone
    Error,
}

impl Level {
    pub(crate) fn severity(self) -> Severity {
        match self {
            Self::Note => Severity::Note,
            Self::Warning => Severity::Warning,
            Self::Error => Severity::Error,
        }
    }
}

/// Say at length what a finding of `robots lint` means
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  robots explain R014
  robots explain shadowed-rule
  robots explain --json R014
  robots explain

Exit codes: 0 it was explained, 2 there is no such code.")]
pub(crate) struct Explain {
    /// A code or a name; without it, all are listed
    #[arg(value_name = "CODE", value_parser = kind)]
    pub(crate) kind: Option<DiagnosticKind>,
    /// Write JSON: an object for the one, or an array of all
    #[arg(long)]
    pub(crate) json: bool,
}

fn kind(text: &str) -> Result<DiagnosticKind, String> {
    DiagnosticKind::by_code_or_name(text)
        .ok_or_else(|| "no such code or name; `robots explain` lists them".to_owned())
}
