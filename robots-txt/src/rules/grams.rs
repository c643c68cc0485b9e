//! A filter of many patterns: only those with a gram that occurs in the path can match it.
//!
//! A gram is one to four successive bytes between the stars of a pattern. Of the grams of a pattern, the
//! filter uses the one that the fewest patterns have. For a path, it first looks up which grams occur in
//! it. Then patterns are tried by rank, but only those whose gram occurs. A hash collision costs a try,
//! and never changes a result.
//!
//! Among many patterns, one with a kind of byte that never occurs in the path is not tried either.
//!
//! A search in a path takes a step for each of its bytes and each gram length in use, and tests a bit
//! for each pattern.

use super::entry::{Entry, Stored, Texts};
use super::kinds::Kinds;
use crate::pattern::{Shape, split_end};
use memchr::memchr;

/// The longest gram, in bytes.
const MAX_GRAM: usize = 4;

/// The number of words on the stack, each with the bits of 64 grams. More grams need the heap.
const WORDS_ON_STACK: usize = 32;

/// The number of patterns above which their kinds of bytes ([`Kinds`]) are stored, in eight bytes for
/// each pattern.
const FEW_FOR_KINDS: usize = 256;

/// The bits of the filter for each gram. About one part of a path in eight passes the filter although it
/// is not a gram.
const FILTER_BITS_PER_GRAM: usize = 8;

/// The filter of a list of patterns.
pub(super) struct Grams {
    /// The hashes of the grams, sorted.
    keys: Box<[u32]>,
    /// The index of each pattern's gram among the keys, by rank; [`ALWAYS`] for patterns without
    /// one.
    key_of: Box<[u32]>,
    /// The kinds of bytes that each pattern has outside its stars, by rank; empty for few patterns.
    kinds_of: Box<[Kinds]>,
    /// A bit for each hash, by its upper bits.
    filter: Box<[u64]>,
    /// The number of lower bits of a hash that its place in the filter does not depend on.
    filter_shift: u32,
    /// Bit n: there are grams of n bytes.
    lengths: u8,
}

/// The index of a pattern without a gram: it is always tried.
const ALWAYS: u32 = u32::MAX;

impl Grams {
    /// Builds the filter for `patterns`, which are sorted by rank.
    pub(super) fn of(patterns: &[Entry], texts: &Texts) -> Self {
        let mut counts = Counts::for_patterns(patterns.len());
        for &pattern in patterns {
            for gram in grams(pattern, texts) {
                counts.add(hash(gram));
            }
        }
        let mut lengths = 0;
        let chosen: Vec<Option<u32>> = patterns
            .iter()
            .map(|&pattern| {
                let gram = grams(pattern, texts).min_by_key(|gram| counts.of(hash(gram)))?;
                lengths |= 1 << gram.len();
                Some(hash(gram))
            })
            .collect();
        let mut keys: Vec<u32> = chosen.iter().flatten().copied().collect();
        keys.sort_unstable();
        keys.dedup();
        let key_of = chosen
            .iter()
            .map(|key| {
                let at = key.and_then(|key| keys.binary_search(&key).ok());
                at.and_then(|at| u32::try_from(at).ok()).unwrap_or(ALWAYS)
            })
            .collect();
        let bits = (keys.len() * FILTER_BITS_PER_GRAM)
            .next_power_of_two()
            .max(64);
        let mut grams = Self {
            filter: vec![0; bits / 64].into(),
            filter_shift: u32::BITS - bits.trailing_zeros(),
            key_of,
            kinds_of: patterns
                .iter()
                .filter(|_| patterns.len() > FEW_FOR_KINDS)
                .map(|&pattern| kinds(pattern, texts))
                .collect(),
            lengths,
            keys: keys.into(),
        };
        for at in 0..grams.keys.len() {
            let (word, bit) = grams.filter_place(grams.keys[at]);
            grams.filter[word] |= bit;
        }
        grams
    }

