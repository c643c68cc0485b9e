//! Verdicts and their reasons.

use crate::rules::{Rule, RuleKind};
use std::fmt;

/// A verdict: whether a target may be fetched, with the reason.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Verdict<'r> {
    allowed: bool,
    reason: Reason<'r>,
}

/// The reason of a verdict.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Reason<'r> {
    /// A rule: the first in the dialect's order among the rules that match.
    Rule(Rule<'r>),
    /// A group applies to the robot, but none of its rules matches.
    NoRuleMatches,
    /// No group applies to the robot.
    NoGroup,
    /// The target is `/robots.txt` itself.
    OwnPath,
}

impl Reason<'_> {
    /// Every name of a reason.
    pub const NAMES: &'static [&'static str] =
        &["rule", "no_rule_matches", "no_group", "robots_txt_itself"];

    /// Returns its name, in lower case with underscores: `no_rule_matches`.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Rule(_) => "rule",
            Self::NoRuleMatches => "no_rule_matches",
            Self::NoGroup => "no_group",
            Self::OwnPath => "robots_txt_itself",
        }
    }
}

impl<'r> Verdict<'r> {
    pub(crate) fn new(allowed: bool, reason: Reason<'r>) -> Self {
        Self { allowed, reason }
    }

    /// Returns whether the target may be fetched.
    pub fn is_allowed(&self) -> bool {
        self.allowed
    }

    /// Returns the reason.
    pub fn reason(&self) -> Reason<'r> {
        self.reason
    }

    /// Returns the rule that decided, if one did.
    pub fn rule(&self) -> Option<Rule<'r>> {
        match self.reason {
            Reason::Rule(rule) => Some(rule),
            _ => None,
        }
    }

    /// Returns the number of the line that decided, from 1, if one did.
    pub fn line(&self) -> Option<usize> {
        self.rule().map(|rule| rule.line())
    }
}

impl fmt::Display for Verdict<'_> {
    /// Writes one line: `disallowed by line 3: Disallow: /private (group of *)`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let verdict = if self.allowed {
            "allowed"
        } else {
            "disallowed"
        };
        match self.reason {
            Reason::Rule(_) => write!(f, "{verdict} by {}", self.reason),
            _ => write!(f, "{verdict}: {}", self.reason),
        }
    }
}

impl fmt::Display for Reason<'_> {
    /// Writes one line: `line 3: Disallow: /private (group of *)`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Rule(rule) => write!(f, "line {}: {rule}", rule.line()),
            Self::NoRuleMatches => f.write_str("no rule for this robot matches"),
            Self::NoGroup => f.write_str("no group is for this robot"),
            Self::OwnPath => f.write_str("robots.txt itself is always allowed"),
        }
    }
}

impl fmt::Display for Rule<'_> {
    /// Writes the rule and its group: `Disallow: /private (group of *)`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let agent = self.agent().escape_ascii();
        write!(f, "{} (group of {agent})", self.statement())
    }
}

impl RuleKind {
    /// Returns its name: `allow` or `disallow`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Allow => "allow",
            Self::Disallow => "disallow",
        }
    }
}

impl fmt::Display for RuleKind {
    /// Writes the name of the field: `Allow` or `Disallow`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Allow => "Allow",
            Self::Disallow => "Disallow",
        })
    }
}

#[cfg(test)]
mod tests {
    use crate::dialect::PatternSyntax;
    use crate::{Dialect, Reason, RobotsTxt, Target};

    #[test]
    fn a_rule_of_two_patterns_matches_once() {
        // The `$` is the end, or a character.
        let robots = RobotsTxt::parse(b"User-agent: *\nDisallow: /a*$");
        let dialect = Dialect::RFC9309.with_pattern_syntax(PatternSyntax::WildcardsOrDollar);
        let rules = robots.rules("a", &dialect);
        let matching = rules.matching(&Target::new("/ax$"));
        assert_eq!(matching.map(|rule| rule.line()).collect::<Vec<_>>(), [2]);
    }

    #[test]
    fn a_verdict_has_its_reason() {
        let robots = RobotsTxt::parse(b"User-agent: a\nDisallow: /x # no\n");
        let verdict = |agent, path| {
            let rules = robots.rules(agent, &Dialect::RFC9309);
            rules.verdict(&Target::new(path)).to_string()
        };
        assert_eq!(
            verdict("A", "/xy"),
            "disallowed by line 2: Disallow: /x (group of a)"
        );
        assert_eq!(
            verdict("A", "/y"),
            "allowed: no rule for this robot matches"
        );
        assert_eq!(verdict("b", "/xy"), "allowed: no group is for this robot");
        assert_eq!(
            verdict("a", "/robots.txt"),
            "allowed: robots.txt itself is always allowed"
        );
    }

    #[test]
    fn a_reason_has_a_name() {
        let robots = RobotsTxt::parse(b"User-agent: a\nDisallow: /x\n");
        let questions = [("a", "/x"), ("a", "/y"), ("b", "/x"), ("a", "/robots.txt")];
        let names = questions.map(|(agent, path)| {
            let rules = robots.rules(agent, &Dialect::RFC9309);
            rules.verdict(&Target::new(path)).reason().name()
        });
        assert_eq!(names, Reason::NAMES);
    }
}
