//! The file of a store: a header of ours, followed by the file of redb.
//!
//! redb trusts a file that was closed cleanly or was written with its option `quick_repair`: it follows page
//! numbers without comparing checksums, so a damaged file could cause a panic, an endless loop or a missing
//! record. If a file was not closed, redb reads all of it and compares the checksums. So a store is never closed:
//! redb's writes on closing are refused ([`StoreFile::stop_writing`]), and each opening checks the whole
//! file.

use super::error::{StoreError, StoreErrorKind};
use redb::StorageBackend;
use redb::backends::FileBackend;
use std::fs::File;
use std::io;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// The version of the format of tables and records: the last byte of the header.
pub(super) const VERSION: u8 = 4;

/// The version in the header of a file whose tables are not created yet.
const UNFINISHED: u8 = 0;

/// The first bytes of a store.
const MAGIC: &[u8; 15] = b"robots origins\n";

/// The number of bytes of the magic number and the version.
const START_BYTES: usize = 16;

/// The number of bytes before redb's file: one page.
const HEADER_BYTES: u64 = 4_096;

/// An open and locked file.
#[derive(Debug, Clone)]
pub(super) struct StoreFile {
    file: Arc<FileBackend>,
    is_stopped: Arc<AtomicBool>,
}

/// The content of a file when it was opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FileContent {
    /// No tables yet: the caller creates them, and then calls [`StoreFile::finish`].
    New,
    /// A store of this version.
    Store,
    /// A store of another version of the format.
    OtherVersion(u8),
}

impl StoreFile {
    /// Opens or creates a file, and locks it.
    pub(super) fn open(path: &Path) -> Result<(Self, FileContent), StoreError> {
        let failed = |error| StoreError::io(path, error);
        let file = File::options()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .open(path)
            .map_err(failed)?;
        let file =
            FileBackend::new(file).map_err(|error| StoreError::of_redb(path, error.into()))?;
        let content = read_or_reset(&file)
            .map_err(failed)?
            .ok_or_else(|| StoreError::new(path, StoreErrorKind::NotAStore))?;
        if content == FileContent::Store && file.len().map_err(failed)? <= HEADER_BYTES {
            // redb would take it for an empty file and begin a new one, and the loss of records would not be reported.
            return Err(StoreError::damaged(path, "it ends after its header"));
        }
        if content == FileContent::New {
            file.set_len(HEADER_BYTES).map_err(failed)?;
            write_header(&file, UNFINISHED).map_err(failed)?;
        }
        let file = Self {
            file: Arc::new(file),
            is_stopped: Arc::default(),
        };
        Ok((file, content))
    }

    /// Marks a new file as complete: writes the version into its header. Call it when the tables are on disk.
    pub(super) fn finish(&self, path: &Path) -> io::Result<()> {
        write_header(&self.file, VERSION)?;
        sync_directory(path)
    }

    /// Refuses all writes from now on. Earlier commits stay in the file.
    pub(super) fn stop_writing(&self) {
        self.is_stopped.store(true, Ordering::Release);
    }

    fn check_writable(&self) -> io::Result<()> {
        if self.is_stopped.load(Ordering::Acquire) {
            return Err(io::ErrorKind::ReadOnlyFilesystem.into());
        }
        Ok(())
    }
}

/// Reads the header, and empties a store whose creation was interrupted. Returns `None` if the file is not a
/// store.
fn read_or_reset(file: &FileBackend) -> io::Result<Option<FileContent>> {
    let bytes = file.len()?;
    let mut header = [0; START_BYTES];
    let length = usize::try_from(bytes).unwrap_or(usize::MAX);
    if let Some(start) = header.get_mut(..length.min(START_BYTES)) {
        file.read(0, start)?;
    }
    let [magic @ .., version] = header;
    Ok(match version {
        // A new file is empty, and a power failure may leave zeros in it.
        0 if magic == [0; MAGIC.len()] && bytes <= HEADER_BYTES => Some(FileContent::New),
        _ if magic != *MAGIC => None,
        // `open` extends a new file to the length of the header before it writes the header. So a shorter file is not a store.
        UNFINISHED if bytes < HEADER_BYTES => None,
        UNFINISHED => {
            file.set_len(0)?;
            Some(FileContent::New)
        }
        VERSION => Some(FileContent::Store),
        other => Some(FileContent::OtherVersion(other)),
    })
}

fn write_header(file: &FileBackend, version: u8) -> io::Result<()> {
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

/// Returns the offset in the file of an offset in redb's file.
fn shifted(offset: u64) -> io::Result<u64> {
    let shifted = offset.checked_add(HEADER_BYTES);
    shifted.ok_or_else(|| io::ErrorKind::InvalidInput.into())
}

impl StorageBackend for StoreFile {
    fn len(&self) -> io::Result<u64> {
        Ok(self.file.len()?.saturating_sub(HEADER_BYTES))
    }

    fn read(&self, offset: u64, out: &mut [u8]) -> io::Result<()> {
        self.file.read(shifted(offset)?, out)
    }

    fn set_len(&self, len: u64) -> io::Result<()> {
        self.check_writable()?;
        self.file.set_len(shifted(len)?)
    }

    fn sync_data(&self) -> io::Result<()> {
        self.check_writable()?;
        self.file.sync_data()
    }

    fn write(&self, offset: u64, data: &[u8]) -> io::Result<()> {
        self.check_writable()?;
        self.file.write(shifted(offset)?, data)
    }

    fn close(&self) -> io::Result<()> {
        self.file.close()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    fn open(bytes: &[u8]) -> Result<FileContent, StoreErrorKind> {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("origins");
        fs::write(&path, bytes).unwrap();
        let opened = StoreFile::open(&path).map(|(_, content)| content);
        if opened.is_err() {
            assert!(fs::read(&path).unwrap() == bytes, "it is left unchanged");
        }
        opened.map_err(|error| error.kind().clone())
    }

    #[test]
    fn contents_are_distinguished_by_their_header() {
        let store = |version| [&MAGIC[..], &[version], &[7; 5_000]].concat();
        assert_eq!(open(b""), Ok(FileContent::New));
        assert_eq!(open(&[0; 4_096]), Ok(FileContent::New));
        assert_eq!(open(&store(UNFINISHED)), Ok(FileContent::New));
        assert_eq!(open(&store(VERSION)), Ok(FileContent::Store));
        assert_eq!(
            open(&store(VERSION - 1)),
            Ok(FileContent::OtherVersion(VERSION - 1))
        );
        assert_eq!(open(&store(255)), Ok(FileContent::OtherVersion(255)));
        let mut zeros_and_a_version = [0; 4_096];
        zeros_and_a_version[15] = 1;
        for other in [
            &zeros_and_a_version[..],
            &[0; 4_097],
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
        let first = StoreFile::open(&path).unwrap();
        let error = StoreFile::open(&path).unwrap_err();
        assert_eq!(*error.kind(), StoreErrorKind::InUse);
        drop(first);
        StoreFile::open(&path).unwrap();
    }

    #[test]
    fn a_stopped_file_can_be_read_and_not_written() {
        let directory = tempfile::tempdir().unwrap();
        let (file, _) = StoreFile::open(&directory.path().join("origins")).unwrap();
        file.set_len(10).unwrap();
        file.write(3, b"abc").unwrap();
        file.stop_writing();
        let mut found = [0; 3];
        file.read(3, &mut found).unwrap();
        assert_eq!((&found, file.len().unwrap()), (b"abc", 10));
        assert!(file.write(3, b"xyz").is_err());
        assert!(file.set_len(0).is_err());
        assert!(file.sync_data().is_err());
    }
}
