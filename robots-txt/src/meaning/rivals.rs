//! Who may decide in a rule's place, told from the patterns alone, where the longest decides.
//!
//! A rule decides about the path that it spells out unless a longer pattern matches there too, and that only one with
//! stars can: few come into question ([`Rivals`]). Where patterns are in form as they are written, nothing need
//! be compiled for it ([`all_decide`], [`one_decides`]). `n log n` in the rules; what is not certain is left to
//! others.

use super::glance::fresh_byte;
use crate::dialect::{Dialect, IndexPage, PatternSyntax, RuleOrder};
use crate::encoding::is_of_url;
use crate::pattern::{Reading, Shape, split_end};
use crate::rules::RankedRule;
use std::borrow::Cow;
use std::cmp::Reverse;

/// How RFC 9309 reads what [`as_written`] takes.
const DIALECT: &Dialect = &Dialect::RFC9309;

/// Whether it is certain that each of these patterns decides about something as RFC 9309 reads them, told from
/// their texts alone: whether a rule allows, and its pattern. So it is in nearly every group.
pub(crate) fn all_decide<'b>(rules: impl Iterator<Item = (bool, &'b [u8])>) -> bool {
    let Some(mut rules) = as_written(rules) else {
        return false;
    };
    if has_equal(&rules) {
        return false;
    }
    if !rules.iter().any(RankedRule::has_star) {
        return true;
    }
    by_rank(&mut rules);
    let rivals = Rivals::new(&rules, DIALECT, fresh_byte(DIALECT, &rules));
    (0..rules.len()).all(|rank| rivals.leave(rank))
}

/// Whether two rules that are in form as they are written have the same pattern.
fn has_equal(rules: &[RankedRule<'_>]) -> bool {
    // Most differ in length: no need to look at more.
    let order = |one: &[u8], two: &[u8]| one.len().cmp(&two.len()).then_with(|| one.cmp(two));
    let (starred, plain): (Vec<_>, Vec<_>) = rules.iter().partition(|rule| rule.has_star());
    let mut plain: Vec<&[u8]> = plain.iter().map(|rule| rule.form).collect();
    plain.sort_unstable_by(|one, two| order(one, two));
    let mut patterns: Vec<(u8, Cow<'_, [u8]>)> = starred
        .iter()
        .map(|rule| rule.canonical_pattern())
        .collect();
    patterns.sort_unstable();
    // Without the stars at its end, a pattern may be one that has none.
    let is_plain = |(mark, pattern): &(u8, Cow<'_, [u8]>)| {
        *mark == b'<'
            && plain
                .binary_search_by(|other| order(other, pattern))
                .is_ok()
    };
    plain.windows(2).any(|two| two.first() == two.last())
        || patterns.windows(2).any(|two| two.first() == two.last())
        || patterns.iter().any(is_plain)
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
        && is_of_url(inner)
        && !inner.contains(&b'$')
}

/// Who may decide about what a rule spells out, where the longest decides: rules with stars, whose patterns may
/// be longer than what they match.
pub(super) struct Rivals<'r> {
    ranked: &'r [RankedRule<'r>],
    /// In the order of their literals.
    starred: Vec<Starred<'r>>,
    /// How many bytes more than its literals the longest of them has.
    most_stars: usize,
    /// What a path is spelt out with; `None` where nothing can be said.
    fresh: Option<u8>,
}

/// A rule with stars.
struct Starred<'r> {
    /// How many bytes it has that a path must have.
    literals: usize,
    /// Its place by rank.
    rank: usize,
    /// What a path must begin with.
    head: &'r [u8],
}

impl<'r> Rivals<'r> {
    /// How many rivals of a rule are tried.
    const MOST_TRIED: usize = 64;

