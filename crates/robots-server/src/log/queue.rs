//! The queue of log lines, which wait for the thread that writes them.

use prometheus_client::metrics::counter::Counter;
use std::io::{self, Write};
use std::sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel};
use std::thread;
use std::time::{Duration, Instant};
use tracing_subscriber::fmt::MakeWriter;

/// The number of lines that wait.
const QUEUED_LINES: usize = 4096;

/// The number of bytes from which on lines that wait are written together.
const WRITE_BYTES: usize = 64 << 10;

/// The time for which lines gather after some were written. To wake the thread that writes for each line takes as long as to
/// answer a small question.
const GATHER_TIME: Duration = Duration::from_millis(5);

/// The time in which the last lines are written at the end of the process.
const FLUSH_TIME: Duration = Duration::from_secs(1);

/// The pause before a full queue is tried again at the end.
const FULL_PAUSE: Duration = Duration::from_millis(5);

/// The way to the thread that writes.
#[derive(Debug, Clone)]
pub(crate) struct Queue {
    entries: SyncSender<Entry>,
    dropped: Counter,
}

/// An entry of the queue.
#[derive(Debug)]
pub(super) enum Entry {
    Line(Vec<u8>),
    /// A question whether all lines before it were written.
    Flush(SyncSender<()>),
}

impl Queue {
    /// Returns an empty queue, and its receiver.
    pub(super) fn new() -> (Self, Receiver<Entry>) {
        let (entries, receiver) = sync_channel(QUEUED_LINES);
        let dropped = Counter::default();
        (Self { entries, dropped }, receiver)
    }

    /// Returns the counter of dropped lines.
    pub(crate) fn dropped(&self) -> Counter {
        self.dropped.clone()
    }

    /// Waits until the lines in the queue are written, for [`FLUSH_TIME`] at most: standard error may not be read.
    pub(crate) fn flush(&self) {
        let start = Instant::now();
        let (written, is_written) = sync_channel(1);
        let mut entry = Entry::Flush(written);
        loop {
            match self.entries.try_send(entry) {
                Ok(()) => break,
                Err(TrySendError::Full(same)) if start.elapsed() < FLUSH_TIME => entry = same,
                Err(_) => return,
            }
            thread::sleep(FULL_PAUSE);
        }
        // The lines are lost if they are not written in time.
        let _ = is_written.recv_timeout(FLUSH_TIME.saturating_sub(start.elapsed()));
    }
}

impl<'a> MakeWriter<'a> for Queue {
    type Writer = Line<'a>;

    fn make_writer(&'a self) -> Self::Writer {
        Line {
            queue: self,
            bytes: Vec::new(),
        }
    }
}

/// A line in the making; it is queued when it is dropped.
#[derive(Debug)]
pub(crate) struct Line<'q> {
    queue: &'q Queue,
    bytes: Vec<u8>,
}

impl Write for Line<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.bytes.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Drop for Line<'_> {
    fn drop(&mut self) {
        let line = Entry::Line(std::mem::take(&mut self.bytes));
        if self.queue.entries.try_send(line).is_err() {
            self.queue.dropped.inc();
        }
    }
}

/// Writes lines until all senders are gone; those that wait are written together. An error of the output is not reported: there
/// is no other place for it.
pub(super) fn write(entries: &Receiver<Entry>, mut out: impl Write) {
    let mut lines = Vec::new();
    while let Ok(first) = entries.recv() {
        let mut next = Some(first);
        let mut flushed = None;
        while let Some(entry) = next {
            match entry {
                Entry::Line(line) => lines.extend_from_slice(&line),
                Entry::Flush(written) => flushed = Some(written),
            }
            let is_more = flushed.is_none() && lines.len() < WRITE_BYTES;
            next = is_more.then(|| entries.try_recv().ok()).flatten();
        }
        let is_drained = lines.len() < WRITE_BYTES;
        let _ = out.write_all(&lines);
        lines.clear();
        match flushed {
            Some(written) => {
                let _ = out.flush();
                // Nothing waits after the time for it.
                let _ = written.try_send(());
            }
            None if is_drained => thread::sleep(GATHER_TIME),
            // More lines wait.
            None => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{FLUSH_TIME, QUEUED_LINES, Queue, write};
    use std::io::{self, Write};
    use std::sync::{Arc, Mutex};
    use std::thread;
    use std::time::{Duration, Instant};
    use tracing_subscriber::fmt::MakeWriter;

    /// An output that takes a while each time it is written to, and counts lines.
    struct Slow {
        lines: Arc<Mutex<usize>>,
        pause: Duration,
    }

    impl Write for Slow {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            thread::sleep(self.pause);
            *self.lines.lock().unwrap() += memchr::memchr_iter(b'\n', bytes).count();
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    fn queue(pause: Duration) -> (Queue, Arc<Mutex<usize>>) {
        let (queue, receiver) = Queue::new();
        let lines = Arc::default();
        let out = Slow {
            lines: Arc::clone(&lines),
            pause,
        };
        thread::spawn(move || write(&receiver, out));
        (queue, lines)
    }

    fn add(queue: &Queue) {
        queue.make_writer().write_all(b"line\n").unwrap();
    }

    #[test]
    fn the_last_lines_are_written_before_the_end() {
        let (queue, lines) = queue(Duration::from_millis(2));
        for _ in 0..50 {
            add(&queue);
        }
        queue.flush();
        assert_eq!((*lines.lock().unwrap(), queue.dropped().get()), (50, 0));
    }

    #[test]
    fn the_end_waits_for_an_output_that_is_not_read_only_for_its_time() {
        let (queue, _) = queue(Duration::from_secs(60));
        for lines in [1, QUEUED_LINES + 10] {
            for _ in 0..lines {
                add(&queue);
            }
            let start = Instant::now();
            queue.flush();
            let time = start.elapsed();
            assert!(time >= FLUSH_TIME && time < FLUSH_TIME * 5, "{time:?}");
        }
        assert!(queue.dropped().get() >= 10);
        // Without a thread, there is nothing to wait for.
        let (queue, receiver) = Queue::new();
        drop(receiver);
        queue.flush();
    }
}
