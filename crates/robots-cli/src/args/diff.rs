//! The arguments of `robots diff`.

use super::{KnownRobots, agent, dialect};
use clap::Args;
use robots_txt::Dialect;
use std::path::PathBuf;

/// Say what changed between two robots.txt files, by decision
///
/// Not the text is compared but what it means: on which paths a robot is decided otherwise. Of all paths on
/// which one rule decided and now another decides otherwise, the shortest is shown.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  robots diff old.txt new.txt
  curl -s https://example.com/robots.txt | robots diff robots.txt -
  robots diff old.txt new.txt --agent Googlebot --dialect google
  robots diff --text old.txt new.txt

Unless robots are named, these are compared: *, the robots that one of the files names, and those that obey the group
of one of them (`robots agents`). All others are as *.

Each object of --json is a robot for which something changed: \"agent\", \"changes\" (\"path\", and in \"before\" and
\"after\" \"allowed\", \"line\" and \"reason\"), \"crawl_delay\" (seconds \"before\" and \"after\", or null), \"complete\": whether
every path was considered.

Exit codes: 0 nothing changed, 1 something did, 2 an error.")]
pub(crate) struct Diff {
    /// The old file, or - for standard input
    #[arg(value_name = "OLD")]
    pub(crate) old: PathBuf,
    /// The new file, or - for standard input
    #[arg(value_name = "NEW")]
    pub(crate) new: PathBuf,
    /// A robot's product token, any number of times
    #[arg(long = "agent", value_name = "NAME", value_parser = agent)]
    pub(crate) agents: Vec<String>,
    /// How robots.txt is read (see `robots check --help`)
    #[arg(long, default_value = "rfc9309", value_name = "NAME", value_parser = dialect)]
    pub(crate) dialect: Dialect,
    /// Compare the texts, line by line
    #[arg(long, conflicts_with_all = ["agents", "json"])]
    pub(crate) text: bool,
    #[command(flatten)]
    pub(crate) known: KnownRobots,
    /// Write a JSON object for each robot
    #[arg(long)]
    pub(crate) json: bool,
}
