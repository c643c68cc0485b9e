//! The store on disk.

use super::encoding::{VERSION, decode, encode};
use super::error::{StoreError, StoreErrorKind, StoreWarning};
use super::record::{FileBytes, OriginRecord};
use robots_policy::origins::Origin;
use robots_policy::robots::OutcomeLog;
use rusqlite::{Connection, OpenFlags, OptionalExtension as _, TransactionBehavior, params};
use sha2::{Digest as _, Sha256};
use std::borrow::Borrow as _;
use std::ffi::OsString;
#[cfg(unix)]
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf, absolute};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, SystemTime};
use std::{fs, io};

/// The maximum number of damaged files that are kept next to a store: `NAME.damaged-1` to `NAME.damaged-3`.
pub const MAX_SET_ASIDE: usize = 3;

/// The longest wait for another process that writes.
const BUSY_TIMEOUT: Duration = Duration::from_secs(10);

/// The `application_id` of a store: "robo".
const APPLICATION_ID: i32 = i32::from_be_bytes(*b"robo");

/// A connection waits for the disk when the log is copied into the file, and not for each change.
const SETTINGS: &str = "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;";

/// Creates the tables. Bodies are stored once for all origins that have them: those of a record under one digest.
const SCHEMA: &str = "
    CREATE TABLE IF NOT EXISTS origins (origin TEXT PRIMARY KEY, record BLOB NOT NULL, digest BLOB NOT NULL) WITHOUT ROWID;
    CREATE INDEX IF NOT EXISTS origins_of_bodies ON origins (digest);
    CREATE TABLE IF NOT EXISTS bodies (digest BLOB PRIMARY KEY, bodies BLOB NOT NULL);
    CREATE TRIGGER IF NOT EXISTS unused_bodies AFTER UPDATE OF digest ON origins
        WHEN old.digest <> new.digest AND NOT EXISTS (SELECT 1 FROM origins WHERE digest = old.digest)
        BEGIN DELETE FROM bodies WHERE digest = old.digest; END;";

const READ: &str =
    "SELECT record, digest, bodies FROM origins LEFT JOIN bodies USING (digest) WHERE origin = ?1";

/// Bodies that were damaged are replaced.
const WRITE_BODIES: &str = "INSERT INTO bodies VALUES (?1, ?2)
    ON CONFLICT (digest) DO UPDATE SET bodies = excluded.bodies WHERE bodies <> excluded.bodies";

const WRITE_RECORD: &str = "INSERT INTO origins VALUES (?1, ?2, ?3)
    ON CONFLICT (origin) DO UPDATE SET record = excluded.record, digest = excluded.digest";

/// A store of facts about origins, in one SQLite file.
///
/// Several processes, and the threads of each, may share it. Reads do not wait for another process that writes. Equal files of many
/// origins are stored once. A look-up takes time logarithmic in the number of origins. Opening reads a small part of the file,
/// whatever its size.
///
/// ```
/// use robots_crawl::DiskStore;
/// use robots_crawl::store::OriginRecord;
/// use robots_policy::RobotsFetch;
/// use robots_policy::origins::Origin;
///
/// # let directory = tempfile::tempdir()?;
/// # let path = directory.path().join("origins.sqlite");
/// let store = DiskStore::open(&path)?;
/// let origin = Origin::of("https://example.com/")?;
/// let mut record = OriginRecord::default();
/// record.add_outcome(RobotsFetch::Body(b"User-agent: *\nDisallow: /private/"), None);
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
/// A change is there after `kill -9`. A power failure may undo the last changes, but does not damage the file, as far as the disk
/// obeys fsync. While the store is open, the last changes are in the files `NAME-wal` and `NAME-shm` next to it.
///
/// # Damage
///
/// The store is a cache: its facts can be requested again. When SQLite finds damage, when the store is opened or later, the file is
/// renamed, a new one is created, and [`warning`](Self::warning) reports that. Up to [`MAX_SET_ASIDE`] renamed files are kept; past
/// that, the oldest one is removed. Another process that has the file open continues with the renamed one.
///
/// Records and bodies have checksums. One that does not match is an error of [`get`](Self::get), and can be replaced.
#[derive(Debug)]
pub struct DiskStore {
    path: PathBuf,
    /// The connection that reads: it does not wait for the one that writes.
    reader: Mutex<OpenFile>,
    writer: Mutex<OpenFile>,
    replaces_damaged: bool,
    warning: OnceLock<StoreWarning>,
    /// The turns of async code: at most one thread waits for each connection, so that others stay free for other work.
    #[cfg(feature = "fetch")]
    turns: asynchronous::Turns,
}

