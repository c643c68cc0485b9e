//! `robots check` without URLs: how much is disallowed to each robot, and the paths on which dialects differ.

use super::verdict::word;
use crate::args::Check as Args;
use crate::terminal::{counted, grouped, printable, wrapped};
use anyhow::{Result, bail};
use robots_answers::check::{
    AgentRules, CheckedRobots, Reading, divergence_answers, restriction_answers,
};
use robots_pipeline::json::write_line;
use robots_txt::analysis::Restriction;
use robots_txt::{Dialect, RobotsTxt};
use std::io::Write;

/// The maximum number of paths in the text output. JSON has all.
const MAX_PATHS: usize = 10;

/// Writes the paths on which dialects differ, for each robot. Returns whether there are any. Fails if there are none and not every path
/// was considered.
pub(super) fn divergences(
    out: &mut dyn Write,
    args: &Args,
    robots: &RobotsTxt,
    asked: &CheckedRobots<'_>,
    readings: &[Reading],
) -> Result<bool> {
    let dialects: Vec<Dialect> = readings.iter().map(|reading| reading.dialect).collect();
    let mut any = false;
    let mut are_complete = true;
    for name in args.agents() {
        // `--all-dialects` cannot be combined with profiles, so each reading is a dialect alone.
        let profile = None;
        let agent = asked.agent(&name, profile);
        let divergences = robots.divergence(&agent, &dialects);
        any |= !divergences.is_empty();
        are_complete &= divergences.is_complete();
        if args.is_json() {
            for row in divergence_answers(&name, readings, &divergences) {
                write_line(&mut *out, &row)?;
            }
            continue;
        }
        let count = divergences.iter().len();
        writeln!(
            out,
            "{}: {} on which the {} dialects differ",
            printable(&name),
            number_of_paths(count),
            readings.len()
        )?;
        for divergence in divergences.iter().take(MAX_PATHS) {
            writeln!(out, "  {}", printable(divergence.path()))?;
            let verdicts = divergence.verdicts().iter().zip(readings);
            let labelled = verdicts.map(|(verdict, reading)| {
                let key = (verdict.is_allowed(), verdict.reason().to_owned());
                (key, reading.name().to_owned())
            });
            for ((is_allowed, reason), names) in grouped(labelled) {
                writeln!(out, "    {:<10}  {}", word(is_allowed), printable(&reason))?;
                write!(out, "{}", wrapped(&names, 16))?;
            }
        }
        if count > MAX_PATHS {
            writeln!(
                out,
                "  and {} more, each decided by other rules",
                count - MAX_PATHS
            )?;
        }
        if !divergences.is_complete() {
            writeln!(
                out,
                "  there may be more: too many rules to consider every path"
            )?;
        }
    }
    if !any && !are_complete {
        out.flush()?;
        bail!(
            "no path was found on which the dialects differ, but not every path was considered: too many rules"
        );
    }
    Ok(any)
}

fn number_of_paths(count: usize) -> String {
    match count {
        0 => "no path".to_owned(),
        count => counted(count as u64, "path"),
    }
}

/// Writes how much is disallowed to each robot. Returns whether anything is disallowed.
pub(super) fn restrictions(
    out: &mut dyn Write,
    args: &Args,
    all_rules: &[AgentRules<'_>],
) -> Result<bool> {
    let answers = restriction_answers(all_rules, || anyhow::Ok(()))?;
    let any = answers
        .iter()
        .any(|row| row.restriction() != Restriction::None);
    if args.is_json() {
        for row in &answers {
            write_line(&mut *out, row)?;
        }
        return Ok(any);
    }
    let rows = all_rules.iter().zip(&answers);
    let rows = rows.map(|(rules, row)| {
        let key = (rules.reading.name(), phrase(row.restriction()));
        (key, rules.agent.name().to_owned())
    });
    for ((reading, phrase), names) in grouped(rows) {
        let reading = printable(reading);
        let robots = counted(names.len() as u64, "robot");
        writeln!(out, "{phrase}, under {reading}: {robots}")?;
        write!(out, "{}", wrapped(&names, 4))?;
    }
    Ok(any)
}

/// Returns a restriction in words.
fn phrase(restriction: Restriction) -> &'static str {
    match restriction {
        Restriction::None => "nothing is disallowed",
        Restriction::Some => "some paths are disallowed",
        Restriction::AllExcept => "everything but some paths is disallowed",
        Restriction::All => "everything is disallowed",
        // `Restriction::Unknown`.
        _ => "unknown: too many rules",
    }
}
