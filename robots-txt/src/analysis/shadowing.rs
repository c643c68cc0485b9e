//! Rules that can never decide: duplicates of other rules, rules that others always outrank, and
//! patterns that match no path.

use super::automaton::FIRST_RULE;
use super::fast_path::{Repeated, all_decide};
use super::probe::{ProbeResult, target_of};
use super::search::{Budget, Prune, search};
use crate::dialect::Dialect;
use crate::parse::document::RobotsTxt;
use crate::parse::field::Field;
use crate::rules::{Rule, Rules};
use crate::select::directive::Directive;
use std::collections::HashMap;
use std::ops::ControlFlow;

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
    cause: ShadowCause<Rule<'r>>,
}

/// The reason why a rule can never decide. `R` names other rules: a [`Rule`], or the 0-based index of a directive.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum ShadowCause<R> {
    /// This earlier rule has the same pattern and the same effect.
    Duplicate(R),
    /// On every path that it matches, some other rule outranks it. The value is a rule that outranks it
    /// on a shortest of these paths.
    Outranked(R),
    /// Its pattern never matches a path, or matches only `/robots.txt`, which is always allowed.
    NeverMatches,
}

impl<'r> Shadows<'r> {
    /// Returns the rules, in file order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &Shadow<'r>> {
        self.shadows.iter()
    }

    /// Returns whether every path was considered. If not, some rules that never decide may be
    /// missing.
    pub fn is_complete(&self) -> bool {
        self.is_complete
    }
}

impl<'r> Shadow<'r> {
    /// Returns the rule.
    pub fn rule(&self) -> Rule<'r> {
        self.rule
    }

    /// Returns the reason why it can never decide.
    pub fn cause(&self) -> ShadowCause<Rule<'r>> {
        self.cause
    }
}