    /// Returns the first pattern that matches the path. `patterns` are those for which the filter was
    /// built, or any number of the first of them.
    pub(super) fn first_match<S: Stored>(
        &self,
        patterns: &[S],
        texts: &Texts,
        path: &[u8],
    ) -> Option<Entry> {
        // A bit for each gram: whether it occurs in the path.
        let words = self.keys.len().div_ceil(64);
        let mut on_stack = [0_u64; WORDS_ON_STACK];
        let mut on_heap = Vec::new();
        let occurs = if let Some(words) = on_stack.get_mut(..words) {
            words
        } else {
            on_heap.resize(words, 0);
            &mut on_heap[..]
        };
        for length in 1..=MAX_GRAM {
            if self.lengths & (1 << length) != 0 {
                self.set_occurring(path.windows(length), occurs);
            }
        }
        let kinds = if self.kinds_of.is_empty() {
            Kinds::ALL
        } else {
            Kinds::of(path)
        };
        let kinds_of = self.kinds_of.iter().chain(std::iter::repeat(&Kinds::ALL));
        patterns
            .iter()
            .zip(&self.key_of)
            .zip(kinds_of)
            .filter(|&((_, &key), &of_pattern)| {
                kinds.has_all(of_pattern) && (key == ALWAYS || has(occurs, key as usize))
            })
            .map(|((pattern, _), _)| pattern.entry())
            .find(|&pattern| pattern.reading().matches(texts.form(pattern), path))
    }

    /// Sets the bit of each gram that is among the windows of a path.
    fn set_occurring<'p>(&self, windows: impl Iterator<Item = &'p [u8]>, occurs: &mut [u64]) {
        for window in windows {
            let key = hash(window);
            let (word, bit) = self.filter_place(key);
            if self.filter[word] & bit == 0 {
                continue;
            }
            if let Ok(at) = self.keys.binary_search(&key) {
                occurs[at / 64] |= 1 << (at % 64);
            }
        }
    }

    /// Returns the index of the filter's word with the bit of a hash, and that bit.
    #[inline]
    fn filter_place(&self, key: u32) -> (usize, u64) {
        let bit = key >> self.filter_shift;
        ((bit / 64) as usize, 1 << (bit % 64))
    }
}

/// Returns whether a bit is set.
fn has(bits: &[u64], at: usize) -> bool {
    bits[at / 64] & (1 << (at % 64)) != 0
}

/// Approximate counts of hashes. Some hashes share a count: the rarest gram need not be exact.
struct Counts {
    counts: Vec<u32>,
    shift: u32,
}

impl Counts {
    /// Creates at least 16 counts for each pattern, and at least 1,024, so that few hashes share one.
    fn for_patterns(number: usize) -> Self {
        let length = (number * 16).next_power_of_two().max(1024);
        Self {
            counts: vec![0; length],
            shift: u32::BITS - length.trailing_zeros(),
        }
    }

    fn add(&mut self, hash: u32) {
        self.counts[(hash >> self.shift) as usize] += 1;
    }

    fn of(&self, hash: u32) -> u32 {
        self.counts[(hash >> self.shift) as usize]
    }
}

/// Returns a hash of up to four bytes and their number. Its upper bits depend on all of them.
#[inline]
fn hash(gram: &[u8]) -> u32 {
    let mut bytes = [0; MAX_GRAM];
    bytes[..gram.len()].copy_from_slice(gram);
    // The length is added so that "a" differs from "a\0". The multipliers are a constant of MurmurHash3 and a prime
    // near 2^32 divided by the golden ratio: they spread all bits into the upper ones.
    let length = u32::try_from(gram.len()).unwrap_or_default();
    u32::from_le_bytes(bytes)
        .wrapping_add(length.wrapping_mul(0x85EB_CA6B))
        .wrapping_mul(0x9E37_79B1)
}

/// Returns the candidate grams of a pattern: all of the greatest length that it has.
fn grams(pattern: Entry, texts: &Texts) -> impl Iterator<Item = &[u8]> {
    let longest = literals(pattern, texts).map(<[u8]>::len).max().unwrap_or(0);
    let length = longest.clamp(1, MAX_GRAM);
    literals(pattern, texts).flat_map(move |run| run.windows(length))
}

/// Returns the kinds of bytes that a path must have for a pattern to match it.
pub(super) fn kinds(pattern: Entry, texts: &Texts) -> Kinds {
    Kinds::of(literals(pattern, texts).flatten())
}

/// Returns the runs of bytes that a path must have for a pattern to match it.
fn literals(pattern: Entry, texts: &Texts) -> impl Iterator<Item = &[u8]> {
    let form = texts.form(pattern);
    let shape = pattern.reading().shape;
    let body = match shape {
        Shape::Glob => split_end(form).0,
        // The content of brackets is not required to occur: everything from the first bracket on is
        // left out.
        Shape::Shell => &form[..memchr(b'[', form).unwrap_or(form.len())],
        Shape::Prefix | Shape::Exact => texts.compared(pattern),
    };
    body.split(move |byte| match shape {
        Shape::Glob => *byte == b'*',
        Shape::Shell => matches!(byte, b'*' | b'?'),
        Shape::Prefix | Shape::Exact => false,
    })
}
