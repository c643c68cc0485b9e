//! `robots audit`: the requests of robots in access logs, and whether they obeyed robots.txt.
//!
//! All processors read logs in blocks ([`read`]). For each line ([`log`]) the requester is identified ([`requester`],
//! [`client`], [`hosts`], [`ranges`]), and the request is judged by the robots.txt in force at its time ([`ParsedBook`], [`judge`]).
//! The counts ([`count`]) become facts ([`conclude`], [`facts`]), which are written as JSON, and from which the report is made
//! ([`report`]).

mod client;
mod conclude;
mod count;
mod facts;
mod hosts;
mod judge;
mod log;
pub(crate) mod ranges;
mod read;
mod report;
mod requester;

use crate::args::{Audit as Args, RobotsSource};
use crate::progress::Progress;
use crate::report::csv::paths;
use crate::report::html::input_names;
use crate::standard_input;
use anyhow::Result;
use client::Proxies;
use facts::Audit;
use hosts::Hosts;
use judge::Settings;
use ranges::Ranges;
use robots_pipeline::new_file::refuse_to_overwrite;
use robots_pipeline::robots::parsed_book::ParsedBook;
use robots_pipeline::robots::site::{Sites, plain_host};
use std::path::PathBuf;
use std::process::ExitCode;

pub(crate) fn run(args: &Args) -> Result<ExitCode> {
    check_files(args)?;
    let written_to_stdout = false;
    let progress = Progress::of_files(written_to_stdout);
    let robots = args.robots.iter().map(RobotsSource::parts);
    let robots = ParsedBook::read(Sites::Hosts, robots, &progress)?;
    progress.finish();
    if !args.robots.is_empty() && robots.is_empty() {
        message!("error: no robots.txt in the inputs of --robots");
        return Ok(ExitCode::from(2));
    }
    let host_names = args.hosts.as_deref().map(Hosts::read).transpose()?;
    let host_names = host_names.unwrap_or_default();
    let ranges = Ranges::read(&args.ranges, args.known.table())?;
    let proxies = Proxies::new(&args.proxies);
    let host = args.host.as_deref().map(plain_host);
    // Without --host, log lines that do not name a host are judged if only one host has a robots.txt.
    let judged_hosts = robots.hosts();
    let only_host = judged_hosts.iter().next();
    let only_host = only_host.filter(|_| judged_hosts.len() == 1);
    let settings = Settings {
        table: args.known.table(),
        host: host.or(only_host.cloned()),
        robots: &robots,
        outcomes: judge::outcomes(),
        hosts: &host_names,
        ranges: &ranges,
        proxies: &proxies,
        grace: args.grace,
        dialect: args.dialect,
    };
    // A page that cannot be written ends the run before the work starts.
    let page = args.reports.page()?;
    let threads = args.threads.number();
    let (count, unread_logs) = read::count(&args.logs, &settings, threads)?;
    let audit = Audit::new(count, &settings, &args.logs);
    for bad in &audit.bad_lines {
        progress.notice(&format!(
            "warning: {}:{}: {}{}: {}",
            bad.file,
            bad.line,
            bad.reason,
            match bad.lines {
                1 => String::new(),
                lines => format!(" ({lines} such lines)"),
            },
            bad.text
        ));
    }
    if audit.requests.all == 0 {
        message!("error: no line of an access log in the inputs");
        return Ok(ExitCode::from(2));
    }
    let report = report::report(&audit, &inputs(args));
    args.reports.write(&audit, &report, report::TABLES, page)?;
    Ok(match (unread_logs, audit.has_findings()) {
        (0, false) => ExitCode::SUCCESS,
        (0, true) => ExitCode::from(1),
        // A log that could not be read to its end is an error, with or without findings.
        _ => ExitCode::from(2),
    })
}

/// Returns an error if standard input is several inputs, or an output is an input.
fn check_files(args: &Args) -> Result<()> {
    let ranges = args.ranges.iter().map(|range| &range.path);
    let inputs = args
        .logs
        .iter()
        .chain(args.robots.iter().map(|source| &source.path))
        .chain(&args.hosts)
        .chain(ranges);
    standard_input::refuse_twice(inputs.clone())?;
    let inputs = inputs.map(Into::into);
    let tables = args.reports.csv.iter();
    let tables = tables.flat_map(|folder| paths(folder, report::TABLES));
    refuse_to_overwrite(args.reports.html.iter().cloned().chain(tables), inputs)?;
    Ok(())
}

/// Returns the names of the files that an audit reads, by their purpose.
fn inputs(args: &Args) -> [(&'static str, Vec<String>); 3] {
    let robots: Vec<&PathBuf> = args.robots.iter().map(|source| &source.path).collect();
    let addresses = args.ranges.iter().map(|ranges| &ranges.path);
    let addresses: Vec<&PathBuf> = args.hosts.iter().chain(addresses).collect();
    [
        ("Logs", input_names(&args.logs)),
        ("Sources of robots.txt", input_names(&robots)),
        ("Addresses of robots", input_names(&addresses)),
    ]
}
