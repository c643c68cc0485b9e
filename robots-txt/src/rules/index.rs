//! The index of a robot's rules, which finds the rule that decides.
//!
//! Every standard's choice among matching rules is a rank ([`Precedence::rank`]): the matching rule
//! with the least rank decides.
//!
//! A few rules are tried one by one, by rank. Many rules are sorted, but not for the first targets, for which each rule
//! is tried: of most sites a robot requests a handful of pages, and sorting costs more. When the rules are sorted,
//!
//! * prefixes are sorted by their bytes, each with its parent: the longest other prefix that it begins
//!   with. A rule that an ancestor outranks can never decide, and is left out. All others outrank
//!   their ancestors. So the longest prefix of a path decides, in every order. A binary search and a
//!   walk to the ancestors find it;
//! * all other patterns are tried by rank, up to the rank of the prefix found. If there are many,
//!   only those are tried that have a rare run of bytes in common with the path ([`Grams`]). If there are few, those are
//!   left out that have a kind of byte which the path lacks ([`Kinds`]).
//!
//! Many rules that are not prefixes are sorted for the first target: trying each would cost the product of their number
//! and the length of the path.
//!
//! A verdict by sorted rules costs three things: a binary search among the prefixes, of which each step compares up
//! to the length of the path; a step for each ancestor on the walk; and the lengths of pattern and
//! path for each other rule that is tried.

use super::entry::{Entries, Entry, NewEntries, Precedence, Start, Stored, Texts};
use super::grams::{self, Grams};
use super::kinds::Kinds;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};

/// The number of rules up to which they are tried one by one; with more, sorting is faster.
const FEW_RULES: usize = 12;

/// The number of globs, which are all patterns that are not prefixes, up to which all are tried. More
/// are filtered by the path's bytes.
const FEW_GLOBS: usize = 32;

/// The number of bytes of a path whose kinds take about as long to find as it takes to try one glob.
const BYTES_A_GLOB: usize = 16;

/// The number of targets for which many rules are tried one by one. Sorting costs about as much as this number of
/// searches.
const UNSORTED_SEARCHES: u32 = 16;

pub(super) struct Index {
    /// Few rules by rank, or many in file order.
    entries: Entries,
    precedence: Precedence,
    /// The index of many rules; `None` for a few, which are all tried.
    many: Option<Box<Many>>,
}

/// The state of many rules, which are sorted after some searches.
struct Many {
    /// The number of patterns that are not prefixes.
    globs: usize,
    /// The number of searches so far. Searches of several threads at the same time may count as one.
    searches: AtomicU32,
    /// Set by the first search that sorts the rules.
    sorted: OnceLock<Sorted>,
}

/// Many rules in order.
struct Sorted {
    /// Prefixes by their bytes, then other patterns by rank. Rules that can never decide are left out.
    entries: Entries,
    /// The number of prefixes.
    prefixes: usize,
    /// The index of the parent of each prefix: the longest other prefix that it begins with.
    parents: Parents,
    /// The filter of the other patterns.
    filter: GlobFilter,
}

/// A filter of the patterns that are not prefixes.
enum GlobFilter {
    /// Up to [`FEW_GLOBS`]: the kinds of bytes of each, by rank.
    Kinds(Box<[Kinds]>),
    Grams(Grams),
}

