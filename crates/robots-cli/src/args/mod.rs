//! The command line, as data.

mod audit;
mod check;
mod decide;
mod diff;
mod fetch;
mod lint;
mod meta;
mod survey;

pub(crate) use audit::Audit;
pub(crate) use check::Check;
pub(crate) use decide::{Decide, Format, Only};
pub(crate) use diff::Diff;
pub(crate) use fetch::Fetch;
pub(crate) use lint::{Explain, Lint};
pub(crate) use meta::{Headers, Meta};
pub(crate) use survey::Survey;

use crate::in_order;
use crate::report::page::NewPage;
use anyhow::Result;
use clap::{Args, Parser, Subcommand, ValueEnum};
use robots_policy::{AgentTable, Profile, Purpose};
use robots_txt::Dialect;
use serde::Serialize;
use std::io::Write;
use std::path::{Path, PathBuf};

/// What robots may do with pages: robots.txt, META tags and headers, read exactly and explained.
#[derive(Debug, Parser)]
#[command(name = "robots", version, max_term_width = 120)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,
    /// When to use colours
    #[arg(long, global = true, value_enum, default_value_t = Color::Auto, value_name = "WHEN")]
    pub(crate) color: Color,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum Color {
    /// On a terminal
    Auto,
    /// Wherever the output goes
    Always,
    /// Nowhere
    Never,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    Decide(Box<Decide>),
    Check(Box<Check>),
    Diff(Diff),
    Fetch(Fetch),
    Lint(Lint),
    Explain(Explain),
    Survey(Box<Survey>),
    Audit(Box<Audit>),
    Meta(Meta),
    Headers(Headers),
    Profiles(Profiles),
    Agents(Agents),
    Test(Test),
    Completions(Completions),
    Man(Man),
}

/// List the engines as which can be decided, or show one
///
/// A profile is data: how an engine reads robots.txt and what became of the request for it, which
/// robots it has, how it merges METAs and headers, and what it honours. A TOML file with the keys that
/// are shown makes a new one; it needs only those that differ from the profile it is `based-on`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  robots profiles
  robots profiles google
  robots profiles google > mine.toml    (edit it; then: robots decide --profile mine.toml ...)
  robots profiles mine.toml
  robots profiles --json

Exit codes: 0 profiles were shown, 2 there is none of that name, or the file is no profile.")]
pub(crate) struct Profiles {
    /// Show this one, whole: a name, or a TOML file
    #[arg(value_name = "PROFILE", value_parser = profile)]
    pub(crate) profile: Option<Profile>,
    /// Write JSON: an object for the one, or an array of all
    #[arg(long)]
    pub(crate) json: bool,
}

/// List the robots that are known, or show one
///
/// Who runs a robot, what for, whether it obeys robots.txt, whose groups it obeys, and where that is written. A
/// TOML file of the same form can take the place of the built-in table (--agent-table), here and in the other
/// commands.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  robots agents
  robots agents GPTBot
  robots agents Google
  robots agents 'Mozilla/5.0 (compatible; bingbot/2.0; +http://www.bing.com/bingbot.htm)'
  robots agents --purpose ai-train --json
  robots agents --agent-table mine.toml

Purposes are search, ads, ai-train, ai-search, user, preview, archive, dataset, seo, monitoring, commerce
and feed. What is known from memory alone is marked as such.

Exit codes: 0 robots were shown, 2 there is none of that name, or the file is no table.")]
pub(crate) struct Agents {
    /// Show this one: its product token, its operator, or a User-Agent header
    #[arg(value_name = "NAME")]
    pub(crate) name: Option<String>,
    /// List those alone that fetch for this
    #[arg(long, value_name = "PURPOSE", value_parser = crate::agents::purpose, conflicts_with = "name")]
    pub(crate) purpose: Option<Purpose>,
    #[command(flatten)]
    pub(crate) known: KnownRobots,
    /// Write JSON: an array of robots
    #[arg(long)]
    pub(crate) json: bool,
}

/// The table of known robots.
#[derive(Debug, Args)]
pub(crate) struct KnownRobots {
    /// A table of robots to use in place of the built-in one: a TOML file (see `robots agents --help`)
    #[arg(id = "table", long = "agent-table", value_name = "FILE", value_parser = agent_table)]
    table: Option<AgentTable>,
}

impl KnownRobots {
    pub(crate) fn table(&self) -> &AgentTable {
        self.table
            .as_ref()
            .unwrap_or_else(|| AgentTable::built_in())
    }
}

/// In which forms a report is written.
#[derive(Debug, Args)]
pub(crate) struct Reports {
    /// Also write a report with charts, as one HTML file
    #[arg(long, value_name = "FILE")]
    pub(crate) html: Option<PathBuf>,
    /// Also write tables as CSV files into this folder
    #[arg(long, value_name = "FOLDER")]
    pub(crate) csv: Option<PathBuf>,
    /// Write all of it as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

impl Reports {
    /// The page that is asked for, made before the work is done.
    pub(crate) fn page(&self) -> Result<Option<NewPage<'_>>> {
        self.html.as_deref().map(NewPage::create).transpose()
    }

