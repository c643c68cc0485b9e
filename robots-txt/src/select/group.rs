//! Groups: `User-agent` lines with the directives that they govern, and the groups that a robot
//! obeys.
//!
//! A `User-agent` line begins a new group only after a rule (`Allow` or `Disallow`): blank lines,
//! sitemaps, delays and unknown fields do not end a group (RFC 9309, 2.2.1 and 2.2.4;
//! docs/semantics.md, section 8.2). Under the older standards a blank line does ([`GroupEnd`]).
//! Linear in the records.

use crate::dialect::{Dialect, GroupChoice, GroupEnd, RulesBeforeAgent};
use crate::parse::document::RobotsTxt;
use crate::parse::field::Field;
use crate::parse::line::Line;
use crate::select::agent::Agent;
use crate::select::directive::Directive;
use crate::select::robot_version::RobotVersion;
use crate::select::view::{Seen, Sight, View};
use smallvec::SmallVec;
use std::fmt;

/// A group: some `User-agent` lines and the directives that they govern.
#[derive(Debug, Clone, Default)]
pub struct Group<'a> {
    agents: Vec<Line<'a>>,
    directives: Vec<Directive<'a>>,
}

impl<'a> Group<'a> {
    /// Returns the `User-agent` lines, in order. Only the group of the rules before the first such
    /// line has none, under a dialect that applies them to everyone
    /// ([`RulesBeforeAgent::ForEveryone`]).
    pub fn agents(&self) -> &[Line<'a>] {
        &self.agents
    }

    /// Returns the other directives of the group, in order: rules, delays, unknown fields.
    ///
    /// A rule applies to all robots of the group; another directive to those of the `User-agent`
    /// lines directly above it, back to one that follows a directive
    /// ([`RobotsTxt::extensions_for`](crate::RobotsTxt::extensions_for)).
    /// Sitemaps belong to the file and are left out.
    pub fn directives(&self) -> &[Directive<'a>] {
        &self.directives
    }
}

