//! A crawler's facts about origins: in memory, and on disk if it has a store there.

use super::MAX_KEPT_VALIDATOR;
use super::disk::DiskStore;
use super::error::StoreError;
use super::record::OriginRecord;
#[cfg(feature = "fetch")]
use crate::fetch::FetchFault;
use crate::next_request::NextRequest;
use robots_policy::limits::DEFAULT_STORE_BYTES;
use robots_policy::origins::sealed::Sealed;
use robots_policy::origins::{
    KnownOrigin, Origin, OriginChange, OriginMap, OriginStore, RobotsReader, Weigh,
};
#[cfg(feature = "fetch")]
use robots_policy::robots::OutcomeLog;
use robots_policy::site::Tdmrep;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// A crawler's facts about origins, within a limit of memory: those by which a
/// [`Policy`](robots_policy::Policy) decides, and those for the next request.
///
/// With a [`DiskStore`], a change is on disk when the call that makes it returns, or after each N changes
/// ([`DiskStore::with_commit_every`]). Facts that are not in memory are looked up on disk. So facts survive restarts,
/// and the memory may be small.
///
/// The store in memory is for one robot under one profile. The store on disk has the bytes of files, not compiled
/// rules, and the outcomes of requests, not their meaning: any robot under any profile may read it. Several stores in memory
/// may share one on disk, given as an [`Arc`], as long as only one of them changes it.
///
/// A failing disk does not keep a policy from deciding: see [`disk_error`](Self::disk_error).
///
/// ```
/// use robots_crawl::{CrawlStore, DiskStore};
/// use robots_policy::{Fetch, Page, Policy, RobotsFetch};
/// use std::sync::Arc;
///
/// # let folder = tempfile::tempdir()?;
/// # let path = folder.path().join("origins.redb");
/// let policy = || -> Result<Policy, Box<dyn std::error::Error>> {
///     let store = CrawlStore::on_disk(DiskStore::open(&path)?);
///     Ok(Policy::new("ExampleBot")?.with_origins(Arc::new(store)))
/// };
/// let url = "https://example.com/x";
/// policy()?.learn(url, RobotsFetch::Body(b"User-agent: *\nDisallow: /"))?;
///
/// // After a restart:
/// assert_eq!(policy()?.decide_page(&Page::new(url)).fetch, Fetch::Disallow);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct CrawlStore {
    memory: OriginMap<CrawledOrigin>,
    disk: Option<Arc<DiskStore>>,
    order: Order,
    /// The last failure of the disk.
    error: Mutex<Option<StoreError>>,
}

/// Locks that are held while an origin changes in memory and on disk, and while it is loaded, so that changes have the same order in
/// both. Several origins share a lock; all would let each change wait for the disk of the one before.
#[derive(Debug)]
struct Order([Mutex<()>; 64]);

impl Default for Order {
    fn default() -> Self {
        Self(std::array::from_fn(|_| Mutex::default()))
    }
}

impl Order {
    /// Locks an origin.
    fn lock(&self, origin: &Origin) -> Option<MutexGuard<'_, ()>> {
        let mut hasher = DefaultHasher::new();
        origin.hash(&mut hasher);
        let [number, ..] = hasher.finish().to_le_bytes();
        let Self(locks) = self;
        locks.iter().cycle().nth(usize::from(number)).map(lock)
    }
}

/// A crawler's facts about an origin.
#[derive(Debug, Default, Clone)]
pub(crate) struct CrawledOrigin {
    pub(crate) known: Arc<KnownOrigin>,
    pub(crate) next: NextRequest,
    /// The fault of the last request for robots.txt, if it had no usable response. It is not stored on disk.
    #[cfg(feature = "fetch")]
    pub(crate) fault: Option<Arc<FetchFault>>,
}

impl Weigh for CrawledOrigin {
    fn bytes(&self) -> usize {
        self.known.bytes().saturating_add(size_of::<Self>())
    }
}

impl CrawlStore {
    /// Returns a store in memory alone.
    pub fn in_memory() -> Self {
        Self {
            memory: OriginMap::new(DEFAULT_STORE_BYTES),
            disk: None,
            order: Order::default(),
            error: Mutex::default(),
        }
    }

    /// Returns a store in memory and on disk.
    pub fn on_disk(disk: impl Into<Arc<DiskStore>>) -> Self {
        Self {
            disk: Some(disk.into()),
            ..Self::in_memory()
        }
    }

    /// Sets the limit of memory in bytes, in place of
    /// [`DEFAULT_STORE_BYTES`]. When it is reached, origins that were not looked up recently are dropped.
    #[must_use]
    pub fn with_memory_limit(self, bytes: u64) -> Self {
        Self {
            memory: OriginMap::new(bytes),
            ..self
        }
    }

