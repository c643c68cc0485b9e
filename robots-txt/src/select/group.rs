//! Groups: `User-agent` lines with the directives that they govern, and the groups that a robot
//! obeys.
//!
//! A `User-agent` line begins a new group only after a rule (`Allow` or `Disallow`): blank lines,
//! sitemaps, delays and unknown fields do not end a group (RFC 9309, 2.2.1 and 2.2.4;
//! docs/semantics.md, section 8.2). Under the older standards a blank line does, and under Protego's reading other
//! fields ([`GroupEnd`]).
//! Grouping is linear in the marks of the lines.

use crate::dialect::{Dialect, GroupChoice, GroupEnd, RulesBeforeAgent};
use crate::parse::document::RobotsTxt;
use crate::parse::field::Field;
use crate::parse::line::Line;
use crate::select::agent::{Agent, Nearness, key_of_line};
use crate::select::directive::Directive;
use crate::select::robot_version::RobotVersion;
use crate::select::view::{View, ViewLine};

/// A group: some `User-agent` lines and the directives that they govern.
#[derive(Debug, Clone, Default)]
pub struct Group<'a> {
    agents: Vec<Line<'a>>,
    directives: Vec<Directive<'a>>,
}

impl<'a> Group<'a> {
    /// Returns the `User-agent` lines, in order. Empty only for the default group that, under some
    /// dialects, the rules before the first `User-agent` line form ([`RulesBeforeAgent::DefaultGroup`]).
    pub fn agents(&self) -> &[Line<'a>] {
        &self.agents
    }

    /// Returns the other directives of the group, in order: rules, delays, unknown fields.
    ///
    /// A rule applies to all robots of the group. Another directive applies only to the robots of the
    /// run of `User-agent` lines above it
    /// ([`RobotsTxt::extensions_for`](crate::RobotsTxt::extensions_for)). Such a directive ends the run,
    /// unless it is `Host`, `Clean-param` or an unknown field. Sitemaps belong to the file and are left out.
    pub fn directives(&self) -> &[Directive<'a>] {
        &self.directives
    }
}

impl RobotsTxt {
    /// Returns the groups of the file as a dialect sees them, in order.
    pub fn groups<'a>(&'a self, dialect: &'a Dialect) -> Vec<Group<'a>> {
        let view = self.view(dialect);
        let (body, records) = (view.body(), view.records());
        let mut grouping = Grouping::new(dialect);
        let mut groups: Vec<Group<'a>> = Vec::new();
        for line in view.for_groups(records.as_deref()) {
            let membership = grouping.assign(line.field);
            if membership == Membership::New {
                // A file may have as many groups as lines: each but the last has only as much memory as it needs.
                if let Some(last) = groups.last_mut() {
                    last.agents.shrink_to_fit();
                    last.directives.shrink_to_fit();
                }
                groups.push(Group::default());
            }
            // Lines outside all groups are left out, and sitemaps, which belong to the file.
            if membership == Membership::None || line.field == Some(Field::Sitemap) {
                continue;
            }
            if let Some(group) = groups.last_mut()
                && let Some(directive) = line.directive(body, dialect)
            {
                if line.field == Some(Field::UserAgent) {
                    group.agents.push(directive.line());
                } else {
                    group.directives.push(directive);
                }
            }
        }
        groups
    }
}

/// The relation of a line to the groups.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Membership {
    /// It belongs to no group.
    None,
    /// It begins a group.
    New,
    /// It belongs to the group of the previous line.
    Same,
}

/// An assignment of lines to groups, line by line.
#[derive(Clone)]
pub(crate) struct Grouping {
    ends_at_blank: bool,
    /// Whether a `User-agent` line begins a group after any field that is not of the whole site.
    ends_after_any: bool,
    /// Whether a rule may begin a group: before the first `User-agent` line.
    begins_at_rule: bool,
    position: Position,
}

/// A position between two lines.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Position {
    /// In no group.
    Outside,
    /// In a group that has no rule yet.
    Agents,
    /// In a group that has a rule, or another field after which a `User-agent` line begins a group.
    Rules,
}

impl Grouping {
    pub(crate) fn new(dialect: &Dialect) -> Self {
        Self {
            ends_at_blank: matches!(
                dialect.group_end,
                GroupEnd::AgentOrBlankLine | GroupEnd::AgentOrEmptyLine
            ),
            ends_after_any: dialect.group_end == GroupEnd::AgentAfterAny,
            begins_at_rule: dialect.rules_before_agent == RulesBeforeAgent::DefaultGroup
                && dialect.group_end != GroupEnd::AgentOrEmptyLine,
            position: Position::Outside,
        }
    }

