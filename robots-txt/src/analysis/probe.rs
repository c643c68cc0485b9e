//! Analyses from one or two verdicts for each rule, without a search over all paths.
//!
//! A pattern is spelt out as a path: a character that no pattern has replaces its stars and is
//! appended where the pattern may continue. If rule B decides about the probe path of rule A, then B
//! outranks A on every path that A matches. This finds rules that can never decide
//! ([`shadowing`](super::shadowing)) and the extent of a restriction ([`summary`](super::summary)).
//! Patterns that cannot be spelt out are left to [`search`](super::search).
//!
//! Takes O(n log n) time in the rules, and one or two verdicts for each. The verdicts compare up to
//! [`MAX_COMPARED_BYTES`].

use super::shadowing::ShadowCause;
use crate::dialect::{Dialect, Encoding};
use crate::pattern::encoding::{is_of_url, is_unreserved};
use crate::pattern::{Shape, split_end};
use crate::rules::verdict::Reason;
use crate::rules::{RankedRule, Rule, Rules};
use crate::target::Target;
use std::borrow::Cow;
use std::cmp::Reverse;
use std::collections::HashMap;

/// The maximum number of pattern bytes compared for the rules of a group, as a verdict may compare
/// all patterns with stars. Later rules stay unknown; no real file comes near.
pub(super) const MAX_COMPARED_BYTES: u64 = 1 << 30;

/// The rules of one line with their ranks, the longest form first. An index page that represents its
/// folder is two rules on one line, and either may decide; every other line has one rule.
type RulesOfLine<'r> = [(usize, &'r RankedRule<'r>)];

/// The rules with one pattern.
#[derive(Default)]
struct SamePattern {
    /// The rank of the first of them that disallows, and of the first that allows.
    first: [Option<usize>; 2],
}

impl SamePattern {
    /// Returns the rank of the first rule with the effect of `rule`: of all with this effect, only it can decide.
    fn leader(&self, rule: &RankedRule<'_>) -> Option<usize> {
        self.first[usize::from(rule.allows)]
    }
}