/// A file while it is open.
#[derive(Debug)]
struct OpenFile {
    connection: Connection,
    file: Option<FileId>,
}

/// The identity of a file, which distinguishes it from one that has replaced it at its path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct FileId {
    /// The time of its creation, if the system has it.
    created: Option<SystemTime>,
    #[cfg(unix)]
    inode: u64,
}

impl FileId {
    /// Returns the identity of the file at a path, if there is one.
    fn of(path: &Path) -> Option<Self> {
        let file = fs::metadata(path).ok()?;
        Some(Self {
            created: file.created().ok(),
            #[cfg(unix)]
            inode: file.ino(),
        })
    }
}

/// The facts in a record without its bodies.
type RecordWithoutBodies = (
    OutcomeLog<()>,
    Option<()>,
    crate::next_request::NextRequest,
    super::record::SuccessUrl,
);

impl DiskStore {
    /// Opens or creates the store in this file. Its directory must exist.
    ///
    /// A damaged file, or one in another version of the format, is renamed to `NAME.damaged-1` (or another number up to
    /// [`MAX_SET_ASIDE`]), and a new store is begun: see [`warning`](Self::warning).
    ///
    /// # Errors
    ///
    /// If the file is not a store, or it cannot be read and written.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, StoreError> {
        let path = absolute(&path).map_err(|error| StoreError::io(path.as_ref(), error))?;
        let warning = OnceLock::new();
        let file = FileId::of(&path);
        let open = match OpenFile::open(&path, OpenFlags::SQLITE_OPEN_CREATE) {
            Err(cause) if cause.is_replaceable() => begin_anew(&path, file, cause, &warning),
            open => open,
        };
        let (writer, reader) = (open?, OpenFile::open(&path, OpenFlags::SQLITE_OPEN_CREATE)?);
        Ok(Self {
            replaces_damaged: true,
            warning,
            ..Self::of(path, reader, writer)
        })
    }

    fn of(path: PathBuf, reader: OpenFile, writer: OpenFile) -> Self {
        Self {
            path,
            reader: Mutex::new(reader),
            writer: Mutex::new(writer),
            replaces_damaged: false,
            warning: OnceLock::new(),
            #[cfg(feature = "fetch")]
            turns: asynchronous::Turns::default(),
        }
    }

    /// Opens a store that exists, for a caller that only reads from it: a file that is missing, empty, damaged, or in another
    /// version of the format is an error, and stays as it is. So does a file in which later reads find damage.
    ///
    /// # Errors
    ///
    /// Those of [`open`](Self::open), and these.
    pub fn open_existing(path: impl AsRef<Path>) -> Result<Self, StoreError> {
        let path = absolute(&path).map_err(|error| StoreError::io(path.as_ref(), error))?;
        let open = || OpenFile::open(&path, OpenFlags::empty());
        let (reader, writer) = (open()?, open()?);
        Ok(Self::of(path, reader, writer))
    }

    /// Returns the file of the store, as an absolute path.
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
        let row = self.run(&self.reader, |connection| Row::read(connection, origin))?;
        row.map(|row| {
            row.decode(origin).ok_or_else(|| {
                let origin = Some(origin.to_owned());
                StoreError::new(&self.path, StoreErrorKind::Damaged { origin })
            })
        })
        .transpose()
    }

    /// Stores the record of an origin, in place of an earlier one.
    ///
    /// # Errors
    ///
    /// If the file cannot be written.
    pub fn put(&self, origin: &Origin, record: &OriginRecord) -> Result<(), StoreError> {
        self.put_with(origin, |_| Some(record.clone()))
    }

    /// Stores the record of an origin that is made from the stored one, if there is one. `None` leaves that as it is.
    fn put_with(
        &self,
        origin: &Origin,
        record: impl Fn(Option<OriginRecord>) -> Option<OriginRecord>,
    ) -> Result<(), StoreError> {
        let origin: &str = origin.borrow();
        let written = self.run(&self.writer, |connection| {
            let write = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
            let stored = Row::read(&write, origin)?.and_then(|row| row.decode(origin));
            let Some(record) = record(stored) else {
                return Ok(Ok(()));
            };
            let row = match Row::encode(origin, &record) {
                Ok(row) => row,
                Err(error) => return Ok(Err(error)),
            };
            write.execute(WRITE_BODIES, params![row.digest, row.bodies])?;
            write.execute(WRITE_RECORD, params![origin, row.record, row.digest])?;
            write.commit().map(Ok)
        })?;
        // Not expected to fail, as every record can be encoded.
        written.map_err(|error| StoreError::io(&self.path, io::Error::other(error)))
    }

    /// Returns the number of origins. Linear in the file.
    ///
    /// # Errors
    ///
    /// If the file cannot be read.
    pub fn origins(&self) -> Result<u64, StoreError> {
        let count = self.run(&self.reader, |connection| {
            connection.query_row("SELECT count(*) FROM origins", [], |row| row.get(0))
        });
        count.map(|count: i64| count.unsigned_abs())
    }

    /// Works on the file by one of the connections. If it is damaged, it is replaced, and the work is done on a new one.
    fn run<T>(
        &self,
        connection: &Mutex<OpenFile>,
        work: impl Fn(&mut Connection) -> rusqlite::Result<T>,
    ) -> Result<T, StoreError> {
        let run = || {
            let mut open = lock(connection);
            let result = work(&mut open.connection);
            result.map_err(|error| (StoreError::of_sqlite(&self.path, error), open.file))
        };
        match run() {
            Err((cause, file)) if cause.is_replaceable() && self.replaces_damaged => {
                self.replace_file(file, cause)?;
                run().map_err(|(error, _)| error)
            }
            result => result.map_err(|(error, _)| error),
        }
    }

    /// Replaces the damaged file, unless that has been done, and opens the new one.
    fn replace_file(&self, file: Option<FileId>, cause: StoreError) -> Result<(), StoreError> {
        // Always in this order.
        let (mut writer, mut reader) = (lock(&self.writer), lock(&self.reader));
        // Closed before the file is renamed.
        for open in [&mut writer, &mut reader] {
            let closed = Connection::open_in_memory();
            open.connection = closed.map_err(|error| StoreError::of_sqlite(&self.path, error))?;
        }
        *writer = begin_anew(&self.path, file, cause, &self.warning)?;
        *reader = OpenFile::open(&self.path, OpenFlags::SQLITE_OPEN_CREATE)?;
        Ok(())
    }
}

