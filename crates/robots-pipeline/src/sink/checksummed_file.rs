//! Output files with a checksum of what is written, by which a later run recognises the file that it resumes.

use crate::new_file::{create_locked, lock};
use crate::text::counted;
use serde::{Deserialize, Serialize};
use std::fs::{File, OpenOptions};
use std::hash::Hasher;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use twox_hash::XxHash64;

/// The length and checksum of the written part of a file, from its first byte.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct WrittenPart {
    /// Its length.
    pub(crate) bytes: u64,
    /// Its XXH64. Not used for an empty part: a run that resumes creates the file again.
    checksum: u64,
}

/// A running checksum of the bytes that were written to a file.
#[derive(Debug, Default)]
struct RunningChecksum {
    bytes: u64,
    hasher: XxHash64,
}

impl RunningChecksum {
    fn add(&mut self, bytes: &[u8]) {
        self.bytes += bytes.len() as u64;
        self.hasher.write(bytes);
    }

    fn written(&self) -> WrittenPart {
        WrittenPart {
            bytes: self.bytes,
            checksum: self.hasher.finish(),
        }
    }
}

/// Lets `io::copy` add the bytes of a file.
impl Write for RunningChecksum {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.add(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// A file that is written from its start, or after the part that an earlier run wrote.
#[derive(Debug)]
pub(super) struct ChecksummedFile {
    file: File,
    sum: Arc<Mutex<RunningChecksum>>,
}

impl ChecksummedFile {
    /// Creates a file, in place of an earlier one.
    pub(super) fn create(path: &Path) -> io::Result<Self> {
        Ok(Self {
            file: create_locked(path)?,
            sum: Arc::default(),
        })
    }

    /// Opens a file of an earlier run without changing it: [`truncate`](Self::truncate) removes what follows the written
    /// part. Linear in the written part.
    ///
    /// # Errors
    ///
    /// If it cannot be opened, or does not begin with what that run wrote.
    pub(super) fn open(path: &Path, written: WrittenPart) -> io::Result<Self> {
        let mut file = OpenOptions::new().read(true).write(true).open(path)?;
        lock(&file, path)?;
        let mut sum = RunningChecksum::default();
        io::copy(&mut Read::take(&mut file, written.bytes), &mut sum)?;
        let WrittenPart { bytes, .. } = written;
        if sum.bytes < bytes {
            let found = sum.bytes;
            return Err(io::Error::other(format!(
                "it has {}, where the journal says {bytes}",
                counted(found, "byte")
            )));
        }
        if sum.written() != written {
            return Err(io::Error::other(format!(
                "its start ({}) is not that of the run that wrote the journal",
                counted(bytes, "byte")
            )));
        }
        Ok(Self {
            file,
            sum: Arc::new(Mutex::new(sum)),
        })
    }

    /// Removes the bytes after the written part.
    pub(super) fn truncate(&mut self) -> io::Result<()> {
        let bytes = self.written().bytes;
        self.file.set_len(bytes)?;
        self.file.seek(SeekFrom::Start(bytes))?;
        Ok(())
    }

    /// Returns another writer to the same file.
    pub(super) fn try_clone(&self) -> io::Result<Self> {
        Ok(Self {
            file: self.file.try_clone()?,
            sum: Arc::clone(&self.sum),
        })
    }

    /// Returns the length and checksum of the written part.
    pub(super) fn written(&self) -> WrittenPart {
        self.sum().written()
    }

    /// Waits until all written bytes are on disk. Does nothing for a pipe.
    pub(super) fn sync(&self) -> io::Result<()> {
        if self
            .file
            .metadata()
            .is_ok_and(|metadata| metadata.is_file())
        {
            self.file.sync_data()?;
        }
        Ok(())
    }

    fn sum(&self) -> MutexGuard<'_, RunningChecksum> {
        self.sum.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Write for ChecksummedFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let count = self.file.write(bytes)?;
        self.sum().add(bytes.get(..count).unwrap_or(bytes));
        Ok(count)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn a_file_resumes_after_what_was_written() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("rows");
        let mut file = ChecksummedFile::create(&path).unwrap();
        file.write_all(b"abc").unwrap();
        let written = file.try_clone().unwrap().written();
        assert_eq!(written.bytes, 3);
        file.write_all(b"def").unwrap();
        let all = file.written();
        drop(file);
        let mut file = ChecksummedFile::open(&path, written).unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"abcdef");
        file.truncate().unwrap();
        file.write_all(b"def").unwrap();
        assert_eq!(file.written(), all);
        assert_eq!(fs::read(&path).unwrap(), b"abcdef");
    }

    #[test]
    fn another_file_is_refused_and_stays() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("rows");
        let mut file = ChecksummedFile::create(&path).unwrap();
        file.write_all(b"abc").unwrap();
        let written = file.written();
        let busy = ChecksummedFile::open(&path, written).unwrap_err();
        assert_eq!(busy.to_string(), "another run is writing it");
        drop(file);
        for (other, error) in [
            ("ab", "it has 2 bytes, where the journal says 3"),
            (
                "abd and more",
                "its start (3 bytes) is not that of the run that wrote the journal",
            ),
        ] {
            fs::write(&path, other).unwrap();
            let refused = ChecksummedFile::open(&path, written).unwrap_err();
            assert_eq!(refused.to_string(), error);
            assert_eq!(fs::read_to_string(&path).unwrap(), other);
        }
    }
}
