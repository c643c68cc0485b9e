//! Compiled rules by the content of their file: many origins have the same file.

use super::map::{ENTRY_BYTES, FIRST_CAPACITY};
use crate::site::SiteRules;
use quick_cache::Weighter;
use quick_cache::sync::Cache;
use robots_txt::Dialect;
use siphasher::sip128::{Hasher128, SipHasher13};
use std::collections::hash_map::RandomState;
use std::hash::{BuildHasher, Hash, Hasher};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

/// Compiled robots.txt files of several policies, limited in bytes together. Clones share them.
///
/// A policy has files of its own unless it is given these ([`Policy::with_compiled_files`](crate::Policy::with_compiled_files)). A full
/// cache evicts files that were not used recently; they are compiled again.
#[derive(Debug, Clone)]
pub struct CompiledFiles(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    /// The maximum size, in bytes.
    limit: u64,
    files: OnceLock<Files>,
    next_owner: AtomicU64,
}

/// Compiled rules of one robot by the hash of their file and dialect.
#[derive(Debug)]
pub(crate) struct RulesCache {
    files: CompiledFiles,
    /// The policy, and its clones.
    owner: u64,
}

#[derive(Debug)]
struct Files {
    rules: Cache<u128, SiteRules, FileBytes>,
    /// The hash function of keys, with a random key of its own, so that no one can make two files with one hash.
    hasher: SipHasher13,
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
        (rules.bytes() + ENTRY_BYTES) as u64
    }
}

impl CompiledFiles {
    /// Returns an empty cache with room for this many bytes.
    pub fn new(limit: u64) -> Self {
        Self(Arc::new(Shared {
            limit,
            files: OnceLock::new(),
            next_owner: AtomicU64::new(0),
        }))
    }

    /// Returns the cache for a store with this limit in bytes: an eighth of it, which does not count towards the store.
    pub(crate) fn of_store(limit: u64) -> Self {
        Self::new(limit / 8)
    }

    /// Returns the files of one more policy.
    pub(crate) fn of_policy(&self) -> RulesCache {
        RulesCache {
            files: self.clone(),
            owner: self.0.next_owner.fetch_add(1, Ordering::Relaxed),
        }
    }
}

impl RulesCache {
    /// Returns the rules of a file in a dialect. Calls `compile` if those of an equal file in the same form are not in the cache.
    pub(crate) fn rules(
        &self,
        dialect: &Dialect,
        form: FileForm,
        body: &[u8],
        compile: impl FnOnce() -> SiteRules,
    ) -> SiteRules {
        let Shared { limit, files, .. } = &*self.files.0;
        let files = files.get_or_init(|| Files {
            rules: Cache::with_weighter(FIRST_CAPACITY, *limit, FileBytes),
            hasher: random_hasher(),
        });
        let mut hasher = files.hasher;
        (self.owner, dialect, form, body).hash(&mut hasher);
        let key = hasher.finish128().as_u128();
        if let Some(rules) = files.rules.get(&key) {
            return rules;
        }
        let rules = compile();
        files.rules.insert(key, rules.clone());
        rules
    }
}

/// Returns a hash function with a random key.
fn random_hasher() -> SipHasher13 {
    let random = || RandomState::new().build_hasher().finish();
    SipHasher13::new_with_keys(random(), random())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::limits::DEFAULT_STORE_BYTES;
    use crate::{Policy, Profile, site};
    use robots_txt::Target;

    #[test]
    fn equal_files_are_read_once() {
        let cache = CompiledFiles::of_store(DEFAULT_STORE_BYTES).of_policy();
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

    #[test]
    fn policies_share_the_memory_for_files_and_not_the_rules() {
        let file = "User-agent: a\nDisallow: /a\n\nUser-agent: b\nDisallow: /b\n";
        let files = CompiledFiles::new(1 << 20);
        let [a, b] =
            ["a", "b"].map(|agent| Policy::new(agent).unwrap().with_compiled_files(&files));
        for _ in 0..2 {
            for (policy, path) in [(&a, "/a"), (&b, "/b")] {
                let rules = policy.compile(file.as_bytes());
                let denied = ["/a", "/b"]
                    .into_iter()
                    .filter(|path| !rules.rules().verdict(&Target::new(path)).is_allowed());
                assert_eq!(denied.collect::<Vec<_>>(), [path]);
            }
        }
        let kept = || files.0.files.get().unwrap().rules.len();
        assert_eq!(kept(), 2);
        // A clone has the same rules; many files have the limit together.
        a.clone().compile(file.as_bytes());
        assert_eq!(kept(), 2);
        for number in 0..10_000 {
            let file = format!("User-agent: *\nDisallow: /{number}/\nAllow: /{number}/{number}\n");
            for policy in [&a, &b] {
                policy.compile(file.as_bytes());
            }
        }
        let weight = files.0.files.get().unwrap().rules.weight();
        assert!((1 << 19..=1 << 20).contains(&weight), "{weight}");
    }
}
