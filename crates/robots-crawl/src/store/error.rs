//! Errors and warnings of the store on disk.

use super::blocks::is_damage;
use std::any::Any;
use std::error::Error;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

/// A failed call of a [`DiskStore`](super::DiskStore).
#[derive(Debug)]
pub struct StoreError {
    path: PathBuf,
    kind: StoreErrorKind,
    source: Option<Box<dyn Error + Send + Sync>>,
}

/// The kinds of [`StoreError`].
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum StoreErrorKind {
    /// The store is open already: in another process, or in this one.
    InUse,
    /// The file is not a store. It is left unchanged.
    NotAStore,
    /// The store was written in another version of the format. Opening renames the file, and begins a new store
    /// ([`StoreWarning::SetAside`]).
    OtherVersion {
        /// The version of the file's format.
        found: u8,
    },
    /// The file is damaged. Opening renames it, and begins a new store ([`StoreWarning::SetAside`]).
    Damaged {
        /// The origin whose record is damaged; `None` if it is another part of the file.
        origin: Option<String>,
    },
    /// The operating system refused to read or write: the directory is missing, permission is denied,
    /// or the disk is full. After that, changes are [`Closed`](Self::Closed) for a pause, and then tried again.
    Io,
    /// An earlier error has closed the store for a pause: of [`MIN_REOPEN_PAUSE`](super::MIN_REOPEN_PAUSE) at first, and twice as
    /// long after each further error, up to [`MAX_REOPEN_PAUSE`](super::MAX_REOPEN_PAUSE).
    Closed,
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
        Self::with_source(path, StoreErrorKind::Io, source)
    }

    pub(super) fn damaged_record(path: &Path, origin: &str) -> Self {
        let origin = Some(origin.to_owned());
        Self::new(path, StoreErrorKind::Damaged { origin })
    }

    pub(super) fn damaged(path: &Path, source: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        Self::with_source(path, StoreErrorKind::Damaged { origin: None }, source)
    }

    /// Returns the error for a failure that follows from an earlier one.
    pub(super) fn closed_by(path: &Path, source: Self) -> Self {
        Self::with_source(path, StoreErrorKind::Closed, source)
    }

    /// Returns the error for a panic of redb, which asserts that its header makes sense.
    pub(super) fn panicked(path: &Path, panic: &(dyn Any + Send)) -> Self {
        let text = panic.downcast_ref::<&str>().copied();
        let text = text.or_else(|| panic.downcast_ref::<String>().map(String::as_str));
        Self::damaged(path, text.unwrap_or("redb panicked"))
    }

    fn with_source(
        path: &Path,
        kind: StoreErrorKind,
        source: impl Into<Box<dyn Error + Send + Sync>>,
    ) -> Self {
        Self {
            source: Some(source.into()),
            ..Self::new(path, kind)
        }
    }

    pub(super) fn of_redb(path: &Path, error: redb::Error) -> Self {
        match error {
            redb::Error::DatabaseAlreadyOpen => Self::new(path, StoreErrorKind::InUse),
            redb::Error::PreviousIo
            | redb::Error::DatabaseClosed
            | redb::Error::LockPoisoned(_) => Self::new(path, StoreErrorKind::Closed),
            redb::Error::Io(error) if !is_damage(&error) => Self::io(path, error),
            error => Self::damaged(path, error.to_string()),
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

    /// Returns whether the file is damaged, not only a record.
    pub(super) fn is_damage(&self) -> bool {
        self.kind == StoreErrorKind::Damaged { origin: None }
    }

    /// Returns the same error, with the text of its source.
    pub(super) fn again(&self) -> Self {
        let text = self.source.as_ref().map(ToString::to_string);
        Self {
            source: text.map(Into::into),
            ..Self::new(&self.path, self.kind.clone())
        }
    }

    /// Returns whether opening may rename the file and begin a new store.
    pub(super) fn is_replaceable(&self) -> bool {
        matches!(
            self.kind,
            StoreErrorKind::Damaged { .. } | StoreErrorKind::OtherVersion { .. }
        )
    }
}

impl fmt::Display for StoreError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let path = self.path.display();
        match &self.kind {
            StoreErrorKind::InUse => write!(f, "the store \"{path}\" is open already"),
            StoreErrorKind::NotAStore => write!(f, "\"{path}\" is not a store of origins"),
            StoreErrorKind::OtherVersion { found } => write!(
                f,
                "the store \"{path}\" has version {found} of the format: expected {}",
                super::file::VERSION
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
            StoreErrorKind::Closed => write!(
                f,
                "an earlier error closed the store \"{path}\": it is tried again after a pause"
            ),
        }
    }
}

impl Error for StoreError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        self.source
            .as_deref()
            .map(|source| source as &(dyn Error + 'static))
    }
}

/// A warning that the caller should report: the store works, but earlier facts are missing.
#[derive(Debug)]
#[non_exhaustive]
pub enum StoreWarning {
    /// The file could not be used. It was renamed, and a new store was begun.
    SetAside {
        /// The new name of the file.
        path: PathBuf,
        /// The reason why it could not be used.
        cause: StoreError,
    },
}

impl fmt::Display for StoreWarning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self::SetAside { path, cause } = self;
        write!(
            f,
            "{cause}; it was renamed to \"{}\", and a new store was begun",
            path.display()
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
        let cause = StoreError::damaged_record(path, "https://a.example");
        let aside = StoreWarning::SetAside {
            path: "/a/origins.damaged-1".into(),
            cause,
        };
        assert_eq!(
            aside.to_string(),
            "the store \"/a/origins\" is damaged: the record of https://a.example cannot be read; it \
             was renamed to \"/a/origins.damaged-1\", and a new store was begun"
        );
    }

    #[test]
    fn errors_of_redb_map_to_kinds() {
        let path = Path::new("origins");
        let kind = |error| StoreError::of_redb(path, error).kind().clone();
        let io = |kind: io::ErrorKind| redb::Error::Io(kind.into());
        let damaged = StoreErrorKind::Damaged { origin: None };
        assert_eq!(
            kind(redb::Error::DatabaseAlreadyOpen),
            StoreErrorKind::InUse
        );
        assert_eq!(kind(redb::Error::PreviousIo), StoreErrorKind::Closed);
        assert_eq!(kind(io(io::ErrorKind::StorageFull)), StoreErrorKind::Io);
        assert_eq!(kind(io(io::ErrorKind::UnexpectedEof)), damaged);
        assert_eq!(kind(redb::Error::Corrupted(String::new())), damaged);
    }
}
