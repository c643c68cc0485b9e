//! The file of a store while it is open, and the cause of its failures.

use super::blocks::Blocks;
use super::error::StoreError;
use super::file::{Opening, StoreFile, finish};
use super::tables::Tables;
use redb::Database;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

/// The size of redb's cache in memory: 128 MiB. The operating system caches the rest.
const CACHE_BYTES: usize = 128 << 20;

/// The file of a store, and its tables.
#[derive(Debug)]
pub(super) struct OpenFile {
    tables: Tables,
    blocks: Blocks,
}

impl OpenFile {
    /// Opens or creates a file, and locks it.
    pub(super) fn open(path: &Path, opening: Opening) -> Result<Self, StoreError> {
        match StoreFile::open(path, opening)? {
            StoreFile::New(blocks) => {
                let created = Self::create(path, blocks)?;
                finish(&created.blocks, path).map_err(|error| StoreError::io(path, error))?;
                Ok(created)
            }
            StoreFile::Store { blocks, must_check } => Self::of_store(path, blocks, must_check),
        }
    }

    /// Creates the tables in an empty file.
    pub(super) fn create(path: &Path, blocks: Blocks) -> Result<Self, StoreError> {
        let tables = without_panic(path, || Tables::create(open_database(blocks.clone())?))?;
        Ok(Self { tables, blocks })
    }

    /// Opens the tables of a file that has them. If it must be checked, the whole file is read first.
    pub(super) fn of_store(
        path: &Path,
        blocks: Blocks,
        must_check: bool,
    ) -> Result<Self, StoreError> {
        let tables = without_panic(path, || {
            let mut database = open_database(blocks.clone())?;
            if must_check {
                database.check_integrity()?;
                blocks.checked()?;
            }
            Tables::open(database)
        })?;
        Ok(Self { tables, blocks })
    }

    /// Works on the tables.
    pub(super) fn run<T>(
        &self,
        path: &Path,
        work: impl FnOnce(&Tables) -> Result<T, redb::Error>,
    ) -> Result<T, StoreError> {
        let result = without_panic(path, || work(&self.tables));
        result.map_err(|error| self.cause(path, error))
    }

    /// Makes the file as small as it can be.
    pub(super) fn compact(&mut self, path: &Path) -> Result<(), StoreError> {
        let result = without_panic(path, || self.tables.compact());
        result.map_err(|error| self.cause(path, error))
    }

    /// Returns the cause of an error. After one failure, redb refuses all work with general errors, and may panic.
    fn cause(&self, path: &Path, error: StoreError) -> StoreError {
        if self.blocks.is_damaged() {
            return if error.is_damage() {
                error
            } else {
                StoreError::damaged(path, error)
            };
        }
        if self.blocks.has_failed() && error.is_damage() {
            return StoreError::closed_by(path, error);
        }
        error
    }
}

impl Drop for OpenFile {
    fn drop(&mut self) {
        // redb does not mark the file as closed, so that each opening is the same.
        self.blocks.stop_writing();
    }
}

/// Opens the database in a file.
fn open_database(blocks: Blocks) -> Result<Database, redb::Error> {
    let mut builder = Database::builder();
    let builder = builder.set_cache_size(CACHE_BYTES);
    Ok(builder.create_with_backend(blocks)?)
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
