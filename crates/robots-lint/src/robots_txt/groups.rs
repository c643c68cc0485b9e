//! Findings on the names of robots in groups, and on lines of the group of `*` that other groups lack.

use super::ignore::Collector;
use super::joined_star::StarExaminer;
use super::known::KnownRobots;
use super::lines::{LINT_DIALECT, field_named, needs_group};
use super::preferences::statements_of;
use crate::catalogue::FindingKind as Kind;
use crate::fix::{Edit, Fix};
use crate::invisible::Invisible;
use robots_policy::profile::KnownAgent;
use robots_txt::parse::{Field, Line, trim};
use robots_txt::robots_usage::Preference;
use robots_txt::robots_usage::content_usage::UsageCategory;
use robots_txt::select::{Group, product_token};
use robots_txt::{RobotsTxt, Rules, Target};
use std::borrow::Cow;
use std::collections::HashMap;
use std::ops::Range;

pub(super) fn examine(
    robots: &RobotsTxt,
    groups: &[Group<'_>],
    known: &KnownRobots,
    findings: &mut Collector,
) {
    let mut named: HashMap<Cow<'_, [u8]>, usize> = HashMap::new();
    let star = StarExaminer::new(robots, groups, known);
    for group in groups {
        let examiner = GroupExaminer {
            body: robots.body(),
            group,
        };
        examiner.examine_names(&mut named, known, findings);
        // Blank lines and fields between its names are the cause of a joined `*`.
        if !star.examine(group, findings) {
            examiner.examine_rules(findings);
        }
    }
    let star = GroupFields::of(groups.iter().filter(|group| names_star(group)));
    if star.fields.is_empty() {
        return;
    }
    for group in groups {
        if !names_star(group) {
            missing_fields(robots, group, &star, known, findings);
        }
    }
}

struct GroupExaminer<'g, 'b> {
    body: &'g [u8],
    group: &'g Group<'b>,
}

impl<'b> GroupExaminer<'_, 'b> {
    /// Examines the values of the `User-agent` lines.
    fn examine_names(
        &self,
        named: &mut HashMap<Cow<'b, [u8]>, usize>,
        known: &KnownRobots,
        findings: &mut Collector,
    ) {
        for line in self.group.agents() {
            let value = line.value();
            let span = line.value_span();
            if value.is_empty() {
                let span = line.span_of(line.trimmed());
                findings.add_at(Kind::EmptyAgent, line.number(), span);
                continue;
            }
            let lower = if value.iter().any(u8::is_ascii_uppercase) {
                Cow::Owned(value.to_ascii_lowercase())
            } else {
                Cow::Borrowed(value)
            };
            match named.get(&lower) {
                Some(&before) => {
                    findings.add(Kind::RepeatedAgent, line.number(), span.clone(), |found| {
                        found.with_related(before)
                    });
                }
                None => {
                    named.insert(lower, line.number());
                }
            }
            examine_token(line, &span, findings);
            if known.get(value).is_some_and(KnownAgent::is_shared) {
                findings.add_at(Kind::SharedToken, line.number(), span.clone());
            }
            if let Some(robot) = known.near(value) {
                findings.add(Kind::MisspeltRobot, line.number(), span, |found| {
                    found.with_detail(format!("`{}` is similar", robot.token))
                });
            }
        }
    }

    /// Examines whether the group has rules, and which lines are between its names and the first rule.
    fn examine_rules(&self, findings: &mut Collector) {
        let agents = self.group.agents();
        let directives = self.group.directives();
        let Some(last) = agents.last() else { return };
        let rule = directives.iter().find(|directive| directive.is_rule());
        match rule {
            // The group of `*` alone hides no other group, and its other lines have a meaning of their own.
            None if !directives.is_empty() && agents.iter().all(|line| line.value() == b"*") => {}
            None => findings.add_at(Kind::GroupWithoutRules, last.number(), last.value_span()),
            Some(rule) => self.find_blank_line(rule.line(), findings),
        }
        // The first of the `User-agent` lines after another directive; it is the cause for those that follow it.
        let later = agents.iter().zip(agents.iter().skip(1));
        for (before, line) in later {
            let next = directives.partition_point(|one| one.line().number() < before.number());
            let between = directives.get(next).map(|one| one.line().number());
            if let Some(between) = between.filter(|number| *number < line.number()) {
                findings.add_on_value(Kind::RunOnGroup, line, |found| {
                    let group = agents.first().map_or(0, Line::number);
                    found
                        .with_related(between)
                        .with_group(group)
                        .with_robots([line])
                });
            }
        }
    }

    /// Finds the first blank line between the `User-agent` lines, or before the first rule.
    fn find_blank_line(&self, rule: Line<'_>, findings: &mut Collector) {
        let agents = self.group.agents();
        let next_lines = agents.iter().skip(1).copied().chain([rule]);
        for (line, next) in agents.iter().zip(next_lines) {
            let end = line.offset() + line.bytes().len();
            let between = &self.body[end..next.offset()];
            if has_blank_line(between) {
                return findings.add_on_value(Kind::BlankInGroup, line, |found| {
                    found.with_related(next.number())
                });
            }
        }
    }
}

