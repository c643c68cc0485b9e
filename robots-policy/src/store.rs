//! What is known of each origin, in memory, within a bound.

use crate::origin::Origin;
use crate::outcome::{History, OutcomeTable, RobotsFetch};
use crate::site::SiteRules;
use crate::tdmrep::Tdmrep;
use quick_cache::Weighter;
use quick_cache::sync::Cache;
use robots_meta::Timestamp;
use robots_txt::Dialect;
use std::collections::hash_map::RandomState;
use std::hash::BuildHasher;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// How many bytes the states of origins may take that a policy keeps: 1 GiB. See
/// [`Policy::with_store_limit`](crate::Policy::with_store_limit).
pub const DEFAULT_STORE_BYTES: u64 = 1 << 30;

/// What part of those bytes files take that are remembered, as other origins may have the same.
const SHARED_PART: u64 = 8;

/// What an entry of the cache takes beside what is in it, about.
const ENTRY_BYTES: usize = 64;

/// What is known of many origins, shared between threads.
///
/// A look-up is one hash of the origin; states are cheap to clone. When there is no more room, the
/// origins go that were not asked for: they are unknown again.
#[derive(Debug)]
pub(crate) struct Store {
    limit: u64,
    kept: OnceLock<Kept>,
}

#[derive(Debug)]
struct Kept {
    sites: Cache<Origin, Arc<Site>, SiteWeight>,
    /// Rules by the hash of their file: many sites have the same.
    files: Cache<u128, SiteRules, FileWeight>,
    hashes: [RandomState; 2],
    /// Held while what is known of a site changes.
    change: Mutex<()>,
}

/// What is known of one origin.
#[derive(Debug, Default, Clone)]
pub(crate) struct Site {
    pub(crate) history: History<SiteRules>,
    pub(crate) tdmrep: Option<Tdmrep>,
    /// What is kept on disk: the same history, of names of bodies.
    #[cfg(feature = "disk")]
    pub(crate) facts: History<crate::disk::BodyKey>,
    /// For the next request for robots.txt.
    #[cfg(feature = "fetch")]
    pub(crate) next: crate::crawler::NextRequest,
}

impl Kept {
    fn new(limit: u64) -> Self {
        // Room is made as origins come.
        let few = 64;
        Self {
            sites: Cache::with_weighter(few, limit, SiteWeight),
            files: Cache::with_weighter(few, limit.div_euclid(SHARED_PART), FileWeight),
            hashes: [RandomState::new(), RandomState::new()],
            change: Mutex::new(()),
        }
    }
}

/// The bytes that an origin takes, as if no other had the same file.
#[derive(Debug, Clone)]
struct SiteWeight;

impl Weighter<Origin, Arc<Site>> for SiteWeight {
    fn weight(&self, origin: &Origin, site: &Arc<Site>) -> u64 {
        let rules = site.history.copy().map_or(0, SiteRules::bytes);
        let tdmrep = site.tdmrep.as_ref().map_or(0, Tdmrep::bytes);
        let own = size_of::<Site>().saturating_add(ENTRY_BYTES);
        let all = [origin.robots_url().len(), rules, tdmrep];
        let all = all.into_iter().fold(own, usize::saturating_add);
        u64::try_from(all).unwrap_or(u64::MAX)
    }
}

/// The bytes that a file takes.
#[derive(Debug, Clone)]
struct FileWeight;

impl Weighter<u128, SiteRules> for FileWeight {
    fn weight(&self, _: &u128, rules: &SiteRules) -> u64 {
        let all = rules.bytes().saturating_add(ENTRY_BYTES);
        u64::try_from(all).unwrap_or(u64::MAX)
    }
}

impl Site {
    /// Forgets what its server gave for the next request. When that may be made stays.
    #[cfg(feature = "fetch")]
    pub(crate) fn forget_validators(&mut self) {
        self.next.validators = crate::fetch::Validators::default();
    }

