//! `robots agents`: the table of known robots.

use crate::args::{Agents, AgentsFormat};
use crate::chosen_robots::suggestion;
use crate::table::{self, Column};
use crate::terminal::{counted, printable};
use anyhow::{Result, bail};
use robots_pipeline::json::write_pretty;
use robots_pipeline::text::csv_cell;
use robots_policy::profile::{Basis, KnownAgent};
use std::io::Write;
use std::process::ExitCode;

pub(crate) fn run(args: &Agents) -> Result<ExitCode> {
    let mut out = anstream::stdout().lock();
    match &args.name {
        Some(name) => write_named(&mut out, args, name)?,
        None => write_list(&mut out, args)?,
    }
    out.flush()?;
    Ok(ExitCode::SUCCESS)
}

/// Writes all that the table has about the robots of a name.
fn write_named(out: &mut impl Write, args: &Agents, name: &str) -> Result<()> {
    let table = args.known.table();
    let found = table.named(name);
    if found.is_empty() {
        bail!("unknown robot {name:?}{}", suggestion(table, name));
    }
    match args.format() {
        AgentsFormat::Json => return Ok(write_pretty(out, &found)?),
        AgentsFormat::Csv => return write_csv(out, &found),
        AgentsFormat::Text => {}
    }
    for (index, agent) in found.iter().enumerate() {
        if index > 0 {
            writeln!(out)?;
        }
        show(out, agent)?;
    }
    Ok(())
}

/// Writes the robots with the purposes of the options: as a list or as JSON.
fn write_list(out: &mut impl Write, args: &Agents) -> Result<()> {
    let table = args.known.table();
    let listed: Vec<&KnownAgent> = table
        .iter()
        .filter(|agent| args.purpose.is_empty() || agent.has_purpose(&args.purpose))
        .collect();
    match args.format() {
        AgentsFormat::Json => write_pretty(out, &listed)?,
        AgentsFormat::Csv => write_csv(out, &listed)?,
        AgentsFormat::Text => {
            list(out, &listed)?;
            notice!(
                "{}, as of {}",
                counted(listed.len() as u64, "robot"),
                table.date()
            );
        }
    }
    Ok(())
}

/// Writes a row for each robot (RFC 4180). A space separates the values of a list.
fn write_csv(out: &mut impl Write, agents: &[&KnownAgent]) -> Result<()> {
    let mut writer = csv::Writer::from_writer(out);
    writer.write_record([
        "token",
        "other_tokens",
        "operator",
        "purposes",
        "obeys",
        "ranges",
        "hosts",
        "about",
        "source",
        "basis",
        "read",
    ])?;
    for agent in agents {
        let cells = [
            &agent.token,
            &agent.other_tokens.join(" "),
            &agent.operator,
            &agent.purpose_names().join(" "),
            agent.obeys.name(),
            &agent.ranges.join(" "),
            &agent.hosts.join(" "),
            &agent.about,
            agent.source.as_deref().unwrap_or_default(),
            agent.basis.name(),
            agent.read.as_deref().unwrap_or_default(),
        ];
        writer.write_record(cells.map(|cell| csv_cell(cell).into_owned()))?;
    }
    writer.flush()?;
    Ok(())
}

/// Writes a line for each robot.
fn list(out: &mut impl Write, agents: &[&KnownAgent]) -> Result<()> {
    let columns = [
        Column::Text("robot"),
        Column::Prose("operator"),
        Column::Text("obeys"),
        Column::Prose("purposes"),
    ];
    let rows = agents.iter().map(|agent| {
        vec![
            printable(&agent.token).into_owned(),
            printable(&agent.operator).into_owned(),
            agent.obeys.to_string(),
            agent.purpose_names().join(", "),
        ]
    });
    table::write(out, &columns, rows)?;
    Ok(())
}

fn show(out: &mut impl Write, agent: &KnownAgent) -> Result<()> {
    let mut line = |label: &str, text: &str| -> Result<()> {
        if !text.is_empty() {
            writeln!(out, "  {label:<11} {}", printable(text))?;
        }
        Ok(())
    };
    let groups: Vec<&str> = agent.groups().collect();
    let mut groups = groups.join(", then ");
    if !agent.obeys_star {
        groups.push_str(" (not *)");
    }
    let delay = match agent.crawl_delay {
        Some(true) => "honoured",
        Some(false) => "not honoured",
        None => "",
    };
    let crawls = if agent.crawls {
        ""
    } else {
        "nothing: a token for the use of content"
    };
    let basis = match agent.basis {
        Basis::Primary => "documentation of its vendor",
        Basis::Secondary => "copies or reports of its vendor's documentation",
        Basis::List => "a public list of robots, not its vendor",
        _ => "not verified",
    };
    let basis = match &agent.read {
        Some(read) => format!("{basis}, read on {read}"),
        None => basis.to_owned(),
    };
    line("robot", &agent.token)?;
    line("operator", &agent.operator)?;
    line("purposes", &agent.purpose_names().join(", "))?;
    line("about", &agent.about)?;
    line("obeys", &agent.obeys.to_string())?;
    line("groups", &groups)?;
    line("META names", &agent.meta_names.join(", "))?;
    line("META names ignored", &agent.meta_ignored.join(", "))?;
    line("fetches", crawls)?;
    line("Crawl-delay", delay)?;
    line("User-Agent", &agent.names.join(", "))?;
    line("hosts", &agent.hosts.join(", "))?;
    line("addresses", &agent.ranges.join(", "))?;
    line("contact", agent.contact.as_deref().unwrap_or_default())?;
    line("source", agent.source.as_deref().unwrap_or_default())?;
    line("basis", &basis)?;
    line("profile", agent.profile.as_deref().unwrap_or_default())
}
