//! The verdicts on a URL, for people.

use crate::source_line::SourceLine;
use crate::terminal::{grouped, printable, wrapped};
use annotate_snippets::{AnnotationKind, Level, Renderer};
use robots_answers::check::UrlVerdict;
use robots_lint::report::annotation::Place;
use robots_txt::{Reason, RobotsTxt, Target};
use std::fmt::Write;
use std::ops::Range;

/// The indent of names below a line of a comparison, in columns: that of the line's text, after the verdict.
const NAMES_INDENT: usize = 14;

/// The maximum number of other matching rules that are shown; the rest is counted.
const MAX_RUNNERS_UP: usize = 5;

/// Returns the verdict as a sentence: `/x is disallowed for Googlebot, as Google reads robots.txt: Disallow: /x (group of *)`.
pub(super) fn sentence(one: &UrlVerdict<'_>, url: &str) -> String {
    let (agent, manner) = (one.rules.agent.name(), one.rules.reading.manner());
    let word = word(one.verdict.is_allowed());
    let reason = match one.verdict.reason() {
        Reason::Rule(rule) => rule.to_string(),
        other => other.to_string(),
    };
    format!("{url} is {word} for {agent}, {manner}: {reason}")
}

/// Returns the place of the rule that decides, with its line; `None` without a rule.
pub(super) fn place<'r>(one: &UrlVerdict<'_>, robots: &'r RobotsTxt) -> Option<(Place, &'r [u8])> {
    let rule = one.verdict.rule()?;
    let (text, part) = part_of_line(robots, rule.line(), rule.span());
    Some((Place::in_line(rule.line(), text, part), text))
}

/// Returns the verdict for one robot and one reading, with the line that decides, like a compiler's message.
pub(super) fn explain(
    name: &str,
    url: &str,
    url_verdict: &UrlVerdict<'_>,
    robots: &RobotsTxt,
    target: &Target<'_>,
) -> String {
    let agent = &url_verdict.rules.agent;
    let verdict = &url_verdict.verdict;
    let headline = format!(
        "{} is {} for {}, {}",
        printable(url),
        word(verdict.is_allowed()),
        printable(agent.name()),
        printable(&url_verdict.rules.reading.manner())
    );
    let name = &*printable(name);
    let Reason::Rule(rule) = verdict.reason() else {
        let star = if agent.obeys_star() {
            ""
        } else {
            ", and * does not apply to it"
        };
        return format!("{headline}\n  = {}{star}", printable(&verdict.to_string()));
    };
    let deciding = source_line(robots, rule.line(), rule.span());
    let group = source_line(robots, rule.agent_line().unwrap_or(0), rule.agent_span());
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
    // A rule may be before the first group.
    if rule.agent_line().is_some() {
        let label = "the group for this robot";
        report = report.element(group.snippet(name, AnnotationKind::Context, label));
    }
    let runners_up = url_verdict.runners_up(target);
    let others = runners_up.iter().take(MAX_RUNNERS_UP).map(|rule| {
        let kind = rule.kind();
        let text = rule.text().escape_ascii();
        format!("line {} matches too: {kind}: {text}", rule.line())
    });
    let left_out = runners_up.len().saturating_sub(MAX_RUNNERS_UP);
    let more = (left_out > 0).then(|| format!("and {left_out} more match"));
    let notes: Vec<String> = others.chain(more).collect();
    for note in &notes {
        report = report.element(Level::NOTE.message(note.as_str()));
    }
    Renderer::styled().render(&[report])
}

/// Returns `allowed` or `disallowed`.
pub(super) fn word(is_allowed: bool) -> &'static str {
    if is_allowed { "allowed" } else { "disallowed" }
}

/// Returns the line of a number, from 1, in which `span`, a range of bytes of the file, is marked.
fn source_line(robots: &RobotsTxt, number: usize, span: Option<Range<usize>>) -> SourceLine {
    let (text, part) = part_of_line(robots, number, span);
    SourceLine::new(number, text, &part)
}

/// Returns the line of a number, from 1, and the range of its bytes that `span`, a range of bytes of the file, has.
fn part_of_line(
    robots: &RobotsTxt,
    number: usize,
    span: Option<Range<usize>>,
) -> (&[u8], Range<usize>) {
    let line = number.checked_sub(1).and_then(|at| robots.lines().nth(at));
    let (text, start) = line.map_or((&[][..], 0), |line| (line.bytes(), line.offset()));
    let span = span.unwrap_or(start..start);
    let part = span.start - start..span.end - start;
    (text, part)
}

/// Returns the verdicts of several robots or readings in lines, equal verdicts together, and below them the switches because
/// of which readings differ from the first one.
pub(super) fn comparison(url: &str, verdicts: &[UrlVerdict<'_>]) -> String {
    let allowed = verdicts.iter().filter(|one| one.verdict.is_allowed());
    let mut text = format!(
        "{}: allowed in {} of {}\n",
        printable(url),
        allowed.count(),
        verdicts.len()
    );
    let [first, rest @ ..] = verdicts else {
        return text;
    };
    let one_reading = rest
        .iter()
        .all(|one| std::ptr::eq(one.rules.reading, first.rules.reading));
    let one_agent = rest
        .iter()
        .all(|one| one.rules.agent.name() == first.rules.agent.name());
    let label = |one: &UrlVerdict<'_>| {
        let (agent, reading) = (one.rules.agent.name(), one.rules.reading.name());
        match (one_agent, one_reading) {
            (_, true) => agent.to_owned(),
            (true, false) => reading.to_owned(),
            (false, false) => format!("{agent} under {reading}"),
        }
    };
    for ((is_allowed, reason), labels) in grouped(verdicts.iter().map(|one| {
        let reason = one.verdict.reason().to_string();
        ((one.verdict.is_allowed(), reason), label(one))
    })) {
        let _ = writeln!(text, "  {:<10}  {}", word(is_allowed), printable(&reason));
        text.push_str(&wrapped(&labels, NAMES_INDENT));
    }
    let differing = verdicts.iter().filter(|one| !one.differs_by.is_empty());
    for (switches, labels) in grouped(differing.map(|one| (differences(one, first), label(one)))) {
        let from = printable(first.rules.reading.name());
        let _ = writeln!(text, "  differs from {from} by {switches}:");
        text.push_str(&wrapped(&labels, NAMES_INDENT));
    }
    text
}

/// Returns the switches in which a reading differs from the first, with their values.
fn differences(differing: &UrlVerdict<'_>, first: &UrlVerdict<'_>) -> String {
    let dialect = &differing.rules.reading.dialect;
    let first = &first.rules.reading.dialect;
    let each = differing.differs_by.iter().map(|switch| {
        let name = switch.name().replace('_', " ");
        format!(
            "{name} ({}, not {})",
            dialect.value_of(*switch),
            first.value_of(*switch)
        )
    });
    each.collect::<Vec<_>>().join(" and ")
}
