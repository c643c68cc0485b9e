//! Sets of URLs: those that were seen, and a sample.

use std::hash::{BuildHasher, BuildHasherDefault, DefaultHasher};
use std::sync::atomic::{AtomicU64, Ordering};
use twox_hash::XxHash64;

/// Which URLs there are responses of, as a set that may say yes where the answer is no: so that what robots.txt
/// redirect to is looked for only where it may be.
#[derive(Debug)]
pub(super) struct Urls {
    bits: Box<[AtomicU64]>,
}

/// How many words of bits there are: 2 MiB, for some two million URLs.
const WORDS: usize = 1 << 18;

impl Urls {
    pub(super) fn new() -> Self {
        Self {
            bits: (0..WORDS).map(|_| AtomicU64::new(0)).collect(),
        }
    }

    pub(super) fn note(&self, url: &str) {
        let (word, bit) = Self::place(url);
        if let Some(word) = self.bits.get(word) {
            word.fetch_or(bit, Ordering::Relaxed);
        }
    }

    /// Whether there may be a response of a URL.
    pub(super) fn may_have(&self, url: &str) -> bool {
        let (word, bit) = Self::place(url);
        let word = self.bits.get(word);
        word.is_some_and(|word| word.load(Ordering::Relaxed) & bit != 0)
    }

    fn place(url: &str) -> (usize, u64) {
        let hash = BuildHasherDefault::<DefaultHasher>::default().hash_one(url);
        let word = usize::try_from(hash >> 6).unwrap_or_default() & (WORDS - 1);
        (word, 1 << (hash & 63))
    }
}

/// A share of the URLs, always the same.
#[derive(Debug, Clone, Copy)]
pub(super) struct Sample {
    /// The greatest hash that is in it.
    most: u64,
}

impl Sample {
    /// So much of one; `None` is all.
    pub(super) fn new(share: Option<f64>) -> Self {
        let most = match share {
            #[allow(
                clippy::cast_possible_truncation,
                clippy::cast_precision_loss,
                clippy::cast_sign_loss,
                reason = "a share is from 0 to 1, and need not be exact"
            )]
            Some(share) if share < 1.0 => (share * u64::MAX as f64) as u64,
            _ => u64::MAX,
        };
        Self { most }
    }

    pub(super) fn has(self, url: &str) -> bool {
        self.most == u64::MAX || XxHash64::oneshot(0, url.as_bytes()) <= self.most
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn urls_that_were_noted_may_be_there() {
        let urls = Urls::new();
        assert!(!urls.may_have("http://a.example/login"));
        for number in 0..1_000 {
            urls.note(&format!("http://a.example/{number}"));
        }
        let may_have = |from: u32| {
            (from..from + 1_000)
                .filter(|number| urls.may_have(&format!("http://a.example/{number}")))
                .count()
        };
        assert_eq!(may_have(0), 1_000);
        assert!(may_have(1_000) < 10);
    }
}
