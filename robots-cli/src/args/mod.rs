//! The command line, as data.

mod audit;
mod check;
mod decide;
mod lint;
mod survey;

pub(crate) use audit::Audit;
pub(crate) use check::Check;
pub(crate) use decide::{Decide, Format, Only};
pub(crate) use lint::{Explain, Lint};
pub(crate) use survey::Survey;

use clap::{Args, Parser, Subcommand, ValueEnum};
use robots_policy::{AgentTable, Profile, Purpose};
use robots_txt::Dialect;
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

/// Ask sites for their robots.txt, and keep what they answer as a WARC file
///
/// Each site is asked once. Redirects are followed, and what may be gone soon is tried again; of a file,
/// 500 KiB are read. Addresses that are not public are not asked. A request without an answer is kept
/// too, with its cause, so that `robots decide --robots` knows all that was learned.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  robots fetch sites.txt -o robots.warc.gz
  robots fetch sites.txt -o robots.warc.gz --user-agent 'ExampleBot/1.0 (+https://example.com/bot)'
  robots fetch --resume sites.txt -o robots.warc.gz
  robots fetch --json sites.txt -o robots.warc.gz > answers.jsonl
  robots fetch sites.txt -o robots.warc.gz --store origins.redb
  robots decide --robots robots.warc.gz crawl.warc.gz

A list has a line for each site: a host (example.com, example.com:8443), which is asked by HTTPS, or a URL,
whose origin is asked. Empty lines and lines that begin with # are passed over, and so is a site that was
named before. Lines that are no sites are told with their number. Lists may be gzip.

In the WARC file each response is a record, and a request without an answer, or with one redirect too many, is
a metadata record with the field robots-fault. Bodies are kept as they were read, decompressed; of other statuses than 2xx they are
not read. Of a body of more than 500 KiB the last line that is kept is blanked with #.

Exit codes: 0 all sites were asked, whatever they answered; 2 there is no site in the lists, or something could
not be written; 130 it was interrupted (a second time: at once).")]
#[allow(clippy::struct_excessive_bools, reason = "one for each flag")]
pub(crate) struct Fetch {
    /// Lists of sites, or - for standard input
    #[arg(required = true, value_name = "SITES")]
    pub(crate) sites: Vec<PathBuf>,
    /// The WARC file (gzip), or - for standard output
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: PathBuf,
    /// Go on with a file that an earlier run began: ask those sites that are not in it
    #[arg(long)]
    pub(crate) resume: bool,
    /// With --resume: also ask those that gave no answer
    #[arg(long, requires = "resume")]
    pub(crate) retry: bool,
    /// Also keep what is learned in this store, for `robots decide --store` and crawlers; it is made if it is not there
    #[arg(long, value_name = "FILE")]
    pub(crate) store: Option<PathBuf>,
    /// Who asks, as the User-Agent header says it
    #[arg(long, value_name = "TEXT", default_value = concat!("robots/", env!("CARGO_PKG_VERSION")))]
    pub(crate) user_agent: String,
    /// The address of who runs the robot, for the From header
    #[arg(long, value_name = "EMAIL")]
    pub(crate) from: Option<String>,
    /// How many sites are asked at once
    #[arg(long, value_name = "NUMBER", default_value_t = 64, value_parser = at_once)]
    pub(crate) at_once: usize,
    /// How long a site may take in all, in seconds
    #[arg(long, value_name = "SECONDS", default_value_t = 30, value_parser = clap::value_parser!(u64).range(1..=3600))]
    pub(crate) timeout: u64,
    /// Also ask addresses that are not public, such as 127.0.0.1
    #[arg(long)]
    pub(crate) allow_private: bool,
    /// Nothing is told of each site: another command asks for it.
    #[arg(skip)]
    pub(crate) quiet: bool,
    /// Write a JSON object for each site
    #[arg(long)]
    pub(crate) json: bool,
}

/// Show what pages say: robots META tags, X-Robots-Tag, description, canonical
///
/// Reads an HTML file, or each HTML response of a WARC or ARC file. Each directive is shown under its
/// line, with what it means and what is odd about it.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  robots meta page.html
  robots meta --json crawl.warc.gz > metas.jsonl
  robots meta --document page.html
  robots meta --profiles page.html
  curl -s https://example.com/ | robots meta --all -

Each object of --json has \"robots\": METAs with \"offset\", \"end\", \"place\", \"directives\" and
\"findings\"; \"headers\", \"header_findings\" and \"header_facts\", with the index of their \"line\"
among the response's header lines; and \"head_end\". Offsets and lengths are in bytes, from 0: of
METAs in the page, of headers in the value of the line. What has no place of its own has null:
where character references are, and in UTF-16. The README describes every key.

Exit codes: 0 a page was read, 2 there was none.")]
#[allow(clippy::struct_excessive_bools, reason = "one for each flag")]
pub(crate) struct Meta {
    /// An HTML file, a WARC or ARC file, or - for standard input
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,
    /// Show every META, in order, with its attributes and byte offset
    #[arg(long)]
    pub(crate) all: bool,
    /// Read all of the document: METAs in BODY too, which are marked as such
    ///
    /// Google obeys METAs for robots wherever they stand. Slower than reading HEAD alone.
    #[arg(long)]
    pub(crate) document: bool,
    /// Read pages as a browser does that runs scripts: what is in NOSCRIPT is not read
    #[arg(long)]
    pub(crate) scripting: bool,
    /// The encoding of an HTML file, as its server would name it
    #[arg(long, value_name = "LABEL", value_parser = charset)]
    pub(crate) charset: Option<String>,
    /// Also say what every robot of every profile makes of it, robots.txt aside
    #[arg(long)]
    pub(crate) profiles: bool,
    /// Write a JSON object for each page
    #[arg(long)]
    pub(crate) json: bool,
}

/// Show what the headers of a response say to robots
///
/// X-Robots-Tag, Link, Content-Usage and others, of header lines as `curl -I` prints them, or of each response of a WARC or ARC file, of whatever type. Each directive is
/// shown under its line, and then what every robot of every profile makes of it, robots.txt aside.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  curl -sI https://example.com/report.pdf | robots headers -
  robots headers response.txt
  robots headers --json crawl.warc.gz > headers.jsonl

Each object of --json has \"url\", \"headers\", \"header_findings\" and \"header_facts\" as those of `robots meta`, and
\"decisions\": for each \"profile\" and \"agent\" the fields of a decision (`robots decide --json`) that a page decides.

Exit codes: 0 headers were shown, 2 there were none.")]
pub(crate) struct Headers {
    /// Header lines, a WARC or ARC file, or - for standard input
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,
    /// Write a JSON object for each response
    #[arg(long)]
    pub(crate) json: bool,
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

/// How many sites may be asked at once at the most: each takes a connection, and memory for a body.
const MOST_AT_ONCE: usize = 10_000;

fn at_once(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(number @ 1..=MOST_AT_ONCE) => Ok(number),
        _ => Err(format!("a number from 1 to {MOST_AT_ONCE} is needed")),
    }
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

fn charset(label: &str) -> Result<String, String> {
    encoding_rs::Encoding::for_label(label.as_bytes())
        .map(|_| label.to_owned())
        .ok_or_else(|| "not an encoding, such as utf-8 or windows-1252".to_owned())
}

fn moment(text: &str) -> Result<robots_meta::Timestamp, String> {
    robots_meta::Timestamp::parse(text)
        .ok_or_else(|| "not a date, such as 2026-11-20T00:00:00Z".to_owned())
}