/// Examines whether the name of a robot is a product token.
fn examine_token(line: &Line<'_>, span: &Range<usize>, findings: &mut Collector) {
    let value = line.value();
    if value == b"*" {
        return;
    }
    let mut names = value.split(|&byte| byte == b',').map(trim);
    let is_name = |name: &[u8]| {
        let name = std::str::from_utf8(name).unwrap_or_default();
        !name.is_empty() && (name == "*" || product_token(name) == name)
    };
    // Each part must be a name: the User-Agent of a browser has commas, too.
    if value.contains(&b',') && names.all(is_name) {
        return findings.add_at(Kind::AgentList, line.number(), span.clone());
    }
    // Bytes outside ASCII count as letters here, in any encoding.
    let letter_for = |byte: &u8| {
        if byte.is_ascii() {
            char::from(*byte)
        } else {
            'x'
        }
    };
    let text: String = value.iter().map(letter_for).collect();
    let token = product_token(&text).len();
    let rest = &value[token..];
    if !rest.is_empty() {
        let start = span.start + token;
        // A fix removes only a version, not a second word or the rest of a browser's User-Agent.
        let is_version = token > 0
            && rest.starts_with(b"/")
            && rest
                .iter()
                .all(|byte| !byte.is_ascii_whitespace() && *byte != b'(');
        return findings.add(Kind::NotAToken, line.number(), start..span.end, |found| {
            let fix = is_version.then(|| Fix::new(Edit::new(found.span(), "")));
            found.with_fix(fix)
        });
    }
    // A name in another script, or with a letter that looks like one of ASCII. An invisible character has its own finding.
    if let Some(at) = value.iter().position(|byte| !byte.is_ascii())
        && Invisible::first_in(value).is_none()
    {
        let start = span.start + at;
        return findings.add_at(Kind::NotAToken, line.number(), start..span.end);
    }
    // `product_token` accepts digits and dots, which a token of RFC 9309 never has.
    let is_unusual = |byte: &u8| byte.is_ascii_digit() || *byte == b'.';
    if let Some(at) = value.iter().position(is_unusual) {
        let start = span.start + at;
        findings.add_at(Kind::DigitsInAgent, line.number(), start..span.end);
    }
}

/// Returns whether there is a blank line between the end of a line and the start of another.
fn has_blank_line(text: &[u8]) -> bool {
    // The first part is the rest of the line before, and the last one the start of the line after.
    let mut lines = text.split(|&byte| byte == b'\n').skip(1).peekable();
    while let Some(line) = lines.next() {
        if lines.peek().is_some() && trim(line).is_empty() {
            return true;
        }
    }
    false
}

/// Returns whether a group names `*`.
pub(super) fn names_star(group: &Group<'_>) -> bool {
    group.agents().iter().any(|line| line.value() == b"*")
}

/// The fields that apply only to the robots of their group, other than rules, with their lines.
#[derive(Default)]
struct GroupFields {
    /// The first line of each field.
    fields: Vec<(Field, usize)>,
    /// The first line that refuses training.
    training_refusal: Option<usize>,
    /// Whether a line allows or refuses training.
    states_training: bool,
}

impl GroupFields {
    fn of<'g, 'b: 'g>(groups: impl IntoIterator<Item = &'g Group<'b>>) -> Self {
        let mut found = Self::default();
        for directive in groups.into_iter().flat_map(Group::directives) {
            let line = directive.line();
            let field = field_named(&line);
            if !needs_group(field) {
                continue;
            }
            if !found.fields.iter().any(|(known, _)| *known == field) {
                found.fields.push((field, line.number()));
            }
            for stated in statements_of(line) {
                if stated.usage == UsageCategory::TrainAi && stated.path.is_none() {
                    found.states_training = true;
                    if stated.preference == Preference::Disallow {
                        found.training_refusal.get_or_insert(line.number());
                    }
                }
            }
        }
        found
    }
}

/// Finds what a group loses by being apart from that of `*`: fields that only the group of `*` has, and the refusal of
/// training, for robots that train. A group that closes the root is left out, as its robots may fetch little or nothing.
fn missing_fields(
    robots: &RobotsTxt,
    group: &Group<'_>,
    star: &GroupFields,
    known: &KnownRobots,
    findings: &mut Collector,
) {
    let fields = GroupFields::of([group]);
    let Some(agent) = group.agents().first() else {
        return;
    };
    let rules = Rules::of_directives(robots, group.directives(), &LINT_DIALECT);
    if !rules.verdict(&Target::new("/")).is_allowed() {
        return;
    }
    let lacks = |field: &Field| !fields.fields.iter().any(|(known, _)| known == field);
    let missing: Vec<_> = star
        .fields
        .iter()
        .filter(|(field, _)| lacks(field))
        .collect();
    if let Some((_, line)) = missing.first() {
        findings.add_on_value(Kind::HidesStar, agent, |found| {
            let names: Vec<&str> = missing.iter().map(|(field, _)| field.name()).collect();
            found
                .with_detail(names.join(", "))
                .with_related(*line)
                .with_robots(group.agents())
        });
    }
    let Some(refusal) = star.training_refusal.filter(|_| !fields.states_training) else {
        return;
    };
    for agent in group.agents() {
        // It requests pages to train models on them.
        let trains = |agent: &KnownAgent| agent.trains() && agent.crawls;
        if known.get(agent.value()).is_some_and(trains) {
            findings.add_on_value(Kind::TrainerAllowed, agent, |found| {
                found.with_related(refusal).with_robots([agent])
            });
        }
    }
}
