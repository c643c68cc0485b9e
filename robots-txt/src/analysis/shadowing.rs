//! Rules that can never decide: duplicates of other rules, rules that others always outrank, and
//! patterns that match no path.

use super::automaton::FIRST_RULE;
use super::probe::{Seen, target_of};
use super::search::{Budget, Go, Prune, walk};
use crate::rules::{Rule, Rules};
use std::collections::HashMap;

/// The rules that can never decide.
#[derive(Debug, Clone)]
pub struct Shadows<'r> {
    shadows: Vec<Shadow<'r>>,
    is_complete: bool,
}

/// A rule that can never decide.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shadow<'r> {
    rule: Rule<'r>,
    cause: ShadowCause<'r>,
}

/// Why a rule can never decide.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum ShadowCause<'r> {
    /// Another rule has the same pattern and does the same, and is before it.
    Duplicate(Rule<'r>),
    /// Wherever it matches, another rule outranks it: on the shortest such path, this one.
    Outranked(Rule<'r>),
    /// Its pattern matches no path, or only `/robots.txt`, which is always allowed.
    NeverMatches,
}

impl<'r> Shadows<'r> {
    /// The rules, in file order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &Shadow<'r>> {
        self.shadows.iter()
    }

    /// Whether every path was considered. If not, some rules that never decide may be left out.
    pub fn is_complete(&self) -> bool {
        self.is_complete
    }
}

impl<'r> Shadow<'r> {
    /// The rule.
    pub fn rule(&self) -> Rule<'r> {
        self.rule
    }

    /// Why it can never decide.
    pub fn cause(&self) -> ShadowCause<'r> {
        self.cause
    }
}

impl Rules {
    /// The rules that can never decide, whatever is asked.
    ///
    /// ```
    /// use robots_txt::{Dialect, RobotsTxt, ShadowCause};
    ///
    /// let robots = RobotsTxt::parse(b"User-agent: *\nDisallow: /a\nAllow: /a/b\nDisallow: /a");
    /// let rules = robots.rules("ExampleBot", &Dialect::BAIDU);
    /// let lines: Vec<_> = rules.shadows().iter().map(|shadow| shadow.rule().line()).collect();
    /// // The first rule that matches decides: the others are never asked.
    /// assert_eq!(lines, [3, 4]);
    /// ```
    pub fn shadows(&self) -> Shadows<'_> {
        let mut budget = Budget::new();
        let mut seen = self.at_a_glance();
        let mut is_complete = true;
        if seen.iter().any(|(_, seen)| *seen == Seen::Unknown) {
            is_complete = self.walk_for(&mut seen, &mut budget);
        }
        let all_walked = is_complete;
        let mut shadows = Vec::new();
        for (rule, seen) in seen {
            let cause = match seen {
                Seen::Never(cause) => cause,
                Seen::Unknown if all_walked => match self.example(&rule, &mut budget) {
                    Example::Path(path) => match self.rule_for(&path) {
                        Some(winner) => ShadowCause::Outranked(winner),
                        None => continue,
                    },
                    Example::None => ShadowCause::NeverMatches,
                    Example::Unknown => {
                        is_complete = false;
                        continue;
                    }
                },
                Seen::Decides | Seen::Unknown => continue,
            };
            shadows.push(Shadow { rule, cause });
        }
        Shadows {
            shadows,
            is_complete,
        }
    }

    /// The rules that can be seen never to decide without a walk: nearly all of them.
    pub(crate) fn shadows_at_a_glance(&self) -> impl Iterator<Item = Shadow<'_>> {
        let seen = self.at_a_glance().into_iter();
        seen.filter_map(|(rule, seen)| match seen {
            Seen::Never(cause) => Some(Shadow { rule, cause }),
            Seen::Decides | Seen::Unknown => None,
        })
    }

    /// Finds rules that decide on a walk; whether it was complete. What is still unknown then never
    /// decides.
    pub(super) fn walk_for(&self, seen: &mut [(Rule<'_>, Seen<'_>)], budget: &mut Budget) -> bool {
        let ranked = self.ranked();
        let line_of = |rank: u32| {
            let at = rank.checked_sub(FIRST_RULE)? as usize;
            ranked.get(at).map(|rule| rule.line)
        };
        let mut unknown: HashMap<usize, &mut Seen<'_>> = seen
            .iter_mut()
            .filter(|(_, seen)| *seen == Seen::Unknown)
            .map(|(rule, seen)| (rule.line(), seen))
            .collect();
        walk(&[self], Prune::Settled, budget, |found| {
            let rank = found.deciding.first().copied().flatten();
            if let Some(seen) = rank
                .and_then(line_of)
                .and_then(|line| unknown.remove(&line))
            {
                *seen = Seen::Decides;
            }
            if unknown.is_empty() { Go::Stop } else { Go::On }
        })
    }

    /// A shortest path that a rule matches.
    fn example(&self, rule: &Rule<'_>, budget: &mut Budget) -> Example {
        let alone = self.only(rule);
        let mut example = Example::None;
        let is_complete = walk(&[&alone], Prune::Settled, budget, |found| {
            let rank = found.deciding.first().copied().flatten();
            if rank.is_none_or(|rank| rank < FIRST_RULE) {
                return Go::On;
            }
            example = Example::Path(found.path());
            Go::Stop
        });
        match example {
            Example::None if !is_complete => Example::Unknown,
            example => example,
        }
    }

    fn rule_for(&self, path: &str) -> Option<Rule<'_>> {
        self.verdict(&target_of(path)).rule()
    }
}

