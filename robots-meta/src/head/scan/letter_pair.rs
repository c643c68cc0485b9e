//! The search for a byte that a letter in any case follows.
//!
//! Bytes are compared in blocks, with the widest vectors of the processor: one pass finds both cases. Only of a
//! block that has a pair are the offsets determined, so the search is linear.

use fearless_simd::prelude::*;
use fearless_simd::{Level, Simd, dispatch};

/// The number of bytes that are compared before the result is examined. A multiple of [`WORD`].
const BLOCK: usize = 256;

/// The number of bytes that have their bits in one number. A multiple of the length of each processor's vectors.
const WORD: usize = 64;

/// The bit in which the cases of an ASCII letter differ.
const CASE: u8 = 0x20;

/// A byte and the letter after it, in lower case, which matches both cases.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct LetterPair(pub(super) u8, pub(super) u8);

/// A bit for each byte of a block: 1 where a pair begins.
type PairBits = [u64; BLOCK / WORD];

/// A block that may have pairs.
#[derive(Debug, Default)]
struct Block {
    start: usize,
    /// The offset of the next block.
    end: usize,
    pairs: PairBits,
}

impl Block {
    /// Removes the first pair, and returns its offset.
    fn take_first(&mut self) -> Option<usize> {
        let (word, pairs) = self
            .pairs
            .iter_mut()
            .enumerate()
            .find(|(_, pairs)| **pairs != 0)?;
        let within = word * WORD + pairs.trailing_zeros() as usize;
        *pairs &= pairs.wrapping_sub(1);
        Some(self.start + within)
    }
}

impl LetterPair {
    /// Returns the offsets of the pairs, in order.
    pub(super) fn offsets(self, bytes: &[u8]) -> impl Iterator<Item = usize> {
        let level = Level::new();
        let mut block = Block::default();
        std::iter::from_fn(move || {
            loop {
                if let Some(offset) = block.take_first() {
                    return Some(offset);
                }
                if block.end >= bytes.len() {
                    return None;
                }
                block = dispatch!(level, simd => self.next_block(simd, bytes, block.end));
            }
        })
    }

