//! The rules of a robot as they are found.
//!
//! Every standard's choice among the rules that match is a rank ([`Precedence::rank`]), so there
//! is one question: of the rules that match, which has the least rank?
//!
//! Few rules are tried one by one. Of many,
//!
//! * prefixes are sorted by their bytes, each with the longest other one that it begins with. A
//!   rule that such an ancestor outranks can never decide, and is put aside; what is left outranks
//!   its ancestors, so that the longest prefix of a path decides, in every order: a binary search
//!   and a walk to the ancestors;
//! * all other patterns are tried by rank, up to that of the prefix that was found; and of many,
//!   only those of which a rare run of bytes occurs in the path ([`Grams`]).
//!
//! A verdict costs the logarithm of the number of prefixes times the length of the path, and for
//! each other rule that is tried the lengths of pattern and path.

use super::compile::Entries;
use super::entry::{Entry, Precedence, Texts};
use super::grams::Grams;

/// Up to how many rules are tried one by one: where sorting them begins to pay.
const FEW_RULES: usize = 12;

/// Up to how many patterns that are no prefixes are tried without asking what occurs in the path.
const FEW_GLOBS: usize = 32;

pub(super) struct Index {
    /// Few rules in file order; or prefixes by their bytes, then other patterns by rank, then rules
    /// that can never decide.
    entries: Box<[Entry]>,
    /// The number of prefixes that are sorted.
    prefixes: u32,
    /// The number of other patterns that are sorted.
    globs: u32,
    /// For each prefix the place of the longest other one that it begins with.
    parents: Parents,
    grams: Option<Box<Grams>>,
    precedence: Precedence,
}

impl Index {
    pub(super) fn new(entries: Entries, texts: &Texts, precedence: Precedence) -> Self {
        if entries.len() <= FEW_RULES {
            return Self {
                entries: entries.as_slice().into(),
                prefixes: 0,
                globs: 0,
                parents: Parents::Short(Box::default()),
                grams: None,
                precedence,
            };
        }
        let count = entries.len();
        let (prefixes, mut globs): (Vec<_>, Vec<_>) =
            entries.into_iter().partition(|entry| entry.is_prefix());
        globs.sort_unstable_by_key(|&entry| precedence.rank(entry));
        let grams = (globs.len() > FEW_GLOBS).then(|| Box::new(Grams::of(&globs, texts)));
        let tree = Tree::of(prefixes, texts, precedence);
        let number = |number| u32::try_from(number).unwrap_or_default();
        let (prefixes, globs_len) = (number(tree.kept.len()), number(globs.len()));
        let mut entries = Vec::with_capacity(count);
        entries.extend(tree.kept);
        entries.extend(globs);
        entries.extend(tree.outranked);
        Self {
            entries: entries.into_boxed_slice(),
            prefixes,
            globs: globs_len,
            parents: Parents::of(tree.parents),
            grams,
            precedence,
        }
    }

    /// Some of the rules, in the same order.
    pub(super) fn with(&self, entries: Entries, texts: &Texts) -> Self {
        Self::new(entries, texts, self.precedence)
    }

    /// The place of a rule among all.
    pub(super) fn rank(&self, entry: Entry) -> u64 {
        self.precedence.rank(entry)
    }

    /// Every rule, in no order that means anything.
    pub(super) fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// Of the rules that match, the one with the least rank.
    #[inline]
    pub(super) fn find(&self, texts: &Texts, path: &[u8]) -> Option<&Entry> {
        if self.entries.len() <= FEW_RULES {
            return self.find_among_few(texts, path);
        }
        let (prefixes, rest) = self.entries.split_at_checked(self.prefixes as usize)?;
        let globs = rest.get(..self.globs as usize).unwrap_or_default();
        let prefix = self.longest_prefix(prefixes, texts, path);
        if globs.is_empty() {
            return prefix;
        }
        let better = match prefix {
            Some(&prefix) => {
                let rank = self.precedence.rank(prefix);
                globs.partition_point(|&glob| self.precedence.rank(glob) < rank)
            }
            None => globs.len(),
        };
        let globs = globs.get(..better).unwrap_or_default();
        let glob = match &self.grams {
            Some(grams) => grams.first_match(globs, texts, path),
            None => globs
                .iter()
                .find(|&&glob| glob.reading().matches(texts.form(glob), path)),
        };
        glob.or(prefix)
    }

    fn find_among_few(&self, texts: &Texts, path: &[u8]) -> Option<&Entry> {
        let mut best: Option<(u64, &Entry)> = None;
        for entry in &self.entries {
            let rank = || self.precedence.rank(*entry);
            if best.is_some_and(|(least, _)| least < rank()) {
                continue;
            }
            let is_match = if entry.is_prefix() {
                path.starts_with(texts.compared(*entry))
            } else {
                entry.reading().matches(texts.form(*entry), path)
            };
            if is_match {
                best = Some((rank(), entry));
            }
        }
        best.map(|(_, entry)| entry)
    }

    fn longest_prefix<'e>(
        &self,
        prefixes: &'e [Entry],
        texts: &Texts,
        path: &[u8],
    ) -> Option<&'e Entry> {
        // A prefix of the path is not behind it, and is the last entry that is not behind it or
        // an ancestor of that.
        let behind = prefixes.partition_point(|&entry| texts.compared(entry) <= path);
        let mut at = behind.checked_sub(1)?;
        let mut entry = prefixes.get(at)?;
        let same = texts
            .compared(*entry)
            .iter()
            .zip(path)
            .take_while(|(a, b)| a == b)
            .count();
        // An ancestor begins as the entry does.
        while entry.compared_length() > same {
            at = self.parents.get(at)?;
            entry = prefixes.get(at)?;
        }
        Some(entry)
    }
}

/// The place of each prefix's parent.
enum Parents {
    Short(Box<[u16]>),
    Long(Box<[u32]>),
}

/// No parent.
const NONE: u32 = u32::MAX;

impl Parents {
    fn of(parents: Vec<u32>) -> Self {
        // The last place that 16 bits hold is the place of none.
        if parents.len() > usize::from(u16::MAX) {
            return Self::Long(parents.into_boxed_slice());
        }
        let short = |parent| u16::try_from(parent).unwrap_or(u16::MAX);
        Self::Short(parents.into_iter().map(short).collect())
    }

    /// The place of the parent; no place at all if there is none.
    fn get(&self, at: usize) -> Option<usize> {
        match self {
            Self::Short(parents) => parents.get(at).map(|&parent| usize::from(parent)),
            Self::Long(parents) => parents.get(at).map(|&parent| parent as usize),
        }
    }
}

/// Many prefixes.
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

    /// The longest kept entry that `bytes`, which are not before any of them, begin with: the last
    /// one or an ancestor of it.
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

/// Prefixes by their bytes, and equal ones by rank.
fn sorted(
    entries: Vec<Entry>,
    texts: &Texts,
    precedence: Precedence,
) -> impl Iterator<Item = Entry> {
    // Most begin alike. The eight bytes behind what all have in common decide most comparisons
    // without a look at the texts.
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
