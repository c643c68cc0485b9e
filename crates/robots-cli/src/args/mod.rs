//! The command line as data: the arguments of each command, and the parsers of their values.

mod audit;
mod block;
mod check;
mod complete;
mod config;
mod decide;
mod diff;
mod fetch;
mod format;
mod lint;
#[cfg(feature = "serve")]
mod mcp;
mod meta;
#[cfg(feature = "serve")]
mod serve;
mod survey;
mod usage;
mod values;
mod verify;
mod why;

pub(crate) use audit::{Audit, PRIVATE_NETWORKS, RangesFile};
pub(crate) use block::Block;
pub(crate) use check::Check;
pub(crate) use config::ConfigArgs;
pub(crate) use decide::{Decide, ProfileArg, profile_arg};
pub(crate) use diff::Diff;
pub(crate) use fetch::Fetch;
pub(crate) use format::ReportFormat;
pub(crate) use lint::{Explain, ExplanationFormat, Kinds, Lint, Lsp};
#[cfg(feature = "serve")]
pub(crate) use mcp::Mcp;
pub(crate) use meta::{Headers, Meta};
#[cfg(feature = "serve")]
pub(crate) use serve::Serve;
pub(crate) use survey::Survey;
pub(crate) use usage::Usage;
pub(crate) use values::{RobotsSource, is_site, is_url};
pub(crate) use verify::Verify;
pub(crate) use why::Why;

use crate::answer_output;
use crate::report::html::NewPage;
use crate::report::{self, Report};
use anyhow::Result;
use clap::builder::UnknownArgumentValueParser;
use clap::{Arg, Args, Parser, Subcommand, ValueEnum, ValueHint};
use robots_crawl::{Fetcher, FetcherBuilder};
use robots_lint::project::base;
use robots_pipeline::input::robots_files::FolderFiles;
use robots_pipeline::json::write_pretty;
use robots_pipeline::ordered;
use robots_policy::Profile;
use robots_policy::profile::{AgentTable, Purpose};
use serde::Serialize;
use std::io::{BufWriter, Write};
use std::path::PathBuf;
use std::time::SystemTime;
use values::{
    agent_table, dialect, dialect_help, input_file, mebibytes, moment, profile, purpose,
    robots_source,
};

/// Decide and explain what robots may do with pages
///
/// Reads robots.txt, META tags and headers exactly, and shows the line that decides.
#[derive(Debug, Parser)]
#[command(
    name = "robots",
    version,
    after_long_help = "\
Words in the help of the commands:
  robot          a crawler, known by its product token, such as Googlebot: the
                 name that robots.txt uses for it
  group          User-agent lines of a robots.txt, and the rules below them
  origin         the scheme, host and port of a URL; each has a robots.txt
  dialect        how a standard or an engine reads robots.txt
  profile        how an engine decides: its dialect, its robots, what a failed
                 request for robots.txt means, which METAs and headers count
  HEAD, META     the head of an HTML page, and its <meta> tags
  WARC, ARC      files of crawlers with requests and responses: archives
  CDXJ           an index of an archive: the place of each record
  store          a file with the robots.txt of many origins over time"
)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,
    /// Use colours: auto (if the output is a terminal), always or never
    #[arg(long, global = true, value_enum, default_value_t = Color::Auto, value_name = "WHEN", hide_possible_values = true, display_order = 900)]
    pub(crate) color: Color,
    /// Print only results and errors: no warnings, notes or progress
    #[arg(
        short,
        long,
        global = true,
        conflicts_with = "verbose",
        display_order = 901
    )]
    pub(crate) quiet: bool,
    /// Print all warnings and lists; otherwise the first 10 of each
    #[arg(short, long, global = true, display_order = 902)]
    pub(crate) verbose: bool,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum Color {
    /// If the output is a terminal
    Auto,
    /// Even if the output is a file
    Always,
    /// Never
    Never,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    Why(Box<Why>),
    Check(Box<Check>),
    Decide(Box<Decide>),
    Verify(Box<Verify>),
    Usage(Usage),
    Meta(Meta),
    Agents(Agents),
    Profiles(Profiles),
    Lint(Box<Lint>),
    Diff(Diff),
    Block(Block),
    Test(Test),
    Fetch(Fetch),
    Survey(Box<Survey>),
    Audit(Box<Audit>),
    #[cfg(feature = "serve")]
    Serve(Serve),
    #[cfg(feature = "serve")]
    Mcp(Mcp),
    Lsp(Lsp),
    #[command(hide = true)]
    Headers(Headers),
    #[command(hide = true)]
    Explain(Explain),
    #[command(hide = true)]
    Completions(Completions),
    #[command(hide = true)]
    Man(Man),
}

