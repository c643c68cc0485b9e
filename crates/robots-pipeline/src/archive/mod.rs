//! Archives read in parts by several threads, with their entries in order.
//!
//! A gzip file is cut every mebibyte; any other file is one part. Records belong to the part in which they begin. The
//! thread that reads a part searches for the first gzip member in it that begins with a record. The end of the part
//! before shows whether that member was the right one; if not, the part is read again from the right place. So the
//! entries depend neither on the number of threads nor on bytes that look like a record.
//!
//! Parts are begun in order, and only a few ahead of the part that is consumed: memory is bounded, and one slow record
//! does not stop the other threads.

mod part;
mod plan;
mod source;

pub(crate) use plan::Start;
pub(crate) use source::Source;

use crate::error::{Error, Halt};
use crate::extract::{Entry, Extractor};
use crate::ordered::{Pool, with_pool};
use part::{find_start, read_part};
use plan::{PART_BYTES, Part, Plan};
use robots_archive::Buffers;
use std::collections::VecDeque;
use std::fs::File;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, SyncSender};

/// The number of batches of a part that wait to be consumed.
const BATCHES: usize = 2;

/// The number of parts that are begun for each thread.
const AHEAD: usize = 2;

/// A consumer of entries, in order.
pub(crate) trait Consumer {
    /// Consumes an entry of the archive of this index.
    ///
    /// # Errors
    ///
    /// If reading is to end.
    fn consume(&mut self, source: usize, entry: Entry) -> Result<(), Halt>;

    /// Notes the end of a part of the archive of this index, which had this number of bytes. The next part begins at
    /// `next`; there is none at the end of the archive.
    ///
    /// # Errors
    ///
    /// If reading is to end.
    fn end_part(&mut self, source: usize, bytes: u64, next: Option<Start>) -> Result<(), Halt>;

    /// Notes that the archive of this index cannot be read, or not to its end.
    fn fail(&mut self, source: usize, error: Error);
}

/// A message about a part, from the thread that reads it.
enum Message {
    /// The place at which the part begins, if a record seems to begin in it.
    Start(Option<Start>),
    Batch(Vec<Entry>),
    /// The place at which the next part begins; none at the end of the archive.
    End(Result<Option<Start>, Error>),
}

/// A part that a thread reads, with its messages.
type BegunPart = (Part, Receiver<Message>);

/// Reads archives with this number of threads.
///
/// # Errors
///
/// The errors of the consumer.
pub(crate) fn read_archives(
    sources: &[Source<'_>],
    threads: usize,
    extractor: &Extractor<'_>,
    consumer: &mut impl Consumer,
) -> Result<(), Halt> {
    let mut plan = Plan::new(sources);
    if threads <= 1 {
        let mut chain = None;
        return plan.try_for_each(|(index, part)| match part {
            Ok(part) => chain_of(&mut chain, sources, &part)?.read(part.until, extractor, consumer),
            Err(error) => skip_source(sources, index, error, consumer),
        });
    }
    // More threads than parts would have no work.
    let most_parts = |source: &Source<'_>| {
        source
            .archive
            .bytes
            .div_euclid(PART_BYTES)
            .saturating_add(1)
    };
    let parts = sources.iter().map(most_parts).fold(0, u64::saturating_add);
    let threads = usize::try_from(parts).map_or(threads, |parts| threads.min(parts));
    let worker = || {
        let mut buffers = Buffers::default();
        move |part: Part, messages: &SyncSender<Message>| {
            if let Some(source) = sources.get(part.source) {
                send_part(source, &part, extractor, &mut buffers, messages);
            }
        }
    };
    with_pool(threads, BATCHES, worker, |pool| {
        let ahead = threads.saturating_mul(AHEAD);
        consume_in_order(sources, plan, ahead, pool, extractor, consumer)
    })
}

/// Reads a part, and sends its entries.
fn send_part(
    source: &Source<'_>,
    part: &Part,
    extractor: &Extractor<'_>,
    buffers: &mut Buffers,
    messages: &SyncSender<Message>,
) {
    let start = part
        .start
        .or_else(|| find_start(&part.file, part.from, part.until, buffers));
    let is_wanted = messages.send(Message::Start(start)).is_ok();
    let Some(start) = start.filter(|_| is_wanted) else {
        return;
    };
    let opened = (source, &*part.file);
    let mut give = |batch| messages.send(Message::Batch(batch)).is_ok();
    let ended = read_part(opened, start, part.until, extractor, buffers, &mut give);
    // It fails if the consumer has ended.
    messages.send(Message::End(ended)).ok();
}

