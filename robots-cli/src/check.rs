//! `robots check`: may these URLs be fetched, and which line says so.

use crate::args::Check;
use crate::inputs;
use crate::source_line::SourceLine;
use crate::terminal::printable;
use annotate_snippets::{AnnotationKind, Level, Renderer};
use anyhow::{Context, Result, bail};
use robots_policy::{Policy, Profile, Robot};
use robots_txt::{Agent, Dialect, Reason, RobotsTxt, Severity, Target, Verdict};
use serde::Serialize;
use std::io::Write;
use std::ops::Range;
use std::process::ExitCode;

/// How many oddities of a robots.txt are told before the rest is counted.
const ODDITIES: usize = 10;

pub(crate) fn run(args: &Check) -> Result<ExitCode> {
    if let Some(questions) = &args.batch {
        return crate::batch::run(questions, &args.robots, &args.dialect);
    }
    let path = args
        .robots_txt
        .as_deref()
        .context("no robots.txt is given")?;
    if args.fetch {
        return crate::check_sites::run(args, path);
    }
    let body = inputs::read_whole(path)?;
    let name = path.display().to_string();
    let robots = RobotsTxt::parse(&body);
    tell_oddities(&name, &robots, &args.dialect);
    let rules = robots.rules(&args.agent, &args.dialect);
    let mut out = anstream::stdout().lock();
    let mut all_allowed = true;
    for url in &args.urls {
        let target = target_of(url)?;
        let verdict = rules.verdict(&target);
        all_allowed &= verdict.is_allowed();
        if args.json {
            let row = JsonVerdict::new(url, args, &verdict);
            writeln!(out, "{}", serde_json::to_string(&row)?)?;
        } else {
            writeln!(out, "{}", explained(&name, url, args, &robots, &verdict))?;
        }
    }
    out.flush()?;
    Ok(ExitCode::from(u8::from(!all_allowed)))
}

/// The policy of a robot that obeys the groups of this name, and of no other that is known of it.
pub(crate) fn by_name_alone(agent: &str, dialect: Dialect) -> Policy {
    let robot = Robot::new(agent).obeying(Agent::new(agent.to_owned()));
    let profile = Profile::neutral()
        .with_robots([robot])
        .with_dialect(dialect);
    Policy::under(&profile, agent)
}

/// The target as a client would ask for it, of a URL or of a path.
pub(crate) fn target_of(url: &str) -> Result<Target<'static>> {
    if url.starts_with('/') {
        return Ok(Target::new(url).into_owned());
    }
    let parsed =
        url::Url::parse(url).with_context(|| format!("{url:?} is neither a URL nor a path"))?;
    if !parsed.has_host() {
        bail!("{url:?} has no host");
    }
    Ok(Target::new(parsed.as_str()).into_owned())
}

/// What is wrong with the file, on standard error; `robots lint` says more.
pub(crate) fn tell_oddities(name: &str, robots: &RobotsTxt, dialect: &Dialect) {
    let lint = robots.lint();
    let errors: Vec<_> = lint
        .iter()
        .filter(|found| found.severity() == Severity::Error)
        .collect();
    for error in errors.iter().take(ODDITIES) {
        anstream::eprintln!("warning: {name}: {error}");
    }
    if let more @ 1.. = errors.len().saturating_sub(ODDITIES) {
        anstream::eprintln!("warning: {name}: and {more} more odd lines");
    }
    if robots.is_truncated_for(dialect) {
        anstream::eprintln!(
            "warning: {name}: {} reads the first 500 KiB; the rest was ignored",
            dialect.name()
        );
    }
}

/// The verdict with the line that decided, as a compiler shows it.
pub(crate) fn explained(
    name: &str,
    url: &str,
    args: &Check,
    robots: &RobotsTxt,
    verdict: &Verdict<'_>,
) -> String {
    let word = if verdict.is_allowed() {
        "allowed"
    } else {
        "disallowed"
    };
    let headline = format!("{} is {word} for {}", printable(url), args.agent);
    let Reason::Rule(rule) = verdict.reason() else {
        return format!("{headline}\n  = {verdict}");
    };
    let of = |number, part: &[u8]| {
        let line = robots.line_text(number).unwrap_or_default();
        SourceLine::new(number, line, &part_of(line, part))
    };
    // Two lines of the file: that of the group and that of the rule.
    let group = of(rule.agent_line(), rule.agent());
    let deciding = of(rule.line(), rule.text());
    let level = if verdict.is_allowed() {
        Level::NOTE.with_name("allowed")
    } else {
        Level::ERROR.with_name("disallowed")
    };
    let report = level.primary_title(headline).element(deciding.snippet(
        name,
        AnnotationKind::Primary,
        "the rule that decides",
    ));
    // A rule may stand before the first group.
    let report = [if rule.agent_line() > 0 {
        report.element(group.snippet(name, AnnotationKind::Context, "the group for this robot"))
    } else {
        report
    }];
    Renderer::styled().render(&report)
}

/// Where a value stands in its line, of which it is a part.
fn part_of(line: &[u8], value: &[u8]) -> Range<usize> {
    let start = value.as_ptr().addr().saturating_sub(line.as_ptr().addr());
    start..start.saturating_add(value.len())
}

#[derive(Serialize)]
pub(crate) struct JsonVerdict<'a> {
    url: &'a str,
    agent: &'a str,
    dialect: &'static str,
    allowed: bool,
    reason: &'static str,
    line: Option<usize>,
    rule: Option<String>,
    pattern: Option<String>,
    group: Option<String>,
    group_line: Option<usize>,
}

impl<'a> JsonVerdict<'a> {
    pub(crate) fn new(url: &'a str, args: &'a Check, verdict: &Verdict<'_>) -> Self {
        let rule = verdict.rule();
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        Self {
            url,
            agent: &args.agent,
            dialect: args.dialect.name(),
            allowed: verdict.is_allowed(),
            reason: match verdict.reason() {
                Reason::Rule(_) => "rule",
                Reason::NoRuleMatches => "no_rule_matches",
                Reason::NoGroup => "no_group",
                Reason::OwnPath => "robots_txt_itself",
                _ => "other",
            },
            line: verdict.line(),
            rule: rule.map(|rule| rule.kind().to_string().to_lowercase()),
            pattern: rule.map(|rule| text(rule.text())),
            group: rule.map(|rule| text(rule.agent())),
            group_line: rule.map(|rule| rule.agent_line()),
        }
    }
}
