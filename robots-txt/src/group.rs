//! Groups: some `User-agent` lines and what they govern, and the groups that a robot obeys.
//!
//! A `User-agent` line begins a new group only after a rule (`Allow` or `Disallow`): blank lines,
//! sitemaps, delays and unknown fields end nothing (RFC 9309, 2.2.1 and 2.2.4; SEMANTICS 8.2) -
//! but to the older standards a blank line does ([`GroupEnd`]). Linear in the records.

use crate::agent::Agent;
use crate::dialect::{Dialect, GroupChoice, GroupEnd, RulesBeforeAgent};
use crate::document::Directive;
use crate::line::{Field, Line};
use crate::view::{Seen, SeenDirective, View};

/// Some `User-agent` lines and the directives that they govern.
#[derive(Debug, Clone, Default)]
pub struct Group<'a> {
    agents: Vec<Line<'a>>,
    directives: Vec<Directive<'a>>,
}

impl<'a> Group<'a> {
    /// The `User-agent` lines, in order. There are none only in the group of the rules before the
    /// first such line, to a dialect that gives them to everyone
    /// ([`RulesBeforeAgent::ForEveryone`]).
    pub fn agents(&self) -> &[Line<'a>] {
        &self.agents
    }

    /// The other directives of the group, in order: rules, delays, unknown fields.
    ///
    /// A directive between two `User-agent` lines of the group belongs to all of its robots.
    /// Sitemaps belong to the file and are left out.
    pub fn directives(&self) -> &[Directive<'a>] {
        &self.directives
    }
}

/// The groups of a file, in order, and what belongs to none.
pub(crate) fn groups<'a>(view: View<'a>, dialect: &Dialect) -> Vec<Group<'a>> {
    let body = view.body();
    let mut grouping = Grouping::new(dialect);
    let mut groups: Vec<Group<'a>> = Vec::new();
    for seen in view {
        let place = grouping.place(&seen);
        if place == Place::New {
            groups.push(Group::default());
        }
        let (Seen::Directive(seen), Some(group)) = (seen, groups.last_mut()) else {
            continue;
        };
        match (place, seen.field) {
            (Place::None, _) | (_, Field::Sitemap) => {}
            (_, Field::UserAgent) => group.agents.push(seen.line(body)),
            (_, field) => group
                .directives
                .push(Directive::new(field, seen.line(body))),
        }
    }
    groups
}

/// Where a line belongs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Place {
    /// To no group.
    None,
    /// To a group that begins with it.
    New,
    /// To the group of the line before.
    Same,
}

/// Sorts lines into groups, one after the other.
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
    pub(crate) fn place(&mut self, seen: &Seen<'_>) -> Place {
        let Seen::Directive(seen) = seen else {
            if self.ends_at_blank {
                self.state = State::Outside;
            }
            return Place::None;
        };
        match seen.field {
            Field::UserAgent => {
                let before = std::mem::replace(&mut self.state, State::Agents);
                self.begins_at_rule = false;
                if before == State::Agents {
                    Place::Same
                } else {
                    Place::New
                }
            }
            Field::Allow | Field::Disallow => {
                let place = match self.state {
                    State::Agents | State::Rules => Place::Same,
                    State::Outside if self.begins_at_rule => Place::New,
                    State::Outside => return Place::None,
                };
                self.state = State::Rules;
                place
            }
            _ if self.state == State::Outside => Place::None,
            _ => Place::Same,
        }
    }
}

/// A group that a robot obeys.
pub(crate) struct Chosen<'a> {
    /// The `User-agent` line that says so; `None` if the group begins with a rule.
    pub(crate) agent: Option<SeenDirective<'a>>,
    first: SeenDirective<'a>,
    grouping: Grouping,
    rest: View<'a>,
}

impl<'a> Chosen<'a> {
    /// What the group governs, in order: what is no `User-agent` line, sitemaps included.
    pub(crate) fn directives(self) -> impl Iterator<Item = SeenDirective<'a>> {
        let mut grouping = self.grouping;
        let mut is_over = false;
        let rest = self.rest.map_while(move |seen| {
            is_over |= match grouping.place(&seen) {
                Place::New => true,
                // A blank line may have ended it.
                Place::None => grouping.state == State::Outside,
                Place::Same => false,
            };
            (!is_over).then_some(seen)
        });
        std::iter::once(Seen::Directive(self.first))
            .chain(rest)
            .filter_map(|seen| match seen {
                Seen::Directive(seen) if seen.field != Field::UserAgent => Some(seen),
                _ => None,
            })
    }
}

/// The groups that a robot obeys: those that the nearest of its names has, or of these the one
/// that the dialect takes; without any, those for everyone.
pub(crate) fn chosen<'a>(
    mut view: View<'a>,
    agent: &Agent<'_>,
    dialect: &Dialect,
) -> Vec<Chosen<'a>> {
    let body = view.body();
    let everyone = agent.names().count();
    let mut grouping = Grouping::new(dialect);
    let mut found: Vec<Chosen<'a>> = Vec::new();
    let mut best = usize::MAX;
    // How near the group at hand is.
    let mut nearest = usize::MAX;
    let mut group = None;
    while let Some(seen) = view.next() {
        let place = grouping.place(&seen);
        let Seen::Directive(seen) = seen else {
            continue;
        };
        if place == Place::New {
            group = Some((seen, grouping.clone(), view.clone()));
            nearest = usize::MAX;
        }
        let nearness = match (seen.field, place) {
            (Field::UserAgent, _) => agent.nearness(seen.value(body), dialect),
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
        } else if nearest == best {
            found.pop();
        }
        (best, nearest) = (nearness, nearness);
        found.push(Chosen {
            agent: (seen.field == Field::UserAgent).then_some(seen),
            first: *first,
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
