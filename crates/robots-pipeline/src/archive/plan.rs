//! The parts into which archives are divided.

use super::source::{ArchiveReader, Source, begins_with_gzip};
use crate::error::Error;
use crate::input::stream::OpenArchive;
use robots_archive::ArchiveFormat;
use serde::{Deserialize, Serialize};

/// The size of a part of a gzip file: 1 MiB.
pub(super) const PART_BYTES: u64 = 1 << 20;

/// The place at which reading begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Start {
    /// The beginning of the archive.
    First,
    /// This offset, in an archive of this format.
    At(u64, ArchiveFormat),
    /// This offset, from an index.
    Listed(u64),
}

impl Start {
    pub(crate) fn offset(self) -> u64 {
        match self {
            Self::First => 0,
            Self::At(offset, _) | Self::Listed(offset) => offset,
        }
    }
}

/// A part of an archive.
#[derive(Debug, Clone)]
pub(super) struct Part<'f> {
    /// The index of the archive.
    pub(super) index: usize,
    pub(super) source: Source<'f>,
    pub(super) opened: OpenArchive,
    /// The offset of the part, from which the first record is searched for unless `start` is known.
    pub(super) from: u64,
    /// The place of the first record, if it is known.
    pub(super) start: Option<Start>,
    /// The offset of the end: records that begin at it or later belong to other parts.
    pub(super) until: u64,
}

/// The parts of archives, in order. An archive is opened for its first part.
pub(super) struct Plan<'s, 'f> {
    sources: &'s [Source<'f>],
    /// The index of the next archive.
    next: usize,
    open: Option<OpenSource<'f>>,
}

/// An open archive, and the number of its next part.
struct OpenSource<'f> {
    index: usize,
    source: Source<'f>,
    opened: OpenArchive,
    /// The 0-based number of the next part.
    next_part: u64,
    /// The number of all parts.
    parts: u64,
}

impl<'f> OpenSource<'f> {
    /// Opens an archive. Its next part is the one in which reading begins.
    fn open(index: usize, source: &Source<'f>) -> Result<Self, Error> {
        let opened = source.archive.open()?;
        let bytes = source.archive.bytes;
        // A part needs its first record: an index lists it, and in a gzip file it can be searched for.
        let is_divided = match &opened {
            OpenArchive::File(_) => {
                source.listed.is_some() || begins_with_gzip(ArchiveReader::new(&opened, 0))
            }
            OpenArchive::Stream(_) => false,
        };
        let parts = if is_divided {
            bytes.div_ceil(PART_BYTES).max(1)
        } else {
            1
        };
        let part_of_start = source.start.offset().div_euclid(PART_BYTES);
        Ok(Self {
            index,
            source: *source,
            opened,
            next_part: part_of_start.min(parts.saturating_sub(1)),
            parts,
        })
    }

    /// Returns the next part, and advances past it; `None` after the last. Skips parts in which an index lists no record.
    fn take_part(&mut self) -> Option<Part<'f>> {
        let source = self.source;
        while self.next_part < self.parts {
            let from = self.next_part.saturating_mul(PART_BYTES);
            self.next_part = self.next_part.saturating_add(1);
            let until = if self.next_part >= self.parts {
                // The last part has all records from its offset on.
                u64::MAX
            } else {
                self.next_part.saturating_mul(PART_BYTES)
            };
            let start = if source.listed.is_some() {
                let from = from.max(source.start.offset());
                let first = source.next_listed(from);
                let Some(first) = first.filter(|&offset| offset < until) else {
                    continue;
                };
                Some(Start::Listed(first))
            } else {
                // Only the first part that is read begins at a place that is known.
                let is_first = source.start.offset() >= from;
                is_first.then_some(source.start)
            };
            return Some(Part {
                index: self.index,
                source,
                opened: self.opened.clone(),
                from,
                start,
                until,
            });
        }
        None
    }
}

impl<'s, 'f> Plan<'s, 'f> {
    pub(super) fn new(sources: &'s [Source<'f>]) -> Self {
        Self {
            sources,
            next: 0,
            open: None,
        }
    }
}

impl<'f> Iterator for Plan<'_, 'f> {
    /// The index of the archive, and one of its parts or the error of opening it.
    type Item = (usize, Result<Part<'f>, Error>);

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            if let Some(part) = self.open.as_mut().and_then(OpenSource::take_part) {
                return Some((part.index, Ok(part)));
            }
            self.open = None;
            let index = self.next;
            let source = self.sources.get(index)?;
            self.next = index.saturating_add(1);
            // An index without a record of this archive: the archive is not opened.
            if source.listed.is_some_and(<[u64]>::is_empty) {
                continue;
            }
            match OpenSource::open(index, source) {
                Ok(open) => self.open = Some(open),
                Err(error) => return Some((index, Err(error))),
            }
        }
    }
}
