//! Who may decide in a rule's place, told from the patterns alone, where the longest decides.
//!
//! A rule decides about the path that it spells out unless a longer pattern matches there too, and that only one with
//! stars can: few come into question ([`Rivals`]). Where patterns are in form as they are written, nothing need
//! be compiled for it ([`all_decide`], [`one_decides`]). `n log n` in the rules; what is not certain is left to
//! others.

use super::glance::fresh_byte;
use crate::dialect::{Dialect, IndexPage, PatternSyntax, RuleOrder};
use crate::encoding::is_bare;
use crate::pattern::{Reading, Shape, split_end};
use crate::rules::RankedRule;
use std::cmp::Reverse;
use std::collections::HashSet;

/// How RFC 9309 reads what [`as_written`] takes.
const DIALECT: &Dialect = &Dialect::RFC9309;

/// Whether it is certain that each of these patterns decides about something as RFC 9309 reads them, told from
/// their texts alone: whether a rule allows, and its pattern. So it is in nearly every group.
pub(crate) fn all_decide<'b>(rules: impl Iterator<Item = (bool, &'b [u8])>) -> bool {
    let Some(mut rules) = as_written(rules) else {
        return false;
    };
    by_rank(&mut rules);
    let mut patterns = HashSet::with_capacity(rules.len());
    if !rules
        .iter()
        .all(|rule| patterns.insert(rule.canonical_pattern()))
    {
        return false;
    }
    let rivals = Rivals::new(&rules, DIALECT, fresh_byte(DIALECT, &rules));
    rivals.starred.is_empty() || (0..rules.len()).all(|rank| rivals.leave(rank))
}

/// Whether it is certain that one of those that allow, or of those that do not, decides about something: of the
/// first of them by rank, which are the longest.
pub(super) fn one_decides(mut rules: Vec<RankedRule<'_>>, allowing: bool) -> bool {
    /// How many are tried: each is compared with all.
    const TRIED: usize = 4;
    by_rank(&mut rules);
    let rivals = Rivals::new(&rules, DIALECT, fresh_byte(DIALECT, &rules));
    let mut tried = rules
        .iter()
        .enumerate()
        .filter(|(_, rule)| rule.allows == allowing)
        .take(TRIED);
    tried.any(|(rank, rule)| {
        let pattern = rule.canonical_pattern();
        let is_contested = rules
            .iter()
            .any(|other| other.allows != allowing && other.canonical_pattern() == pattern);
        !is_contested && rivals.leave(rank)
    })
}

/// The rules as RFC 9309 reads them, in their own order, if each is in form as it is written.
pub(super) fn as_written<'b>(
    rules: impl Iterator<Item = (bool, &'b [u8])>,
) -> Option<Vec<RankedRule<'b>>> {
    let read = |(line, (allows, text)): (usize, (bool, &'b [u8]))| {
        is_as_written(text).then(|| RankedRule {
            form: text,
            reading: Reading::of(text, PatternSyntax::Wildcards, false),
            allows,
            line,
        })
    };
    rules.enumerate().map(read).collect()
}

fn by_rank(rules: &mut [RankedRule<'_>]) {
    rules.sort_unstable_by_key(|rule| (Reverse(rule.form.len()), !rule.allows, rule.line));
}

/// Whether a pattern is in form as it is written, matches something, and has `$` at its end alone.
fn is_as_written(text: &[u8]) -> bool {
    let inner = text.strip_suffix(b"$").unwrap_or(text);
    matches!(text.first(), Some(b'/' | b'*'))
        && inner != b"/robots.txt"
        && inner
            .iter()
            .all(|&byte| byte == b'*' || is_bare(byte) && !matches!(byte, b'#' | b'$'))
}

/// Who may decide about what a rule spells out, where the longest decides: rules with stars, whose patterns may
/// be longer than what they match.
pub(super) struct Rivals<'r> {
    ranked: &'r [RankedRule<'r>],
    /// How many bytes besides its stars each has, and its place by rank; in this order.
    starred: Vec<(usize, usize)>,
    /// How many bytes more the longest of them has.
    most_stars: usize,
    /// What a path is spelt out with; `None` where nothing can be said.
    fresh: Option<u8>,
}

impl<'r> Rivals<'r> {
    /// How many rivals of a rule are tried.
    const MOST_TRIED: usize = 64;

    pub(super) fn new(ranked: &'r [RankedRule<'r>], dialect: &Dialect, fresh: Option<u8>) -> Self {
        let can_tell = dialect.rule_order == RuleOrder::Longest
            && dialect.index_page != IndexPage::StandsForFolder;
        let has_star = |rule: &RankedRule<'_>| match rule.reading.shape {
            Shape::Prefix => rule.form.len() != rule.compared().len(),
            Shape::Exact => false,
            Shape::Glob | Shape::Shell => true,
        };
        let mut starred: Vec<(usize, usize)> = ranked
            .iter()
            .enumerate()
            .filter(|(_, rule)| has_star(rule))
            .map(|(place, rule)| (rule.literals(), place))
            .collect();
        starred.sort_unstable();
        let stars = starred.iter().filter_map(|(literals, place)| {
            let length = ranked.get(*place)?.form.len();
            Some(length.saturating_sub(*literals))
        });
        Self {
            ranked,
            most_stars: stars.max().unwrap_or_default(),
            starred,
            fresh: fresh.filter(|_| can_tell),
        }
    }

    /// Whether it is certain that all leave the decision about what the rule at this place spells out to it, if none
    /// other has its pattern.
    ///
    /// Who comes before it in rank is at least as long. Without a star it matches what begins with it: but that path
    /// is not longer up to the first character that no pattern has, unless the rule is that star alone. With a
    /// star it matches if the path has its other bytes, which can be no more than the path has.
    pub(super) fn leave(&self, rank: usize) -> bool {
        let (Some(rule), Some(fresh)) = (self.ranked.get(rank), self.fresh) else {
            return false;
        };
        let Some(path) = rule.plain_path(fresh) else {
            return false;
        };
        let least = rule.form.len().saturating_sub(self.most_stars);
        let from = self.starred.partition_point(|(bytes, _)| *bytes < least);
        let to = self
            .starred
            .partition_point(|(bytes, _)| *bytes <= path.len());
        let near = self.starred.get(from..to).unwrap_or_default();
        near.len() <= Self::MOST_TRIED
            && near
                .iter()
                .filter(|(_, place)| *place < rank)
                .filter_map(|(_, place)| self.ranked.get(*place))
                .all(|rival| !rival.matches(&path))
    }
}

impl RankedRule<'_> {
    /// How many bytes it has that a path must have.
    fn literals(&self) -> usize {
        let pattern = match self.reading.shape {
            Shape::Glob => split_end(self.form).0,
            _ => self.compared(),
        };
        pattern.iter().filter(|byte| **byte != b'*').count()
    }

    /// The pattern as one path, if that has characters of URLs alone, and no escapes, and is one that rules
    /// decide about.
    fn plain_path(&self, fresh: u8) -> Option<Vec<u8>> {
        let mut text = self.spelling(fresh)?;
        // A star at the start stands for a slash and more.
        if text.first() == Some(&fresh) && self.form.len() > 1 {
            text.insert(0, b'/');
        }
        let is_plain = text.starts_with(b"/")
            && text.iter().all(|&byte| is_bare(byte) && byte != b'#')
            && text != b"/robots.txt";
        is_plain.then_some(text)
    }
}