    /// Returns the store on disk, if there is one.
    pub fn disk(&self) -> Option<&DiskStore> {
        self.disk.as_deref()
    }

    /// Returns the last failure of the disk since the last call. For decisions, facts that cannot be read are unknown.
    pub fn disk_error(&self) -> Option<StoreError> {
        lock(&self.error).take()
    }

    /// Returns the facts about an origin, given in its text form, if they are in memory.
    #[cfg(feature = "fetch")]
    pub(crate) fn in_memory_of(&self, origin: &str) -> Option<Arc<CrawledOrigin>> {
        self.memory.get(origin)
    }

    /// Returns the facts about an origin, given in its text form. If they are on disk alone, they are loaded
    /// into memory, if it has room.
    pub(crate) fn look_up(
        &self,
        origin: &str,
        reader: &dyn RobotsReader,
    ) -> Option<Arc<CrawledOrigin>> {
        if let Some(crawled) = self.memory.get(origin) {
            return Some(crawled);
        }
        self.disk.as_ref()?;
        let origin = Origin::of(origin).ok()?;
        // Between reading and adding, no other thread may change the record or forget it.
        let _held = self.order.lock(&origin);
        let record = self.record_on_disk(&origin)?;
        let crawled = CrawledOrigin::of_record(record, reader);
        // If another thread has added the origin before, its facts stay.
        Some(
            self.memory
                .change(origin, || Some(Arc::new(crawled)), |_| {}),
        )
    }

    /// Changes the facts about an origin: applies `change`, and then calls `next`, which changes the facts for the next
    /// request. `write` applies the same change to the record on disk, if there is a disk. Returns the new facts.
    pub(crate) fn change_with(
        &self,
        origin: &Origin,
        change: Option<&OriginChange<'_>>,
        reader: &dyn RobotsReader,
        next: impl FnOnce(&mut CrawledOrigin),
        write: impl FnOnce(&mut OriginRecord),
    ) -> Arc<CrawledOrigin> {
        // The new file is compiled before the lock, which other threads wait for.
        let mut compiled = change.and_then(|change| change.compile(reader));
        // Without a disk, the lock of the memory alone puts changes in order.
        let _held = self.disk.as_ref().map(|_| self.order.lock(origin));
        let mut record = self.record_on_disk(origin);
        let crawled = self.memory.change(
            origin.clone(),
            || {
                let record = record.clone()?;
                Some(Arc::new(CrawledOrigin::of_record(record, reader)))
            },
            |crawled| {
                if let Some(change) = change {
                    let known = Arc::make_mut(&mut crawled.known);
                    known.apply(change, reader.outcomes(), |body| {
                        // A table of outcomes may take responses other than successes for rules: these are not compiled yet.
                        compiled.take().unwrap_or_else(|| reader.compile(body))
                    });
                }
                next(crawled);
            },
        );
        let Some(disk) = &self.disk else {
            return crawled;
        };
        let mut record = record.take().unwrap_or_default();
        write(&mut record);
        record.next.validators = crawled.next.validators.within(MAX_KEPT_VALIDATOR);
        record.next.retry = crawled.next.retry;
        self.keep_error(disk.put(origin, &record));
        crawled
    }

    /// Returns the record of an origin on disk, if it can be read.
    fn record_on_disk(&self, origin: &Origin) -> Option<OriginRecord> {
        let record = self.disk.as_ref()?.get(origin);
        self.keep_error(record).flatten()
    }

    /// Returns the value of a result. Keeps its error for [`disk_error`](Self::disk_error).
    fn keep_error<T>(&self, result: Result<T, StoreError>) -> Option<T> {
        result
            .map_err(|error| *lock(&self.error) = Some(error))
            .ok()
    }
}

impl CrawledOrigin {
    /// Returns the facts of a record for a robot.
    fn of_record(record: OriginRecord, reader: &dyn RobotsReader) -> Self {
        let outcomes = record
            .outcomes
            .map_bodies(|body| reader.compile(body.as_slice()));
        let tdmrep = record.tdmrep;
        let tdmrep = tdmrep.and_then(|file| Tdmrep::parse(file.as_slice()).ok());
        Self {
            known: Arc::new(KnownOrigin::new(outcomes, tdmrep)),
            next: record.next,
            #[cfg(feature = "fetch")]
            fault: None,
        }
    }
}

#[cfg(feature = "fetch")]
impl CrawledOrigin {
    /// Forgets what is known about robots.txt. The tdmrep.json stays.
    pub(crate) fn forget_robots(&mut self) {
        let tdmrep = self.known.tdmrep().cloned();
        *self = Self {
            known: Arc::new(KnownOrigin::new(OutcomeLog::default(), tdmrep)),
            ..Self::default()
        };
    }
}

impl Default for CrawlStore {
    fn default() -> Self {
        Self::in_memory()
    }
}

