//! The store itself.

use super::body::BodyKey;
use super::error::{StoreError, StoreErrorKind};
use super::format::{self, BODIES, Found, SITES};
use super::guarded::Guarded;
use super::site::KeptSite;
use super::waiting::{Change, Waiting};
use super::{MAX_KEPT_BODY, MAX_KEPT_ORIGIN, MAX_KEPT_VALIDATOR, Trust};
use super::{contents, file, record};
use crate::origin::Origin;
use crate::tdmrep::MAX_TDMREP_BYTES;
use redb::{ReadableDatabase as _, ReadableTableMetadata as _};
use std::borrow::Borrow as _;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};
use std::thread;

/// How many bytes of puts wait for a commit, however many puts are asked for: 16 MiB.
const MAX_WAITING_BYTES: usize = 16 << 20;

/// How many bytes of pages are cached: 128 MiB. What is not here is in the system's cache.
const CACHE_BYTES: usize = 128 << 20;

/// An embedded store of what is known of origins.
///
/// One process at a time has it open; the threads of that process share it. Reads do not wait for a
/// commit.
///
/// ```
/// use robots_policy::robots_meta::Timestamp;
/// use robots_policy::{BodyKey, DiskStore, History, KeptSite, Origin, OutcomeTable, RobotsFetch};
///
/// # let directory = tempfile::tempdir()?;
/// # let path = directory.path().join("sites");
/// let store = DiskStore::open(&path)?;
/// let origin = Origin::of("https://example.com/")?;
/// let body = b"User-agent: *\nDisallow: /private/";
///
/// let now = Some(Timestamp::from_seconds(1_763_000_000));
/// let mut history = History::new();
/// history.record(&OutcomeTable::RFC9309, &RobotsFetch::Body(body), now, BodyKey::of);
/// let mut site = KeptSite::new(history);
/// site.etag = Some("\"33a64df5\"".to_owned());
/// store.put(&origin, &site, [&body[..]])?;
///
/// // After a restart:
/// # drop(store);
/// let store = DiskStore::open(&path)?;
/// assert_eq!(store.get(&origin)?, Some(site));
/// assert_eq!(store.body(&BodyKey::of(body))?.as_deref(), Some(&body[..]));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Durability
///
/// A put is durable after the next commit: it is there after `kill -9` and, as far as the disk
/// obeys fsync, after a power failure. Every put is a commit, if
/// [`with_commit_every`](Self::with_commit_every) says nothing else. Dropping the store commits,
/// too, unless its thread panics, but does not say whether it could.
///
/// # Damage
///
/// [`open`](Self::open) reads the whole file. A byte that changed is found there, or does not
/// matter; then redb falls back on what was committed before if only the last commit is damaged.
/// Damage that comes later, or to a store opened by
/// [`open_unverified`](Self::open_unverified), is found by [`verify`](Self::verify), and where a
/// record or a body has changed by [`get`](Self::get) and [`body`](Self::body).
///
/// Where redb panics at a damaged page, the panic hook of the program hears of it, and the call
/// gives an error of the kind [`Corrupt`](StoreErrorKind::Corrupt).
#[derive(Debug)]
pub struct DiskStore {
    database: Guarded,
    waiting: RwLock<Waiting>,
    /// Held while a commit is written.
    turn: Mutex<()>,
    commit_every: usize,
    /// A commit could not be written. What it was to write can still be read.
    has_failed: AtomicBool,
}

/// What [`DiskStore::verify`] found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Integrity {
    /// All is as it was written.
    Whole,
    /// It is whole now. What the last commit kept may be lost.
    Repaired,
}

