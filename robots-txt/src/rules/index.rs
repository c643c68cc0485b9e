//! The rules of a robot in the order in which they are found.
//!
//! Every standard's choice among the rules that match is a rank ([`Precedence::rank`]), so there
//! is one question: of the rules that match, which has the least rank?
//!
//! * Prefixes. Few of them are tried by rank. Many are sorted by their bytes, each with the
//!   longest other one that it begins with; a rule that such an ancestor outranks can never
//!   decide, and is put aside. What is left outranks its ancestors, so that the longest prefix of
//!   a path decides, in every order: a binary search and a walk to the ancestors.
//! * All other patterns. They are tried by rank, up to that of the prefix that was found. Of many,
//!   only those are tried of which a rare run of bytes occurs in the path ([`Grams`]).
//!
//! A verdict costs the logarithm of the number of prefixes times the length of the path, and for
//! each other rule that is tried the lengths of pattern and path.

use super::entry::{Entry, Precedence, Texts};
use super::grams::Grams;

/// Up to how many prefixes are tried one by one: where this begins to be slower than a search.
const FEW_PREFIXES: usize = 16;

/// Up to how many other patterns are tried without asking what occurs in the path.
const FEW_GLOBS: usize = 12;

/// No ancestor.
const NONE: u32 = u32::MAX;

pub(super) struct Index {
    /// Prefixes, then other patterns by rank, then rules that can never decide.
    entries: Box<[Entry]>,
    prefixes: u32,
    globs: u32,
    /// For each prefix the place of the longest other one that it begins with; empty if the
    /// prefixes are few, and then they are in the order of their ranks.
    parents: Box<[u32]>,
    grams: Option<Box<Grams>>,
    precedence: Precedence,
}

impl Index {
    pub(super) fn new(mut entries: Vec<Entry>, texts: &Texts, precedence: Precedence) -> Self {
        entries.sort_unstable_by_key(|&entry| (!entry.is_prefix(), precedence.rank(entry)));
        let mut prefixes = entries.partition_point(|entry| entry.is_prefix());
        let globs = entries.len().saturating_sub(prefixes);
        let mut parents = Vec::new();
        if prefixes > FEW_PREFIXES {
            let others = entries.split_off(prefixes);
            let tree = Tree::of(entries, texts, precedence);
            prefixes = tree.kept.len();
            parents = tree.parents;
            entries = tree.kept;
            entries.extend(others);
            entries.extend(tree.outranked);
        }
        let end = prefixes.saturating_add(globs);
        let grams = (globs > FEW_GLOBS).then(|| {
            Box::new(Grams::of(
                entries.get(prefixes..end).unwrap_or_default(),
                texts,
            ))
        });
        let number = |number| u32::try_from(number).unwrap_or_default();
        Self {
            entries: entries.into_boxed_slice(),
            prefixes: number(prefixes),
            globs: number(globs),
            parents: parents.into_boxed_slice(),
            grams,
            precedence,
        }
    }

    /// Every rule, in no order that means anything.
    pub(super) fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// Of the rules that match, the one with the least rank.
    #[inline]
    pub(super) fn find(&self, texts: &Texts, path: &[u8]) -> Option<&Entry> {
        let (prefixes, rest) = self.entries.split_at_checked(self.prefixes as usize)?;
        let globs = rest.get(..self.globs as usize).unwrap_or_default();
        let prefix = if self.parents.is_empty() {
            prefixes
                .iter()
                .find(|&&entry| path.starts_with(texts.compared(entry)))
        } else {
            self.longest_prefix(prefixes, texts, path)
        };
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
            at = *self.parents.get(at)? as usize;
            entry = prefixes.get(at)?;
        }
        Some(entry)
    }
}

/// Many prefixes.
struct Tree {
    kept: Vec<Entry>,
    parents: Vec<u32>,
    outranked: Vec<Entry>,
}

impl Tree {
    fn of(mut entries: Vec<Entry>, texts: &Texts, precedence: Precedence) -> Self {
        entries.sort_unstable_by(|&a, &b| {
            texts
                .compared(a)
                .cmp(texts.compared(b))
                .then_with(|| precedence.rank(a).cmp(&precedence.rank(b)))
        });
        let mut tree = Self {
            kept: Vec::with_capacity(entries.len()),
            parents: Vec::with_capacity(entries.len()),
            outranked: Vec::new(),
        };
        for entry in entries {
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
