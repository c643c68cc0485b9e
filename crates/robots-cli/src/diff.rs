//! `robots diff`: the decisions that change between two robots.txt files.

use crate::answer_output;
use crate::args::Diff as Args;
use crate::check::warn_of_truncation;
use crate::chosen_robots;
use crate::robots_file;
use crate::terminal::{grouped, printable, wrapped};
use crate::text_diff::difference;
use anyhow::{Result, bail};
use robots_answers::check::Reading;
use robots_answers::diff::{RobotDiff, compared_robots, diffs};
use robots_pipeline::RecordProblem;
use robots_pipeline::json::write_line;
use robots_pipeline::text::path_text;
use robots_policy::Profile;
use robots_txt::limits::MAX_BODY;
use robots_txt::{Agent, Dialect, RobotsTxt};
use std::io::Write;
use std::process::ExitCode;

pub(crate) fn run(args: &Args) -> Result<ExitCode> {
    if args.old == args.new && args.old.as_os_str() == "-" {
        bail!("standard input can be only one of the files");
    }
    let [old, new] = [robots_file::read(&args.old)?, robots_file::read(&args.new)?];
    let mut out = answer_output::stdout();
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
        warn_of_truncation(name, file, &args.dialect.unwrap_or(Dialect::RFC9309));
    }
    let (agents, is_cut) = agents(args, &files);
    let reading = args.dialect.map(Reading::from);
    let diffs = diffs(&files, &agents, reading.as_ref());
    let diffs: Vec<RobotDiff> = diffs.filter(RobotDiff::is_reported).collect();
    let has_changes = diffs.iter().any(RobotDiff::has_changes);
    let is_complete = !is_cut && diffs.iter().all(|diff| diff.changes.is_complete());
    if args.json {
        for diff in &diffs {
            write_line(&mut out, &diff.answer())?;
        }
    } else {
        show(&mut out, &diffs, is_complete)?;
    }
    out.flush()?;
    if !has_changes && !is_complete {
        bail!("no change was found, but not every decision was compared: too many robots or rules");
    }
    Ok(ExitCode::from(u8::from(has_changes)))
}

/// Returns the robots of the options, or else those of [`compared_robots`], and whether some were left out.
fn agents(args: &Args, files: &[RobotsTxt; 2]) -> (Vec<Agent<'static>>, bool) {
    let table = args.known.table();
    if !args.agents.is_empty() {
        let dialect = args.dialect.as_ref().unwrap_or(&Dialect::RFC9309);
        let files = files.iter().map(|file| (file, dialect));
        chosen_robots::report(&args.agents, table, files, []);
        let tokens = args.agents.iter().map(|agent| &agent.token);
        let agents = tokens.map(|token| table.agent(token));
        return (agents.collect(), false);
    }
    let robots = compared_robots(files, table, args.dialect.as_ref());
    chosen_robots::report_cut(robots.is_cut);
    let agents = robots.names.iter().map(|name| table.agent(name));
    (agents.collect(), robots.is_cut)
}

/// Writes the changes for people. Robots with equal changes are grouped.
pub(crate) fn show(out: &mut dyn Write, diffs: &[RobotDiff], is_complete: bool) -> Result<()> {
    if diffs.is_empty() && is_complete {
        writeln!(out, "no decision changed")?;
    }
    let label = |diff: &RobotDiff| match &diff.reading.profile {
        Some(profile) if profile.name() == Profile::NEUTRAL => diff.agent.clone(),
        _ => format!("{} ({})", diff.agent, diff.reading.manner()),
    };
    let labelled = diffs.iter().map(|diff| (text(diff), label(diff)));
    for (text, agents) in grouped(labelled) {
        write!(out, "{}{text}", wrapped(&agents, 0))?;
    }
    Ok(())
}

/// Returns the changes for a robot in lines.
fn text(diff: &RobotDiff) -> String {
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
    if let Some([before, after]) = diff.crawl_delay {
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
