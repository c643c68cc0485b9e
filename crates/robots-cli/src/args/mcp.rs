//! The arguments of `robots mcp`.

use super::serve::SettingsArgs;
use clap::Args;

/// Serve agents: tools of the Model Context Protocol about robots.txt
///
/// An agent starts this command as a server of the Model Context Protocol (MCP), and talks to it over standard input and output.
/// docs/tools.md has set-ups. Log lines go to standard error.
///
/// A robots.txt is requested once, and kept for as long as it is fresh. Pages are requested for the tool why alone, as far as
/// robots.txt allows it. Addresses that are not public are refused. Settings are those of `robots serve`, with their variables: limits,
/// user-agent, allow-private, log-level and others.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  robots mcp
  robots mcp --store known.store --set log-level=warn
  robots mcp --set user-agent='MyBot/1.0 (+https://example.com/bot)'
  robots mcp --set allow-private=true

Tools:
  may_fetch         may a robot fetch a URL? (url, robot)
  why               what may engines do with a page, and what would change it?
                    (url; robots, robots_txt, html, headers)
  check_robots_txt  does a robots.txt allow URLs? (text, urls; robots)
  lint_robots_txt   what is wrong with a robots.txt? (text)
  block             a group that blocks robots (purposes; unverified)

Each answer is a short text with the line that decides, and a value with a schema. A question that cannot be answered has a text with \
the reason, and isError.

Exit codes:
  0  the input ended, or a signal stopped the program
  2  an error: a setting is not valid, or the client began no session")]
pub(crate) struct Mcp {
    #[command(flatten)]
    pub(crate) settings: SettingsArgs,
}
