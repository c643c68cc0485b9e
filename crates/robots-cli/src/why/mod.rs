//! `robots why`: what engines may do with a page, and what would change it.
//!
//! [`evidence`] reads or fetches what is known about the page. [`Answers`] follow from it. [`show`] writes them for people.

mod evidence;
mod show;

use crate::answer_output;
use crate::args::Why as Args;
use crate::chosen_robots;
use anyhow::{Result, bail};
use evidence::{Collected, Robots};
use robots_answers::why::{self, Answers, why_answer};
use robots_pipeline::json::write_pretty;
use robots_policy::profile::{AgentTable, Robot};
use robots_policy::{Policy, Profile};
use robots_txt::RobotsTxt;
use show::Shown;
use std::io::Write;
use std::path::Path;
use std::process::ExitCode;
use std::time::SystemTime;

pub(crate) fn run(args: &Args) -> Result<ExitCode> {
    if args.base.is_none() && !crate::args::is_url(&args.page) {
        bail!(
            "{} is not a URL with http or https: to read a file, add --base with the URL of the page",
            args.page.display()
        );
    }
    let is_stdin = |path: &Path| path.as_os_str() == "-";
    if is_stdin(&args.page) && args.robots.as_deref().is_some_and(is_stdin) {
        bail!("the page and robots.txt cannot both be standard input");
    }
    let agents = args.agents.iter().map(|agent| &*agent.token);
    let policies = why::policies(agents, &args.profiles)?.into_iter();
    let policies = policies.map(|policy| policy.with_scripting(args.scripting.scripting));
    let policies: Vec<Policy> = policies.collect();
    let Collected { evidence, robots } = Collected::new(args)?;
    report_robots(args, &policies, &robots);
    let now = args.now.unwrap_or_else(|| SystemTime::now().into());
    let states = policies
        .iter()
        .map(|policy| (policy, policy.robots(robots.as_fetch())));
    let answers = Answers::new(states, &evidence, now, &args.expect);
    let mut out = answer_output::stdout();
    if args.json {
        write_pretty(&mut out, &why_answer(&evidence, &answers))?;
    } else {
        let shown = Shown {
            evidence: &evidence,
            answers: &answers,
            robots_name: robots.name(),
            robots: &RobotsTxt::parse(robots.body()),
            is_all: args.all,
        };
        shown.write(&mut out)?;
    }
    out.flush()?;
    Ok(ExitCode::from(u8::from(!answers.meet_expectations())))
}

/// Reports how the names of robots were read, and names that are probably misspelt.
fn report_robots(args: &Args, policies: &[Policy], robots: &Robots) {
    let file = RobotsTxt::parse(robots.body());
    let profiles = || policies.iter().map(Policy::profile);
    let files = profiles().map(|profile| (&file, profile.dialect()));
    let names = profiles().flat_map(Profile::robots).map(Robot::name);
    chosen_robots::report(&args.agents, AgentTable::built_in(), files, names);
}