impl RobotsTxt {
    /// Returns the groups of the file as a dialect sees them, in order.
    pub fn groups<'a>(&'a self, dialect: &'a Dialect) -> Vec<Group<'a>> {
        let mut groups = Groups::new(dialect);
        for seen in self.view(dialect) {
            groups.add(seen.field, || seen.directive(self.body(), dialect));
        }
        groups.groups
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
    /// Adds the next line of the file ([`RobotsTxt::lines`], in order), and returns the directive
    /// that it is under the dialect, if it is one.
    pub fn add(&mut self, line: Line<'a>) -> Option<Directive<'a>> {
        match self.view.sight(line)? {
            Sight::Blank => {
                self.groups.add(None, || None);
                None
            }
            Sight::Directive(directive) => {
                self.groups.add(Some(directive.field()), || Some(directive));
                Some(directive)
            }
            Sight::Nothing => None,
        }
    }

    /// Returns the groups, in order: those that [`RobotsTxt::groups`] returns.
    pub fn finish(self) -> Vec<Group<'a>> {
        self.groups.groups
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

    /// Adds the next line: its field, `None` if it is blank, and the directive that it is.
    fn add(&mut self, field: Option<Field>, directive: impl FnOnce() -> Option<Directive<'a>>) {
        let place = self.grouping.place(field);
        if place == Place::New {
            self.groups.push(Group::default());
        }
        if matches!((place, field), (Place::None, _) | (_, Some(Field::Sitemap))) {
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

/// The group that a line belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Place {
    /// To no group.
    None,
    /// To a group that begins with it.
    New,
    /// To the group of the line before.
    Same,
}

/// An assignment of lines to groups, line by line.
#[derive(Clone)]
pub(crate) struct Grouping {
    ends_at_blank: bool,
    /// Whether a rule may begin a group: before the first `User-agent` line.
    begins_at_rule: bool,
    state: State,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    /// In no group.
    Outside,
    /// In a group that has no rule yet.
    Agents,
    /// In a group that has one.
    Rules,
}

impl Grouping {
    pub(crate) fn new(dialect: &Dialect) -> Self {
        Self {
            ends_at_blank: dialect.group_end == GroupEnd::AgentOrBlankLine,
            begins_at_rule: dialect.rules_before_agent == RulesBeforeAgent::ForEveryone,
            state: State::Outside,
        }
    }

    #[inline]
    pub(crate) fn place(&mut self, field: Option<Field>) -> Place {
        match field {
            None => {
                if self.ends_at_blank {
                    self.state = State::Outside;
                }
                Place::None
            }
            Some(Field::UserAgent) => {
                let before = std::mem::replace(&mut self.state, State::Agents);
                self.begins_at_rule = false;
                if before == State::Agents {
                    Place::Same
                } else {
                    Place::New
                }
            }
            Some(Field::Allow | Field::Disallow) => {
                let place = match self.state {
                    State::Agents | State::Rules => Place::Same,
                    State::Outside if self.begins_at_rule => Place::New,
                    State::Outside => return Place::None,
                };
                self.state = State::Rules;
                place
            }
            Some(_) if self.state == State::Outside => Place::None,
            Some(_) => Place::Same,
        }
    }
}

/// A group that a robot obeys: an iterator over the lines that apply to the robot, in order: its
/// rules, and of other directives those that follow a run of `User-agent` lines in which the robot
/// is named. In `User-agent: a`, `Crawl-delay: 1`, `User-agent: b`, `Crawl-delay: 2`, `Disallow: /`
/// the rule applies to both (RFC 9309, 2.2.4: other records do not end a group), each delay to one
/// (not in any standard, but the evident intent, and common practice).
pub(crate) struct Chosen<'a, 'n> {
    /// The `User-agent` line that names the robot; `None` if the group begins with a
    /// rule.
    pub(crate) by: Option<Seen>,
    agent: &'n Agent<'n>,
    nearness: usize,
    /// The line that begins the group, until it is returned.
    first: Option<Seen>,
    grouping: Grouping,
    rest: View<'a>,
    /// Whether the run of `User-agent` lines above names the robot.
    is_named: bool,
    /// Whether another directive has ended that run.
    is_over: bool,
    /// Whether the group has Conner's version 2.0, once its first known field has been seen.
    speaks_2: Option<bool>,
}

impl Chosen<'_, '_> {
    /// Reports whether the group has Conner's version 2.0: its first known field after `User-agent`
    /// states it (docs/semantics.md, section 3.3). This is known before any rule is returned.
    pub(crate) fn is_extended(&self) -> bool {
        self.speaks_2.unwrap_or_default()
    }

    fn version(&self, seen: &Seen) -> bool {
        seen.field == Some(Field::RobotVersion)
            && RobotVersion::read(seen.number(), seen.value(self.rest.body()))
                .is_some_and(|version| version.is_extended())
    }
}

impl Iterator for Chosen<'_, '_> {
    type Item = Seen;

    #[inline]
    fn next(&mut self) -> Option<Seen> {
        loop {
            let seen = if let Some(first) = self.first.take() {
                first
            } else {
                let seen = self.rest.next()?;
                let place = self.grouping.place(seen.field);
                // A blank line may have ended it.
                if place == Place::New || self.grouping.state == State::Outside {
                    self.grouping.state = State::Outside;
                    return None;
                }
                seen
            };
            let is_known = !matches!(seen.field, None | Some(Field::UserAgent | Field::Other));
            if is_known && self.speaks_2.is_none() {
                self.speaks_2 = Some(self.version(&seen));
            }
            match seen.field {
                // Directives of the file may occur anywhere.
                None | Some(Field::Sitemap | Field::Host | Field::CleanParam | Field::Other) => {}
                Some(Field::UserAgent) => {
                    let value = seen.value(self.rest.body());
                    let nearness = self.agent.nearness(value, self.rest.dialect);
                    self.is_named &= !self.is_over;
                    self.is_named |= nearness == Some(self.nearness);
                    self.is_over = false;
                    continue;
                }
                Some(Field::Allow | Field::Disallow) => return Some(seen),
                Some(_) => self.is_over = true,
            }
            if self.is_named && seen.field.is_some() {
                return Some(seen);
            }
        }
    }
}

/// The number of groups on the stack: few robots obey more than one.
pub(crate) type AllChosen<'a, 'n> = SmallVec<[Chosen<'a, 'n>; 1]>;

/// Returns the groups that a robot obeys: those of the nearest of its names, or the one of them
/// that the dialect selects; if there are none, those for everyone.
pub(crate) fn chosen<'a, 'n>(mut view: View<'a>, agent: &'n Agent<'n>) -> AllChosen<'a, 'n> {
    let body = view.body();
    let dialect = view.dialect;
    let everyone = agent.everyone();
    let mut grouping = Grouping::new(dialect);
    let mut found = AllChosen::new();
    let mut best = usize::MAX;
    // The nearness of the group at hand.
    let mut nearest = usize::MAX;
    let mut group = None;
    while let Some(seen) = view.next() {
        let place = grouping.place(seen.field);
        if place == Place::New {
            group = Some((seen, grouping.clone(), view.clone()));
            nearest = usize::MAX;
        }
        let nearness = match (seen.field, place) {
            (Some(Field::UserAgent), _) => agent.nearness(seen.value(body), dialect),
            (_, Place::New) => agent.takes_star().then_some(everyone),
            _ => continue,
        };
        let (Some(nearness), Some((first, grouping, rest))) = (nearness, &group) else {
            continue;
        };
        if nearness > best || nearness >= nearest {
            continue;
        }
        if nearness < best {
            found.clear();
        }
        (best, nearest) = (nearness, nearness);
        found.push(Chosen {
            by: (seen.field == Some(Field::UserAgent)).then_some(seen),
            agent,
            nearness,
            // The rules before all `User-agent` lines, and directives among them, apply to
            // everyone.
            is_named: seen.field != Some(Field::UserAgent),
            is_over: false,
            speaks_2: None,
            first: Some(*first),
            grouping: grouping.clone(),
            rest: rest.clone(),
        });
    }
    match dialect.group_choice {
        GroupChoice::FirstOrAllForEveryone if best == everyone => {}
        GroupChoice::First | GroupChoice::FirstOrAllForEveryone => found.truncate(1),
        GroupChoice::All => {}
    }
    found
}

/// Returns the numbers of the `User-agent` lines with the nearest of a robot's names: two
/// robots with the same lines obey the same groups.
pub(crate) fn applying_lines(view: View<'_>, agent: &Agent<'_>) -> (Vec<usize>, bool) {
    let body = view.body();
    let dialect = view.dialect;
    let mut nearest = usize::MAX;
    let mut lines = Vec::new();
    for seen in view {
        if seen.field != Some(Field::UserAgent) {
            continue;
        }
        let nearness = agent.nearness(seen.value(body), dialect);
        let Some(nearness) = nearness.filter(|&nearness| nearness <= nearest) else {
            continue;
        };
        if nearness < nearest {
            nearest = nearness;
            lines.clear();
        }
        lines.push(seen.number());
    }
    // If no line names the robot, the groups for everyone may still apply.
    if lines.is_empty() && !agent.takes_star() {
        lines.push(0);
    }
    // One line may name a robot and `*`.
    (lines, nearest == agent.everyone())
}
