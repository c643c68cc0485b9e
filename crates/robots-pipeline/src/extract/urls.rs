//! Sets of the URLs of records: a filter of those with a response, and a sample.

use std::hash::{BuildHasher, BuildHasherDefault, DefaultHasher};
use std::sync::atomic::{AtomicU64, Ordering};
use twox_hash::XxHash64;

/// A probabilistic set of the URLs that have a response in the archives: a Bloom filter with one hash.
///
/// When a robots.txt redirects, the archives are read again for the target, but only if this set may contain it. A false
/// positive costs time; there are no false negatives.
#[derive(Debug)]
pub(crate) struct UrlFilter {
    bits: Box<[AtomicU64]>,
}

/// The number of 64-bit words: 2 MiB. With two million URLs, one in nine other URLs is a false positive.
const WORDS: usize = 1 << 18;

impl UrlFilter {
    pub(crate) fn new() -> Self {
        Self {
            bits: (0..WORDS).map(|_| AtomicU64::new(0)).collect(),
        }
    }

    pub(crate) fn insert(&self, url: &str) {
        let (word, bit) = Self::position(url);
        if let Some(word) = self.bits.get(word) {
            word.fetch_or(bit, Ordering::Relaxed);
        }
    }

    /// Returns whether a URL may have a response.
    pub(crate) fn may_contain(&self, url: &str) -> bool {
        let (word, bit) = Self::position(url);
        let word = self.bits.get(word);
        word.is_some_and(|word| word.load(Ordering::Relaxed) & bit != 0)
    }

    fn position(url: &str) -> (usize, u64) {
        let hash = BuildHasherDefault::<DefaultHasher>::default().hash_one(url);
        let word = usize::try_from(hash >> 6).unwrap_or_default() & (WORDS - 1);
        (word, 1 << (hash & 63))
    }
}

/// A sample of the URLs, which is the same in every run.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Sample {
    /// The maximum hash of a URL in the sample.
    max_hash: u64,
}

impl Sample {
    /// Returns the sample with a share of the URLs, from 0 to 1; `None` is all.
    pub(crate) fn new(share: Option<f64>) -> Self {
        let max_hash = match share {
            #[allow(
                clippy::cast_possible_truncation,
                clippy::cast_precision_loss,
                clippy::cast_sign_loss,
                reason = "a share is from 0 to 1, and need not be exact"
            )]
            Some(share) if share < 1.0 => (share * u64::MAX as f64) as u64,
            _ => u64::MAX,
        };
        Self { max_hash }
    }

    pub(crate) fn contains(self, url: &str) -> bool {
        self.max_hash == u64::MAX || XxHash64::oneshot(0, url.as_bytes()) <= self.max_hash
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inserted_urls_are_found() {
        let urls = UrlFilter::new();
        assert!(!urls.may_contain("http://a.example/login"));
        for number in 0..1_000 {
            urls.insert(&format!("http://a.example/{number}"));
        }
        let may_contain = |from: u32| {
            (from..from + 1_000)
                .filter(|number| urls.may_contain(&format!("http://a.example/{number}")))
                .count()
        };
        assert_eq!(may_contain(0), 1_000);
        // Up to a thousand of 2^24 bits are set, so nearly no other URL is a false positive.
        assert!(may_contain(1_000) < 10);
    }
}
