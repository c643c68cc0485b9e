//! The changes between two files: by decision, not by text.

use super::PathVerdict;
use super::search::{Budget, Go, Prune, search};
use crate::dialect::Dialect;
use crate::parse::document::RobotsTxt;
use crate::rules::Rules;
use crate::select::agent::Agent;
use std::collections::HashSet;

/// The maximum number of changes in a comparison; others are left out.
pub const MAX_CHANGES: usize = 1_000;

/// The changes between two files.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Changes {
    changes: Vec<Change>,
    is_complete: bool,
}

/// A change: the paths that one rule of the old file decided, and another rule of the new file decides
/// otherwise. It has the shortest of them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    agent: String,
    path: String,
    before: PathVerdict,
    after: PathVerdict,
}

impl Changes {
    /// Returns the changes, in the order of the robots and then of the paths' lengths. There is one for
    /// each pair of rules that decide otherwise, at most [`MAX_CHANGES`] of them.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &Change> {
        self.changes.iter()
    }

    /// Returns whether there are none.
    pub fn is_empty(&self) -> bool {
        self.changes.is_empty()
    }

    /// Returns whether every path was considered. If not, there may be other changes.
    pub fn is_complete(&self) -> bool {
        self.is_complete
    }
}

impl Change {
    /// Returns the name of the robot.
    pub fn agent(&self) -> &str {
        &self.agent
    }

    /// Returns a path that was decided otherwise. It may begin with `//`, which
    /// [`Target::new`](crate::Target::new) reads as an authority: put an origin before it.
    pub fn path(&self) -> &str {
        &self.path
    }

    /// Returns the verdict of the old file on this path.
    pub fn before(&self) -> &PathVerdict {
        &self.before
    }

    /// Returns the verdict of the new file on this path.
    pub fn after(&self) -> &PathVerdict {
        &self.after
    }
}

/// Compares the decisions of two files for some robots.
///
/// ```
/// use robots_txt::{Agent, Dialect, RobotsTxt};
/// use robots_txt::analysis::diff;
///
/// let old = RobotsTxt::parse(b"User-agent: *\nDisallow: /a\nDisallow: /b");
/// let new = RobotsTxt::parse(b"User-agent: *\nDisallow: /b*\nDisallow: /a\nAllow: /a/open");
/// let changes = diff(&old, &new, &[Agent::new("ExampleBot")], &Dialect::RFC9309);
/// assert!(changes.is_complete());
/// let change = changes.iter().next().unwrap();
/// assert_eq!(change.path(), "/a/open");
/// assert!(change.after().is_allowed());
/// assert_eq!(changes.iter().len(), 1);
/// ```
pub fn diff(
    before: &RobotsTxt,
    after: &RobotsTxt,
    agents: &[Agent<'_>],
    dialect: &Dialect,
) -> Changes {
    let mut changes = Changes {
        changes: Vec::new(),
        is_complete: true,
    };
    for agent in agents {
        let pair = [before.rules(agent, dialect), after.rules(agent, dialect)];
        changes.is_complete &= compare(&pair, agent.name(), &mut changes.changes);
    }
    changes
}

/// Adds the changes between two sets of rules; returns whether these are all.
fn compare([before, after]: &[Rules; 2], agent: &str, changes: &mut Vec<Change>) -> bool {
    let mut seen = HashSet::new();
    search(
        &[before, after],
        Prune::Equal,
        &mut Budget::new(),
        |found| {
            if changes.len() >= MAX_CHANGES {
                return Go::Stop;
            }
            if let [was, is] = found.allows[..]
                && was != is
                && seen.insert(found.deciding.clone())
            {
                let path = found.path();
                changes.push(Change {
                    agent: agent.to_owned(),
                    before: PathVerdict::of(before, &path),
                    after: PathVerdict::of(after, &path),
                    path,
                });
            }
            Go::On
        },
    ) && changes.len() < MAX_CHANGES
}

#[cfg(test)]
mod tests {
    use super::*;

    fn paths(before: &str, after: &str) -> Vec<(String, bool)> {
        let parse = |rules: &str| RobotsTxt::parse(format!("User-agent: *\n{rules}").as_bytes());
        let changes = diff(
            &parse(before),
            &parse(after),
            &["a".into()],
            &Dialect::RFC9309,
        );
        assert!(changes.is_complete());
        for change in changes.iter() {
            assert_ne!(change.before().is_allowed(), change.after().is_allowed());
        }
        changes
            .iter()
            .map(|change| (change.path().to_owned(), change.after().is_allowed()))
            .collect()
    }

    #[test]
    fn equivalent_files_have_no_changes() {
        for (before, after) in [
            ("Disallow: /a\nDisallow: /b", "Disallow: /b\nDisallow: /a"),
            ("Disallow: /a", "Disallow: /a*"),
            ("Disallow: /a", "Disallow: /a\nDisallow: /ab\nAllow: /x"),
            ("Disallow: /~a", "Disallow: /%7Ea"),
            ("Disallow: /", "Disallow: *"),
            ("Disallow: /a*b", "Disallow: /a**b*"),
            ("Disallow:", ""),
        ] {
            assert_eq!(paths(before, after), [], "{before:?} {after:?}");
        }
    }

    #[test]
    fn a_change_has_its_shortest_path() {
        let one = |path: &str, is_allowed| vec![(path.to_owned(), is_allowed)];
        assert_eq!(paths("Disallow: /a", ""), one("/a", true));
        assert_eq!(paths("", "Disallow: /*.gif$"), one("/.gif", false));
        assert_eq!(paths("Disallow: /a$", "Disallow: /a"), one("/az", false));
        assert_eq!(paths("Disallow: /%C3%A9", ""), one("/%C3%A9", true));
        assert_eq!(
            paths("Disallow: /a", "Disallow: /b"),
            [("/b".to_owned(), false), ("/a".to_owned(), true)]
        );
        assert_eq!(
            paths("Disallow: /*?", "Disallow: /*?\nAllow: /*?x=*"),
            one("/?x=", true)
        );
    }
}
