//! Rules that certainly decide about some path, found from their patterns alone. Only for dialects in
//! which the longest pattern decides.
//!
//! The path is the rule's probe path ([`probe`](super::probe)): its pattern, with a fresh character for
//! each star and at an open end. No pattern contains this character. The rule decides about this path
//! unless another rule, as long or longer, matches it too. Only a rule with stars can do so, so there are
//! few candidates ([`Competitors`]).

use super::probe::is_path;
use crate::dialect::{Dialect, IndexPage, RuleOrder};
use crate::pattern::{Shape, split_end};
use crate::rules::RankedRule;

/// The rules that can decide on another rule's probe path, where the longest decides: rules with
/// stars, whose patterns may be longer than the paths that they match.
pub(super) struct Competitors<'r> {
    ranked: &'r [RankedRule<'r>],
    /// Sorted by the number of their literal bytes.
    starred: Vec<Starred<'r>>,
    /// The greatest number of bytes of one of them that are not literal: its stars and its `$`.
    most_wildcards: usize,
    /// The length of all of them together, in bytes.
    bytes: u64,
    /// The character that replaces stars in probe paths; `None` if nothing can be concluded.
    fresh: Option<u8>,
}

/// A rule with stars.
struct Starred<'r> {
    /// The number of its bytes that a path must have.
    literals: usize,
    /// Its rank among all rules.
    rank: usize,
    /// The required start of a path.
    head: &'r [u8],
    bytes: ByteSet,
}

/// The set of bytes in a text, one bit each. Two bytes share a bit only if one is a control character or is not ASCII, or if
/// they are the upper and the lower case of a letter.
#[derive(Clone, Copy)]
struct ByteSet(u64);

impl ByteSet {
    fn of(text: &[u8]) -> Self {
        Self(text.iter().fold(0, |all, &byte| all | Self::bit(byte)))
    }

    /// Returns the bit of a byte: the low half for digits and punctuation, the high half for letters.
    fn bit(byte: u8) -> u64 {
        1 << ((byte & 0x1F) | ((byte >> 1) & 0x20))
    }

    /// Returns whether this may be a subset of `others`: false if a byte is certainly missing there.
    fn may_be_subset_of(self, others: Self) -> bool {
        self.0 & !others.0 == 0
    }
}

impl<'r> Competitors<'r> {
    /// The maximum number of rules near a rule's length: if there are more, none is tried.
    const MAX_TRIED: usize = 64;

