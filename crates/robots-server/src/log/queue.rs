//! The queue of log lines, which wait for the thread that writes them.

use prometheus_client::metrics::counter::Counter;
use std::io::{self, Write};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;
use tracing_subscriber::fmt::MakeWriter;

/// The most bytes of lines that wait.
const QUEUED_BYTES: usize = 1 << 20;

/// The time for which lines gather after some were written. To wake the thread that writes for each line takes as long as to
/// answer a small question.
const GATHER_TIME: Duration = Duration::from_millis(5);

/// The time in which the last lines are written at the end of the process.
const FLUSH_TIME: Duration = Duration::from_secs(1);

/// The lines that wait, for the threads that add some and the one that writes them. They are one text, so that no line has memory
/// of its own, which one thread would take and another give back.
#[derive(Debug, Clone, Default)]
pub(crate) struct Queue(Arc<Shared>);

#[derive(Debug, Default)]
struct Shared {
    waiting: Mutex<Waiting>,
    /// Lines wait where none did.
    is_added: Condvar,
    is_written: Condvar,
    dropped: Counter,
}

/// The lines that wait.
#[derive(Debug, Default)]
struct Waiting {
    lines: Vec<u8>,
    /// The bytes of all lines that were ever added, without those that were dropped.
    added: u64,
    /// The bytes of those that were written.
    written: u64,
}

impl Queue {
    /// Returns the counter of dropped lines.
    pub(crate) fn dropped(&self) -> Counter {
        self.0.dropped.clone()
    }

    /// Waits until the lines in the queue are written, for [`FLUSH_TIME`] at most: standard error may not be read.
    pub(crate) fn flush(&self) {
        let waiting = self.lock();
        let added = waiting.added;
        let is_awaited = |waiting: &mut Waiting| waiting.written < added;
        // The lines are lost if they are not written in time.
        let ended = self
            .0
            .is_written
            .wait_timeout_while(waiting, FLUSH_TIME, is_awaited);
        drop(ended);
    }

    /// Writes lines as they come, those that wait together. An error of the output is not reported: there is no other place for
    /// it.
    pub(super) fn write_to(&self, mut out: impl Write) {
        let mut lines = Vec::new();
        loop {
            let waiting = self.lock();
            let is_empty = |waiting: &mut Waiting| waiting.lines.is_empty();
            let waiting = self.0.is_added.wait_while(waiting, is_empty);
            let mut waiting = waiting.unwrap_or_else(PoisonError::into_inner);
            std::mem::swap(&mut lines, &mut waiting.lines);
            drop(waiting);
            let _ = out.write_all(&lines);
            let _ = out.flush();
            let mut waiting = self.lock();
            waiting.written = waiting.written.saturating_add(length(&lines));
            drop(waiting);
            self.0.is_written.notify_all();
            lines.clear();
            thread::sleep(GATHER_TIME);
        }
    }

    /// Returns the lines that wait. They are whole after any panic.
    fn lock(&self) -> MutexGuard<'_, Waiting> {
        let waiting = self.0.waiting.lock();
        waiting.unwrap_or_else(PoisonError::into_inner)
    }
}

fn length(lines: &[u8]) -> u64 {
    u64::try_from(lines.len()).unwrap_or(u64::MAX)
}

impl<'a> MakeWriter<'a> for Queue {
    type Writer = &'a Self;

    fn make_writer(&'a self) -> &'a Self {
        self
    }
}

/// Adds lines. The library writes each line at once.
impl Write for &Queue {
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        let mut waiting = self.lock();
        if line.len() > QUEUED_BYTES.saturating_sub(waiting.lines.len()) {
            drop(waiting);
            self.0.dropped.inc();
            return Ok(line.len());
        }
        let is_first = waiting.lines.is_empty();
        waiting.lines.extend_from_slice(line);
        waiting.added = waiting.added.saturating_add(length(line));
        drop(waiting);
        if is_first {
            self.0.is_added.notify_one();
        }
        Ok(line.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::{FLUSH_TIME, QUEUED_BYTES, Queue};
    use std::io::{self, Write};
    use std::sync::{Arc, Mutex};
    use std::thread;
    use std::time::{Duration, Instant};

    const LINE: &[u8] = b"line\n";

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
        let queue = Queue::default();
        let lines = Arc::default();
        let out = Slow {
            lines: Arc::clone(&lines),
            pause,
        };
        let writing = queue.clone();
        thread::spawn(move || writing.write_to(out));
        (queue, lines)
    }

    fn add(mut queue: &Queue) {
        queue.write_all(LINE).unwrap();
    }

    #[test]
    fn the_last_lines_are_written_before_the_end() {
        let (queue, lines) = queue(Duration::from_millis(2));
        for _ in 0..50 {
            add(&queue);
        }
        queue.flush();
        assert_eq!((*lines.lock().unwrap(), queue.dropped().get()), (50, 0));
        // Each thread's lines are whole.
        thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| (0..1000).for_each(|_| add(&queue)));
            }
        });
        queue.flush();
        assert_eq!((*lines.lock().unwrap(), queue.dropped().get()), (4050, 0));
    }

    #[test]
    fn lines_that_find_no_room_are_counted() {
        let queue = Queue::default();
        let room = QUEUED_BYTES / LINE.len();
        for _ in 0..room {
            add(&queue);
        }
        assert_eq!(queue.dropped().get(), 0);
        add(&queue);
        add(&queue);
        assert_eq!(queue.dropped().get(), 2);
        let lines = Arc::default();
        let out = Slow {
            lines: Arc::clone(&lines),
            pause: Duration::ZERO,
        };
        let writing = queue.clone();
        thread::spawn(move || writing.write_to(out));
        queue.flush();
        add(&queue);
        queue.flush();
        assert_eq!(
            (*lines.lock().unwrap(), queue.dropped().get()),
            (room + 1, 2)
        );
    }

    #[test]
    fn the_end_waits_for_an_output_that_is_not_read_only_for_its_time() {
        let (queue, _) = queue(Duration::from_secs(60));
        for lines in [1, 2 * QUEUED_BYTES / LINE.len() + 10] {
            for _ in 0..lines {
                add(&queue);
            }
            let start = Instant::now();
            queue.flush();
            let time = start.elapsed();
            assert!(time >= FLUSH_TIME && time < FLUSH_TIME * 5, "{time:?}");
        }
        assert!(queue.dropped().get() >= 10);
        // Without lines, there is nothing to wait for.
        let start = Instant::now();
        Queue::default().flush();
        assert!(start.elapsed() < FLUSH_TIME);
    }
}
