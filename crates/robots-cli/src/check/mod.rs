//! `robots check`: whether URLs may be fetched, and the deciding lines.
//!
//! The arguments become robots and readings ([`reading`]) of a file or of the files that [`sites`] fetches ([`site`]). [`urls`] reads the URLs, and
//! [`checker`] shows the verdict on each ([`verdict`], [`formats`]). Without URLs, all paths are considered ([`paths`]). [`batch`] answers questions
//! in bulk.

mod batch;
mod checker;
mod formats;
mod paths;
mod reading;
mod site;
mod sitemaps;
mod sites;
mod urls;
mod verdict;

pub(crate) use verdict::word;

use crate::answer_output;
use crate::args::{Check as Args, ReportFormat, is_url};
use crate::chosen_robots;
use crate::observer::is_shown;
use crate::robots_file;
use crate::standard_input;
use crate::terminal::counted;
use anyhow::{Context, Result, bail};
use checker::{Checker, RobotsOf};
use reading::ObeyedLines;
use robots_answers::check::AgentRules;
use robots_lint::{RobotsTxtLinter, Severity};
use robots_pipeline::text::path_text;
use robots_txt::dialect::OverLimit;
use robots_txt::limits::MAX_BODY;
use robots_txt::{Dialect, RobotsTxt};
use site::CheckedSite;
use sites::Sites;
use std::borrow::Cow;
use std::collections::BTreeSet;
use std::io::Write;
use std::path::Path;
use std::process::ExitCode;

pub(crate) fn run(args: &Args) -> Result<ExitCode> {
    if let Some(questions) = &args.batch {
        standard_input::refuse_twice(args.robots.iter().chain([questions]))?;
        return batch::run(
            questions,
            &args.robots,
            one_dialect(args, "--batch")?,
            args.name_alone,
        );
    }
    if args.sitemaps {
        return sitemaps::run(args);
    }
    if args.fetch {
        return check_sites(args);
    }
    let path = args.robots_txt.as_deref();
    let path = path.context("expected a robots.txt, or --fetch")?;
    let has_urls = has_urls(args, path)?;
    let body = robots_file::read(path)?;
    let name = path_text(path);
    let robots = RobotsTxt::parse(&body);
    let readings = reading::readings(args);
    let site = CheckedSite::of_file(name, robots.clone(), args, &readings);
    let names = reading::related_names(args, &site.file);
    reading::report_robots(args, &reading::used_readings(&site.file), &names);
    let is_cut = site.file.has_too_many_robots();
    chosen_robots::report_cut(is_cut);
    let mut out = answer_output::stdout();
    if has_urls {
        return check_urls(args, RobotsOf::All(Box::new(site)), &args.urls, &mut out);
    }
    let is_restricted = if args.all_dialects {
        let asked = reading::checked_robots(args);
        paths::divergences(&mut out, args, &robots, &asked, &readings)?
    } else {
        paths::restrictions(&mut out, args, site.file.rules())?
    };
    out.flush()?;
    // What was found is certain; that nothing was found is not, if robots were left out.
    Ok(ExitCode::from(match (is_restricted, is_cut) {
        (true, _) => 1,
        (false, true) => 2,
        (false, false) => 0,
    }))
}

/// Returns an error if the argument for a file is a URL.
fn refuse_url(path: &Path) -> Result<()> {
    if is_url(path) {
        bail!(
            "{url} is a URL, not a file: use --fetch, as in `robots check --fetch {url}`, which requests the robots.txt of the site",
            url = path_text(path)
        );
    }
    Ok(())
}

/// Writes the verdicts on the URLs of the command line and of files.
fn check_urls(
    args: &Args,
    robots: RobotsOf<'_>,
    urls: &[String],
    out: &mut impl Write,
) -> Result<ExitCode> {
    let mut checker = Checker::new(robots, args.format(), &mut *out);
    urls::check_all(&mut checker, urls, &args.urls_from)?;
    let code = checker.end(!args.urls_from.is_empty())?;
    out.flush()?;
    Ok(code)
}

/// Writes the verdicts on URLs by the robots.txt files of their sites. The first URL is in the argument `ROBOTS_TXT`, as there is no file.
fn check_sites(args: &Args) -> Result<ExitCode> {
    standard_input::refuse_twice(&args.urls_from)?;
    let first = args.robots_txt.iter().map(|first| first.to_string_lossy());
    let urls = first.map(Cow::into_owned).chain(args.urls.iter().cloned());
    let readings = reading::readings(args);
    let sites = RobotsOf::EachSite(Box::new(Sites::new(args, &readings)?));
    let urls: Vec<String> = urls.collect();
    check_urls(args, sites, &urls, &mut answer_output::stdout())
}

