//! What is asked without URLs: how much is disallowed to whom, and on which paths dialects differ.

use super::answer::word;
use super::asked::{Asked, Reading, agent};
use crate::args::Check as Args;
use crate::terminal::{grouped, printable, wrapped};
use anyhow::Result;
use robots_txt::analysis::{Divergence, Restriction, Summary};
use robots_txt::{Dialect, RobotsTxt};
use serde_json::{Value, json};
use std::collections::HashMap;
use std::io::Write;

/// How many paths are shown on which dialects differ.
const PATHS: usize = 10;

/// Says on which paths dialects differ, for each robot; whether there are any.
pub(super) fn part(
    out: &mut dyn Write,
    args: &Args,
    robots: &RobotsTxt,
    readings: &[Reading],
) -> Result<bool> {
    let dialects: Vec<Dialect> = readings.iter().map(|reading| reading.dialect).collect();
    let mut any = false;
    for name in args.agents() {
        let agent = agent(args, &name, None);
        let found = robots.divergence(&agent, &dialects);
        any |= !found.is_empty();
        if args.json {
            for divergence in found.iter() {
                writeln!(out, "{}", as_json(&name, readings, divergence))?;
            }
            continue;
        }
        let count = found.iter().len();
        writeln!(
            out,
            "{name}: {} on which the {} dialects differ",
            paths(count),
            readings.len()
        )?;
        for divergence in found.iter().take(PATHS) {
            writeln!(out, "  {}", printable(divergence.path()))?;
            let said = divergence
                .verdicts()
                .iter()
                .zip(readings)
                .map(|(said, reading)| {
                    let key = (said.is_allowed(), said.reason().to_owned());
                    (key, reading.name().to_owned())
                });
            for ((is_allowed, reason), names) in grouped(said) {
                writeln!(out, "    {:<10}  {}", word(is_allowed), printable(&reason))?;
                write!(out, "{}", wrapped(&names, 16))?;
            }
        }
        if count > PATHS {
            writeln!(
                out,
                "  and {} more, each decided by other rules",
                count.saturating_sub(PATHS)
            )?;
        }
        if !found.is_complete() {
            writeln!(
                out,
                "  there may be more: too many rules to consider every path"
            )?;
        }
    }
    Ok(any)
}

fn paths(count: usize) -> String {
    match count {
        0 => "no path".to_owned(),
        1 => "1 path".to_owned(),
        count => format!("{count} paths"),
    }
}

fn as_json(agent: &str, readings: &[Reading], divergence: &Divergence) -> Value {
    let said = divergence
        .verdicts()
        .iter()
        .zip(readings)
        .map(|(said, reading)| {
            json!({
                "dialect": reading.name(),
                "allowed": said.is_allowed(),
                "line": said.line(),
                "reason": said.reason(),
            })
        });
    json!({"agent": agent, "path": divergence.path(), "said": said.collect::<Vec<_>>()})
}

/// Says how much is disallowed to each robot; whether anything is to any.
pub(super) fn restrictions(out: &mut dyn Write, args: &Args, asked: &[Asked<'_>]) -> Result<bool> {
    let mut any = false;
    let mut rows = Vec::with_capacity(asked.len());
    // Robots that hear the same are answered once.
    let mut known: HashMap<Vec<u8>, Summary> = HashMap::new();
    for asked in asked {
        let summary = known
            .entry(asked.rules.to_bytes())
            .or_insert_with(|| asked.rules.summary());
        let restriction = summary.restriction();
        any |= restriction != Restriction::None;
        let reading = asked.reading.name();
        if args.json {
            let row = json!({
                "agent": asked.agent.name(),
                "dialect": asked.reading.dialect.name(),
                "profile": asked.reading.profile.as_ref().map(|_| reading),
                "disallowed": key(restriction),
                "allowed_path": summary.allowed(),
                "disallowed_path": summary.disallowed(),
            });
            writeln!(out, "{row}")?;
        } else {
            rows.push((
                (reading, phrase(restriction)),
                asked.agent.name().to_owned(),
            ));
        }
    }
    for ((reading, phrase), names) in grouped(rows.into_iter()) {
        writeln!(out, "{phrase}, under {reading}: {} robots", names.len())?;
        write!(out, "{}", wrapped(&names, 4))?;
    }
    Ok(any)
}

fn phrase(restriction: Restriction) -> &'static str {
    match restriction {
        Restriction::None => "nothing is disallowed",
        Restriction::Some => "some paths are disallowed",
        Restriction::AllExcept => "everything but some paths is disallowed",
        Restriction::All => "everything is disallowed",
        _ => "unknown: too many rules",
    }
}

/// The word for it (`docs/semantics.md`, section 8.7).
pub(crate) fn key(restriction: Restriction) -> &'static str {
    match restriction {
        Restriction::None => "none",
        Restriction::Some => "some",
        Restriction::AllExcept => "all_except",
        Restriction::All => "all",
        _ => "unknown",
    }
}
