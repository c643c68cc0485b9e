//! The index of a robot's rules, which finds the rule that decides.
//!
//! Every standard's choice among matching rules is a rank ([`Precedence::rank`]): the matching rule
//! with the least rank decides.
//!
//! A few rules are tried one by one, by rank. The first search sorts many rules. Then,
//!
//! * prefixes are sorted by their bytes, each with its parent: the longest other prefix that it begins
//!   with. A rule that an ancestor outranks can never decide, and is left out. All others outrank
//!   their ancestors. So the longest prefix of a path decides, in every order. A binary search and a
//!   walk to the ancestors find it;
//! * all other patterns are tried by rank, up to the rank of the prefix found. If there are many,
//!   only those are tried that have a rare run of bytes in common with the path ([`Grams`]).
//!
//! A verdict by sorted rules costs three things: a binary search among the prefixes, of which each step compares up
//! to the length of the path; a step for each ancestor on the walk; and the lengths of pattern and
//! path for each other rule that is tried.

use super::entry::{Entry, Precedence, Start, Texts};
use super::grams::Grams;
use std::sync::OnceLock;

/// The number of rules up to which they are tried one by one; with more, sorting is faster.
const FEW_RULES: usize = 12;

/// The number of globs, which are all patterns that are not prefixes, up to which all are tried. More
/// are filtered by the path's bytes.
const FEW_GLOBS: usize = 16;

pub(super) struct Index {
    /// Few rules by rank, or many in file order.
    entries: Box<[Entry]>,
    precedence: Precedence,
    /// Many rules in order, once the first search has sorted them.
    sorted: OnceLock<Box<Sorted>>,
}

/// Many rules in order. Rules that can never decide are left out.
struct Sorted {
    /// Prefixes by their bytes.
    prefixes: Vec<Entry>,
    /// The index of the parent of each prefix: the longest other prefix that it begins with.
    parents: Vec<u32>,
    /// Other patterns by rank.
    globs: Vec<Entry>,
    /// The filter of more than [`FEW_GLOBS`].
    grams: Option<Grams>,
}

impl Index {
    pub(super) fn new(mut entries: Box<[Entry]>, precedence: Precedence) -> Self {
        if entries.len() <= FEW_RULES {
            entries.sort_unstable_by_key(|&entry| precedence.rank(entry));
        }
        Self {
            entries,
            precedence,
            sorted: OnceLock::new(),
        }
    }

    /// Returns whether the types of patterns decide.
    pub(super) fn is_by_type(&self) -> bool {
        self.precedence == Precedence::ByType
    }

    /// Returns the rank of a rule.
    pub(super) fn rank(&self, entry: Entry) -> u64 {
        self.precedence.rank(entry)
    }

    /// Returns every rule, in an unspecified order.
    pub(super) fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// Returns the matching rule with the least rank.
    #[inline]
    pub(super) fn find(&self, texts: &Texts, path: &[u8]) -> Option<Entry> {
        if self.entries.len() <= FEW_RULES {
            let start = Start::of(path);
            let mut entries = self.entries.iter().copied();
            return entries.find(|&entry| {
                !entry.is_excluded_by_start(texts, start)
                    && entry.reading().matches(texts.form(entry), path)
            });
        }
        self.sorted
            .get_or_init(|| Box::new(Sorted::of(&self.entries, texts, self.precedence)))
            .find(texts, path, self.precedence)
    }
}

/// The index of the parent of a prefix without one, past all prefixes.
const NONE: u32 = u32::MAX;

impl Sorted {
    fn of(entries: &[Entry], texts: &Texts, precedence: Precedence) -> Self {
        let (mut prefixes, mut globs): (Vec<Entry>, Vec<Entry>) =
            entries.iter().partition(|entry| entry.is_prefix());
        globs.sort_unstable_by_key(|&entry| precedence.rank(entry));
        prefixes.sort_unstable_by(|&a, &b| {
            let by_text = texts.compared(a).cmp(texts.compared(b));
            by_text.then_with(|| precedence.rank(a).cmp(&precedence.rank(b)))
        });
        let mut sorted = Self {
            prefixes: Vec::with_capacity(prefixes.len()),
            parents: Vec::with_capacity(prefixes.len()),
            grams: (globs.len() > FEW_GLOBS).then(|| Grams::of(&globs, texts)),
            globs,
        };
        // The longest kept prefix with which the last prefix begins: itself, if it is kept.
        let mut last = NONE;
        for prefix in prefixes {
            let parent = sorted.ancestor_of(texts.compared(prefix), last, texts);
            last = parent;
            let parent_rank = sorted.prefixes.get(parent as usize);
            let parent_rank = parent_rank.map(|&parent| precedence.rank(parent));
            if parent_rank.is_none_or(|rank| rank >= precedence.rank(prefix)) {
                last = u32::try_from(sorted.prefixes.len()).unwrap_or(NONE);
                sorted.prefixes.push(prefix);
                sorted.parents.push(parent);
            }
        }
        sorted
    }

