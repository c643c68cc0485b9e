//! The store on disk.

use super::blocks::Blocks;
use super::encoding::{EncodedRecord, decode_record};
use super::error::{StoreError, StoreErrorKind, StoreWarning};
use super::file::{StoreFile, finish, sync_directory};
use super::pending::Pending;
use super::record::OriginRecord;
use super::tables::Tables;
use redb::Database;
use robots_policy::origins::Origin;
use std::borrow::Borrow as _;
use std::ffi::OsString;
use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};
use std::thread;

/// The maximum number of bytes of changes that wait for a commit: 16 MiB.
const MAX_PENDING_BYTES: usize = 16 << 20;

/// The size of redb's cache in memory: 128 MiB. The operating system caches the rest.
const CACHE_BYTES: usize = 128 << 20;

/// A store of facts about origins, in one file.
///
/// One process at a time has it open; the threads of that process share it. Reads do not wait for a
/// commit. Equal files of many origins are stored once. A look-up takes time logarithmic in the number of
/// origins. Opening reads a small part of the file, whatever its size.
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
/// The store is a cache: its facts can be requested again. Each read compares the checksums of what it reads. When it finds
/// damage, when the store is opened or later, the file is renamed, a new one is created, and [`warning`](Self::warning) reports
/// that. The read that finds it later is an error of [`get`](Self::get).
#[derive(Debug)]
pub struct DiskStore {
    path: PathBuf,
    opened: RwLock<Arc<OpenFile>>,
    pending: RwLock<Pending>,
    /// Held while a commit is written.
    commit: Mutex<()>,
    commit_every: usize,
    /// Set when a commit could not be written. Its changes can still be read.
    has_failed: AtomicBool,
    warning: OnceLock<StoreWarning>,
}

/// The file of a store, and its tables.
#[derive(Debug)]
struct OpenFile {
    tables: Tables,
    blocks: Blocks,
}

impl OpenFile {
    fn new(path: &Path) -> Result<Self, StoreError> {
        let of_redb = |error| StoreError::of_redb(path, error);
        match StoreFile::open(path)? {
            StoreFile::New(blocks) => {
                let database = open_database(path, blocks.clone())?;
                let tables = Tables::create(database).map_err(of_redb)?;
                finish(&blocks, path).map_err(|error| StoreError::io(path, error))?;
                Ok(Self { tables, blocks })
            }
            StoreFile::Store { blocks, must_check } => {
                let mut database = open_database(path, blocks.clone())?;
                let tables = without_panic(path, move || {
                    if must_check {
                        database.check_integrity()?;
                    }
                    Tables::open(database)
                })?;
                Ok(Self { tables, blocks })
            }
        }
    }
}

impl Drop for OpenFile {
    fn drop(&mut self) {
        // redb does not mark the file as closed, so that each opening is the same.
        self.blocks.stop_writing();
    }
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
        let warning = OnceLock::new();
        let opened = match OpenFile::new(path) {
            Err(cause) if cause.is_replaceable() => Self::begin_anew(path, cause, &warning)?,
            opened => opened?,
        };
        Ok(Self {
            path: path.to_owned(),
            opened: RwLock::new(Arc::new(opened)),
            pending: RwLock::default(),
            commit: Mutex::default(),
            commit_every: 1,
            has_failed: AtomicBool::new(false),
            warning,
        })
    }

    /// Renames a file that cannot be used, and creates a new one.
    fn begin_anew(
        path: &Path,
        cause: StoreError,
        warning: &OnceLock<StoreWarning>,
    ) -> Result<OpenFile, StoreError> {
        let aside = set_aside(path).map_err(|error| StoreError::io(path, error))?;
        // The first warning is kept.
        let _ = warning.set(StoreWarning::SetAside { path: aside, cause });
        OpenFile::new(path)
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

    /// Returns the first warning since the store was opened, which the caller should report.
    pub fn warning(&self) -> Option<&StoreWarning> {
        self.warning.get()
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
        let record = self.in_tables(|tables| {
            let snapshot = tables.snapshot()?;
            let Some(record) = snapshot.record(origin)? else {
                return Ok(None);
            };
            let decoded = decode_record(origin, record.value(), |key| snapshot.body(key))?;
            Ok(Some(decoded))
        });
        match record {
            Ok(record) => record.map(|record| record.ok_or_else(damaged)).transpose(),
            Err(error) if error.is_damage() => Err(damaged()),
            Err(error) => Err(error),
        }
    }

    /// Works on the tables. If it finds the file damaged, a new one takes its place.
    fn in_tables<T>(
        &self,
        work: impl FnOnce(&Tables) -> Result<T, redb::Error>,
    ) -> Result<T, StoreError> {
        let opened = self.opened();
        let result = without_panic(&self.path, || work(&opened.tables));
        if let Err(error) = &result
            && error.is_damage()
        {
            self.replace(&opened, error.again())?;
        }
        result
    }

    /// Renames the file, which is damaged, and begins a new one, unless another thread has done so.
    fn replace(&self, damaged: &Arc<OpenFile>, cause: StoreError) -> Result<(), StoreError> {
        let opened = self.opened.write();
        // A panic cannot leave it half changed.
        let mut opened = opened.unwrap_or_else(PoisonError::into_inner);
        if Arc::ptr_eq(&opened, damaged) {
            damaged.blocks.stop_writing();
            *opened = Arc::new(Self::begin_anew(&self.path, cause, &self.warning)?);
        }
        Ok(())
    }

    fn opened(&self) -> Arc<OpenFile> {
        let opened = self.opened.read();
        Arc::clone(&opened.unwrap_or_else(PoisonError::into_inner))
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
        let write = || self.in_tables(|tables| tables.write(&records));
        let mut written = write();
        if written.as_ref().is_err_and(StoreError::is_damage) {
            // To the file that has taken the place of the damaged one.
            written = write();
        }
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
        self.in_tables(|tables| {
            let snapshot = tables.snapshot()?;
            let mut count = snapshot.origins()?;
            for (origin, will_be_stored) in pending.origins() {
                count = match (snapshot.record(origin)?.is_some(), will_be_stored) {
                    (false, true) => count.saturating_add(1),
                    (true, false) => count.saturating_sub(1),
                    _ => count,
                };
            }
            Ok(count)
        })
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
        let opened = self.opened.get_mut();
        let opened = opened.unwrap_or_else(PoisonError::into_inner);
        let Some(opened) = Arc::get_mut(opened) else {
            // Not reached: other references last as long as a call of another thread.
            return Ok(());
        };
        let compacted = without_panic(&self.path, || opened.tables.compact());
        *self.has_failed.get_mut() |= compacted.is_err();
        compacted
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
    }
}

/// Opens the database in a file.
fn open_database(path: &Path, blocks: Blocks) -> Result<Database, StoreError> {
    without_panic(path, || {
        let database = Database::builder()
            .set_cache_size(CACHE_BYTES)
            .create_with_backend(blocks);
        database.map_err(redb::Error::from)
    })
}

/// Returns the result of work of redb. redb panics if blocks do not belong together, for example when a disk has lost a write: this
/// is reported as damage.
fn without_panic<T>(
    path: &Path,
    work: impl FnOnce() -> Result<T, redb::Error>,
) -> Result<T, StoreError> {
    match catch_unwind(AssertUnwindSafe(work)) {
        Ok(result) => result.map_err(|error| StoreError::of_redb(path, error)),
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
