//! Errors of the store on disk.

use super::body::BodyKey;
use super::{MAX_KEPT_ORIGIN, MAX_KEPT_VALIDATOR};
use std::any::Any;
use std::error::Error;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

/// A call of [`DiskStore`](super::DiskStore) that failed.
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
    /// The file is something else. Nothing is kept in it.
    NotAStore,
    /// The store was written in another version of the format.
    OtherVersion {
        /// That version.
        found: u32,
    },
    /// The file is damaged.
    Corrupt {
        /// The origin whose record is damaged; `None` if it is another part of the file.
        origin: Option<String>,
    },
    /// The operating system refused to read or write: no such directory, no permission, no space
    /// left. After such an error from writing, nothing more can be kept until the store is opened
    /// again.
    Io,
    /// An error before this one closed the store. Drop it, and open it again.
    Closed,
    /// The body is longer than what is kept. Nothing was kept.
    BodyTooLong {
        /// Its length.
        bytes: usize,
        /// What is kept of its kind.
        limit: usize,
    },
    /// The origin is longer than [`MAX_KEPT_ORIGIN`]. Nothing was kept.
    OriginTooLong {
        /// Its length.
        bytes: usize,
    },
    /// The `ETag` or `Last-Modified` is longer than [`MAX_KEPT_VALIDATOR`]. Nothing was kept.
    ValidatorTooLong {
        /// Its length.
        bytes: usize,
    },
    /// A body was given that the site does not name. Nothing was kept.
    BodyNotNamed {
        /// Its name.
        key: BodyKey,
    },
    /// The site names a body that was not given, and is not kept. Nothing was kept.
    BodyMissing {
        /// Its name.
        key: BodyKey,
    },
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
            source: Some(Box::new(source)),
            ..Self::new(path, StoreErrorKind::Io)
        }
    }

    pub(super) fn damaged(path: &Path, origin: Option<String>, damage: Damage) -> Self {
        Self {
            source: Some(Box::new(damage)),
            ..Self::new(path, StoreErrorKind::Corrupt { origin })
        }
    }

    /// A panic inside redb, which trusts what it reads.
    pub(super) fn panicked(path: &Path, panic: &(dyn Any + Send)) -> Self {
        let text = panic
            .downcast_ref::<&str>()
            .map(|text| (*text).to_owned())
            .or_else(|| panic.downcast_ref::<String>().cloned())
            .unwrap_or_default();
        Self {
            source: Some(text.into()),
            ..Self::new(path, StoreErrorKind::Corrupt { origin: None })
        }
    }

    pub(super) fn of_redb(path: &Path, error: redb::Error) -> Self {
        let corrupt = StoreErrorKind::Corrupt { origin: None };
        let (kind, source): (_, Option<Box<dyn Error + Send + Sync>>) = match error {
            redb::Error::DatabaseAlreadyOpen => (StoreErrorKind::InUse, None),
            // An older format of redb, which this program never wrote.
            redb::Error::UpgradeRequired(_) => {
                (StoreErrorKind::NotAStore, Some(error.to_string().into()))
            }
            redb::Error::PreviousIo
            | redb::Error::DatabaseClosed
            | redb::Error::LockPoisoned(_) => (StoreErrorKind::Closed, None),
            redb::Error::Io(error) => {
                // What is behind the end of the file, or no data of redb's.
                let is_damage = matches!(
                    error.kind(),
                    io::ErrorKind::UnexpectedEof | io::ErrorKind::InvalidData
                );
                let kind = if is_damage {
                    corrupt
                } else {
                    StoreErrorKind::Io
                };
                (kind, Some(Box::new(error)))
            }
            error => (corrupt, Some(error.to_string().into())),
        };
        Self {
            source,
            ..Self::new(path, kind)
        }
    }

    /// What is wrong.
    pub fn kind(&self) -> &StoreErrorKind {
        &self.kind
    }

    /// The file of the store.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

