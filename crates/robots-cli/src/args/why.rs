//! The arguments of `robots why`.

use clap::Args;
use robots_answers::AgentName;
use robots_answers::why::{Expectation, engines};
use robots_policy::Profile;
use std::path::PathBuf;

/// Explain what engines may do with a page, and what would change it
///
/// Fetches the robots.txt of a site and the page, once each, and decides for each engine whether it may fetch, index, follow,
/// archive and use the page for AI. Shows the answer in one sentence, the line that decides, what to change, and statements that
/// contradict each other or have no effect. With --all, shows every answer of every engine.
///
/// Instead of a URL, PAGE can be a file: saved HTML, or a response as `curl -i` prints it. Then --base is its URL, and nothing
/// is fetched.
#[derive(Debug, Args)]
#[command(
    override_usage = "\
robots why [OPTIONS] <URL>
       robots why [OPTIONS] <FILE> --base <URL> [--robots <FILE>]",
    after_help = "\
Examples:
  robots why example.com
  robots why https://example.com/offers --agent Googlebot --all
  robots why https://example.com/offers --robots new-robots.txt
  robots why page.html --base https://example.com/offers --robots robots.txt
  curl -si https://example.com/x | \\
      robots why - --base https://example.com/x
  robots why https://staging.example.com/ --profile google --expect noindex

The answers are about PAGE itself. If it redirects, one line says whether the target may be indexed: it is requested, too, after up \
to 5 redirects, but not with --json. Pages are read up to 16 MiB. The files tdmrep.json of sites are not fetched.

This program obeys robots.txt, too: it does not fetch a page that robots.txt disallows to the name in --user-agent, unless a group \
for all robots does so and another group allows it by name to a robot that is asked about. Then METAs and headers are not known. \
For a site that you operate, --own-site fetches a page that a rule for all robots disallows, but not while robots.txt fails.

Keys of the object of --json:
  url                        the URL of the page
  robots_txt                 source (fetched, file or none), url or file,
                             status, fault, fault_text, bytes; null where
                             there is none
  page                       source (fetched, file or none), status, location,
                             bytes, html, complete; why_not: why it is not
                             known, or null
  decisions                  for each robot, the object of
                             `robots decide --json`
  problems                   text, kind, and robots (agent, profile): statements
                             that contradict others or have no effect
  changes                    field, text and robots: what would change an answer
  expectations               expect, agent, profile, field, value, met

Exit codes:
  0  the answers were given, and each --expect is met
  1  an --expect is not met
  2  an error; also if the host is not found, or its address is private"
)]
#[allow(clippy::struct_excessive_bools, reason = "independent switches")]
pub(crate) struct Why {
    /// A URL or host, or with --base a file; - is standard input
    #[arg(value_name = "PAGE")]
    pub(crate) page: PathBuf,
    /// Read the page from a file, and take this for its URL
    #[arg(long, value_name = "URL", value_parser = page_url)]
    pub(crate) base: Option<String>,
    /// Take robots.txt from this file, and do not fetch it
    #[arg(long, value_name = "FILE", value_parser = super::input_file("without --robots, it is fetched from the site of the page"))]
    pub(crate) robots: Option<PathBuf>,
    /// Take the tdmrep.json of the site from this file, and do not fetch it
    #[arg(long, value_name = "FILE", value_parser = super::input_file("without --tdmrep, it is fetched from the site of the page"))]
    pub(crate) tdmrep: Option<PathBuf>,
    /// Take this file for each RSL licence that the site or page names
    #[arg(long, value_name = "FILE", value_parser = super::input_file("without --license, it is fetched from its URL"))]
    pub(crate) license: Option<PathBuf>,
    /// Answer for this robot; repeatable
    ///
    /// NAME is a product token, such as Googlebot, or the User-Agent header of the robot. Without --profile, a known robot
    /// has the profile of its operator, and any other robot neutral.
    #[arg(short, long = "agent", value_name = "NAME", value_parser = clap::value_parser!(AgentName), add = super::complete::robots())]
    pub(crate) agents: Vec<AgentName>,
    /// Answer as the engine of this profile; repeatable
    #[arg(short, long = "profile", value_name = "PROFILE", value_parser = super::profile, add = super::complete::profiles(), long_help = profile_help())]
    pub(crate) profiles: Vec<Profile>,
    #[command(flatten)]
    pub(crate) scripting: super::ScriptingArg,
    /// Exit with code 1 unless each robot has these answers
    #[arg(long, value_name = "ANSWER,...", value_delimiter = ',', value_parser = clap::value_parser!(Expectation), long_help = expectations_help())]
    pub(crate) expect: Vec<Expectation>,
    /// Decide as of TIME, such as 2026-11-20T00:00:00Z [default: now]
    #[arg(long, value_name = "TIME", value_parser = super::moment)]
    pub(crate) now: Option<robots_meta::Timestamp>,
    /// Fetch the page even if robots.txt disallows it to all robots
    #[arg(long, conflicts_with = "base")]
    pub(crate) own_site: bool,
    #[command(flatten)]
    pub(crate) requests: super::RequestArgs,
    /// Show every answer of every robot, with the statement behind it
    #[arg(long, conflicts_with = "json")]
    pub(crate) all: bool,
    /// Write a JSON object
    #[arg(long)]
    pub(crate) json: bool,
}

fn profile_help() -> String {
    format!(
        "Answer as the engine of this profile; repeatable\n\nPROFILE is a name that `robots profiles` lists, or a TOML file. Without --agent, its first robot is answered for. The default is {}.",
        engines()
            .iter()
            .map(Profile::name)
            .collect::<Vec<_>>()
            .join(", ")
    )
}

fn expectations_help() -> String {
    format!(
        "Exit with code 1 unless each robot has these answers\n\nOne of {}.\n\nAn answer that is not known meets none. A page that may not be fetched can still be listed by its URL, so it does not meet noindex. Some engines do not obey every directive (Baidu documents no noindex): name the robots that matter with --agent or --profile.",
        Expectation::names()
    )
}

/// Reads the URL of a page.
fn page_url(text: &str) -> Result<String, String> {
    robots_answers::check::web_origin(text)
        .map(|_| text.to_owned())
        .ok_or_else(|| "expected the URL of a page, such as https://example.com/offers".to_owned())
}
