//! Archives read in parts by several threads, with their entries in order.
//!
//! A gzip file is divided every mebibyte, and so is any archive that is read by an index. Any other file is one part, and so
//! is a stream.
//! Records belong to the part in which they begin. The thread that reads a part searches for the first gzip member in
//! it that begins with a record. The end of the previous part shows whether that member was the right one; if not, the
//! part is read again from the right place. So the entries depend neither on the number of threads nor on bytes that
//! look like a record.
//!
//! Parts are submitted to the threads in order, and only a few ahead of the part that is consumed. So memory is
//! bounded, and one slow record does not stop the other threads.

mod part;
mod plan;
mod source;

pub(crate) use plan::Start;
pub(crate) use source::{FileAt, Source, not_archive};

use crate::error::{Error, Halt};
use crate::extract::{Entry, Extractor};
use crate::input::stream::OpenArchive;
use crate::ordered::{Pool, with_pool};
use part::{find_start, read_part};
use plan::{PART_BYTES, Part, Plan};
use robots_archive::Buffers;
use std::collections::VecDeque;
use std::sync::mpsc::{Receiver, SyncSender};

/// The maximum number of batches of a part that wait to be consumed. Few parts have more, so a thread rarely waits at the
/// end of its part for the consumer of earlier parts.
const WAITING_BATCHES: usize = 4;

/// The maximum number of messages about a part that wait to be consumed: its start, its batches and its end.
const WAITING_MESSAGES: usize = WAITING_BATCHES + 2;

/// The maximum number of parts for each thread that are submitted before they are consumed.
const PARTS_PER_THREAD: usize = 2;

/// A consumer of entries, in order. `source` is the index of an archive among the sources that are read.
pub(crate) trait Consumer {
    /// Consumes an entry of an archive.
    ///
    /// # Errors
    ///
    /// If reading is to end.
    fn consume(&mut self, source: usize, entry: Entry) -> Result<(), Halt>;

    /// Notes the end of a part of an archive, with its number of bytes. The next part begins at `next`; `None` is the end
    /// of the archive.
    ///
    /// # Errors
    ///
    /// If reading is to end.
    fn end_part(&mut self, source: usize, bytes: u64, next: Option<Start>) -> Result<(), Halt>;

    /// Notes that an archive cannot be read, or not up to its end.
    fn fail(&mut self, source: usize, error: Error);
}

/// A message about a part, from the thread that reads it.
enum Message {
    /// The place at which reading of the part begins, if a record seems to begin in the part.
    Start(Option<Start>),
    Batch(Vec<Entry>),
    /// The place of the first record after the part; `None` at the end of the archive.
    End(Result<Option<Start>, Error>),
}

/// A part that was submitted to the threads, and the messages about it.
type SubmittedPart<'f> = (Part<'f>, Receiver<Message>);

/// Reads archives with this number of threads, and passes their entries to the consumer in order.
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
    // One thread reads the parts in turn, without a pool.
    if threads <= 1 {
        let mut cursor = None;
        return plan.try_for_each(|(index, part)| match part {
            Ok(part) => cursor_for(&mut cursor, &part).read(part.until, extractor, consumer),
            Err(error) => skip_source(sources, index, error, consumer),
        });
    }
    // More threads than parts would have no work.
    let max_parts = |source: &Source<'_>| {
        source
            .archive
            .bytes
            .div_euclid(PART_BYTES)
            .saturating_add(1)
    };
    let parts = sources.iter().map(max_parts).fold(0, u64::saturating_add);
    let threads = usize::try_from(parts).map_or(threads, |parts| threads.min(parts));
    let worker = || {
        let mut buffers = Buffers::default();
        move |part: Part<'_>, messages: &SyncSender<Message>| {
            send_part(&part, extractor, &mut buffers, messages);
        }
    };
    with_pool(threads, WAITING_MESSAGES, worker, |pool| {
        let max_submitted = threads.saturating_mul(PARTS_PER_THREAD);
        consume_in_order(sources, plan, max_submitted, pool, extractor, consumer)
    })
}