/// Returns whether there are URLs to check. Returns an error if the arguments do not fit together.
fn has_urls(args: &Args, path: &Path) -> Result<bool> {
    refuse_url(path)?;
    let url = args.urls_from.iter().find(|path| is_url(path));
    if let Some(url) = url.map(path_text) {
        bail!("--urls {url} is a URL, not a file: use --fetch, or download it first");
    }
    let robots_txt = path.to_owned();
    standard_input::refuse_twice(args.urls_from.iter().chain([&robots_txt]))?;
    let has_urls = !args.urls.is_empty() || !args.urls_from.is_empty();
    if !has_urls && !args.all_agents && !args.all_dialects {
        bail!("expected URLs or paths to check; without them, use --all-agents or --all-dialects");
    }
    if !has_urls && !matches!(args.format(), ReportFormat::Full | ReportFormat::Jsonl) {
        bail!(
            "--format {} is for verdicts on URLs: add URLs, or use --json",
            args.format().name()
        );
    }
    if !has_urls && args.all_agents && args.all_dialects {
        bail!("without URLs, use only one of --all-agents and --all-dialects");
    }
    Ok(has_urls)
}

/// Returns the dialect of an option that reads files in one way, if one is named; an error if there are several.
fn one_dialect(args: &Args, option: &str) -> Result<Option<Dialect>> {
    match args.dialects() {
        [] => Ok(None),
        [dialect] => Ok(Some(*dialect)),
        _ => bail!("{option} accepts only one --dialect"),
    }
}

/// Returns a hint for a file, or for a URL without a scheme; an empty text for other texts.
fn did_you_mean(url: &str) -> String {
    if url == "-" || Path::new(url).is_file() {
        format!("; a list or sitemap needs --urls {url}")
    } else if robots_answers::host_of(url).is_some_and(|(_, name)| name.contains('.')) {
        format!("; did you mean https://{url}?")
    } else {
        String::new()
    }
}

/// Warns of errors in the file. An error that says that a line has no effect is left out if every reading obeys the line.
/// `robots lint` reports more.
fn warn_of_errors(name: &str, robots: &RobotsTxt, all_rules: &[AgentRules<'_>]) {
    let lint = RobotsTxtLinter::new().lint(robots);
    let mut findings: Vec<_> = lint
        .iter()
        .filter(|finding| finding.severity() == Severity::Error)
        .map(|finding| (finding, BTreeSet::new()))
        .collect();
    if findings.is_empty() {
        return;
    }
    let readings: BTreeSet<&str> = all_rules.iter().map(|rules| rules.reading.name()).collect();
    // The rules of one reading, for all its robots, follow one another.
    for of_reading in all_rules.chunk_by(|one, two| std::ptr::eq(one.reading, two.reading)) {
        let lines = ObeyedLines::of(of_reading, &findings.iter().map(|(finding, _)| *finding));
        for (finding, obeying) in &mut findings {
            if lines.contradict(finding) {
                obeying.extend(of_reading.first().map(|rules| rules.reading.name()));
            }
        }
    }
    let errors: Vec<String> = findings
        .into_iter()
        .filter(|(_, obeying)| *obeying != readings)
        .map(|(finding, obeying)| match Vec::from_iter(obeying)[..] {
            [] => finding.to_string(),
            ref obeying => format!("{finding} (but obeyed under {})", obeying.join(", ")),
        })
        .collect();
    for error in errors.iter().filter(|_| is_shown("errors in robots.txt")) {
        message!("warning: {name}: {error}");
    }
}

/// Warns if only the start of the file is read, under this dialect or under every one.
pub(crate) fn warn_of_truncation(name: &str, robots: &RobotsTxt, dialect: &Dialect) {
    if !robots.is_truncated_for(dialect) {
        return;
    }
    // Under a dialect with a higher limit, or with none, the limit of the parser truncates the file.
    let parsed = robots.body().len();
    match dialect.size_limit().filter(|limit| *limit < parsed) {
        Some(limit) => {
            let (reader, limit) = (dialect.name(), size(limit));
            // If setting this switch changes nothing, the dialect has it already.
            let ignores_file = *dialect == dialect.with_over_limit(OverLimit::IgnoreFile);
            if ignores_file {
                notice!("warning: {name}: {reader} ignores a file of more than {limit}");
            } else {
                notice!("warning: {name}: {reader} reads only the first {limit}");
            }
        }
        None => notice!(
            "warning: {name}: only the first {} are read",
            size(MAX_BODY)
        ),
    }
}

/// Returns a number of bytes with the largest unit that divides it: `500 KiB`.
fn size(bytes: usize) -> String {
    match bytes {
        bytes if bytes > 0 && bytes.is_multiple_of(1 << 20) => format!("{} MiB", bytes >> 20),
        bytes if bytes > 0 && bytes.is_multiple_of(1 << 10) => format!("{} KiB", bytes >> 10),
        bytes => counted(bytes as u64, "byte"),
    }
}