    /// Returns the relation of the next line to the groups. `field` is `None` if the line is blank.
    #[inline]
    pub(crate) fn assign(&mut self, field: Option<Field>) -> Membership {
        match field {
            None => {
                if self.ends_at_blank {
                    self.position = Position::Outside;
                }
                Membership::None
            }
            Some(Field::UserAgent) => {
                let before = std::mem::replace(&mut self.position, Position::Agents);
                self.begins_at_rule = false;
                if before == Position::Agents {
                    Membership::Same
                } else {
                    Membership::New
                }
            }
            Some(Field::Allow | Field::Disallow) => {
                let membership = match self.position {
                    Position::Agents | Position::Rules => Membership::Same,
                    Position::Outside if self.begins_at_rule => Membership::New,
                    Position::Outside => return Membership::None,
                };
                self.position = Position::Rules;
                membership
            }
            Some(_) if self.position == Position::Outside => Membership::None,
            Some(field) => {
                if self.ends_after_any && !matches!(field, Field::Sitemap | Field::Host) {
                    self.position = Position::Rules;
                }
                Membership::Same
            }
        }
    }
}

/// A receiver of the groups that a robot obeys ([`read_obeyed`]).
pub(crate) trait ObeyedGroups {
    /// Forgets all groups so far: the next one has a nearer name of the robot.
    fn clear(&mut self);

    /// Begins a group. `agent_line` is the `User-agent` line that names the robot; `None` if the group begins
    /// with a rule.
    fn begin(&mut self, agent_line: Option<ViewLine>);

    /// Adds a line of the group that applies to the robot, in order. For a rule, `is_version_2` is already that of
    /// [`end`](Self::end): the first known field decides it, and a rule is a known field.
    fn add(&mut self, line: ViewLine, is_version_2: bool);

    /// Ends the group. `is_version_2` is true if the first known field after `User-agent` states Conner's
    /// version 2.0 or later (docs/semantics.md, section 3.3).
    fn end(&mut self, is_version_2: bool);
}

/// Passes on the lines of the groups that a robot obeys. Reads the file once.
///
/// A robot obeys the groups of the first of its names that has any; if there are none, the default
/// groups. If there are several, the dialect's [`GroupChoice`] may select the first.
///
/// All rules of a group apply. Another directive applies if the run of `User-agent` lines above it
/// names the robot. An example is `User-agent: a`, `Crawl-delay: 1`, `User-agent: b`,
/// `Crawl-delay: 2`, `Disallow: /`. The rule applies to both robots, as other records do not end a
/// group (RFC 9309, 2.2.4). Each delay applies to one robot: the standards do not state this, but it is
/// the evident intent and common practice.
pub(crate) fn read_obeyed(view: View<'_>, agent: &Agent<'_>, groups: &mut impl ObeyedGroups) {
    if view.dialect.group_end == GroupEnd::AgentOrEmptyLine {
        read_records(&view, agent, groups);
    } else {
        read_lines(view, agent, groups);
    }
}

/// Returns the lines of the groups that a robot obeys, except their rules: those that [`read_obeyed`] passes on.
pub(crate) fn lines_except_rules(view: View<'_>, agent: &Agent<'_>) -> Vec<ViewLine> {
    let mut obeyed = LinesExceptRules(Vec::new());
    read_obeyed(view, agent, &mut obeyed);
    obeyed.0
}

struct LinesExceptRules(Vec<ViewLine>);

impl ObeyedGroups for LinesExceptRules {
    fn clear(&mut self) {
        self.0.clear();
    }

    fn begin(&mut self, _: Option<ViewLine>) {}

    fn add(&mut self, line: ViewLine, _is_version_2: bool) {
        if !matches!(line.field, Some(Field::Allow | Field::Disallow)) {
            self.0.push(line);
        }
    }

    fn end(&mut self, _is_version_2: bool) {}
}

/// Does what [`read_obeyed`] does, for a dialect that leaves out lines. Most dialects do not need it.
#[cold]
fn read_records(view: &View<'_>, agent: &Agent<'_>, groups: &mut impl ObeyedGroups) {
    let records = view.records();
    let view = view.clone().for_groups(records.as_deref());
    read_lines(view, agent, groups);
}

