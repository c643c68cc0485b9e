//! The arguments of `robots verify`.

use super::decide::{ProfileArg, profile_arg};
use super::{base, complete, dialect, mebibytes};
use clap::Args;
use robots_txt::Dialect;
use std::path::PathBuf;

/// Make recorded decisions again from archives, and compare
///
/// Reads decisions that `robots decide --evidence` wrote, decides again from the archived bytes, and reports each decision that is
/// not equal.
///
/// A page is found by its URL, time and digest, and a robots.txt by its origin: archives may have other names, and records other
/// places. So all archives with robots.txt files of the run are needed.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  robots decide --evidence -o decisions.jsonl crawl.warc.gz
  robots verify decisions.jsonl crawl.warc.gz
  robots verify decisions.csv --robots robots.warc.gz pages/*.warc.gz
  robots verify decisions/ --json archives/ > report.json
  robots verify decisions.jsonl --profile mine.toml crawl.warc.gz

Each decision is one of:
  equal      made again from the same files, with the same result
  different  made again from the same files, with another result, or by another
             robots.txt: the columns are named, with the statements
  missing    not made again by the same files: the page, the robots.txt or the
             profile is missing
  changed    the page, the robots.txt or the profile has another digest

The digests of robots.txt files are computed. That of a page is compared as the archive states it, unless it states none, or \
with --verify-digests.

Keys of --json:
  decisions, equal, different, missing, changed
                             numbers of decisions
  overridden, expired        decisions with an override, and those whose
                             override has ended since
  unreadable                 the number of rows that are not decisions
  failed_inputs              archives that could not be read
  interrupted                true if a signal ended the run
  findings                   for each decision that is not equal: recorded_in,
                             line, url, agent, profile, status; differences,
                             or subject, name, time, recorded and found
  problems                   for each row that is not a decision with evidence:
                             recorded_in, line and reason

Exit codes:
  0    all decisions are equal
  1    a decision is different, missing or changed
  2    an error, or a row or an archive could not be read
  130  interrupted (143: terminated)")]
#[allow(
    clippy::struct_field_names,
    reason = "`robots decide` has the option `--verify-digests`, too"
)]
pub(crate) struct Verify {
    /// Decisions with evidence: .jsonl, .csv, .parquet, or a folder of them
    #[arg(value_name = "DECISIONS", value_parser = super::input_file("download it first"))]
    pub(crate) decisions: PathBuf,
    /// The archives, saved pages and folders that were decided
    #[arg(required = true, value_name = "ARCHIVE", value_parser = super::input_file("download it first"))]
    pub(crate) archives: Vec<PathBuf>,
    /// Take robots.txt only from this file, folder or archive; repeatable
    ///
    /// As in the command that made the decisions.
    #[arg(long, value_name = "FILE", value_parser = super::input_file("download it first"))]
    pub(crate) robots: Vec<PathBuf>,
    /// Use this profile for decisions with its name; repeatable
    ///
    /// Needed for profiles that are not built in: PROFILE is a TOML file.
    #[arg(short, long = "profile", value_name = "PROFILE", value_parser = profile_arg, add = complete::profiles())]
    pub(crate) profiles: Vec<ProfileArg>,
    /// Read robots.txt under this dialect, if the decisions were made so
    #[arg(long, value_name = "NAME", value_parser = dialect, add = complete::dialects())]
    pub(crate) dialect: Option<Dialect>,
    #[command(flatten)]
    pub(crate) scripting: super::ScriptingArg,
    /// Compare the overrides of decisions with this file, too
    ///
    /// Without it, they are only counted.
    #[arg(long, value_name = "FILE", value_parser = super::input_file("write it as docs/evidence.md shows"))]
    pub(crate) overrides: Option<PathBuf>,
    /// Set the URL of the folder of saved pages
    #[arg(long, value_name = "URL", value_parser = base)]
    pub(crate) base: Option<url::Url>,
    /// Compare digests that archives state with the bytes, too
    #[arg(long)]
    pub(crate) verify_digests: bool,
    #[command(flatten)]
    pub(crate) threads: super::Threads,
    /// Keep up to MIB mebibytes of waiting pages in memory
    #[arg(long, value_name = "MIB", default_value = "64", value_parser = mebibytes)]
    pub(crate) hold_back: usize,
    /// Write all results as JSON
    #[arg(long)]
    pub(crate) json: bool,
}