impl fmt::Display for StoreError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let path = self.path.display();
        match &self.kind {
            StoreErrorKind::InUse => write!(f, "the store \"{path}\" is open already"),
            StoreErrorKind::NotAStore => write!(f, "\"{path}\" is no store of sites"),
            StoreErrorKind::OtherVersion { found } => write!(
                f,
                "the store \"{path}\" is in version {found} of the format, and not in {}",
                super::format::VERSION
            ),
            StoreErrorKind::Corrupt { origin: None } => {
                write!(f, "the store \"{path}\" is damaged")
            }
            StoreErrorKind::Corrupt {
                origin: Some(origin),
            } => write!(
                f,
                "the store \"{path}\" is damaged: what it has of {origin} cannot be read"
            ),
            StoreErrorKind::Io => write!(f, "cannot read or write the store \"{path}\""),
            StoreErrorKind::Closed => write!(
                f,
                "an earlier error closed the store \"{path}\": it must be opened again"
            ),
            StoreErrorKind::BodyTooLong { bytes, limit } => write!(
                f,
                "the store \"{path}\" keeps no body of {bytes} bytes: {limit} are the limit"
            ),
            StoreErrorKind::OriginTooLong { bytes } => write!(
                f,
                "the store \"{path}\" keeps no origin of {bytes} bytes: {MAX_KEPT_ORIGIN} are the \
                 limit"
            ),
            StoreErrorKind::ValidatorTooLong { bytes } => write!(
                f,
                "the store \"{path}\" keeps no ETag or Last-Modified of {bytes} bytes: \
                 {MAX_KEPT_VALIDATOR} are the limit"
            ),
            StoreErrorKind::BodyNotNamed { key } => write!(
                f,
                "the body {key} was given to the store \"{path}\", and the site does not name it"
            ),
            StoreErrorKind::BodyMissing { key } => write!(
                f,
                "the body {key} was not given to the store \"{path}\", which does not have it"
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

/// What is wrong with a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Damage {
    /// The header of the file says what cannot be.
    Header,
    /// The file is shorter than its header says, or no number of pages.
    Length,
    /// A record in a format that there is not.
    Format(u8),
    /// The bytes of a record are not those that were written for its origin.
    Check,
    /// A record ends too early.
    Short,
    /// A record goes on behind its end.
    Rest,
    /// A record has a sign that means nothing.
    Sign,
    /// A number that is too large, or longer than it need be.
    Number,
    /// A text that is not UTF-8.
    Text,
    /// The bytes of a body are not those of its name.
    Body(BodyKey),
    /// A site names a body that is not there.
    NoBody(BodyKey),
}

impl fmt::Display for Damage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Header => f.write_str("its header says what cannot be"),
            Self::Length => f.write_str("it has another length than its header says"),
            Self::Format(format) => write!(f, "a record has the format {format}"),
            Self::Check => f.write_str("a record has other bytes than were written"),
            Self::Short => f.write_str("a record ends too early"),
            Self::Rest => f.write_str("a record goes on behind its end"),
            Self::Sign => f.write_str("a record has a sign that means nothing"),
            Self::Number => f.write_str("a record has a number that cannot be"),
            Self::Text => f.write_str("a record has a text that is not UTF-8"),
            Self::Body(key) => write!(f, "the body {key} has other bytes than were written"),
            Self::NoBody(key) => write!(f, "the body {key} is named, and is not there"),
        }
    }
}

impl Error for Damage {}

/// What can go wrong while redb works: its own errors, and damage that only we see.
#[derive(Debug)]
pub(super) enum Trouble {
    Redb(redb::Error),
    Damaged {
        origin: Option<String>,
        damage: Damage,
    },
}

impl Trouble {
    pub(super) fn of_origin(origin: &str, damage: Damage) -> Self {
        Self::Damaged {
            origin: Some(origin.to_owned()),
            damage,
        }
    }

    pub(super) fn of_file(damage: Damage) -> Self {
        Self::Damaged {
            origin: None,
            damage,
        }
    }
}

macro_rules! from_redb {
    ($($error:ident)*) => {
        $(impl From<redb::$error> for Trouble {
            fn from(error: redb::$error) -> Self {
                Self::Redb(error.into())
            }
        })*
    };
}

from_redb! {
    CommitError
    CompactionError
    DatabaseError
    SetDurabilityError
    StorageError
    TableError
    TransactionError
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_name_the_file_and_do_not_repeat_their_source() {
        let path = Path::new("/a/sites");
        let full = StoreError::io(path, io::Error::from(io::ErrorKind::StorageFull));
        assert_eq!(
            full.to_string(),
            "cannot read or write the store \"/a/sites\""
        );
        assert_eq!(*full.kind(), StoreErrorKind::Io);
        assert_eq!(full.path(), path);
        assert!(full.source().is_some());
        let short = StoreError::damaged(path, Some("https://a.example".to_owned()), Damage::Short);
        assert_eq!(
            short.to_string(),
            "the store \"/a/sites\" is damaged: what it has of https://a.example cannot be read"
        );
        let source = short.source().map(ToString::to_string);
        assert_eq!(source.as_deref(), Some("a record ends too early"));
    }

    #[test]
    fn errors_of_redb_by_kind() {
        let path = Path::new("sites");
        let kind = |error| StoreError::of_redb(path, error).kind().clone();
        let io = |kind: io::ErrorKind| redb::Error::Io(kind.into());
        let corrupt = StoreErrorKind::Corrupt { origin: None };
        assert_eq!(
            kind(redb::Error::DatabaseAlreadyOpen),
            StoreErrorKind::InUse
        );
        assert_eq!(
            kind(redb::Error::UpgradeRequired(1)),
            StoreErrorKind::NotAStore
        );
        assert_eq!(kind(redb::Error::PreviousIo), StoreErrorKind::Closed);
        assert_eq!(kind(io(io::ErrorKind::StorageFull)), StoreErrorKind::Io);
        assert_eq!(kind(io(io::ErrorKind::UnexpectedEof)), corrupt);
        assert_eq!(kind(redb::Error::Corrupted(String::new())), corrupt);
    }
}
