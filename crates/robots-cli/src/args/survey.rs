//! The arguments of `robots survey`.

use super::fetch::{DEFAULT_AT_ONCE, DEFAULT_TIMEOUT};
use clap::Args;
use robots_crawl::fetch::DEFAULT_PER_ADDRESS;
use robots_txt::Dialect;
use std::path::PathBuf;

/// Count the contents of many robots.txt files and pages
///
/// Counts in robots.txt files: sizes, fields, robots and how much is disallowed to each, crawl-delays, AI preferences,
/// and the findings of `robots lint`.
///
/// Counts in pages of archives: METAs and headers for robots.
///
/// Uses all processors and bounded memory.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  robots survey robots.warc.gz
  robots survey crawl/*.warc.gz --html report.html --csv tables
  robots survey crawl/*.warc.gz --files files.csv
  robots survey crawl/*.warc.gz --files files.parquet
  robots survey --json robots.warc.gz > 2026.json
  robots survey --baseline 2025.json --html report.html robots.warc.gz
  robots survey --sites sites.txt --keep robots.warc.gz

A robot obeys its own group. Without one, it obeys that of another name, if its vendor documents one \
(`robots agents NAME` shows it), or else that of *.

Every response counts: a site that was requested twice counts twice. A file that is an HTML page is counted, and not \
read as robots.txt.

These numbers depend on --dialect:
  - the groups, and the counts for each User-agent line
  - the robots that files name, and how much is disallowed to each
  - crawl-delays and AI preferences
Lines, fields and findings do not. Dialects other than rfc9309 take more time.

--files has a row for each file with status 2xx: its archive and URL, its bytes, its lines by kind, its groups and \
robots, the number of errors, and the codes of the findings of `robots lint`. docs/survey.md describes the columns. The \
name must end with .csv, or with .parquet in a build with the feature columnar; without an extension, it is a CSV file.

Sizes and numbers of lines are exact below 2,048, and have three exact digits above. Up to 200,000 different names, such as those of robots, \
are counted. The report states which counts are approximate.

--json and --csv have the errors of 1997 also without --webwatch. A CRLF line end was one; it is not a mistake, so only their numbers have it.

--json writes all numbers, the version of the JSON format, and the profile under which each robot reads files; null with \
--dialect.

Exit codes:
  0  files or pages were counted
  2  an error, nothing to count, or an input could not be read; the others
     were counted

Damage in an archive is reported, and the rest of it is counted.")]
#[command(mut_args(super::RequestArgs::only_with("sites", "inputs")))]
pub(crate) struct Survey {
    /// WARC or ARC files, robots.txt files, folders, or - for standard input
    #[arg(required_unless_present = "sites", value_name = "INPUT", value_parser = super::input_file("download it first, or fetch it with --sites"))]
    pub(crate) inputs: Vec<PathBuf>,
    /// Fetch the robots.txt of a site, or of a list of sites; repeatable
    #[arg(
        long,
        value_name = "SITES",
        requires = "keep",
        conflicts_with = "inputs"
    )]
    pub(crate) sites: Vec<PathBuf>,
    /// Keep the responses in this WARC file; --sites needs it
    #[arg(
        long,
        value_name = "FILE",
        requires = "sites",
        conflicts_with = "inputs"
    )]
    pub(crate) keep: Option<PathBuf>,
    #[command(flatten)]
    requests: super::RequestArgs,
    /// Compare with an earlier survey, written by --json
    #[arg(long, value_name = "FILE", value_parser = super::input_file("download it first"))]
    pub(crate) baseline: Option<PathBuf>,
    /// Read robots.txt under this dialect (see `robots check --help`)
    ///
    /// By default, each robot reads files as its operator does; groups, delays and AI preferences are those of rfc9309.
    #[arg(long, value_name = "NAME", value_parser = NamedDialect::parse, add = super::complete::dialects())]
    pub(crate) dialect: Option<NamedDialect>,
    /// Also write a row for each robots.txt, as CSV or .parquet
    #[arg(long, value_name = "FILE")]
    pub(crate) files: Option<PathBuf>,
    /// Show the errors of 1997: the seven kinds that WebWatch counted
    #[arg(long)]
    pub(crate) webwatch: bool,
    #[command(flatten)]
    pub(crate) folder_files: super::FolderFilesArg,
    #[command(flatten)]
    pub(crate) reports: super::Reports,
    #[command(flatten)]
    pub(crate) known: super::AgentTableArg,
    #[command(flatten)]
    pub(crate) threads: super::Threads,
}

/// A dialect, with its name and switches as they were given.
#[derive(Debug, Clone)]
pub(crate) struct NamedDialect {
    pub(crate) name: String,
    pub(crate) dialect: Dialect,
}

impl NamedDialect {
    fn parse(name: &str) -> Result<Self, String> {
        let dialect = super::dialect(name)?;
        Ok(Self {
            name: name.to_owned(),
            dialect,
        })
    }
}

impl Survey {
    /// Returns the arguments of the fetch that comes first, if there is one.
    pub(crate) fn fetch(&self) -> Option<super::Fetch> {
        let output = self.keep.clone()?;
        Some(super::Fetch {
            sites: self.sites.clone(),
            output: Some(output),
            resume: false,
            retry: false,
            store: None,
            requests: self.requests.clone(),
            at_once: DEFAULT_AT_ONCE,
            per_address: DEFAULT_PER_ADDRESS,
            timeout: DEFAULT_TIMEOUT,
            quiet: true,
            json: false,
        })
    }
}
