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
use crate::archive::{GZIP, Item, Packing, Reader, Room};
use anyhow::{Context, Result, anyhow, bail};
use std::collections::VecDeque;
use std::fs::File;
use std::io::{self, Read};
use std::sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel};
use std::sync::{Mutex, PoisonError};
use std::thread;

/// How many bytes of a gzip file a part has: 1 MiB.
const PART: u64 = 1 << 20;

/// How many bytes of entries are handed over at once, about.
const BATCH: usize = 256 << 10;

/// How many batches of a part wait to be taken.
const BATCHES: usize = 2;

/// How many parts are begun for each thread.
const AHEAD: usize = 2;

/// An archive.
#[derive(Debug, Clone, Copy)]
pub(super) struct Source<'f> {
    pub(super) name: &'f str,
    pub(super) file: &'f File,
    pub(super) bytes: u64,
}

/// Who takes the entries, in order.
pub(super) trait Taker {
    /// Takes an entry of the archive of this index.
    ///
    /// # Errors
    ///
    /// What ends all of it.
    fn take(&mut self, source: usize, entry: Entry) -> Result<()>;

    /// So many bytes of the archive of this index are done.
    fn done(&mut self, source: usize, bytes: u64);

    /// The archive of this index cannot be read, or not to its end.
    fn failed(&mut self, source: usize, error: anyhow::Error);
}

/// Where a part begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Start {
    /// At the beginning of the archive.
    First,
    /// At this offset, in what the archive is.
    At(u64, Packing),
}

impl Start {
    fn offset(self) -> u64 {
        match self {
            Self::First => 0,
            Self::At(offset, _) => offset,
        }
    }
}

/// What a thread says of a part.
enum Message {
    /// Where it begins; not at all if no record seems to begin in it.
    Start(Option<Start>),
    Batch(Vec<Entry>),
    End(Result<End>),
}

/// How a part ended.
#[derive(Debug, Clone, Copy)]
struct End {
    packing: Packing,
    /// Where the next record begins; nowhere if this was the last.
    next: Option<u64>,
}

/// A part of an archive.
#[derive(Debug, Clone, Copy)]
struct Part {
    /// The index of the archive.
    source: usize,
    number: u64,
    /// Records that begin here or behind are of other parts.
    until: u64,
}

/// A part to be read.
struct Job {
    part: Part,
    out: SyncSender<Message>,
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
    let counts: Vec<u64> = sources.iter().map(parts_of).collect();
    let mut parts = counts.iter().enumerate().flat_map(|(source, &count)| {
        (0..count).map(move |part| Part {
            source,
            number: part,
            until: end_of(part, count),
        })
    });
    if threads <= 1 {
        let mut chain = None;
        return parts.try_for_each(|part| {
            chain_of(&mut chain, sources, part.source)?.read(part.until, records, taker)
        });
    }
    let all = counts.iter().copied().fold(0, u64::saturating_add);
    let threads = usize::try_from(all).map_or(threads, |all| threads.min(all));
    let (jobs, queue) = channel();
    let queue = Mutex::new(queue);
    thread::scope(|scope| {
        for _ in 0..threads {
            thread::Builder::new()
                .spawn_scoped(scope, || work_off(&queue, sources, records))
                .context("cannot start a thread")?;
        }
        let most = threads.saturating_mul(AHEAD);
        let done = take_in_order(sources, parts, most, &jobs, records, taker);
        // Then the threads have nothing more to do.
        drop(jobs);
        done
    })
}

