//! Analyses of the texts of rules under RFC 9309, without compiling them.
//!
//! Nearly every group is decided here; uncertain ones are left to the other modules. `n log n` in
//! the rules.

use super::dominance::Competitors;
use super::equivalence::{Equivalence, all_differ, equivalences};
use super::probe::{fresh_byte, is_path, leaves_a_character_free};
use super::shadowing::ShadowCause;
use crate::dialect::{Dialect, PatternSyntax};
use crate::pattern::encoding::{is_plain, is_plain_pattern_of_url};
use crate::pattern::{PatternContext, Reading, form_of, split_end};
use crate::rules::RankedRule;
use std::borrow::Cow;
use std::cmp::Reverse;

/// The dialect under which texts are analysed.
const DIALECT: &Dialect = &Dialect::RFC9309;

/// A rule that never decides, because of a rule with the same pattern.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Repeated {
    pub(crate) index: usize,
    pub(crate) cause: ShadowCause<usize>,
}

/// Returns the rules that never decide because of one with the same pattern, if every other rule certainly
/// decides about some path; `None` if that is not certain. Each rule is a pair: whether it allows, and its pattern.
pub(crate) fn all_decide<'b>(
    rules: impl Iterator<Item = (bool, &'b [u8])>,
) -> Option<Vec<Repeated>> {
    let forms = forms(rules)?;
    let mut rules = as_rules(&forms);
    // Nearly always, no rule repeats another. Without stars, their ranks then do not matter.
    let has_star = rules.iter().any(RankedRule::has_star);
    if !has_star && leaves_a_character_free(rules.len()) && all_differ(&rules) {
        return Some(Vec::new());
    }
    by_rank(&mut rules);
    let equivalences = equivalences(&rules, 0..rules.len());
    let all = || rules.iter().zip(&equivalences).enumerate();
    let is_contested = equivalences.iter().any(|one| one.is_contested);
    // Without stars, a rule decides about its pattern followed by a character that every longer
    // pattern lacks at this position. With fewer rules than candidate characters there is one.
    // With more, a character that no pattern has must be found.
    let fresh = if has_star || is_contested || !leaves_a_character_free(rules.len()) {
        Some(fresh_byte(DIALECT, &rules)?)
    } else {
        None
    };
    let competitors = has_star.then(|| Competitors::new(&rules, DIALECT, fresh));
    let is_settled = |(rank, (rule, equivalence)): (usize, (&RankedRule<'_>, &Equivalence))| {
        if equivalence.leader != rank {
            return true;
        }
        if equivalence.first != rank {
            // A rule with the same pattern and the opposite effect decides instead. Without stars, both spell out one path.
            return !rule.has_star();
        }
        let competitors = competitors.as_ref();
        competitors.is_none_or(|competitors| competitors.certainly_decides(rank))
    };
    if !all().all(is_settled) {
        return None;
    }
    // `as_rules` has set the line of each rule to its index.
    let index = |rank: usize| rules.get(rank).map(|rule| rule.line);
    let repeated = all().filter_map(|(rank, (rule, equivalence))| {
        let leader = index(equivalence.leader)?;
        // A leader on a later line is not a duplicate of an earlier rule: it outranks this one because its text is longer
        // for the same pattern, as `/a*` for `/a`.
        let cause = if leader < rule.line {
            ShadowCause::Duplicate(leader)
        } else if equivalence.first != rank {
            ShadowCause::Outranked(index(equivalence.first)?)
        } else {
            return None;
        };
        let index = rule.line;
        Some(Repeated { index, cause })
    });
    let mut repeated: Vec<Repeated> = repeated.collect();
    repeated.sort_unstable_by_key(|repeated| repeated.index);
    Some(repeated)
}

/// Returns whether one of the rules with this effect certainly decides about some path. Tries only
/// the first by rank, which are the longest.
pub(super) fn one_decides(mut rules: Vec<RankedRule<'_>>, allowing: bool) -> bool {
    /// The number of rules to try: each is compared with all.
    const TRIED: usize = 4;
    // Nearly always the longest of them decides, which needs no sorting.
    if longest_decides(&rules, allowing) {
        return true;
    }
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

/// Returns whether the first rule by rank with this effect certainly decides about some path. Linear in the rules.
fn longest_decides(rules: &[RankedRule<'_>], allowing: bool) -> bool {
    let of_effect = rules.iter().filter(|rule| rule.allows == allowing);
    let Some(longest) = of_effect.min_by_key(|rule| rank_key(rule)) else {
        return false;
    };
    let pattern = longest.canonical_pattern();
    let mut opposite = rules.iter().filter(|rule| rule.allows != allowing);
    if !longest.is_path_pattern() || opposite.any(|rule| rule.canonical_pattern() == pattern) {
        return false;
    }
    // As in `Competitors::certainly_decides`, only a rule with a star can outrank it on the path that it spells out.
    let mut competitors = rules
        .iter()
        .filter(|rule| rule.has_star() && rank_key(rule) < rank_key(longest))
        .peekable();
    if competitors.peek().is_none() && leaves_a_character_free(rules.len()) {
        return true;
    }
    let path = fresh_byte(DIALECT, rules).and_then(|fresh| longest.probe_path(fresh));
    path.is_some_and(|path| competitors.all(|rule| !rule.matches(&path)))
}

/// A pattern in the form in which RFC 9309 compares it.
pub(super) struct PatternForm<'b> {
    allows: bool,
    form: Cow<'b, [u8]>,
    reading: Reading,
}

/// Returns the forms of patterns, given with their effects: whether the rule allows. `None` if one is not a path pattern, or
/// matches only `/robots.txt`.
pub(super) fn forms<'b>(
    rules: impl Iterator<Item = (bool, &'b [u8])>,
) -> Option<Vec<PatternForm<'b>>> {
    let mut forms = Vec::with_capacity(rules.size_hint().0);
    for (allows, text) in rules {
        let (form, reading) = certain_form(text)?;
        forms.push(PatternForm {
            allows,
            form,
            reading,
        });
    }
    Some(forms)
}

/// Returns the form of a path pattern that matches more than `/robots.txt`, and its reading.
fn certain_form(text: &[u8]) -> Option<(Cow<'_, [u8]>, Reading)> {
    // Most patterns are plain paths.
    if text.starts_with(b"/") && is_plain(text) {
        return Some((Cow::Borrowed(text), Reading::PLAIN));
    }
    let is_own_form =
        matches!(text.first(), Some(b'/' | b'*')) && is_plain_pattern_of_url(split_end(text).0);
    let form = if is_own_form {
        Cow::Borrowed(text)
    } else {
        form_of(text, DIALECT, &PatternContext::default())?
    };
    let (pattern, is_whole) = split_end(&form);
    let is_certain = matches!(pattern.first(), Some(b'/' | b'*'))
        && (is_own_form || is_path(pattern))
        && !(is_whole && pattern == b"/robots.txt");
    let reading = Reading::of(&form, PatternSyntax::Wildcards, false);
    is_certain.then_some((form, reading))
}

/// Returns rules with these forms. The line of each is its index.
pub(super) fn as_rules<'f>(forms: &'f [PatternForm<'_>]) -> Vec<RankedRule<'f>> {
    let rule = |(line, form): (usize, &'f PatternForm<'_>)| RankedRule {
        form: &form.form,
        reading: form.reading,
        allows: form.allows,
        line,
    };
    forms.iter().enumerate().map(rule).collect()
}

fn by_rank(rules: &mut [RankedRule<'_>]) {
    rules.sort_unstable_by_key(rank_key);
}

/// Returns a key that is less for a rule that outranks another.
fn rank_key(rule: &RankedRule<'_>) -> (Reverse<usize>, bool, usize) {
    (Reverse(rule.form.len()), !rule.allows, rule.line)
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
