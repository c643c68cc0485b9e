//! Rules that can never decide: duplicates of other rules, rules that others always outrank, and
//! patterns that match no path.

use super::probe::ProbeResult;
use crate::rules::{Rule, Rules};

/// A rule that can never decide.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shadow<'r> {
    rule: Rule<'r>,
    cause: ShadowCause<'r>,
}

/// The reason why a rule can never decide.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum ShadowCause<'r> {
    /// This earlier rule has the same pattern and the same effect.
    Duplicate(Rule<'r>),
    /// On every path that it matches, some other rule outranks it. The value is such a rule.
    Outranked(Rule<'r>),
    /// Its pattern never matches a path, or matches only `/robots.txt`, which is always allowed.
    NeverMatches,
}

impl<'r> Shadow<'r> {
    /// Returns the rule.
    pub fn rule(&self) -> Rule<'r> {
        self.rule
    }

    /// Returns the reason why it can never decide.
    pub fn cause(&self) -> ShadowCause<'r> {
        self.cause
    }
}

impl Rules {
    /// Returns the rules that provably never decide, for any path, in file order.
    ///
    /// Takes O(n log n) time in the number of rules, and one or two verdicts for each, which compare up to 2^30 bytes of
    /// patterns; the rules after that are missing in the result. So is a rule of which only a search over all paths could
    /// show that it never decides: one that several others outrank together, and some shell patterns.
    ///
    /// ```
    /// use robots_txt::{Dialect, RobotsTxt};
    ///
    /// let robots = RobotsTxt::parse(b"User-agent: *\nDisallow: /a\nAllow: /a/b\nDisallow: /a");
    /// let rules = robots.rules("ExampleBot", &Dialect::BAIDU);
    /// let shadows = rules.shadows();
    /// let lines: Vec<_> = shadows.iter().map(|shadow| shadow.rule().line()).collect();
    /// // The first rule that matches decides: these two never do.
    /// assert_eq!(lines, [3, 4]);
    /// ```
    pub fn shadows(&self) -> Vec<Shadow<'_>> {
        let results = self.probe_rules().into_iter();
        let shadows = results.filter_map(|(rule, result)| match result {
            ProbeResult::Never(cause) => Some(Shadow { rule, cause }),
            ProbeResult::Decides | ProbeResult::Unknown => None,
        });
        shadows.collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dialect::RuleOrder;
    use crate::{Dialect, RobotsTxt};

    /// Returns the line of each shadow, and its cause.
    fn shadows(rules: &str, dialect: &Dialect) -> String {
        let body = format!("User-agent: *\n{rules}");
        let rules = RobotsTxt::parse(body.as_bytes()).rules("a", dialect);
        let shadows = rules.shadows();
        let texts = shadows.iter().map(|shadow| {
            let line = shadow.rule().line();
            match shadow.cause() {
                ShadowCause::Duplicate(of) => format!("{line} repeats {}", of.line()),
                ShadowCause::Outranked(by) => format!("{line} outranked by {}", by.line()),
                ShadowCause::NeverMatches => format!("{line} never matches"),
            }
        });
        texts.collect::<Vec<_>>().join(", ")
    }

    #[test]
    fn rules_that_never_decide_are_found() {
        let (rfc, koster) = (Dialect::RFC9309, Dialect::KOSTER_1996);
        let first = rfc.with_rule_order(RuleOrder::First);
        let allow_first = Dialect::ALLOW_FIRST;
        for (dialect, rules, expected) in [
            (rfc, "Disallow: /a\nAllow: /a/b", ""),
            (
                rfc,
                "Disallow: /a\nDisallow: /b\nDisallow: /a",
                "4 repeats 2",
            ),
            (rfc, "Disallow: /a*\nDisallow: /%61", "3 repeats 2"),
            (rfc, "Disallow: /a\nAllow: /a", "2 outranked by 3"),
            (rfc, "Disallow: /a\nAllow: a", "3 never matches"),
            (rfc, "Disallow: /robots.txt$", "2 never matches"),
            (rfc, "Disallow: *\nDisallow:", "3 outranked by 2"),
            (
                rfc,
                "Disallow: /robots.txt\nAllow: /robots.txt",
                "2 outranked by 3",
            ),
            // A rule that repeats an outranked rule is outranked, too.
            (
                rfc,
                "Allow: /a**\nDisallow: /a\nDisallow: /a**",
                "3 outranked by 2, 4 outranked by 2",
            ),
            // The first rule decides about one path, the second about all others.
            (first, "Disallow: /a$\nDisallow: /a*", ""),
            (koster, "Disallow: /\nAllow: /a", "3 outranked by 2"),
            (allow_first, "Allow: /*\nDisallow: /a", "3 outranked by 2"),
        ] {
            assert_eq!(shadows(rules, &dialect), expected, "{rules}");
        }
    }
}