/// Reads a part, and sends its entries.
fn send_part(
    part: &Part<'_>,
    extractor: &Extractor<'_>,
    buffers: &mut Buffers,
    messages: &SyncSender<Message>,
) {
    let start = part
        .start
        .or_else(|| find_start(&part.opened, part.from, part.until, buffers));
    let is_wanted = messages.send(Message::Start(start)).is_ok();
    let Some(start) = start.filter(|_| is_wanted) else {
        // There is nothing to read, or the consumer has ended. Should a record begin in the part after all, the cursor
        // reads it.
        return;
    };
    let opened = (&part.source, &part.opened);
    let mut send = |batch| messages.send(Message::Batch(batch)).is_ok();
    let ended = read_part(opened, start, part.until, extractor, buffers, &mut send);
    // Sending fails if the consumer has ended.
    messages.send(Message::End(ended)).ok();
}

/// Submits parts to the threads, at most `max_submitted` at a time, and consumes them in order.
fn consume_in_order<'f>(
    sources: &[Source<'f>],
    mut plan: Plan<'_, 'f>,
    max_submitted: usize,
    pool: &Pool<Part<'f>, Message>,
    extractor: &Extractor<'_>,
    consumer: &mut impl Consumer,
) -> Result<(), Halt> {
    let mut submitted: VecDeque<(usize, Result<SubmittedPart<'f>, Error>)> = VecDeque::new();
    let mut cursor: Option<Cursor<'f>> = None;
    loop {
        while submitted.len() < max_submitted
            && let Some((index, part)) = plan.next()
        {
            let part = match part {
                Ok(part) => part,
                Err(error) => {
                    submitted.push_back((index, Err(error)));
                    continue;
                }
            };
            let current = cursor.as_ref().filter(|cursor| cursor.index == index);
            if current.is_some_and(|cursor| cursor.start(part.until).is_none()) {
                // A record of an earlier part reaches beyond the end of this part, in which no record begins.
                continue;
            }
            let messages = pool.submit(part.clone()).ok_or(Error::ThreadEnded)?;
            submitted.push_back((index, Ok((part, messages))));
        }
        match submitted.pop_front() {
            Some((_, Ok((part, messages)))) => {
                let cursor = cursor_for(&mut cursor, &part);
                cursor.consume(part.until, messages, extractor, consumer)?;
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

/// Returns the cursor of the archive of a part: the current one, or a new one.
fn cursor_for<'c, 'f>(cursor: &'c mut Option<Cursor<'f>>, part: &Part<'f>) -> &'c mut Cursor<'f> {
    cursor.take_if(|cursor| cursor.index != part.index);
    cursor.get_or_insert_with(|| Cursor::new(part))
}

/// The place in one archive up to which its parts were consumed. Each part begins where the previous one ended.
struct Cursor<'f> {
    index: usize,
    source: Source<'f>,
    opened: OpenArchive,
    /// The place of the next record; `None` at the end.
    next: Option<Start>,
    buffers: Buffers,
}

impl<'f> Cursor<'f> {
    fn new(part: &Part<'f>) -> Self {
        let source = part.source;
        Self {
            index: part.index,
            next: match source.listed {
                Some(_) => source.next_listed(source.start.offset()).map(Start::Listed),
                None => Some(source.start),
            },
            source,
            opened: part.opened.clone(),
            buffers: Buffers::default(),
        }
    }

    /// Returns the place of the first record before `until`; `None` if there is none.
    fn start(&self, until: u64) -> Option<Start> {
        self.next.filter(|start| start.offset() < until)
    }

    /// Consumes the part that ends at `until`, which a thread reads. If the thread began at the wrong record, reads the
    /// part again, on the thread of the caller.
    fn consume(
        &mut self,
        until: u64,
        messages: Receiver<Message>,
        extractor: &Extractor<'_>,
        consumer: &mut impl Consumer,
    ) -> Result<(), Halt> {
        // No record begins in the part: an earlier part was read beyond the end of this one, or the archive has ended.
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
        let opened = (&self.source, &self.opened);
        let ended = read_part(opened, start, until, extractor, buffers, &mut |batch| {
            consumed = batch
                .into_iter()
                .try_for_each(|entry| consumer.consume(index, entry));
            consumed.is_ok()
        });
        consumed?;
        self.end_part(ended, consumer)
    }

    /// Moves on to the next part: `ended` is the place of its first record. An error ends the archive.
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

    /// Returns the number of bytes of the archive that are consumed.
    fn offset(&self) -> u64 {
        self.next.map_or(self.source.archive.bytes, Start::offset)
    }
}