impl Sealed for CrawlStore {}

impl OriginStore for CrawlStore {
    fn get(&self, origin: &str, reader: &dyn RobotsReader) -> Option<Arc<KnownOrigin>> {
        let crawled = self.look_up(origin, reader)?;
        Some(Arc::clone(&crawled.known))
    }

    fn change(&self, origin: &Origin, change: &OriginChange<'_>, reader: &dyn RobotsReader) {
        let next = |crawled: &mut CrawledOrigin| {
            // The outcome comes from the caller, not from a request of the crawler. So the validators and the fault of the
            // crawler's last request do not belong to it.
            if matches!(change, OriginChange::Robots { .. }) {
                crawled.next.validators = crate::next_request::Validators::default();
                #[cfg(feature = "fetch")]
                {
                    crawled.fault = None;
                }
            }
        };
        self.change_with(origin, Some(change), reader, next, |record| {
            record.apply(change);
        });
    }

    fn forget(&self, origin: &Origin) {
        let _held = self.disk.as_ref().map(|_| self.order.lock(origin));
        if let Some(disk) = &self.disk {
            self.keep_error(disk.forget(origin));
        }
        self.memory.remove(origin);
    }

    fn known_origins(&self) -> usize {
        self.memory.len()
    }
}

/// Locks a mutex. Its data is whole even if a holder panicked.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;
    use robots_meta::Timestamp;
    use robots_policy::decision::AiUse;
    use robots_policy::{Fetch, Page, Policy, Profile, RobotsFetch};
    use std::path::Path;

    /// Returns a policy with a store on disk, and the store.
    fn on_disk(policy: Policy, path: &Path) -> (Policy, Arc<CrawlStore>) {
        let store = CrawlStore::on_disk(DiskStore::open(path).unwrap());
        with_store(policy, store)
    }

    fn with_store(policy: Policy, store: CrawlStore) -> (Policy, Arc<CrawlStore>) {
        let store = Arc::new(store);
        (policy.with_origins(store.clone()), store)
    }

    #[test]
    fn knowledge_survives_a_restart() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("origins");
        let google = || {
            on_disk(
                Policy::under(&Profile::google(), "Googlebot").unwrap(),
                &path,
            )
        };
        let hour = |hours: i64| Timestamp::from_seconds(hours * 3600);
        let (open, closed) = ("https://a.example/x", "https://b.example/x");
        let (policy, _) = google();
        policy
            .learn_at(
                closed,
                RobotsFetch::Body(b"User-agent: *\nDisallow: /"),
                hour(0),
            )
            .unwrap();
        policy
            .learn_at(open, RobotsFetch::Status(404), hour(0))
            .unwrap();
        drop(policy);
        // A failure after a restart falls back to the copy before it.
        let (policy, _) = google();
        policy
            .learn_at(closed, RobotsFetch::Status(503), hour(20))
            .unwrap();
        drop(policy);
        let (policy, store) = google();
        let fetch = |url, now| policy.decide_page(&Page::new(url).at(now)).fetch;
        // Google waits for 12 hours after the first failure, and then uses the copy. A 404 counts for 24 hours.
        assert_eq!(fetch(closed, hour(21)), Fetch::Defer);
        assert_eq!(fetch(closed, hour(40)), Fetch::Disallow);
        assert_eq!(fetch(open, hour(1)), Fetch::Allow);
        assert_eq!(fetch(open, hour(25)), Fetch::Unknown);
        assert_eq!(fetch("https://c.example/x", hour(1)), Fetch::Unknown);
        assert!(store.disk_error().is_none());
    }

    #[test]
    fn a_rule_that_is_a_url_applies_after_a_restart() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("origins");
        let policy = || {
            let profile = Profile::duckduckgo();
            on_disk(Policy::under(&profile, "DuckDuckBot").unwrap(), &path).0
        };
        let body = b"User-agent: *\nDisallow: https://a.example/x";
        let sites = [
            ("https://a.example/x", Fetch::Disallow),
            ("https://b.example/x", Fetch::Allow),
        ];
        let check = |policy: &Policy| {
            for (url, expected) in sites {
                let found = policy.decide_page(&Page::new(url)).fetch;
                assert_eq!(found, expected, "{url}");
            }
        };
        let before = policy();
        for (url, _) in sites {
            before.learn(url, RobotsFetch::Body(body)).unwrap();
        }
        check(&before);
        drop(before);
        check(&policy());
    }

    #[test]
    fn origins_dropped_from_memory_are_read_from_disk() {
        let folder = tempfile::tempdir().unwrap();
        let disk = DiskStore::open(folder.path().join("origins")).unwrap();
        let store = CrawlStore::on_disk(disk.with_commit_every(1_000));
        let (policy, _) = with_store(Policy::new("a").unwrap(), store.with_memory_limit(20_000));
        let url = |site: u32| format!("https://s{site}.example/x");
        for site in 0..500 {
            let body = format!(
                "User-agent: *\nDisallow: /{}",
                if site % 2 == 0 { "x" } else { "y" }
            );
            policy
                .learn(&url(site), RobotsFetch::Body(body.as_bytes()))
                .unwrap();
        }
        assert!(policy.known_origins() < 200);
        for site in 0..500 {
            let fetch = policy.decide_page(&Page::new(&url(site))).fetch;
            let expected = if site % 2 == 0 {
                Fetch::Disallow
            } else {
                Fetch::Allow
            };
            assert_eq!(fetch, expected, "{site}");
        }
    }

    #[test]
    fn an_origin_without_room_in_memory_is_known() {
        let folder = tempfile::tempdir().unwrap();
        let disk = DiskStore::open(folder.path().join("origins")).unwrap();
        let store = CrawlStore::on_disk(disk).with_memory_limit(2_000);
        let (policy, store) = with_store(Policy::new("a").unwrap(), store);
        let url = "https://a.example/x";
        let body = format!("User-agent: *\nDisallow: /x\n{}", "#".repeat(100_000));
        let at = |seconds| Timestamp::from_seconds(seconds);
        policy
            .learn_at(url, RobotsFetch::Body(body.as_bytes()), at(0))
            .unwrap();
        assert_eq!(policy.known_origins(), 0);
        // 304 confirms the copy on disk.
        policy
            .learn_at(url, RobotsFetch::Status(304), at(80_000))
            .unwrap();
        // More than 24 hours after the copy was received, but less after it was confirmed.
        let fetch = policy.decide_page(&Page::new(url).at(at(90_000))).fetch;
        assert_eq!(fetch, Fetch::Disallow);
        assert!(store.disk_error().is_none());
    }

    #[test]
    fn learning_one_file_keeps_the_other_on_disk() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("origins");
        let policy = || on_disk(Policy::new("a").unwrap(), &path).0;
        let url = "https://a.example/x";
        policy()
            .learn(url, RobotsFetch::Body(b"User-agent: *\nDisallow: /"))
            .unwrap();
        let reserved = br#"[{"location": "/", "tdm-reservation": 1}]"#;
        let after = policy();
        after
            .learn_tdmrep(url, Tdmrep::parse(reserved).unwrap())
            .unwrap();
        assert_eq!(after.decide_page(&Page::new(url)).fetch, Fetch::Disallow);
        drop(after);
        let last = policy();
        last.learn(url, RobotsFetch::Status(404)).unwrap();
        drop(last);
        let decision = policy().decide_page(&Page::new(url));
        assert_eq!(decision.fetch, Fetch::Allow);
        assert_eq!(decision.ai_train, AiUse::Disallow);
    }

    #[test]
    fn concurrent_changes_are_kept_whole() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("origins");
        let (policy, store) = on_disk(Policy::new("a").unwrap(), &path);
        let url = |site: u32| format!("https://s{site}.example/x");
        std::thread::scope(|scope| {
            scope.spawn(|| {
                for site in 0..200 {
                    let body = format!("User-agent: *\nDisallow: /y\n# {site}");
                    let fetch = RobotsFetch::Body(body.as_bytes());
                    policy.learn(&url(site), fetch).unwrap();
                }
            });
            for site in 0..200 {
                // The number is not a valid rule, and is ignored: it makes each file different.
                let file = format!(r#"[{{"location": "/", "tdm-reservation": 1}}, {site}]"#);
                let tdmrep = Tdmrep::parse(file.as_bytes()).unwrap();
                policy.learn_tdmrep(&url(site), tdmrep).unwrap();
            }
        });
        assert!(store.disk_error().is_none());
        drop((policy, store));
        let (policy, _) = on_disk(Policy::new("a").unwrap(), &path);
        for site in 0..200 {
            let decision = policy.decide_page(&Page::new(&url(site)));
            assert_eq!(decision.fetch, Fetch::Allow, "{site}");
            assert_eq!(decision.ai_train, AiUse::Disallow, "{site}");
        }
    }

    #[test]
    fn forgetting_reaches_the_disk() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("origins");
        let policy = || on_disk(Policy::new("a").unwrap(), &path);
        let url = "https://a.example/x";
        let (before, store) = policy();
        before.learn(url, RobotsFetch::Status(404)).unwrap();
        before.forget(url).unwrap();
        let fetch = |policy: &Policy| policy.decide_page(&Page::new(url)).fetch;
        assert_eq!(fetch(&before), Fetch::Unknown);
        drop((before, store));
        let (after, store) = policy();
        assert_eq!(fetch(&after), Fetch::Unknown);
        assert!(store.disk().unwrap().is_empty().unwrap());
    }
}
