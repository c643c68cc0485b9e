//! `robots why`: what engines may do with a page, and what would change it.
//!
//! [`evidence`] reads or fetches what is known about the page. [`Answers`] follow from it. [`show`] writes them for people.

mod evidence;
mod show;

use crate::answer_output;
use crate::args::{Why as Args, is_site};
use crate::chosen_robots;
use anyhow::{Result, anyhow, bail};
use evidence::{Collected, Requests, Robots};
use robots_answers::check::web_origin;
use robots_answers::typed_url;
use robots_answers::why::evidence::Evidence;
use robots_answers::why::{self, Answers, Expectation, headline, target_sentence, why_answer};
use robots_meta::Timestamp;
use robots_pipeline::json::write_pretty;
use robots_pipeline::text::path_text;
use robots_policy::origins::has_scheme;
use robots_policy::profile::{AgentTable, Robot};
use robots_policy::{Policy, Profile, RobotsFetch};
use robots_txt::RobotsTxt;
use show::Shown;
use std::collections::HashSet;
use std::ffi::OsStr;
use std::io::Write;
use std::path::Path;
use std::process::ExitCode;
use std::time::SystemTime;

pub(crate) fn run(args: &Args) -> Result<ExitCode> {
    let is_stdin = |path: &Path| path.as_os_str() == "-";
    if is_stdin(&args.page) && args.robots.as_deref().is_some_and(is_stdin) {
        bail!("the page and robots.txt cannot both be standard input");
    }
    let agents = args.agents.iter().map(|agent| &*agent.token);
    let policies = why::policies(agents, &args.profiles)?.into_iter();
    let policies = policies.map(|policy| policy.with_scripting(args.scripting.scripting));
    let policies: Vec<Policy> = policies.collect();
    let now = args.now.unwrap_or_else(|| SystemTime::now().into());
    let (Collected { evidence, robots }, mut requests) = if let Some(url) = &args.base {
        (Collected::saved(args, &policies, url)?, None)
    } else {
        let url = asked_url(&args.page)?;
        let mut requests = Requests::new(args, &policies, &url)?;
        (requests.page(&url)?, Some(requests))
    };
    report_robots(args, &policies, &robots);
    let answers = answers(&policies, &robots, &evidence, now, &args.expect);
    let mut out = answer_output::stdout();
    if args.json {
        write_pretty(&mut out, &why_answer(&evidence, &answers))?;
    } else {
        let headline = headline(&answers, &evidence);
        let redirect = evidence.redirect().filter(|_| headline.target.is_some());
        let target = redirect.map(|target| match &mut requests {
            Some(requests) => target_line(requests, target, &policies, now),
            None => format!("The target was not requested: ask about it by its URL, {target}"),
        });
        let shown = Shown {
            evidence: &evidence,
            answers: &answers,
            headline,
            target,
            robots_name: robots.name(),
            robots: &RobotsTxt::parse(robots.body()),
            is_all: args.all,
        };
        shown.write(&mut out)?;
    }
    out.flush()?;
    if let Some(requests) = requests {
        requests.shutdown();
    }
    Ok(ExitCode::from(u8::from(!answers.meet_expectations())))
}

/// Returns the URL of the page that is asked about. A host takes `https`, unless a file has its name.
fn asked_url(page: &Path) -> Result<String> {
    const REMEDY: &str = "to read a file, add --base with the URL of the page";
    /// The ends of names of saved pages, alone: no top-level domain has these names, but paths do.
    const FILES: [&str; 5] = ["html", "htm", "xhtml", "mhtml", "txt"];
    let name = path_text(page);
    if page.exists() || page.as_os_str() == "-" {
        bail!("{name} is a file, not a URL: {REMEDY}; a URL begins with https://");
    }
    let ending = page.extension().and_then(OsStr::to_str);
    let is_file = ending.is_some_and(|ending| FILES.contains(&ending)) && !name.contains('/');
    if is_file || !has_scheme(&name) && !is_site(&name) {
        bail!("{name:?} is not a host or a URL: {REMEDY}");
    }
    typed_url(&name).map_err(|error| anyhow!("{error}: {REMEDY}"))
}

/// Returns what holds for the page to which another one redirects, as a sentence. Follows up to
/// [`MAX_REDIRECTS`](RobotsFetch::MAX_REDIRECTS).
fn target_line(
    requests: &mut Requests<'_>,
    mut target: String,
    policies: &[Policy],
    now: Timestamp,
) -> String {
    let mut seen = HashSet::new();
    loop {
        if web_origin(&target).is_none() {
            return format!("The target {target} is not a page of the Web");
        }
        if seen.contains(&target) {
            return format!("The target {target} redirects back to itself, so no page is there");
        }
        let Collected { evidence, robots } = match requests.page(&target) {
            Ok(collected) => collected,
            Err(error) => return format!("The target {target} is not known: {error:#}"),
        };
        seen.insert(target);
        match evidence.redirect() {
            Some(next) if seen.len() < RobotsFetch::MAX_REDIRECTS => target = next,
            _ => {
                let answers = answers(policies, &robots, &evidence, now, &[]);
                return target_sentence(&answers, &evidence);
            }
        }
    }
}

fn answers(
    policies: &[Policy],
    robots: &Robots,
    evidence: &Evidence,
    now: Timestamp,
    expected: &[Expectation],
) -> Answers {
    let states = policies
        .iter()
        .map(|policy| (policy, policy.robots(robots.as_fetch())));
    Answers::new(states, evidence, now, expected)
}

/// Reports how the names of robots were read, and names that are probably misspelt.
fn report_robots(args: &Args, policies: &[Policy], robots: &Robots) {
    let file = RobotsTxt::parse(robots.body());
    let profiles = || policies.iter().map(Policy::profile);
    let files = profiles().map(|profile| (&file, profile.dialect()));
    let names = profiles().flat_map(Profile::robots).map(Robot::name);
    chosen_robots::report(&args.agents, AgentTable::built_in(), files, names);
}