impl DiskStore {
    /// Opens or makes the store in this file. Its directory must be there. An empty file becomes a
    /// store, and so does one of nothing but zeros: what is left if a process dies while it makes
    /// one.
    ///
    /// Reads the whole file, and compares its checksums.
    ///
    /// # Errors
    ///
    /// If the store is open already, the file is not a store, is one in another version of the
    /// format, or is damaged; or if it cannot be read and written.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, StoreError> {
        Self::open_with(path.as_ref(), Trust::Checked)
    }

    /// Opens or makes the store, and does not read it all if it was closed the last time.
    ///
    /// It is for stores of many gigabytes on disks that are trusted. In a damaged one, an origin
    /// may seem unknown, and redb may go round in circles or ask for more memory than there is: of
    /// that nothing can be told.
    ///
    /// # Errors
    ///
    /// As [`open`](Self::open), but damage may be found later or not at all.
    pub fn open_unverified(path: impl AsRef<Path>) -> Result<Self, StoreError> {
        Self::open_with(path.as_ref(), Trust::Unchecked)
    }

    fn open_with(path: &Path, trust: Trust) -> Result<Self, StoreError> {
        let database = Guarded::open(path, trust, CACHE_BYTES)?;
        match database.run(format::find)? {
            Found::Store => {}
            Found::New => {
                database.run(format::create)?;
                file::keep_name(path).map_err(|error| StoreError::io(path, error))?;
            }
            Found::OtherVersion(found) => {
                let kind = StoreErrorKind::OtherVersion { found };
                return Err(StoreError::new(path, kind));
            }
            Found::Foreign => return Err(StoreError::new(path, StoreErrorKind::NotAStore)),
        }
        Ok(Self {
            database,
            waiting: RwLock::default(),
            turn: Mutex::default(),
            commit_every: 1,
            has_failed: AtomicBool::new(false),
        })
    }

    /// Commits after so many puts, not after each: many times faster, and up to so many puts are
    /// lost if the process dies. They are read before they are committed, too.
    ///
    /// Of puts that are large, fewer wait: up to 16 MiB.
    #[must_use]
    pub fn with_commit_every(mut self, puts: usize) -> Self {
        self.commit_every = puts.max(1);
        self
    }

    /// What is kept of an origin; `None` if that is nothing.
    ///
    /// # Errors
    ///
    /// If its record is damaged, or the file cannot be read.
    pub fn get(&self, origin: &Origin) -> Result<Option<KeptSite>, StoreError> {
        let origin: &str = origin.borrow();
        if let Some(change) = self.waiting().change(origin) {
            let Change::Keep(record) = change else {
                return Ok(None);
            };
            return record::decode(origin, record).map(Some).map_err(|damage| {
                StoreError::damaged(self.database.path(), Some(origin.to_owned()), damage)
            });
        }
        // What is not waiting any more is in the database by now.
        self.database.run(|database| {
            let sites = database.begin_read()?.open_table(SITES)?;
            let Some(record) = sites.get(origin)? else {
                return Ok(None);
            };
            contents::read(origin, record.value()).map(Some)
        })
    }

    /// A body; `None` if it is not kept.
    ///
    /// # Errors
    ///
    /// If it is damaged, or the file cannot be read.
    pub fn body(&self, key: &BodyKey) -> Result<Option<Vec<u8>>, StoreError> {
        if let Some(body) = self.waiting().body(*key) {
            return Ok(Some(body.to_vec()));
        }
        self.database.run(|database| {
            let bodies = database.begin_read()?.open_table(BODIES)?;
            let Some(body) = bodies.get(key.as_bytes())? else {
                return Ok(None);
            };
            contents::check_body(*key, body.value())?;
            Ok(Some(body.value().to_vec()))
        })
    }

    /// Keeps a site in place of what was kept of its origin; and the bodies that it names, of which those may be
    /// left out that are kept already.
    ///
    /// # Errors
    ///
    /// If something is too long, a body is not named, or one that is named is neither given nor
    /// kept: then nothing was kept. If the file cannot be written, the site may be kept or not, and
    /// nothing more can be until the store is opened again.
    pub fn put<'b>(
        &self,
        origin: &Origin,
        site: &KeptSite,
        bodies: impl IntoIterator<Item = &'b [u8]>,
    ) -> Result<(), StoreError> {
        let origin: &str = origin.borrow();
        self.check_open()?;
        self.check_lengths(origin, site)?;
        let bodies: Vec<(BodyKey, &[u8])> = bodies
            .into_iter()
            .map(|body| Ok((self.name(site, body)?, body)))
            .collect::<Result<_, StoreError>>()?;
        for key in site.bodies() {
            let is_given = bodies.iter().any(|(given, _)| *given == key);
            if !is_given && !self.has_body(key)? {
                return Err(self.error(StoreErrorKind::BodyMissing { key }));
            }
        }
        let record = record::encode(origin, site);
        self.wait(origin, Change::Keep(record), &bodies)
    }

    /// Forgets an origin. The bodies that it named go when the store is [tidied](Self::tidy), if no other
    /// has them.
    ///
    /// # Errors
    ///
    /// If the file cannot be written; then nothing more can be until the store is opened again.
    pub fn forget(&self, origin: &Origin) -> Result<(), StoreError> {
        self.check_open()?;
        self.wait(origin.borrow(), Change::Forget, &[])
    }

    /// Puts what is to be written with the next commit, and makes that if it is due.
    fn wait(
        &self,
        origin: &str,
        change: Change<Vec<u8>>,
        bodies: &[(BodyKey, &[u8])],
    ) -> Result<(), StoreError> {
        let is_due = |waiting: &Waiting| waiting.is_due(self.commit_every, MAX_WAITING_BYTES);
        let is_due_now = {
            let mut waiting = self.waiting_mut();
            waiting.put(origin, change, bodies);
            is_due(&waiting)
        };
        if is_due_now {
            self.commit_if(is_due)?;
        }
        Ok(())
    }

    /// Makes all puts durable that came before.
    ///
    /// # Errors
    ///
    /// If the file cannot be written. Nothing more can be kept then until the store is opened
    /// again.
    pub fn commit(&self) -> Result<(), StoreError> {
        self.commit_if(|_| true)
    }

    /// Commits what waits when the turn comes, if it is due then: the one before may have taken all
    /// along.
    fn commit_if(&self, is_due: impl FnOnce(&Waiting) -> bool) -> Result<(), StoreError> {
        // The lock guards nothing that a panic could leave half done.
        let _turn = self.turn.lock().unwrap_or_else(PoisonError::into_inner);
        self.check_open()?;
        let batch = {
            let mut waiting = self.waiting_mut();
            if is_due(&waiting) {
                waiting.start()
            } else {
                None
            }
        };
        let Some(batch) = batch else {
            return Ok(());
        };
        let written = self
            .database
            .run(|database| contents::write(database, &batch));
        if written.is_ok() {
            self.waiting_mut().done();
        } else {
            self.has_failed.store(true, Ordering::Release);
        }
        written
    }

    /// How many origins are kept.
    ///
    /// # Errors
    ///
    /// If the file cannot be read.
    pub fn len(&self) -> Result<u64, StoreError> {
        // Held, so that nothing that waits is done and counted twice.
        let waiting = self.waiting();
        self.database.run(|database| {
            let sites = database.begin_read()?.open_table(SITES)?;
            let mut count = sites.len()?;
            for (origin, is_kept) in waiting.origins() {
                count = match (sites.get(origin)?.is_some(), is_kept) {
                    (false, true) => count.saturating_add(1),
                    (true, false) => count.saturating_sub(1),
                    _ => count,
                };
            }
            Ok(count)
        })
    }

    /// Whether no origin is kept.
    ///
    /// # Errors
    ///
    /// If the file cannot be read.
    pub fn is_empty(&self) -> Result<bool, StoreError> {
        Ok(self.len()? == 0)
    }

    /// Drops the bodies that no origin has any more, and makes the file as small as it can be.
    ///
    /// Linear in the file; it takes some 50 bytes of memory for each body that is kept.
    ///
    /// # Errors
    ///
    /// If the store is damaged, or the file cannot be read and written.
    pub fn tidy(&mut self) -> Result<(), StoreError> {
        self.commit()?;
        let tidied = self.database.run_alone(|database| {
            contents::drop_bodies(database)?;
            database.compact()?;
            Ok(())
        });
        self.note(tidied)
    }

    /// Reads the whole file anew, and compares all checksums and names; repairs what can be.
    ///
    /// # Errors
    ///
    /// If the store is damaged, or the file cannot be read and written.
    pub fn verify(&mut self) -> Result<Integrity, StoreError> {
        self.commit()?;
        let checked = self.database.run_alone(|database| {
            let is_whole = database.check_integrity()?;
            Ok(if is_whole {
                Integrity::Whole
            } else {
                Integrity::Repaired
            })
        });
        if checked.is_err() {
            // redb stopped half way.
            self.database.lose();
        }
        let integrity = self.note(checked)?;
        self.database.run(contents::check)?;
        Ok(integrity)
    }

    fn waiting(&self) -> RwLockReadGuard<'_, Waiting> {
        // A poisoned lock is one whose holder panicked: nothing does while it changes what waits.
        self.waiting.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn waiting_mut(&self) -> RwLockWriteGuard<'_, Waiting> {
        self.waiting.write().unwrap_or_else(PoisonError::into_inner)
    }

    fn error(&self, kind: StoreErrorKind) -> StoreError {
        StoreError::new(self.database.path(), kind)
    }

    fn check_open(&self) -> Result<(), StoreError> {
        if self.has_failed.load(Ordering::Acquire) {
            return Err(self.error(StoreErrorKind::Closed));
        }
        Ok(())
    }

    /// After an error from writing, nothing more is kept.
    fn note<T>(&mut self, done: Result<T, StoreError>) -> Result<T, StoreError> {
        if done.is_err() {
            *self.has_failed.get_mut() = true;
        }
        done
    }

    fn check_lengths(&self, origin: &str, site: &KeptSite) -> Result<(), StoreError> {
        let bytes = origin.len();
        if bytes > MAX_KEPT_ORIGIN {
            return Err(self.error(StoreErrorKind::OriginTooLong { bytes }));
        }
        let texts = [&site.etag, &site.last_modified, &site.validated_url];
        for text in texts.into_iter().flatten() {
            let bytes = text.len();
            if bytes > MAX_KEPT_VALIDATOR {
                return Err(self.error(StoreErrorKind::ValidatorTooLong { bytes }));
            }
        }
        Ok(())
    }

    /// The name of a body, under which a site has it.
    fn name(&self, site: &KeptSite, body: &[u8]) -> Result<BodyKey, StoreError> {
        let bytes = body.len();
        let too_long = |limit| self.error(StoreErrorKind::BodyTooLong { bytes, limit });
        // Nothing is longer, so it need not be hashed.
        if bytes > MAX_KEPT_BODY.max(MAX_TDMREP_BYTES) {
            return Err(too_long(MAX_KEPT_BODY));
        }
        let key = BodyKey::of(body);
        let limit = if site.robots() == Some(key) {
            MAX_KEPT_BODY
        } else if site.tdmrep == Some(key) {
            MAX_TDMREP_BYTES
        } else {
            return Err(self.error(StoreErrorKind::BodyNotNamed { key }));
        };
        if bytes > limit {
            return Err(too_long(limit));
        }
        Ok(key)
    }

    fn has_body(&self, key: BodyKey) -> Result<bool, StoreError> {
        if self.waiting().body(key).is_some() {
            return Ok(true);
        }
        self.database.run(|database| {
            let bodies = database.begin_read()?.open_table(BODIES)?;
            Ok(bodies.get(key.as_bytes())?.is_some())
        })
    }
}

impl Drop for DiskStore {
    fn drop(&mut self) {
        if !thread::panicking() {
            // Who wants to know whether it could be written commits before.
            let _ = self.commit();
        }
    }
}
