//! The changes between two files: by decision, not by text.

use super::PathVerdict;
use super::search::differing_paths;
use crate::dialect::Dialect;
use crate::parse::document::RobotsTxt;
use crate::rules::Rules;
use crate::select::agent::Agent;

/// The maximum number of changes in a comparison; others are left out.
pub const MAX_CHANGES: usize = 1_000;

/// The changes between two files.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Changes {
    changes: Vec<Change>,
    is_complete: bool,
}

/// A path on which the decisions of two files differ. It represents all paths with the same pair of
/// deciding rules.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Change {
    agent: String,
    path: String,
    before: PathVerdict,
    after: PathVerdict,
}

impl Changes {
    /// Returns the changes in the order of the robots, up to [`MAX_CHANGES`]. Each pair of deciding
    /// rules has one change. For each robot, short paths come first; an escape counts as one character.
    /// Paths with escapes that occur in no rule come last.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &Change> {
        self.changes.iter()
    }

    /// Returns whether there are no changes.
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

    /// Returns a path on which the decisions differ. It may begin with `//`, which
    /// [`Target::new`](crate::Target::new) reads as an authority: use [`Target::of_path`](crate::Target::of_path).
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

/// Compares the decisions of two files for some robots, each under a dialect. Robots of the same groups are compared once.
///
/// ```
/// use robots_txt::{Agent, Dialect, RobotsTxt};
/// use robots_txt::analysis::diff;
///
/// let old = RobotsTxt::parse(b"User-agent: *\nDisallow: /a\nDisallow: /b");
/// let new = RobotsTxt::parse(b"User-agent: *\nDisallow: /b*\nDisallow: /a\nAllow: /a/open");
/// let changes = diff(&old, &new, &[Agent::new("ExampleBot")], |_| &Dialect::RFC9309);
/// assert!(changes.is_complete());
/// let change = changes.iter().next().unwrap();
/// assert_eq!(change.path(), "/a/open");
/// assert!(change.after().is_allowed());
/// assert_eq!(changes.iter().len(), 1);
/// ```
pub fn diff<'d>(
    before: &RobotsTxt,
    after: &RobotsTxt,
    agents: &[Agent<'_>],
    dialect: impl Fn(&Agent<'_>) -> &'d Dialect,
) -> Changes {
    let asked = agents.iter().map(|agent| (agent.clone(), dialect(agent)));
    let asked: Vec<(Agent<'_>, &Dialect)> = asked.collect();
    let [before, after] = [before, after].map(|file| file.rules_of_each(&asked));
    let mut comparison = Comparison::new();
    let mut all = Changes {
        changes: Vec::new(),
        is_complete: true,
    };
    for ((agent, before), after) in agents.iter().zip(before.iter()).zip(after.iter()) {
        let changes = comparison.changes(agent.name(), before, after);
        all.is_complete &= changes.is_complete;
        all.changes.extend(changes.changes);
        if all.changes.len() > MAX_CHANGES {
            all.changes.truncate(MAX_CHANGES);
            all.is_complete = false;
            break;
        }
    }
    all
}

/// A comparison of the rules of many robots, one after the other. Rules that robots share
/// ([`Rules::shares_rules_with`]) are compared once.
#[derive(Debug, Clone, Default)]
pub struct Comparison {
    compared: Vec<ComparedRules>,
}

/// Two sets of rules, with the paths on which their decisions differ.
#[derive(Debug, Clone)]
struct ComparedRules {
    before: Rules,
    after: Rules,
    paths: Vec<String>,
    is_complete: bool,
}

impl Comparison {
    /// Creates a comparison that has compared nothing.
    pub fn new() -> Self {
        Self::default()
    }

    /// Returns the changes for a robot, between its rules before and after. The first comparison of two
    /// sets of rules is a search, which takes a while (see [`analysis`](super)). Finding its result again
    /// is linear in the number of comparisons so far.
    pub fn changes(&mut self, agent: &str, before: &Rules, after: &Rules) -> Changes {
        let earlier = self.compared.iter().find(|earlier| {
            earlier.before.shares_rules_with(before) && earlier.after.shares_rules_with(after)
        });
        if let Some(earlier) = earlier {
            return earlier.changes(agent, before, after);
        }
        let (paths, is_complete) = differing_paths(&[before, after], MAX_CHANGES);
        let compared = ComparedRules {
            before: before.clone(),
            after: after.clone(),
            paths,
            is_complete,
        };
        let changes = compared.changes(agent, before, after);
        self.compared.push(compared);
        changes
    }
}

impl ComparedRules {
    /// Returns the changes for a robot with these rules.
    fn changes(&self, agent: &str, before: &Rules, after: &Rules) -> Changes {
        let changes = self.paths.iter().map(|path| Change {
            agent: agent.to_owned(),
            before: PathVerdict::of(before, path),
            after: PathVerdict::of(after, path),
            path: path.clone(),
        });
        Changes {
            changes: changes.collect(),
            is_complete: self.is_complete,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dialect::Encoding;

    fn paths(before: &str, after: &str) -> Vec<(String, bool)> {
        let parse = |rules: &str| RobotsTxt::parse(format!("User-agent: *\n{rules}").as_bytes());
        let changes = diff(&parse(before), &parse(after), &["a".into()], |_| {
            &Dialect::RFC9309
        });
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
    fn what_is_closed_before_and_after_needs_no_search() {
        // Each has more states than a search considers.
        let rules = |words: [&str; 2]| {
            let [one, two] = words;
            let lines = (0..60_u32).map(|number| {
                let bits: String = (0..6)
                    .map(|bit| if number >> bit & 1 == 0 { 'a' } else { 'b' })
                    .collect();
                format!("Disallow: /*{bits}{one}*{two}{bits}\n")
            });
            lines.collect::<String>()
        };
        let (one, two) = (rules(["c", "d"]), rules(["e", "f"]));
        let changes = |before: &str, after: &str, dialect: &Dialect| {
            let [before, after] = [before, after]
                .map(|rules| RobotsTxt::parse(format!("User-agent: *\n{rules}").as_bytes()));
            diff(&before, &after, &["a".into()], |_| dialect)
        };
        let cut = changes(&one, &two, &Dialect::RFC9309);
        assert!(!cut.is_complete());
        let closed = |rules: &str| format!("Disallow: /\n{rules}");
        let open = |rules: &str| rules.replace("Disallow", "Allow");
        let rfc_table = Dialect::RFC9309.with_encoding(Encoding::RfcTable);
        for (before, after) in [
            (closed(&one), closed(&two)),
            (open(&one), open(&two)),
            (closed(&one), "Disallow: *\n".to_owned()),
            (one.clone(), one.clone()),
        ] {
            for dialect in [&Dialect::RFC9309, &Dialect::GOOGLE, &rfc_table] {
                let changes = changes(&before, &after, dialect);
                assert!(changes.is_complete(), "{before} {after}");
                assert!(changes.is_empty());
            }
        }
        // Where a path is open, the file may differ.
        let opened = changes(
            &closed(&one),
            &format!("Allow: /x$\n{}", closed(&two)),
            &Dialect::RFC9309,
        );
        assert!(opened.iter().any(|change| change.path() == "/x"));
        assert!(!changes("Disallow: /a", "Disallow: /b", &rfc_table).is_complete());
    }

    #[test]
    fn a_comparison_with_as_many_changes_as_are_kept_is_complete() {
        for (number, is_complete) in [(MAX_CHANGES, true), (MAX_CHANGES + 1, false)] {
            let rules = (0..number).map(|path| format!("Disallow: /{path:05}"));
            let rules = rules.collect::<Vec<_>>().join("\n");
            let after = RobotsTxt::parse(format!("User-agent: *\n{rules}").as_bytes());
            let changes = diff(&RobotsTxt::parse(b""), &after, &["a".into()], |_| {
                &Dialect::RFC9309
            });
            assert_eq!(changes.iter().len(), MAX_CHANGES);
            assert_eq!(changes.is_complete(), is_complete);
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
