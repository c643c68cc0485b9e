//! The reader of inputs: the entries of archives and of folders with saved pages, in order. Several threads read parts of them.
//!
//! A gzip file is divided every mebibyte, and so is any archive that is read by an index. Any other file is one part, and so
//! is a stream. A part of a folder has some of its pages.
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
pub(crate) use source::{FileAt, not_archive};

use crate::error::Error;
use crate::extract::{Entry, Extractor};
use crate::input::{Input, ItemSource};
use crate::observer::Observer;
use crate::ordered::{Pool, with_pool};
use crate::summary::End;
use part::{find_start, read_part};
use plan::{PART_BYTES, PART_PAGES, Part, Plan};
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

/// The reason why reading ends early.
pub(crate) enum Stop {
    End(End),
    Failed(Error),
}

impl From<Error> for Stop {
    fn from(error: Error) -> Self {
        Self::Failed(error)
    }
}

/// Whether reading continues, or the reason why it ends early.
pub(crate) type Flow = Result<(), Stop>;

/// Returns the way in which a run ended, after its last reading.
pub(crate) fn end_of(flow: Flow) -> Result<End, Error> {
    match flow {
        Ok(()) => Ok(End::Done),
        Err(Stop::End(end)) => Ok(end),
        Err(Stop::Failed(error)) => Err(error),
    }
}

/// Ends the reading if the observer stops it.
pub(crate) fn check_stop(observer: &dyn Observer) -> Flow {
    if observer.is_stopped() {
        return Err(Stop::End(End::Interrupted));
    }
    Ok(())
}

/// What a reading passes to its consumer.
pub(crate) enum Event {
    Entry(Entry),
    /// The end of a part. The next part of the input begins at this place; `None` is the end of the input.
    PartEnd(Option<Start>),
}

/// A consumer of the events of a reading, each with the index of its input.
type Consume<'c> = dyn FnMut(usize, Event) -> Flow + 'c;

/// Records and damaged places of a caller, and their name.
pub(crate) type NamedItems<'a> = (&'a str, &'a mut dyn ItemSource);

/// A reading of inputs.
#[derive(Clone, Copy)]
pub(crate) struct Reading<'a> {
    pub(crate) inputs: &'a [Input],
    /// The offsets of the wanted records of each input, in order, unless all are wanted.
    pub(crate) listed: Option<&'a [Vec<u64>]>,
    /// The index of the first input that is read, and the place in it at which reading begins.
    pub(crate) from: (usize, Start),
    pub(crate) threads: usize,
    pub(crate) stage: &'static str,
    pub(crate) extractor: Extractor<'a>,
}

impl<'a> Reading<'a> {
    /// Passes the entries of the inputs, or of these items in place of inputs, to `consume`, in order, until it ends the reading or
    /// the observer does.
    ///
    /// # Errors
    ///
    /// Those of `consume`, a stop by the observer, and a thread that could not start or has ended. An input that cannot be
    /// read is an entry.
    pub(crate) fn read(&self, items: Option<NamedItems<'_>>, consume: &mut Consume<'_>) -> Flow {
        match items {
            Some((name, items)) => self.read_items(name, items, consume),
            None => self.read_inputs(consume),
        }
    }

    fn read_items(
        &self,
        name: &str,
        items: &mut dyn ItemSource,
        consume: &mut Consume<'_>,
    ) -> Flow {
        let mut entries = Vec::new();
        loop {
            match items.next_item() {
                Ok(Some(item)) => {
                    self.extractor.extract(name, &item, &mut entries);
                    items.recycle(item);
                }
                Ok(None) => return Ok(()),
                Err(error) => return self.fail(0, error, consume),
            }
            for entry in entries.drain(..) {
                self.pass_on(0, Event::Entry(entry), consume)?;
            }
            // An item may have no entries, and the next ones, too.
            check_stop(self.extractor.observer)?;
        }
    }