impl Index {
    pub(super) fn new(entries: NewEntries, precedence: Precedence) -> Self {
        let entries = entries.into_entries(FEW_RULES, precedence);
        let many = (entries.len() > FEW_RULES).then(|| {
            Box::new(Many {
                globs: match &entries {
                    Entries::Narrow(entries) => globs(entries),
                    Entries::Wide(entries) => globs(entries),
                },
                searches: AtomicU32::new(0),
                sorted: OnceLock::new(),
            })
        });
        Self {
            entries,
            precedence,
            many,
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
    pub(super) fn entries(&self) -> Vec<Entry> {
        self.entries.to_vec()
    }

    /// Returns the matching rule with the least rank.
    #[inline]
    pub(super) fn find(&self, texts: &Texts, path: &[u8]) -> Option<Entry> {
        if let Some(many) = &self.many {
            return match many.sorted.get() {
                Some(sorted) => sorted.find(texts, path, self.precedence),
                None => many.find(&self.entries, texts, path, self.precedence),
            };
        }
        match &self.entries {
            Entries::Narrow(entries) => find_among_few(entries, texts, path),
            Entries::Wide(entries) => find_among_few(entries, texts, path),
        }
    }
}

/// Returns the number of patterns that are not prefixes.
fn globs<S: Stored>(entries: &[S]) -> usize {
    let is_glob = |entry: &&S| !entry.entry().is_prefix();
    entries.iter().filter(is_glob).count()
}

impl Many {
    /// Returns the matching rule with the least rank. Sorts the rules if it is time to do so.
    #[inline(never)]
    fn find(
        &self,
        entries: &Entries,
        texts: &Texts,
        path: &[u8],
        precedence: Precedence,
    ) -> Option<Entry> {
        // The load and the store are not one atomic step: the number need not be exact.
        let searches = self.searches.load(Ordering::Relaxed);
        if searches >= UNSORTED_SEARCHES || self.globs > FEW_GLOBS {
            let sorted = || Sorted::of(entries.to_vec(), texts, precedence);
            let sorted = self.sorted.get_or_init(sorted);
            return sorted.find(texts, path, precedence);
        }
        self.searches.store(searches + 1, Ordering::Relaxed);
        match entries {
            Entries::Narrow(entries) => find_among_unsorted(entries, texts, path, precedence),
            Entries::Wide(entries) => find_among_unsorted(entries, texts, path, precedence),
        }
    }
}

/// Returns the matching rule with the least rank. Tries each rule, except those with a greater rank than
/// a rule that matches.
fn find_among_unsorted<S: Stored>(
    entries: &[S],
    texts: &Texts,
    path: &[u8],
    precedence: Precedence,
) -> Option<Entry> {
    let start = Start::of(path);
    let mut best: Option<(u64, Entry)> = None;
    for entry in entries {
        if entry.is_excluded_by_start(texts, start) {
            continue;
        }
        let entry = entry.entry();
        let rank = precedence.rank(entry);
        if best.is_none_or(|(least, _)| rank < least)
            && entry.reading().matches(texts.form(entry), path)
        {
            best = Some((rank, entry));
        }
    }
    best.map(|(_, entry)| entry)
}

/// Returns the first matching rule of a few, which are sorted by rank.
fn find_among_few<S: Stored>(entries: &[S], texts: &Texts, path: &[u8]) -> Option<Entry> {
    let start = Start::of(path);
    entries
        .iter()
        .filter(|entry| !entry.is_excluded_by_start(texts, start))
        .map(|entry| entry.entry())
        .find(|&entry| entry.reading().matches(texts.form(entry), path))
}

impl Sorted {
    fn of(entries: Vec<Entry>, texts: &Texts, precedence: Precedence) -> Self {
        let (prefixes, mut globs): (Vec<_>, Vec<_>) =
            entries.into_iter().partition(|entry| entry.is_prefix());
        globs.sort_unstable_by_key(|&entry| precedence.rank(entry));
        let tree = Tree::of(prefixes, texts, precedence);
        Self {
            prefixes: tree.kept.len(),
            parents: Parents::of(tree.parents),
            filter: GlobFilter::of(&globs, texts),
            entries: Entries::of(&[tree.kept, globs].concat()),
        }
    }

    #[inline]
    fn find(&self, texts: &Texts, path: &[u8], precedence: Precedence) -> Option<Entry> {
        match &self.entries {
            Entries::Narrow(entries) => self.find_in(entries, texts, path, precedence),
            Entries::Wide(entries) => self.find_in(entries, texts, path, precedence),
        }
    }

    fn find_in<S: Stored>(
        &self,
        entries: &[S],
        texts: &Texts,
        path: &[u8],
        precedence: Precedence,
    ) -> Option<Entry> {
        let (prefixes, globs) = entries.split_at(self.prefixes);
        let prefix = self.longest_prefix(prefixes, texts, path);
        if globs.is_empty() {
            return prefix;
        }
        // Only globs that outrank the prefix can decide.
        let better = match prefix {
            Some(prefix) => {
                let rank = precedence.rank(prefix);
                globs.partition_point(|&glob| precedence.rank(glob.entry()) < rank)
            }
            None => globs.len(),
        };
        self.filter
            .first_match(&globs[..better], texts, path)
            .or(prefix)
    }

    /// Returns the longest prefix that the path begins with.
    fn longest_prefix<S: Stored>(
        &self,
        prefixes: &[S],
        texts: &Texts,
        path: &[u8],
    ) -> Option<Entry> {
        // The prefixes of the path sort before it or are equal to it. They are the last entry that does, or
        // ancestors of that entry.
        let start = Start::of(path);
        let after = prefixes.partition_point(|&entry| texts.is_at_most(entry.entry(), path, start));
        let mut at = after.checked_sub(1)?;
        let mut entry = prefixes.get(at)?.entry();
        let same = texts
            .compared(entry)
            .iter()
            .zip(path)
            .take_while(|(a, b)| a == b)
            .count();
        // An ancestor is a start of the entry: the path begins with it if it has at most `same` bytes.
        while entry.compared_length() > same {
            at = self.parents.get(at)?;
            entry = prefixes.get(at)?.entry();
        }
        Some(entry)
    }
}

impl GlobFilter {
    fn of(globs: &[Entry], texts: &Texts) -> Self {
        if globs.len() > FEW_GLOBS {
            return Self::Grams(Grams::of(globs, texts));
        }
        let kinds = globs.iter().map(|&glob| grams::kinds(glob, texts));
        Self::Kinds(kinds.collect())
    }

    /// Returns the first glob that matches the path. `globs` are those for which the filter was built, or any number of the
    /// first of them.
    #[inline]
    fn first_match<S: Stored>(&self, globs: &[S], texts: &Texts, path: &[u8]) -> Option<Entry> {
        let kinds_of = match self {
            Self::Grams(grams) => return grams.first_match(globs, texts, path),
            Self::Kinds(kinds_of) => kinds_of,
        };
        let kinds = if path.len() <= globs.len() * BYTES_A_GLOB {
            Kinds::of(path)
        } else {
            Kinds::ALL
        };
        globs
            .iter()
            .zip(kinds_of)
            .filter(|&(_, &of_glob)| kinds.has_all(of_glob))
            .map(|(glob, _)| glob.entry())
            .find(|&glob| glob.reading().matches(texts.form(glob), path))
    }
}

/// The indices of the prefixes' parents.
enum Parents {
    Short(Box<[u16]>),
    Long(Box<[u32]>),
}

/// The index of the parent of a prefix without one, past all prefixes.
const NONE: u32 = u32::MAX;

impl Parents {
    fn of(parents: Vec<u32>) -> Self {
        // The greatest value of 16 bits means no parent.
        if parents.len() > usize::from(u16::MAX) {
            return Self::Long(parents.into_boxed_slice());
        }
        let short = |parent| u16::try_from(parent).unwrap_or(u16::MAX);
        Self::Short(parents.into_iter().map(short).collect())
    }

    /// Returns the index of the parent; for a prefix without one, an index past all prefixes.
    fn get(&self, at: usize) -> Option<usize> {
        match self {
            Self::Short(parents) => parents.get(at).map(|&parent| usize::from(parent)),
            Self::Long(parents) => parents.get(at).map(|&parent| parent as usize),
        }
    }
}

/// Many prefixes with their parents, without those that an ancestor outranks.
struct Tree {
    kept: Vec<Entry>,
    parents: Vec<u32>,
}

impl Tree {
    fn of(entries: Vec<Entry>, texts: &Texts, precedence: Precedence) -> Self {
        let mut tree = Self {
            kept: Vec::with_capacity(entries.len()),
            parents: Vec::with_capacity(entries.len()),
        };
        // The longest kept entry with which the last entry begins: itself, if it is kept.
        let mut last = NONE;
        for entry in sorted(entries, texts, precedence) {
            let parent = tree.ancestor_of(texts.compared(entry), last, texts);
            let parent_rank = tree
                .kept
                .get(parent as usize)
                .map(|&parent| precedence.rank(parent));
            last = parent;
            if parent_rank.is_none_or(|rank| rank >= precedence.rank(entry)) {
                last = u32::try_from(tree.kept.len()).unwrap_or(NONE);
                tree.kept.push(entry);
                tree.parents.push(parent);
            }
        }
        tree
    }

    /// Returns the longest kept entry that `bytes` begin with: `last` or an ancestor of it, as each prefix of `bytes` that sorts
    /// before the last entry is a prefix of that, too. `bytes` must not sort before any entry. Over all entries, linear in their
    /// number: each but one that is tried here is tried no more.
    fn ancestor_of(&self, bytes: &[u8], last: u32, texts: &Texts) -> u32 {
        let mut at = last;
        while let Some(&entry) = self.kept.get(at as usize) {
            if bytes.starts_with(texts.compared(entry)) {
                break;
            }
            at = self.parents.get(at as usize).copied().unwrap_or(NONE);
        }
        at
    }
}

/// Returns prefixes sorted by their bytes, and equal ones by rank.
fn sorted(
    entries: Vec<Entry>,
    texts: &Texts,
    precedence: Precedence,
) -> impl Iterator<Item = Entry> {
    // Most prefixes have a common start. The eight bytes after it decide most comparisons without reading
    // the texts.
    let first = entries.first().map(|&entry| texts.compared(entry));
    let first = first.unwrap_or_default();
    let common = entries.iter().fold(first.len(), |common, &entry| {
        let first = first.get(..common).unwrap_or_default();
        first
            .iter()
            .zip(texts.compared(entry))
            .take_while(|(a, b)| a == b)
            .count()
    });
    let key = |bytes: &[u8]| {
        let rest = bytes.get(common..).unwrap_or_default();
        match rest.first_chunk() {
            Some(start) => u64::from_be_bytes(*start),
            None => rest
                .iter()
                .chain(std::iter::repeat(&0))
                .take(8)
                .fold(0, |key, &byte| key << 8 | u64::from(byte)),
        }
    };
    let mut keyed: Vec<(u64, Entry)> = entries
        .into_iter()
        .map(|entry| (key(texts.compared(entry)), entry))
        .collect();
    keyed.sort_unstable_by(|&(key_a, a), &(key_b, b)| {
        key_a.cmp(&key_b).then_with(|| {
            let by_text = texts.compared(a).cmp(texts.compared(b));
            by_text.then_with(|| precedence.rank(a).cmp(&precedence.rank(b)))
        })
    });
    keyed.into_iter().map(|(_, entry)| entry)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dialect::PatternSyntax;
    use crate::{Dialect, RobotsTxt, Rules, Target};

    /// Returns rules that allow and disallow nested paths, some with wildcards. Each prefix is there twice: `/0`
    /// on lines 2 to 5, `/1` on lines 6 to 9.
    fn rules(prefixes: usize, globs: usize, dialect: &Dialect) -> Rules {
        let prefix = |at: usize| format!("Disallow: /{0}\nAllow: /{0}/x\n", at / 2);
        let glob = |at: usize| format!("Disallow: /*/{at}$\n");
        let mut body = String::from("User-agent: *\n");
        body.extend((0..prefixes).map(prefix));
        body.extend((0..globs).map(glob));
        RobotsTxt::parse(body).rules("a", dialect)
    }

    fn is_sorted(rules: &Rules) -> bool {
        let many = rules.compiled.index.many.as_ref();
        many.is_some_and(|many| many.sorted.get().is_some())
    }

    #[test]
    fn a_few_rules_are_sorted_at_once() {
        for (globs, is_many) in [
            (FEW_RULES - 1, false),
            (FEW_RULES, false),
            (FEW_RULES + 1, true),
        ] {
            let rules = rules(0, globs, &Dialect::RFC9309);
            assert_eq!(rules.compiled.index.many.is_some(), is_many);
        }
    }

    #[test]
    fn many_rules_are_sorted_after_some_targets() {
        let rules = rules(FEW_RULES, 1, &Dialect::RFC9309);
        let target = Target::new("/1");
        for _ in 0..UNSORTED_SEARCHES {
            assert_eq!(rules.verdict(&target).line(), Some(6));
            assert!(!is_sorted(&rules));
        }
        assert_eq!(rules.verdict(&target).line(), Some(6));
        assert!(is_sorted(&rules));
        // Clones share the index.
        assert!(is_sorted(&rules.clone()));
    }

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
        for _ in 0..=UNSORTED_SEARCHES {
            assert_eq!(line("/b"), Some(nested + 2));
        }
        assert!(is_sorted(&rules));
        assert_eq!(line("/ab"), Some(nested + 1));
        assert_eq!(line("/a"), Some(nested + 1));
        assert_eq!(line("/aaa"), Some(nested - 1));
        assert_eq!(line(&format!("/{}", "a".repeat(nested + 1))), Some(2));
    }

    #[test]
    fn many_wildcards_are_sorted_for_the_first_target() {
        for (globs, is_first) in [
            (FEW_GLOBS - 1, false),
            (FEW_GLOBS, false),
            (FEW_GLOBS + 1, true),
        ] {
            let rules = rules(0, globs, &Dialect::RFC9309);
            assert!(!is_sorted(&rules));
            rules.verdict(&Target::new("/"));
            assert_eq!(is_sorted(&rules), is_first, "{globs}");
        }
    }

    #[test]
    fn sorted_rules_return_the_verdicts_of_unsorted_ones() {
        let paths = ["/", "/0", "/3/x", "/3/y", "/a/7", "/2/x/9", "/nothing"];
        for dialect in Dialect::ALL {
            // A rule with a final `$` may be two.
            let is_two = dialect.pattern_syntax() == PatternSyntax::WildcardsOrDollar;
            for globs in [1, if is_two { FEW_GLOBS / 2 } else { FEW_GLOBS }] {
                for path in paths {
                    let rules = rules(20, globs, dialect);
                    let target = Target::new(path);
                    let first = rules.verdict(&target);
                    assert!(!is_sorted(&rules));
                    for _ in 0..UNSORTED_SEARCHES {
                        assert_eq!(rules.verdict(&target), first);
                    }
                    assert!(is_sorted(&rules));
                }
            }
        }
    }

    #[test]
    fn threads_that_search_at_the_same_time_find_the_same_verdicts() {
        let rules = rules(20, 5, &Dialect::RFC9309);
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    for _ in 0..3 * UNSORTED_SEARCHES {
                        let line = rules.verdict(&Target::new("/3/x")).line();
                        assert_eq!(line, Some(15));
                    }
                });
            }
        });
        assert!(is_sorted(&rules));
    }
}
