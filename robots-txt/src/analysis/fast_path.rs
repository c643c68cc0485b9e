//! Analyses of the texts of rules under RFC 9309, without compiling them.
//!
//! Nearly every group is decided here; uncertain ones are left to the other modules. `n log n` in
//! the rules.

use super::dominance::Competitors;
use super::equivalence::{Equivalence, equivalences};
use super::probe::{fresh_byte, is_path, leaves_a_character_free};
use crate::dialect::{Dialect, PatternSyntax};
use crate::pattern::{PatternContext, Reading, form_of};
use crate::rules::RankedRule;
use std::borrow::Cow;
use std::cmp::Reverse;

/// The dialect under which texts are analysed.
const DIALECT: &Dialect = &Dialect::RFC9309;

/// A rule that repeats another one, by the indices of both among all rules.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Repeated {
    /// The rule that repeats.
    pub(crate) index: usize,
    /// The first by rank of the rules with the same pattern and effect.
    pub(crate) of: usize,
}

/// Returns the rules with the same pattern and effect as another, if every other rule certainly
/// decides about some path; `None` if that is not certain. Each rule is a pair: whether it allows, and its pattern.
pub(crate) fn all_decide<'b>(
    rules: impl Iterator<Item = (bool, &'b [u8])>,
) -> Option<Vec<Repeated>> {
    let forms = forms(rules)?;
    let mut rules = as_rules(&forms);
    by_rank(&mut rules);
    let equivalences = equivalences(&rules, 0..rules.len());
    // Of two rules with the same pattern and opposite effects, one never decides.
    if equivalences
        .iter()
        .any(|equivalence| equivalence.is_contested)
    {
        return None;
    }
    let all = || equivalences.iter().enumerate();
    if rules.iter().any(RankedRule::has_star) {
        let competitors = Competitors::new(&rules, DIALECT, fresh_byte(DIALECT, &rules));
        let is_settled = |(rank, equivalence): (usize, &Equivalence)| {
            equivalence.leader != rank || competitors.certainly_decides(rank)
        };
        if !all().all(is_settled) {
            return None;
        }
    } else if !leaves_a_character_free(rules.len()) {
        // Without stars, a rule decides about its pattern followed by a character that every longer
        // pattern lacks at this position. With fewer rules than candidate characters there is one.
        // With more, a character that no pattern has must be found.
        fresh_byte(DIALECT, &rules)?;
    }
    // `as_rules` has set the line of each rule to its index.
    let index = |rank: usize| rules.get(rank).map(|rule| rule.line);
    let repeated = all().filter(|(rank, equivalence)| equivalence.leader != *rank);
    let mut repeated: Vec<Repeated> = repeated
        .filter_map(|(rank, equivalence)| {
            Some(Repeated {
                index: index(rank)?,
                of: index(equivalence.leader)?,
            })
        })
        .collect();
    repeated.sort_unstable_by_key(|repeated| repeated.index);
    Some(repeated)
}

/// Returns whether one of the rules with this effect certainly decides about some path. Tries only
/// the first by rank, which are the longest.
pub(super) fn one_decides(mut rules: Vec<RankedRule<'_>>, allowing: bool) -> bool {
    /// The number of rules to try: each is compared with all.
    const TRIED: usize = 4;
    by_rank(&mut rules);
    let competitors = Competitors::new(&rules, DIALECT, fresh_byte(DIALECT, &rules));
    let mut tried = rules
        .iter()
        .enumerate()
        .filter(|(_, rule)| rule.allows == allowing)
        .take(TRIED);
    tried.any(|(rank, rule)| {
        let pattern = rule.canonical_pattern();
        // A rule with the same pattern and the opposite effect may decide instead.
        let is_contested = rules
            .iter()
            .any(|other| other.allows != allowing && other.canonical_pattern() == pattern);
        !is_contested && competitors.certainly_decides(rank)
    })
}

/// Returns patterns in the form in which RFC 9309 compares them. Each pair has whether the rule allows, and the
/// pattern. `None` if one is not a path pattern, or matches only `/robots.txt`.
pub(super) fn forms<'b>(
    rules: impl Iterator<Item = (bool, &'b [u8])>,
) -> Option<Vec<(bool, Cow<'b, [u8]>)>> {
    let mut forms = Vec::with_capacity(rules.size_hint().0);
    for (allows, text) in rules {
        let form = form_of(text, DIALECT, &PatternContext::default())?;
        let is_whole = form.ends_with(b"$");
        let pattern = form.strip_suffix(b"$").unwrap_or(&form);
        let is_certain = matches!(pattern.first(), Some(b'/' | b'*'))
            && is_path(pattern)
            && !(is_whole && pattern == b"/robots.txt");
        if !is_certain {
            return None;
        }
        forms.push((allows, form));
    }
    Some(forms)
}

/// Returns rules with these forms. The line of each is its index.
pub(super) fn as_rules<'f>(forms: &'f [(bool, Cow<'_, [u8]>)]) -> Vec<RankedRule<'f>> {
    let rule = |(line, (allows, form)): (usize, &'f (bool, Cow<'_, [u8]>))| RankedRule {
        form,
        reading: Reading::of(form, PatternSyntax::Wildcards, false),
        allows: *allows,
        line,
    };
    forms.iter().enumerate().map(rule).collect()
}

fn by_rank(rules: &mut [RankedRule<'_>]) {
    rules.sort_unstable_by_key(|rule| (Reverse(rule.form.len()), !rule.allows, rule.line));
}

#[cfg(test)]
mod tests {
    use super::super::characters;
    use super::*;
    use crate::RobotsTxt;

    /// Where rules for all characters outrank a rule, the texts are not enough: [`all_decide`] returns `None`, and
    /// the search finds that the rule never decides.
    #[test]
    fn a_rule_whose_every_continuation_is_taken_never_decides() {
        let continuations = characters().map(|character| format!("/a{character}"));
        let allows: Vec<String> = continuations.chain(["/a$".to_owned()]).collect();
        let certain = |allows: &[String]| {
            let allows = allows.iter().map(|text| (true, text.as_bytes()));
            let rules = std::iter::once((false, &b"/a"[..])).chain(allows);
            all_decide(rules).is_some_and(|repeated| repeated.is_empty())
        };
        assert!(!certain(&allows));
        let lines = allows.iter().map(|text| format!("Allow: {text}\n"));
        let body = format!("User-agent: *\nDisallow: /a\n{}", lines.collect::<String>());
        let rules = RobotsTxt::parse(body.as_bytes()).rules("a", DIALECT);
        let shadows = rules.shadows();
        assert!(shadows.iter().any(|shadow| shadow.rule().line() == 2));
        // With 53 rules and 54 candidate characters, one is left: the rule decides about `/a` followed by it.
        assert!(certain(&allows[..52]));
    }
}
