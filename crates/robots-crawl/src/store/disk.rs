//! The store on disk.

use super::encoding::{EncodedRecord, decode_record};
use super::error::{StoreError, StoreErrorKind, StoreWarning};
use super::file::{FileContent, StoreFile, sync_directory};
use super::pending::Pending;
use super::record::OriginRecord;
use super::tables::{Snapshot, Tables};
use redb::Database;
use robots_policy::origins::Origin;
use std::borrow::Borrow as _;
use std::ffi::OsString;
use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};
use std::thread;

/// The maximum number of bytes of changes that wait for a commit: 16 MiB.
const MAX_PENDING_BYTES: usize = 16 << 20;

/// The size of redb's cache in memory: 128 MiB. The operating system caches the rest.
const CACHE_BYTES: usize = 128 << 20;

/// A store of facts about origins, in one file.
///
/// One process at a time has it open; the threads of that process share it. Reads do not wait for a
/// commit. Equal files of many origins are stored once. A look-up takes time logarithmic in the number of
/// origins; opening is linear in the file.
///
/// ```
/// use robots_crawl::DiskStore;
/// use robots_crawl::store::OriginRecord;
/// use robots_policy::origins::OriginChange;
/// use robots_policy::RobotsFetch;
/// use robots_policy::origins::Origin;
///
/// # let directory = tempfile::tempdir()?;
/// # let path = directory.path().join("origins.redb");
/// let store = DiskStore::open(&path)?;
/// let origin = Origin::of("https://example.com/")?;
/// let fetch = RobotsFetch::Body(b"User-agent: *\nDisallow: /private/");
/// let mut record = OriginRecord::default();
/// record.apply(&OriginChange::Robots { fetch, at: None });
/// store.put(&origin, &record)?;
///
/// // After a restart:
/// # drop(store);
/// let store = DiskStore::open(&path)?;
/// assert_eq!(store.get(&origin)?, Some(record));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Durability
///
/// A change is durable after the next commit: it is there after `kill -9` and, as far as the disk
/// obeys fsync, after a power failure. Every change is a commit of its own, unless
/// [`with_commit_every`](Self::with_commit_every) sets something else. Dropping the store commits, too,
/// unless its thread panics, but does not report failures.
///
/// # Damage
///
/// The store is a cache: its facts can be requested again. [`open`](Self::open) reads the whole file and
/// compares its checksums. It renames a damaged file, creates a new one, and
/// [`warning`](Self::warning) reports that. If only the last commit is damaged, redb returns to the one
/// before it. A record that is damaged while the store is open is an error of
/// [`get`](Self::get), until the next change of its origin replaces the record.
#[derive(Debug)]
pub struct DiskStore {
    path: PathBuf,
    file: StoreFile,
    tables: Tables,
    pending: RwLock<Pending>,
    /// Held while a commit is written.
    commit: Mutex<()>,
    commit_every: usize,
    /// Set when a commit could not be written. Its changes can still be read.
    has_failed: AtomicBool,
    warning: Option<StoreWarning>,
}

