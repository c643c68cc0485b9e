//! The arguments of `robots check`.

use super::{ConfigArgs, ReportFormat};
use clap::Args;
use robots_answers::AgentName;
use robots_policy::Profile;
use robots_txt::Dialect;
use std::path::PathBuf;

/// The options that exclude `--batch`, and with it those that need it: an option is not required where it is excluded.
const NOT_WITH_BATCH: [&str; 10] = [
    "robots_txt",
    "urls",
    "agents",
    "all_agents",
    "all_dialects",
    "fetch",
    "format",
    "profiles",
    "sitemaps",
    "urls_from",
];

/// The same for `--sitemaps`, which is about the file, not about URLs.
const NOT_WITH_SITEMAPS: [&str; 6] = [
    "agents",
    "all_agents",
    "all_dialects",
    "name_alone",
    "profiles",
    "urls_from",
];

/// Check whether a robots.txt allows URLs, and show the deciding line
///
/// For one robot and one dialect, shows the line that decides, and the other rules that match.
///
/// For several robots or dialects, shows equal answers together. Where dialects differ, names the rules of the dialects
/// that cause the difference, such as "rule order (first, not longest)".
///
/// Without URLs, considers every path: --all-agents reports how much of the site is disallowed to each robot, and
/// --all-dialects searches for paths on which dialects differ.
///
/// robots.txt is a file, or comes from the sites of the URLs (--fetch), or from archives (--batch).
///
/// --sitemaps lists the sitemaps that robots.txt names.
#[derive(Debug, Args)]
#[command(
    override_usage = "\
robots check [OPTIONS] <ROBOTS_TXT> <URL>...
       robots check [OPTIONS] <ROBOTS_TXT> <--all-agents|--all-dialects>
       robots check [OPTIONS] <ROBOTS_TXT> --sitemaps
       robots check [OPTIONS] --fetch <URL>...
       robots check [OPTIONS] --fetch --urls <FILE|URL>
       robots check [OPTIONS] --batch <QUESTIONS> --robots <FILE>",
    after_help = "\
Examples:
  robots check robots.txt https://example.com/private/x --agent ExampleBot
  curl -s https://example.com/robots.txt | robots check - /private/x
  robots check robots.txt --urls urls.txt --agent Googlebot --agent bingbot
  robots check robots.txt --urls must-be-open.txt --format github
  robots check robots.txt --urls sitemap.xml --agent Googlebot
  robots check --fetch --urls https://example.com/sitemap.xml
  robots check robots.txt --sitemaps
  robots check robots.txt /private/x --all-agents --profile google
  robots check robots.txt /private/x --all-dialects
  robots check robots.txt --all-dialects
  robots check robots.txt --all-agents
  robots check --batch questions.jsonl.gz --robots robots.warc.gz
  robots check --fetch https://example.com/a https://example.org/b

A robot obeys the groups of all names that its vendor documents (`robots agents NAME` shows them): without a group for \
Applebot, Applebot obeys those of Googlebot. With --name-alone, a robot obeys only groups of its own name, or else of *.

With --format concise, each verdict is a line, with the place of the rule that decides. github, gitlab and sarif have only \
the URLs that are disallowed.

A URL or path is encoded as a client would request it: /a b is /a%20b.

--urls reads a list, or a sitemap (XML), and of an index all its sitemaps: with --fetch it requests them, else it looks for \
them by name in the folder of the index. The protocol (sitemaps.org) permits 50 MB and 50,000 URLs for each file: no more bytes are read, and a \
warning reports more URLs. Of a sitemap, the format full shows only URLs that are disallowed. The number of these is on standard error.

Keys of each object of --json, one for each URL, robot and dialect:
  url, agent, dialect        the question
  profile                    the profile; null with --dialect
  allowed                    true or false
  reason                     rule, no_rule_matches, no_group, robots_txt_itself
  line, rule, pattern        the rule that decides, or null
  group, group_line          the name and line of its group, or null
  runners_up                 the other rules that match: line, rule, pattern
  differs_by                 the switches in which the dialect differs from the
                             first one, if their answers differ
  error                      why a URL cannot be read; the object has url,
                             allowed (null) and error alone. url is null for
                             a file of --urls that cannot be read