    /// Nothing is kept for the next request.
    #[cfg(not(feature = "fetch"))]
    #[allow(
        clippy::unused_self,
        clippy::needless_pass_by_ref_mut,
        reason = "where requests are made, there is"
    )]
    pub(crate) fn forget_validators(&mut self) {}

    /// Records what came of a request for robots.txt.
    pub(crate) fn record(
        &mut self,
        table: &OutcomeTable,
        fetch: &RobotsFetch<'_>,
        at: Option<Timestamp>,
        rules: impl FnOnce(&[u8]) -> SiteRules,
    ) {
        self.history.record(table, fetch, at, rules);
        #[cfg(feature = "disk")]
        self.facts.record(table, fetch, at, crate::keeper::name_of);
    }
}

impl Default for Store {
    fn default() -> Self {
        Self::new(DEFAULT_STORE_BYTES)
    }
}

impl Store {
    /// A store of so many bytes.
    pub(crate) fn new(limit: u64) -> Self {
        Self {
            limit,
            kept: OnceLock::new(),
        }
    }

    /// Changes what is known of an origin; gives what it is then.
    /// `known` is what is known of it elsewhere, if nothing is here.
    pub(crate) fn change(
        &self,
        origin: Origin,
        known: Option<Arc<Site>>,
        change: impl FnOnce(&mut Site),
    ) -> Arc<Site> {
        let kept = self.kept.get_or_init(|| Kept::new(self.limit));
        // A poisoned lock is one whose holder panicked: the sites are whole all the same, as each
        // is replaced at once.
        let _held = kept.change.lock().unwrap_or_else(PoisonError::into_inner);
        let mut site = kept
            .sites
            .get(&origin)
            .or(known)
            .map_or_else(Site::default, Arc::unwrap_or_clone);
        change(&mut site);
        let site = Arc::new(site);
        kept.sites.insert(origin, Arc::clone(&site));
        site
    }

    /// What is known of an origin, given as it prints.
    pub(crate) fn get(&self, origin: &str) -> Option<Arc<Site>> {
        self.kept.get()?.sites.get(origin)
    }

    /// Forgets an origin.
    pub(crate) fn forget(&self, origin: &Origin) {
        if let Some(kept) = self.kept.get() {
            kept.sites.remove(origin);
        }
    }

    /// The rules of a file in a dialect: those of another origin, if that had the same.
    pub(crate) fn rules(
        &self,
        dialect: &Dialect,
        body: &[u8],
        read: impl FnOnce() -> SiteRules,
    ) -> SiteRules {
        let kept = self.kept.get_or_init(|| Kept::new(self.limit));
        let hash = |state: &RandomState| state.hash_one((dialect, body));
        let [high, low] = kept.hashes.each_ref().map(hash);
        let key = u128::from(high) << 64 | u128::from(low);
        if let Some(rules) = kept.files.get(&key) {
            return rules;
        }
        let rules = read();
        kept.files.insert(key, rules.clone());
        rules
    }

    /// How many origins are known.
    pub(crate) fn len(&self) -> usize {
        self.kept.get().map_or(0, |kept| kept.sites.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Fetch, Page, Policy, Profile, RobotsFetch, site};
    use robots_txt::Target;

    #[test]
    fn a_store_that_is_full_forgets_and_does_not_grow() {
        let policy = Policy::new("a").with_store_limit(100_000);
        let body = format!("User-agent: *\nDisallow: /x\n#{}", "x".repeat(500));
        for site in 0..2_000 {
            let url = format!("https://s{site}.example/x");
            policy
                .learn(&url, RobotsFetch::Body(body.as_bytes()))
                .unwrap();
        }
        let kept = policy.known_origins();
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
    fn equal_files_are_read_once() {
        let store = Store::default();
        let profile = Profile::neutral();
        let mut reads = 0;
        let mut rules = |body: &[u8]| {
            let rules = store.rules(&Dialect::RFC9309, body, || {
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
    fn equal_files_are_read_in_each_dialect() {
        let body = b"User-agent: *\nDisallow: /a\nAllow: /a/b";
        let policy = Policy::new("a");
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
