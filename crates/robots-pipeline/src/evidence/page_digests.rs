//! The digests of pages that are read.

use robots_archive::{PayloadDigest, Record, sha256};
use robots_meta::Timestamp;
use std::collections::{HashMap, HashSet};
use twox_hash::XxHash64;

/// The maximum number of different recorded digests of one URL at one second that are compared with the bytes of a page. A page with
/// another one counts as changed.
pub(crate) const MAX_RECORDED_DIGESTS: usize = 16;

/// The digests of pages: those that archives state, or else SHA-256.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PageDigests<'a> {
    /// The recorded pages, if decisions are verified.
    pub(crate) recorded: Option<&'a RecordedPages>,
}

/// The pages of recorded decisions.
#[derive(Debug, Default)]
pub(crate) struct RecordedPages {
    /// The hashes of their URLs.
    urls: HashSet<u64>,
    /// By the hash of URL and time.
    digests: HashMap<u64, Vec<PayloadDigest>>,
    /// Whether digests that archives state are compared with the bytes.
    pub(crate) compares_bytes: bool,
}

impl RecordedPages {
    pub(crate) fn add(&mut self, url: &str, at: Option<Timestamp>, digest: PayloadDigest) {
        self.urls.insert(hash(0, url));
        let digests = self.digests.entry(at_time(url, at)).or_default();
        if digests.len() < MAX_RECORDED_DIGESTS && !digests.contains(&digest) {
            digests.push(digest);
        }
    }

    fn digests(&self, url: &str, at: Option<Timestamp>) -> &[PayloadDigest] {
        let digests = self.digests.get(&at_time(url, at));
        digests.map_or(&[], Vec::as_slice)
    }
}

fn hash(seed: u64, text: &str) -> u64 {
    XxHash64::oneshot(seed, text.as_bytes())
}

fn at_time(url: &str, at: Option<Timestamp>) -> u64 {
    let seconds = at.map_or(i64::MIN, Timestamp::as_seconds);
    hash(seconds.cast_unsigned(), url)
}

impl PageDigests<'_> {
    /// Returns whether a page of this URL is wanted.
    pub(crate) fn are_wanted(self, url: &str) -> bool {
        self.recorded
            .is_none_or(|pages| pages.urls.contains(&hash(0, url)))
    }

    /// Returns the digest of a saved page.
    pub(crate) fn of_file(html: &[u8]) -> PayloadDigest {
        PayloadDigest::Computed(sha256(html).into())
    }

    /// Returns the digest of the page of a record: the recorded one, if the page has it.
    pub(crate) fn of_record(
        self,
        url: &str,
        at: Option<Timestamp>,
        record: &Record,
    ) -> PayloadDigest {
        let Some(pages) = self.recorded else {
            return record.payload_digest();
        };
        let stated = record.digests.payload.as_deref();
        let recorded = pages.digests(url, at);
        // Of a part of a page, and by an unknown algorithm, the digest cannot be compared with the bytes.
        let is_comparable = |text| record.cut.is_none() && record.payload_matches(text).is_some();
        let trusts_archive = !pages.compares_bytes || !stated.is_none_or(is_comparable);
        let is_computed = |digest: &PayloadDigest| matches!(digest, PayloadDigest::Computed(_));
        let is_stated = |digest: &&PayloadDigest| {
            trusts_archive && !is_computed(digest) && stated == Some(digest.text())
        };
        let has_bytes =
            |digest: &&PayloadDigest| record.payload_matches(digest.text()) == Some(true);
        let found = recorded.iter().find(is_stated);
        match found.or_else(|| recorded.iter().find(has_bytes)) {
            Some(digest) => digest.clone(),
            // A digest that was computed is compared with one that is computed again.
            None if trusts_archive && !recorded.iter().any(is_computed) => record.payload_digest(),
            None => record.computed_payload_digest(),
        }
    }
}