Keys of each object of --sitemaps --json:
  robots, line               the robots.txt, and the line
  url                        the value of the line
  error                      why it is not valid, or null

Keys of --all-dialects --json without URLs, one object for each path on which dialects differ:
  agent, path                the robot and the path; path is null if the search
                             met its limit and found none
  answers                    for each dialect: dialect, allowed, line, reason
                             (as above), reason_text
  complete                   false if the search met its limit, so that there
                             may be more paths

Keys of --all-agents --json without URLs, one object for each robot:
  agent, dialect, profile    the robot, and how it reads the file
  disallowed                 none, some, all_except, all or unknown
                             (all_except: all but the paths that a rule allows)
  allowed_path               an example, or null
  disallowed_path            an example, or null

With --fetch all arguments are URLs, and robots.txt is requested once from each origin. Failures have the meaning that the \
profile of the robot gives them; under neutral, that of RFC 9309, section 2.3.1: a missing robots.txt allows everything, an \
unreachable one disallows everything.

Keys of --fetch --json for a URL whose site has no robots.txt, or one that could not be fetched (objects of other URLs have \
the keys of --json above):
  url, agent, dialect,
  profile                    the question
  allowed                    true or false
  reason                     robots_txt_absent, robots_txt_unreachable,
                             robots_txt_unknown, or robots_txt_itself for the
                             URL of a robots.txt, which is always allowed
  cause                      the response or the failure, as text
  fault, fault_text          the failure: its name (docs/fetching.md lists the
                             names) and its text; null after a response

