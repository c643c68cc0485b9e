//! A part of an archive: its records are read, and their entries handed over.

use super::entry::{Entry, Records};
use super::plan::Start;
use super::source::{At, Source, at, begins_with_gzip};
use anyhow::{Context, Result, bail};
use flate2::read::GzDecoder;
use robots_archive::{Item, Reader, Room};
use std::fs::File;

/// How many bytes of entries are handed over at once, about.
const BATCH: usize = 256 << 10;

/// Where the first record seems to begin in a part. What cannot be read is told by who reads up to there.
pub(super) fn find(file: &File, from: u64, until: u64, room: &mut Room) -> Option<Start> {
    let found = Reader::find(at(file, from), from, until, room);
    let (offset, packing) = found.ok().flatten()?;
    (offset < until).then_some(Start::At(offset, packing))
}

/// Reads the records that begin in a part, from its start or from that of the file; gives their entries in
/// batches, as long as they are wanted. Says where the next part begins.
pub(super) fn read_part(
    (source, file): (&Source<'_>, &File),
    start: Start,
    until: u64,
    records: &Records<'_>,
    room: &mut Room,
    give: &mut impl FnMut(Vec<Entry>) -> bool,
) -> Result<Option<Start>> {
    let name = &source.archive.name;
    let cannot = || format!("cannot read {name}");
    let mut batches = Batches::new(give);
    let reader = match start {
        Start::At(offset, packing) => Some(Reader::at(at(file, offset), offset, packing, room)),
        Start::First => Reader::open_in(at(file, 0), room).with_context(cannot)?,
        Start::Listed(from) => {
            let mut next = Some(from).filter(|&offset| offset < until);
            while let Some(offset) = next {
                let reader = Reader::begin_at(at(file, offset), offset, room);
                match reader.with_context(cannot)? {
                    Some(reader) => {
                        let reader = reader.until(offset.saturating_add(1));
                        read_on(reader, source, records, room, &mut batches)?;
                    }
                    None => records.missing(source, offset, &mut batches.entries),
                }
                let behind = source.next_listed(offset.saturating_add(1));
                next = behind.filter(|&offset| offset < until);
            }
            batches.give();
            return Ok(source.next_listed(until).map(Start::Listed));
        }
    };
    let Some(reader) = reader else {
        if source.archive.bytes == 0 {
            bail!("{name}: an empty file; left out");
        }
        if begins_with_gzip(GzDecoder::new(at(file, 0))) {
            bail!("{name}: gzip in gzip; left out: it must be unpacked once");
        }
        bail!("{name}: neither a WARC nor an ARC file (plain, gzip or zstd); left out");
    };
    let next = read_on(reader.until(until), source, records, room, &mut batches);
    batches.give();
    next
}

/// Reads what a reader gives. Says where it stopped.
fn read_on(
    mut reader: Reader<At<'_>>,
    source: &Source<'_>,
    records: &Records<'_>,
    room: &mut Room,
    batches: &mut Batches<'_, impl FnMut(Vec<Entry>) -> bool>,
) -> Result<Option<Start>> {
    loop {
        let item = reader.next_item_skimming(&mut |record| records.is_enough(record));
        let item = item.with_context(|| format!("cannot read on in {}", source.archive.name))?;
        let Some(item) = item else {
            break;
        };
        records.read(source, &item, &mut batches.entries);
        if let Item::Record(record) = item {
            reader.recycle(record);
        }
        // Who takes the entries looks, too: then nothing is taken for the end.
        if !batches.weigh() || records.interrupt.asked().is_some() {
            break;
        }
    }
    let packing = reader.packing();
    let next = reader.stopped_at().map(|next| Start::At(next, packing));
    reader.into_room(room);
    Ok(next)
}

/// Entries that are handed over together.
struct Batches<'g, G> {
    entries: Vec<Entry>,
    /// How many of them were weighed, and what they weigh.
    weighed: usize,
    bytes: usize,
    give: &'g mut G,
}

impl<'g, G: FnMut(Vec<Entry>) -> bool> Batches<'g, G> {
    fn new(give: &'g mut G) -> Self {
        Self {
            entries: Vec::new(),
            weighed: 0,
            bytes: 0,
            give,
        }
    }

    /// Hands over what is enough. Says whether more is wanted.
    fn weigh(&mut self) -> bool {
        let new = self.entries.get(self.weighed..).unwrap_or_default();
        let new = new.iter().map(Entry::bytes);
        self.bytes = new.fold(self.bytes, usize::saturating_add);
        self.weighed = self.entries.len();
        self.bytes < BATCH || self.give()
    }

    /// Hands over what there is. Says whether more is wanted.
    fn give(&mut self) -> bool {
        (self.bytes, self.weighed) = (0, 0);
        let entries = std::mem::take(&mut self.entries);
        entries.is_empty() || (self.give)(entries)
    }
}
