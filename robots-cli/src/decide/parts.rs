//! Archives read in parts, by many threads, and their entries given in order.
//!
//! A gzip file is cut every mebibyte. What begins in a part is read by one thread, which looks for the first
//! member in it that begins with a record; it ends with the first record that begins behind the part. Where the part
//! before it ended tells whether that member was the right one: if not, the part is read again from there. So the
//! parts, and all that is in them, do not depend on how many threads there are, nor on what looks like a record
//! and is none. A plain file is one part.
//!
//! Parts are begun in order, and no more than a few ahead of the one that is taken: memory is bounded, and one slow
//! record does not stop the others.

use super::entry::{Entry, Records};
use super::source::{At, Source, at};
use crate::archive::{GZIP, Item, Packing, Reader, Room};
use anyhow::{Context, Result, anyhow, bail};
use flate2::read::GzDecoder;
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;
use std::fs::File;
use std::io::Read;
use std::sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

/// How many bytes of a gzip file a part has: 1 MiB.
const PART: u64 = 1 << 20;

/// How many bytes of entries are handed over at once, about.
const BATCH: usize = 256 << 10;

/// How many batches of a part wait to be taken.
const BATCHES: usize = 2;

/// How many parts are begun for each thread.
const AHEAD: usize = 2;

/// Who takes the entries, in order.
pub(super) trait Taker {
    /// Takes an entry of the archive of this index.
    ///
    /// # Errors
    ///
    /// What ends all of it.
    fn take(&mut self, source: usize, entry: Entry) -> Result<()>;

    /// A part of the archive of this index is done: so many bytes. What follows begins there; nothing does at the
    /// end.
    ///
    /// # Errors
    ///
    /// What ends all of it.
    fn done(&mut self, source: usize, bytes: u64, next: Option<Start>) -> Result<()>;

    /// The archive of this index cannot be read, or not to its end.
    fn failed(&mut self, source: usize, error: anyhow::Error);
}

/// Where a part begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Start {
    /// At the beginning of the archive.
    First,
    /// At this offset, in what the archive is.
    At(u64, Packing),
    /// At this offset, as an index says.
    Listed(u64),
}

impl Start {
    pub(super) fn offset(self) -> u64 {
        match self {
            Self::First => 0,
            Self::At(offset, _) | Self::Listed(offset) => offset,
        }
    }
}

/// What a thread says of a part.
enum Message {
    /// Where it begins; not at all if no record seems to begin in it.
    Start(Option<Start>),
    Batch(Vec<Entry>),
    /// How it ended: where the next one begins; nowhere if this was the last.
    End(Result<Option<Start>>),
}

/// A part of an archive.
#[derive(Debug, Clone)]
struct Part {
    /// The index of the archive.
    source: usize,
    file: Arc<File>,
    /// From where on the first record is looked for, if it is not known where it begins.
    from: u64,
    start: Option<Start>,
    /// Records that begin here or behind are of other parts.
    until: u64,
}

/// A part to be read.
struct Job {
    part: Part,
    out: SyncSender<Message>,
}

/// A part that was begun, and what is said of it.
type Begun = (Part, Receiver<Message>);

/// The parts of archives, in order. An archive is opened when its first part is asked for.
struct Plan<'s, 'f> {
    sources: &'s [Source<'f>],
    /// The archive that is next.
    next: usize,
    open: Option<OpenSource>,
}

/// An archive of which parts are still to be given.
struct OpenSource {
    index: usize,
    file: Arc<File>,
    start: Start,
    /// The number of the part that is next.
    part: u64,
    parts: u64,
}

impl<'s, 'f> Plan<'s, 'f> {
    fn new(sources: &'s [Source<'f>]) -> Self {
        Self {
            sources,
            next: 0,
            open: None,
        }
    }
}

