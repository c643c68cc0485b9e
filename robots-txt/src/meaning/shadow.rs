//! Rules that can never decide: duplicates of other rules, rules that others always outrank, and
//! patterns that match no path.

use super::url_of;
use super::walk::{Go, Prune, walk};
use crate::rules::{Rule, Rules};
use crate::target::Target;
use std::collections::{HashMap, HashSet};

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

    /// Whether every path was considered. If not, only duplicates are given.
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
        let lines: Vec<usize> = self.ranked_lines();
        let mut deciding = HashSet::new();
        let is_complete = walk(&[self], Prune::Settled, |found| {
            let rule = found.deciding.first().copied().flatten();
            let line = rule.and_then(|rule| lines.get(rule as usize));
            deciding.extend(line.copied());
            if deciding.len() == lines.len() {
                Go::Stop
            } else {
                Go::On
            }
        });
        let mut first_of: HashMap<(Vec<u8>, crate::RuleKind), Rule<'_>> = HashMap::new();
        let mut shadows = Vec::new();
        for rule in self.iter() {
            let first = *first_of
                .entry((rule.canonical_pattern(), rule.kind()))
                .or_insert(rule);
            if deciding.contains(&rule.line()) {
                continue;
            }
            let cause = if first != rule {
                ShadowCause::Duplicate(first)
            } else if is_complete {
                match self.example(&rule).and_then(|path| self.rule_for(&path)) {
                    Some(winner) => ShadowCause::Outranked(winner),
                    None => ShadowCause::NeverMatches,
                }
            } else {
                continue;
            };
            shadows.push(Shadow { rule, cause });
        }
        Shadows {
            shadows,
            is_complete,
        }
    }

    /// A shortest path that a rule matches, in the form of a path; `None` if it matches none.
    fn example(&self, rule: &Rule<'_>) -> Option<String> {
        let alone = self.only(rule);
        let mut example = None;
        walk(&[&alone], Prune::Settled, |found| {
            let line = found.deciding.first().copied().flatten();
            let is_own_path = found.path() == "/robots.txt";
            if line.is_some() && !is_own_path {
                example = Some(found.path());
                Go::Stop
            } else {
                Go::On
            }
        });
        example
    }

    fn rule_for(&self, path: &str) -> Option<Rule<'_>> {
        self.verdict(&Target::new(&url_of(path))).rule()
    }
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
