//! The arguments of `robots diff`.

use super::{AgentTableArg, complete, dialect};
use clap::Args;
use robots_answers::AgentName;
use robots_txt::Dialect;
use std::path::PathBuf;

/// Compare two robots.txt files by their decisions
///
/// Compares the meaning of the files, not their text: shows the paths on which the decision for a robot changes.
///
/// Many paths may change for the same reason: an old rule decided them, and a new rule decides them now. For each such
/// pair of rules, shows the shortest path. Robots with the same change are listed together; --verbose lists all of a long list.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  robots diff old.txt new.txt
  curl -s https://example.com/robots.txt | robots diff robots.txt -
  robots diff old.txt new.txt --agent Googlebot --dialect google
  robots diff --text old.txt new.txt

Without --agent, these robots are compared:
  - *: any robot that the files do not name
  - the robots that a file names
  - known robots (`robots agents`) that obey a group of another name in a file
  - known robots that do not obey *
All other robots get the decisions of *.

Keys of each object of --json, one for each robot with changes:
  agent                      the robot
  dialect, profile           how its group is found and read
  changes                    for each: path; before and after, with allowed,
                             line, reason and reason_text
  crawl_delay                before and after, in seconds; null if unchanged
  complete                   true if every path was considered

Exit codes:
  0  no decision changed
  1  a decision changed; with --text: the texts differ
  2  an error")]
pub(crate) struct Diff {
    /// The old file, or - for standard input
    #[arg(value_name = "OLD", value_parser = super::input_file("download it, as with `curl -s URL | robots diff - FILE`"))]
    pub(crate) old: PathBuf,
    /// The new file, or - for standard input
    #[arg(value_name = "NEW", value_parser = super::input_file("download it, as with `curl -s URL | robots diff FILE -`"))]
    pub(crate) new: PathBuf,
    /// Compare for this robot: product token, or User-Agent; repeatable
    #[arg(short, long = "agent", value_name = "NAME", value_parser = clap::value_parser!(AgentName), add = complete::robots())]
    pub(crate) agents: Vec<AgentName>,
    /// Read robots.txt under this dialect (see `robots check --help`)
    ///
    /// By default, the files are read for each robot as its operator reads them, and for other robots under rfc9309.
    #[arg(long, value_name = "NAME", value_parser = dialect, add = complete::dialects())]
    pub(crate) dialect: Option<Dialect>,
    /// Compare the text line by line
    #[arg(long, conflicts_with_all = ["agents", "json"])]
    pub(crate) text: bool,
    #[command(flatten)]
    pub(crate) known: AgentTableArg,
    /// Write a JSON object for each robot
    #[arg(long)]
    pub(crate) json: bool,
}