impl Rules {
    /// Returns the result of one or two verdicts for each rule, in file order.
    ///
    /// A probe path has a fresh character, which no pattern has, in place of each star. Another rule
    /// that matches the probe path must match each fresh character by a star. So it matches every path
    /// that the probed rule matches. If it decides about the probe path, it decides about all of them.
    pub(super) fn probe_rules(&self) -> Vec<(Rule<'_>, ProbeResult<'_>)> {
        let ranked = self.ranked();
        let fresh = fresh_byte(self.dialect(), &ranked);
        let rules: Vec<Rule<'_>> = self.iter().collect();
        let mut by_line: Vec<(usize, &RankedRule<'_>)> = ranked.iter().enumerate().collect();
        by_line.sort_by_key(|(_, rule)| (rule.line, Reverse(rule.form.len())));
        let lines: Vec<&RulesOfLine<'_>> = by_line.chunk_by(|a, b| a.1.line == b.1.line).collect();
        let mut patterns: HashMap<_, SamePattern> = HashMap::with_capacity(lines.len());
        for of_line in &lines {
            let (rank, rule) = of_line[0];
            let same = patterns.entry(rule.canonical_pattern()).or_default();
            let first = &mut same.first[usize::from(rule.allows)];
            *first = Some(first.map_or(rank, |first| first.min(rank)));
        }
        let rule_at = |rank: usize| {
            let at = rules.binary_search_by_key(&ranked[rank].line, Rule::line);
            at.ok().map(|at| rules[at])
        };
        let mut bytes_left = MAX_COMPARED_BYTES;
        let starred = ranked.iter().filter(|rule| rule.has_star());
        let bytes_a_verdict: u64 = starred.map(|rule| rule.form.len() as u64).sum();
        let mut result_of = |rule: &Rule<'_>, of_line: &RulesOfLine<'_>| {
            let (rank, main) = of_line[0];
            let same = &patterns[&main.canonical_pattern()];
            if let Some(leader) = same.leader(main).filter(|leader| *leader != rank)
                && let Some(first) = same.first.into_iter().flatten().min().and_then(rule_at)
                && let Some(leader) = rule_at(leader)
            {
                // A leader on a later line has a longer text for the same pattern, as `/a*` for `/a`. It outranks this
                // rule, and so does `first`, the first rule by rank with the same pattern and any effect.
                return ProbeResult::Never(if leader.line() < rule.line() {
                    ShadowCause::Duplicate(leader)
                } else {
                    ShadowCause::Outranked(first)
                });
            }
            match bytes_left.checked_sub(bytes_a_verdict) {
                Some(left) => {
                    bytes_left = left;
                    self.probe(rule.line(), of_line, fresh)
                }
                None => ProbeResult::Unknown,
            }
        };
        rules
            .iter()
            .zip(&lines)
            .map(|(rule, of_line)| (*rule, result_of(rule, of_line)))
            .collect()
    }

    /// Probes the rules of a line, which are not duplicates.
    fn probe(&self, line: usize, of_line: &RulesOfLine<'_>, fresh: Option<u8>) -> ProbeResult<'_> {
        let Some(fresh) = fresh else {
            return ProbeResult::Unknown;
        };
        let mut winner = None;
        let mut is_certain = true;
        let mut matches = false;
        for (_, rule) in of_line {
            if rule.never_matches() {
                continue;
            }
            matches = true;
            let Some(paths) = rule.probe_paths(fresh) else {
                is_certain = false;
                continue;
            };
            for path in paths {
                match self.verdict(&Target::of_path(&path)).reason() {
                    Reason::Rule(found) if found.line() == line => return ProbeResult::Decides,
                    Reason::Rule(found) => winner = winner.or(Some(found)),
                    // Without a fresh character, the pattern matches only this path, `/robots.txt`.
                    Reason::OwnPath if !path.as_bytes().contains(&fresh) => {}
                    _ => is_certain = false,
                }
            }
        }
        match winner {
            _ if !is_certain => ProbeResult::Unknown,
            Some(winner) => ProbeResult::Never(ShadowCause::Outranked(winner)),
            // The rules of the line match no path, or its only rule matches just `/robots.txt`, which is always allowed.
            None if !matches || of_line.len() == 1 => ProbeResult::Never(ShadowCause::NeverMatches),
            // Does not occur: neither rule of an index page matches `/robots.txt`.
            None => ProbeResult::Unknown,
        }
    }
}

/// The candidates for a character that no pattern has: characters of URLs that encoding leaves
/// unchanged. They exclude hexadecimal digits, which could become part of an escape.
const FRESH: &[u8] = b"ghijklmnopqrstuvwxyzGHIJKLMNOPQRSTUVWXYZ_-~!'(),;@:+";

/// Returns a character of URLs that encoding leaves unchanged and that no pattern has.
pub(super) fn fresh_byte(dialect: &Dialect, ranked: &[RankedRule<'_>]) -> Option<u8> {
    // Under this encoding a character may have another form in a query.
    if dialect.encoding == Encoding::RfcTable {
        return None;
    }
    let mut has = [false; 256];
    for rule in ranked {
        for &byte in rule.form {
            has[usize::from(byte)] = true;
        }
    }
    let encodes = |byte: u8| dialect.encoding.is_quoted() && !is_unreserved(byte);
    let is_fresh = |byte: &u8| !has[usize::from(*byte)] && !encodes(*byte);
    FRESH.iter().copied().find(is_fresh)
}

/// Returns whether a text has only escapes and characters that need none in a URL.
fn is_path(text: &[u8]) -> bool {
    if is_of_url(text) {
        return true;
    }
    let mut escapes = text.split(|byte| *byte == b'%');
    escapes.next().is_some_and(is_of_url)
        && escapes.all(|escape| match escape.split_at_checked(2) {
            Some((digits, rest)) => digits.iter().all(u8::is_ascii_hexdigit) && is_of_url(rest),
            None => false,
        })
}

/// The result of probing a rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ProbeResult<'r> {
    /// The rule decides about some path.
    Decides,
    /// The rule never decides about a path.
    Never(ShadowCause<'r>),
    /// Only a search can answer.
    Unknown,
}

impl RankedRule<'_> {
    /// Returns whether its pattern has a star that is a wildcard.
    pub(super) fn has_star(&self) -> bool {
        match self.reading.shape {
            // The wildcard of a prefix is a star at its end, which is not compared.
            Shape::Prefix => self.form.len() != self.compared().len(),
            Shape::Exact => false,
            Shape::Glob | Shape::Shell => true,
        }
    }

    /// Returns whether no path can match, because paths begin with a slash.
    fn never_matches(&self) -> bool {
        self.reading.shape != Shape::Shell && !matches!(self.form.first(), None | Some(b'/' | b'*'))
    }

    /// Returns the pattern with `fresh` for its stars and its continuation; `None` for a shell
    /// pattern.
    fn probe_text(&self, fresh: u8) -> Option<Vec<u8>> {
        let (pattern, is_whole) = match self.reading.shape {
            Shape::Shell => return None,
            Shape::Prefix => (self.compared(), false),
            Shape::Exact => (self.compared(), true),
            Shape::Glob => split_end(self.form),
        };
        let mut text: Vec<u8> = Vec::with_capacity(pattern.len() + 2);
        let is_glob = self.reading.shape == Shape::Glob;
        for &byte in pattern {
            if !is_glob || byte != b'*' {
                text.push(byte);
            } else if text.last() != Some(&fresh) {
                // Consecutive stars are one.
                text.push(fresh);
            }
        }
        if !is_whole {
            text.push(fresh);
        }
        Some(text)
    }

    /// Returns the pattern as one or two paths, with `fresh` for its stars and its continuation;
    /// `None` for a shell pattern, or for characters that no URL has.
    pub(super) fn probe_paths(&self, fresh: u8) -> Option<Vec<String>> {
        let text = self.probe_text(fresh)?;
        if !is_path(&text) {
            return None;
        }
        let text = String::from_utf8(text).ok()?;
        if text.starts_with('/') {
            return Some(vec![text]);
        }
        // A star at the start matches a slash and more; before a slash, perhaps nothing.
        let tail = text.get(1..).filter(|rest| rest.starts_with('/'));
        let tail = tail.map(str::to_owned);
        Some(std::iter::once(format!("/{text}")).chain(tail).collect())
    }

    /// Returns the shortest pattern that matches the same paths, with a byte that indicates how it
    /// is compared: `<` prefix, `=` whole path, `s` shell pattern; with stars `*` prefix, `$` whole
    /// path.
    fn canonical_pattern(&self) -> (u8, Cow<'_, [u8]>) {
        match self.reading.shape {
            Shape::Prefix => (b'<', Cow::Borrowed(self.compared())),
            Shape::Exact => (b'=', Cow::Borrowed(self.compared())),
            Shape::Shell => (b's', Cow::Borrowed(self.form)),
            Shape::Glob => {
                let (pattern, is_whole) = split_end(self.form);
                let mut short: Vec<u8> = Vec::with_capacity(pattern.len());
                for &byte in pattern {
                    if byte != b'*' || short.last() != Some(&b'*') {
                        short.push(byte);
                    }
                }
                // A star at the end takes the rest, whether the path must end there or not.
                let is_open = short.ends_with(b"*") || !is_whole;
                if short.ends_with(b"*") {
                    short.pop();
                }
                // Without stars, a glob is a prefix or a whole path.
                let comparison = match (is_open, short.contains(&b'*')) {
                    (true, false) => b'<',
                    (false, false) => b'=',
                    (true, true) => b'*',
                    (false, true) => b'$',
                };
                (comparison, Cow::Owned(short))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::automaton::FIRST_RULE;
    use super::super::search::{Budget, Prune, search};
    use super::*;
    use crate::dialect::RuleOrder;
    use crate::{Dialect, RobotsTxt};
    use std::collections::HashSet;
    use std::ops::ControlFlow;

    /// Probes and a search over all paths agree.
    #[test]
    fn probes_agree_with_the_search() {
        let patterns = [
            "/",
            "*",
            "/a",
            "/a*",
            "/*a",
            "*a",
            "*/a",
            "/*/a",
            "/a$",
            "/*a$",
            "*$",
            "/a*b",
            "/a/",
            "/*a*",
            "**/a",
            "/%4*",
            "/a**b$",
            "/*a$b",
            "/a?b*",
            "//a",
            "/robots.txt",
            "/robots.txt$",
            "/[a-z]*",
            "/?b*",
            "/%e2",
            "/%E2*",
            "/%61",
            "/%zz",
            "/\u{e9}",
            "/%2A",
            "/a%24",
            "",
        ];
        let mut certain = 0;
        let shells = Dialect::CONNER_1996
            .with_rule_order(RuleOrder::Longest)
            .with_encoding(Encoding::Unreserved);
        for dialect in [Dialect::RFC9309, Dialect::GOOGLE, Dialect::BAIDU, shells] {
            // Under this version the patterns of a group are shell patterns.
            let version = if dialect == shells {
                "Robot-version: 2.0\n"
            } else {
                ""
            };
            for one in patterns {
                for two in patterns {
                    for three in ["/a", "*a", "/"] {
                        let body = format!(
                            "User-agent: *\n{version}Disallow: {one}\nAllow: {two}\nDisallow: {three}"
                        );
                        let rules = RobotsTxt::parse(body.as_bytes()).rules("a", &dialect);
                        let probed = rules.probe_rules();
                        let ranked = rules.ranked();
                        let mut deciding = HashSet::new();
                        let is_complete =
                            search(&[&rules], Prune::Settled, &mut Budget::new(), |visited| {
                                let rank = visited.deciding[0].filter(|rank| *rank >= FIRST_RULE);
                                let rank = rank.map(|rank| (rank - FIRST_RULE) as usize);
                                deciding.extend(rank.map(|rank| ranked[rank].line));
                                ControlFlow::Continue(())
                            });
                        assert!(is_complete);
                        for (rule, result) in &probed {
                            let decides = match result {
                                ProbeResult::Unknown => continue,
                                ProbeResult::Decides => true,
                                ProbeResult::Never(_) => false,
                            };
                            certain += 1;
                            let line = rule.line();
                            let about = format!("{rule:?} in {body:?}: {result:?}");
                            assert_eq!(deciding.contains(&line), decides, "{about}");
                        }
                    }
                }
            }
        }
        // Without many certain results, the test would compare little.
        assert!(certain > 8_000, "{certain}");
    }

    /// The first character that no pattern has is `r`, which spells out `/robots.txt`: its verdict shows nothing.
    #[test]
    fn a_probe_path_may_be_that_of_the_file() {
        let robots = RobotsTxt::parse(
            "User-agent: *\nDisallow: /ghijklmnopq\nDisallow: /*obots.txt$\nAllow: /*obots.txt$",
        );
        let rules = robots.rules("a", &Dialect::RFC9309);
        let results = rules.probe_rules();
        let results: Vec<_> = results.iter().map(|(_, result)| *result).collect();
        let unknown = ProbeResult::Unknown;
        assert_eq!(results, [ProbeResult::Decides, unknown, unknown]);
    }

    #[test]
    fn comparisons_are_capped() {
        let long = format!("/*{}", "a".repeat(8 << 20));
        // Rules with equal patterns and opposite effects: each takes a verdict, which compares the long pattern.
        let contested = (0..100).flat_map(|number| {
            [
                format!("Disallow: /x{number}"),
                format!("Allow: /x{number}"),
            ]
        });
        let first = ["User-agent: *".to_owned(), format!("Disallow: {long}")];
        let lines: Vec<String> = first.into_iter().chain(contested).collect();
        let robots = RobotsTxt::parse(lines.join("\n").as_bytes());
        let rules = robots.rules("a", &Dialect::RFC9309.with_size_limit(None));
        let probed = rules.probe_rules();
        let is_unknown: Vec<bool> = probed
            .iter()
            .skip(1)
            .map(|(_, result)| *result == ProbeResult::Unknown)
            .collect();
        let most = usize::try_from(MAX_COMPARED_BYTES).unwrap() / long.len();
        // The long pattern takes the first verdict.
        let expected: Vec<bool> = (1..=200).map(|rule| rule >= most).collect();
        assert_eq!(is_unknown, expected);
    }
}
