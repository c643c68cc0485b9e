//! The verdicts on a URL, for people.

use crate::source_line::SourceLine;
use crate::terminal::{grouped, printable, wrapped};
use annotate_snippets::{AnnotationKind, Level, Renderer};
use robots_answers::check::UrlVerdict;
use robots_lint::report::annotation::Place;
use robots_txt::{RobotsTxt, Target};
use std::fmt::Write;
use std::ops::Range;

/// The indent of names below a line of a comparison, in columns: that of the line's text, after the verdict.
const NAMES_INDENT: usize = 14;

/// The maximum number of other matching rules that are shown; the rest is counted.
const MAX_RUNNERS_UP: usize = 5;

/// Returns the verdict as a sentence: `/x is disallowed for Googlebot, as Google reads robots.txt: Disallow: /x (group of *)`.
pub(super) fn sentence(verdict: &UrlVerdict<'_>, url: &str) -> String {
    let rule = verdict.rule().map(|rule| rule.to_string());
    let reason = rule.unwrap_or_else(|| verdict.reason());
    format!("{}: {reason}", headline(verdict, url))
}

/// Returns the verdict of a rule that was explained before, in one line with the number of the rule's line.
pub(super) fn in_a_line(verdict: &UrlVerdict<'_>, url: &str) -> String {
    let word = word(verdict.is_allowed());
    let text = format!("{word}: {}: {}", headline(verdict, url), verdict.reason());
    printable(&text).into_owned()
}

/// Returns the verdict without its reason.
fn headline(verdict: &UrlVerdict<'_>, url: &str) -> String {
    let (agent, manner) = (verdict.rules.agent.name(), verdict.rules.reading.manner());
    let word = word(verdict.is_allowed());
    format!("{url} is {word} for {agent}, {manner}")
}

/// Returns the place of the rule that decides, with its line; `None` without a rule.
pub(super) fn place<'r>(
    verdict: &UrlVerdict<'_>,
    robots: &'r RobotsTxt,
) -> Option<(Place, &'r [u8])> {
    let rule = verdict.rule()?;
    let (text, part) = line_around(robots, rule.span());
    Some((Place::in_line(rule.line(), text, part), text))
}

/// Returns the verdict for one robot and one reading, with the line that decides, like a compiler's message.
pub(super) fn explain(
    name: &str,
    url: &str,
    verdict: &UrlVerdict<'_>,
    robots: &RobotsTxt,
    target: &Target<'_>,
) -> String {
    let headline = headline(verdict, url);
    let headline = printable(&headline);
    let name = &*printable(name);
    let Some(rule) = verdict.rule() else {
        let reason = if verdict.is_of_file() {
            verdict.verdict.to_string()
        } else {
            verdict.reason()
        };
        let star = if verdict.is_of_file() && !verdict.rules.agent.obeys_star() {
            ", and * does not apply to it"
        } else {
            ""
        };
        return format!("{headline}\n  = {}{star}", printable(&reason));
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
    let runners_up = verdict.runners_up(target);
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
pub(crate) fn word(is_allowed: bool) -> &'static str {
    if is_allowed { "allowed" } else { "disallowed" }
}

/// Returns the line of `span`, a range of bytes of the file, in which the span is marked, with its number, from 1.
fn source_line(robots: &RobotsTxt, number: usize, span: Option<Range<usize>>) -> SourceLine {
    let (text, part) = line_around(robots, span);
    SourceLine::new(number, text, &part)
}

/// Returns the line of `span`, a range of bytes of the file, and the range of its bytes that the span has. To look for the line by its
/// number would read the file for every URL.
fn line_around(robots: &RobotsTxt, span: Option<Range<usize>>) -> (&[u8], Range<usize>) {
    let body = robots.body();
    let span = span.filter(|span| span.start <= span.end && span.end <= body.len());
    let Some(span) = span else {
        return (&[], 0..0);
    };
    let start = memchr::memrchr2(b'\n', b'\r', &body[..span.start]).map_or(0, |at| at + 1);
    let rest = &body[span.end..];
    let end = span.end + memchr::memchr2(b'\n', b'\r', rest).unwrap_or(rest.len());
    (&body[start..end], span.start - start..span.end - start)
}

/// Returns the verdicts of several robots or readings in lines, equal verdicts together, and below them the switches because
/// of which readings differ from the first one.
pub(super) fn comparison(url: &str, verdicts: &[UrlVerdict<'_>]) -> String {
    let allowed = verdicts.iter().filter(|one| one.is_allowed());
    let mut text = format!(
        "{}: allowed in {} of {}\n",
        printable(url),
        allowed.count(),
        verdicts.len()
    );
    let [first, rest @ ..] = verdicts else {
        return text;
    };
    let reading = |one: &UrlVerdict<'_>| std::ptr::from_ref(one.rules.reading);
    let one_reading = rest.iter().all(|one| reading(one) == reading(first));
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
    for ((is_allowed, reason), labels) in grouped(
        verdicts
            .iter()
            .map(|one| ((one.is_allowed(), one.reason()), label(one))),
    ) {
        let _ = writeln!(text, "  {:<10}  {}", word(is_allowed), printable(&reason));
        text.push_str(&wrapped(&labels, NAMES_INDENT));
    }
    // Without a file, there is nothing to read in two ways.
    let of_file = verdicts.iter().filter(|one| one.is_of_file());
    let differing = of_file.filter(|one| !one.differs_by.is_empty());
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
