//! The reading of one part of an input: records or saved pages in, batches of entries out.

use super::plan::{Part, Start};
use super::source::{ArchiveReader, not_archive};
use crate::error::Error;
use crate::extract::{Entry, Extractor};
use crate::input::stream::OpenArchive;
use crate::input::{Archive, Folder, Input};
use robots_archive::{Buffers, Item, Reader};

/// The approximate size of a batch of entries: 256 KiB.
const BATCH_BYTES: usize = 256 << 10;

/// Finds the place in a part of an archive at which a record seems to begin; `None` if there is none. Also `None` if the file
/// cannot be read: the consumer then reads the part itself, and reports the error.
pub(super) fn find_start(part: &Part<'_>, buffers: &mut Buffers) -> Option<Start> {
    let archive = ArchiveReader::new(part.opened.as_ref()?, part.from);
    let found = Reader::find_record(archive, part.from, part.until, buffers);
    let (offset, format) = found.ok().flatten()?;
    (offset < part.until).then_some(Start::At(offset, format))
}

/// Reads the records or saved pages of a part from `start` to `until`, and passes their entries in batches to `send`. Stops if
/// `send` returns false. Returns the place of the first record or page after the part.
pub(super) fn read_part(
    part: &Part<'_>,
    start: Start,
    until: u64,
    extractor: &Extractor<'_>,
    buffers: &mut Buffers,
    send: &mut dyn FnMut(Vec<Entry>) -> bool,
) -> Result<Option<Start>, Error> {
    let mut batches = Batches::new(send);
    let next = match (part.source, &part.opened) {
        (Input::Archive(archive), Some(opened)) => {
            let mut reading = ArchivePart {
                archive,
                opened,
                extractor,
                buffers,
                batches: &mut batches,
            };
            match start {
                Start::Listed(from) => reading.read_listed(part, from, until),
                _ => reading.read_from(start, until),
            }
        }
        (Input::Folder(folder), _) => Ok(read_saved(folder, start, until, extractor, &mut batches)),
        // Never: the plan opens each archive.
        (Input::Archive(_), None) => Ok(None),
    };
    batches.send();
    next
}

/// Reads the saved pages of a folder, and its robots.txt before the first one.
fn read_saved(
    folder: &Folder,
    start: Start,
    until: u64,
    extractor: &Extractor<'_>,
    batches: &mut Batches<'_>,
) -> Option<Start> {
    if start.offset() == 0 {
        extractor.extract_folder(folder, &mut batches.entries);
    }
    if !extractor.pages {
        return None;
    }
    let start = usize::try_from(start.offset()).unwrap_or(usize::MAX);
    for (index, page) in (0..).zip(&folder.pages).skip(start) {
        if index >= until {
            return Some(Start::Page(until));
        }
        extractor.extract_saved(folder, index, page, &mut batches.entries);
        if !batches.send_if_full() || extractor.observer.is_stopped() {
            break;
        }
    }
    None
}

/// The reading of a part of an archive.
struct ArchivePart<'p, 's> {
    archive: &'p Archive,
    opened: &'p OpenArchive,
    extractor: &'p Extractor<'p>,
    buffers: &'p mut Buffers,
    batches: &'p mut Batches<'s>,
}

impl ArchivePart<'_, '_> {
    /// Reads the records from a place up to an offset. Returns the place of the next one.
    fn read_from(&mut self, start: Start, until: u64) -> Result<Option<Start>, Error> {
        let archive = ArchiveReader::new(self.opened, start.offset());
        let reader = if let Start::At(offset, format) = start {
            Reader::resume_at(archive, offset, format, self.buffers)
        } else {
            let opened = Reader::open_with(archive, self.buffers);
            opened.map_err(Error::io("read", &self.archive.name))?
        };
        let Some(reader) = reader else {
            return Err(self.not_archive());
        };
        self.read_records(reader.seekable().until(until))
    }

    /// Reads the records that an index lists, from one offset up to another. Returns the place of the next one.
    fn read_listed(
        &mut self,
        part: &Part<'_>,
        from: u64,
        until: u64,
    ) -> Result<Option<Start>, Error> {
        let mut next = Some(from).filter(|&offset| offset < until);
        while let Some(offset) = next {
            let archive = ArchiveReader::new(self.opened, offset);
            let opened = Reader::open_at(archive, offset, self.buffers);
            if let Some(reader) = opened.map_err(Error::io("read", &self.archive.name))? {
                // Reads the record at this offset, and no later one.
                self.read_records(reader.seekable().until(offset + 1))?;
            } else {
                let name = &self.archive.name;
                let entries = &mut self.batches.entries;
                self.extractor.report_no_record(name, offset, entries);
            }
            next = part
                .next_listed(offset + 1)
                .filter(|&offset| offset < until);
        }
        Ok(part.next_listed(until).map(Start::Listed))
    }

    /// Returns the error for an input that is not an archive.
    fn not_archive(&self) -> Error {
        let name = self.archive.name.clone();
        match ArchiveReader::new(self.opened, 0) {
            ArchiveReader::File(file) => not_archive(name, self.archive.bytes == 0, file),
            ArchiveReader::Stream(stream) => {
                not_archive(name, stream.start().is_empty(), stream.start())
            }
        }
    }

    /// Reads the records of a reader. Returns the place at which it stopped.
    fn read_records(
        &mut self,
        mut reader: Reader<ArchiveReader<'_>>,
    ) -> Result<Option<Start>, Error> {
        let name = &self.archive.name;
        loop {
            let item = reader.next_item();
            let Some(item) = item.map_err(Error::io("continue reading", name))? else {
                break;
            };
            self.extractor
                .extract(name, &item, &mut self.batches.entries);
            if let Item::Record(record) = item {
                reader.recycle(record);
            }
            // The consumer checks for a stop, too: an early end is not taken for the end of the archive.
            if !self.batches.send_if_full() || self.extractor.observer.is_stopped() {
                break;
            }
        }
        let format = reader.archive_format();
        let next = reader.stopped_at().map(|next| Start::At(next, format));
        reader.into_buffers(self.buffers);
        Ok(next)
    }
}

/// A collector of entries into batches.
struct Batches<'s> {
    entries: Vec<Entry>,
    /// The number of entries whose size is in `bytes`.
    measured: usize,
    bytes: usize,
    send: &'s mut dyn FnMut(Vec<Entry>) -> bool,
}

impl<'s> Batches<'s> {
    fn new(send: &'s mut dyn FnMut(Vec<Entry>) -> bool) -> Self {
        Self {
            entries: Vec::new(),
            measured: 0,
            bytes: 0,
            send,
        }
    }

    /// Sends the entries if they are enough for a batch. Returns whether more are wanted.
    fn send_if_full(&mut self) -> bool {
        let new = self.entries.get(self.measured..).unwrap_or_default();
        self.bytes += new.iter().map(Entry::bytes).sum::<usize>();
        self.measured = self.entries.len();
        self.bytes < BATCH_BYTES || self.send()
    }

    /// Sends the entries. Returns whether more are wanted.
    fn send(&mut self) -> bool {
        (self.bytes, self.measured) = (0, 0);
        let entries = std::mem::take(&mut self.entries);
        entries.is_empty() || (self.send)(entries)
    }
}
