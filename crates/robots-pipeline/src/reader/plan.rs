//! The parts into which inputs are divided.

use super::Reading;
use super::source::{ArchiveReader, begins_with_gzip};
use crate::error::Error;
use crate::input::Input;
use crate::input::stream::OpenArchive;
use robots_archive::ArchiveFormat;
use serde::{Deserialize, Serialize};

/// The size of a part of a gzip file: 1 MiB.
pub(super) const PART_BYTES: u64 = 1 << 20;

/// The number of saved pages of a part of a folder.
pub(super) const PART_PAGES: u64 = 64;

/// The place at which reading begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Start {
    /// The beginning of the input.
    First,
    /// This offset, in an archive of this format.
    At(u64, ArchiveFormat),
    /// This offset, from an index.
    Listed(u64),
    /// The saved page of this index in a folder.
    Page(u64),
}

impl Start {
    /// Returns the offset in an archive, or the index of a page in a folder.
    pub(crate) fn offset(self) -> u64 {
        match self {
            Self::First => 0,
            Self::At(offset, _) | Self::Listed(offset) | Self::Page(offset) => offset,
        }
    }
}

/// A part of an input.
#[derive(Clone)]
pub(super) struct Part<'a> {
    /// The index of the input.
    pub(super) input: usize,
    pub(super) source: &'a Input,
    /// The open archive; `None` for a folder.
    pub(super) opened: Option<OpenArchive>,
    /// The offsets of the wanted records, in order, unless all are wanted.
    pub(super) listed: Option<&'a [u64]>,
    /// The offset of the part, from which the first record is searched for unless `start` is known.
    pub(super) from: u64,
    /// The place of the first record, if it is known.
    pub(super) start: Option<Start>,
    /// The offset of the end: records that begin at it or later belong to other parts.
    pub(super) until: u64,
}

impl Part<'_> {
    /// Returns the place of the first listed record at or after an offset.
    pub(super) fn next_listed(&self, from: u64) -> Option<u64> {
        let offsets = self.listed?;
        let at = offsets.partition_point(|&offset| offset < from);
        offsets.get(at).copied()
    }
}

/// The parts of inputs, in order. An archive is opened for its first part.
pub(super) struct Plan<'r, 'a> {
    reading: &'r Reading<'a>,
    /// The index of the next input.
    next: usize,
    open: Option<OpenInput<'a>>,
}

/// An open input, and the number of its next part.
struct OpenInput<'a> {
    /// A part whose other parts differ in their places only.
    part: Part<'a>,
    /// The place at which reading of the input begins.
    begin: Start,
    /// The size of a part.
    step: u64,
    /// The 0-based number of the next part.
    next_part: u64,
    /// The number of all parts.
    parts: u64,
}

impl<'a> OpenInput<'a> {
    /// Opens an input. Its next part is the one in which reading begins.
    fn open(
        input: usize,
        source: &'a Input,
        listed: Option<&'a [u64]>,
        begin: Start,
    ) -> Result<Self, Error> {
        let (opened, step, parts) = match source {
            Input::Folder(folder) => {
                let parts = (folder.pages.len() as u64).div_ceil(PART_PAGES);
                (None, PART_PAGES, parts)
            }
            Input::Archive(archive) => {
                let opened = archive.open()?;
                // A part needs its first record: an index lists it, and in a gzip file it can be searched for.
                let is_divided = match &opened {
                    OpenArchive::File(_) => {
                        listed.is_some() || begins_with_gzip(ArchiveReader::new(&opened, 0))
                    }
                    OpenArchive::Stream(_) => false,
                };
                let parts = if is_divided {
                    archive.bytes.div_ceil(PART_BYTES)
                } else {
                    1
                };
                (Some(opened), PART_BYTES, parts)
            }
        };
        let parts = parts.max(1);
        Ok(Self {
            part: Part {
                input,
                source,
                opened,
                listed,
                from: 0,
                start: None,
                until: 0,
            },
            begin,
            step,
            next_part: (begin.offset() / step).min(parts - 1),
            parts,
        })
    }

    /// Returns the next part, and advances past it; `None` after the last. Skips parts in which an index lists no record.
    fn take_part(&mut self) -> Option<Part<'a>> {
        while self.next_part < self.parts {
            let from = self.next_part * self.step;
            self.next_part += 1;
            let until = if self.next_part == self.parts {
                // The last part has all records from its offset on.
                u64::MAX
            } else {
                self.next_part * self.step
            };
            let start = if self.part.listed.is_some() {
                let first = self.part.next_listed(from.max(self.begin.offset()));
                let Some(first) = first.filter(|&offset| offset < until) else {
                    continue;
                };
                Some(Start::Listed(first))
            } else if self.begin.offset() >= from {
                // The first part that is read.
                Some(self.begin)
            } else if self.part.opened.is_none() {
                Some(Start::Page(from))
            } else {
                None
            };
            return Some(Part {
                from,
                start,
                until,
                ..self.part.clone()
            });
        }
        None
    }
}

impl<'r, 'a> Plan<'r, 'a> {
    pub(super) fn new(reading: &'r Reading<'a>) -> Self {
        Self {
            reading,
            next: reading.from.0,
            open: None,
        }
    }
}

impl<'a> Iterator for Plan<'_, 'a> {
    /// A part, or the index of an input with the error of opening it.
    type Item = Result<Part<'a>, (usize, Error)>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            if let Some(part) = self.open.as_mut().and_then(OpenInput::take_part) {
                return Some(Ok(part));
            }
            self.open = None;
            let index = self.next;
            let source = self.reading.inputs.get(index)?;
            self.next += 1;
            let listed = self.reading.listed.and_then(|listed| listed.get(index));
            let listed = listed
                .filter(|_| source.archive().is_some())
                .map(Vec::as_slice);
            // An index without a record of this archive: the archive is not opened.
            if listed.is_some_and(<[u64]>::is_empty) {
                continue;
            }
            let (first, begin) = self.reading.from;
            let begin = if index == first { begin } else { Start::First };
            match OpenInput::open(index, source, listed, begin) {
                Ok(open) => self.open = Some(open),
                Err(error) => return Some(Err((index, error))),
            }
        }
    }
}
