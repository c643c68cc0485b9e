//! Errors and warnings of the store on disk.

use super::encoding::VERSION;
use rusqlite::ErrorCode;
use rusqlite::ffi::SQLITE_IOERR_CORRUPTFS;
use std::error::Error;
use std::fmt;
use std::fs::File;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

/// The first bytes of an SQLite file.
const SQLITE_START: &[u8; 16] = b"SQLite format 3\0";

/// A failed call of a [`DiskStore`](super::DiskStore).
#[derive(Debug, thiserror::Error)]
pub struct StoreError {
    path: PathBuf,
    kind: StoreErrorKind,
    source: Option<Box<dyn Error + Send + Sync>>,
}

/// The kinds of [`StoreError`].
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum StoreErrorKind {
    /// The file is not a store. It is left unchanged.
    NotAStore,
    /// The store was written in another version of the format. Opening renames the file, and begins a new store.
    OtherVersion {
        /// The version of the file's format.
        found: i32,
    },
    /// The file is damaged. If it is more than a record, the file is renamed, and a new store is begun.
    Damaged {
        /// The origin whose record is damaged; `None` if it is another part of the file.
        origin: Option<String>,
    },
    /// The file cannot be read or written: the directory is missing, permission is denied, the disk is full, or another process
    /// has locked the file for too long.
    Io,
}

impl StoreError {
    pub(super) fn new(path: &Path, kind: StoreErrorKind) -> Self {
        Self {
            path: path.to_owned(),
            kind,
            source: None,
        }
    }

    pub(super) fn io(path: &Path, source: io::Error) -> Self {
        Self {
            source: Some(source.into()),
            ..Self::new(path, StoreErrorKind::Io)
        }
    }

    pub(super) fn of_sqlite(path: &Path, source: rusqlite::Error) -> Self {
        use ErrorCode::{
            CannotOpen, DatabaseBusy, DatabaseLocked, DiskFull, FileLockingProtocolFailed,
            NotADatabase, OutOfMemory, PermissionDenied, ReadOnly, SystemIoFailure,
        };
        let error = source.sqlite_error();
        let kind = match error.map(|error| error.code) {
            Some(NotADatabase) if !is_sqlite(path) => StoreErrorKind::NotAStore,
            Some(SystemIoFailure)
                if error.map(|error| error.extended_code) == Some(SQLITE_IOERR_CORRUPTFS) =>
            {
                StoreErrorKind::Damaged { origin: None }
            }
            Some(
                CannotOpen
                | DatabaseBusy
                | DatabaseLocked
                | DiskFull
                | FileLockingProtocolFailed
                | OutOfMemory
                | PermissionDenied
                | ReadOnly
                | SystemIoFailure,
            ) => StoreErrorKind::Io,
            // The statements are always the same: if one is an error, the tables are not those that were created.
            _ => StoreErrorKind::Damaged { origin: None },
        };
        Self {
            source: Some(source.into()),
            ..Self::new(path, kind)
        }
    }

    /// Returns the kind.
    pub fn kind(&self) -> &StoreErrorKind {
        &self.kind
    }

    /// Returns the file of the store.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns whether the file may be renamed, and a new store begun.
    pub(super) fn is_replaceable(&self) -> bool {
        matches!(
            self.kind,
            StoreErrorKind::Damaged { origin: None } | StoreErrorKind::OtherVersion { .. }
        )
    }
}

/// Returns whether a file begins as those of SQLite do, so that it is damaged if SQLite does not accept it.
fn is_sqlite(path: &Path) -> bool {
    let mut start = [0; SQLITE_START.len()];
    let read = File::open(path).and_then(|mut file| file.read_exact(&mut start));
    read.is_ok() && start == *SQLITE_START
}

impl fmt::Display for StoreError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let path = self.path.display();
        match &self.kind {
            StoreErrorKind::NotAStore => write!(f, "\"{path}\" is not a store of origins"),
            StoreErrorKind::OtherVersion { found } => write!(
                f,
                "the store \"{path}\" has version {found} of the format: expected {VERSION}"
            ),
            StoreErrorKind::Damaged { origin: None } => {
                write!(f, "the store \"{path}\" is damaged")
            }
            StoreErrorKind::Damaged {
                origin: Some(origin),
            } => write!(
                f,
                "the store \"{path}\" is damaged: the record of {origin} cannot be read"
            ),
            StoreErrorKind::Io => write!(f, "cannot read or write the store \"{path}\""),
        }
    }
}

/// A warning that the caller should report: the file could not be used, so it was renamed, and a new store was begun. The store
/// works, but earlier facts are missing.
#[derive(Debug)]
pub struct StoreWarning {
    pub(super) aside: PathBuf,
    pub(super) cause: StoreError,
}

impl StoreWarning {
    /// Returns the new name of the file.
    pub fn path(&self) -> &Path {
        &self.aside
    }
}

impl fmt::Display for StoreWarning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{}; it was renamed to \"{}\", and a new store was begun",
            self.cause,
            self.aside.display()
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_name_the_file_and_do_not_repeat_their_source() {
        let path = Path::new("/a/origins");
        let full = StoreError::io(path, io::Error::from(io::ErrorKind::StorageFull));
        assert_eq!(
            full.to_string(),
            "cannot read or write the store \"/a/origins\""
        );
        assert_eq!(*full.kind(), StoreErrorKind::Io);
        assert_eq!(full.path(), path);
        assert!(full.source().is_some());
        let origin = Some("https://a.example".to_owned());
        let aside = StoreWarning {
            aside: "/a/origins.damaged-1".into(),
            cause: StoreError::new(path, StoreErrorKind::Damaged { origin }),
        };
        assert_eq!(
            aside.to_string(),
            "the store \"/a/origins\" is damaged: the record of https://a.example cannot be read; it \
             was renamed to \"/a/origins.damaged-1\", and a new store was begun"
        );
    }
}
