//! The arguments of `robots block`.

use super::{AgentTableArg, complete};
use clap::builder::NonEmptyStringValueParser;
use clap::{Args, ValueHint};
use std::path::PathBuf;

/// Write a robots.txt group that blocks robots, by purpose or name
///
/// The group disallows the whole site. It is printed, or with --into added to a file, whose answers for all other known robots
/// stay as they are, as their operators read it. A reader that looks for parts of names may take one robot for another, such as
/// Applebot for Applebot-Extended.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  robots block ai-train
  robots block ai-train dataset Bytespider
  robots block --into robots.txt --dry-run ai-train
  robots block --into robots.txt ai-train
  curl -s https://example.com/robots.txt | robots block --into - GPTBot > new

Purposes:
  search, ads, ai-train, ai-search, user, preview, archive, dataset, seo,
  monitoring, commerce, feed

A purpose is that of known robots (`robots agents --purpose ai-train`). Two kinds are only listed in a comment, unless they \
are named:
  - robots that also serve a search index, if the purposes have no search
  - robots whose facts were not verified in a source, without --unverified

A printed group belongs at the start of robots.txt: after a group without rules, such as one with only a Crawl-delay, both would be \
one group.

--into puts the group there, or further down where it would change other groups, as after a byte order mark. Then it shows the \
decisions that change (as `robots diff`) and new findings (as `robots lint`):
  - A robot that is blocked already is not named again.
  - A robot may have a group of its own that allows paths. Both groups are
    one, so these paths stay allowed: they are shown, with the rule to remove.
  - Some robots obey the group of another one, such as Googlebot's. If that
    would block a robot that is not named, nothing is written.
  - A file of more than 500 KiB is not written: its end would have no effect.

Keys of the object of --json:
  file, written              the file, and whether it changed
  line, text                 the line of the group, and the new text; null if
                             there are none
  blocked                    the robots of these lines
  already_blocked            the others, without those of still_allowed
  still_allowed              robots that may fetch a path: agent, path,
                             line, reason, reason_text
  changes                    the objects of `robots diff --json`
  findings                   new ones, as the objects of `robots lint --json`

Exit codes:
  0  the group was printed; with --into: every robot is blocked
  1  with --into: a robot may still fetch a path
  2  an error")]
pub(crate) struct Block {
    /// Purposes, or product tokens of known robots
    #[arg(required = true, value_name = "WHAT", value_delimiter = ',', value_parser = NonEmptyStringValueParser::new(), add = complete::purposes_and_robots())]
    pub(crate) what: Vec<String>,
    /// Add the group to this robots.txt; - is standard input and output
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, value_parser = super::input_file("download it, as with `curl -s URL | robots block WHAT --into -`"))]
    pub(crate) into: Option<PathBuf>,
    /// With --into: show the changes, and write nothing
    #[arg(long, requires = "into")]
    pub(crate) dry_run: bool,
    /// Also block robots of the purposes whose facts are not verified
    #[arg(long)]
    pub(crate) unverified: bool,
    #[command(flatten)]
    pub(crate) known: AgentTableArg,
    /// With --into: write the changes as a JSON object
    #[arg(long, requires = "into")]
    pub(crate) json: bool,
}