Each row of a batch is a question: the URL of a robots.txt in the archive, a robot and a URL.
  {\"robots\": \"https://example.com/robots.txt\", \"agent\": \"Bot\",
   \"url\": \"https://example.com/x\"}
The URL is taken as written. The robot is a product token or a User-Agent header. Of several responses for a robots.txt, that of the latest WARC-Date counts. Redirects of robots.txt are not followed.

The output of a batch repeats the rows in order, and adds these keys to each:
  profile                    the profile; null with --dialect, or without
                             an answer
  allowed                    true or false; null without an answer
  line                       the line of the rule that decides, 0 for none;
                             null without an answer
  error                      why there is no answer; absent if there is one
A row of more than 1 MiB has no answer, and is not repeated.

Exit codes:
  0  every URL is allowed
  1  a URL is disallowed
  2  an error, or a URL or a file of URLs that cannot be read; with --fetch,
     also if a host is not found, or its address is private

Exit codes without URLs:
  0  --all-agents: nothing is disallowed to any robot;
     --all-dialects: no path was found on which dialects differ
  1  --all-agents: something is disallowed to a robot;
     --all-dialects: dialects differ on a path
  2  an error

Exit codes of --sitemaps:
  0  every sitemap has a valid URL, or there is none
  1  a sitemap has an invalid URL
  2  an error; with --fetch, also if a robots.txt could not be fetched

Exit codes of --batch:
  0  a row was answered, or there was no row
  2  an error, or no row could be answered"
)]
#[command(mut_args(super::RequestArgs::only_with("fetch", "batch")))]
#[allow(clippy::struct_excessive_bools, reason = "one for each flag")]
pub(crate) struct Check {
    // With --fetch, this is the first URL: clap fills the positional arguments in order.
    /// The robots.txt file, or - for standard input; not with --fetch
    #[arg(required_unless_present_any = ["batch", "urls_from"], value_name = "ROBOTS_TXT")]
    pub(crate) robots_txt: Option<PathBuf>,
    /// URLs, or paths beginning with /
    #[arg(value_name = "URL")]
    pub(crate) urls: Vec<String>,
    /// Read URLs from a list or sitemap, plain or gzip; repeatable
    ///
    /// - is standard input. With --fetch, FILE may be a URL. In a list, empty lines and lines that begin with # are skipped.
    #[arg(long = "urls", value_name = "FILE", conflicts_with = "batch")]
    pub(crate) urls_from: Vec<PathBuf>,
    /// Answer for this robot; repeatable
    ///
    /// NAME is the product token: the name of the robot in robots.txt, such as Googlebot. It may also be the User-Agent header
    /// of the robot. The default is *: any robot that the file does not name.
    #[arg(short, long = "agent", value_name = "NAME", value_parser = clap::value_parser!(AgentName), add = super::complete::robots())]
    pub(crate) agents: Vec<AgentName>,
    /// Answer for all known robots and all that the file names
    #[arg(long, conflicts_with_all = ["agents", "batch"])]
    pub(crate) all_agents: bool,
    /// Apply only groups of the robot's own name, or else of *
    #[arg(long)]
    pub(crate) name_alone: bool,
    /// Read robots.txt under this dialect; repeatable
    #[arg(long = "dialect", value_name = "NAME", value_parser = super::dialect, add = super::complete::dialects(), long_help = super::dialect_help(
        "Read robots.txt under this dialect; repeatable\n\nBy default, the file is read as the operator of the robot reads it, and for other robots under rfc9309. Output shows the name without switches.",
    ))]
    pub(crate) dialects: Vec<Dialect>,
    /// Answer as the engine of this profile; repeatable
    ///
    /// PROFILE is a name that `robots profiles` lists, or a TOML file. Uses the dialect of the profile, and its first robot
    /// unless --agent names one.
    #[arg(short, long = "profile", value_name = "PROFILE", value_parser = super::profile, add = super::complete::profiles(), conflicts_with = "batch")]
    pub(crate) profiles: Vec<Profile>,
    /// Read robots.txt under every dialect
    #[arg(long, conflicts_with_all = ["dialects", "profiles", "batch"])]
    pub(crate) all_dialects: bool,
    #[command(flatten)]
    pub(crate) known: super::AgentTableArg,
    /// List the sitemaps that robots.txt names, with their lines
    #[arg(long, conflicts_with_all = NOT_WITH_SITEMAPS)]
    pub(crate) sitemaps: bool,
    /// Fetch robots.txt from the sites of the URLs
    #[arg(long, conflicts_with = "batch")]
    pub(crate) fetch: bool,
    #[command(flatten)]
    pub(crate) requests: super::RequestArgs,
    /// Answer questions in JSON Lines, plain or gzip; - is standard input
    #[arg(long, value_name = "QUESTIONS", requires = "robots", conflicts_with_all = NOT_WITH_BATCH, value_parser = super::input_file("download it first"))]
    pub(crate) batch: Option<PathBuf>,
    /// With --batch: take robots.txt from this archive; repeatable
    #[arg(long, value_name = "FILE", requires = "batch", conflicts_with_all = NOT_WITH_BATCH, value_parser = super::input_file("download it first, or fetch it with `robots fetch`"))]
    pub(crate) robots: Vec<PathBuf>,
    /// Write the verdicts on URLs in this format
    #[arg(short, long, value_enum, default_value_t = ReportFormat::Full, value_name = "FORMAT", conflicts_with = "batch")]
    pub(crate) format: ReportFormat,
    /// Write a JSON object for each answer, like --format jsonl
    #[arg(long, conflicts_with = "format")]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) config: ConfigArgs,
}

impl Check {
    /// Returns the named robots, or `*`.
    pub(crate) fn agents(&self) -> Vec<String> {
        match &self.agents[..] {
            [] => vec!["*".to_owned()],
            named => named.iter().map(|agent| agent.token.clone()).collect(),
        }
    }

    /// Returns whether answers are JSON objects.
    pub(crate) fn is_json(&self) -> bool {
        self.format() == ReportFormat::Jsonl
    }

    /// Returns the format of the answers.
    pub(crate) fn format(&self) -> ReportFormat {
        if self.json {
            ReportFormat::Jsonl
        } else {
            self.format
        }
    }

    /// Returns whether the options name a robot. Otherwise the first robot of each profile is chosen, if there are profiles.
    pub(crate) fn has_agents(&self) -> bool {
        !self.agents.is_empty()
    }

    /// Returns the chosen dialects. Without any, and without profiles, each robot is read as its operator reads.
    pub(crate) fn dialects(&self) -> &[Dialect] {
        if self.all_dialects {
            return Dialect::ALL;
        }
        &self.dialects
    }
}
