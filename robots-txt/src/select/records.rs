//! The lines of a file from which the groups of [`GroupEnd::AgentOrEmptyLine`](crate::dialect::GroupEnd::AgentOrEmptyLine)
//! are made.
//!
//! A group needs a rule, a `Crawl-delay` or a `Request-rate`; one that names `*` has no other names. So its
//! lines are held back until such a directive follows; at an empty line, its `User-agent` lines are dropped. The lines that are
//! left can be grouped as the records of 1994 are: an empty line ends each group. Linear in the lines.

use crate::parse::field::Field;
use crate::select::agent::{is_star, names};
use crate::select::view::{View, ViewLine};

/// Returns the lines of the groups that have an effect, with an empty line between two groups, and the directives
/// outside groups. Each line of the view must be read again, so that empty lines are known.
pub(super) fn of(view: View<'_>) -> Vec<ViewLine> {
    let mut records = Records {
        view: view.clone(),
        position: Position::Outside,
        held: Vec::new(),
        lines: Vec::new(),
    };
    view.for_each(|line| records.add(line));
    if records.position == Position::Agents {
        records.drop_agents();
    }
    records.lines
}

/// The lines so far.
struct Records<'a> {
    /// The file and its dialect.
    view: View<'a>,
    position: Position,
    /// The lines of a group that has no effect so far, in order: a directive other than a rule applies to the `User-agent` lines
    /// above it.
    held: Vec<ViewLine>,
    /// The lines that are left.
    lines: Vec<ViewLine>,
}

/// A position between two lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Position {
    /// In no group.
    Outside,
    /// In a group that has no effect so far.
    Agents,
    /// In a group that has an effect.
    Effective,
}

impl Records<'_> {
    fn add(&mut self, line: ViewLine) {
        match line.field {
            None if line.is_empty() => {
                self.lines.push(line);
                self.drop_agents();
                self.position = Position::Outside;
            }
            // A line of white space.
            None => {}
            Some(Field::UserAgent) => {
                if self.position == Position::Effective {
                    self.lines.push(line.as_empty());
                }
                self.held.push(line);
                self.position = Position::Agents;
            }
            Some(Field::Allow | Field::Disallow | Field::CrawlDelay | Field::RequestRate) => {
                if self.position == Position::Agents {
                    self.accept_agents();
                    self.position = Position::Effective;
                }
                self.lines.push(line);
            }
            Some(_) if self.position == Position::Agents => self.held.push(line),
            Some(_) => self.lines.push(line),
        }
    }

    /// Passes on the lines that were held back: the group has an effect.
    fn accept_agents(&mut self) {
        let (body, dialect) = (self.view.body(), self.view.dialect);
        let has_star = |line: &ViewLine| {
            names(line.value(body), dialect).any(|name| is_star(name, dialect.agent_match))
        };
        if self
            .held
            .iter()
            .any(|line| is_agent(line) && has_star(line))
        {
            self.held.retain(|line| !is_agent(line) || has_star(line));
            // The group of `*` has all directives of its record, also those of the names that it does not have.
            self.held.sort_by_key(|line| !is_agent(line));
        }
        self.lines.append(&mut self.held);
    }

    /// Drops the `User-agent` lines that were held back: their group has no effect.
    fn drop_agents(&mut self) {
        self.held.retain(|line| !is_agent(line));
        self.lines.append(&mut self.held);
    }
}

fn is_agent(line: &ViewLine) -> bool {
    line.field == Some(Field::UserAgent)
}
