//! The store on disk.

use super::current_file::CurrentFile;
use super::encoding::{EncodedRecord, decode_record};
use super::error::{StoreError, StoreWarning};
use super::pending::Pending;
use super::record::OriginRecord;
use robots_policy::origins::Origin;
use std::borrow::Borrow as _;
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};
use std::thread;

/// The maximum number of bytes of changes that wait for a commit: 16 MiB.
const MAX_PENDING_BYTES: usize = 16 << 20;

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
/// that. The read that finds it later is an error of [`get`](Self::get). A part of the file that the disk cannot read (`EIO`) is
/// damage, too. Up to [`MAX_SET_ASIDE`](super::MAX_SET_ASIDE) renamed files are kept; past that, the oldest one is removed.
///
/// # Other failures
///
/// After a failed write, for example on a full disk, the file is opened again at once for reading. Changes fail for a pause
/// ([`StoreErrorKind::Closed`](super::StoreErrorKind::Closed)); the first one after it writes the changes of the failed commit, too.
/// If the disk is still full, the next pause is twice as long, from [`MIN_REOPEN_PAUSE`](super::MIN_REOPEN_PAUSE) to
/// [`MAX_REOPEN_PAUSE`](super::MAX_REOPEN_PAUSE). [`commit`](Self::commit) and dropping the store do not wait for its end. Changes that
/// failed in a pause are not stored later.
#[derive(Debug)]
pub struct DiskStore {
    file: CurrentFile,
    pending: RwLock<Pending>,
    /// Held while a commit is written.
    commit: Mutex<()>,
    commit_every: usize,
}

impl DiskStore {
    /// Opens or creates the store in this file. Its directory must exist.
    ///
    /// A damaged file, or one in another version of the format, is renamed to `NAME.damaged-1` (or another number up to
    /// [`MAX_SET_ASIDE`](super::MAX_SET_ASIDE)), and a new store is begun: see [`warning`](Self::warning).
    ///
    /// # Errors
    ///
    /// If the store is open already, the file is not a store, or it cannot be read and written.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, StoreError> {
        CurrentFile::open(path.as_ref()).map(Self::with_file)
    }

    /// Opens a store that exists, for a caller that only reads from it: a file that is missing, empty, damaged, or in another
    /// version of the format is an error, and stays as it is. So does a file in which later reads find damage. The file is opened
    /// for writing, too, as that locks it.
    ///
    /// # Errors
    ///
    /// Those of [`open`](Self::open), and these.
    pub fn open_existing(path: impl AsRef<Path>) -> Result<Self, StoreError> {
        CurrentFile::open_existing(path.as_ref()).map(Self::with_file)
    }

    fn with_file(file: CurrentFile) -> Self {
        Self {
            file,
            pending: RwLock::default(),
            commit: Mutex::default(),
            commit_every: 1,
        }
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
        self.file.path()
    }

    /// Returns the first warning since the store was opened, which the caller should report.
    pub fn warning(&self) -> Option<&StoreWarning> {
        self.file.warning()
    }

    /// Returns the record of an origin; `None` if there is none.
    ///
    /// # Errors
    ///
    /// If the record is damaged, or the file cannot be read.
    pub fn get(&self, origin: &Origin) -> Result<Option<OriginRecord>, StoreError> {
        let origin: &str = origin.borrow();
        let damaged = || StoreError::damaged_record(self.path(), origin);
        if let Some(change) = self.pending().change(origin) {
            let record = change.as_ref();
            return record
                .map(|record| record.decode(origin).ok_or_else(damaged))
                .transpose();
        }
        // A change that is not pending any more is in the tables by now.
        let record = self.file.read(|tables| {
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

    /// Stores the record of an origin, in place of an earlier one.
    ///
    /// # Errors
    ///
    /// If the file cannot be written: the record may be stored or not, and later changes fail for a pause.
    pub fn put(&self, origin: &Origin, record: &OriginRecord) -> Result<(), StoreError> {
        let origin: &str = origin.borrow();
        let record = EncodedRecord::new(origin, record);
        // Not expected, as every record can be encoded.
        let record = record.map_err(|error| StoreError::damaged(self.path(), error))?;
        self.change(origin, Some(record))
    }

    /// Forgets an origin.
    ///
    /// # Errors
    ///
    /// If the file cannot be written: later changes fail for a pause.
    pub fn forget(&self, origin: &Origin) -> Result<(), StoreError> {
        self.change(origin.borrow(), None)
    }

    /// Adds a change to the next commit, and commits if that is due.
    fn change(&self, origin: &str, record: Option<EncodedRecord>) -> Result<(), StoreError> {
        self.file.check_pause()?;
        let is_due = |pending: &Pending| pending.is_due(self.commit_every, MAX_PENDING_BYTES);
        let is_due_now = {
            let mut pending = self.pending_mut();
            pending.add(origin, record);
            is_due(&pending)
        };
        if !is_due_now {
            return Ok(());
        }
        // Waits for an earlier commit, which may have written the change, or have failed.
        let guard = self.lock_commit();
        self.file.check_pause()?;
        self.write_pending(&guard, is_due)
    }

    /// Makes all earlier changes durable.
    ///
    /// # Errors
    ///
    /// If the file cannot be written: later changes fail for a pause. A further call tries again at once.
    pub fn commit(&self) -> Result<(), StoreError> {
        let guard = self.lock_commit();
        self.write_pending(&guard, |_| true)
    }

    /// Writes the pending changes in one commit, if they are due.
    fn write_pending(
        &self,
        _guard: &MutexGuard<'_, ()>,
        is_due: impl FnOnce(&Pending) -> bool,
    ) -> Result<(), StoreError> {
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
        let written = self.file.write(|tables| tables.write(&records));
        drop(records);
        let mut pending = self.pending_mut();
        if written.is_ok() {
            pending.done();
        } else {
            pending.take_back();
        }
        written
    }

    fn lock_commit(&self) -> MutexGuard<'_, ()> {
        // The lock has no data, so a thread that panicked while it held the lock has left nothing invalid.
        self.commit.lock().unwrap_or_else(PoisonError::into_inner)
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
        self.file.read(|tables| {
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
        self.file.compact()
    }

    fn pending(&self) -> RwLockReadGuard<'_, Pending> {
        // A panic cannot leave it half changed.
        self.pending.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn pending_mut(&self) -> RwLockWriteGuard<'_, Pending> {
        self.pending.write().unwrap_or_else(PoisonError::into_inner)
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
