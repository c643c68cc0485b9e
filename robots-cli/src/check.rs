//! `robots check`: may these URLs be fetched, and which line says so.

use crate::args::Check;
use crate::inputs;
use crate::terminal::printable;
use annotate_snippets::{AnnotationKind, Level, Renderer, Snippet};
use anyhow::{Context, Result, bail};
use robots_policy::{Policy, Profile, Robot};
use robots_txt::{Agent, Dialect, Reason, RobotsTxt, Target, Verdict};
use serde::Serialize;
use std::borrow::Cow;
use std::io::Write;
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

/// What is odd about the file, on standard error.
pub(crate) fn tell_oddities(name: &str, robots: &RobotsTxt, dialect: &Dialect) {
    let oddities = robots.diagnostics();
    for oddity in oddities.iter().take(ODDITIES) {
        anstream::eprintln!("warning: {name}: {oddity}");
    }
    if let more @ 1.. = oddities.len().saturating_sub(ODDITIES) {
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
    let text = |line| String::from_utf8_lossy(robots.line_text(line).unwrap_or_default());
    // Two lines of the file: that of the group and that of the rule.
    let (agent_line, rule_line) = (text(rule.agent_line()), text(rule.line()));
    let group = Snippet::source(agent_line.as_ref())
        .path(name)
        .line_start(rule.agent_line())
        .annotation(
            AnnotationKind::Context
                .span(span_of(&agent_line, rule.agent()))
                .label("the group for this robot"),
        );
    let deciding = Snippet::source(rule_line.as_ref())
        .path(name)
        .line_start(rule.line())
        .annotation(
            AnnotationKind::Primary
                .span(span_of(&rule_line, rule.text()))
                .label("the rule that decides"),
        );
    let level = if verdict.is_allowed() {
        Level::NOTE.with_name("allowed")
    } else {
        Level::ERROR.with_name("disallowed")
    };
    let report = [level
        .primary_title(headline)
        .element(deciding)
        .element(group)];
    Renderer::styled().render(&report)
}

/// Where a value stands in the text of its line.
fn span_of(line: &str, value: &[u8]) -> std::ops::Range<usize> {
    let value: Cow<'_, str> = String::from_utf8_lossy(value);
    let behind_field = line.find([':', ' ', '\t']).unwrap_or_default();
    let start = line
        .get(behind_field..)
        .and_then(|rest| rest.find(value.as_ref()))
        .map_or(0, |at| at.saturating_add(behind_field));
    start..start.saturating_add(value.len()).min(line.len())
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
