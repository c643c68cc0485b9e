//! Rules that can never decide: duplicates of other rules, rules that others always outrank, and
//! patterns that match no path.

use super::machine::FIRST_RULE;
use super::url_of;
use super::walk::{Budget, Go, Prune, walk};
use crate::pattern::{Shape, split_end};
use crate::rules::{RankedRule, Rule, Rules};
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
        let ranked = self.ranked();
        let line_of = |rank: u32| {
            let at = rank.checked_sub(FIRST_RULE)? as usize;
            ranked.get(at).map(|rule| rule.line)
        };
        let canonical: HashMap<usize, (Vec<u8>, bool)> = ranked
            .iter()
            .rev()
            .map(|rule| (rule.line, (rule.canonical_pattern(), rule.allows)))
            .collect();
        let mut budget = Budget::new();
        let mut deciding = HashSet::new();
        let mut is_complete = walk(&[self], Prune::Settled, &mut budget, |found| {
            let rank = found.deciding.first().copied().flatten();
            deciding.extend(rank.and_then(line_of));
            if deciding.len() == canonical.len() {
                Go::Stop
            } else {
                Go::On
            }
        });
        let all_walked = is_complete;
        let mut first_of: HashMap<&(Vec<u8>, bool), Rule<'_>> = HashMap::new();
        let mut shadows = Vec::new();
        for rule in self.iter() {
            let Some(meaning) = canonical.get(&rule.line()) else {
                continue;
            };
            let first = *first_of.entry(meaning).or_insert(rule);
            if deciding.contains(&rule.line()) {
                continue;
            }
            let cause = if first != rule {
                ShadowCause::Duplicate(first)
            } else if all_walked {
                match self.example(&rule, &mut budget) {
                    Example::Path(path) => match self.rule_for(&path) {
                        Some(winner) => ShadowCause::Outranked(winner),
                        None => continue,
                    },
                    Example::None => ShadowCause::NeverMatches,
                    Example::Unknown => {
                        is_complete = false;
                        continue;
                    }
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
        self.verdict(&Target::new(&url_of(path))).rule()
    }
}

enum Example {
    Path(String),
    None,
    /// The walk was cut off.
    Unknown,
}

impl RankedRule<'_> {
    /// The shortest pattern that matches the same paths, with a byte before it that tells how it
    /// is compared.
    fn canonical_pattern(&self) -> Vec<u8> {
        match self.shape {
            Shape::Prefix => [b"<", self.compared].concat(),
            Shape::Exact => [b"=", self.compared].concat(),
            Shape::Shell => [b"s", self.form].concat(),
            Shape::Glob => {
                let (pattern, is_whole) = split_end(self.form);
                let mut short: Vec<u8> = Vec::with_capacity(pattern.len());
                for &byte in pattern {
                    if byte != b'*' || short.last() != Some(&b'*') {
                        short.push(byte);
                    }
                }
                // A star at the end takes what is left, whether the path must end there or not.
                let is_open = short.ends_with(b"*") || !is_whole;
                let short = short.strip_suffix(b"*").unwrap_or(&short);
                // Without stars it is one of the others.
                let mark: &[u8] = match (is_open, short.contains(&b'*')) {
                    (true, false) => b"<",
                    (false, false) => b"=",
                    (true, true) => b"*",
                    (false, true) => b"$",
                };
                [mark, short].concat()
            }
        }
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
        assert_eq!(
            shadows("Disallow: *\nDisallow:", &rfc),
            one(3, "outranked by 2")
        );
        assert_eq!(
            shadows("Disallow: /robots.txt\nAllow: /robots.txt", &rfc),
            one(2, "outranked by 3")
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