impl DiskStore {
    /// Opens or creates the store in this file. Its directory must exist.
    ///
    /// A damaged file, or one in another version of the format, is renamed to `NAME.damaged-1` (or the
    /// next free number), and a new store is begun: see [`warning`](Self::warning).
    ///
    /// # Errors
    ///
    /// If the store is open already, the file is not a store, or it cannot be read and written.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, StoreError> {
        let path = path.as_ref();
        match Self::open_file(path) {
            Err(cause) if cause.is_replaceable() => {
                let aside = set_aside(path).map_err(|error| StoreError::io(path, error))?;
                let mut store = Self::open_file(path)?;
                store.warning = Some(StoreWarning::SetAside { path: aside, cause });
                Ok(store)
            }
            opened => opened,
        }
    }

    fn open_file(path: &Path) -> Result<Self, StoreError> {
        let (file, content) = StoreFile::open(path)?;
        if let FileContent::OtherVersion(found) = content {
            let kind = StoreErrorKind::OtherVersion { found };
            return Err(StoreError::new(path, kind));
        }
        let database = open_database(path, file.clone())?;
        let of_redb = |error| StoreError::of_redb(path, error);
        let tables = if content == FileContent::New {
            let tables = Tables::create(database).map_err(of_redb)?;
            file.finish(path)
                .map_err(|error| StoreError::io(path, error))?;
            tables
        } else {
            Tables::open(database).map_err(of_redb)?
        };
        Ok(Self {
            path: path.to_owned(),
            file,
            tables,
            pending: RwLock::default(),
            commit: Mutex::default(),
            commit_every: 1,
            has_failed: AtomicBool::new(false),
            warning: None,
        })
    }

    /// Commits after this many changes, not after each: many times faster, but up to this many changes
    /// are lost if the process dies. [`get`](Self::get) also returns changes that are not committed yet.
    ///
    /// A commit is also due when the waiting changes reach 16 MiB.
    #[must_use]
    pub fn with_commit_every(mut self, changes: usize) -> Self {
        self.commit_every = changes.max(1);
        self
    }

    /// Returns the file of the store.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the warning from opening the store, which the caller should report.
    pub fn warning(&self) -> Option<&StoreWarning> {
        self.warning.as_ref()
    }

    /// Returns the record of an origin; `None` if there is none.
    ///
    /// # Errors
    ///
    /// If the record is damaged, or the file cannot be read.
    pub fn get(&self, origin: &Origin) -> Result<Option<OriginRecord>, StoreError> {
        let origin: &str = origin.borrow();
        let damaged = || StoreError::damaged_record(&self.path, origin);
        if let Some(change) = self.pending().change(origin) {
            let record = change.as_ref();
            return record
                .map(|record| record.decode(origin).ok_or_else(damaged))
                .transpose();
        }
        // A change that is not pending any more is in the tables by now.
        let snapshot = self.snapshot()?;
        let Some(record) = self.of_redb(snapshot.record(origin))? else {
            return Ok(None);
        };
        let body = |key: &_| self.of_redb(snapshot.body(key));
        let record = decode_record(origin, record.value(), body)?;
        record.map(Some).ok_or_else(damaged)
    }

    /// Stores the record of an origin, in place of an earlier one.
    ///
    /// # Errors
    ///
    /// If the file cannot be written: the record may be stored or not, and later changes fail until the store is
    /// opened again.
    pub fn put(&self, origin: &Origin, record: &OriginRecord) -> Result<(), StoreError> {
        let origin: &str = origin.borrow();
        let record = EncodedRecord::new(origin, record);
        // Not expected, as every record can be encoded.
        let record = record.map_err(|error| StoreError::damaged(&self.path, error))?;
        self.change(origin, Some(record))
    }

    /// Forgets an origin.
    ///
    /// # Errors
    ///
    /// If the file cannot be written: later changes fail until the store is opened again.
    pub fn forget(&self, origin: &Origin) -> Result<(), StoreError> {
        self.change(origin.borrow(), None)
    }

    /// Adds a change to the next commit, and commits if that is due.
    fn change(&self, origin: &str, record: Option<EncodedRecord>) -> Result<(), StoreError> {
        self.check_writable()?;
        let is_due = |pending: &Pending| pending.is_due(self.commit_every, MAX_PENDING_BYTES);
        let is_due_now = {
            let mut pending = self.pending_mut();
            pending.add(origin, record);
            is_due(&pending)
        };
        if is_due_now {
            self.commit_if(is_due)?;
        }
        Ok(())
    }

    /// Makes all earlier changes durable.
    ///
    /// # Errors
    ///
    /// If the file cannot be written: later changes fail until the store is opened again.
    pub fn commit(&self) -> Result<(), StoreError> {
        self.commit_if(|_| true)
    }

    /// Waits for an earlier commit to end, and then commits the pending changes if they are still due: the
    /// earlier commit may have written them.
    fn commit_if(&self, is_due: impl FnOnce(&Pending) -> bool) -> Result<(), StoreError> {
        // The lock has no data, so a thread that panicked while it held the lock has left nothing invalid.
        let _guard = self.commit.lock().unwrap_or_else(PoisonError::into_inner);
        self.check_writable()?;
        let records = {
            let mut pending = self.pending_mut();
            if is_due(&pending) {
                pending.start()
            } else {
                None
            }
        };
        let Some(records) = records else {
            return Ok(());
        };
        let written = self.of_redb(self.tables.write(&records));
        if written.is_ok() {
            self.pending_mut().done();
        } else {
            self.has_failed.store(true, Ordering::Release);
        }
        written
    }

    /// Returns the number of origins.
    ///
    /// # Errors
    ///
    /// If the file cannot be read.
    pub fn len(&self) -> Result<u64, StoreError> {
        // The pending changes are read before the tables, so that a change that is committed meanwhile is not missed. If it
        // is in both, it is counted once.
        let pending = self.pending();
        let snapshot = self.snapshot()?;
        let count = || -> Result<u64, redb::StorageError> {
            let mut count = snapshot.origins()?;
            for (origin, will_be_stored) in pending.origins() {
                count = match (snapshot.record(origin)?.is_some(), will_be_stored) {
                    (false, true) => count.saturating_add(1),
                    (true, false) => count.saturating_sub(1),
                    _ => count,
                };
            }
            Ok(count)
        };
        self.of_redb(count())
    }

    /// Returns whether the store is empty.
    ///
    /// # Errors
    ///
    /// If the file cannot be read.
    pub fn is_empty(&self) -> Result<bool, StoreError> {
        Ok(self.len()? == 0)
    }

    /// Makes the file as small as possible. Linear in the file.
    ///
    /// # Errors
    ///
    /// If the file cannot be read and written.
    pub fn compact(&mut self) -> Result<(), StoreError> {
        self.commit()?;
        let compacted = self.tables.compact();
        *self.has_failed.get_mut() |= compacted.is_err();
        self.of_redb(compacted)
    }

    fn snapshot(&self) -> Result<Arc<Snapshot>, StoreError> {
        self.of_redb(self.tables.snapshot())
    }

    fn of_redb<T, E: Into<redb::Error>>(&self, result: Result<T, E>) -> Result<T, StoreError> {
        result.map_err(|error| StoreError::of_redb(&self.path, error.into()))
    }

    fn pending(&self) -> RwLockReadGuard<'_, Pending> {
        // A panic cannot leave it half changed.
        self.pending.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn pending_mut(&self) -> RwLockWriteGuard<'_, Pending> {
        self.pending.write().unwrap_or_else(PoisonError::into_inner)
    }

    fn check_writable(&self) -> Result<(), StoreError> {
        if self.has_failed.load(Ordering::Acquire) {
            return Err(StoreError::new(&self.path, StoreErrorKind::Closed));
        }
        Ok(())
    }
}

