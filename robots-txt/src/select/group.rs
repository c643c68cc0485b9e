//! Groups: `User-agent` lines with the directives that they govern, and the groups that a robot
//! obeys.
//!
//! A `User-agent` line begins a new group only after a rule (`Allow` or `Disallow`): blank lines,
//! sitemaps, delays and unknown fields do not end a group (RFC 9309, 2.2.1 and 2.2.4;
//! docs/semantics.md, section 8.2). Under the older standards a blank line does ([`GroupEnd`]).
//! Linear in the marks.

use crate::dialect::{Dialect, GroupChoice, GroupEnd, RulesBeforeAgent};
use crate::parse::document::RobotsTxt;
use crate::parse::field::Field;
use crate::parse::line::Line;
use crate::select::agent::Agent;
use crate::select::directive::Directive;
use crate::select::robot_version::RobotVersion;
use crate::select::view::{LineClass, View, ViewLine};
use smallvec::SmallVec;
use std::fmt;

/// A group: some `User-agent` lines and the directives that they govern.
#[derive(Debug, Clone, Default)]
pub struct Group<'a> {
    agents: Vec<Line<'a>>,
    directives: Vec<Directive<'a>>,
}

impl<'a> Group<'a> {
    /// Returns the `User-agent` lines, in order. Empty only for a default group: under some dialects the
    /// rules before the first `User-agent` line are one ([`RulesBeforeAgent::DefaultGroup`]).
    pub fn agents(&self) -> &[Line<'a>] {
        &self.agents
    }

    /// Returns the other directives of the group, in order: rules, delays, unknown fields.
    ///
    /// A rule applies to all robots of the group. Another directive applies only to the robots of the
    /// run of `User-agent` lines above it
    /// ([`RobotsTxt::extensions_for`](crate::RobotsTxt::extensions_for)). A directive other than a rule
    /// ends such a run. Sitemaps belong to the file and are left out.
    pub fn directives(&self) -> &[Directive<'a>] {
        &self.directives
    }
}

impl RobotsTxt {
    /// Returns the groups of the file as a dialect sees them, in order.
    pub fn groups<'a>(&'a self, dialect: &'a Dialect) -> Vec<Group<'a>> {
        let mut groups = Groups::new(dialect);
        for line in self.view(dialect) {
            groups.add(line.field, || line.directive(self.body(), dialect));
        }
        groups.finish()
    }

    /// Returns a builder that sorts the lines of this file into groups while the caller reads them.
    pub fn group_builder<'a>(&'a self, dialect: &'a Dialect) -> GroupBuilder<'a> {
        GroupBuilder {
            view: self.view(dialect),
            groups: Groups::new(dialect),
        }
    }
}

/// A builder of the groups of a file, for callers that read its lines themselves: one pass instead
/// of [`RobotsTxt::lines`], [`RobotsTxt::directives`] and [`RobotsTxt::groups`].
///
/// ```
/// use robots_txt::{Dialect, RobotsTxt};
///
/// let robots = RobotsTxt::parse(b"User-agent: *\nDisallow: /\n# a comment\n");
/// let mut builder = robots.group_builder(&Dialect::RFC9309);
/// let directives = robots.lines().filter_map(|line| builder.add(line)).count();
/// assert_eq!(directives, 2);
/// assert_eq!(builder.finish().len(), 1);
/// ```
pub struct GroupBuilder<'a> {
    view: View<'a>,
    groups: Groups<'a>,
}

impl<'a> GroupBuilder<'a> {
    /// Adds the next line of the file ([`RobotsTxt::lines`], in order). Returns it as the dialect reads
    /// it, if it is a directive.
    pub fn add(&mut self, line: Line<'a>) -> Option<Directive<'a>> {
        match self.view.classify(line)? {
            LineClass::Blank => {
                self.groups.add(None, || None);
                None
            }
            LineClass::Directive(directive) => {
                self.groups.add(Some(directive.field()), || Some(directive));
                Some(directive)
            }
            LineClass::Other => None,
        }
    }

    /// Returns the groups, in order: those that [`RobotsTxt::groups`] returns.
    pub fn finish(self) -> Vec<Group<'a>> {
        self.groups.finish()
    }
}

impl fmt::Debug for GroupBuilder<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("GroupBuilder")
            .field("groups", &self.groups.groups.len())
            .finish_non_exhaustive()
    }
}

/// The groups of the lines so far.
struct Groups<'a> {
    grouping: Grouping,
    groups: Vec<Group<'a>>,
}

impl<'a> Groups<'a> {
    fn new(dialect: &Dialect) -> Self {
        Self {
            grouping: Grouping::new(dialect),
            groups: Vec::new(),
        }
    }

    /// Adds the next line: its field, `None` if it is blank, and the line as a directive.
    fn add(&mut self, field: Option<Field>, directive: impl FnOnce() -> Option<Directive<'a>>) {
        let membership = self.grouping.assign(field);
        if membership == Membership::New {
            self.shrink();
            self.groups.push(Group::default());
        }
        if matches!(
            (membership, field),
            (Membership::None, _) | (_, Some(Field::Sitemap))
        ) {
            return;
        }
        let (Some(group), Some(directive)) = (self.groups.last_mut(), directive()) else {
            return;
        };
        if field == Some(Field::UserAgent) {
            group.agents.push(directive.line());
        } else {
            group.directives.push(directive);
        }
    }
}

impl<'a> Groups<'a> {
    /// Frees what the last group does not need: a file may have as many groups as lines.
    fn shrink(&mut self) {
        if let Some(last) = self.groups.last_mut() {
            last.agents.shrink_to_fit();
            last.directives.shrink_to_fit();
        }
    }

