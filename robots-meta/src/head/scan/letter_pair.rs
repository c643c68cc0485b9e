//! The search for a byte that a letter in any case follows.
//!
//! Bytes are compared in blocks, with the widest vectors of the processor: one pass finds both cases. Only a
//! block that has the pair is looked at byte by byte, so the search is linear.

use fearless_simd::prelude::*;
use fearless_simd::{Level, Simd, dispatch};
use memchr::memchr;

/// The number of bytes that are compared before the result is examined. A multiple of the length of each
/// processor's vectors, which have up to 64 bytes.
const BLOCK: usize = 256;

/// The bit in which the cases of an ASCII letter differ.
const CASE: u8 = 0x20;

/// A byte and the letter after it, in lower case, which matches both cases.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct LetterPair(pub(super) u8, pub(super) u8);

impl LetterPair {
    /// Returns the offsets of the pairs, in order.
    pub(super) fn offsets(self, bytes: &[u8]) -> impl Iterator<Item = usize> {
        let level = Level::new();
        // The offset to be looked at next, and the end of the block that has it.
        let (mut at, mut block_end) = (0_usize, 0_usize);
        std::iter::from_fn(move || {
            loop {
                let block = bytes.get(at..block_end).unwrap_or_default();
                if let Some(offset) = memchr(self.0, block) {
                    let offset = at.saturating_add(offset);
                    at = offset.saturating_add(1);
                    if bytes.get(at).is_some_and(|byte| byte | CASE == self.1) {
                        return Some(offset);
                    }
                    continue;
                }
                let rest = bytes.get(block_end..).filter(|rest| !rest.is_empty())?;
                let without = dispatch!(level, simd => self.blocks_without(simd, rest));
                at = block_end.saturating_add(without.saturating_mul(BLOCK));
                block_end = at.saturating_add(BLOCK).min(bytes.len());
            }
        })
    }

    /// Returns the number of whole blocks before the first one that has the pair.
    #[inline(always)]
    #[allow(
        clippy::inline_always,
        reason = "the instructions of the processor are enabled in the caller"
    )]
    fn blocks_without<S: Simd>(self, simd: S, bytes: &[u8]) -> usize {
        let first = S::u8s::splat(simd, self.0);
        let case = S::u8s::splat(simd, CASE);
        let letter = S::u8s::splat(simd, self.1);
        let after = bytes.get(1..).unwrap_or_default();
        let blocks = bytes.chunks_exact(BLOCK).zip(after.chunks_exact(BLOCK));
        let mut count = 0_usize;
        for (firsts, letters) in blocks {
            // A lane is 0 where a pair begins: its byte and its letter are both found.
            let mut least = S::u8s::splat(simd, u8::MAX);
            let firsts = firsts.chunks_exact(S::u8s::LEN);
            for (firsts, letters) in firsts.zip(letters.chunks_exact(S::u8s::LEN)) {
                let firsts = S::u8s::from_slice(simd, firsts);
                let letters = S::u8s::from_slice(simd, letters);
                least = least.min((firsts ^ first) | ((letters | case) ^ letter));
            }
            if least.simd_eq(S::u8s::splat(simd, 0)).any_true() {
                break;
            }
            count = count.saturating_add(1);
        }
        count
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
        for _ in 0..2_000 {
            let page: Vec<u8> = (0..700)
                .map(|_| {
                    state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                    b"<mM<- aL\n\x1C,\xEC\xBCzMm"[(state >> 28) as usize]
                })
                .collect();
            check(&page);
        }
    }
}