/// List built-in profiles, or show one
///
/// A profile describes how an engine decides: how it reads robots.txt, what a failed request for robots.txt means, which
/// robots the engine has, how it merges METAs and headers, and which statements it honours.
///
/// A TOML file is a profile of your own. The file names a built-in profile (`based-on`), and has the keys that differ
/// from it.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  robots profiles
  robots profiles google
  robots profiles google > mine.toml
  robots profiles mine.toml
  robots profiles --json

Exit codes:
  0  profiles were shown
  2  the profile is unknown, or its file is not valid")]
pub(crate) struct Profiles {
    /// The profile to show in full: a name, or a TOML file
    #[arg(value_name = "PROFILE", value_parser = profile, add = complete::profiles())]
    pub(crate) profile: Option<Profile>,
    /// Write JSON: an object for one profile, an array for all
    #[arg(long)]
    pub(crate) json: bool,
}

/// List known robots, or show one
///
/// Shows the operator of a robot, its purposes, whether it obeys robots.txt, which groups apply to it, and the
/// source of these facts. Facts that were not verified in a source are marked as such.
///
/// Another table of robots, a TOML file, can replace the built-in one (--agent-table), here and in other commands.
/// The comments at the start of robots-policy/agents.toml in the project describe its keys.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  robots agents
  robots agents GPTBot
  robots agents Google
  robots agents 'Mozilla/5.0 (compatible; bingbot/2.0)'
  robots agents --purpose ai-train --json
  robots agents --format csv > robots.csv
  robots agents --agent-table mine.toml

Purposes:
  search, ads, ai-train, ai-search, user, preview, archive, dataset, seo,
  monitoring, commerce, feed

Exit codes:
  0  robots were shown
  2  the robot is unknown, or the table is not valid")]
pub(crate) struct Agents {
    /// The robot to show: product token, operator, or User-Agent header
    #[arg(value_name = "NAME", add = complete::robots())]
    pub(crate) name: Option<String>,
    /// List only robots with one of these purposes
    #[arg(long, value_name = "PURPOSE,...", value_parser = purpose, add = complete::purposes(), value_delimiter = ',', conflicts_with = "name")]
    pub(crate) purpose: Vec<Purpose>,
    /// The former name of another command, for its error
    #[arg(long, hide = true, num_args = 0, default_missing_value = "", value_parser = UnknownArgumentValueParser::suggest("`robots block PURPOSE` writes a group for robots.txt"))]
    _robots_txt: Option<String>,
    #[command(flatten)]
    pub(crate) known: AgentTableArg,
    /// Write in this format
    #[arg(short, long, value_enum, default_value_t = AgentsFormat::Text, value_name = "FORMAT")]
    format: AgentsFormat,
    /// Write an array of robots, like --format json
    #[arg(long, conflicts_with = "format")]
    json: bool,
}

impl Agents {
    /// Returns the format of the robots.
    pub(crate) fn format(&self) -> AgentsFormat {
        if self.json {
            AgentsFormat::Json
        } else {
            self.format
        }
    }
}

/// A format of the table of robots.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum AgentsFormat {
    /// For reading
    Text,
    /// An array of objects, with all that the table has
    Json,
    /// A row for each robot
    Csv,
}

/// The argument for the table of known robots.
#[derive(Debug, Args)]
pub(crate) struct AgentTableArg {
    /// Replace the built-in table of robots (see `robots agents --help`)
    #[arg(id = "table", long = "agent-table", value_name = "FILE", value_parser = agent_table, value_hint = ValueHint::FilePath)]
    table: Option<AgentTable>,
}

impl AgentTableArg {
    /// Returns the given table, or the built-in one.
    pub(crate) fn table(&self) -> &AgentTable {
        self.table
            .as_ref()
            .unwrap_or_else(|| AgentTable::built_in())
    }
}

/// The arguments for the formats of a report.
#[derive(Debug, Args)]
pub(crate) struct Reports {
    /// Also write a report with charts to an HTML file
    #[arg(long, value_name = "FILE")]
    pub(crate) html: Option<PathBuf>,
    /// Also write tables as CSV files to a folder
    #[arg(long, value_name = "FOLDER")]
    pub(crate) csv: Option<PathBuf>,
    /// Write all results as JSON
    #[arg(long)]
    pub(crate) json: bool,
    /// With --html: date the report TIME [default: now]
    #[arg(long, value_name = "TIME", requires = "html", value_parser = moment)]
    now: Option<robots_meta::Timestamp>,
}

