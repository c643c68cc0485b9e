//! An audit as text for a terminal.

use super::facts::{Audit, Robot, Share};
use crate::statistics::share::share;
use crate::table::{self, Column};
use crate::terminal::counted;
use crate::terminal::printable;
use anyhow::Result;
use std::io::Write;

/// The maximum number of robots that are shown.
const MAX_ROBOTS: usize = 40;

/// The maximum number of rules of a robot that are shown. Twice as many programs are shown.
const MAX_ROWS: usize = 5;

pub(super) fn write(out: &mut dyn Write, audit: &Audit) -> Result<()> {
    head(out, audit)?;
    robots(out, audit)?;
    forbidden(out, audit)?;
    too_soon(out, audit)?;
    if !audit.programs.is_empty() {
        writeln!(out, "\nOther programs: requests, for robots.txt")?;
        for program in audit.programs.iter().take(2 * MAX_ROWS) {
            writeln!(
                out,
                "  {:<30}{:>12}{:>12}",
                printable(&program.name),
                program.requests,
                program.robots_txt
            )?;
        }
    }
    for note in &audit.notes {
        writeln!(out, "\nnote: {note}")?;
    }
    Ok(())
}

fn head(out: &mut dyn Write, audit: &Audit) -> Result<()> {
    let requests = &audit.requests;
    write!(out, "{}", counted(requests.all, "request"))?;
    if let (Some(first), Some(last)) = (audit.first, audit.last) {
        write!(
            out,
            ", {} to {}",
            first.strftime("%Y-%m-%d %H:%M"),
            last.strftime("%Y-%m-%d %H:%M")
        )?;
    }
    writeln!(out)?;
    for (requester, count) in [
        ("robots", requests.robots),
        ("  AI robots", requests.ai),
        ("other programs", requests.programs),
        ("browsers", requests.browsers),
        ("unnamed", requests.unnamed),
    ] {
        writeln!(
            out,
            "  {requester:<22}{count:>12}  {:>6}",
            share(count, requests.all)
        )?;
    }
    let unreadable = audit.unreadable_lines();
    if unreadable > 0 {
        writeln!(out, "  {:<22}{unreadable:>12}", "unreadable lines")?;
    }
    Ok(())
}

fn robots(out: &mut dyn Write, audit: &Audit) -> Result<()> {
    writeln!(out, "\nRobots (* AI)")?;
    let columns = [
        Column::Prose("robot"),
        Column::Number("requests"),
        Column::Number("bytes"),
        Column::Number("robots.txt"),
        Column::Number("verified"),
        Column::Number("forbidden (95 %)"),
    ];
    let rows = audit.robots.iter().take(MAX_ROBOTS).map(|robot| {
        let name = format!("{}{}", robot.title(), if robot.ai { " *" } else { "" });
        let claims = robot.verified.saturating_add(robot.unverified);
        // Refuted requests are in a row of their own. So a row without a verified request has no share: nothing is known about
        // its addresses, or all of them are refuted.
        let verified = if robot.verified > 0 {
            share(robot.verified, claims)
        } else {
            "-".to_owned()
        };
        let forbidden = if robot.judged > 0 {
            interval(&robot.forbidden)
        } else {
            "-".to_owned()
        };
        vec![
            printable(&name).into_owned(),
            robot.requests.to_string(),
            robot.bytes.to_string(),
            robot.robots_txt.to_string(),
            verified,
            forbidden,
        ]
    });
    table::write_indented(out, &columns, rows)?;
    let left_out = audit.robots.len().saturating_sub(MAX_ROBOTS);
    if left_out > 0 {
        writeln!(out, "  and {left_out} more (--json has them)")?;
    }
    Ok(())
}

fn interval(share: &Share) -> String {
    format!(
        "{:.1}% ({:.1}-{:.1})",
        share.ratio * 100.0,
        share.low * 100.0,
        share.high * 100.0
    )
}

fn forbidden(out: &mut dyn Write, audit: &Audit) -> Result<()> {
    let mut found: Vec<&Robot> = audit
        .robots
        .iter()
        .filter(|robot| robot.forbidden.requests > 0)
        .collect();
    found.sort_by_key(|robot| std::cmp::Reverse(robot.forbidden.requests));
    if !found.is_empty() {
        writeln!(out, "\nForbidden requests")?;
    }
    for robot in found {
        // The vendor's statement is not about requesters that only use the name of its robot.
        let obeys = robot
            .obeys
            .filter(|_| !robot.refuted)
            .map(|obeys| format!("; obeys robots.txt according to its vendor: {obeys}"));
        writeln!(
            out,
            "  {}: {} of {}{}",
            printable(&robot.title()),
            robot.forbidden.requests,
            counted(robot.judged, "request"),
            obeys.unwrap_or_default()
        )?;
        for rule in robot.rules.iter().take(MAX_ROWS) {
            writeln!(out, "  {:>10}  {}", rule.requests, printable(&rule.name))?;
        }
        if let Some(example) = robot.examples.first() {
            writeln!(
                out,
                "              {}:{}: {}",
                printable(&example.file),
                example.line,
                printable(&example.target)
            )?;
        }
    }
    Ok(())
}

fn too_soon(out: &mut dyn Write, audit: &Audit) -> Result<()> {
    let has_delay = |robot: &&Robot| robot.crawl_delay.judged > 0;
    let mut robots = audit.robots.iter().filter(has_delay).peekable();
    if robots.peek().is_none() {
        return Ok(());
    }
    writeln!(
        out,
        "\nCrawl-delay, and whether its vendor documents that a robot honours it"
    )?;
    let columns = [
        Column::Prose("robot"),
        Column::Number("delay"),
        Column::Number("median gap"),
        Column::Number("too soon (95 %)"),
        Column::Text("honoured"),
    ];
    let seconds = |seconds: Option<f64>| {
        seconds.map_or_else(|| "-".to_owned(), |seconds| format!("{seconds:.1} s"))
    };
    let rows = robots.map(|robot| {
        let delay = &robot.crawl_delay;
        let honoured = match delay.honoured {
            Some(true) => "yes",
            Some(false) => "no",
            None => "unknown",
        };
        vec![
            printable(&robot.title()).into_owned(),
            seconds(delay.asked),
            seconds(delay.median_gap),
            interval(&delay.too_soon),
            honoured.to_owned(),
        ]
    });
    table::write_indented(out, &columns, rows)?;
    Ok(())
}
