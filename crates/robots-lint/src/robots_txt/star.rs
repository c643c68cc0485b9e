//! Findings on the rules of `*`: a site that is closed, and robots that escape the rules by a group of their own.

use super::audience::{Audience, example_path, is_root};
use super::ignore::Collector;
use super::known::KnownRobots;
use super::lines::field_named;
use crate::catalogue::FindingKind as Kind;
use crate::shorten::shortened;
use robots_policy::profile::Purpose;
use robots_txt::parse::{Field, Line};
use std::cell::OnceCell;
use std::collections::HashSet;

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
    let closed = ClosingRules::new(star);
    for (audience, agent) in escaping {
        lost_rules(audience, agent, &closed, known, findings);
    }
}

fn closed_site(star: &Audience<'_, '_>, findings: &mut Collector) {
    if let Some(rule) = star.patterns(Field::Disallow).find(is_root) {
        findings.add_at(Kind::ClosedSite, rule.number(), rule.value_span());
    }
}

/// The first rules of `*` that may close a path, up to [`MAX_COMPARED`].
struct ClosingRules<'s, 'g, 'b> {
    star: &'s Audience<'g, 'b>,
    rules: Vec<ClosingRule<'b>>,
}

/// A rule that may close a path.
struct ClosingRule<'b> {
    line: usize,
    pattern: &'b [u8],
    /// A path that it closes; `None` if none is known. Most are never asked for.
    path: OnceCell<Option<String>>,
}

impl<'s, 'g, 'b> ClosingRules<'s, 'g, 'b> {
    fn new(star: &'s Audience<'g, 'b>) -> Self {
        let rules = star.patterns(Field::Disallow).take(MAX_COMPARED);
        let rules = rules.map(|rule| ClosingRule {
            line: rule.number(),
            pattern: rule.value(),
            path: OnceCell::new(),
        });
        Self {
            star,
            rules: rules.collect(),
        }
    }

    /// Returns a path that a rule closes.
    fn closed_path<'r>(&self, rule: &'r ClosingRule<'b>) -> Option<&'r str> {
        let is_closed = |path: &String| !self.star.allows(path);
        let find = || example_path(rule.pattern).filter(is_closed);
        rule.path.get_or_init(find).as_deref()
    }

    /// Returns the rules that close a path which an audience may fetch.
    fn open_for(&self, audience: &Audience<'_, '_>) -> impl Iterator<Item = &ClosingRule<'b>> {
        let is_open = |rule: &&ClosingRule<'b>| {
            let path = self.closed_path(rule);
            path.is_some_and(|path| audience.allows(path))
        };
        self.rules.iter().filter(is_open)
    }

    /// Returns whether a rule with this pattern closes a path.
    fn close(&self, pattern: &[u8]) -> bool {
        let mut rules = self.rules.iter();
        rules.any(|rule| rule.pattern == pattern && self.closed_path(rule).is_some())
    }
}

/// Returns the line that names the first robot of an audience that would obey `*` without groups of its own. Returns nothing if
/// these groups have no rules, close every path, or allow what they do not close (`Disallow` without a path).
fn possible_escape<'g, 'b>(
    audience: &Audience<'g, 'b>,
    known: &KnownRobots,
) -> Option<&'g Line<'b>> {
    let mut agents = audience
        .names()
        .filter(|line| known.obey_star(line.value()));
    let first = agents.next()?;
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
    // The first one may be favoured, and another one lose rules.
    let mut agents = std::iter::once(first).chain(agents);
    let other = agents.find(|line| !is_favoured(line.value(), known));
    Some(other.unwrap_or(first))
}

/// Returns whether owners often allow a robot to fetch more than others: those for previews, advertisements and checks.
fn is_favoured(agent: &[u8], known: &KnownRobots) -> bool {
    let favoured = [Purpose::Preview, Purpose::Ads, Purpose::Monitoring];
    let known = known.get(agent);
    known.is_some_and(|agent| agent.has_purpose(&favoured))
}

/// Finds paths that `*` closes and that robots with a group of their own may fetch.
fn lost_rules(
    audience: &Audience<'_, '_>,
    agent: &Line<'_>,
    closed: &ClosingRules<'_, '_, '_>,
    known: &KnownRobots,
    findings: &mut Collector,
) {
    let mut open = closed.open_for(audience);
    let Some(first) = open.next() else { return };
    // `LosesRules` is a warning. `HidesStar` is a note, for differences that are probably intended.
    let kind = if is_deliberate(audience, closed, agent.value(), known) {
        Kind::HidesStar
    } else {
        Kind::LosesRules
    };
    findings.add_on_value(kind, agent, |found| {
        // The paths after the first are only for the message.
        let mut open: Vec<&ClosingRule<'_>> = std::iter::once(first).chain(open).collect();
        let mut seen = HashSet::new();
        open.retain(|rule| seen.insert(rule.pattern));
        let shown = open.iter().take(MAX_SHOWN).map(|rule| quoted(rule.pattern));
        let mut paths = shown.collect::<Vec<_>>().join(", ");
        if open.len() > MAX_SHOWN {
            paths = format!("{paths} and {} more", open.len().saturating_sub(MAX_SHOWN));
        }
        let robots = audience.names();
        found
            .with_detail(format!("Disallow {paths}"))
            .with_related(first.line)
            .with_robots(robots.filter(|line| known.obey_star(line.value())))
    });
}

/// Returns whether the author of a group probably intends to open paths. One of these is a sign of it: the robot is
/// often allowed more than others, the group closes the root, or it repeats a rule of `*`.
fn is_deliberate(
    audience: &Audience<'_, '_>,
    closed: &ClosingRules<'_, '_, '_>,
    agent: &[u8],
    known: &KnownRobots,
) -> bool {
    let mut patterns = audience.patterns(Field::Disallow);
    is_favoured(agent, known)
        || !audience.allows("/")
        || patterns.any(|rule| closed.close(rule.value()))
}

/// Returns a pattern in backquotes.
fn quoted(pattern: &[u8]) -> String {
    format!("`{}`", shortened(&String::from_utf8_lossy(pattern)))
}
