//! redb without its panics.
//!
//! redb trusts the pages that it reads, and panics where they make no sense. Every call of it goes
//! through here, and a panic becomes an error. After one, nothing is known of redb's state: it is
//! asked nothing more, and it is dropped as if its thread was panicking. It then leaves the file as
//! that of a process that died, and the next one to open it recovers what was committed.
//!
//! A program that is built to abort on panic aborts.

use super::error::{StoreError, Trouble};
use super::file::StoreFile;
use super::{StoreErrorKind, Trust};
use redb::Database;
use std::panic::{self, AssertUnwindSafe};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

/// A database that does not panic.
#[derive(Debug)]
pub(super) struct Guarded {
    path: PathBuf,
    /// `None` only while it is dropped.
    database: Option<Database>,
    /// redb panicked, or could not read its own file any more.
    is_lost: AtomicBool,
}

impl Guarded {
    /// Opens or makes a database.
    pub(super) fn open(path: &Path, trust: Trust, cache_bytes: usize) -> Result<Self, StoreError> {
        let file = StoreFile::open(path, trust)?;
        let mut guarded = Self {
            path: path.to_owned(),
            database: None,
            is_lost: AtomicBool::new(false),
        };
        let open = || -> Result<Database, Trouble> {
            let mut builder = Database::builder();
            builder.set_cache_size(cache_bytes);
            Ok(builder.create_with_backend(file)?)
        };
        let opened = panic::catch_unwind(AssertUnwindSafe(open));
        guarded.database = Some(guarded.settle(opened)?);
        Ok(guarded)
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Works with the database.
    pub(super) fn run<T>(
        &self,
        work: impl FnOnce(&Database) -> Result<T, Trouble>,
    ) -> Result<T, StoreError> {
        let is_lost = self.is_lost.load(Ordering::Acquire);
        let Some(database) = self.database.as_ref().filter(|_| !is_lost) else {
            return Err(StoreError::new(&self.path, StoreErrorKind::Closed));
        };
        let done = panic::catch_unwind(AssertUnwindSafe(|| work(database)));
        self.settle(done)
    }

    /// Works with the database while nobody else does.
    pub(super) fn run_alone<T>(
        &mut self,
        work: impl FnOnce(&mut Database) -> Result<T, Trouble>,
    ) -> Result<T, StoreError> {
        let is_lost = *self.is_lost.get_mut();
        let Some(database) = self.database.as_mut().filter(|_| !is_lost) else {
            return Err(StoreError::new(&self.path, StoreErrorKind::Closed));
        };
        let done = panic::catch_unwind(AssertUnwindSafe(|| work(database)));
        self.settle(done)
    }

    /// Asks redb nothing more.
    pub(super) fn lose(&mut self) {
        *self.is_lost.get_mut() = true;
    }

    fn settle<T>(&self, done: thread::Result<Result<T, Trouble>>) -> Result<T, StoreError> {
        match done {
            Ok(Ok(done)) => Ok(done),
            Ok(Err(Trouble::Redb(error))) => Err(StoreError::of_redb(&self.path, error)),
            Ok(Err(Trouble::Damaged { origin, damage })) => {
                Err(StoreError::damaged(&self.path, origin, damage))
            }
            Err(panic) => {
                self.is_lost.store(true, Ordering::Release);
                Err(StoreError::panicked(&self.path, &*panic))
            }
        }
    }
}

impl Drop for Guarded {
    fn drop(&mut self) {
        let database = self.database.take();
        let is_lost = *self.is_lost.get_mut();
        // A panic here is one of closing: what was committed is on the disk.
        let _ = panic::catch_unwind(AssertUnwindSafe(|| close(database, is_lost)));
    }
}

fn close(database: Option<Database>, is_lost: bool) {
    if is_lost {
        // Unwinds without a message, and drops the database on the way.
        panic::resume_unwind(Box::new(()));
    }
    drop(database);
}

#[cfg(test)]
mod tests {
    use super::super::format;
    use super::*;

    fn corrupt() -> StoreErrorKind {
        StoreErrorKind::Corrupt { origin: None }
    }

    #[test]
    fn a_panic_is_an_error_and_what_was_committed_stays() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("sites");
        for trust in [Trust::Checked, Trust::Unchecked] {
            let mut guarded = Guarded::open(&path, trust, 1 << 20).unwrap();
            if trust == Trust::Checked {
                guarded.run(format::create).unwrap();
            }
            let panicked = guarded.run(|database| -> Result<(), Trouble> {
                let write = database.begin_write()?;
                let _sites = write.open_table(format::SITES)?;
                panic!("a page that makes no sense");
            });
            let error = panicked.unwrap_err();
            assert_eq!(*error.kind(), corrupt());
            let source = std::error::Error::source(&error).unwrap().to_string();
            assert_eq!(source, "a page that makes no sense");
            // It is asked nothing more.
            let closed = guarded.run(|_| Ok(())).unwrap_err();
            assert_eq!(*closed.kind(), StoreErrorKind::Closed);
            let closed = guarded.run_alone(|_| Ok(())).unwrap_err();
            assert_eq!(*closed.kind(), StoreErrorKind::Closed);
            drop(guarded);
            let again = Guarded::open(&path, Trust::Checked, 1 << 20).unwrap();
            assert!(matches!(again.run(format::find), Ok(format::Found::Store)));
        }
    }

    #[test]
    fn what_is_lost_is_closed() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("sites");
        let mut guarded = Guarded::open(&path, Trust::Checked, 1 << 20).unwrap();
        guarded.lose();
        let closed = guarded.run(format::find);
        assert!(closed.is_err_and(|error| *error.kind() == StoreErrorKind::Closed));
    }
}
