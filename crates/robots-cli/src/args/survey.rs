//! The arguments of `robots survey`.

use clap::Args;
use std::path::PathBuf;

/// Count what many robots.txt files and pages have
///
/// For robots.txt files: sizes, fields, robots and how much is disallowed to each, crawl-delays, preferences
/// about AI, and what `robots lint` finds. For pages of archives: their METAs and headers for robots. All
/// processors count; memory is bounded, whatever is counted.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  robots survey robots.warc.gz
  robots survey crawl/*.warc.gz --html report.html --csv tables
  robots survey --json robots.warc.gz > 2026.json
  robots survey --baseline 2025.json --html report.html robots.warc.gz
  robots survey --sites sites.txt --keep robots.warc.gz

Files are read as RFC 9309 has it, and what is disallowed to a robot is by its own group, by that of a robot whose
groups it obeys (`robots agents`), or by that of *. A file that is an HTML page is counted as such alone. Each
answer counts: of a site that was asked twice, both.

Sizes are exact below 2,048, and beyond to three digits. Of names, such as those of robots, 200,000 are told apart; the
report says where a count is not exact. --json has the whole survey, with the version of its form.

Exit codes: 0 it was counted, 2 an error, nothing to count, or an input that could not be read to its end.")]
pub(crate) struct Survey {
    /// WARC or ARC files, folders of robots.txt files, robots.txt files, or - for standard input
    #[arg(required_unless_present = "sites", value_name = "INPUT")]
    pub(crate) inputs: Vec<PathBuf>,
    /// Ask the sites of these lists for their robots.txt first, as `robots fetch` does
    #[arg(
        long,
        value_name = "SITES",
        requires = "keep",
        conflicts_with = "inputs"
    )]
    sites: Vec<PathBuf>,
    /// For --sites: the WARC file to keep the answers in
    #[arg(long, value_name = "FILE", requires = "sites")]
    keep: Option<PathBuf>,
    /// For --sites: who asks, as the User-Agent header says it
    #[arg(long, value_name = "TEXT", requires = "sites", default_value = concat!("robots/", env!("CARGO_PKG_VERSION")))]
    user_agent: String,
    /// For --sites: also ask addresses that are not public, such as 127.0.0.1
    #[arg(long, requires = "sites")]
    allow_private: bool,
    /// Compare with an earlier survey, as --json wrote it
    #[arg(long, value_name = "FILE")]
    pub(crate) baseline: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) reports: super::Reports,
    #[command(flatten)]
    pub(crate) known: super::KnownRobots,
    #[command(flatten)]
    pub(crate) threads: super::Threads,
}

impl Survey {
    /// What is to be fetched before, if something is.
    pub(crate) fn fetch(&self) -> Option<super::Fetch> {
        let output = self.keep.clone()?;
        Some(super::Fetch {
            sites: self.sites.clone(),
            output,
            resume: false,
            retry: false,
            store: None,
            user_agent: self.user_agent.clone(),
            from: None,
            at_once: 64,
            timeout: 30,
            allow_private: self.allow_private,
            quiet: true,
            json: false,
        })
    }
}
