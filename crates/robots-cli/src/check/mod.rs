//! `robots check`: whether URLs may be fetched, and the deciding lines.
//!
//! The arguments become robots and readings of the file ([`reading`]). Their verdicts on each URL are shown
//! ([`verdict`]). Without URLs, all paths are considered ([`paths`]). [`batch`] answers questions in bulk; [`sites`]
//! fetches robots.txt files.

mod batch;
mod formats;
mod paths;
mod reading;
mod sites;
mod verdict;

use crate::answer_output;
use crate::args::{Check as Args, ReportFormat, host_of, is_url};
use crate::chosen_robots;
use crate::observer::{ROBOTS_ERROR, is_shown};
use crate::robots_file;
use crate::standard_input;
use crate::terminal::counted;
use anyhow::{Context, Result, anyhow, bail};
use formats::VerdictWriter;
use reading::ObeyedLines;
use robots_answers::check::{AgentRules, CheckedFile, Reading, TargetErrorKind, target_of};
use robots_lint::{RobotsTxtLinter, Severity};
use robots_pipeline::input::lines;
use robots_pipeline::text::path_text;
use robots_txt::dialect::OverLimit;
use robots_txt::limits::MAX_BODY;
use robots_txt::{Dialect, RobotsTxt, Target};
use std::collections::BTreeSet;
use std::io::Write;
use std::path::Path;
use std::process::ExitCode;

/// The maximum length of a line of `--urls`, in bytes: 1 MiB.
const MAX_URL_BYTES: usize = 1024 * 1024;

pub(crate) fn run(args: &Args) -> Result<ExitCode> {
    if let Some(questions) = &args.batch {
        standard_input::refuse_twice(args.robots.iter().chain([questions]))?;
        return batch::run(questions, &args.robots, one_dialect(args)?, args.name_alone);
    }
    let path = args
        .robots_txt
        .as_deref()
        .context("expected a robots.txt")?;
    if args.fetch {
        // The first argument is a URL here, as are the others.
        return sites::run(args, path);
    }
    let has_urls = has_urls(args, path)?;
    let body = robots_file::read(path)?;
    let name = path_text(path);
    let robots = RobotsTxt::parse(&body);
    let readings = reading::readings(args);
    let asked = reading::checked_robots(args);
    let mut checked = CheckedFile::new(robots.clone(), asked.clone(), &readings);
    let mut used: Vec<&Reading> = Vec::new();
    for AgentRules { reading, .. } in checked.rules() {
        if !used.iter().any(|other| std::ptr::eq(*other, *reading)) {
            used.push(reading);
            warn_of_truncation(&name, &robots, &reading.dialect);
        }
    }
    reading::report_robots(args, &used, [&robots]);
    let is_cut = checked.has_too_many_robots();
    chosen_robots::report_cut(is_cut);
    warn_of_errors(&name, &robots, checked.rules());
    let mut out = answer_output::stdout();
    let mut unread = 0;
    let is_restricted = if has_urls {
        !write_verdicts(&mut out, args, &name, &mut checked, &mut unread)?
    } else if args.all_dialects {
        paths::divergences(&mut out, args, &robots, &asked, &readings)?
    } else {
        paths::restrictions(&mut out, args, checked.rules())?
    };
    out.flush()?;
    if unread > 0 {
        return Ok(without_answer(unread));
    }
    // What was found is certain; that nothing was found is not, if robots were left out.
    Ok(ExitCode::from(match (is_restricted, is_cut) {
        (true, _) => 1,
        (false, true) => 2,
        (false, false) => 0,
    }))
}

/// Returns whether there are URLs to check. Returns an error if the arguments do not fit together.
fn has_urls(args: &Args, path: &Path) -> Result<bool> {
    if is_url(path) {
        bail!(
            "{url} is a URL, not a file: use --fetch, as in `robots check --fetch {url}`, which requests the robots.txt of the site",
            url = path_text(path)
        );
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

/// Reports the number of URLs that could not be read, after the answers about all others.
fn without_answer(urls: u64) -> ExitCode {
    notice!("{} without an answer", counted(urls, "URL"));
    ExitCode::from(2)
}

/// Writes the verdicts on each URL. Returns whether all URLs are allowed. Counts those that cannot be read.
fn write_verdicts(
    out: &mut dyn Write,
    args: &Args,
    name: &str,
    file: &mut CheckedFile<'_>,
    unread: &mut u64,
) -> Result<bool> {
    let mut all_allowed = true;
    let mut writer = VerdictWriter::new(args.format(), out);
    for_each_url(args, |place, url| {
        let url = match url {
            Ok(url) => url,
            Err(error) => {
                *unread += 1;
                return writer.add_error(place, None, &error);
            }
        };
        let target = match target(url) {
            Ok(target) => target,
            Err(error) => {
                *unread += 1;
                return writer.add_error(place, Some(url), &error);
            }
        };
        file.set_site_of(url);
        let verdicts = file.verdicts(&target, || anyhow::Ok(()))?;
        all_allowed &= verdicts.iter().all(|one| one.verdict.is_allowed());
        writer.add(name, url, &verdicts, file.robots(), &target)
    })?;
    writer.end()?;
    Ok(all_allowed)
}

/// Calls `visit` with each URL of the command line, and then of the files with its place, `urls.txt: line 2`. A file without a URL is
/// an error: a list that is empty by mistake would pass.
fn for_each_url(
    args: &Args,
    mut visit: impl FnMut(Option<&str>, Result<&str>) -> Result<()>,
) -> Result<()> {
    for url in &args.urls {
        visit(None, Ok(url))?;
    }
    for path in &args.urls_from {
        let name = path_text(path);
        let mut has_url = false;
        for line in lines::numbered(lines::open(path)?, MAX_URL_BYTES, &name) {
            let (number, line) = line?;
            let place = format!("{name}: line {number}");
            if line.len() > MAX_URL_BYTES {
                has_url = true;
                visit(Some(&place), Err(anyhow!("longer than 1 MiB")))?;
                continue;
            }
            let line = String::from_utf8_lossy(line.trim_ascii()).into_owned();
            if !line.is_empty() && !line.starts_with('#') {
                has_url = true;
                visit(Some(&place), Ok(&line))?;
            }
        }
        if !has_url {
            bail!("{name}: no URL in this file of --urls");
        }
    }
    Ok(())
}

/// Returns the dialect of `--fetch` or `--batch`, if one is named; an error if there are several.
fn one_dialect(args: &Args) -> Result<Option<Dialect>> {
    match args.dialects() {
        [] => Ok(None),
        [dialect] => Ok(Some(*dialect)),
        _ => bail!("--fetch and --batch accept only one --dialect"),
    }
}

/// Returns the target of a URL or path. An error suggests what may be meant.
fn target(url: &str) -> Result<Target<'static>> {
    target_of(url).map_err(|error| match error.kind() {
        TargetErrorKind::Relative => anyhow!("{error}{}", did_you_mean_site(url)),
        _ => error.into(),
    })
}

/// Returns a hint for a URL without a scheme; an empty text for other texts.
fn did_you_mean_site(url: &str) -> String {
    if host_of(url).is_some_and(|(_, name)| name.contains('.')) {
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
    for error in errors.iter().filter(|_| is_shown(ROBOTS_ERROR)) {
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
