//! The store in memory.

use super::sealed::Sealed;
use super::{KnownOrigin, OriginChange, OriginMap, OriginStore, RobotsReader};
use crate::input::Origin;
use crate::limits::DEFAULT_STORE_BYTES;
use std::sync::Arc;

/// A store of facts about origins in memory, limited in bytes.
///
/// When it is full, it drops origins that were not looked up recently: they are unknown again.
#[derive(Debug)]
pub struct MemoryStore {
    origins: OriginMap<KnownOrigin>,
}

impl MemoryStore {
    /// Returns a store with room for this many bytes.
    pub const fn new(limit: u64) -> Self {
        Self {
            origins: OriginMap::new(limit),
        }
    }
}

impl Default for MemoryStore {
    fn default() -> Self {
        Self::new(DEFAULT_STORE_BYTES)
    }
}

impl Sealed for MemoryStore {}

impl OriginStore for MemoryStore {
    fn get(&self, origin: &str, _: &dyn RobotsReader) -> Option<Arc<KnownOrigin>> {
        self.origins.get(origin)
    }

    fn change(&self, origin: &Origin, change: &OriginChange<'_>, reader: &dyn RobotsReader) {
        // The body of a successful response is compiled before the map is locked. The body of any other response is
        // compiled only if the table of outcomes treats the response as rules.
        let mut compiled = change.compile(reader);
        // An origin that is not in memory is unknown: there is no disk to load it from.
        let absent = || None;
        self.origins.change(origin.clone(), absent, |known| {
            known.apply(change, reader.outcomes(), |body| {
                compiled.take().unwrap_or_else(|| reader.compile(body))
            });
        });
    }

    fn forget(&self, origin: &Origin) {
        self.origins.remove(origin);
    }

    fn known_origins(&self) -> usize {
        self.origins.len()
    }
}

#[cfg(test)]
mod tests {
    use crate::{Fetch, Page, Policy, RobotsFetch};
    use robots_txt::Dialect;

    #[test]
    fn a_full_store_forgets_and_does_not_grow() {
        let policy = Policy::new("a").unwrap().with_store_limit(100_000);
        let body = format!("User-agent: *\nDisallow: /x\n#{}", "x".repeat(500));
        for site in 0..2_000 {
            let url = format!("https://s{site}.example/x");
            policy
                .learn(&url, RobotsFetch::Body(body.as_bytes()))
                .unwrap();
        }
        let kept = policy.known_origins();
        // Each file has more than 500 bytes, so at most 200 fit. The cache may keep fewer.
        assert!((20..=200).contains(&kept), "{kept}");
        let found = (0..2_000)
            .filter(|site| {
                let url = format!("https://s{site}.example/x");
                match policy.decide_page(&Page::new(&url)).fetch {
                    Fetch::Disallow => true,
                    Fetch::Unknown => false,
                    other => panic!("{other}"),
                }
            })
            .count();
        assert_eq!(found, kept);
    }

    #[test]
    fn equal_files_are_read_in_each_dialect() {
        let body = b"User-agent: *\nDisallow: /a\nAllow: /a/b";
        let policy = Policy::new("a").unwrap();
        policy
            .learn("https://a.example/", RobotsFetch::Body(body))
            .unwrap();
        let policy = policy.with_dialect(Dialect::KOSTER_1996);
        policy
            .learn("https://b.example/", RobotsFetch::Body(body))
            .unwrap();
        let fetch = |url| policy.decide_page(&Page::new(url)).fetch;
        assert_eq!(fetch("https://a.example/a/b"), Fetch::Allow);
        assert_eq!(fetch("https://b.example/a/b"), Fetch::Disallow);
        policy.forget("https://b.example/").unwrap();
        assert_eq!(fetch("https://b.example/a/b"), Fetch::Unknown);
    }
}