    pub(super) fn new(ranked: &'r [RankedRule<'r>], dialect: &Dialect, fresh: Option<u8>) -> Self {
        let can_tell = dialect.rule_order == RuleOrder::Longest
            && dialect.index_page != IndexPage::StandsForFolder;
        let all = ranked.iter().enumerate();
        let mut starred: Vec<Starred<'_>> = all
            .filter(|(_, rule)| rule.has_star())
            .map(|(rank, rule)| Starred {
                literals: rule.literals(),
                rank,
                head: rule.head(),
            })
            .collect();
        starred.sort_unstable_by_key(|starred| (starred.literals, starred.rank));
        let stars = starred.iter().filter_map(|starred| {
            let length = ranked.get(starred.rank)?.form.len();
            Some(length.saturating_sub(starred.literals))
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
    /// star it matches if the path has its other bytes, which can be no more than the path has, and begins as it
    /// does.
    pub(super) fn leave(&self, rank: usize) -> bool {
        let (Some(rule), Some(fresh)) = (self.ranked.get(rank), self.fresh) else {
            return false;
        };
        if !rule.is_plain() {
            return false;
        }
        // A path has a slash more than the pattern, and a character behind it, if any.
        let longest = rule.form.len().saturating_add(2);
        let least = rule.form.len().saturating_sub(self.most_stars);
        let from = self
            .starred
            .partition_point(|starred| starred.literals < least);
        let near = self.starred.get(from..).unwrap_or_default();
        let to = near.partition_point(|starred| starred.literals <= longest);
        let near = near.get(..to).unwrap_or_default();
        let head = match rule.head() {
            [] => b"/",
            head => head,
        };
        let mut rivals = near
            .iter()
            .filter(|starred| starred.rank < rank && head.starts_with(starred.head))
            .filter_map(|starred| self.ranked.get(starred.rank))
            .peekable();
        if rivals.peek().is_none() {
            return near.len() <= Self::MOST_TRIED;
        }
        let path = rule.plain_path(fresh);
        near.len() <= Self::MOST_TRIED
            && path.is_some_and(|path| rivals.all(|rival| !rival.matches(&path)))
    }
}

impl<'r> RankedRule<'r> {
    /// Whether a star of its pattern stands for anything.
    fn has_star(&self) -> bool {
        match self.reading.shape {
            Shape::Prefix => self.form.len() != self.compared().len(),
            Shape::Exact => false,
            Shape::Glob | Shape::Shell => true,
        }
    }

    /// The pattern without the `$` at its end.
    fn pattern(&self) -> &'r [u8] {
        match self.reading.shape {
            Shape::Glob => split_end(self.form).0,
            _ => self.compared(),
        }
    }

    /// How many bytes it has that a path must have.
    fn literals(&self) -> usize {
        let pattern = self.pattern();
        pattern.iter().filter(|byte| **byte != b'*').count()
    }

    /// The bytes before its first star.
    fn head(&self) -> &'r [u8] {
        let pattern = self.pattern();
        match self.reading.shape {
            Shape::Glob => pattern
                .split(|byte| *byte == b'*')
                .next()
                .unwrap_or(pattern),
            Shape::Shell => &[],
            Shape::Prefix | Shape::Exact => pattern,
        }
    }

    /// Whether the pattern has characters of URLs alone, and no escapes, and is one that rules decide about.
    fn is_plain(&self) -> bool {
        let pattern = self.pattern();
        let begins = match self.reading.shape {
            Shape::Prefix => pattern.starts_with(b"/"),
            Shape::Exact => pattern.starts_with(b"/") && pattern != b"/robots.txt",
            // A star at the start stands for a slash and more.
            Shape::Glob => matches!(pattern.first(), Some(b'/' | b'*')),
            Shape::Shell => false,
        };
        begins && is_of_url(pattern)
    }

    /// The pattern as one path; `None` if it is a shell's.
    fn plain_path(&self, fresh: u8) -> Option<Vec<u8>> {
        let mut text = self.spelling(fresh)?;
        // A star at the start stands for a slash and more.
        if text.first() == Some(&fresh) && self.form.len() > 1 {
            text.insert(0, b'/');
        }
        Some(text)
    }
}