/// Has parts read, so many at most ahead of the one that is taken.
fn take_in_order(
    sources: &[Source<'_>],
    mut parts: impl Iterator<Item = Part>,
    most: usize,
    jobs: &Sender<Job>,
    records: &Records<'_>,
    taker: &mut impl Taker,
) -> Result<()> {
    let mut window: VecDeque<(Part, Receiver<Message>)> = VecDeque::new();
    let mut chain: Option<Chain<'_>> = None;
    loop {
        while window.len() < most
            && let Some(part) = parts.next()
        {
            let read = chain.as_ref().filter(|chain| chain.index == part.source);
            if read.is_some_and(|chain| chain.start(part.until).is_none()) {
                // It is within what was read.
                continue;
            }
            let (out, messages) = sync_channel(BATCHES);
            jobs.send(Job { part, out })
                .map_err(|_| anyhow!("no thread is left"))?;
            window.push_back((part, messages));
        }
        let Some((part, messages)) = window.pop_front() else {
            return Ok(());
        };
        chain_of(&mut chain, sources, part.source)?.take(part.until, messages, records, taker)?;
    }
}

/// The chain of an archive: the one at hand, or a new one.
fn chain_of<'c, 'f>(
    chain: &'c mut Option<Chain<'f>>,
    sources: &[Source<'f>],
    index: usize,
) -> Result<&'c mut Chain<'f>> {
    if chain.as_ref().is_none_or(|chain| chain.index != index) {
        *chain = sources.get(index).map(|source| Chain::new(index, *source));
    }
    chain.as_mut().context("a source that is none")
}

/// How many parts an archive is cut into.
fn parts_of(source: &Source<'_>) -> u64 {
    let mut start = Vec::new();
    let read = at(source.file, 0)
        .take(GZIP.len() as u64)
        .read_to_end(&mut start);
    if read.is_ok() && start == GZIP {
        source.bytes.div_ceil(PART).max(1)
    } else {
        1
    }
}

/// Up to where records begin in a part.
fn end_of(part: u64, parts: u64) -> u64 {
    let next = part.saturating_add(1);
    if next >= parts {
        u64::MAX
    } else {
        next.saturating_mul(PART)
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
        let start = match part.number {
            0 => Some(Start::First),
            number => find(source, number.saturating_mul(PART), part.until, &mut room),
        };
        let is_wanted = out.send(Message::Start(start)).is_ok();
        let Some(start) = start.filter(|_| is_wanted) else {
            continue;
        };
        let ended = read_part(
            source,
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
fn find(source: &Source<'_>, from: u64, until: u64, room: &mut Room) -> Option<Start> {
    let found = Reader::find(at(source.file, from), from, until, room);
    let (offset, packing) = found.ok().flatten()?;
    (offset < until).then_some(Start::At(offset, packing))
}

/// Reads the records that begin in a part, from its start or from that of the file; gives their entries in
/// batches, as long as they are wanted.
fn read_part(
    source: &Source<'_>,
    start: Start,
    until: u64,
    records: &Records<'_>,
    room: &mut Room,
    give: &mut impl FnMut(Vec<Entry>) -> bool,
) -> Result<End> {
    let name = source.name;
    let reader = match start {
        Start::At(offset, packing) => {
            Some(Reader::at(at(source.file, offset), offset, packing, room))
        }
        Start::First => Reader::open_in(at(source.file, 0), room)
            .with_context(|| format!("cannot read {name}"))?,
    };
    let Some(reader) = reader else {
        if source.bytes == 0 {
            bail!("{name}: an empty file; left out");
        }
        bail!("{name}: neither a WARC nor an ARC file (plain or gzip); left out");
    };
    let mut reader = reader.until(until);
    let mut entries = Vec::new();
    let mut bytes = 0_usize;
    let mut weighed = 0;
    let failed = loop {
        let item = match reader.next_item() {
            Ok(Some(item)) => item,
            Ok(None) => break None,
            Err(error) => break Some(error),
        };
        records.read(source, &item, &mut entries);
        if let Item::Record(record) = item {
            reader.recycle(record);
        }
        let new = entries.get(weighed..).unwrap_or_default();
        bytes = new
            .iter()
            .map(Entry::bytes)
            .fold(bytes, usize::saturating_add);
        weighed = entries.len();
        if bytes >= BATCH {
            (bytes, weighed) = (0, 0);
            if !give(std::mem::take(&mut entries)) {
                break None;
            }
        }
    };
    if !entries.is_empty() {
        give(entries);
    }
    if let Some(error) = failed {
        return Err(error).with_context(|| format!("cannot read on in {name}"));
    }
    let end = End {
        packing: reader.packing(),
        next: reader.stopped_at(),
    };
    reader.into_room(room);
    Ok(end)
}

/// The parts of one archive that were taken: each begins where the one before it ended.
struct Chain<'f> {
    index: usize,
    source: Source<'f>,
    /// Where the next record begins; nowhere at the end.
    next: Option<Start>,
    room: Room,
}

impl<'f> Chain<'f> {
    fn new(index: usize, source: Source<'f>) -> Self {
        Self {
            index,
            source,
            next: Some(Start::First),
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
                    self.end(ended, taker);
                    return Ok(());
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
        let ended = read_part(&self.source, start, until, records, room, &mut |batch| {
            taken = batch
                .into_iter()
                .try_for_each(|entry| taker.take(index, entry));
            taken.is_ok()
        });
        taken?;
        self.end(ended, taker);
        Ok(())
    }

    /// Notes how a part ended.
    fn end(&mut self, ended: Result<End>, taker: &mut impl Taker) {
        let before = self.offset();
        self.next = match ended {
            Ok(End { packing, next }) => next.map(|next| Start::At(next, packing)),
            Err(error) => {
                taker.failed(self.index, error);
                None
            }
        };
        taker.done(self.index, self.offset().saturating_sub(before));
    }

    /// How many bytes are done.
    fn offset(&self) -> u64 {
        self.next.map_or(self.source.bytes, Start::offset)
    }
}

/// A file from an offset on, which other threads read too.
fn at(file: &File, offset: u64) -> At<'_> {
    At { file, offset }
}

#[derive(Debug)]
struct At<'f> {
    file: &'f File,
    offset: u64,
}

impl Read for At<'_> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        #[cfg(unix)]
        let count = std::os::unix::fs::FileExt::read_at(self.file, into, self.offset)?;
        #[cfg(windows)]
        let count = std::os::windows::fs::FileExt::seek_read(self.file, into, self.offset)?;
        self.offset = self.offset.saturating_add(count as u64);
        Ok(count)
    }
}