    fn read_inputs(&self, consume: &mut Consume<'_>) -> Flow {
        let mut plan = Plan::new(self);
        // One thread reads the parts in turn, without a pool.
        if self.threads <= 1 {
            let mut cursor = None;
            for part in plan {
                match part {
                    Ok(part) => cursor_for(&mut cursor, self, &part).read(part.until, consume),
                    Err((input, error)) => self.skip_input(input, error, consume),
                }?;
            }
            return Ok(());
        }
        // More threads than parts would have no work.
        let max_parts = |input: &Input| match input {
            Input::Archive(archive) => archive.bytes / PART_BYTES + 1,
            Input::Folder(folder) => folder.pages.len() as u64 / PART_PAGES + 1,
        };
        let parts: u64 = self.inputs.iter().map(max_parts).sum();
        let threads = usize::try_from(parts).map_or(self.threads, |parts| self.threads.min(parts));
        let worker = || {
            let mut buffers = Buffers::default();
            move |part: Part<'a>, messages: &SyncSender<Message>| {
                send_part(&part, &self.extractor, &mut buffers, messages);
            }
        };
        with_pool(threads, WAITING_MESSAGES, worker, |pool| {
            self.consume_in_order(&mut plan, threads * PARTS_PER_THREAD, pool, consume)
        })?
    }

    /// Submits parts to the threads, at most `max_submitted` at a time, and consumes them in order.
    fn consume_in_order(
        &self,
        plan: &mut Plan<'_, 'a>,
        max_submitted: usize,
        pool: &Pool<Part<'a>, Message>,
        consume: &mut Consume<'_>,
    ) -> Flow {
        let mut submitted: VecDeque<Result<SubmittedPart<'a>, (usize, Error)>> = VecDeque::new();
        let mut cursor: Option<Cursor<'_, 'a>> = None;
        loop {
            while submitted.len() < max_submitted
                && let Some(part) = plan.next()
            {
                let part = match part {
                    Ok(part) => part,
                    Err(failed) => {
                        submitted.push_back(Err(failed));
                        continue;
                    }
                };
                let current = cursor
                    .as_ref()
                    .filter(|cursor| cursor.part.input == part.input);
                if current.is_some_and(|cursor| cursor.start(part.until).is_none()) {
                    // A record of an earlier part reaches beyond the end of this part, in which no record begins.
                    continue;
                }
                let messages = pool.submit(part.clone()).ok_or(Error::ThreadEnded)?;
                submitted.push_back(Ok((part, messages)));
            }
            match submitted.pop_front() {
                Some(Ok((part, messages))) => {
                    let cursor = cursor_for(&mut cursor, self, &part);
                    cursor.consume(part.until, messages, consume)
                }
                Some(Err((input, error))) => self.skip_input(input, error, consume),
                None => return Ok(()),
            }?;
        }
    }

    /// Passes an event of an input to the consumer, unless the observer stops the reading.
    fn pass_on(&self, input: usize, event: Event, consume: &mut Consume<'_>) -> Flow {
        check_stop(self.extractor.observer)?;
        consume(input, event)
    }

    /// Ends a part of an input, with its number of bytes.
    fn end_part(
        &self,
        input: usize,
        bytes: u64,
        next: Option<Start>,
        consume: &mut Consume<'_>,
    ) -> Flow {
        let bytes = if self.extractor.reports { bytes } else { 0 };
        self.extractor.observer.progress(self.stage, bytes);
        self.pass_on(input, Event::PartEnd(next), consume)
    }

    /// Passes on the error of an input that cannot be read, or not up to its end.
    fn fail(&self, input: usize, error: Error, consume: &mut Consume<'_>) -> Flow {
        if !self.extractor.reports {
            return Ok(());
        }
        consume(input, Event::Entry(Entry::Failed(error)))
    }

    /// Reports an input that cannot be opened.
    fn skip_input(&self, input: usize, error: Error, consume: &mut Consume<'_>) -> Flow {
        self.fail(input, error, consume)?;
        let bytes = self.inputs.get(input).map_or(0, Input::bytes);
        self.end_part(input, bytes, None, consume)
    }
}

/// A message about a part, from the thread that reads it.
enum Message {
    /// The place at which reading of the part begins, if a record seems to begin in the part.
    Start(Option<Start>),
    Batch(Vec<Entry>),
    /// The place of the first record after the part; `None` at the end of the input.
    End(Result<Option<Start>, Error>),
}

/// A part that was submitted to the threads, and the messages about it.
type SubmittedPart<'a> = (Part<'a>, Receiver<Message>);