enum Example {
    Path(String),
    None,
    /// The walk was cut off.
    Unknown,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Dialect, RobotsTxt};

    fn shadows(rules: &str, dialect: &Dialect) -> Vec<(usize, String)> {
        let body = format!("User-agent: *\n{rules}");
        let rules = RobotsTxt::parse(body.as_bytes()).rules("a", dialect);
        let shadows = rules.shadows();
        assert!(shadows.is_complete());
        shadows
            .iter()
            .map(|shadow| {
                let cause = match shadow.cause() {
                    ShadowCause::Duplicate(of) => format!("duplicate of {}", of.line()),
                    ShadowCause::Outranked(by) => format!("outranked by {}", by.line()),
                    ShadowCause::NeverMatches => "never matches".to_owned(),
                };
                (shadow.rule().line(), cause)
            })
            .collect()
    }

    #[test]
    fn what_can_never_decide_is_found() {
        let rfc = Dialect::RFC9309;
        let one = |line, cause: &str| vec![(line, cause.to_owned())];
        assert_eq!(shadows("Disallow: /a\nAllow: /a/b", &rfc), []);
        assert_eq!(
            shadows("Disallow: /a\nDisallow: /b\nDisallow: /a", &rfc),
            one(4, "duplicate of 2")
        );
        assert_eq!(
            shadows("Disallow: /a*\nDisallow: /%61", &rfc),
            one(3, "duplicate of 2")
        );
        assert_eq!(
            shadows("Disallow: /a\nAllow: /a", &rfc),
            one(2, "outranked by 3")
        );
        assert_eq!(
            shadows("Disallow: /a\nAllow: a", &rfc),
            one(3, "never matches")
        );
        assert_eq!(
            shadows("Disallow: /robots.txt$", &rfc),
            one(2, "never matches")
        );
        assert_eq!(
            shadows("Disallow: *\nDisallow:", &rfc),
            one(3, "outranked by 2")
        );
        assert_eq!(
            shadows("Disallow: /robots.txt\nAllow: /robots.txt", &rfc),
            one(2, "outranked by 3")
        );
        // Who repeats a rule that is outranked is outranked, too.
        assert_eq!(
            shadows("Allow: /a**\nDisallow: /a\nDisallow: /a**", &rfc),
            [
                (3, "outranked by 2".to_owned()),
                (4, "outranked by 2".to_owned())
            ]
        );
        // Together, two rules hide a third.
        assert_eq!(
            shadows(
                "Disallow: /a$\nDisallow: /a*",
                &rfc.with_rule_order(crate::RuleOrder::First)
            ),
            []
        );
        assert_eq!(
            shadows("Disallow: /\nAllow: /a", &Dialect::KOSTER_1996),
            one(3, "outranked by 2")
        );
        assert_eq!(
            shadows("Allow: /*\nDisallow: /a", &Dialect::ALLOW_FIRST),
            one(3, "outranked by 2")
        );
    }
}