/// Has parts read, with up to `ahead` of them begun, and consumes them in order.
fn consume_in_order(
    sources: &[Source<'_>],
    mut plan: Plan<'_, '_>,
    ahead: usize,
    pool: &Pool<Part, Message>,
    extractor: &Extractor<'_>,
    consumer: &mut impl Consumer,
) -> Result<(), Halt> {
    let mut begun: VecDeque<(usize, Result<BegunPart, Error>)> = VecDeque::new();
    let mut chain: Option<Chain<'_>> = None;
    loop {
        while begun.len() < ahead
            && let Some((index, part)) = plan.next()
        {
            let part = match part {
                Ok(part) => part,
                Err(error) => {
                    begun.push_back((index, Err(error)));
                    continue;
                }
            };
            let read = chain.as_ref().filter(|chain| chain.index == index);
            if read.is_some_and(|chain| chain.start(part.until).is_none()) {
                // A record of an earlier part reaches beyond its end.
                continue;
            }
            let messages = pool.submit(part.clone()).ok_or(Error::ThreadEnded)?;
            begun.push_back((index, Ok((part, messages))));
        }
        match begun.pop_front() {
            Some((_, Ok((part, messages)))) => {
                let chain = chain_of(&mut chain, sources, &part)?;
                chain.consume(part.until, messages, extractor, consumer)?;
            }
            Some((index, Err(error))) => skip_source(sources, index, error, consumer)?,
            None => return Ok(()),
        }
    }
}

/// Reports an archive that cannot be opened.
fn skip_source(
    sources: &[Source<'_>],
    index: usize,
    error: Error,
    consumer: &mut impl Consumer,
) -> Result<(), Halt> {
    consumer.fail(index, error);
    let bytes = sources.get(index).map_or(0, |source| source.archive.bytes);
    consumer.end_part(index, bytes, None)
}

/// Returns the chain of an archive: the current one, or a new one.
fn chain_of<'c, 'f>(
    chain: &'c mut Option<Chain<'f>>,
    sources: &[Source<'f>],
    part: &Part,
) -> Result<&'c mut Chain<'f>, Error> {
    let index = part.source;
    if chain.as_ref().is_none_or(|chain| chain.index != index) {
        let source = sources.get(index);
        *chain = source.map(|source| Chain::new(index, *source, &part.file));
    }
    // There is a source for each part.
    chain.as_mut().ok_or(Error::ThreadEnded)
}

/// The parts of one archive that were consumed: each begins where the one before it ended.
struct Chain<'f> {
    index: usize,
    source: Source<'f>,
    file: Arc<File>,
    /// The place of the next record; none at the end.
    next: Option<Start>,
    buffers: Buffers,
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
            buffers: Buffers::default(),
        }
    }

    /// Returns the place at which the part that ends at `until` begins; `None` if no record begins in it.
    fn start(&self, until: u64) -> Option<Start> {
        self.next.filter(|start| start.offset() < until)
    }

    /// Consumes a part that a thread reads; or reads it here, if the thread began at the wrong record.
    fn consume(
        &mut self,
        until: u64,
        messages: Receiver<Message>,
        extractor: &Extractor<'_>,
        consumer: &mut impl Consumer,
    ) -> Result<(), Halt> {
        let Some(expected) = self.start(until) else {
            return Ok(());
        };
        match messages.recv() {
            Ok(Message::Start(Some(start))) if start == expected => {}
            Ok(_) => {
                // The thread finds the channel closed and stops.
                drop(messages);
                return self.read(until, extractor, consumer);
            }
            Err(_) => return Err(Error::ThreadEnded.into()),
        }
        loop {
            match messages.recv() {
                Ok(Message::Batch(batch)) => {
                    for entry in batch {
                        consumer.consume(self.index, entry)?;
                    }
                }
                Ok(Message::End(ended)) => {
                    return self.end_part(ended, consumer);
                }
                Ok(Message::Start(_)) | Err(_) => return Err(Error::ThreadEnded.into()),
            }
        }
    }

    /// Reads and consumes the part that ends at `until`.
    fn read(
        &mut self,
        until: u64,
        extractor: &Extractor<'_>,
        consumer: &mut impl Consumer,
    ) -> Result<(), Halt> {
        let Some(start) = self.start(until) else {
            return Ok(());
        };
        let mut consumed = Ok(());
        let (index, buffers) = (self.index, &mut self.buffers);
        let opened = (&self.source, &*self.file);
        let ended = read_part(opened, start, until, extractor, buffers, &mut |batch| {
            consumed = batch
                .into_iter()
                .try_for_each(|entry| consumer.consume(index, entry));
            consumed.is_ok()
        });
        consumed?;
        self.end_part(ended, consumer)
    }

    fn end_part(
        &mut self,
        ended: Result<Option<Start>, Error>,
        consumer: &mut impl Consumer,
    ) -> Result<(), Halt> {
        let before = self.offset();
        self.next = match ended {
            Ok(next) => next,
            Err(error) => {
                consumer.fail(self.index, error);
                None
            }
        };
        let bytes = self.offset().saturating_sub(before);
        consumer.end_part(self.index, bytes, self.next)
    }

    /// Returns the number of bytes that are done.
    fn offset(&self) -> u64 {
        self.next.map_or(self.source.archive.bytes, Start::offset)
    }
}
