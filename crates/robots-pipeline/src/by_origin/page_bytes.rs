//! The facts of a page as bytes, which another process or machine reads.

use super::error::SortedRowError;
use crate::extract::page::ReadPage;
use crate::robots::policy_text::PolicyText;
use crate::versioned_bytes::{BytesError, Format, message};
use robots_policy::Policies;
use twox_hash::XxHash64;

/// The version that is written, and the only one that can be read. A change of the type of a page needs another.
const VERSION: u32 = 5;

/// A writer and reader of the facts of pages for some policies.
#[derive(Debug, Clone)]
pub(crate) struct PageCodec(Format);

impl PageCodec {
    /// Returns the codec for some policies. Whether these have reasons does not count. Another release has other facts.
    pub(crate) fn new(policies: &Policies) -> Self {
        let readers = (env!("CARGO_PKG_VERSION"), PolicyText::of_all(policies));
        Self(Format {
            name: "page",
            version: VERSION,
            seed: XxHash64::oneshot(0, &message(&readers)),
        })
    }

    /// Returns a page as bytes.
    pub(crate) fn write(&self, page: &ReadPage) -> Vec<u8> {
        self.0.write(page)
    }

    /// Reads the output of [`write`](Self::write) for the same policies.
    pub(crate) fn read(&self, bytes: &[u8]) -> Result<ReadPage, SortedRowError> {
        match self.0.read(bytes) {
            Ok(page) if ReadPage::is_possible(&page) => Ok(page),
            Err(BytesError::OtherVersion(found)) => Err(SortedRowError::OtherVersion {
                found,
                known: VERSION,
            }),
            _ => Err(SortedRowError::Damaged),
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
        PageCodec::new(&policies()).write(page)
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
        let checksum = XxHash64::oneshot(0, &message(&*page(7)));
        assert_eq!((VERSION, checksum), (5, 0x2746_D2B4_96AF_DE5F));
    }

    #[test]
    fn another_version_is_an_error() {
        let codec = PageCodec::new(&policies());
        let version = VERSION + 1;
        let other = Format { version, ..codec.0 };
        let error = PageCodec::new(&policies()).read(&other.write(&*page(4)));
        assert_eq!(
            error.unwrap_err().to_string(),
            "the facts of a page have version 6 of the format, and this is version 5: read the pages again"
        );
    }

    #[test]
    fn facts_of_other_policies_are_an_error() {
        let bytes = bytes_of(&page(4));
        let one = |profile: &Profile| Policies::new(vec![Policy::under(profile, "a").unwrap()]);
        let google = Profile::google();
        let limited = Profile::from_toml("based-on = 'google'\npage-limit = 9").unwrap();
        for others in [one(&google), one(&limited)] {
            let error = PageCodec::new(&others).read(&bytes).unwrap_err();
            assert_eq!(
                error.to_string(),
                "the facts of a page are damaged, or of other robots or profiles"
            );
            let codec = PageCodec::new(&others);
            assert!(codec.read(&codec.write(&page(4))).is_ok());
        }
        let same = policies();
        let same = same.iter().cloned().map(Policy::without_reasons);
        let same: Policies = same.collect();
        assert!(PageCodec::new(&same).read(&bytes).is_ok());
    }

    #[test]
    fn a_message_with_a_valid_checksum_may_be_anything() {
        let policies = policies();
        let codec = PageCodec::new(&policies);
        let whole = message(&*page(4));
        assert!(codec.read(&codec.0.seal(&whole)).is_ok());
        for end in 0..whole.len() {
            assert!(codec.read(&codec.0.seal(&whole[..end])).is_err());
        }
        // So may indexes of header lines, which would take as long to count.
        for at in [HEAD_LIMIT, usize::MAX] {
            let mut page = page(4);
            page.headers = Headers::sample(at);
            assert!(codec.read(&codec.write(&page)).is_err());
            page.headers = Headers::sample(HEAD_LIMIT - 1);
            assert!(codec.read(&codec.write(&page)).is_ok());
        }
        let mut random = fastrand::Rng::with_seed(1);
        for _ in 0..5_000 {
            let mut changed = whole.clone();
            for _ in 0..random.usize(1..4) {
                let at = random.usize(..changed.len());
                changed[at] = random.u8(..);
            }
            // No panic, neither here nor in the decision; a change may be valid.
            if let Ok(page) = codec.read(&codec.0.seal(&changed)) {
                for (index, policy) in policies.iter().enumerate() {
                    let _ = policy.decide_archived(&page.page(index), page.date);
                }
            }
        }
    }
}
