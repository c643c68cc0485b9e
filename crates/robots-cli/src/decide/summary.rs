//! The summary of a run, for people.

use crate::terminal::{counted, is_quiet, print_message, printable};
use robots_pipeline::summary::{Counts, RobotSummary, Summary};
use robots_policy::{Fetch, Index, Permission};
use std::fmt;

/// Prints a summary to standard error, unless `--quiet` is used. If decisions were filtered, it states how many were written.
pub(super) fn print(summary: &Summary, is_filtered: bool) {
    if !is_quiet() {
        print_message(Lines(summary, is_filtered).to_string().trim_end());
    }
}

struct Lines<'a>(&'a Summary, bool);

impl fmt::Display for Lines<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let &Self(summary, is_filtered) = self;
        let pages = counted(summary.pages, "page");
        if let [robot] = &summary.robots[..] {
            writeln!(f, "{pages} decided for {}", printable(&robot.agent))?;
            write_robot(f, robot, is_filtered.then_some(summary.pages))?;
        } else {
            let robots = counted(summary.robots.len() as u64, "robot");
            writeln!(f, "{pages} decided for {robots}")?;
            for robot in &summary.robots {
                writeln!(
                    f,
                    "{} under {}",
                    printable(&robot.agent),
                    printable(&robot.profile)
                )?;
                write_robot(f, robot, is_filtered.then_some(summary.pages))?;
            }
        }
        if summary.pages_without_robots_txt > 0 {
            let pages = counted(summary.pages_without_robots_txt, "page");
            writeln!(f, "{pages} without a known robots.txt")?;
        }
        for (reason, count) in &summary.skipped {
            writeln!(f, "{} skipped: {reason}", counted(*count, "record"))?;
        }
        if summary.faults > 0 {
            let places = counted(summary.faults, "broken place");
            writeln!(f, "{places} in the inputs")?;
        }
        let failed = &summary.failed_inputs;
        if !failed.is_empty() {
            writeln!(f, "{} left out", counted(failed.len() as u64, "input"))?;
        }
        // The reason for each failure was reported when it occurred. If there are several, those reports may have
        // scrolled away, and are repeated.
        if failed.len() > 1 {
            for reason in failed {
                writeln!(f, "  {}", printable(reason))?;
            }
        }
        Ok(())
    }
}

/// Writes the counts of a robot, and the written ones of this number of filtered decisions.
fn write_robot(
    f: &mut fmt::Formatter<'_>,
    robot: &RobotSummary,
    filtered: Option<u64>,
) -> fmt::Result {
    if let Some(all) = filtered {
        writeln!(f, "  {} of {all} written", robot.written)?;
    }
    let fetch = [Fetch::Allow, Fetch::Disallow, Fetch::Defer, Fetch::Unknown].map(Fetch::name);
    let index = [Index::Yes, Index::No, Index::UrlOnly, Index::Unknown].map(Index::name);
    let others = [Permission::Yes, Permission::No, Permission::Unknown].map(Permission::name);
    write_counts(f, "fetch", &robot.fetch, &fetch)?;
    write_counts(f, "index", &robot.index, &index)?;
    write_counts(f, "follow", &robot.follow, &others)?;
    write_counts(f, "archive", &robot.archive, &others)?;
    write_counts(f, "train", &robot.train, &others)?;
    if robot.with_warnings > 0 {
        let pages = counted(robot.with_warnings, "page");
        writeln!(f, "  {:<8} {pages} (--explain shows them)", "warnings")?;
    }
    Ok(())
}

/// Writes the counts of a field, in the order of its values.
fn write_counts(
    f: &mut fmt::Formatter<'_>,
    field: &str,
    counts: &Counts,
    values: &[&'static str],
) -> fmt::Result {
    let parts: Vec<String> = values
        .iter()
        .filter_map(|&value| Some(format!("{value} {}", counts.get(value)?)))
        .collect();
    if parts.is_empty() {
        return Ok(());
    }
    writeln!(f, "  {field:<8} {}", parts.join(", "))
}
