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

use super::dominance::Competitors;
use super::equivalence::equivalences;
use super::shadowing::ShadowCause;
use super::url_of;
use crate::dialect::{Dialect, Encoding};
use crate::pattern::encoding::{is_of_url, is_unreserved};
use crate::pattern::{Shape, split_end};
use crate::rules::verdict::Reason;
use crate::rules::{RankedRule, Rule, Rules};
use crate::target::Target;
use std::borrow::Cow;
use std::cmp::Reverse;

/// The maximum number of pattern bytes compared for the rules of a group, as a verdict may compare
/// all patterns with stars. Later rules stay unknown; no real file comes near.
pub(super) const MAX_COMPARED_BYTES: u64 = 1 << 30;

/// The rules of one line with their ranks, the longest form first. An index page that represents its
/// folder is two rules on one line, and either may decide; every other line has one rule.
type RulesOfLine<'r> = [(usize, &'r RankedRule<'r>)];

/// Returns the rank of the rule with the longest form.
fn main_rank(of_line: &RulesOfLine<'_>) -> Option<usize> {
    of_line.first().map(|(rank, _)| *rank)
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
        let main_ranks = lines.iter().filter_map(|of_line| main_rank(of_line));
        let equivalences = equivalences(&ranked, main_ranks);
        let competitors = Competitors::new(&ranked, self.dialect(), fresh);
        let rule_at = |rank: usize| {
            let line = ranked.get(rank)?.line;
            let at = rules.binary_search_by_key(&line, Rule::line).ok()?;
            rules.get(at).copied()
        };
        let mut bytes_left = MAX_COMPARED_BYTES;
        let mut result_of = |rule: &Rule<'_>, of_line: &RulesOfLine<'_>| {
            let rank = main_rank(of_line).unwrap_or_default();
            let Some(equivalence) = equivalences.get(rank) else {
                return ProbeResult::Unknown;
            };
            // The leader is the first rule by rank with the same pattern and effect. Only the leader can decide.
            if equivalence.leader != rank
                && let Some(leader) = rule_at(equivalence.leader)
                && let Some(first) = rule_at(equivalence.first)
            {
                // A leader on a later line has a longer text for the same pattern, as `/a*` for `/a`. It outranks this
                // rule, and so does `first`, the first rule by rank with the same pattern and any effect.
                return ProbeResult::Never(if leader.line() < rule.line() {
                    ShadowCause::Duplicate(leader)
                } else {
                    ShadowCause::Outranked(first)
                });
            }
            // A contested rule has a rule with the same pattern and the opposite effect: only a probe shows which decides.
            if !equivalence.is_contested && competitors.certainly_decides(rank) {
                return ProbeResult::Decides;
            }
            match bytes_left.checked_sub(competitors.bytes()) {
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
                match self.verdict(&target_of(&path)).reason() {
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
const FRESH: &[u8] = b"ghijklmnopqrstuvwxyzGHIJKLMNOPQRSTUVWXYZ_-~!'(),;@:+[]";

/// Returns whether there are fewer rules than candidate characters: one stays free even if each rule
/// takes one.
pub(super) fn leaves_a_character_free(rules: usize) -> bool {
    rules < FRESH.len()
}

/// Returns a character of URLs that encoding leaves unchanged and that no pattern has.
pub(super) fn fresh_byte(dialect: &Dialect, ranked: &[RankedRule<'_>]) -> Option<u8> {
    // Under this encoding a character may have another form in a query.
    if dialect.encoding == Encoding::RfcTable {
        return None;
    }
    let mut has = [false; 256];
    for rule in ranked {
        for &byte in rule.form {
            if let Some(has) = has.get_mut(usize::from(byte)) {
                *has = true;
            }
        }
    }
    let encodes = |byte: u8| dialect.encoding == Encoding::Quoted && !is_unreserved(byte);
    let is_fresh = |byte: &u8| has.get(usize::from(*byte)) == Some(&false) && !encodes(*byte);
    FRESH.iter().copied().find(is_fresh)
}

/// Returns whether a text has only escapes and characters that need none in a URL.
pub(super) fn is_path(text: &[u8]) -> bool {
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
    Never(ShadowCause<Rule<'r>>),
    /// Only a search can answer.
    Unknown,
}

/// Returns a path as a target. Two slashes at its start would begin a host.
pub(super) fn target_of(path: &str) -> Target<'_> {
    if path.starts_with("//") {
        Target::new(&url_of(path)).into_owned()
    } else {
        Target::new(path)
    }
}

impl RankedRule<'_> {
    /// Returns whether no path can match, because paths begin with a slash.
    fn never_matches(&self) -> bool {
        self.reading.shape != Shape::Shell && !matches!(self.form.first(), None | Some(b'/' | b'*'))
    }

    /// Returns the pattern with `fresh` for its stars and its continuation; `None` for a shell
    /// pattern.
    pub(super) fn probe_text(&self, fresh: u8) -> Option<Vec<u8>> {
        let (pattern, is_whole) = match self.reading.shape {
            Shape::Shell => return None,
            Shape::Prefix => (self.compared(), false),
            Shape::Exact => (self.compared(), true),
            Shape::Glob => split_end(self.form),
        };
        let mut text: Vec<u8> = Vec::with_capacity(pattern.len().saturating_add(2));
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
    pub(super) fn canonical_pattern(&self) -> (u8, Cow<'_, [u8]>) {
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
    use super::super::fast_path::all_decide;
    use super::super::search::Budget;
    use super::*;
    use crate::dialect::RuleOrder;
    use crate::{Dialect, RobotsTxt};

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
        let (mut certain, mut texts_that_decide) = (0, 0);
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
                        let texts = [(false, one), (true, two), (false, three)];
                        let texts = texts.map(|(allows, text)| (allows, text.as_bytes()));
                        if dialect == Dialect::RFC9309
                            && let Some(repeated) = all_decide(texts.into_iter())
                        {
                            texts_that_decide += 1;
                            // The first rule is on line 2.
                            let line = |index: usize| index + 2;
                            for (rule, result) in &probed {
                                let of = repeated.iter().find(|one| line(one.index) == rule.line());
                                match (result, of) {
                                    (ProbeResult::Decides, None) => {}
                                    (ProbeResult::Never(cause), Some(one)) => {
                                        match (cause, one.cause) {
                                            (
                                                ShadowCause::Duplicate(other),
                                                ShadowCause::Duplicate(of),
                                            )
                                            | (
                                                ShadowCause::Outranked(other),
                                                ShadowCause::Outranked(of),
                                            ) => assert_eq!(other.line(), line(of), "{body:?}"),
                                            other => panic!("{rule:?} in {body:?}: {other:?}"),
                                        }
                                    }
                                    _ => panic!("{rule:?} in {body:?}: {result:?}, {of:?}"),
                                }
                            }
                        }
                        let mut searched: Vec<_> = probed
                            .iter()
                            .map(|(rule, _)| (*rule, ProbeResult::Unknown))
                            .collect();
                        assert!(rules.find_deciding_rules(&mut searched, &mut Budget::new()));
                        for ((_, result), (rule, searched)) in probed.iter().zip(&searched) {
                            let expected = match result {
                                ProbeResult::Unknown => continue,
                                ProbeResult::Decides => ProbeResult::Decides,
                                ProbeResult::Never(_) => ProbeResult::Unknown,
                            };
                            certain += 1;
                            assert_eq!(*searched, expected, "{rule:?} in {body:?}: {result:?}");
                        }
                    }
                }
            }
        }
        // Without many certain results, the test would compare little.
        assert!(certain > 8_000, "{certain}");
        assert!(texts_that_decide > 300, "{texts_that_decide}");
    }

    /// The first character that no pattern has is `r`, which spells out `/robots.txt`.
    #[test]
    fn a_probe_path_may_be_that_of_the_file() {
        let robots = RobotsTxt::parse(
            "User-agent: *\nDisallow: /ghijklmnopq\nDisallow: /*obots.txt$\nAllow: /*obots.txt$",
        );
        let rules = robots.rules("a", &Dialect::RFC9309);
        let shadows = rules.shadows();
        assert!(shadows.is_complete());
        let found: Vec<_> = shadows
            .iter()
            .map(|shadow| {
                let ShadowCause::Outranked(by) = shadow.cause() else {
                    panic!("{shadow:?}");
                };
                (shadow.rule().line(), by.line())
            })
            .collect();
        assert_eq!(found, [(3, 4)]);
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
        let expected: Vec<bool> = (0..200).map(|rule| rule >= most).collect();
        assert_eq!(is_unknown, expected);
    }
}
