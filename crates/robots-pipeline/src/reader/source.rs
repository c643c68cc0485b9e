//! Archives as sources of records. Several threads read them, and read again after a transient failure.

use crate::error::Error;
use crate::input::stream::{OpenArchive, StreamReader};
use flate2::read::GzDecoder;
use robots_archive::GZIP;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::sync::{MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

/// The waiting times before each retry of a failed read.
const WAITS: [Duration; 3] = [
    Duration::from_millis(100),
    Duration::from_millis(500),
    Duration::from_secs(2),
];

/// Returns whether an input begins as gzip does. An input that cannot be read does not.
pub(super) fn begins_with_gzip(input: impl Read) -> bool {
    let mut start = Vec::new();
    let read = input.take(GZIP.len() as u64).read_to_end(&mut start);
    read.is_ok() && start == GZIP
}

/// Returns the error for an input of this name that is not an archive: it is empty, gzip in gzip, or something else.
pub(crate) fn not_archive(name: String, is_empty: bool, start: impl Read) -> Error {
    if is_empty {
        Error::EmptyFile(name)
    } else if begins_with_gzip(GzDecoder::new(start)) {
        Error::GzipInGzip(name)
    } else {
        Error::NotArchive(name)
    }
}

/// A reader of an open archive.
pub(super) enum ArchiveReader<'f> {
    File(FileAt<'f>),
    Stream(MutexGuard<'f, StreamReader>),
}

impl<'f> ArchiveReader<'f> {
    /// Returns a reader of a file from an offset on. A stream continues where its last reader ended.
    pub(super) fn new(archive: &'f OpenArchive, offset: u64) -> Self {
        match archive {
            OpenArchive::File(file) => Self::File(FileAt::new(file, offset)),
            OpenArchive::Stream(stream) => {
                Self::Stream(stream.lock().unwrap_or_else(PoisonError::into_inner))
            }
        }
    }
}

impl Read for ArchiveReader<'_> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        match self {
            Self::File(file) => file.read(into),
            Self::Stream(stream) => stream.read(into),
        }
    }
}

impl Seek for ArchiveReader<'_> {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        match self {
            Self::File(file) => file.seek(to),
            Self::Stream(_) => Err(io::ErrorKind::Unsupported.into()),
        }
    }
}

/// A reader of a file from an offset on. Other threads may read the same file.
#[derive(Debug)]
pub(crate) struct FileAt<'f> {
    file: &'f File,
    offset: u64,
}

impl<'f> FileAt<'f> {
    /// Returns a reader of a file from an offset on.
    pub(crate) fn new(file: &'f File, offset: u64) -> Self {
        Self { file, offset }
    }
}

impl Read for FileAt<'_> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let count = with_retries(&WAITS, || {
            #[cfg(unix)]
            let count = std::os::unix::fs::FileExt::read_at(self.file, into, self.offset);
            #[cfg(windows)]
            let count = std::os::windows::fs::FileExt::seek_read(self.file, into, self.offset);
            count
        })?;
        self.offset += count as u64;
        Ok(count)
    }
}

/// Only moves from the start.
impl Seek for FileAt<'_> {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let SeekFrom::Start(offset) = to else {
            return Err(io::ErrorKind::Unsupported.into());
        };
        self.offset = offset;
        Ok(offset)
    }
}

/// Runs an action, and retries it after each of these waits while it fails: a network drive may be back then. An action that
/// a signal interrupted is retried at once.
fn with_retries<T>(waits: &[Duration], mut act: impl FnMut() -> io::Result<T>) -> io::Result<T> {
    let mut waits = waits.iter();
    loop {
        match act() {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => match waits.next() {
                Some(wait) => thread::sleep(*wait),
                None => return Err(error),
            },
            done => return done,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn transient_failures_are_retried() {
        let waits = [Duration::ZERO; 3];
        let act = |failures: u32| {
            let mut tries = 0;
            let done = with_retries(&waits, || {
                tries += 1;
                if tries > failures {
                    Ok(())
                } else {
                    Err(io::Error::from(io::ErrorKind::TimedOut))
                }
            });
            (done.is_ok(), tries)
        };
        assert_eq!(act(0), (true, 1));
        assert_eq!(act(3), (true, 4));
        assert_eq!(act(4), (false, 4));
        let mut tries = 0;
        let interrupted = with_retries(&[], || {
            tries += 1;
            match tries {
                1..=9 => Err(io::Error::from(io::ErrorKind::Interrupted)),
                _ => Ok(()),
            }
        });
        assert!(interrupted.is_ok());
    }
}
