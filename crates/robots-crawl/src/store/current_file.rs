//! The present file of a store. After a failure, it is replaced or opened again.

use super::error::{StoreError, StoreErrorKind, StoreWarning};
use super::file::Opening;
use super::open_file::OpenFile;
use super::set_aside::set_aside;
use super::tables::Tables;
use std::path::{Path, PathBuf};
use std::sync::{
    Mutex, MutexGuard, OnceLock, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard,
};
use std::time::{Duration, Instant};

/// The pause after the first failure of a store on disk, such as a full disk: one second. It doubles with each further failure, up to
/// [`MAX_REOPEN_PAUSE`].
pub const MIN_REOPEN_PAUSE: Duration = Duration::from_secs(1);

/// The longest pause after a failure of a store on disk: one minute. So the store works again at most a minute after its disk does.
pub const MAX_REOPEN_PAUSE: Duration = Duration::from_secs(60);

/// The file of a store, which takes a new one after damage, and is opened again after other failures.
#[derive(Debug)]
pub(super) struct CurrentFile {
    path: PathBuf,
    /// Whether a damaged file is set aside, and a new one takes its place.
    replaces_damaged: bool,
    slot: RwLock<Slot>,
    pause: Mutex<Pause>,
    warning: OnceLock<StoreWarning>,
}

#[derive(Debug)]
struct Slot {
    /// `None` if it could not be opened again.
    file: Option<OpenFile>,
    /// The number of times that a file was opened, by which threads see that another one has opened it.
    opened: u64,
}

/// A failed attempt: the file that it used, and the error.
struct Failed {
    opened: u64,
    error: StoreError,
}

impl CurrentFile {
    /// Opens or creates the file. One that is damaged is set aside.
    pub(super) fn open(path: &Path) -> Result<Self, StoreError> {
        let warning = OnceLock::new();
        let file = open_or_begin_anew(path, &warning)?;
        Ok(Self::new(path, file, true, warning))
    }

    /// Opens a file that exists. Damage is an error, and the file stays where it is.
    pub(super) fn open_existing(path: &Path) -> Result<Self, StoreError> {
        let file = OpenFile::open(path, Opening::Existing)?;
        Ok(Self::new(path, file, false, OnceLock::new()))
    }

    fn new(
        path: &Path,
        file: OpenFile,
        replaces_damaged: bool,
        warning: OnceLock<StoreWarning>,
    ) -> Self {
        Self {
            path: path.to_owned(),
            replaces_damaged,
            slot: RwLock::new(Slot {
                file: Some(file),
                opened: 0,
            }),
            pause: Mutex::default(),
            warning,
        }
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the first warning since the store was opened.
    pub(super) fn warning(&self) -> Option<&StoreWarning> {
        self.warning.get()
    }

    /// Reads from the tables. If the file is found to be damaged, that is the error, and a new file takes its place. If another
    /// thread's failure has closed it, it is opened again and read.
    pub(super) fn read<T>(
        &self,
        work: impl Fn(&Tables) -> Result<T, redb::Error>,
    ) -> Result<T, StoreError> {
        let Failed { opened, error } = match self.attempt(&work) {
            Ok(value) => return Ok(value),
            Err(failed) => failed,
        };
        let may_reopen = error.is_damage() || self.check_pause().is_ok();
        let is_open = self.recover(opened, &error, may_reopen).is_ok();
        if *error.kind() == StoreErrorKind::Io {
            self.begin_pause();
        }
        if is_open && *error.kind() == StoreErrorKind::Closed {
            return self.attempt(&work).map_err(|failed| failed.error);
        }
        Err(error)
    }

    /// Writes to the tables, to a new file if this one is found to be damaged. After another failure, the file is opened again for
    /// reading, and [`check_pause`](Self::check_pause) fails for a pause.
    pub(super) fn write(
        &self,
        work: impl Fn(&Tables) -> Result<(), redb::Error>,
    ) -> Result<(), StoreError> {
        let mut written = self.write_once(&work);
        if let Err(error) = &written
            && (error.is_damage() || *error.kind() == StoreErrorKind::Closed)
        {
            // The failure was an earlier one, or the file has been replaced.
            written = self.write_once(&work);
        }
        match &written {
            Ok(()) => *self.pause() = Pause::default(),
            Err(_) => self.begin_pause(),
        }
        written
    }

    fn write_once(
        &self,
        work: impl Fn(&Tables) -> Result<(), redb::Error>,
    ) -> Result<(), StoreError> {
        self.attempt(work).map_err(|Failed { opened, error }| {
            // If this fails, so does the next attempt.
            let _ = self.recover(opened, &error, true);
            error
        })
    }

    /// Makes the file as small as it can be.
    pub(super) fn compact(&mut self) -> Result<(), StoreError> {
        let slot = self.slot.get_mut();
        let slot = slot.unwrap_or_else(PoisonError::into_inner);
        let opened = slot.opened;
        let compacted = match &mut slot.file {
            Some(file) => file.compact(&self.path),
            None => Err(closed(&self.path)),
        };
        compacted.inspect_err(|error| {
            // A failure is the error of the next call.
            let _ = self.recover(opened, error, true);
            if !error.is_damage() {
                self.begin_pause();
            }
        })
    }

    /// Returns an error in the pause after a failure.
    pub(super) fn check_pause(&self) -> Result<(), StoreError> {
        if self.pause().is_over(Instant::now()) {
            Ok(())
        } else {
            Err(closed(&self.path))
        }
    }

    fn attempt<T>(
        &self,
        work: impl FnOnce(&Tables) -> Result<T, redb::Error>,
    ) -> Result<T, Failed> {
        let slot = self.slot();
        let result = match &slot.file {
            Some(file) => file.run(&self.path, work),
            None => Err(closed(&self.path)),
        };
        let opened = slot.opened;
        result.map_err(|error| Failed { opened, error })
    }

    /// Replaces the file after damage, and otherwise opens it again, unless another thread has done so. Succeeds if a file is open.
    fn recover(&self, opened: u64, error: &StoreError, may_reopen: bool) -> Result<(), StoreError> {
        if !self.replaces_damaged && error.is_damage() {
            return Err(closed(&self.path));
        }
        // Waits for the work of other threads. It fails soon, as redb refuses it by now.
        let mut slot = self.slot_mut();
        if slot.opened != opened {
            return if slot.file.is_some() {
                Ok(())
            } else {
                Err(closed(&self.path))
            };
        }
        if !may_reopen {
            return Err(closed(&self.path));
        }
        slot.opened = slot.opened.saturating_add(1);
        let aside = if error.is_damage() {
            // While it is locked.
            begin_anew(&self.path, error.again(), &self.warning)
        } else {
            Ok(())
        };
        // Unlocked by that.
        slot.file = None;
        let file = aside.and_then(|()| {
            if self.replaces_damaged {
                open_or_begin_anew(&self.path, &self.warning)
            } else {
                OpenFile::open(&self.path, Opening::Existing)
            }
        });
        match file {
            Ok(file) => {
                slot.file = Some(file);
                Ok(())
            }
            Err(error) => {
                self.begin_pause();
                Err(error)
            }
        }
    }

    // A panic cannot leave these half changed: they are changed in one step each.

    fn slot(&self) -> RwLockReadGuard<'_, Slot> {
        self.slot.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn slot_mut(&self) -> RwLockWriteGuard<'_, Slot> {
        self.slot.write().unwrap_or_else(PoisonError::into_inner)
    }

