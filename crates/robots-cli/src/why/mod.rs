//! `robots why`: what engines may do with a page, and what would change it.
//!
//! [`evidence`] is what is known about the page. [`answers`] has the decisions of all robots about it, the problems in its
//! statements, and what would change an answer ([`change`]). [`show`] writes
//! them for people, and [`json`] as JSON.

mod answers;
mod change;
mod evidence;
mod json;
mod show;

use crate::args::Why as Args;
use crate::chosen_robots;
use answers::Answers;
use anyhow::{Result, bail};
use evidence::Evidence;
use robots_pipeline::json::write_pretty;
use robots_policy::profile::AgentTable;
use robots_policy::{Policies, Policy, Profile};
use std::collections::HashSet;
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
    let policies = Policies::new(policies(args)?);
    let evidence = Evidence::collect(args)?;
    report_robots(args, &policies, &evidence);
    let now = args.now.unwrap_or_else(|| SystemTime::now().into());
    let answers = Answers::new(&policies, &evidence, now, &args.expect);
    let mut out = anstream::stdout().lock();
    if args.json {
        write_pretty(&mut out, &json::Object::new(&evidence, &answers))?;
    } else {
        show::write(&mut out, &evidence, &answers)?;
    }
    out.flush()?;
    Ok(ExitCode::from(u8::from(!answers.meet_expectations())))
}

/// Reports how the names of robots were read, and names that are probably misspelt.
fn report_robots(args: &Args, policies: &Policies, evidence: &Evidence) {
    let mut named: Vec<String> = Vec::new();
    for policy in policies.iter() {
        let of_profile = policy.profile().robots().iter();
        named.extend(of_profile.map(|robot| robot.name().to_owned()));
        named.extend(evidence.named_robots(policy.profile().dialect()));
    }
    let named = named.iter().map(String::as_str);
    chosen_robots::report(&args.agents, AgentTable::built_in(), named);
}

/// Returns a policy for each robot that the arguments name.
fn policies(args: &Args) -> Result<Vec<Policy>> {
    if args.agents.is_empty() {
        return args
            .profiles_or_engines()
            .iter()
            .map(|profile| under(profile, profile.agent()))
            .collect();
    }
    let mut policies = Vec::new();
    let mut seen = HashSet::new();
    for agent in args.agents.iter().map(|agent| &agent.token) {
        // A robot that is named twice is answered for once.
        if !seen.insert(agent.to_ascii_lowercase()) {
            continue;
        }
        if args.profiles.is_empty() {
            policies.push(under(&profile_of(agent), agent)?);
        }
        for profile in &args.profiles {
            policies.push(under(profile, agent)?);
        }
    }
    Ok(policies)
}

fn under(profile: &Profile, agent: &str) -> Result<Policy> {
    Ok(Policy::under(profile, agent)?)
}

/// Returns the built-in profile that lists a robot, or else the neutral one.
fn profile_of(agent: &str) -> Profile {
    let lists = |profile: &Profile| {
        let mut robots = profile.robots().iter();
        robots.any(|robot| robot.name().eq_ignore_ascii_case(agent))
    };
    let neutral = Profile::neutral();
    if lists(&neutral) {
        return neutral;
    }
    Profile::all().find(lists).unwrap_or(neutral)
}