impl Reports {
    /// Creates the HTML file, before the work starts. Its date is that of `--now`, or the present.
    pub(crate) fn page(&self) -> Result<Option<NewPage<'_>>> {
        let now = || robots_meta::Timestamp::from(SystemTime::now());
        let made = self.now.unwrap_or_else(now).as_seconds();
        // `--now` is a date with a year of four digits; a clock beyond them shows their end.
        let made = jiff::Timestamp::from_second(made).unwrap_or(jiff::Timestamp::MAX);
        let page = self.html.as_deref();
        page.map(|path| NewPage::create(path, made)).transpose()
    }

    /// Writes a report in every format that the options request: `facts` as JSON, the tables with these names as CSV, and `page`
    /// as HTML.
    pub(crate) fn write(
        &self,
        facts: &impl Serialize,
        report: &Report,
        tables: &[&str],
        page: Option<NewPage<'_>>,
    ) -> Result<()> {
        if let Some(folder) = &self.csv {
            report::csv::write(folder, report, tables)?;
        }
        if let Some(page) = page {
            page.write(report)?;
        }
        // Without a buffer, standard output writes each line with a system call.
        let mut out = BufWriter::new(answer_output::stdout());
        if self.json {
            write_pretty(&mut out, facts)?;
        } else {
            report::text::write(&mut out, report)?;
        }
        out.flush()?;
        Ok(())
    }
}

/// The argument for the files of folders that are read as robots.txt.
#[derive(Debug, Args)]
pub(crate) struct FolderFilesArg {
    /// In folders, read every file, whatever its name
    ///
    /// Otherwise those with the name of an archive, and those with the name of a robots.txt: robots.txt, or a name that ends with -robots.txt,
    /// _robots.txt or .robots.txt, such as example.com-robots.txt; in upper or lower case, also with .gz at the end. A file
    /// that is itself an input may have any name.
    #[arg(long)]
    all_files: bool,
}

impl FolderFilesArg {
    /// Returns the files of a folder that are read.
    pub(crate) fn select(&self) -> FolderFiles {
        if self.all_files {
            FolderFiles::All
        } else {
            FolderFiles::RobotsTxt
        }
    }
}

/// The argument for the reading of NOSCRIPT.
#[derive(Debug, Default, Args)]
pub(crate) struct ScriptingArg {
    /// Read pages like a browser that runs scripts: skip NOSCRIPT
    ///
    /// Otherwise an element in NOSCRIPT that HEAD cannot have, such as an image, ends HEAD.
    #[arg(long)]
    pub(crate) scripting: bool,
}

/// The arguments for requests to sites.
#[derive(Debug, Clone, Args)]
pub(crate) struct RequestArgs {
    /// Send this User-Agent header
    #[arg(long, value_name = "TEXT", default_value = concat!("robots/", env!("CARGO_PKG_VERSION")))]
    pub(crate) user_agent: String,
    /// Send this From header: the email address of the operator
    #[arg(long, value_name = "EMAIL")]
    pub(crate) from: Option<String>,
    /// Allow addresses that are not public, such as 127.0.0.1
    #[arg(long)]
    allow_private: bool,
}

impl RequestArgs {
    /// Returns the builder of a fetcher with these arguments.
    pub(crate) fn fetcher(&self) -> FetcherBuilder {
        let mut fetcher = Fetcher::builder(&self.user_agent);
        if let Some(from) = &self.from {
            fetcher = fetcher.with_from(from);
        }
        if self.allow_private {
            fetcher = fetcher.allow_private_addresses();
        }
        fetcher
    }

    /// Returns a function that changes an argument of a command that makes requests only with the option `needed`, and never
    /// with `other`.
    fn only_with(needed: &'static str, other: &'static str) -> impl FnMut(Arg) -> Arg {
        let requests = Self::augment_args(clap::Command::default());
        move |arg| {
            let mut ids = requests.get_arguments().map(Arg::get_id);
            if !ids.any(|id| id == arg.get_id()) {
                return arg;
            }
            let help = arg.get_help().map(ToString::to_string).unwrap_or_default();
            let (first, rest) = help.split_at(1);
            let help = format!("With --{needed}: {}{rest}", first.to_lowercase());
            arg.help(help).requires(needed).conflicts_with(other)
        }
    }
}

