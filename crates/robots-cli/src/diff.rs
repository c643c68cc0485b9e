//! `robots diff`: the decisions that change between two robots.txt files.

use crate::answer_output;
use crate::args::Diff as Args;
use crate::check::{warn_of_truncation, word};
use crate::chosen_robots;
use crate::robots_file;
use crate::terminal::{WIDTH, filled, grouped, line_list, max_listed, printable, with_commas};
use crate::text_diff::difference;
use anyhow::{Result, bail};
use robots_answers::check::Reading;
use robots_answers::diff::{RobotDiff, compared_robots, diffs};
use robots_pipeline::RecordProblem;
use robots_pipeline::json::write_line;
use robots_pipeline::text::path_text;
use robots_policy::Profile;
use robots_txt::analysis::{Change, PathVerdict};
use robots_txt::limits::MAX_BODY;
use robots_txt::{Agent, Dialect, RobotsTxt};
use std::collections::BTreeSet;
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

/// A change as people see it. Equal changes of several robots are one, whatever their lines and groups.
#[derive(Clone, PartialEq, Eq, Hash)]
enum Shown<'d> {
    /// The path, and for each file whether it may be fetched, and the rule that decides or the reason without one.
    Path(&'d str, [(bool, &'d str); 2]),
    CrawlDelay(String),
    /// There may be more changes.
    Incomplete,
}

/// Writes the changes for people, each once, with its robots. Changes of the same robots are together.
pub(crate) fn show(out: &mut dyn Write, diffs: &[RobotDiff], is_complete: bool) -> Result<()> {
    if diffs.is_empty() && is_complete {
        writeln!(out, "no decision changed")?;
    }
    let changes = diffs.iter().enumerate().flat_map(|(index, diff)| {
        let changes = changes(diff).into_iter();
        changes.map(move |(shown, verdicts)| (shown, (index, verdicts)))
    });
    let changes = grouped(changes).into_iter().map(|(shown, robots)| {
        let (robots, verdicts): (Vec<usize>, Vec<_>) = robots.into_iter().unzip();
        (robots, text(&shown, &verdicts))
    });
    for (robots, texts) in grouped(changes) {
        let robots = robots.iter().filter_map(|index| diffs.get(*index));
        for line in labels(robots) {
            writeln!(out, "{line}")?;
        }
        write!(out, "{}", texts.concat())?;
    }
    Ok(())
}

/// Returns the changes for a robot, with the verdicts of those about paths.
fn changes(diff: &RobotDiff) -> Vec<(Shown<'_>, Option<&Change>)> {
    fn side(verdict: &PathVerdict) -> (bool, &str) {
        let reason = verdict.rule().unwrap_or_else(|| verdict.reason());
        (verdict.is_allowed(), reason)
    }
    let mut all: Vec<_> = diff
        .changes
        .iter()
        .map(|change| {
            let sides = [side(change.before()), side(change.after())];
            (Shown::Path(change.path(), sides), Some(change))
        })
        .collect();
    if let Some(delay) = diff.crawl_delay_text() {
        all.push((Shown::CrawlDelay(format!("  {delay}")), None));
    }
    if !diff.changes.is_complete() {
        all.push((Shown::Incomplete, None));
    }
    all
}

/// Returns a change in lines. `changes` has that of each robot.
fn text(shown: &Shown<'_>, changes: &[Option<&Change>]) -> String {
    let changes = || changes.iter().flatten();
    let lines = match shown {
        Shown::Path(path, [_, (is_allowed, _)]) => {
            let verb = if *is_allowed {
                "+ allowed now"
            } else {
                "- disallowed now"
            };
            let before: Vec<_> = changes().map(|change| change.before()).collect();
            let after: Vec<_> = changes().map(|change| change.after()).collect();
            vec![
                format!("  {verb:<16}  {path}"),
                format!("      before: {}", verdict(&before)),
                format!("      after:  {}", verdict(&after)),
            ]
        }
        Shown::CrawlDelay(text) => vec![text.clone()],
        Shown::Incomplete => {
            vec!["  there may be more changes: too many rules to consider every path".to_owned()]
        }
    };
    let lines: Vec<String> = lines
        .iter()
        .map(|line| printable(line).into_owned())
        .collect();
    lines.join("\n") + "\n"
}

/// Returns the verdicts of several robots, which differ only in the lines and groups of the rule that decides, as one.
fn verdict(verdicts: &[&PathVerdict]) -> String {
    let Some((first, others)) = verdicts.split_first() else {
        return String::new();
    };
    let Some(rule) = first
        .rule()
        .filter(|_| !others.iter().all(|other| other == first))
    else {
        return first.to_string();
    };
    let lines = verdicts.iter().filter_map(|verdict| verdict.line());
    let lines: BTreeSet<usize> = lines.collect();
    let word = word(first.is_allowed());
    format!("{word} ({}: {rule})", line_list(&lines))
}

/// Returns the names of robots in lines of the width of the terminal, each with the way in which the files were read for it.
fn labels<'d>(robots: impl Iterator<Item = &'d RobotDiff>) -> Vec<String> {
    let mut robots = robots.map(|diff| {
        let manner = match &diff.reading.profile {
            Some(profile) if profile.name() == Profile::NEUTRAL => String::new(),
            _ => format!(" ({})", diff.reading.manner()),
        };
        (manner, diff.agent.clone())
    });
    let shown: Vec<_> = robots.by_ref().take(max_listed()).collect();
    let others = robots.count();
    let labels = grouped(shown.into_iter())
        .into_iter()
        .map(|(manner, names)| {
            let words = with_commas(&names).collect::<Vec<_>>().join(" ");
            words + &manner
        });
    let mut labels: Vec<String> = labels.collect();
    if others > 0 {
        labels.push(format!("and {others} more (--verbose)"));
    }
    let words = labels.join("; ");
    filled(words.split(' ').map(str::to_owned), WIDTH, "", "")
}