/// Reads a part, and sends its entries.
fn send_part(
    part: &Part<'_>,
    extractor: &Extractor<'_>,
    buffers: &mut Buffers,
    messages: &SyncSender<Message>,
) {
    let start = part.start.or_else(|| find_start(part, buffers));
    let is_wanted = messages.send(Message::Start(start)).is_ok();
    let Some(start) = start.filter(|_| is_wanted) else {
        // There is nothing to read, or the consumer has ended. Should a record begin in the part after all, the cursor
        // reads it.
        return;
    };
    let mut send = |batch| messages.send(Message::Batch(batch)).is_ok();
    let ended = read_part(part, start, part.until, extractor, buffers, &mut send);
    // Sending fails if the consumer has ended.
    messages.send(Message::End(ended)).ok();
}

/// Returns the cursor of the input of a part: the current one, or a new one.
fn cursor_for<'c, 'r, 'a>(
    cursor: &'c mut Option<Cursor<'r, 'a>>,
    reading: &'r Reading<'a>,
    part: &Part<'a>,
) -> &'c mut Cursor<'r, 'a> {
    cursor.take_if(|cursor| cursor.part.input != part.input);
    cursor.get_or_insert_with(|| Cursor {
        reading,
        next: part.start,
        part: part.clone(),
        buffers: Buffers::default(),
    })
}

/// The place in one input up to which its parts were consumed. Each part begins where the previous one ended.
struct Cursor<'r, 'a> {
    reading: &'r Reading<'a>,
    /// The first part of the input that is read, which has its source. Its start is known.
    part: Part<'a>,
    /// The place of the next record; `None` at the end.
    next: Option<Start>,
    buffers: Buffers,
}

impl Cursor<'_, '_> {
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
        consume: &mut Consume<'_>,
    ) -> Flow {
        // No record begins in the part: an earlier part was read beyond the end of this one, or the input has ended.
        let Some(expected) = self.start(until) else {
            return Ok(());
        };
        match messages.recv() {
            Ok(Message::Start(Some(start))) if start == expected => {}
            Ok(_) => {
                // The thread finds the channel closed and stops.
                drop(messages);
                return self.read(until, consume);
            }
            Err(_) => return Err(Error::ThreadEnded.into()),
        }
        loop {
            match messages.recv() {
                Ok(Message::Batch(batch)) => {
                    for entry in batch {
                        let event = Event::Entry(entry);
                        self.reading.pass_on(self.part.input, event, consume)?;
                    }
                }
                Ok(Message::End(ended)) => return self.end_part(ended, consume),
                Ok(Message::Start(_)) | Err(_) => return Err(Error::ThreadEnded.into()),
            }
        }
    }

    /// Reads and consumes the part that ends at `until`.
    fn read(&mut self, until: u64, consume: &mut Consume<'_>) -> Flow {
        let Some(start) = self.start(until) else {
            return Ok(());
        };
        let mut flow = Ok(());
        let Self {
            reading,
            part,
            buffers,
            ..
        } = self;
        let ended = read_part(
            part,
            start,
            until,
            &reading.extractor,
            buffers,
            &mut |batch| {
                // Listed records may be read after the end: they are dropped.
                if flow.is_ok() {
                    flow = batch.into_iter().try_for_each(|entry| {
                        reading.pass_on(part.input, Event::Entry(entry), consume)
                    });
                }
                flow.is_ok()
            },
        );
        flow?;
        self.end_part(ended, consume)
    }

    /// Moves on to the next part: `ended` is the place of its first record. An error ends the input.
    fn end_part(&mut self, ended: Result<Option<Start>, Error>, consume: &mut Consume<'_>) -> Flow {
        let before = self.offset();
        let input = self.part.input;
        self.next = match ended {
            Ok(next) => next,
            Err(error) => {
                self.reading.fail(input, error, consume)?;
                None
            }
        };
        let bytes = self.offset() - before;
        self.reading.end_part(input, bytes, self.next, consume)
    }

    /// Returns the number of bytes of the input that are consumed.
    fn offset(&self) -> u64 {
        let bytes = self.part.source.bytes();
        self.next.map_or(bytes, |next| next.offset().min(bytes))
    }
}
