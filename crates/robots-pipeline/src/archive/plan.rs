//! The parts into which archives are divided.

use super::source::{FileAt, Source, begins_with_gzip};
use crate::error::Error;
use robots_archive::ArchiveFormat;
use serde::{Deserialize, Serialize};
use std::fs::File;
use std::sync::Arc;

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
    pub(super) file: Arc<File>,
    /// The offset of the part, from which the first record is searched for unless `start` is known.
    pub(super) from: u64,
    /// The place of the first record, if it is known.
    pub(super) start: Option<Start>,
    /// The end: records that begin here or later belong to other parts.
    pub(super) until: u64,
}

/// The parts of archives, in order. An archive is opened for its first part.
pub(super) struct Plan<'s, 'f> {
    sources: &'s [Source<'f>],
    /// The index of the next archive.
    next: usize,
    open: Option<OpenSource<'f>>,
}

/// An open archive, with the remaining parts.
struct OpenSource<'f> {
    index: usize,
    source: Source<'f>,
    file: Arc<File>,
    /// The 0-based number of the next part.
    part: u64,
    /// The number of all parts.
    parts: u64,
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
            if let Some(open) = &mut self.open
                && open.part < open.parts
            {
                let number = open.part;
                open.part = number.saturating_add(1);
                let from = number.saturating_mul(PART_BYTES);
                let until = if open.part >= open.parts {
                    u64::MAX
                } else {
                    open.part.saturating_mul(PART_BYTES)
                };
                let source = open.source;
                let is_first = source.start.offset() >= from;
                let mut start = is_first.then_some(source.start);
                if source.listed.is_some() {
                    let from = from.max(source.start.offset());
                    start = source.next_listed(from).map(Start::Listed);
                    if start.is_none_or(|start| start.offset() >= until) {
                        continue;
                    }
                }
                let part = Part {
                    index: open.index,
                    source,
                    file: Arc::clone(&open.file),
                    from,
                    start,
                    until,
                };
                return Some((open.index, Ok(part)));
            }
            let index = self.next;
            let source = self.sources.get(index)?;
            self.next = index.saturating_add(1);
            if source.listed.is_some_and(<[u64]>::is_empty) {
                continue;
            }
            match source.archive.open() {
                Ok(file) => {
                    let bytes = source.archive.bytes;
                    let parts = match source.listed {
                        Some(_) => bytes.div_ceil(PART_BYTES).max(1),
                        None => parts_of(&file, bytes),
                    };
                    let part = source.start.offset().div_euclid(PART_BYTES);
                    self.open = Some(OpenSource {
                        index,
                        source: *source,
                        file,
                        part: part.min(parts.saturating_sub(1)),
                        parts,
                    });
                }
                Err(error) => {
                    self.open = None;
                    return Some((index, Err(error)));
                }
            }
        }
    }
}

/// Returns the number of parts of an archive of this size.
fn parts_of(file: &File, bytes: u64) -> u64 {
    if begins_with_gzip(FileAt::new(file, 0)) {
        bytes.div_ceil(PART_BYTES).max(1)
    } else {
        1
    }
}
