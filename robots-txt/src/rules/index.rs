//! The index of a robot's rules, which finds the rule that decides.
//!
//! Every standard's choice among matching rules is a rank ([`Precedence::rank`]): the matching rule
//! with the least rank decides.
//!
//! A few rules are tried one by one, by rank. If there are many,
//!
//! * prefixes are sorted by their bytes, each with its parent: the longest other prefix that it begins
//!   with. A rule that an ancestor outranks can never decide, and is left out. All others outrank
//!   their ancestors. So the longest prefix of a path decides, in every order. A binary search and a
//!   walk to the ancestors find it;
//! * all other patterns are tried by rank, up to the rank of the prefix found. If there are many,
//!   only those are tried that have a rare run of bytes in common with the path ([`Grams`]).
//!
//! A verdict costs three things: a binary search among the prefixes, of which each step compares up
//! to the length of the path; a step for each ancestor on the walk; and the lengths of pattern and
//! path for each other rule that is tried.

use super::compile::NewEntries;
use super::entry::{Entry, Narrow, Precedence, Start, Stored, Texts};
use super::grams::Grams;

/// The number of rules up to which they are tried one by one; with more, sorting is faster.
const FEW_RULES: usize = 12;

/// The number of patterns with wildcards up to which all are tried; more are filtered by the path's
/// bytes.
const FEW_GLOBS: usize = 32;

pub(super) struct Index {
    entries: Entries,
    precedence: Precedence,
    /// The index of many rules; `None` for a few, which are all tried.
    many: Option<Box<Many>>,
}

/// Few rules by rank; or prefixes by their bytes, then other patterns by rank, then rules
/// that can never decide.
enum Entries {
    Narrow(Box<[Narrow]>),
    /// Wide entries, for a rule with an offset or length that does not fit a narrow entry.
    Wide(Box<[Entry]>),
}

impl Entries {
    fn of(entries: &[Entry]) -> Self {
        let narrow: Option<Box<[Narrow]>> =
            entries.iter().map(|&entry| Narrow::of(entry)).collect();
        narrow.map_or_else(|| Self::Wide(entries.into()), Self::Narrow)
    }
}

struct Many {
    /// The number of prefixes that are sorted.
    prefixes: usize,
    /// The number of other patterns that are sorted.
    globs: usize,
    /// The index of the parent of each prefix: the longest other prefix that it begins with.
    parents: Parents,
    grams: Option<Grams>,
}

impl Index {
    pub(super) fn new(mut entries: NewEntries, texts: &Texts, precedence: Precedence) -> Self {
        if entries.len() <= FEW_RULES {
            entries.sort_unstable_by_key(|&entry| precedence.rank(entry));
            return Self {
                entries: Entries::of(&entries),
                precedence,
                many: None,
            };
        }
        let (prefixes, mut globs): (Vec<_>, Vec<_>) =
            entries.into_iter().partition(|entry| entry.is_prefix());
        globs.sort_unstable_by_key(|&entry| precedence.rank(entry));
        let tree = Tree::of(prefixes, texts, precedence);
        let many = Many {
            prefixes: tree.kept.len(),
            globs: globs.len(),
            parents: Parents::of(tree.parents),
            grams: (globs.len() > FEW_GLOBS).then(|| Grams::of(&globs, texts)),
        };
        Self {
            entries: Entries::of(&[tree.kept, globs, tree.outranked].concat()),
            precedence,
            many: Some(Box::new(many)),
        }
    }

    /// Returns an index of other rules with the same precedence.
    pub(super) fn with(&self, entries: NewEntries, texts: &Texts) -> Self {
        Self::new(entries, texts, self.precedence)
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
        match &self.entries {
            Entries::Narrow(entries) => entries.iter().map(|narrow| narrow.entry()).collect(),
            Entries::Wide(entries) => entries.to_vec(),
        }
    }

    /// Returns the matching rule with the least rank.
    #[inline]
    pub(super) fn find(&self, texts: &Texts, path: &[u8]) -> Option<Entry> {
        match &self.entries {
            Entries::Narrow(entries) => self.find_in(entries, texts, path),
            Entries::Wide(entries) => self.find_in(entries, texts, path),
        }
    }