/// Does what [`read_obeyed`] does, with the lines from which groups are made.
#[inline(never)]
fn read_lines(view: View<'_>, agent: &Agent<'_>, groups: &mut impl ObeyedGroups) {
    let body = view.body();
    let dialect = view.dialect;
    let of_star = agent.nearness_of_star(dialect);
    let mut grouping = Grouping::new(dialect);
    // The smallest nearness in the file so far.
    let mut nearest = Nearness::FARTHEST;
    // The first name with it, if only groups of this name count; `None` for `*`.
    let mut nearest_name = None;
    let mut group = CurrentGroup::default();
    for line in view {
        let membership = grouping.assign(line.field);
        let is_agent = line.field == Some(Field::UserAgent);
        if membership != Membership::Same || is_agent {
            // A new group ends the last one, and so may a blank line.
            if membership == Membership::New || grouping.position == Position::Outside {
                group.end(groups);
            }
            if membership == Membership::None {
                continue;
            }
            let (named, agent_line) = if is_agent {
                let value = line.value(body);
                let agent_line = line.with_length(value.len());
                (agent.nearness(value, dialect), Some(agent_line))
            } else {
                // The rules before all `User-agent` lines, and directives among them, apply to every robot
                // that obeys `*`.
                let star = agent.obeys_star().then_some((of_star, &b"*"[..]));
                (star, None)
            };
            let nearness = named.map(|(nearness, _)| nearness);
            let name = named
                .filter(|_| dialect.group_choice == GroupChoice::LongestName)
                .and_then(|(_, listed)| key_of_line(listed, dialect.agent_match));
            let is_only_first = match dialect.group_choice {
                GroupChoice::First => true,
                GroupChoice::FirstOrAllDefault => nearness != Some(of_star),
                GroupChoice::All | GroupChoice::LongestName => false,
            };
            // Begins the group for the robot, unless another `User-agent` line of it has done so. A nearer
            // name replaces all earlier groups; the same name adds a group, if the dialect reads several.
            if let Some(nearness) = nearness
                && nearness <= nearest
                && group.nearness != Some(nearness)
                && !(nearness == nearest && (is_only_first || name != nearest_name))
            {
                if nearness < nearest {
                    groups.clear();
                    nearest_name = name;
                }
                nearest = nearness;
                group.nearness = Some(nearness);
                groups.begin(agent_line);
            }
            group.note_agent(nearness);
            if is_agent {
                continue;
            }
        }
        group.add(line, body, groups);
    }
    group.end(groups);
}

/// The group of the current line.
#[derive(Default)]
struct CurrentGroup {
    /// The nearness of the name by which the robot obeys the group; `None` if it does not.
    nearness: Option<Nearness>,
    /// Whether the run of `User-agent` lines above names the robot.
    is_named: bool,
    /// Whether a directive has ended that run ([`Group::directives`]).
    has_run_ended: bool,
    /// Whether the group has Conner's version 2.0, once its first known field is read.
    is_version_2: Option<bool>,
}

impl CurrentGroup {
    /// Takes a `User-agent` line into account, or the first rule of a default group, with its nearness to the robot.
    fn note_agent(&mut self, nearness: Option<Nearness>) {
        // The line begins a new run if a directive has ended the last one.
        self.is_named &= !self.has_run_ended;
        self.is_named |= nearness.is_some() && nearness == self.nearness;
        self.has_run_ended = false;
    }

    /// Adds a line that is not a `User-agent` line.
    #[inline]
    fn add(&mut self, line: ViewLine, body: &[u8], groups: &mut impl ObeyedGroups) {
        RobotVersion::note(&mut self.is_version_2, &line, body);
        let applies = match line.field {
            Some(Field::Allow | Field::Disallow) => true,
            None => false,
            Some(field) => {
                self.has_run_ended |= field.ends_run();
                self.is_named
            }
        };
        if applies && self.nearness.is_some() {
            groups.add(line, self.is_version_2.unwrap_or_default());
        }
    }

    /// Ends the group, if there is one; the next line is in another.
    fn end(&mut self, groups: &mut impl ObeyedGroups) {
        if self.nearness.is_some() {
            groups.end(self.is_version_2.unwrap_or_default());
        }
        *self = Self::default();
    }
}