    /// Writes what is told in every form that is asked for: in its CSV, HTML and text as these do it.
    pub(crate) fn write(
        &self,
        told: &impl Serialize,
        csv: impl FnOnce(&Path) -> Result<()>,
        page: Option<(NewPage<'_>, String)>,
        text: impl FnOnce(&mut dyn Write) -> Result<()>,
    ) -> Result<()> {
        if let Some(folder) = &self.csv {
            csv(folder)?;
        }
        if let Some((page, html)) = page {
            page.write(&html)?;
        }
        let mut out = anstream::stdout().lock();
        if self.json {
            serde_json::to_writer_pretty(&mut out, told)?;
            writeln!(out)?;
        } else {
            text(&mut out)?;
        }
        out.flush()?;
        Ok(())
    }
}

/// How many threads share the work.
#[derive(Debug, Args)]
pub(crate) struct Threads {
    /// How many threads work [default: as many as there are processors]
    #[arg(long, value_name = "NUMBER", value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,
}

impl Threads {
    pub(crate) fn number(&self) -> usize {
        in_order::threads(self.threads)
    }
}

/// Run fixtures: questions and answers as data
///
/// A folder may have sites (site.toml, robots.txt, pages), cases in TOML, and vectors in JSON Lines; tests/README.md
/// and tests/conformance/README.md of the project describe the forms. So a team keeps its own policy cases in CI.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  robots test fixtures/
  robots test fixtures/ --junit results.xml
  robots test fixtures/ --accept
  robots test tests/conformance

--accept records what is decided now about every page of the sites, for each of their robots, in expected.jsonl in
their folders; from then on it is compared with that, and what differs fails.

Each object of --json is a question: \"file\", \"name\", \"passed\", \"message\" (or null).

Exit codes: 0 all passed, 1 some failed, 2 an error, such as a file that is not well-formed, or no question.")]
pub(crate) struct Test {
    /// Folders, or files: site.toml, .toml, .jsonl
    #[arg(required = true, value_name = "DIR")]
    pub(crate) paths: Vec<PathBuf>,
    /// Record the decisions about the sites
    #[arg(long, conflicts_with_all = ["junit", "json"])]
    pub(crate) accept: bool,
    /// Also write the results as JUnit XML
    #[arg(long, value_name = "FILE")]
    pub(crate) junit: Option<PathBuf>,
    /// Write a JSON object for each question
    #[arg(long)]
    pub(crate) json: bool,
}

/// Write a script that completes the commands in a shell
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  robots completions bash > ~/.local/share/bash-completion/completions/robots
  robots completions zsh > ~/.zfunc/_robots
  robots completions fish > ~/.config/fish/completions/robots.fish")]
pub(crate) struct Completions {
    /// The shell
    #[arg(value_name = "SHELL")]
    pub(crate) shell: clap_complete::Shell,
}

/// Write the man page of the program, or one for each command
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  robots man | man -l -
  robots man --output-folder ~/.local/share/man/man1")]
pub(crate) struct Man {
    /// Write one page for each command into this folder; it is made if it is not there
    #[arg(long, value_name = "FOLDER")]
    pub(crate) output_folder: Option<PathBuf>,
}

/// A table of robots from a file.
fn agent_table(path: &str) -> Result<AgentTable, String> {
    let toml = std::fs::read_to_string(path).map_err(|error| error.to_string())?;
    AgentTable::from_toml(&toml).map_err(|error| match std::error::Error::source(&error) {
        Some(source) => format!("{error}: {source}"),
        None => error.to_string(),
    })
}

/// A number of MiB, as bytes.
fn mebibytes(text: &str) -> Result<usize, String> {
    let bytes = text
        .parse()
        .ok()
        .and_then(|number: usize| number.checked_mul(1 << 20));
    bytes.ok_or_else(|| "not a number of MiB".to_owned())
}

/// A built-in profile, or one from a file.
fn profile(text: &str) -> Result<Profile, String> {
    if let Some(profile) = Profile::by_name(text) {
        return Ok(profile);
    }
    let path = Path::new(text);
    if path.extension().is_some_and(|ending| ending == "toml") {
        let toml = std::fs::read_to_string(path).map_err(|error| error.to_string())?;
        return Profile::from_toml(&toml).map_err(|error| error.to_string());
    }
    let known: Vec<String> = Profile::all()
        .map(|profile| profile.name().to_owned())
        .collect();
    Err(format!(
        "the profiles are {}; or name a .toml file",
        known.join(", ")
    ))
}

/// A product token, or `*`.
fn agent(text: &str) -> Result<String, String> {
    if text == "*" || !text.is_empty() && robots_txt::product_token(text) == text {
        return Ok(text.to_owned());
    }
    let token = robots_txt::product_token(text);
    let hint = if token.is_empty() {
        String::new()
    } else {
        format!("; did you mean \"{token}\"?")
    };
    Err(format!(
        "not a product token, which has letters, digits, - _ and . only{hint}"
    ))
}

fn dialect(name: &str) -> Result<Dialect, String> {
    Dialect::by_name(name).ok_or_else(|| {
        let known: Vec<_> = Dialect::ALL.iter().map(Dialect::name).collect();
        format!("the dialects are {}", known.join(", "))
    })
}

fn base(text: &str) -> Result<url::Url, String> {
    let mut url = url::Url::parse(text).map_err(|error| error.to_string())?;
    if !url.has_host() {
        return Err("the URL of a site is needed, such as https://example.com/".to_owned());
    }
    url.set_query(None);
    url.set_fragment(None);
    Ok(url)
}

fn moment(text: &str) -> Result<robots_meta::Timestamp, String> {
    robots_meta::Timestamp::parse(text)
        .ok_or_else(|| "not a date, such as 2026-11-20T00:00:00Z".to_owned())
}