    fn begin_pause(&self) {
        self.pause().begin(Instant::now());
    }

    fn pause(&self) -> MutexGuard<'_, Pause> {
        self.pause.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn closed(path: &Path) -> StoreError {
    StoreError::new(path, StoreErrorKind::Closed)
}

/// Opens or creates a file. One that cannot be used is set aside first.
fn open_or_begin_anew(
    path: &Path,
    warning: &OnceLock<StoreWarning>,
) -> Result<OpenFile, StoreError> {
    match OpenFile::open(path, Opening::AnyOrNew) {
        Err(cause) if cause.is_replaceable() => {
            begin_anew(path, cause, warning)?;
            OpenFile::open(path, Opening::AnyOrNew)
        }
        opened => opened,
    }
}

/// Renames a file that cannot be used, so that opening creates a new one.
fn begin_anew(
    path: &Path,
    cause: StoreError,
    warning: &OnceLock<StoreWarning>,
) -> Result<(), StoreError> {
    let aside = set_aside(path).map_err(|error| StoreError::io(path, error))?;
    // The first warning is kept.
    let _ = warning.set(StoreWarning::SetAside { path: aside, cause });
    Ok(())
}

/// The pause after failures.
#[derive(Debug, Default)]
struct Pause {
    /// The end of the pause, and its length. `None` if the last write has worked.
    last: Option<(Instant, Duration)>,
}

impl Pause {
    /// Begins a pause, twice as long as the last one, unless that one continues: several threads may report one failure.
    fn begin(&mut self, now: Instant) {
        if !self.is_over(now) {
            return;
        }
        let length = self.last.map_or(MIN_REOPEN_PAUSE, |(_, last)| {
            last.saturating_mul(2).min(MAX_REOPEN_PAUSE)
        });
        self.last = now.checked_add(length).map(|end| (end, length));
    }

    fn is_over(&self, now: Instant) -> bool {
        self.last.is_none_or(|(end, _)| now >= end)
    }
}

#[cfg(test)]
mod tests {
    use super::super::encoding::EncodedRecord;
    use super::super::pending::Records;
    use super::super::record::OriginRecord;
    use super::*;
    use robots_policy::RobotsFetch;
    use robots_policy::origins::OriginChange;
    use std::cell::Cell;
    use std::fs;