impl Iterator for Plan<'_, '_> {
    /// The index of the archive, and a part of it, unless it cannot be opened.
    type Item = (usize, Result<Part>);

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            if let Some(open) = &mut self.open
                && open.part < open.parts
            {
                let number = open.part;
                open.part = number.saturating_add(1);
                let from = number.saturating_mul(PART);
                let until = if open.part >= open.parts {
                    u64::MAX
                } else {
                    open.part.saturating_mul(PART)
                };
                let is_first = open.start.offset() >= from;
                let mut start = is_first.then_some(open.start);
                let source = self.sources.get(open.index)?;
                if source.listed.is_some() {
                    let from = from.max(open.start.offset());
                    start = source.next_listed(from).map(Start::Listed);
                    if start.is_none_or(|start| start.offset() >= until) {
                        continue;
                    }
                }
                let part = Part {
                    source: open.index,
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
                        Some(_) => bytes.div_ceil(PART).max(1),
                        None => parts_of(&file, bytes),
                    };
                    let part = source.start.offset().div_euclid(PART);
                    self.open = Some(OpenSource {
                        index,
                        file,
                        start: source.start,
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

/// Reads archives with so many threads.
///
/// # Errors
///
/// What the taker gives.
pub(super) fn each(
    sources: &[Source<'_>],
    threads: usize,
    records: &Records<'_>,
    taker: &mut impl Taker,
) -> Result<()> {
    let mut plan = Plan::new(sources);
    if threads <= 1 {
        let mut chain = None;
        return plan.try_for_each(|(index, part)| match part {
            Ok(part) => chain_of(&mut chain, sources, &part)?.read(part.until, records, taker),
            Err(error) => {
                taker.failed(index, error);
                Ok(())
            }
        });
    }
    // No more threads than there may be parts.
    let most_parts = |source: &Source<'_>| source.archive.bytes.div_euclid(PART).saturating_add(1);
    let parts = sources.iter().map(most_parts).fold(0, u64::saturating_add);
    let threads = usize::try_from(parts).map_or(threads, |parts| threads.min(parts));
    let (jobs, queue) = channel();
    let queue = Mutex::new(queue);
    thread::scope(|scope| {
        for _ in 0..threads {
            thread::Builder::new()
                .spawn_scoped(scope, || work_off(&queue, sources, records))
                .context("cannot start a thread")?;
        }
        let most = threads.saturating_mul(AHEAD);
        let done = take_in_order(sources, plan, most, &jobs, records, taker);
        // Then the threads have nothing more to do.
        drop(jobs);
        done
    })
}

/// Has parts read, so many at most ahead of the one that is taken.
fn take_in_order(
    sources: &[Source<'_>],
    mut plan: Plan<'_, '_>,
    most: usize,
    jobs: &Sender<Job>,
    records: &Records<'_>,
    taker: &mut impl Taker,
) -> Result<()> {
    let mut window: VecDeque<(usize, Result<Begun>)> = VecDeque::new();
    let mut chain: Option<Chain<'_>> = None;
    loop {
        while window.len() < most
            && let Some((index, part)) = plan.next()
        {
            let part = match part {
                Ok(part) => part,
                Err(error) => {
                    window.push_back((index, Err(error)));
                    continue;
                }
            };
            let read = chain.as_ref().filter(|chain| chain.index == index);
            if read.is_some_and(|chain| chain.start(part.until).is_none()) {
                // It is within what was read.
                continue;
            }
            let (out, messages) = sync_channel(BATCHES);
            let job = Job {
                part: part.clone(),
                out,
            };
            jobs.send(job).map_err(|_| anyhow!("no thread is left"))?;
            window.push_back((index, Ok((part, messages))));
        }
        match window.pop_front() {
            Some((_, Ok((part, messages)))) => {
                let chain = chain_of(&mut chain, sources, &part)?;
                chain.take(part.until, messages, records, taker)?;
            }
            Some((index, Err(error))) => taker.failed(index, error),
            None => return Ok(()),
        }
    }
}

/// The chain of an archive: the one at hand, or a new one.
fn chain_of<'c, 'f>(
    chain: &'c mut Option<Chain<'f>>,
    sources: &[Source<'f>],
    part: &Part,
) -> Result<&'c mut Chain<'f>> {
    let index = part.source;
    if chain.as_ref().is_none_or(|chain| chain.index != index) {
        let source = sources.get(index);
        *chain = source.map(|source| Chain::new(index, *source, &part.file));
    }
    chain.as_mut().context("a source that is none")
}

/// How many parts an archive of so many bytes is cut into.
fn parts_of(file: &File, bytes: u64) -> u64 {
    let mut start = Vec::new();
    let read = at(file, 0).take(GZIP.len() as u64).read_to_end(&mut start);
    if read.is_ok() && start == GZIP {
        bytes.div_ceil(PART).max(1)
    } else {
        1
    }
}

/// What a thread does: part after part.
fn work_off(queue: &Mutex<Receiver<Job>>, sources: &[Source<'_>], records: &Records<'_>) {
    let mut room = Room::default();
    loop {
        let job = queue.lock().unwrap_or_else(PoisonError::into_inner).recv();
        let Ok(Job { part, out }) = job else {
            return;
        };
        let Some(source) = sources.get(part.source) else {
            continue;
        };
        let start = part
            .start
            .or_else(|| find(&part.file, part.from, part.until, &mut room));
        let is_wanted = out.send(Message::Start(start)).is_ok();
        let Some(start) = start.filter(|_| is_wanted) else {
            continue;
        };
        let opened = (source, &*part.file);
        let ended = read_part(
            opened,
            start,
            part.until,
            records,
            &mut room,
            &mut |batch| out.send(Message::Batch(batch)).is_ok(),
        );
        out.send(Message::End(ended)).ok();
    }
}

/// Where the first record seems to begin in a part. What cannot be read is told by who reads up to there.
fn find(file: &File, from: u64, until: u64, room: &mut Room) -> Option<Start> {
    let found = Reader::find(at(file, from), from, until, room);
    let (offset, packing) = found.ok().flatten()?;
    (offset < until).then_some(Start::At(offset, packing))
}

/// Reads the records that begin in a part, from its start or from that of the file; gives their entries in
/// batches, as long as they are wanted. Says where the next part begins.
fn read_part(
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
        if is_gzip_in_gzip(file) {
            bail!("{name}: gzip in gzip; left out: it must be unpacked once");
        }
        bail!("{name}: neither a WARC nor an ARC file (plain, gzip or zstd); left out");
    };
    let next = read_on(reader.until(until), source, records, room, &mut batches);
    batches.give();
    next
}

/// Whether what is in a gzip file is gzip.
fn is_gzip_in_gzip(file: &File) -> bool {
    let mut start = Vec::new();
    let mut inner = GzDecoder::new(at(file, 0)).take(GZIP.len() as u64);
    inner.read_to_end(&mut start).is_ok() && start == GZIP
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
        if !batches.weigh() {
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

/// The parts of one archive that were taken: each begins where the one before it ended.
struct Chain<'f> {
    index: usize,
    source: Source<'f>,
    file: Arc<File>,
    /// Where the next record begins; nowhere at the end.
    next: Option<Start>,
    room: Room,
}

impl<'f> Chain<'f> {
    fn new(index: usize, source: Source<'f>, file: &Arc<File>) -> Self {
        Self {
            index,
            next: match source.listed {
                Some(_) => source.next_listed(source.start.offset()).map(Start::Listed),
                None => Some(source.start),
            },
            source,
            file: Arc::clone(file),
            room: Room::default(),
        }
    }

    /// Where to begin with a part that ends here; `None` if nothing begins in it.
    fn start(&self, until: u64) -> Option<Start> {
        self.next.filter(|start| start.offset() < until)
    }

    /// Takes a part as a thread reads it, or reads it here, if that began at another record.
    fn take(
        &mut self,
        until: u64,
        messages: Receiver<Message>,
        records: &Records<'_>,
        taker: &mut impl Taker,
    ) -> Result<()> {
        let Some(expected) = self.start(until) else {
            return Ok(());
        };
        match messages.recv() {
            Ok(Message::Start(Some(start))) if start == expected => {}
            Ok(_) => {
                // Nobody waits for what it reads.
                drop(messages);
                return self.read(until, records, taker);
            }
            Err(_) => bail!("a thread has ended"),
        }
        loop {
            match messages.recv() {
                Ok(Message::Batch(batch)) => {
                    for entry in batch {
                        taker.take(self.index, entry)?;
                    }
                }
                Ok(Message::End(ended)) => {
                    return self.end(ended, taker);
                }
                Ok(Message::Start(_)) | Err(_) => bail!("a thread has ended"),
            }
        }
    }

    /// Reads the part that ends here.
    fn read(&mut self, until: u64, records: &Records<'_>, taker: &mut impl Taker) -> Result<()> {
        let Some(start) = self.start(until) else {
            return Ok(());
        };
        let mut taken = Ok(());
        let (index, room) = (self.index, &mut self.room);
        let opened = (&self.source, &*self.file);
        let ended = read_part(opened, start, until, records, room, &mut |batch| {
            taken = batch
                .into_iter()
                .try_for_each(|entry| taker.take(index, entry));
            taken.is_ok()
        });
        taken?;
        self.end(ended, taker)
    }

    /// Notes how a part ended.
    fn end(&mut self, ended: Result<Option<Start>>, taker: &mut impl Taker) -> Result<()> {
        let before = self.offset();
        self.next = match ended {
            Ok(next) => next,
            Err(error) => {
                taker.failed(self.index, error);
                None
            }
        };
        let bytes = self.offset().saturating_sub(before);
        taker.done(self.index, bytes, self.next)
    }

    /// How many bytes are done.
    fn offset(&self) -> u64 {
        self.next.map_or(self.source.archive.bytes, Start::offset)
    }
}