    /// Returns the first block at or after `start` that has a pair, or the last block.
    #[inline(always)]
    #[allow(
        clippy::inline_always,
        reason = "the instructions of the processor are enabled in the caller"
    )]
    fn next_block<S: Simd>(self, simd: S, bytes: &[u8], mut start: usize) -> Block {
        let rest = bytes.get(start..).unwrap_or_default();
        let after = rest.get(1..).unwrap_or_default();
        // Vectors at multiples of their length are loaded faster. So the first block overlaps the second, which begins
        // at such an address; the pairs in both are those of the second.
        let overlap = rest.as_ptr().addr() % WORD;
        if overlap > 0
            && let (Some(firsts), Some(letters)) = (rest.first_chunk(), after.first_chunk())
        {
            let mut pairs = self.pairs(simd, firsts, letters);
            if let Some(last) = pairs.last_mut() {
                *last &= u64::MAX >> overlap;
            }
            let end = start.saturating_add(BLOCK).saturating_sub(overlap);
            if pairs != PairBits::default() {
                return Block { start, end, pairs };
            }
            start = end;
        }
        let rest = bytes.get(start..).unwrap_or_default();
        let after = rest.get(1..).unwrap_or_default();
        for (firsts, letters) in rest.as_chunks().0.iter().zip(after.as_chunks().0) {
            let end = start + BLOCK;
            if self.is_in(simd, firsts, letters) {
                let pairs = self.pairs(simd, firsts, letters);
                return Block { start, end, pairs };
            }
            start = end;
        }
        // At most a block is left. The byte after it, 0, is no letter.
        let rest = bytes.get(start..).unwrap_or_default();
        let (mut firsts, mut letters) = ([0; BLOCK], [0; BLOCK]);
        for (copy, byte) in firsts.iter_mut().zip(rest) {
            *copy = *byte;
        }
        for (copy, byte) in letters.iter_mut().zip(rest.get(1..).unwrap_or_default()) {
            *copy = *byte;
        }
        Block {
            start,
            end: bytes.len(),
            pairs: self.pairs(simd, &firsts, &letters),
        }
    }

    /// Returns whether a pair begins in a block. `letters` are the bytes after `firsts`.
    #[inline(always)]
    #[allow(
        clippy::inline_always,
        reason = "the instructions of the processor are enabled in the caller"
    )]
    fn is_in<S: Simd>(self, simd: S, firsts: &[u8; BLOCK], letters: &[u8; BLOCK]) -> bool {
        let firsts = firsts.chunks_exact(S::u8s::LEN);
        let letters = letters.chunks_exact(S::u8s::LEN);
        let least = firsts
            .zip(letters)
            .fold(S::u8s::splat(simd, u8::MAX), |least, (firsts, letters)| {
                least.min(self.differences(simd, firsts, letters))
            });
        least.simd_eq(S::u8s::splat(simd, 0)).any_true()
    }

    /// Returns where pairs begin in a block. `letters` are the bytes after `firsts`.
    #[inline(always)]
    #[allow(
        clippy::inline_always,
        reason = "the instructions of the processor are enabled in the caller"
    )]
    fn pairs<S: Simd>(self, simd: S, firsts: &[u8; BLOCK], letters: &[u8; BLOCK]) -> PairBits {
        let mut pairs = PairBits::default();
        let words = firsts.chunks_exact(WORD).zip(letters.chunks_exact(WORD));
        for (pairs, (firsts, letters)) in pairs.iter_mut().zip(words) {
            let firsts = firsts.chunks_exact(S::u8s::LEN);
            // From the last vector to the first, so that the bits of the first are the lowest.
            for (firsts, letters) in firsts.zip(letters.chunks_exact(S::u8s::LEN)).rev() {
                let differences = self.differences(simd, firsts, letters);
                let found = differences.simd_eq(S::u8s::splat(simd, 0)).to_bitmask();
                // A vector as long as a word is its only one.
                let length = u32::try_from(S::u8s::LEN).unwrap_or_default();
                *pairs = pairs.checked_shl(length).unwrap_or_default() | found;
            }
        }
        pairs
    }

    /// Returns a vector that is 0 where a pair begins. The slices have the length of a vector.
    #[inline(always)]
    #[allow(
        clippy::inline_always,
        reason = "the instructions of the processor are enabled in the caller"
    )]
    fn differences<S: Simd>(self, simd: S, firsts: &[u8], letters: &[u8]) -> S::u8s {
        let firsts = S::u8s::from_slice(simd, firsts);
        let letters = S::u8s::from_slice(simd, letters);
        (firsts ^ self.0) | ((letters | CASE) ^ self.1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn by_bytes(bytes: &[u8]) -> Vec<usize> {
        let pairs = bytes.windows(2).enumerate();
        let found =
            pairs.filter(|(_, pair)| pair[0] == b'<' && pair[1].eq_ignore_ascii_case(&b'm'));
        found.map(|(at, _)| at).collect()
    }

    fn check(bytes: &[u8]) {
        let found: Vec<usize> = LetterPair(b'<', b'm').offsets(bytes).collect();
        assert_eq!(
            found,
            by_bytes(bytes),
            "{:?}",
            String::from_utf8_lossy(bytes)
        );
    }

    #[test]
    fn a_pair_is_found_at_each_offset() {
        for length in [
            0,
            1,
            2,
            3,
            BLOCK - 1,
            BLOCK,
            BLOCK + 1,
            BLOCK + 2,
            3 * BLOCK + 1,
        ] {
            for filler in [b'.', b'<', b'm', b'M', b'-', 0, 0xFF] {
                let page = vec![filler; length];
                check(&page);
                for at in 0..length.saturating_sub(1) {
                    // Two pairs, and three others that differ from a pair in one bit.
                    for pair in [b"<m", b"<M", b"<-", b"\x1Cm", b"<\xCD"] {
                        let mut page = page.clone();
                        page[at..at + 2].copy_from_slice(pair);
                        check(&page);
                    }
                }
            }
        }
    }

    #[test]
    fn all_pairs_of_a_page_are_found() {
        let mut state = 1_u32;
        for start in 0..2_000 {
            let page: Vec<u8> = (0..700)
                .map(|_| {
                    state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                    b"<mM<- aL\n\x1C,\xEC\xBCzMm"[(state >> 28) as usize]
                })
                .collect();
            // At each alignment.
            check(&page[start % WORD..]);
        }
    }
}
