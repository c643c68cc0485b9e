//! `robots diff`: what changed between two robots.txt files, by decision.

use crate::args::Diff as Args;
use crate::named_robots::{named, with_everyone};
use crate::terminal::{grouped, printable, wrapped};
use crate::text_diff::difference;
use anyhow::{Result, bail};
use robots_pipeline::input::lines;
use robots_txt::analysis::{Changes, PathVerdict};
use robots_txt::{Agent, Dialect, RobotsTxt};
use serde_json::{Value, json};
use std::collections::HashSet;
use std::io::Write;
use std::process::ExitCode;

/// What changed for a robot.
struct Found {
    agent: String,
    changes: Changes,
    /// The delays in seconds, before and after, if they differ.
    delays: Option<[Option<f64>; 2]>,
}

pub(crate) fn run(args: &Args) -> Result<ExitCode> {
    if args.old == args.new && args.old.as_os_str() == "-" {
        bail!("standard input can be only one of the files");
    }
    let [old, new] = [lines::read_whole(&args.old)?, lines::read_whole(&args.new)?];
    let mut out = anstream::stdout().lock();
    if args.text {
        let names = [
            args.old.display().to_string(),
            args.new.display().to_string(),
        ];
        write!(
            out,
            "{}",
            difference(names.each_ref().map(String::as_str), [&old, &new])
        )?;
        out.flush()?;
        return Ok(ExitCode::from(u8::from(old != new)));
    }
    let files = [RobotsTxt::parse(&old), RobotsTxt::parse(&new)];
    let found: Vec<Found> = agents(args, &files)
        .iter()
        .map(|agent| compare(&files, agent, &args.dialect))
        .filter(|found| !found.is_nothing())
        .collect();
    if args.json {
        for found in &found {
            write_json(&mut out, found)?;
        }
    } else {
        show(&mut out, &found)?;
    }
    out.flush()?;
    let has_changes = |found: &Found| !found.changes.is_empty() || found.delays.is_some();
    Ok(ExitCode::from(u8::from(found.iter().any(has_changes))))
}

impl Found {
    fn is_nothing(&self) -> bool {
        self.changes.is_empty() && self.delays.is_none() && self.changes.is_complete()
    }
}

/// The robots that are asked about: those that are named, or everyone to whom one of the files may speak in
/// a way of its own: `*`, the robots that it names, and those that obey a group of one of those.
fn agents(args: &Args, files: &[RobotsTxt; 2]) -> Vec<Agent<'static>> {
    let table = args.known.table();
    if !args.agents.is_empty() {
        return args.agents.iter().map(|name| table.agent(name)).collect();
    }
    let mut names: Vec<String> = files
        .iter()
        .flat_map(|file| named(file, &Dialect::GOOGLE))
        .collect();
    let spoken_to: HashSet<String> = names.iter().map(|name| name.to_ascii_lowercase()).collect();
    let obeys_one = |name: &String| spoken_to.contains(&name.to_ascii_lowercase());
    let known = table.iter();
    let known = known.filter(|known| !known.takes_star || known.or.iter().any(obeys_one));
    names.extend(known.map(|known| known.token.clone()));
    let names = with_everyone(names);
    names.iter().map(|name| table.agent(name)).collect()
}

fn compare([old, new]: &[RobotsTxt; 2], agent: &Agent<'_>, dialect: &Dialect) -> Found {
    let delay = |file: &RobotsTxt| {
        let delay = file.rules(agent, dialect).crawl_delay();
        delay.map(|delay| delay.delay().as_secs_f64())
    };
    let delays = [delay(old), delay(new)];
    let [before, after] = delays;
    Found {
        agent: agent.name().to_owned(),
        changes: robots_txt::analysis::diff(old, new, &[Agent::from(agent)], dialect),
        delays: (before != after).then_some(delays),
    }
}

/// What changed, and for whom: robots for which the same changed stand together.
fn show(out: &mut dyn Write, found: &[Found]) -> Result<()> {
    if found.is_empty() {
        writeln!(out, "no decision changed")?;
    }
    let told = found
        .iter()
        .map(|found| (shown(found), found.agent.clone()));
    for (text, agents) in grouped(told) {
        write!(out, "{}{text}", wrapped(&agents, 0))?;
    }
    Ok(())
}

fn shown(found: &Found) -> String {
    let mut lines = Vec::new();
    for change in found.changes.iter() {
        let verb = if change.after().is_allowed() {
            "+ allowed now"
        } else {
            "- disallowed now"
        };
        lines.push(format!("  {verb:<16}  {}", change.path()));
        lines.push(format!("      before: {}", change.before()));
        lines.push(format!("      after:  {}", change.after()));
    }
    if let Some([before, after]) = found.delays {
        let seconds = |delay: Option<f64>| match delay {
            Some(delay) => format!("{delay} s"),
            None => "none".to_owned(),
        };
        lines.push(format!(
            "  Crawl-delay: {}, before {}",
            seconds(after),
            seconds(before)
        ));
    }
    if !found.changes.is_complete() {
        lines.push("  there may be more changes: too many rules to consider every path".to_owned());
    }
    let lines: Vec<String> = lines
        .iter()
        .map(|line| printable(line).into_owned())
        .collect();
    lines.join("\n") + "\n"
}

fn write_json(out: &mut dyn Write, found: &Found) -> Result<()> {
    let said = |said: &PathVerdict| -> Value {
        json!({"allowed": said.is_allowed(), "line": said.line(), "reason": said.reason()})
    };
    let changes = found.changes.iter().map(|change| {
        json!({
            "path": change.path(),
            "before": said(change.before()),
            "after": said(change.after()),
        })
    });
    let [before, after] = found.delays.unwrap_or_default();
    let delay = found
        .delays
        .map(|_| json!({"before": before, "after": after}));
    let row = json!({
        "agent": found.agent,
        "changes": changes.collect::<Vec<_>>(),
        "crawl_delay": delay,
        "complete": found.changes.is_complete(),
    });
    writeln!(out, "{row}")?;
    Ok(())
}