    pub(super) fn new(ranked: &'r [RankedRule<'r>], dialect: &Dialect, fresh: Option<u8>) -> Self {
        // Only this order ranks by length, and with shell patterns the types of patterns come first. An index page has
        // a second pattern, that of its folder, which `equivalences` does not compare: another rule may have it too.
        let can_tell = dialect.rule_order == RuleOrder::Longest
            && dialect.index_page != IndexPage::StandsForFolder
            && !ranked.iter().any(|rule| rule.reading.shape == Shape::Shell);
        let all = ranked.iter().enumerate();
        let mut starred: Vec<Starred<'_>> = all
            .filter(|(_, rule)| rule.has_star())
            .map(|(rank, rule)| Starred {
                literals: rule.literals(),
                rank,
                head: rule.head(),
                bytes: rule.literal_bytes(),
            })
            .collect();
        starred.sort_unstable_by_key(|starred| (starred.literals, starred.rank));
        let length = |starred: &Starred<'_>| ranked.get(starred.rank).map(|rule| rule.form.len());
        let wildcards = starred
            .iter()
            .filter_map(|starred| Some(length(starred)?.saturating_sub(starred.literals)));
        let lengths = starred.iter().filter_map(length);
        Self {
            ranked,
            most_wildcards: wildcards.max().unwrap_or_default(),
            bytes: lengths.fold(0, |sum, length| sum.saturating_add(length as u64)),
            starred,
            fresh: fresh.filter(|_| can_tell),
        }
    }

    /// Returns the length of the patterns with stars together, in bytes.
    pub(super) fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Returns whether the rule at this rank certainly decides about the path that it spells out,
    /// provided that no other rule has its pattern.
    ///
    /// A rule that outranks this one is at least as long. Two cases follow:
    ///
    /// * It has no star. No pattern has the fresh character, so the other pattern ends before the first
    ///   fresh character of the probe path. The path up to there is at most as long as the pattern of this
    ///   rule. So the other rule has the same pattern, which is excluded. (`/` could outrank a single star, but a single
    ///   star [is not a path pattern](RankedRule::is_path_pattern).)
    /// * It has a star. Then the probe path begins with the bytes before its first star, and has all of
    ///   its literal bytes. The few rules for which this may hold are tried.
    pub(super) fn certainly_decides(&self, rank: usize) -> bool {
        let (Some(rule), Some(fresh)) = (self.ranked.get(rank), self.fresh) else {
            return false;
        };
        if !rule.is_path_pattern() {
            return false;
        }
        // The literals of a competitor fit into the probe path, which may have one slash and one fresh
        // character more than the pattern. And a competitor is at least as long as the pattern.
        let most_literals = rule.form.len().saturating_add(2);
        let least_literals = rule.form.len().saturating_sub(self.most_wildcards);
        let from = self
            .starred
            .partition_point(|starred| starred.literals < least_literals);
        let near = self.starred.get(from..).unwrap_or_default();
        let to = near.partition_point(|starred| starred.literals <= most_literals);
        let near = near.get(..to).unwrap_or_default();
        if near.len() > Self::MAX_TRIED {
            return false;
        }
        let head = match rule.head() {
            // The pattern begins with a star: its probe path begins with a slash.
            [] => b"/",
            head => head,
        };
        let mut outranking = near
            .iter()
            .filter(|starred| starred.rank < rank && head.starts_with(starred.head))
            .peekable();
        if outranking.peek().is_none() {
            return true;
        }
        // The probe path has only the bytes of the pattern, a slash and the fresh character; no other
        // pattern has the latter.
        let bytes = ByteSet(rule.literal_bytes().0 | ByteSet::bit(b'/'));
        let mut competitors = outranking
            .filter(|starred| starred.bytes.may_be_subset_of(bytes))
            .filter_map(|starred| self.ranked.get(starred.rank))
            .peekable();
        if competitors.peek().is_none() {
            return true;
        }
        let path = rule.probe_path(fresh);
        path.is_some_and(|path| competitors.all(|other| !other.matches(&path)))
    }
}

impl<'r> RankedRule<'r> {
    /// Returns whether its pattern has a star that is a wildcard.
    pub(super) fn has_star(&self) -> bool {
        match self.reading.shape {
            // The wildcard of a prefix is a star at its end, which is not compared.
            Shape::Prefix => self.form.len() != self.compared().len(),
            Shape::Exact => false,
            Shape::Glob | Shape::Shell => true,
        }
    }

    /// Returns the pattern without the `$` at its end.
    fn pattern(&self) -> &'r [u8] {
        match self.reading.shape {
            Shape::Glob => split_end(self.form).0,
            _ => self.compared(),
        }
    }

    /// Returns the number of its bytes that a path must have.
    fn literals(&self) -> usize {
        let pattern = self.pattern();
        pattern.iter().filter(|byte| **byte != b'*').count()
    }

    /// Returns the bytes that a path must have.
    fn literal_bytes(&self) -> ByteSet {
        ByteSet(ByteSet::of(self.pattern()).0 & !ByteSet::bit(b'*'))
    }

    /// Returns the bytes before its first wildcard: each path that the rule matches begins with them.
    pub(super) fn head(&self) -> &'r [u8] {
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

    /// Returns whether the pattern is a path pattern that can match a path other than `/robots.txt`. A
    /// shell pattern is not, and neither is an empty pattern or a single star.
    pub(super) fn is_path_pattern(&self) -> bool {
        let pattern = self.pattern();
        let begins = match self.reading.shape {
            Shape::Prefix => pattern.starts_with(b"/"),
            Shape::Exact => pattern.starts_with(b"/") && pattern != b"/robots.txt",
            // A star at the start matches a slash and more.
            Shape::Glob => matches!(pattern.first(), Some(b'/' | b'*')),
            Shape::Shell => false,
        };
        begins && is_path(pattern)
    }

    /// Returns the probe path of a [path pattern](Self::is_path_pattern).
    pub(super) fn probe_path(&self, fresh: u8) -> Option<Vec<u8>> {
        let mut text = self.probe_text(fresh)?;
        // A star at the start matches a slash and more.
        if text.first() == Some(&fresh) {
            text.insert(0, b'/');
        }
        Some(text)
    }
}