impl Drop for DiskStore {
    fn drop(&mut self) {
        if !thread::panicking() {
            // A caller that needs to know about failures calls `commit` first.
            let _ = self.commit();
        }
        // redb must not mark the file as closed, so that the next opening checks it.
        self.file.stop_writing();
    }
}

/// Opens the database in a file. redb panics if the numbers in its header are invalid: this is reported as
/// damage.
fn open_database(path: &Path, file: StoreFile) -> Result<Database, StoreError> {
    let opened = catch_unwind(AssertUnwindSafe(|| {
        Database::builder()
            .set_cache_size(CACHE_BYTES)
            .create_with_backend(file)
    }));
    match opened {
        Ok(Ok(database)) => Ok(database),
        Ok(Err(error)) => Err(StoreError::of_redb(path, error.into())),
        Err(panic) => Err(StoreError::panicked(path, &*panic)),
    }
}

/// Renames a file that cannot be used, and returns its new name.
fn set_aside(path: &Path) -> std::io::Result<PathBuf> {
    let name = |number: u64| {
        let mut name = OsString::from(path);
        name.push(format!(".damaged-{number}"));
        PathBuf::from(name)
    };
    let mut number = 1;
    while name(number).try_exists()? {
        number = number.saturating_add(1);
    }
    let aside = name(number);
    fs::rename(path, &aside)?;
    sync_directory(path)?;
    Ok(aside)
}
