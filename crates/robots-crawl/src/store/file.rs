//! The file of a store: a header of ours, followed by the file of redb in blocks with checksums ([`Blocks`]).
//!
//! redb marks a file that it closes. A store is never closed: redb's writes on closing are refused ([`Blocks::stop_writing`]). So
//! a store that is opened is always in the same state, after a kill, too: that of its last commit.

use super::blocks::{Blocks, FIRST_BLOCK, START};
use super::error::{StoreError, StoreErrorKind};
use redb::StorageBackend;
use redb::backends::FileBackend;
use std::fs::File;
use std::io;
use std::path::Path;

/// The version of the format of tables and records: the last byte of the header.
pub(super) const VERSION: u8 = 5;

/// The version in the header of a file whose tables are not created yet.
const UNFINISHED: u8 = 0;

/// The first bytes of a store.
const MAGIC: &[u8; 15] = b"robots origins\n";

/// The number of bytes of the magic number and the version.
const START_BYTES: usize = 16;

/// Which files are opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Opening {
    /// A store; a new one is created if there is none, or if its creation was interrupted.
    AnyOrNew,
    /// A store that exists.
    Existing,
}

/// An open and locked file.
#[derive(Debug)]
pub(super) enum StoreFile {
    /// No tables yet: the caller creates them, and then calls [`finish`].
    New(Blocks),
    /// A store of this version.
    Store {
        /// The file of redb.
        blocks: Blocks,
        /// Whether redb must check its whole file ([`Blocks::open`]).
        must_check: bool,
    },
}

/// The content of a file, by its header.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum FileContent {
    New,
    /// A store whose creation was interrupted.
    Unfinished,
    Store,
    OtherVersion(u8),
}

impl StoreFile {
    /// Opens or creates a file, and locks it.
    pub(super) fn open(path: &Path, opening: Opening) -> Result<Self, StoreError> {
        let failed = |error| StoreError::io(path, error);
        let may_create = opening == Opening::AnyOrNew;
        let file = File::options()
            .read(true)
            .write(true)
            .create(may_create)
            .truncate(false)
            .open(path)
            .map_err(failed)?;
        let file =
            FileBackend::new(file).map_err(|error| StoreError::of_redb(path, error.into()))?;
        let file: Box<dyn StorageBackend> = Box::new(file);
        let not_a_store = || StoreError::new(path, StoreErrorKind::NotAStore);
        let content = content(&*file).map_err(failed)?.ok_or_else(not_a_store)?;
        match content {
            FileContent::New | FileContent::Unfinished if !may_create => Err(not_a_store()),
            FileContent::New | FileContent::Unfinished => {
                if content == FileContent::Unfinished {
                    file.set_len(0).map_err(failed)?;
                }
                let blocks = Blocks::create(file).map_err(failed)?;
                write_header(blocks.file(), UNFINISHED).map_err(failed)?;
                Ok(Self::New(blocks))
            }
            FileContent::Store => {
                let of_redb = |error| StoreError::of_redb(path, redb::Error::Io(error));
                let (blocks, must_check) = Blocks::open(file).map_err(of_redb)?;
                if blocks.len().map_err(failed)? == 0 {
                    // redb would take it for an empty file and begin a new one, and the loss of records would not be reported.
                    return Err(StoreError::damaged(path, "it ends after its header"));
                }
                Ok(Self::Store { blocks, must_check })
            }
            FileContent::OtherVersion(found) => {
                let kind = StoreErrorKind::OtherVersion { found };
                Err(StoreError::new(path, kind))
            }
        }
    }
}

/// Marks a new file as complete: writes the version into its header. Call it when the tables are on disk.
pub(super) fn finish(blocks: &Blocks, path: &Path) -> io::Result<()> {
    write_header(blocks.file(), VERSION)?;
    sync_directory(path)
}

