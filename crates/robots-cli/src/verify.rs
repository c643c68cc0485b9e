//! `robots verify`: decisions with evidence are made again from archives, and compared.

use crate::answer_output;
use crate::args::Verify as Args;
use crate::decide::{self, TerminalObserver, overrides};
use crate::standard_input;
use crate::terminal::{counted, cut_list, grouped, max_listed, printable, shortened};
use anyhow::Result;
use robots_meta::Timestamp;
use robots_pipeline::json::write_pretty;
use robots_pipeline::verify::{Finding, Report, RowProblem, Status, Subject, Verification};
use robots_pipeline::{Options, RobotsSource, Source, verify};
use robots_policy::{Policy, Profile};
use serde::Serialize;
use std::io::{self, Write};
use std::process::ExitCode;
use std::time::SystemTime;

/// The maximum length of a value in the text for people, in characters.
const MAX_SHOWN: usize = 200;

pub(crate) fn run(args: &Args) -> Result<ExitCode> {
    standard_input::refuse_twice(args.archives.iter().chain(&args.robots))?;
    let terminal = TerminalObserver::new(true);
    let mut shown = Shown::default();
    let result = verify(
        std::slice::from_ref(&args.decisions),
        Source::Files(&args.archives),
        &|agent, profile| policy(args, agent, profile),
        &options(args)?,
        &terminal,
        &mut shown,
    );
    terminal.finish();
    let result = result?;
    let mut out = answer_output::stdout();
    if args.json {
        let answer = Answer {
            verification: &result,
            shown: &shown,
        };
        write_pretty(&mut out, &answer)?;
    } else {
        write_text(&mut out, &result, &shown.findings, args.overrides.is_some())?;
    }
    out.flush()?;
    Ok(
        match terminal.exit_code().filter(|_| result.is_interrupted) {
            Some(code) => ExitCode::from(code),
            None if result.has_failed() => ExitCode::from(2),
            None => ExitCode::from(u8::from(!result.is_equal())),
        },
    )
}

/// Returns the policy of a robot under the profile of a name.
fn policy(args: &Args, agent: &str, name: &str) -> Option<Policy> {
    let mut given = args.profiles.iter().map(|arg| &arg.profile);
    let given = given.find(|profile| profile.name() == name);
    let profile = given.cloned().or_else(|| name.parse::<Profile>().ok())?;
    let is_scripting = args.scripting.scripting;
    Some(decide::policy(&profile, agent, is_scripting, args.dialect))
}

fn options(args: &Args) -> Result<Options> {
    let mut options = Options::new(Timestamp::from(SystemTime::now()));
    if !args.robots.is_empty() {
        options.robots = RobotsSource::Files(args.robots.clone());
    }
    options.base.clone_from(&args.base);
    options.verify_digests = args.verify_digests;
    options.threads = args.threads.number();
    options.hold_back = args.hold_back;
    options.overrides = args.overrides.as_deref().map(overrides).transpose()?;
    Ok(options)
}

/// What a verification found.
#[derive(Default, Serialize)]
struct Shown {
    findings: Vec<Finding>,
    problems: Vec<RowProblem>,
}

impl Report for Shown {
    fn unreadable(&mut self, problem: &RowProblem) {
        if self.problems.len() < max_listed() {
            message!("error: {problem}");
        } else if self.problems.len() == max_listed() {
            message!("error: more rows cannot be read (--verbose)");
        }
        self.problems.push(problem.clone());
    }

    fn finding(&mut self, finding: Finding) {
        self.findings.push(finding);
    }
}

/// The answer of `--json`.
#[derive(Serialize)]
struct Answer<'a> {
    #[serde(flatten)]
    verification: &'a Verification,
    #[serde(flatten)]
    shown: &'a Shown,
}

/// Writes the numbers of decisions, and each cause with the decisions that are not equal because of it.
fn write_text(
    out: &mut dyn Write,
    result: &Verification,
    findings: &[Finding],
    compares_overrides: bool,
) -> io::Result<()> {
    let decisions = counted(result.decisions, "decision");
    let Verification {
        equal,
        different,
        missing,
        changed,
        ..
    } = result;
    writeln!(
        out,
        "{decisions}: {equal} equal, {different} different, {missing} missing, {changed} changed"
    )?;
    if result.overridden > 0 {
        let overridden = counted(result.overridden, "decision");
        let compared = if compares_overrides {
            "compared"
        } else {
            "not compared: use --overrides"
        };
        let expired = result.expired;
        writeln!(
            out,
            "{overridden} with an override, {expired} of them expired ({compared})"
        )?;
    }
    if result.unreadable > 0 {
        let rows = counted(result.unreadable, "row");
        writeln!(
            out,
            "{rows} could not be read, and {} not verified",
            if result.unreadable == 1 {
                "was"
            } else {
                "were"
            }
        )?;
    }
    let causes = findings.iter().map(|finding| (&finding.status, finding));
    for (status, findings) in grouped(causes) {
        write_status(out, status)?;
        let pages = findings.iter().map(|finding| {
            let [url, agent, profile] = [&finding.url, &finding.agent, &finding.profile];
            let page = format!("{url} for {agent} under {profile} ({})", finding.place);
            format!("  {}", printable(&page))
        });
        for line in cut_list(pages) {
            writeln!(out, "{line}")?;
        }
    }
    Ok(())
}

fn write_status(out: &mut dyn Write, status: &Status) -> io::Result<()> {
    let file = |subject: &Subject, name: &str, time: &Option<String>| {
        let of = time.as_ref().map(|time| format!(" of {time}"));
        let (subject, name) = (subject.name(), printable(name));
        format!("{subject} {name}{}", of.unwrap_or_default())
    };
    match status {
        Status::Different { differences, .. } => {
            writeln!(out, "different:")?;
            for difference in differences {
                writeln!(out, "    {}", difference.column)?;
                let [recorded, found] = [&difference.recorded, &difference.found]
                    .map(|text| shown(&shortened(text, MAX_SHOWN)));
                writeln!(out, "      recorded {recorded}\n      found    {found}")?;
            }
        }
        Status::Missing {
            subject,
            name,
            time,
            ..
        } => writeln!(out, "missing: {}", file(subject, name, time))?,
        Status::Changed {
            subject,
            name,
            time,
            recorded,
            found,
            ..
        } => {
            writeln!(out, "changed: {}", file(subject, name, time))?;
            let (recorded, found) = (shown(recorded), shown(found));
            writeln!(out, "    recorded {recorded}\n    found    {found}")?;
        }
        other => writeln!(out, "{other:?}")?,
    }
    Ok(())
}

/// Returns a value for people.
fn shown(text: &str) -> String {
    let text = if text.is_empty() { "nothing" } else { text };
    printable(text).into_owned()
}