/// Locks a connection. Of a thread that panicked, it has undone the transaction.
fn lock(connection: &Mutex<OpenFile>) -> MutexGuard<'_, OpenFile> {
    connection.lock().unwrap_or_else(PoisonError::into_inner)
}

impl OpenFile {
    /// Opens a file for reading and writing.
    fn open(path: &Path, flags: OpenFlags) -> Result<Self, StoreError> {
        let failed = |error| StoreError::of_sqlite(path, error);
        let may_create = flags.contains(OpenFlags::SQLITE_OPEN_CREATE);
        let flags = flags | OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let mut connection = Connection::open_with_flags(path, flags).map_err(failed)?;
        connection.busy_timeout(BUSY_TIMEOUT).map_err(failed)?;
        match numbers(&mut connection).map_err(failed)? {
            (APPLICATION_ID, found, _) if found == i32::from(VERSION) => {}
            (APPLICATION_ID, found, _) => {
                return Err(StoreError::new(
                    path,
                    StoreErrorKind::OtherVersion { found },
                ));
            }
            (0, 0, 0) if may_create => {
                create(&mut connection).map_err(failed)?;
            }
            _ => return Err(StoreError::new(path, StoreErrorKind::NotAStore)),
        }
        connection.execute_batch(SETTINGS).map_err(failed)?;
        Ok(Self {
            connection,
            file: FileId::of(path),
        })
    }
}