/// The argument for the number of threads.
#[derive(Debug, Args)]
pub(crate) struct Threads {
    /// Use N threads [default: one for each processor]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,
}

impl Threads {
    /// Returns the number of threads.
    pub(crate) fn number(&self) -> usize {
        ordered::threads(self.threads)
    }
}

/// Run test cases about robots.txt files, pages and sites
///
/// A case is a question with its expected answer, as data. A team can keep the cases of its own policy in CI.
///
/// A folder may have sites (site.toml, robots.txt, pages), cases in TOML files, and questions in JSON Lines.
/// tests/README.md and tests/conformance/README.md in the project describe these formats.
///
/// In questions about robots.txt, URLs are compared as written: `robots check` encodes a space as %20, `robots test` does
/// not.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  robots test fixtures/
  robots test fixtures/ --junit results.xml
  robots test fixtures/ --accept
  robots test tests/conformance

--accept writes a file expected.jsonl to the folder of each site: the present decisions about all its pages, for each \
of its robots under its operator's profile. Later runs fail where a decision differs from the recorded one; a statement that \
only moved to another line is the same.

Keys of each object of --json, one for each question:
  file, name                 the file and the name of the question
  passed                     true or false
  message                    the difference, or null if it passed

Exit codes:
  0  every question passed
  1  a question failed
  2  an error: a file or case is not valid, or there was no question")]
pub(crate) struct Test {
    /// Folders, or files: site.toml, .toml or .jsonl
    #[arg(required = true, value_name = "PATH", value_parser = input_file("download it first"))]
    pub(crate) paths: Vec<PathBuf>,
    /// Record the present decisions about the sites as the expected ones
    #[arg(long, conflicts_with_all = ["junit", "json"])]
    pub(crate) accept: bool,
    /// Also write the results as JUnit XML
    #[arg(long, value_name = "FILE")]
    pub(crate) junit: Option<PathBuf>,
    /// Write a JSON object for each question
    #[arg(long)]
    pub(crate) json: bool,
}

/// Write a completion script for a shell
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  robots completions bash > ~/.local/share/bash-completion/completions/robots
  robots completions zsh > ~/.zfunc/_robots
  robots completions fish > ~/.config/fish/completions/robots.fish

The script runs this program to complete a word. So it knows the profiles, dialects, findings, fields and robots of the \
installed version.")]
pub(crate) struct Completions {
    /// The shell
    #[arg(value_name = "SHELL")]
    pub(crate) shell: clap_complete::Shell,
}

/// Write man pages of the program and its commands
///
/// Writes the page of the program to standard output, or all pages to a folder.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  robots man | man -l -
  robots man --output-folder ~/.local/share/man/man1")]
pub(crate) struct Man {
    /// Write one page for each command to a folder
    #[arg(long, value_name = "FOLDER")]
    pub(crate) output_folder: Option<PathBuf>,
}

#[cfg(test)]
mod tests {
    use super::Cli;
    use clap::CommandFactory;

    /// Lists and examples would be unreadable if they were wrapped: they are indented, and fit in 80 columns.
    #[test]
    fn lists_in_the_help_fit_in_80_columns() {
        let mut program = Cli::command();
        program.build();
        for command in program.get_subcommands() {
            let name = command.get_name();
            let texts = [command.get_after_help(), command.get_after_long_help()];
            let own = texts
                .into_iter()
                .flatten()
                .map(|text| (text.to_string(), 80));
            // The help of an option is indented by 10 columns.
            let options = command.get_arguments().filter_map(clap::Arg::get_long_help);
            let options = options.map(|text| (text.to_string(), 70));
            for (text, width) in own.chain(options) {
                let lists = text.lines().filter(|line| line.starts_with("  "));
                for line in lists {
                    assert!(line.chars().count() <= width, "{name}: {line}");
                }
            }
            // A line of the help of an option has 70 columns next to its indentation. The summary of a command is as short.
            let is_short = |text: String| text.chars().count() <= 70;
            let about = command.get_about().map(ToString::to_string);
            assert!(about.is_some_and(is_short), "{name}");
            for argument in command.get_arguments() {
                let help = argument.get_help().map(ToString::to_string);
                let id = argument.get_id();
                assert!(help.is_some_and(is_short), "{name}: {id}");
            }
        }
        let words = program.get_after_long_help().map(ToString::to_string);
        assert!(words.is_some_and(|text| text.lines().all(|line| line.chars().count() <= 80)));
    }
}
