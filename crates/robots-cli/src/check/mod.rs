//! `robots check`: may these URLs be fetched, and which line says so.
//!
//! The arguments become robots and readings of the file ([`asked`]); their answers about each URL are
//! shown ([`answer`]). Without URLs it is asked of all paths ([`paths`]). [`batch`] answers in bulk,
//! [`sites`] asks the sites themselves.

mod answer;
mod asked;
mod batch;
mod paths;
mod sites;

use crate::args::Check as Args;
use answer::{Answer, JsonAnswer, compared, explained};
use anyhow::{Context, Result, bail};
use robots_lint::{RobotsTxtLinter, Severity};
use robots_policy::profile::Robot;
use robots_policy::{Policy, Profile};
use robots_txt::{Agent, Dialect, RobotsTxt, Target};
use std::io::{BufRead, Write};
use std::process::ExitCode;

/// How many oddities of a robots.txt are told before the rest is counted.
const ODDITIES: usize = 10;

pub(crate) fn run(args: &Args) -> Result<ExitCode> {
    if let Some(questions) = &args.batch {
        return batch::run(questions, &args.robots, &one_dialect(args)?);
    }
    let path = args
        .robots_txt
        .as_deref()
        .context("expected a robots.txt")?;
    if args.fetch {
        return sites::run(args, path);
    }
    if path.as_os_str() == "-" && args.urls_from.iter().any(|urls| urls.as_os_str() == "-") {
        bail!("standard input can be the robots.txt or the URLs, not both");
    }
    let has_urls = !args.urls.is_empty() || !args.urls_from.is_empty();
    if !has_urls && args.all_agents && args.all_dialects {
        bail!("without URLs, use only one of --all-agents and --all-dialects");
    }
    let body = robots_pipeline::input::lines::read_whole(path)?;
    let name = path.display().to_string();
    let robots = RobotsTxt::parse(&body);
    let readings = asked::readings(args);
    for reading in &readings {
        tell_truncation(&name, &robots, &reading.dialect);
    }
    tell_oddities(&name, &robots);
    let asked = asked::asked(args, &robots, &readings);
    let mut out = anstream::stdout().lock();
    if !has_urls {
        let found = if args.all_dialects {
            paths::part(&mut out, args, &robots, &readings)?
        } else {
            paths::restrictions(&mut out, args, &asked)?
        };
        out.flush()?;
        return Ok(ExitCode::from(u8::from(found)));
    }
    let mut all_allowed = true;
    for_each_url(args, |url| {
        let target = target_of(url)?;
        let mut answers: Vec<Answer<'_>> = asked
            .iter()
            .map(|asked| Answer::new(asked, &target))
            .collect();
        if let [first, others @ ..] = &mut answers[..] {
            for other in others {
                other.compare(first, &robots, &target);
            }
        }
        all_allowed &= answers.iter().all(|answer| answer.verdict.is_allowed());
        if args.json {
            for answer in &answers {
                let row = JsonAnswer::new(url, answer);
                writeln!(out, "{}", serde_json::to_string(&row)?)?;
            }
        } else if let [answer] = &answers[..] {
            writeln!(out, "{}", explained(&name, url, answer, &robots))?;
        } else {
            write!(out, "{}", compared(url, &answers))?;
        }
        Ok(())
    })?;
    out.flush()?;
    Ok(ExitCode::from(u8::from(!all_allowed)))
}

/// The URLs of the command line, and those of the files.
fn for_each_url(args: &Args, mut act: impl FnMut(&str) -> Result<()>) -> Result<()> {
    for url in &args.urls {
        act(url)?;
    }
    for path in &args.urls_from {
        let name = path.display();
        for (number, line) in (1_u64..).zip(robots_pipeline::input::lines::open(path)?.split(b'\n'))
        {
            let line = line.with_context(|| format!("cannot read {name}"))?;
            let line = String::from_utf8_lossy(line.trim_ascii()).into_owned();
            if !line.is_empty() && !line.starts_with('#') {
                act(&line).with_context(|| format!("{name}: line {number}"))?;
            }
        }
    }
    Ok(())
}

/// The dialect, where there can be one alone.
fn one_dialect(args: &Args) -> Result<Dialect> {
    match args.dialects()[..] {
        [dialect] => Ok(dialect),
        _ => bail!("expected one --dialect"),
    }
}

/// The policy of a robot that obeys these groups.
fn policy_of(agent: Agent<'static>, dialect: Dialect) -> Policy {
    let name = agent.name().to_owned();
    let profile = Profile::neutral().with_dialect(dialect);
    Policy::for_robot(&profile, Robot::new(&name).with_agent(agent))
}

/// The target as a client would ask for it, of a URL or of a path.
fn target_of(url: &str) -> Result<Target<'static>> {
    if url.starts_with('/') {
        return Ok(Target::new(url).into_owned());
    }
    let parsed = url::Url::parse(url)
        .with_context(|| format!("{url:?} is not a URL, and does not begin with / as a path"))?;
    if !parsed.has_host() {
        bail!("{url:?} has no host");
    }
    Ok(Target::new(parsed.as_str()).into_owned())
}

/// What is wrong with the file, on standard error; `robots lint` says more.
fn tell_oddities(name: &str, robots: &RobotsTxt) {
    let lint = RobotsTxtLinter::new().lint(robots);
    let errors: Vec<_> = lint
        .iter()
        .filter(|found| found.severity() == Severity::Error)
        .collect();
    for error in errors.iter().take(ODDITIES) {
        anstream::eprintln!("warning: {name}: {error}");
    }
    if let more @ 1.. = errors.len().saturating_sub(ODDITIES) {
        anstream::eprintln!("warning: {name}: and {more} more suspicious lines");
    }
}

/// That a part of the file is not read.
fn tell_truncation(name: &str, robots: &RobotsTxt, dialect: &Dialect) {
    if robots.is_truncated_for(dialect) {
        anstream::eprintln!(
            "warning: {name}: {} reads only the first 500 KiB",
            dialect.name()
        );
    }
}
