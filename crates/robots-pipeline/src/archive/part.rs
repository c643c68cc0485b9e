//! The reading of one part of an archive: records in, batches of entries out.

use super::plan::Start;
use super::source::{ArchiveReader, Source, not_archive};
use crate::error::{Error, Operation};
use crate::extract::{Entry, Extractor};
use crate::input::stream::OpenArchive;
use robots_archive::{Buffers, Item, Reader};
use std::io;

/// The approximate size of a batch of entries: 256 KiB.
const BATCH_BYTES: usize = 256 << 10;

/// Finds the place in a part at which a record seems to begin; `None` if there is none. Also `None` if the file cannot be
/// read: the consumer then reads the part itself, and reports the error.
pub(super) fn find_start(
    archive: &OpenArchive,
    from: u64,
    until: u64,
    buffers: &mut Buffers,
) -> Option<Start> {
    let found = Reader::find_record(ArchiveReader::new(archive, from), from, until, buffers);
    let (offset, format) = found.ok().flatten()?;
    (offset < until).then_some(Start::At(offset, format))
}

/// Reads the records that begin in a part, and passes their entries in batches to `send`. Stops if `send` returns
/// false. Returns the place of the first record after the part.
pub(super) fn read_part(
    (source, archive): (&Source<'_>, &OpenArchive),
    start: Start,
    until: u64,
    extractor: &Extractor<'_>,
    buffers: &mut Buffers,
    send: &mut impl FnMut(Vec<Entry>) -> bool,
) -> Result<Option<Start>, Error> {
    let name = &source.archive.name;
    let cannot_read = |error: robots_archive::Error| Error::io(Operation::Read, name)(error.into());
    let mut batches = Batches::new(send);
    let reader = match start {
        Start::At(offset, format) => {
            Reader::resume_at(ArchiveReader::new(archive, offset), offset, format, buffers)
        }
        Start::First => {
            Reader::open_with(ArchiveReader::new(archive, 0), buffers).map_err(cannot_read)?
        }
        Start::Listed(from) => {
            let opened = (source, archive);
            let next = read_listed(opened, from, until, extractor, buffers, &mut batches);
            batches.send();
            return next;
        }
    };
    let Some(reader) = reader else {
        return Err(not_an_archive(source, archive));
    };
    let next = read_records(
        reader.seekable().until(until),
        source,
        extractor,
        buffers,
        &mut batches,
    );
    batches.send();
    next
}

/// Reads the records that an index lists, from one offset to another. Returns the place of the next one.
fn read_listed(
    (source, archive): (&Source<'_>, &OpenArchive),
    from: u64,
    until: u64,
    extractor: &Extractor<'_>,
    buffers: &mut Buffers,
    batches: &mut Batches<'_, impl FnMut(Vec<Entry>) -> bool>,
) -> Result<Option<Start>, Error> {
    let name = &source.archive.name;
    let cannot_read = |error: robots_archive::Error| Error::io(Operation::Read, name)(error.into());
    let mut next = Some(from).filter(|&offset| offset < until);
    while let Some(offset) = next {
        let reader = Reader::open_at(ArchiveReader::new(archive, offset), offset, buffers);
        match reader.map_err(cannot_read)? {
            Some(reader) => {
                // Reads the record at this offset, and no later one.
                let reader = reader.seekable().until(offset.saturating_add(1));
                read_records(reader, source, extractor, buffers, batches)?;
            }
            None => extractor.report_no_record(name, offset, &mut batches.entries),
        }
        let after = source.next_listed(offset.saturating_add(1));
        next = after.filter(|&offset| offset < until);
    }
    Ok(source.next_listed(until).map(Start::Listed))
}

/// Returns the error for an input that is not an archive.
fn not_an_archive(source: &Source<'_>, archive: &OpenArchive) -> Error {
    let name = source.archive.name.clone();
    match ArchiveReader::new(archive, 0) {
        ArchiveReader::File(file) => not_archive(name, source.archive.bytes == 0, file),
        ArchiveReader::Stream(stream) => {
            not_archive(name, stream.start().is_empty(), stream.start())
        }
    }
}

/// Reads the records of a reader. Returns the place at which it stopped.
fn read_records(
    mut reader: Reader<ArchiveReader<'_>>,
    source: &Source<'_>,
    extractor: &Extractor<'_>,
    buffers: &mut Buffers,
    batches: &mut Batches<'_, impl FnMut(Vec<Entry>) -> bool>,
) -> Result<Option<Start>, Error> {
    loop {
        let item = if extractor.skims {
            reader.next_item_skimming(&mut |record| extractor.is_enough(record))
        } else {
            reader.next_item()
        };
        let item = item.map_err(io::Error::from);
        let item = item.map_err(Error::io(Operation::ReadOn, &source.archive.name))?;
        let Some(item) = item else {
            break;
        };
        extractor.extract(&source.archive.name, &item, &mut batches.entries);
        if let Item::Record(record) = item {
            reader.recycle(record);
        }
        // The consumer checks for a stop, too: an early end is not taken for the end of the archive.
        if !batches.send_if_full() || extractor.observer.is_stopped() {
            break;
        }
    }
    let format = reader.archive_format();
    let next = reader.stopped_at().map(|next| Start::At(next, format));
    reader.into_buffers(buffers);
    Ok(next)
}

/// A collector of entries into batches.
struct Batches<'s, S> {
    entries: Vec<Entry>,
    /// The number of entries whose size is in `bytes`.
    measured: usize,
    bytes: usize,
    send: &'s mut S,
}

impl<'s, S: FnMut(Vec<Entry>) -> bool> Batches<'s, S> {
    fn new(send: &'s mut S) -> Self {
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
        let new = new.iter().map(Entry::bytes);
        self.bytes = new.fold(self.bytes, usize::saturating_add);
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