    #[inline]
    fn find_in<S: Stored>(&self, entries: &[S], texts: &Texts, path: &[u8]) -> Option<Entry> {
        match &self.many {
            None => find_among_few(entries, texts, path),
            Some(many) => many.find(entries, texts, path, self.precedence),
        }
    }
}

/// Returns the first matching rule of a few, which are sorted by rank.
fn find_among_few<S: Stored>(entries: &[S], texts: &Texts, path: &[u8]) -> Option<Entry> {
    let start = Start::of(path);
    entries.iter().map(|entry| entry.entry()).find(|&entry| {
        if entry.is_prefix() {
            texts.may_begin(entry, start) && path.starts_with(texts.compared(entry))
        } else {
            entry.reading().matches(texts.form(entry), path)
        }
    })
}

impl Many {
    fn find<S: Stored>(
        &self,
        entries: &[S],
        texts: &Texts,
        path: &[u8],
        precedence: Precedence,
    ) -> Option<Entry> {
        let (prefixes, rest) = entries.split_at_checked(self.prefixes)?;
        let globs = rest.get(..self.globs).unwrap_or_default();
        let prefix = self.longest_prefix(prefixes, texts, path);
        if globs.is_empty() {
            return prefix;
        }
        let better = match prefix {
            Some(prefix) => {
                let rank = precedence.rank(prefix);
                globs.partition_point(|&glob| precedence.rank(glob.entry()) < rank)
            }
            None => globs.len(),
        };
        let globs = globs.get(..better).unwrap_or_default();
        let glob = match &self.grams {
            Some(grams) => grams.first_match(globs, texts, path),
            None => globs
                .iter()
                .map(|glob| glob.entry())
                .find(|&glob| glob.reading().matches(texts.form(glob), path)),
        };
        glob.or(prefix)
    }

    fn longest_prefix<S: Stored>(
        &self,
        prefixes: &[S],
        texts: &Texts,
        path: &[u8],
    ) -> Option<Entry> {
        // A prefix of the path does not sort after it, and is the last such entry or
        // an ancestor of that.
        let after = prefixes.partition_point(|&entry| texts.compared(entry.entry()) <= path);
        let mut at = after.checked_sub(1)?;
        let mut entry = prefixes.get(at)?.entry();
        let same = texts
            .compared(entry)
            .iter()
            .zip(path)
            .take_while(|(a, b)| a == b)
            .count();
        // An ancestor begins as the entry does.
        while entry.compared_length() > same {
            at = self.parents.get(at)?;
            entry = prefixes.get(at)?.entry();
        }
        Some(entry)
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

/// Many prefixes with their parents.
struct Tree {
    kept: Vec<Entry>,
    parents: Vec<u32>,
    outranked: Vec<Entry>,
}

impl Tree {
    fn of(entries: Vec<Entry>, texts: &Texts, precedence: Precedence) -> Self {
        let mut tree = Self {
            kept: Vec::with_capacity(entries.len()),
            parents: Vec::with_capacity(entries.len()),
            outranked: Vec::new(),
        };
        for entry in sorted(entries, texts, precedence) {
            let parent = tree.ancestor_of(texts.compared(entry), texts);
            let parent_rank = tree
                .kept
                .get(parent as usize)
                .map(|&parent| precedence.rank(parent));
            if parent_rank.is_some_and(|rank| rank < precedence.rank(entry)) {
                tree.outranked.push(entry);
            } else {
                tree.kept.push(entry);
                tree.parents.push(parent);
            }
        }
        tree
    }

    /// Returns the longest kept entry that `bytes` begin with: the last entry or an ancestor of it.
    /// `bytes` must not sort before any entry.
    fn ancestor_of(&self, bytes: &[u8], texts: &Texts) -> u32 {
        let last = self.kept.len().checked_sub(1);
        let mut at = last
            .and_then(|last| u32::try_from(last).ok())
            .unwrap_or(NONE);
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
    // Most begin alike. The eight bytes after the common start decide most comparisons without
    // reading the texts.
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
