//! Findings on the rules of `*`: a site that is closed, and robots that escape the rules by a group of their own.

use super::audience::{Audience, example_path, is_root};
use super::finding::{Collector, Finding};
use super::known::{KnownRobot, KnownRobots};
use super::lines::field_named;
use crate::catalogue::FindingKind as Kind;
use crate::shorten::shortened;
use robots_txt::parse::{Field, Line};

/// The maximum number of rules of `*` that are compared with every other group.
const MAX_COMPARED: usize = 100;

/// The maximum number of paths in a message.
const MAX_SHOWN: usize = 3;

pub(super) fn examine(
    audiences: &[Audience<'_, '_>],
    known: &KnownRobots,
    findings: &mut Collector,
) {
    let Some(star) = audiences.iter().find(|audience| audience.is_star()) else {
        return;
    };
    let others = || audiences.iter().filter(|audience| !audience.is_star());
    if star.is_closed() {
        // If another group allows the root, the file is a list of the robots that may fetch, which is not a mistake.
        let is_list = others().any(|audience| audience.allows("/"));
        if !is_list {
            closed_site(star, findings);
        }
        return;
    }
    // In most files no other robot can escape, so nothing is compiled.
    let mut escaping = others()
        .filter_map(|audience| Some((audience, possible_escape(audience, known)?)))
        .peekable();
    if escaping.peek().is_none() {
        return;
    }
    // If `*` closes the root, but not every path, the file is a list of the robots that may fetch.
    if !star.allows("/") {
        return;
    }
    let closed = closed_paths(star);
    if closed.is_empty() {
        return;
    }
    for (audience, agent) in escaping {
        lost_rules(audience, agent, &closed, known, findings);
    }
}

fn closed_site(star: &Audience<'_, '_>, findings: &mut Collector) {
    if let Some(rule) = star.patterns(Field::Disallow).find(is_root) {
        findings.add_at(Kind::ClosedSite, rule.number(), rule.value_span());
    }
}

/// A rule that closes a path.
struct ClosedPath<'b> {
    line: usize,
    pattern: &'b [u8],
    path: String,
}

/// Returns the rules that close a path, each with such a path.
fn closed_paths<'b>(star: &Audience<'_, 'b>) -> Vec<ClosedPath<'b>> {
    let mut closed: Vec<ClosedPath<'b>> = Vec::new();
    for rule in star.patterns(Field::Disallow).take(MAX_COMPARED) {
        let pattern = rule.value();
        if closed.iter().all(|other| other.pattern != pattern)
            && let Some(path) = example_path(pattern)
            && !star.allows(&path)
        {
            closed.push(ClosedPath {
                line: rule.number(),
                pattern,
                path,
            });
        }
    }
    closed
}

/// Returns the line that names the first robot of an audience that would obey `*` without groups of its own. Returns nothing if
/// these groups have no rules, close every path, or allow what they do not close (`Disallow` without a path).
fn possible_escape<'g, 'b>(
    audience: &Audience<'g, 'b>,
    known: &KnownRobots,
) -> Option<&'g Line<'b>> {
    let obeys_star = |name: &[u8]| known.get(name).is_none_or(KnownRobot::obeys_star);
    let agent = audience.names().find(|line| obeys_star(line.value()))?;
    if audience.is_closed() {
        return None;
    }
    // A group without rules has its own finding. `Disallow` without a path states that everything else is allowed.
    let mut rules = audience
        .directives()
        .map(|directive| (field_named(&directive.line()), directive.line().value()))
        .filter(|(field, _)| matches!(field, Field::Allow | Field::Disallow))
        .peekable();
    if rules.peek().is_none() || rules.any(|rule| rule == (Field::Disallow, b"")) {
        return None;
    }
    Some(agent)
}

/// Finds paths that `*` closes and that robots with a group of their own may fetch.
fn lost_rules(
    audience: &Audience<'_, '_>,
    agent: &Line<'_>,
    closed: &[ClosedPath<'_>],
    known: &KnownRobots,
    findings: &mut Collector,
) {
    let mut open = closed.iter().filter(|rule| audience.allows(&rule.path));
    let Some(first) = open.next() else { return };
    // `LosesRules` is a warning. `HidesStar` is a note, for differences that are probably intended.
    let kind = if is_deliberate(audience, closed, agent.value(), known) {
        Kind::HidesStar
    } else {
        Kind::LosesRules
    };
    findings.add(kind, agent.number(), || {
        // The paths after the first are only for the message.
        let open: Vec<&ClosedPath<'_>> = std::iter::once(first).chain(open).collect();
        let shown = open.iter().take(MAX_SHOWN).map(|rule| quoted(rule.pattern));
        let mut paths = shown.collect::<Vec<_>>().join(", ");
        if open.len() > MAX_SHOWN {
            paths = format!("{paths} and {} more", open.len().saturating_sub(MAX_SHOWN));
        }
        Finding::new(kind, agent.number(), agent.value_span())
            .with_detail(format!("Disallow {paths}"))
            .with_related(first.line)
    });
}

/// Returns whether the author of a group probably intends to open paths. One of these is a sign of it: the robot is
/// often allowed more than others, the group closes the root, or it repeats a rule of `*`.
fn is_deliberate(
    audience: &Audience<'_, '_>,
    closed: &[ClosedPath<'_>],
    agent: &[u8],
    known: &KnownRobots,
) -> bool {
    let mut patterns = audience.patterns(Field::Disallow);
    known.get(agent).is_some_and(KnownRobot::is_favoured)
        || !audience.allows("/")
        || patterns.any(|rule| closed.iter().any(|other| other.pattern == rule.value()))
}

/// Returns a pattern in backquotes.
fn quoted(pattern: &[u8]) -> String {
    format!("`{}`", shortened(&String::from_utf8_lossy(pattern)))
}
