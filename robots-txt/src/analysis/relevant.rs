//! The rules on which the changes between two files depend.
//!
//! A changed rule is one that only one of the files has. The decision about a path changes only if a changed rule matches
//! the path. A rule that both files have, in the same order, matters only if it may match the same path as a changed rule:
//! the bytes before the first wildcard of one pattern begin with those of the other. Large files rarely change in many
//! places, so few rules are left to search. `n log n` in the rules.

use super::search::SearchedRules;
use crate::dialect::RuleOrder;
use crate::pattern::Reading;
use crate::rules::{RankedRule, Rules};
use std::collections::HashMap;

/// The meaning of a rule, without its line: its form, its reading, and whether it allows.
type Meaning<'r> = (&'r [u8], Reading, bool);

fn meaning<'r>(rule: &RankedRule<'r>) -> Meaning<'r> {
    (rule.form, rule.reading, rule.allows)
}

/// Returns the rules of two files on which the changes between the files depend; all rules, if they are read or ranked
/// differently.
pub(super) fn relevant_rules(rules: [&Rules; 2]) -> [SearchedRules<'_>; 2] {
    let mut all = rules.map(SearchedRules::of);
    let [before, after] = rules;
    if !before.reads_and_ranks_like(after) {
        return all;
    }
    let [old, new] = &all;
    let longest_decides = before.is_ranked_by(RuleOrder::Longest);
    let Some(changed) = changed(&old.ranked, &new.ranked, longest_decides) else {
        return all;
    };
    let mut heads: Vec<&[u8]> = all
        .iter()
        .zip(&changed)
        .flat_map(|(rules, changed)| changed.iter().filter_map(|&at| rules.ranked.get(at)))
        .map(RankedRule::head)
        .collect();
    heads.sort_unstable();
    // Drop each head that begins with another one.
    heads.dedup_by(|next, kept| next.starts_with(kept));
    for rules in &mut all {
        rules
            .ranked
            .retain(|rule| begins_like_one(rule.head(), &heads));
    }
    all
}

/// Returns the ranks, in each of two lists, of the rules that the other list lacks; `None` if rules that both lists have are
/// in another order. Where the longest rule decides (`longest_decides`), the order depends on the rules alone, and is not
/// compared.
fn changed(
    old: &[RankedRule<'_>],
    new: &[RankedRule<'_>],
    longest_decides: bool,
) -> Option<[Vec<usize>; 2]> {
    let is_same = |(one, two): &(&RankedRule<'_>, &RankedRule<'_>)| meaning(one) == meaning(two);
    // No rule is changed in the common start and the common end of the lists, so they are skipped.
    let start = old.iter().zip(new).take_while(is_same).count();
    let [old_rest, new_rest] = [old, new].map(|rules| rules.get(start..).unwrap_or_default());
    let ends = old_rest.iter().rev().zip(new_rest.iter().rev());
    let end = ends.take_while(is_same).count();
    let [old, new] = [old_rest, new_rest].map(|rest| {
        let middle = rest.get(..rest.len().saturating_sub(end));
        middle.unwrap_or_default()
    });
    // For each meaning of an old rule: its old rank, and whether a new rule has the meaning, too. The first of several equal
    // rules decides.
    let mut ranks: HashMap<Meaning<'_>, (usize, bool)> = HashMap::with_capacity(old.len());
    for (rank, rule) in old.iter().enumerate() {
        ranks.entry(meaning(rule)).or_insert((rank, false));
    }
    // The old rank of the last rule so far that is in both lists.
    let mut last = None;
    let mut only_new = Vec::new();
    for (rank, rule) in new.iter().enumerate() {
        match ranks.get_mut(&meaning(rule)) {
            None => only_new.push(rank.saturating_add(start)),
            Some((_, true)) => {}
            Some((old_rank, is_in_both)) => {
                *is_in_both = true;
                if !longest_decides && last > Some(*old_rank) {
                    return None;
                }
                last = Some(*old_rank);
            }
        }
    }
    let only_old = old.iter().enumerate().filter(|(_, rule)| {
        let rank = ranks.get(&meaning(rule));
        rank.is_none_or(|(_, is_in_both)| !is_in_both)
    });
    let only_old = only_old.map(|(rank, _)| rank.saturating_add(start));
    Some([only_old.collect(), only_new])
}

/// Returns whether a text begins with one of these heads, or one begins with it. The heads are sorted, and none begins with
/// another one.
fn begins_like_one(text: &[u8], heads: &[&[u8]]) -> bool {
    let next = heads.partition_point(|head| *head <= text);
    let last = next.checked_sub(1).and_then(|at| heads.get(at));
    // A head that the text begins with is the last that sorts before the text or equals it; the heads that begin with the
    // text come next.
    last.is_some_and(|head| text.starts_with(head))
        || heads.get(next).is_some_and(|head| head.starts_with(text))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Dialect, RobotsTxt};

    fn rules(lines: &str, dialect: &Dialect) -> Rules {
        RobotsTxt::parse(format!("User-agent: *\n{lines}")).rules("a", dialect)
    }

    /// Returns the patterns that are left to search.
    fn relevant(before: &str, after: &str, dialect: &Dialect) -> [Vec<String>; 2] {
        let rules = [before, after].map(|lines| rules(lines, dialect));
        relevant_rules(rules.each_ref()).map(|rules| {
            let forms = rules
                .ranked
                .iter()
                .map(|rule| rule.form.escape_ascii().to_string());
            forms.collect()
        })
    }

    #[test]
    fn few_rules_of_a_large_file_are_left() {
        let line = |at: usize| format!("Disallow: /d{at}/x*y\n");
        let many = (0..5_000).map(line).collect::<Vec<_>>().concat();
        let own = "Disallow: /own\nAllow: /own/b\nAllow: /o*n\nDisallow: /other\n";
        let before = format!("{own}Disallow: /own/old\n{many}");
        let after = format!("{many}{own}Allow: /own/new\n");
        // The changed rules begin with `/own/old` and `/own/new`. `/own/b`, `/other` and `/d...` cannot match the same paths.
        let expected = |own: &str| [own, "/o*n", "/own"].map(str::to_owned);
        let found = relevant(&before, &after, &Dialect::RFC9309);
        assert_eq!(
            found,
            [expected("/own/old"), expected("/own/new")].map(Vec::from)
        );
        let [old, new] = relevant(&many, &many, &Dialect::RFC9309);
        assert_eq!([old.len(), new.len()], [0, 0]);
        // A pattern that begins with a wildcard may match every path.
        let [old, new] = relevant(&many, &format!("{many}Allow: *.x"), &Dialect::RFC9309);
        assert_eq!([old.len(), new.len()], [5_000, 5_001]);
    }

    #[test]
    fn rules_in_another_order_are_all_left_where_the_first_decides() {
        let dialect = Dialect::RFC9309.with_rule_order(RuleOrder::First);
        let (before, after) = ("Disallow: /a\nAllow: /ab\n", "Allow: /ab\nDisallow: /a\n");
        let [old, new] = relevant(before, after, &dialect);
        assert_eq!([old.len(), new.len()], [2, 2]);
        let [old, new] = relevant(before, after, &Dialect::RFC9309);
        assert_eq!([old.len(), new.len()], [0, 0]);
    }
}
