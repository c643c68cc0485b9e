//! Answers about one URL, as JSON and for people.

use super::asked::Asked;
use crate::source_line::SourceLine;
use crate::terminal::{grouped, printable, wrapped};
use annotate_snippets::{AnnotationKind, Level, Renderer};
use robots_txt::dialect::Switch;
use robots_txt::{Reason, RobotsTxt, Rule, Target, Verdict};
use serde::Serialize;
use std::fmt::Write;
use std::ops::Range;

/// How many of the rules that match besides are shown.
const RUNNERS_UP: usize = 5;

/// What is said about a URL to a robot under a reading.
pub(super) struct Answer<'a> {
    pub(super) asked: &'a Asked<'a>,
    pub(super) verdict: Verdict<'a>,
    /// The rules that match besides, in the order in which they would decide.
    runners_up: Vec<Rule<'a>>,
    /// What sets the reading apart from the first one, if they part here.
    differs_by: Vec<Switch>,
}

impl<'a> Answer<'a> {
    pub(super) fn new(asked: &'a Asked<'a>, target: &Target<'_>) -> Self {
        Self {
            asked,
            verdict: asked.rules.verdict(target),
            runners_up: asked.rules.matching(target).skip(1).collect(),
            differs_by: Vec::new(),
        }
    }

    /// Compares it with what the first reading says to the same robot.
    pub(super) fn compare(&mut self, first: &Self, robots: &RobotsTxt, target: &Target<'_>) {
        let differs = first.verdict.is_allowed() != self.verdict.is_allowed();
        if differs && first.asked.agent == self.asked.agent {
            let dialects = [&first.asked.reading.dialect, &self.asked.reading.dialect];
            self.differs_by = robots.cause_of_divergence(&self.asked.agent, dialects, target);
        }
    }
}

/// The answer for one robot and one reading, with the line that decides, as a compiler shows it.
pub(super) fn explained(name: &str, url: &str, answer: &Answer<'_>, robots: &RobotsTxt) -> String {
    let agent = &answer.asked.agent;
    let verdict = &answer.verdict;
    let headline = format!(
        "{} is {} for {}",
        printable(url),
        word(verdict.is_allowed()),
        agent.name()
    );
    let Reason::Rule(rule) = verdict.reason() else {
        let star = if agent.takes_star() {
            ""
        } else {
            ", and * does not apply to it"
        };
        return format!("{headline}\n  = {verdict}{star}");
    };
    let of = |number, part: &[u8]| {
        let line = robots.line_text(number).unwrap_or_default();
        SourceLine::new(number, line, &part_of(line, part))
    };
    let deciding = of(rule.line(), rule.text());
    let group = of(rule.agent_line().unwrap_or(0), rule.agent());
    let level = if verdict.is_allowed() {
        Level::NOTE.with_name("allowed")
    } else {
        Level::ERROR.with_name("disallowed")
    };
    let mut report = level.primary_title(headline).element(deciding.snippet(
        name,
        AnnotationKind::Primary,
        "the rule that decides",
    ));
    // A rule may stand before the first group.
    if rule.agent_line().is_some() {
        let label = "the group for this robot";
        report = report.element(group.snippet(name, AnnotationKind::Context, label));
    }
    let others = answer.runners_up.iter().take(RUNNERS_UP).map(|rule| {
        let kind = rule.kind();
        let text = rule.text().escape_ascii();
        format!("line {} matches too: {kind}: {text}", rule.line())
    });
    let left_out = answer.runners_up.len().saturating_sub(RUNNERS_UP);
    let more = (left_out > 0).then(|| format!("and {left_out} more match"));
    let notes: Vec<String> = others.chain(more).collect();
    for note in &notes {
        report = report.element(Level::NOTE.message(note.as_str()));
    }
    Renderer::styled().render(&[report])
}

pub(super) fn word(is_allowed: bool) -> &'static str {
    if is_allowed { "allowed" } else { "disallowed" }
}

/// Where a value stands in its line, of which it is a part.
fn part_of(line: &[u8], value: &[u8]) -> Range<usize> {
    let start = value.as_ptr().addr().saturating_sub(line.as_ptr().addr());
    start..start.saturating_add(value.len())
}

