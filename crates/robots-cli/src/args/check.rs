//! The arguments of `robots check`.

use clap::Args;
use robots_policy::Profile;
use robots_txt::Dialect;
use std::path::PathBuf;

/// Say whether a robots.txt allows URLs, and which line decides
///
/// For one robot and one reading of the file each answer shows the line that decides, and the rules that
/// match besides. For several, those with the same answer are shown together, and where readings part, why.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  robots check robots.txt https://example.com/private/x --agent ExampleBot
  curl -s https://example.com/robots.txt | robots check - /private/x
  robots check robots.txt --urls urls.txt --agent Googlebot --agent bingbot
  robots check robots.txt /private/x --all-agents --profile google
  robots check robots.txt /private/x --all-dialects
  robots check robots.txt --all-dialects
  robots check robots.txt --all-agents
  robots check --batch questions.jsonl.gz --robots robots.warc.gz --dialect google
  robots check --fetch https://example.com/a https://example.org/b --agent ExampleBot

A robot obeys the groups of the names that its makers document (`robots agents NAME` shows them): Applebot those of
Googlebot, where it has none of its own. With --name-alone it is known by its own name alone.

Without URLs, --all-dialects looks for paths on which the readings part, and --all-agents says how much of the
site is disallowed to whom: none, some, all but what is allowed, or all.

Each object of --json is an answer: \"url\", \"agent\", \"dialect\", \"profile\" (or null), \"allowed\",
\"reason\" (rule, no_rule_matches, no_group, robots_txt_itself), \"line\", \"rule\", \"pattern\", \"group\" and
\"group_line\" (or null), and \"runners_up\": the rules that match besides, each with \"line\", \"rule\", \"pattern\".
With several readings, \"differs_by\" has the switches that set it apart from the first.

Rows of a batch have the URL of a robots.txt in the archive, an agent and a URL:
  {\"robots\": \"https://example.com/robots.txt\", \"agent\": \"ExampleBot\", \"url\": \"https://example.com/x\"}
They come back in order with \"allowed\" and \"line\" (0: no rule decided); a row without an answer has
null in both, and \"error\". Robots are known by their names alone. URLs are taken as they are; redirects are
not followed.

With --fetch there is no file: each origin is asked once for its robots.txt. What a failure means is by
RFC 9309: without a robots.txt all is allowed, and without an answer nothing is.

Exit codes: 0 everything is allowed (or the batch was answered, or no readings part), 1 something is not, 2 an
error (of a batch: no row could be answered).")]
#[allow(clippy::struct_excessive_bools, reason = "one for each flag")]
pub(crate) struct Check {
    /// The robots.txt, or - for standard input
    #[arg(required_unless_present = "batch", value_name = "ROBOTS_TXT")]
    pub(crate) robots_txt: Option<PathBuf>,
    /// URLs, or paths beginning with /
    #[arg(required_unless_present_any = ["batch", "fetch", "urls_from", "all_agents", "all_dialects"], value_name = "URL")]
    pub(crate) urls: Vec<String>,
    /// Files of URLs, a line each, or - for standard input; plain or gzip
    #[arg(long = "urls", value_name = "FILE", conflicts_with_all = ["batch", "fetch"])]
    pub(crate) urls_from: Vec<PathBuf>,
    /// A robot's product token, any number of times; * is a robot that nobody names
    #[arg(long = "agent", value_name = "NAME", value_parser = super::agent)]
    agents: Vec<String>,
    /// All robots that are known, and those that the file names
    #[arg(long, conflicts_with_all = ["agents", "batch", "fetch"])]
    pub(crate) all_agents: bool,
    /// Know robots by their own names alone
    #[arg(long)]
    pub(crate) name_alone: bool,
    /// How robots.txt is read, any number of times
    ///
    /// One of rfc9309, google, bing, yandex, baidu, seznam, apple, koster1994, koster1996,
    /// koster1996-draft, conner1996, www-robotrules, allow-first; rfc9309 if none is named
    #[arg(long = "dialect", value_name = "NAME", value_parser = super::dialect)]
    dialects: Vec<Dialect>,
    /// Read it as an engine does, and for its robot if none is named: a name, or a TOML file (see `robots profiles`)
    #[arg(long = "profile", value_name = "PROFILE", value_parser = super::profile, conflicts_with_all = ["batch", "fetch"])]
    pub(crate) profiles: Vec<Profile>,
    /// Every dialect that is known
    #[arg(long, conflicts_with_all = ["dialects", "profiles", "batch", "fetch"])]
    pub(crate) all_dialects: bool,
    #[command(flatten)]
    pub(crate) known: super::KnownRobots,
    /// Ask the sites for their robots.txt: all that is given are URLs
    #[arg(long, conflicts_with = "batch")]
    pub(crate) fetch: bool,
    /// For --fetch: who asks, as the User-Agent header says it
    #[arg(long, value_name = "TEXT", requires = "fetch", default_value = concat!("robots/", env!("CARGO_PKG_VERSION")))]
    pub(crate) user_agent: String,
    /// For --fetch: also ask addresses that are not public, such as 127.0.0.1
    #[arg(long, requires = "fetch")]
    pub(crate) allow_private: bool,
    /// Answer many questions: JSON Lines, plain or gzip, or - for standard input
    #[arg(long, value_name = "QUESTIONS", requires = "robots", conflicts_with_all = ["robots_txt", "urls", "agents"])]
    pub(crate) batch: Option<PathBuf>,
    /// For --batch: the archives that the robots.txt files are in
    #[arg(long, value_name = "FILE", requires = "batch")]
    pub(crate) robots: Vec<PathBuf>,
    /// Write a JSON object for each answer
    #[arg(long)]
    pub(crate) json: bool,
}

impl Check {
    /// The robots that are named.
    pub(crate) fn agents(&self) -> Vec<String> {
        match &self.agents[..] {
            [] => vec!["*".to_owned()],
            named => named.to_vec(),
        }
    }

    /// Whether none is named: a profile has its own then.
    pub(crate) fn names_no_agent(&self) -> bool {
        self.agents.is_empty()
    }

    /// The dialects that are named.
    pub(crate) fn dialects(&self) -> Vec<Dialect> {
        match &self.dialects[..] {
            _ if self.all_dialects => Dialect::ALL.to_vec(),
            [] if self.profiles.is_empty() => vec![Dialect::RFC9309],
            named => named.to_vec(),
        }
    }
}
