//! Many questions at once: many targets of one robot, many robots of one file.

use super::Rules;
use crate::dialect::{DelayScope, Dialect};
use crate::parse::document::RobotsTxt;
use crate::rules::verdict::Verdict;
use crate::select::agent::Agent;
use crate::select::group;
use crate::target::Target;
use std::collections::HashMap;

/// The rules of many robots of one file. Robots with the same `User-agent` lines share theirs. See
/// [`RobotsTxt::rules_of_all`].
#[derive(Debug, Clone)]
pub struct RulesOfAll {
    distinct: Vec<Rules>,
    /// The index of the rules of each robot.
    of: Vec<usize>,
}

impl RobotsTxt {
    /// Returns the rules for many robots, under a dialect, in their order.
    ///
    /// The `User-agent` lines are read once for each robot, and the rules are compiled once for
    /// all robots with the same lines: a thousand robots that a file does not name
    /// cost as much as one.
    ///
    /// ```
    /// use robots_txt::{Dialect, RobotsTxt, Target};
    ///
    /// let robots = RobotsTxt::parse(b"User-agent: a\nDisallow: /x\n\nUser-agent: *\nDisallow: /");
    /// let rules = robots.rules_of_all(["a", "b", "c"], &Dialect::RFC9309);
    /// assert_eq!(rules.distinct().len(), 2);
    /// let target = Target::new("https://example.com/y");
    /// let allowed: Vec<bool> = rules.verdicts(&target).map(|verdict| verdict.is_allowed()).collect();
    /// assert_eq!(allowed, [true, false, false]);
    /// ```
    pub fn rules_of_all<'n, A: Into<Agent<'n>>>(
        &self,
        agents: impl IntoIterator<Item = A>,
        dialect: &Dialect,
    ) -> RulesOfAll {
        let mut all = RulesOfAll {
            distinct: Vec::new(),
            of: Vec::new(),
        };
        let mut places = HashMap::new();
        for agent in agents {
            let agent = agent.into();
            // The delay of the groups for everyone may count too.
            let takes_star_delay =
                dialect.delay_scope == DelayScope::GroupOrEveryone && agent.takes_star();
            let lines = group::applying_lines(self.view(dialect), &agent);
            let place = *places.entry((lines, takes_star_delay)).or_insert_with(|| {
                all.distinct.push(self.rules(&agent, dialect));
                all.distinct.len().saturating_sub(1)
            });
            all.of.push(place);
        }
        all
    }
}

impl RulesOfAll {
    /// Returns the rules of each robot, in order.
    pub fn iter(&self) -> impl Iterator<Item = &Rules> {
        self.of.iter().filter_map(|&place| self.distinct.get(place))
    }

    /// Returns the different rules among them.
    pub fn distinct(&self) -> &[Rules] {
        &self.distinct
    }

    /// Returns whether each robot may fetch a target, in order. Each distinct set of rules is asked once.
    pub fn verdicts(&self, target: &Target<'_>) -> impl ExactSizeIterator<Item = Verdict<'_>> {
        let verdicts: Vec<Verdict<'_>> = self
            .distinct
            .iter()
            .map(|rules| rules.verdict(target))
            .collect();
        let each: Vec<Verdict<'_>> = self
            .of
            .iter()
            .filter_map(|&place| verdicts.get(place).copied())
            .collect();
        each.into_iter()
    }
}

impl Rules {
    /// Returns the verdicts on many targets, in order.
    pub fn verdicts<'r, 't, 'u: 't>(
        &'r self,
        targets: impl IntoIterator<Item = &'t Target<'u>>,
    ) -> impl Iterator<Item = Verdict<'r>> {
        targets.into_iter().map(|target| self.verdict(target))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn robots_with_the_same_groups_share_their_rules() {
        let robots = RobotsTxt::parse(
            b"User-agent: a\nUser-agent: b\nDisallow: /x\n\nUser-agent: *\nDisallow: /y",
        );
        let rules = robots.rules_of_all(["a", "b", "c", "A", "d"], &Dialect::RFC9309);
        // `a` and `b` are named on lines of their own, which their verdicts name.
        assert_eq!(rules.of, [0, 1, 2, 0, 2]);
        let targets = [Target::new("/x"), Target::new("/y")];
        for target in &targets {
            let alone = ["a", "b", "c", "A", "d"].map(|agent| {
                let rules = robots.rules(agent, &Dialect::RFC9309);
                rules.verdict(target).to_string()
            });
            let together: Vec<_> = rules.verdicts(target).map(|one| one.to_string()).collect();
            assert_eq!(together, alone);
        }
        let first = rules.iter().next().unwrap();
        let lines: Vec<_> = first.verdicts(&targets).map(|one| one.line()).collect();
        assert_eq!(lines, [Some(3), None]);
    }
}