/// Reads the header. Returns `None` if the file is not a store.
fn content(file: &dyn StorageBackend) -> io::Result<Option<FileContent>> {
    let bytes = file.len()?;
    let mut header = [0; START_BYTES];
    let length = usize::try_from(bytes).unwrap_or(usize::MAX);
    if let Some(start) = header.get_mut(..length.min(START_BYTES)) {
        file.read(0, start)?;
    }
    let [magic @ .., version] = header;
    Ok(match version {
        // A new file is empty. A power failure may leave zeros in it, and so may a full disk: it gets its length before its header.
        0 if magic == [0; MAGIC.len()] && bytes <= FIRST_BLOCK => Some(FileContent::New),
        _ if magic != *MAGIC => None,
        // `open` extends a new file to the length of the header before it writes the header. So a shorter file is not a store.
        UNFINISHED if bytes < START => None,
        UNFINISHED => Some(FileContent::Unfinished),
        VERSION => Some(FileContent::Store),
        other => Some(FileContent::OtherVersion(other)),
    })
}

fn write_header(file: &dyn StorageBackend, version: u8) -> io::Result<()> {
    // In one write, which a kill does not divide.
    file.write(0, &[&MAGIC[..], &[version]].concat())?;
    file.sync_data()
}

/// Writes the directory of a new or renamed file to the disk, so that its name is still there after a power failure.
#[cfg(unix)]
pub(super) fn sync_directory(path: &Path) -> io::Result<()> {
    let directory = match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    File::open(directory)?.sync_all()
}

/// Does nothing: only Unix opens directories as files.
#[cfg(not(unix))]
pub(super) fn sync_directory(_: &Path) -> io::Result<()> {
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    /// Opens a file with this content. Returns whether it is a store, or else a new one.
    fn open(bytes: &[u8]) -> Result<bool, StoreErrorKind> {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("origins");
        fs::write(&path, bytes).unwrap();
        let is_store = |opened: Result<StoreFile, StoreError>| {
            if opened.is_err() {
                assert!(fs::read(&path).unwrap() == bytes, "it is left unchanged");
            }
            let is_store = opened.map(|file| matches!(file, StoreFile::Store { .. }));
            is_store.map_err(|error| error.kind().clone())
        };
        let existing = is_store(StoreFile::open(&path, Opening::Existing));
        let opened = is_store(StoreFile::open(&path, Opening::AnyOrNew));
        let not_new = match &opened {
            Ok(false) => Err(StoreErrorKind::NotAStore),
            other => other.clone(),
        };
        assert_eq!(existing, not_new);
        opened
    }

    #[test]
    fn contents_are_distinguished_by_their_header() {
        let store = |version| [&MAGIC[..], &[version], &[7; 5_000]].concat();
        assert_eq!(open(b""), Ok(false));
        assert_eq!(open(&[0; 4_096]), Ok(false));
        assert_eq!(open(&[0; 12_288]), Ok(false));
        assert_eq!(open(&store(UNFINISHED)), Ok(false));
        for found in [VERSION - 1, 255] {
            let other = StoreErrorKind::OtherVersion { found };
            assert_eq!(open(&store(found)), Err(other));
        }
        // The content after the header of the store is not that of redb.
        let damaged = StoreErrorKind::Damaged { origin: None };
        assert_eq!(open(&store(VERSION)), Err(damaged));
        let mut zeros_and_a_version = [0; 4_096];
        zeros_and_a_version[15] = 1;
        for other in [
            &zeros_and_a_version[..],
            &[0; 12_289],
            b"User-agent: *\nDisallow: /",
            MAGIC,
            b"\n",
        ] {
            assert_eq!(open(other), Err(StoreErrorKind::NotAStore));
        }
    }

    #[test]
    fn a_file_is_locked() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("origins");
        let open = || StoreFile::open(&path, Opening::AnyOrNew);
        let first = open().unwrap();
        assert_eq!(*open().unwrap_err().kind(), StoreErrorKind::InUse);
        drop(first);
        open().unwrap();
    }
}