    fn records<'o>(origins: impl IntoIterator<Item = &'o str>) -> Records {
        let fetch = RobotsFetch::Body(b"User-agent: *\nDisallow: /x");
        let mut record = OriginRecord::default();
        record.apply(&OriginChange::Robots { fetch, at: None });
        let record = |origin: &str| Some(EncodedRecord::new(origin, &record).unwrap());
        let records = origins.into_iter();
        records
            .map(|origin| (origin.into(), record(origin)))
            .collect()
    }

    fn has(file: &CurrentFile, origin: &str) -> Result<bool, StoreError> {
        file.read(|tables| Ok(tables.snapshot()?.record(origin)?.is_some()))
    }

    #[test]
    fn a_file_that_is_only_read_stays_where_it_is() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("origins");
        assert!(CurrentFile::open_existing(&path).is_err());
        assert!(!path.exists());
        let many: Vec<_> = (100..900)
            .map(|number| format!("https://{number}.example"))
            .collect();
        let file = CurrentFile::open(&path).unwrap();
        let all = records(many.iter().map(String::as_str));
        file.write(|tables| tables.write(&all)).unwrap();
        drop(file);
        let file = CurrentFile::open_existing(&path).unwrap();
        assert!(has(&file, &many[7]).unwrap());
        drop(file);
        let whole = fs::read(&path).unwrap();
        // Cut, so that opening or the first read fails.
        for length in [whole.len() / 2, whole.len() / 10, 4096] {
            fs::write(&path, &whole[..length]).unwrap();
            let read = CurrentFile::open_existing(&path).and_then(|file| {
                let read = has(&file, &many[7]);
                // A second read fails, too, and not because a new file is empty.
                assert!(read.is_err() && has(&file, &many[7]).is_err());
                read
            });
            assert!(read.unwrap_err().is_damage(), "{length}");
            assert_eq!(fs::read(&path).unwrap().len(), length);
            assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
        }
        // A byte of a record is damaged.
        let mut bytes = whole.clone();
        let at = bytes
            .windows(many[400].len())
            .position(|text| text == many[400].as_bytes());
        bytes[at.unwrap()] ^= 1;
        fs::write(&path, &bytes).unwrap();
        let file = CurrentFile::open_existing(&path).unwrap();
        let reads: Vec<_> = many.iter().map(|origin| has(&file, origin)).collect();
        assert!(reads.iter().any(Result::is_err));
        drop(file);
        assert_eq!(fs::read(&path).unwrap(), bytes);
    }

    /// redb refuses a commit during which another thread finds damage, with a general error.
    #[test]
    fn a_commit_during_which_a_read_finds_damage_is_written_to_a_new_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("origins");
        let before = CurrentFile::open(&path).unwrap();
        // Many, so that the damaged part of the file is not read when it is opened.
        let many: Vec<_> = (100..900)
            .map(|number| format!("https://{number}.example"))
            .collect();
        let (a, b) = (many[400].as_str(), "https://b.example");
        let all = records(many.iter().map(String::as_str));
        before.write(|tables| tables.write(&all)).unwrap();
        drop(before);
        let mut bytes = fs::read(&path).unwrap();
        let texts = bytes.windows(a.len()).enumerate();
        let texts: Vec<_> = texts.filter(|(_, text)| *text == a.as_bytes()).collect();
        let offsets: Vec<_> = texts.into_iter().map(|(at, _)| at).collect();
        for at in offsets {
            bytes[at] ^= 1;
        }
        fs::write(&path, bytes).unwrap();
        let file = CurrentFile::open(&path).unwrap();
        assert!(file.warning().is_none());
        let attempts = Cell::new(0);
        let written = file.write(|tables| {
            attempts.set(attempts.get() + 1);
            if attempts.get() == 1 {
                // What a read of another thread does before it waits for this commit.
                let read = file.attempt(|tables| Ok(tables.snapshot()?.record(a)?.is_some()));
                assert!(read.unwrap_or_else(|failed| failed.error.is_damage()));
            }
            tables.write(&records([b]))
        });
        written.unwrap();
        assert_eq!(attempts.get(), 2);
        assert!(matches!(
            file.warning(),
            Some(StoreWarning::SetAside { .. })
        ));
        assert!(file.check_pause().is_ok());
        assert!(!has(&file, a).unwrap());
        assert!(has(&file, b).unwrap());
    }

    #[test]
    fn a_pause_doubles_up_to_a_minute() {
        let mut pause = Pause::default();
        let mut now = Instant::now();
        assert!(pause.is_over(now));
        for seconds in [1, 2, 4, 8, 16, 32, 60, 60] {
            pause.begin(now);
            let end = now + Duration::from_secs(seconds);
            pause.begin(end.checked_sub(Duration::from_millis(1)).unwrap());
            assert!(!pause.is_over(end.checked_sub(Duration::from_millis(1)).unwrap()));
            assert!(pause.is_over(end));
            now = end;
        }
    }
}