impl Rules {
    /// Returns the rules that can never decide, for any path.
    ///
    /// ```
    /// use robots_txt::{Dialect, RobotsTxt};
    /// use robots_txt::analysis::ShadowCause;
    ///
    /// let robots = RobotsTxt::parse(b"User-agent: *\nDisallow: /a\nAllow: /a/b\nDisallow: /a");
    /// let rules = robots.rules("ExampleBot", &Dialect::BAIDU);
    /// let lines: Vec<_> = rules.shadows().iter().map(|shadow| shadow.rule().line()).collect();
    /// // The first rule that matches decides: these two never do.
    /// assert_eq!(lines, [3, 4]);
    /// ```
    pub fn shadows(&self) -> Shadows<'_> {
        let mut budget = Budget::new();
        let mut results = self.probe_rules();
        let mut is_complete = true;
        if results
            .iter()
            .any(|(_, result)| *result == ProbeResult::Unknown)
        {
            is_complete = self.find_deciding_rules(&mut results, &mut budget);
        }
        // After a complete search, a rule that is still unknown never decides. Only its cause is missing.
        let all_searched = is_complete;
        let mut shadows = Vec::new();
        for (rule, result) in results {
            let cause = match result {
                ProbeResult::Never(cause) => cause,
                ProbeResult::Unknown if all_searched => match self.example(&rule, &mut budget) {
                    Example::Path(path) => match self.rule_for(&path) {
                        Some(winner) => ShadowCause::Outranked(winner),
                        // Not expected: the rule itself matches the path.
                        None => continue,
                    },
                    Example::None => ShadowCause::NeverMatches,
                    Example::Unknown => {
                        is_complete = false;
                        continue;
                    }
                },
                ProbeResult::Decides | ProbeResult::Unknown => continue,
            };
            shadows.push(Shadow { rule, cause });
        }
        Shadows {
            shadows,
            is_complete,
        }
    }

    /// Returns the rules that provably never decide, as far as this needs no search: nearly all of
    /// them.
    fn shadows_without_search(&self) -> impl Iterator<Item = Shadow<'_>> {
        let results = self.probe_rules().into_iter();
        results.filter_map(|(rule, result)| match result {
            ProbeResult::Never(cause) => Some(Shadow { rule, cause }),
            ProbeResult::Decides | ProbeResult::Unknown => None,
        })
    }

    /// Searches all paths for the deciding rules among those with an unknown result, and returns whether the
    /// search was complete. If so, the rules that are still unknown never decide.
    pub(super) fn find_deciding_rules(
        &self,
        results: &mut [(Rule<'_>, ProbeResult<'_>)],
        budget: &mut Budget,
    ) -> bool {
        let ranked = self.ranked();
        let line_of = |rank: u32| {
            let at = rank.checked_sub(FIRST_RULE)? as usize;
            ranked.get(at).map(|rule| rule.line)
        };
        let mut unknown: HashMap<usize, &mut ProbeResult<'_>> = results
            .iter_mut()
            .filter(|(_, result)| *result == ProbeResult::Unknown)
            .map(|(rule, result)| (rule.line(), result))
            .collect();
        search(&[self], Prune::Settled, budget, |visited| {
            let rank = visited.deciding.first().copied().flatten();
            if let Some(result) = rank
                .and_then(line_of)
                .and_then(|line| unknown.remove(&line))
            {
                *result = ProbeResult::Decides;
            }
            if unknown.is_empty() {
                ControlFlow::Break(())
            } else {
                ControlFlow::Continue(())
            }
        })
    }

    /// Returns a shortest path that a rule matches.
    fn example(&self, rule: &Rule<'_>, budget: &mut Budget) -> Example {
        let alone = self.only(rule);
        let mut example = Example::None;
        let is_complete = search(&[&alone], Prune::Settled, budget, |visited| {
            let rank = visited.deciding.first().copied().flatten();
            // No rule decides, or the path is `/robots.txt`, which ranks before the first rule.
            if rank.is_none_or(|rank| rank < FIRST_RULE) {
                return ControlFlow::Continue(());
            }
            example = Example::Path(visited.path());
            ControlFlow::Break(())
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

/// The result of a search for a path that a rule matches.
enum Example {
    Path(String),
    None,
    /// The search was cut off.
    Unknown,
}

/// A directive that can never decide, by its index among the given directives. See
/// [`shadowed_directives`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ShadowedDirective {
    index: usize,
    cause: ShadowCause<usize>,
}

impl ShadowedDirective {
    /// Returns the 0-based index of the directive among the given directives.
    pub fn index(&self) -> usize {
        self.index
    }

    /// Returns the reason why it can never decide.
    pub fn cause(&self) -> ShadowCause<usize> {
        self.cause
    }
}

/// Returns the rules among some directives that provably never decide, without a search over all
/// paths: nearly all of those that [`Rules::shadows`] finds, at a fraction of its cost.
///
/// The directives must be in file order. Takes O(n log n) time in their number. Where their texts alone
/// are not enough, patterns are compared with each other, up to 2^30 bytes. The rules after that are
/// missing in the result.
///
/// ```
/// use robots_txt::{Dialect, RobotsTxt};
/// use robots_txt::analysis::{ShadowCause, shadowed_directives};
///
/// let robots = RobotsTxt::parse(b"User-agent: *\nDisallow: /a\nDisallow: /a");
/// let directives: Vec<_> = robots.directives(&Dialect::RFC9309).skip(1).collect();
/// let shadowed = shadowed_directives(&robots, &directives, &Dialect::RFC9309);
/// assert_eq!(shadowed[0].index(), 1);
/// assert_eq!(shadowed[0].cause(), ShadowCause::Duplicate(0));
/// ```
pub fn shadowed_directives(
    robots: &RobotsTxt,
    directives: &[Directive<'_>],
    dialect: &Dialect,
) -> Vec<ShadowedDirective> {
    // Under RFC 9309, the texts of most groups are enough: their rules need not be compiled.
    if *dialect == Dialect::RFC9309
        && let Some(repeated) = repeated_if_all_others_decide(directives)
    {
        return repeated;
    }
    let rules = Rules::of_directives(robots, directives, dialect);
    let index_of = |rule: &Rule<'_>| {
        let number = |directive: &Directive<'_>| directive.line().number();
        directives.binary_search_by_key(&rule.line(), number).ok()
    };
    let shadows = rules.shadows_without_search().filter_map(|shadow| {
        let cause = match shadow.cause {
            ShadowCause::Duplicate(of) => ShadowCause::Duplicate(index_of(&of)?),
            ShadowCause::Outranked(by) => ShadowCause::Outranked(index_of(&by)?),
            ShadowCause::NeverMatches => ShadowCause::NeverMatches,
        };
        let index = index_of(&shadow.rule)?;
        Some(ShadowedDirective { index, cause })
    });
    shadows.collect()
}

/// Returns the rules that repeat others, if the texts show that every other rule decides about some
/// path.
fn repeated_if_all_others_decide(directives: &[Directive<'_>]) -> Option<Vec<ShadowedDirective>> {
    let texts = directives.iter().map(|directive| {
        let allows = directive.field() == Field::Allow;
        (allows, directive.line().value())
    });
    // If some directives are not rules, this shortcut does not apply.
    if !directives.iter().all(Directive::is_rule) {
        return None;
    }
    let repeated = all_decide(texts)?
        .into_iter()
        .map(|Repeated { index, cause }| ShadowedDirective { index, cause });
    Some(repeated.collect())
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
    fn rules_that_never_decide_are_found() {
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
        // A rule that repeats an outranked rule is outranked, too.
        assert_eq!(
            shadows("Allow: /a**\nDisallow: /a\nDisallow: /a**", &rfc),
            [
                (3, "outranked by 2".to_owned()),
                (4, "outranked by 2".to_owned())
            ]
        );
        // The first rule decides about one path, the second about all others.
        assert_eq!(
            shadows(
                "Disallow: /a$\nDisallow: /a*",
                &rfc.with_rule_order(crate::dialect::RuleOrder::First)
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
