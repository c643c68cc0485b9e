//! Compiled rules by the content of their file: many origins have the same file.

use super::map::{ENTRY_BYTES, FIRST_CAPACITY};
use crate::site::SiteRules;
use quick_cache::Weighter;
use quick_cache::sync::Cache;
use robots_txt::Dialect;
use std::collections::hash_map::RandomState;
use std::hash::BuildHasher;
use std::sync::OnceLock;

/// Compiled rules of one robot by the hash of their file and dialect, limited in bytes.
#[derive(Debug)]
pub(crate) struct RulesCache {
    /// The maximum size, in bytes.
    limit: u64,
    files: OnceLock<Files>,
}

#[derive(Debug)]
struct Files {
    rules: Cache<u128, SiteRules, FileBytes>,
    /// The two hash functions of a key, for 64 bits each.
    hashes: [RandomState; 2],
}

/// The form of the bytes by which a file is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum FileForm {
    /// Its body.
    Plain,
    /// The form in which a caller keeps it. Bytes in this form are never compared with a body.
    Packed,
}

/// Weighs the rules of a file by their bytes.
#[derive(Debug, Clone)]
struct FileBytes;

impl Weighter<u128, SiteRules> for FileBytes {
    fn weight(&self, _: &u128, rules: &SiteRules) -> u64 {
        let all = rules.bytes().saturating_add(ENTRY_BYTES);
        u64::try_from(all).unwrap_or(u64::MAX)
    }
}

impl RulesCache {
    /// The limit of a cache is the limit of its store, divided by this number. The cache does not count towards the
    /// limit of the store.
    const STORE_DIVISOR: u64 = 8;

    /// Returns the cache for a store with this limit in bytes.
    pub(crate) const fn of_store(limit: u64) -> Self {
        Self {
            limit: limit.div_euclid(Self::STORE_DIVISOR),
            files: OnceLock::new(),
        }
    }

    /// Returns the rules of a file in a dialect. Calls `compile` if those of an equal file in the same form are not in the cache.
    pub(crate) fn rules(
        &self,
        dialect: &Dialect,
        form: FileForm,
        body: &[u8],
        compile: impl FnOnce() -> SiteRules,
    ) -> SiteRules {
        let files = self.files.get_or_init(|| Files {
            rules: Cache::with_weighter(FIRST_CAPACITY, self.limit, FileBytes),
            hashes: [RandomState::new(), RandomState::new()],
        });
        let hash = |state: &RandomState| state.hash_one((dialect, form, body));
        let [high, low] = files.hashes.each_ref().map(hash);
        let key = u128::from(high) << 64 | u128::from(low);
        if let Some(rules) = files.rules.get(&key) {
            return rules;
        }
        let rules = compile();
        files.rules.insert(key, rules.clone());
        rules
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::limits::DEFAULT_STORE_BYTES;
    use crate::{Profile, site};
    use robots_txt::Target;

    #[test]
    fn equal_files_are_read_once() {
        let cache = RulesCache::of_store(DEFAULT_STORE_BYTES);
        let profile = Profile::neutral();
        let mut reads = 0;
        let mut rules = |body: &[u8]| {
            let rules = cache.rules(&Dialect::RFC9309, FileForm::Plain, body, || {
                reads += 1;
                let parsed = site::parse(body, [profile.dialect()]);
                SiteRules::of(&parsed, &profile.robot("a"), &profile)
            });
            rules.rules().verdict(&Target::new("/x")).is_allowed()
        };
        for _ in 0..100 {
            assert!(!rules(b"User-agent: *\nDisallow: /x"));
            assert!(rules(b"User-agent: *\nDisallow: /y"));
        }
        assert_eq!(reads, 2);
    }
}