/// Returns the identifier of the application, the version and the number of pages, of one moment: another process may be creating
/// the tables.
fn numbers(connection: &mut Connection) -> rusqlite::Result<(i32, i32, i32)> {
    let read = connection.transaction()?;
    let number = |name| read.pragma_query_value(None, name, |row| row.get(0));
    Ok((
        number("application_id")?,
        number("user_version")?,
        number("page_count")?,
    ))
}

/// Creates the tables in an empty file, unless another process has done so.
fn create(connection: &mut Connection) -> rusqlite::Result<()> {
    let write = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    write.execute_batch(SCHEMA)?;
    write.pragma_update(None, "application_id", APPLICATION_ID)?;
    write.pragma_update(None, "user_version", VERSION)?;
    write.commit()
}

/// Renames a file that cannot be used, and creates a new one. If another process has replaced the file, it opens that one.
fn begin_anew(
    path: &Path,
    file: Option<FileId>,
    cause: StoreError,
    warning: &OnceLock<StoreWarning>,
) -> Result<OpenFile, StoreError> {
    if FileId::of(path) == file {
        let aside = set_aside(path).map_err(|error| StoreError::io(path, error))?;
        // The first warning is kept.
        let _ = warning.set(StoreWarning { aside, cause });
    }
    OpenFile::open(path, OpenFlags::SQLITE_OPEN_CREATE)
}

/// Renames a file, and returns its new name: the first free one, or else that of the file that was written first, which is removed.
/// Its log is renamed, too.
fn set_aside(path: &Path) -> io::Result<PathBuf> {
    let mut asides = Vec::new();
    for number in 1..=MAX_SET_ASIDE {
        let aside = with_suffix(path, &format!(".damaged-{number}"));
        let written = fs::metadata(&aside).and_then(|file| file.modified());
        asides.push((written.ok(), aside));
    }
    // That of a file that does not exist is `None`, the earliest time.
    asides.sort_by_key(|(written, _)| *written);
    let (_, aside) = asides.swap_remove(0);
    fs::rename(path, &aside)?;
    // There may be no log. A log of another file must not stay.
    let log = with_suffix(&aside, "-wal");
    fs::remove_file(&log).ok();
    fs::rename(with_suffix(path, "-wal"), log).ok();
    fs::remove_file(with_suffix(path, "-shm")).ok();
    Ok(aside)
}

fn with_suffix(path: &Path, suffix: &str) -> PathBuf {
    let mut name = OsString::from(path);
    name.push(suffix);
    name.into()
}

/// A record as it is stored, and its bodies.
struct Row {
    record: Vec<u8>,
    /// The first 128 bits of the SHA-256 of the bodies. Servers choose them, so the hash must resist attacks: with a weak one, a
    /// server could send a body that takes the place of another server's.
    digest: Vec<u8>,
    bodies: Option<Vec<u8>>,
}

impl Row {
    fn read(connection: &Connection, origin: &str) -> rusqlite::Result<Option<Self>> {
        let read = connection.query_row(READ, [origin], |row| {
            Ok(Self {
                record: row.get(0)?,
                digest: row.get(1)?,
                bodies: row.get(2)?,
            })
        });
        read.optional()
    }

    fn encode(origin: &str, record: &OriginRecord) -> Result<Self, postcard::Error> {
        let bodies: Vec<&FileBytes> = record.outcomes.bodies().chain(&record.tdmrep).collect();
        let bodies = postcard::to_stdvec(&bodies)?;
        let content = (
            record.outcomes.map_bodies(|_| ()),
            record.tdmrep.as_ref().map(|_| ()),
            &record.next,
            &record.success_url,
        );
        Ok(Self {
            record: encode(origin, &content)?,
            digest: digest(&bodies),
            bodies: Some(bodies),
        })
    }

    /// Decodes the record; `None` if it is damaged.
    fn decode(&self, origin: &str) -> Option<OriginRecord> {
        let (outcomes, tdmrep, next, success_url): RecordWithoutBodies =
            decode(origin, &self.record)?;
        let bodies = self.bodies.as_ref()?;
        let bodies = (digest(bodies) == self.digest).then_some(bodies)?;
        let bodies: Vec<FileBytes> = postcard::from_bytes(bodies).ok()?;
        let count = outcomes.bodies().chain(&tdmrep).count();
        let mut bodies = (bodies.len() == count).then_some(bodies)?.into_iter();
        Some(OriginRecord {
            outcomes: outcomes.map_bodies(|()| bodies.next().unwrap_or_default()),
            tdmrep: tdmrep.and_then(|()| bodies.next()),
            next,
            success_url,
        })
    }
}