    /// Returns the longest kept prefix that `bytes` begin with: `last` or an ancestor of it, as each prefix of `bytes` that sorts
    /// before the last one is a prefix of that, too. `bytes` must not sort before any prefix. Over all prefixes, linear in their
    /// number: each but one that is tried here is tried no more.
    fn ancestor_of(&self, bytes: &[u8], last: u32, texts: &Texts) -> u32 {
        let mut at = last;
        while let Some(&entry) = self.prefixes.get(at as usize) {
            if bytes.starts_with(texts.compared(entry)) {
                break;
            }
            at = self.parents[at as usize];
        }
        at
    }

    fn find(&self, texts: &Texts, path: &[u8], precedence: Precedence) -> Option<Entry> {
        let prefix = self.longest_prefix(texts, path);
        // Only globs that outrank the prefix can decide.
        let rank = prefix.map_or(u64::MAX, |prefix| precedence.rank(prefix));
        let is_better = |glob: &Entry| precedence.rank(*glob) < rank;
        let better = &self.globs[..self.globs.partition_point(is_better)];
        let glob = match &self.grams {
            Some(grams) => grams.first_match(better, texts, path),
            None => {
                let matches = |glob: &Entry| glob.reading().matches(texts.form(*glob), path);
                better.iter().copied().find(matches)
            }
        };
        glob.or(prefix)
    }

    /// Returns the longest prefix that the path begins with.
    fn longest_prefix(&self, texts: &Texts, path: &[u8]) -> Option<Entry> {
        // The prefixes of the path sort before it or are equal to it. They are the last entry that does, or
        // ancestors of that entry.
        let is_at_most = |entry: &Entry| texts.compared(*entry) <= path;
        let after = self.prefixes.partition_point(is_at_most);
        let mut at = after.checked_sub(1)?;
        let mut entry = *self.prefixes.get(at)?;
        let pairs = texts.compared(entry).iter().zip(path);
        let same = pairs.take_while(|(a, b)| a == b).count();
        // An ancestor is a start of the entry: the path begins with it if it has at most `same` bytes.
        while entry.compared_length() > same {
            at = self.parents[at] as usize;
            entry = *self.prefixes.get(at)?;
        }
        Some(entry)
    }
}

#[cfg(test)]
mod tests {
    use crate::{Dialect, RobotsTxt, Target};

    #[test]
    fn rules_that_another_outranks_are_left_out_after_nested_ones() {
        let (nested, short) = (20, 50);
        let mut body = String::from("User-agent: *\n");
        for length in (1..=nested).rev() {
            body.push_str("Disallow: /");
            body.extend(std::iter::repeat_n('a', length));
            body.push('\n');
        }
        body.push_str("Disallow: /\n");
        body.push_str(&"Disallow: /b\nDisallow: /ab\n".repeat(short));
        let rules = RobotsTxt::parse(body).rules("a", &Dialect::WWW_ROBOT_RULES);
        let line = |path: &str| rules.verdict(&Target::new(path)).line();
        assert_eq!(line("/b"), Some(nested + 2));
        assert_eq!(line("/ab"), Some(nested + 1));
        assert_eq!(line("/a"), Some(nested + 1));
        assert_eq!(line("/aaa"), Some(nested - 1));
        assert_eq!(line(&format!("/{}", "a".repeat(nested + 1))), Some(2));
    }

    #[test]
    fn few_and_many_rules_and_globs_decide_as_the_first_that_matches() {
        // Before and after each limit. Each glob ends with its own number; the prefix of line 2 comes first.
        for globs in [1, 10, 11, 12, 13, 16, 17, 40, 300] {
            let rules = (0..globs).map(|at| format!("Disallow: /*/{at}$\n"));
            let body = format!("User-agent: *\nAllow: /p\n{}", rules.collect::<String>());
            let rules = RobotsTxt::parse(body).rules("a", &Dialect::RFC9309);
            let line = |path: &str| rules.verdict(&Target::new(path)).line();
            assert_eq!(line("/p"), Some(2));
            assert_eq!(line("/q"), None);
            for at in 0..globs {
                assert_eq!(line(&format!("/q/{at}")), Some(at + 3));
            }
        }
    }

    #[test]
    fn threads_that_search_at_the_same_time_find_the_same_verdicts() {
        let rules = (0..20).map(|at| format!("Disallow: /{at}\n"));
        let body = format!("User-agent: *\n{}", rules.collect::<String>());
        let rules = RobotsTxt::parse(body).rules("a", &Dialect::RFC9309);
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    let line = rules.verdict(&Target::new("/3/x")).line();
                    assert_eq!(line, Some(5));
                });
            }
        });
    }
}
