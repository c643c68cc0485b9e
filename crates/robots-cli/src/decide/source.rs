//! Archives as they are read: by several threads, and past what fails for a moment.

use super::plan::Start;
use crate::inputs::Archive;
use robots_archive::GZIP;
use std::fs::File;
use std::io::{self, Read};
use std::thread;
use std::time::Duration;

/// An archive, and where to begin in it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Source<'f> {
    pub(super) archive: &'f Archive,
    pub(super) start: Start,
    /// Where the records begin that are wanted, in order, if not all are.
    pub(super) listed: Option<&'f [u64]>,
}

impl<'f> Source<'f> {
    /// All of an archive.
    pub(super) fn whole(archive: &'f Archive) -> Self {
        Self {
            archive,
            start: Start::First,
            listed: None,
        }
    }

    /// The records of an archive that begin at these offsets.
    pub(super) fn listed(archive: &'f Archive, offsets: &'f [u64]) -> Self {
        Self {
            listed: Some(offsets),
            ..Self::whole(archive)
        }
    }

    /// The first record that is wanted, from an offset on: where it begins.
    pub(super) fn next_listed(&self, from: u64) -> Option<u64> {
        let offsets = self.listed?;
        let at = offsets.partition_point(|&offset| offset < from);
        offsets.get(at).copied()
    }
}

/// How long is waited before what cannot be read is read again.
const WAITS: [Duration; 3] = [
    Duration::from_millis(100),
    Duration::from_millis(500),
    Duration::from_secs(2),
];

/// A file from an offset on, which other threads read too.
pub(super) fn at(file: &File, offset: u64) -> At<'_> {
    At { file, offset }
}

/// Whether an input begins as gzip does. One that cannot be read does not.
pub(super) fn begins_with_gzip(input: impl Read) -> bool {
    let mut start = Vec::new();
    let read = input.take(GZIP.len() as u64).read_to_end(&mut start);
    read.is_ok() && start == GZIP
}

#[derive(Debug)]
pub(super) struct At<'f> {
    file: &'f File,
    offset: u64,
}

impl Read for At<'_> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let count = patiently(&WAITS, || {
            #[cfg(unix)]
            let count = std::os::unix::fs::FileExt::read_at(self.file, into, self.offset);
            #[cfg(windows)]
            let count = std::os::windows::fs::FileExt::seek_read(self.file, into, self.offset);
            count
        })?;
        self.offset = self.offset.saturating_add(count as u64);
        Ok(count)
    }
}

/// Tries again after each of these waits, as long as it fails: disks of other machines come back.
fn patiently<T>(waits: &[Duration], mut act: impl FnMut() -> io::Result<T>) -> io::Result<T> {
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
    fn what_fails_for_a_moment_is_tried_again() {
        let waits = [Duration::ZERO; 3];
        let act = |failures: u32| {
            let mut tries = 0;
            let done = patiently(&waits, || {
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
        let interrupted = patiently(&[], || {
            tries += 1;
            match tries {
                1..=9 => Err(io::Error::from(io::ErrorKind::Interrupted)),
                _ => Ok(()),
            }
        });
        assert!(interrupted.is_ok());
    }
}