    fn finish(mut self) -> Vec<Group<'a>> {
        self.shrink();
        self.groups
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
    /// In a group that has a rule.
    Rules,
}

impl Grouping {
    pub(crate) fn new(dialect: &Dialect) -> Self {
        Self {
            ends_at_blank: dialect.group_end == GroupEnd::AgentOrBlankLine,
            begins_at_rule: dialect.rules_before_agent == RulesBeforeAgent::DefaultGroup,
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
            Some(_) => Membership::Same,
        }
    }
}

/// A group that a robot obeys: an iterator over the lines that apply to the robot, in order.
///
/// All rules of the group apply. Another directive applies if the run of `User-agent` lines above it
/// names the robot. An example is `User-agent: a`, `Crawl-delay: 1`, `User-agent: b`,
/// `Crawl-delay: 2`, `Disallow: /`. The rule applies to both robots, as other records do not end a
/// group (RFC 9309, 2.2.4). Each delay applies to one robot: the standards do not state this, but it is
/// the evident intent and common practice.
pub(crate) struct Chosen<'a, 'n> {
    /// The `User-agent` line that names the robot; `None` if the group begins with a
    /// rule.
    pub(crate) by: Option<ViewLine>,
    agent: &'n Agent<'n>,
    /// The index of the name by which the group was chosen, among the robot's names; see
    /// `Agent::nearness`. The smallest wins.
    nearness: usize,
    /// The line that begins the group, until it is returned.
    first: Option<ViewLine>,
    grouping: Grouping,
    rest: View<'a>,
    /// Whether the run of `User-agent` lines above names the robot.
    is_named: bool,
    /// Whether another directive has ended that run.
    is_over: bool,
    /// Whether the group has Conner's version 2.0, once its first known field is read.
    is_version_2: Option<bool>,
}

impl Chosen<'_, '_> {
    /// Returns whether the group has Conner's version 2.0: its first known field after `User-agent`
    /// states it (docs/semantics.md, section 3.3). This is known before any rule is returned.
    pub(crate) fn is_version_2(&self) -> bool {
        self.is_version_2.unwrap_or_default()
    }
}

impl Iterator for Chosen<'_, '_> {
    type Item = ViewLine;

    #[inline]
    fn next(&mut self) -> Option<ViewLine> {
        loop {
            let line = if let Some(first) = self.first.take() {
                first
            } else {
                let line = self.rest.next()?;
                let membership = self.grouping.assign(line.field);
                // A blank line may have ended it.
                if membership == Membership::New || self.grouping.position == Position::Outside {
                    self.grouping.position = Position::Outside;
                    return None;
                }
                line
            };
            let is_known = !matches!(line.field, None | Some(Field::UserAgent | Field::Other));
            if is_known && self.is_version_2.is_none() {
                self.is_version_2 = Some(RobotVersion::states_version_2(&line, self.rest.body()));
            }
            match line.field {
                // Directives of the file may occur anywhere.
                None | Some(Field::Sitemap | Field::Host | Field::CleanParam | Field::Other) => {}
                Some(Field::UserAgent) => {
                    let value = line.value(self.rest.body());
                    let nearness = self.agent.nearness(value, self.rest.dialect);
                    self.is_named &= !self.is_over;
                    self.is_named |= nearness == Some(self.nearness);
                    self.is_over = false;
                    continue;
                }
                Some(Field::Allow | Field::Disallow) => return Some(line),
                Some(_) => self.is_over = true,
            }
            if self.is_named && line.field.is_some() {
                return Some(line);
            }
        }
    }
}

/// The groups that a robot obeys; more than one, which is rare, cost an allocation.
pub(crate) type AllChosen<'a, 'n> = SmallVec<[Chosen<'a, 'n>; 1]>;

/// Returns the groups that a robot obeys: those of the nearest of its names, or the one of them
/// that the dialect selects; if there are none, the default groups.
pub(crate) fn chosen<'a, 'n>(mut view: View<'a>, agent: &'n Agent<'n>) -> AllChosen<'a, 'n> {
    let body = view.body();
    let dialect = view.dialect;
    let of_star = agent.nearness_of_star();
    let mut grouping = Grouping::new(dialect);
    let mut chosen = AllChosen::new();
    // The smallest nearness in the file so far.
    let mut best = usize::MAX;
    // The smallest nearness in the current group so far.
    let mut nearest = usize::MAX;
    let mut group = None;
    while let Some(line) = view.next() {
        let membership = grouping.assign(line.field);
        if membership == Membership::New {
            group = Some((line, grouping.clone(), view.clone()));
            nearest = usize::MAX;
        }
        let nearness = match (line.field, membership) {
            (Some(Field::UserAgent), _) => agent.nearness(line.value(body), dialect),
            (_, Membership::New) => agent.obeys_star().then_some(of_star),
            _ => continue,
        };
        let (Some(nearness), Some((first, grouping, rest))) = (nearness, &group) else {
            continue;
        };
        if nearness > best || nearness >= nearest {
            continue;
        }
        if nearness < best {
            chosen.clear();
        }
        (best, nearest) = (nearness, nearness);
        chosen.push(Chosen {
            by: (line.field == Some(Field::UserAgent)).then_some(line),
            agent,
            nearness,
            // The rules before all `User-agent` lines, and directives among them, apply to
            // everyone.
            is_named: line.field != Some(Field::UserAgent),
            is_over: false,
            is_version_2: None,
            first: Some(*first),
            grouping: grouping.clone(),
            rest: rest.clone(),
        });
    }
    match dialect.group_choice {
        GroupChoice::FirstOrAllDefault if best == of_star => {}
        GroupChoice::First | GroupChoice::FirstOrAllDefault => chosen.truncate(1),
        GroupChoice::All => {}
    }
    chosen
}