fn digest(bodies: &[u8]) -> Vec<u8> {
    Sha256::digest(bodies)[..16].to_vec()
}

#[cfg(feature = "fetch")]
mod asynchronous {
    //! The store for async code: it works on threads that may block.

    use super::{DiskStore, OriginRecord, StoreError};
    use robots_meta::Timestamp;
    use robots_policy::origins::Origin;
    use std::sync::Arc;
    use tokio::sync::Mutex;
    use tokio::task::spawn_blocking;

    /// The turns of the tasks that read and of those that write. The thread that works for a task holds its turn, also when the task
    /// has been cancelled.
    #[derive(Debug, Default)]
    pub(super) struct Turns {
        read: Arc<Mutex<()>>,
        write: Arc<Mutex<()>>,
    }

    impl DiskStore {
        /// Returns the record of an origin: [`get`](Self::get).
        pub(crate) async fn record(
            self: &Arc<Self>,
            origin: &Origin,
        ) -> Result<Option<OriginRecord>, StoreError> {
            let (store, origin) = (Arc::clone(self), origin.clone());
            let turn = Arc::clone(&self.turns.read).lock_owned().await;
            let reading = spawn_blocking(move || {
                let _turn = turn;
                store.get(&origin)
            });
            // The task does not panic, and is cancelled only with the runtime.
            reading.await.unwrap_or(Ok(None))
        }

        /// Writes the record of an origin, which was made from `before`. Newer facts of the store stay
        /// ([`OriginRecord::merged`]).
        pub(crate) async fn replace(
            self: &Arc<Self>,
            origin: &Origin,
            before: &OriginRecord,
            record: &OriginRecord,
            now: Timestamp,
        ) -> Result<(), StoreError> {
            let (store, origin) = (Arc::clone(self), origin.clone());
            let (before, record) = (before.clone(), record.clone());
            let turn = Arc::clone(&self.turns.write).lock_owned().await;
            let writing = spawn_blocking(move || {
                let _turn = turn;
                store.put_with(&origin, |stored| match stored {
                    Some(stored) => record.merged(&before, stored, now),
                    None => Some(record.clone()),
                })
            });
            writing.await.unwrap_or(Ok(()))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::File;

    #[test]
    fn a_store_that_replaced_the_damaged_file_is_opened() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("origins");
        fs::write(&path, "").unwrap();
        let damaged = FileId::of(&path);
        let found = || StoreError::new(&path, StoreErrorKind::Damaged { origin: None });
        // Two processes have found the damage.
        let warnings = [OnceLock::new(), OnceLock::new()];
        let open = warnings
            .each_ref()
            .map(|warning| begin_anew(&path, damaged, found(), warning).unwrap());
        assert_eq!(open[0].file, open[1].file);
        assert!(warnings[0].get().is_some() && warnings[1].get().is_none());
        assert!(!with_suffix(&path, ".damaged-2").exists());
    }

    #[test]
    fn the_file_that_was_written_first_is_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("origins");
        let start = SystemTime::now() - Duration::from_secs(1_000);
        let mut names = Vec::new();
        // The times when the files were written, in seconds: the second one is the oldest.
        for seconds in [20, 10, 30, 40, 50] {
            let file = File::create(&path).unwrap();
            let written = start + Duration::from_secs(seconds);
            file.set_modified(written).unwrap();
            let name = set_aside(&path).unwrap();
            assert_eq!(fs::metadata(&name).unwrap().modified().unwrap(), written);
            assert!(!path.exists());
            let name = name.extension().unwrap().to_str().unwrap().to_owned();
            names.push(name);
        }
        let expected = ["1", "2", "3", "2", "1"].map(|number| format!("damaged-{number}"));
        assert_eq!(names, expected);
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), MAX_SET_ASIDE);
    }
}
