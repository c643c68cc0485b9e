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
use super::part::{find, read_part};
use super::plan::{PART, Part, Plan, Start};
use super::source::Source;
use anyhow::{Context, Result, anyhow, bail};
use robots_archive::Room;
use std::collections::VecDeque;
use std::fs::File;
use std::sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

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

/// What a thread says of a part.
enum Message {
    /// Where it begins; not at all if no record seems to begin in it.
    Start(Option<Start>),
    Batch(Vec<Entry>),
    /// How it ended: where the next one begins; nowhere if this was the last.
    End(Result<Option<Start>>),
}

/// A part to be read.
struct Job {
    part: Part,
    out: SyncSender<Message>,
}

/// A part that was begun, and what is said of it.
type Begun = (Part, Receiver<Message>);

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
            Err(error) => not_opened(sources, index, error, taker),
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
            Some((index, Err(error))) => not_opened(sources, index, error, taker)?,
            None => return Ok(()),
        }
    }
}

/// Tells of an archive that cannot be opened.
fn not_opened(
    sources: &[Source<'_>],
    index: usize,
    error: anyhow::Error,
    taker: &mut impl Taker,
) -> Result<()> {
    taker.failed(index, error);
    let bytes = sources.get(index).map_or(0, |source| source.archive.bytes);
    taker.done(index, bytes, None)
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