/// The answers of several robots or readings, those together that are the same, and why readings
/// part.
pub(super) fn compared(url: &str, answers: &[Answer<'_>]) -> String {
    let allowed = answers.iter().filter(|answer| answer.verdict.is_allowed());
    let mut text = format!(
        "{}: allowed in {} of {}\n",
        printable(url),
        allowed.count(),
        answers.len()
    );
    let [first, rest @ ..] = answers else {
        return text;
    };
    let one_reading = rest
        .iter()
        .all(|answer| std::ptr::eq(answer.asked.reading, first.asked.reading));
    let one_agent = rest
        .iter()
        .all(|answer| answer.asked.agent.name() == first.asked.agent.name());
    let label = |answer: &Answer<'_>| {
        let (agent, reading) = (answer.asked.agent.name(), answer.asked.reading.name());
        match (one_agent, one_reading) {
            (_, true) => agent.to_owned(),
            (true, false) => reading.to_owned(),
            (false, false) => format!("{agent} under {reading}"),
        }
    };
    for (reason, labels) in grouped(answers.iter().map(|answer| {
        let allowed = answer.verdict.is_allowed();
        let reason = answer.verdict.reason().to_string();
        ((allowed, reason), label(answer))
    })) {
        let (is_allowed, why) = reason;
        let _ = writeln!(text, "  {:<10}  {}", word(is_allowed), printable(&why));
        text.push_str(&wrapped(&labels, 14));
    }
    let parting = answers
        .iter()
        .filter(|answer| !answer.differs_by.is_empty());
    for (why, labels) in grouped(parting.map(|answer| (differences(answer, first), label(answer))))
    {
        let from = first.asked.reading.name();
        let _ = writeln!(text, "  differs from {from} by {why}:");
        text.push_str(&wrapped(&labels, 14));
    }
    text
}

/// The switches in which a reading differs, with their values.
fn differences(answer: &Answer<'_>, first: &Answer<'_>) -> String {
    let (own, other) = (&answer.asked.reading.dialect, &first.asked.reading.dialect);
    let each = answer.differs_by.iter().map(|switch| {
        let name = switch.name().replace('_', " ");
        format!(
            "{name} ({}, not {})",
            own.value_of(*switch),
            other.value_of(*switch)
        )
    });
    each.collect::<Vec<_>>().join(" and ")
}

/// An answer; `robots check --help` says what each key is.
#[derive(Serialize)]
pub(super) struct JsonAnswer<'a> {
    url: &'a str,
    agent: &'a str,
    dialect: &'static str,
    profile: Option<&'a str>,
    allowed: bool,
    reason: &'static str,
    line: Option<usize>,
    rule: Option<String>,
    pattern: Option<String>,
    group: Option<String>,
    group_line: Option<usize>,
    runners_up: Vec<JsonRule>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    differs_by: Vec<&'static str>,
}

#[derive(Serialize)]
struct JsonRule {
    line: usize,
    rule: String,
    pattern: String,
}

impl JsonRule {
    fn new(rule: &Rule<'_>) -> Self {
        Self {
            line: rule.line(),
            rule: rule.kind().to_string().to_lowercase(),
            pattern: String::from_utf8_lossy(rule.text()).into_owned(),
        }
    }
}

impl<'a> JsonAnswer<'a> {
    pub(super) fn new(url: &'a str, answer: &'a Answer<'a>) -> Self {
        let asked = answer.asked;
        let rule = answer.verdict.rule();
        let (kind, pattern) = match rule.as_ref().map(JsonRule::new) {
            Some(shown) => (Some(shown.rule), Some(shown.pattern)),
            None => (None, None),
        };
        Self {
            url,
            agent: asked.agent.name(),
            dialect: asked.reading.dialect.name(),
            profile: asked
                .reading
                .profile
                .as_ref()
                .map(robots_policy::Profile::name),
            allowed: answer.verdict.is_allowed(),
            reason: match answer.verdict.reason() {
                Reason::Rule(_) => "rule",
                Reason::NoRuleMatches => "no_rule_matches",
                Reason::NoGroup => "no_group",
                Reason::OwnPath => "robots_txt_itself",
                _ => "other",
            },
            line: answer.verdict.line(),
            group: rule.map(|rule| String::from_utf8_lossy(rule.agent()).into_owned()),
            group_line: rule.map(|rule| rule.agent_line().unwrap_or(0)),
            rule: kind,
            pattern,
            runners_up: answer.runners_up.iter().map(JsonRule::new).collect(),
            differs_by: answer
                .differs_by
                .iter()
                .map(|switch| switch.name())
                .collect(),
        }
    }
}
