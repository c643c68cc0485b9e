//! The facts of a page as bytes, which another process or machine reads.
//!
//! ```text
//! version              1 byte
//! checksum             8 bytes, little-endian: XXH64 of the message, seeded with a checksum of the policies
//! postcard message:    the page
//! ```
//!
//! The checksum shows damage, and facts that were read for other robots or profiles or by another release, not changes that someone
//! made on purpose. Any bytes result in a page or an error, in time and memory linear in their number.

use super::error::SortedRowError;
use crate::extract::page::ReadPage;
use crate::robots::book_bytes::PolicyText;
use robots_policy::Policies;
use std::hash::Hasher;
use twox_hash::XxHash64;

/// The version that is written, and the only one that can be read. A change of the message needs another.
const VERSION: u8 = 2;

/// The number of bytes before the message.
const HEAD_BYTES: usize = 1 + size_of::<u64>();

/// A writer and reader of the facts of pages for some policies.
#[derive(Debug, Clone)]
pub(crate) struct PageCodec {
    /// The checksum of the policies.
    seed: u64,
}

impl PageCodec {
    /// Returns the codec for some policies. Whether these have reasons does not count.
    pub(crate) fn new(policies: &Policies) -> Self {
        let mut hasher = XxHash64::with_seed(VERSION.into());
        hasher.write(env!("CARGO_PKG_VERSION").as_bytes());
        for policy in PolicyText::of_all(policies) {
            policy.hash_into(&mut hasher);
        }
        Self {
            seed: hasher.finish(),
        }
    }

    /// Writes a page in place of other bytes.
    pub(crate) fn write(&self, page: &ReadPage, bytes: &mut Vec<u8>) -> postcard::Result<()> {
        bytes.clear();
        bytes.extend([0; HEAD_BYTES]);
        *bytes = postcard::to_extend(page, std::mem::take(bytes))?;
        if let Some((head, message)) = bytes.split_first_chunk_mut::<HEAD_BYTES>() {
            let checksum = XxHash64::oneshot(self.seed, message);
            let [version, stated @ ..] = head;
            *version = VERSION;
            *stated = checksum.to_le_bytes();
        }
        Ok(())
    }

    /// Reads the output of [`write`](Self::write) for the same policies.
    pub(crate) fn read(&self, bytes: &[u8]) -> Result<ReadPage, SortedRowError> {
        let damaged = SortedRowError::Damaged;
        let Some(([found, stated @ ..], message)) = bytes.split_first_chunk::<HEAD_BYTES>() else {
            return Err(damaged);
        };
        if *found != VERSION {
            return Err(SortedRowError::OtherVersion {
                found: *found,
                known: VERSION,
            });
        }
        if XxHash64::oneshot(self.seed, message) != u64::from_le_bytes(*stated) {
            return Err(damaged);
        }
        match postcard::take_from_bytes(message) {
            Ok((page, [])) if ReadPage::is_possible(&page) => Ok(page),
            _ => Err(damaged),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::extract::page::Headers;
    use crate::extract::page::samples::{page, policies};
    use robots_archive::http::HEAD_LIMIT;
    use robots_policy::{Policy, Profile};

    fn bytes_of(page: &ReadPage) -> Vec<u8> {
        let mut bytes = b"other bytes".to_vec();
        let codec = PageCodec::new(&policies());
        codec.write(page, &mut bytes).unwrap();
        bytes
    }

    /// Returns a message with a valid head.
    fn with_head(message: &[u8]) -> Vec<u8> {
        let checksum = XxHash64::oneshot(PageCodec::new(&policies()).seed, message);
        [&[VERSION], &checksum.to_le_bytes()[..], message].concat()
    }

    #[test]
    fn a_page_comes_back() {
        let codec = PageCodec::new(&policies());
        for number in 0..5 {
            let page = page(number);
            assert_eq!(codec.read(&bytes_of(&page)).unwrap(), *page);
        }
    }

    #[test]
    fn another_message_has_another_version() {
        // If this fails, the message has changed: increase `VERSION`, and put in the new checksum.
        let message = bytes_of(&page(7)).split_off(HEAD_BYTES);
        assert_eq!(
            (VERSION, XxHash64::oneshot(0, &message)),
            (2, 0x98AC_F1A1_651B_564F)
        );
    }

    #[test]
    fn every_changed_or_missing_byte_is_found() {
        let codec = PageCodec::new(&policies());
        let bytes = bytes_of(&page(4));
        for at in 0..bytes.len() {
            for bit in [1, 0x80] {
                let mut damaged = bytes.clone();
                damaged[at] ^= bit;
                assert!(codec.read(&damaged).is_err(), "{at}");
            }
            assert!(codec.read(&bytes[..at]).is_err(), "{at}");
        }
        assert!(codec.read(&[&bytes[..], b"0"].concat()).is_err());
        let other = codec.read(&[&[VERSION + 1], &bytes[1..]].concat());
        assert_eq!(
            other.unwrap_err().to_string(),
            "the facts of a page have version 3 of the format, and this is version 2: read the pages again"
        );
    }

    #[test]
    fn facts_of_other_policies_are_an_error() {
        let bytes = bytes_of(&page(4));
        let one = |profile: &Profile| Policies::new(vec![Policy::under(profile, "a").unwrap()]);
        let google = Profile::google();
        let limited = google.clone().with_page_limit(Some(9));
        for others in [one(&google), one(&limited)] {
            let error = PageCodec::new(&others).read(&bytes).unwrap_err();
            assert_eq!(
                error.to_string(),
                "the facts of a page are damaged, or of other robots or profiles"
            );
            let mut own = Vec::new();
            let codec = PageCodec::new(&others);
            codec.write(&page(4), &mut own).unwrap();
            assert!(codec.read(&own).is_ok());
        }
        let same = policies().to_vec().into_iter();
        let same = Policies::new(same.map(Policy::without_reasons).collect());
        assert!(PageCodec::new(&same).read(&bytes).is_ok());
    }

    #[test]
    fn a_message_with_a_valid_checksum_may_be_anything() {
        let policies = policies();
        let codec = PageCodec::new(&policies);
        let whole = bytes_of(&page(4)).split_off(HEAD_BYTES);
        assert!(codec.read(&with_head(&whole)).is_ok());
        assert!(
            codec
                .read(&with_head(&[&whole[..], b"0"].concat()))
                .is_err()
        );
        for end in 0..whole.len() {
            assert!(codec.read(&with_head(&whole[..end])).is_err());
        }
        // So may indexes of header lines, which would take as long to count.
        for at in [HEAD_LIMIT, usize::MAX] {
            let mut page = page(4);
            page.headers = Headers::sample(at);
            let mut bytes = Vec::new();
            codec.write(&page, &mut bytes).unwrap();
            assert!(codec.read(&bytes).is_err());
            page.headers = Headers::sample(HEAD_LIMIT - 1);
            codec.write(&page, &mut bytes).unwrap();
            assert!(codec.read(&bytes).is_ok());
        }
        // The stated number of elements may be huge.
        assert!(codec.read(&with_head(&[0xFF; 64])).is_err());
        let mut random = fastrand::Rng::with_seed(1);
        for _ in 0..5_000 {
            let mut changed = whole.clone();
            for _ in 0..random.usize(1..4) {
                let at = random.usize(..changed.len());
                changed[at] = random.u8(..);
            }
            // No panic, neither here nor in the decision; a change may be valid.
            if let Ok(page) = codec.read(&with_head(&changed)) {
                for (index, policy) in policies.iter().enumerate() {
                    let _ = policy.decide_archived(&page.page(index), page.date);
                }
            }
        }
    }
}
