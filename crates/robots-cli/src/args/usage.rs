//! The arguments of `robots usage`.

use clap::Args;
use std::path::PathBuf;

/// Report what a crawl may be used for, from recorded decisions
///
/// Reads decisions that `robots decide --evidence` wrote, and counts for each robot and each use what is permitted, limited, refused or
/// not known, and by which statements. With --html, the report is a page to print and to keep next to the decisions.
///
/// It counts what is recorded. `robots verify` shows whether the decisions follow from the archives.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  robots decide --evidence -o decisions.jsonl crawl.warc.gz
  robots usage decisions.jsonl
  robots usage decisions/ --html usage.html
  robots usage decisions.csv --json > usage.json

Uses, and the columns that they are counted by:
  fetch      fetch: defer counts as refused; a token that controls uses and
             fetches nothing is not applicable
  index      index: a page of which only the URL may be listed counts as limited
  archive    archive: a copy may be kept and shown
  ai-train   may_train: refused also for a limit; no objection is a permission
  ai-input   ai_input: no statement counts as not known
  ai-search  ai_search: no statement counts as not known

A decision with an override counts as it was decided; the overrides are counted apart.

Exit codes:
  0  decisions were counted
  2  an error, or a row could not be read; the others were counted")]
pub(crate) struct Usage {
    /// Decisions with evidence: .jsonl, .csv, .parquet, or a folder of them
    #[arg(required = true, value_name = "DECISIONS", value_parser = super::input_file("write them with `robots decide --evidence`"))]
    pub(crate) decisions: Vec<PathBuf>,
    #[command(flatten)]
    pub(crate) reports: super::Reports,
}
