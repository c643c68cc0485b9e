//! `robots diff`: the decisions that change between two robots.txt files.

use crate::args::Diff as Args;
use crate::check::warn_of_truncation;
use crate::chosen_robots::{self, with_star};
use crate::robots_file;
use crate::terminal::{grouped, printable, wrapped};
use crate::text_diff::difference;
use crate::verdict_json::VerdictJson;
use anyhow::{Result, bail};
use robots_answers::named_robots::named_robots;
use robots_pipeline::RecordProblem;
use robots_pipeline::json::write_line;
use robots_pipeline::text::path_text;
use robots_policy::profile::KnownAgent;
use robots_txt::analysis::{Change, Changes, Comparison};
use robots_txt::limits::MAX_BODY;
use robots_txt::{Agent, RobotsTxt, Rules};
use serde::Serialize;
use std::io::Write;
use std::process::ExitCode;

/// The changes for a robot.
struct AgentDiff {
    agent: String,
    changes: Changes,
    /// The crawl-delays, if they differ.
    crawl_delay: Option<DelayChange>,
}

/// The crawl-delays before and after, in seconds.
#[derive(Debug, Clone, Copy, Serialize)]
struct DelayChange {
    before: Option<f64>,
    after: Option<f64>,
}

/// The changes for a robot as a JSON object. `robots diff --help` describes the keys.
#[derive(Debug, Serialize)]
struct AgentDiffJson<'a> {
    agent: &'a str,
    changes: Vec<ChangeJson<'a>>,
    crawl_delay: Option<DelayChange>,
    complete: bool,
}

/// A path whose decision changes.
#[derive(Debug, Serialize)]
struct ChangeJson<'a> {
    path: &'a str,
    before: VerdictJson<'a>,
    after: VerdictJson<'a>,
}

pub(crate) fn run(args: &Args) -> Result<ExitCode> {
    if args.old == args.new && args.old.as_os_str() == "-" {
        bail!("standard input can be only one of the files");
    }
    let [old, new] = [robots_file::read(&args.old)?, robots_file::read(&args.new)?];
    let mut out = anstream::stdout().lock();
    let names = [&args.old, &args.new].map(path_text);
    if args.text {
        for (name, file) in names.iter().zip([&old, &new]) {
            if file.len() > MAX_BODY {
                notice!("warning: {name}: only the first 16 MiB are compared");
            }
        }
        write!(
            out,
            "{}",
            difference(names.each_ref().map(String::as_str), [&old, &new])
        )?;
        out.flush()?;
        return Ok(ExitCode::from(u8::from(old != new)));
    }
    let files = [RobotsTxt::parse(&old), RobotsTxt::parse(&new)];
    for (name, file) in names.iter().zip(&files) {
        if file.looks_like_html() {
            notice!("warning: {name}: {}", RecordProblem::RobotsIsHtml);
        }
        warn_of_truncation(name, file, &args.dialect);
    }
    let agents = agents(args, &files);
    let [before, after] = files
        .each_ref()
        .map(|file| file.rules_of_all(&agents, &args.dialect));
    let mut comparison = Comparison::new();
    let diffs: Vec<AgentDiff> = agents
        .iter()
        .zip(before.iter().zip(after.iter()))
        .map(|(agent, (before, after))| AgentDiff::new(&mut comparison, agent, before, after))
        // An incomplete comparison is shown, too: it may have missed changes.
        .filter(|diff| diff.has_changes() || !diff.changes.is_complete())
        .collect();
    if args.json {
        for diff in &diffs {
            write_line(&mut out, &diff.to_json())?;
        }
    } else {
        show(&mut out, &diffs)?;
    }
    out.flush()?;
    let has_changes = diffs.iter().any(AgentDiff::has_changes);
    Ok(ExitCode::from(u8::from(has_changes)))
}

/// Returns the robots of the options. The default is `*`, the robots that one of the files names, and two kinds of known
/// robots: those that obey a group of another name in a file, and those that do not obey `*`.
fn agents(args: &Args, files: &[RobotsTxt; 2]) -> Vec<Agent<'static>> {
    let table = args.known.table();
    if !args.agents.is_empty() {
        let named: Vec<String> = files
            .iter()
            .flat_map(|file| named_robots(file, &args.dialect))
            .collect();
        chosen_robots::report(&args.agents, table, named.iter().map(String::as_str));
        let tokens = args.agents.iter().map(|agent| &agent.token);
        return tokens.map(|token| table.agent(token)).collect();
    }
    let named = files
        .iter()
        .flat_map(|file| named_robots(file, &args.dialect));
    let known_agents: Vec<Agent<'_>> = table.iter().map(KnownAgent::agent).collect();
    let [in_old, in_new] = files
        .each_ref()
        .map(|file| file.are_named(&known_agents, &args.dialect));
    let is_named = in_old.into_iter().zip(in_new).map(|(old, new)| old || new);
    let known = table.iter().zip(is_named);
    let known = known.filter(|(known, is_named)| *is_named || !known.obeys_star);
    let known_names = known.map(|(known, _)| known.token.clone());
    let names = with_star(named.chain(known_names));
    names.iter().map(|name| table.agent(name)).collect()
}

impl AgentDiff {
    fn new(comparison: &mut Comparison, agent: &Agent<'_>, old: &Rules, new: &Rules) -> Self {
        let delay = |rules: &Rules| {
            let delay = rules.crawl_delay();
            delay.map(|delay| delay.delay().as_secs_f64())
        };
        let (before, after) = (delay(old), delay(new));
        Self {
            agent: agent.name().to_owned(),
            changes: comparison.changes(agent.name(), old, new),
            crawl_delay: (before != after).then_some(DelayChange { before, after }),
        }
    }

    fn has_changes(&self) -> bool {
        !self.changes.is_empty() || self.crawl_delay.is_some()
    }

    fn to_json(&self) -> AgentDiffJson<'_> {
        AgentDiffJson {
            agent: &self.agent,
            changes: self.changes.iter().map(ChangeJson::new).collect(),
            crawl_delay: self.crawl_delay,
            complete: self.changes.is_complete(),
        }
    }
}

impl<'a> ChangeJson<'a> {
    fn new(change: &'a Change) -> Self {
        Self {
            path: change.path(),
            before: VerdictJson::new(change.before()),
            after: VerdictJson::new(change.after()),
        }
    }
}

/// Writes the changes for people. Robots with equal changes are grouped.
fn show(out: &mut dyn Write, diffs: &[AgentDiff]) -> Result<()> {
    if diffs.is_empty() {
        writeln!(out, "no decision changed")?;
    }
    let labelled = diffs.iter().map(|diff| (text(diff), diff.agent.clone()));
    for (text, agents) in grouped(labelled) {
        write!(out, "{}{text}", wrapped(&agents, 0))?;
    }
    Ok(())
}

/// Returns the changes for a robot in lines.
fn text(diff: &AgentDiff) -> String {
    let mut lines = Vec::new();
    for change in diff.changes.iter() {
        let verb = if change.after().is_allowed() {
            "+ allowed now"
        } else {
            "- disallowed now"
        };
        lines.push(format!("  {verb:<16}  {}", change.path()));
        lines.push(format!("      before: {}", change.before()));
        lines.push(format!("      after:  {}", change.after()));
    }
    if let Some(DelayChange { before, after }) = diff.crawl_delay {
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
    if !diff.changes.is_complete() {
        lines.push("  there may be more changes: too many rules to consider every path".to_owned());
    }
    let lines: Vec<String> = lines
        .iter()
        .map(|line| printable(line).into_owned())
        .collect();
    lines.join("\n") + "\n"
}
