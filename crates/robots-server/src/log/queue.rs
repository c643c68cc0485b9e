//! The queue of log lines, which wait for the thread that writes them.

use prometheus_client::metrics::counter::Counter;
use std::io::{self, Write};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;
use tracing_subscriber::fmt::MakeWriter;

/// The most bytes of lines that wait. As many may be in writing.
const QUEUED_BYTES: usize = 1 << 20;

/// The room for lines that is kept when there are fewer, in bytes.
const KEPT_BYTES: usize = 256 << 10;

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
    /// Notified when a line is added to an empty queue.
    is_added: Condvar,
    /// Notified when lines were written.
    is_written: Condvar,
    dropped: Counter,
}

/// The lines that wait.
#[derive(Debug, Default)]
struct Waiting {
    lines: Vec<u8>,
    /// The bytes of all lines that were ever added, without those that were dropped.
    added: u64,
    /// The bytes of those that were written, or that the output did not take.
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

    /// Writes lines as they come, those that wait together. It does not return. Lines that the output does not take count as
    /// dropped: there is no other place for its error.
    pub(super) fn write_to(&self, mut out: impl Write) {
        let mut lines = Vec::new();
        loop {
            let waiting = self.lock();
            let is_empty = |waiting: &mut Waiting| waiting.lines.is_empty();
            let waiting = self.0.is_added.wait_while(waiting, is_empty);
            let mut waiting = waiting.unwrap_or_else(PoisonError::into_inner);
            std::mem::swap(&mut lines, &mut waiting.lines);
            drop(waiting);
            let lost = write_all(&mut out, &lines);
            self.0.dropped.inc_by(lost);
            let mut waiting = self.lock();
            waiting.written = waiting.written.saturating_add(length(&lines));
            drop(waiting);
            self.0.is_written.notify_all();
            lines.clear();
            lines.shrink_to(KEPT_BYTES);
            thread::sleep(GATHER_TIME);
        }
    }

    /// Returns the lines that wait. They are whole after any panic.
    fn lock(&self) -> MutexGuard<'_, Waiting> {
        let waiting = self.0.waiting.lock();
        waiting.unwrap_or_else(PoisonError::into_inner)
    }
}

/// Writes lines. Returns the number of those that the output did not take. One that takes none for now is tried again.
fn write_all(out: &mut impl Write, mut lines: &[u8]) -> u64 {
    while !lines.is_empty() {
        match out.write(lines) {
            Ok(written @ 1..) => lines = lines.get(written..).unwrap_or_default(),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            // Another program may have set standard error so.
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => thread::sleep(GATHER_TIME),
            Ok(0) | Err(_) => break,
        }
    }
    let lost = memchr::memchr_iter(b'\n', lines).count();
    u64::try_from(lost).unwrap_or(u64::MAX)
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

/// Adds lines. `tracing_subscriber` gives each whole line in one call of `write`.
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

    type Steps = Vec<io::Result<usize>>;

    /// An output that takes a while each time it is written to, and then takes up to a number of bytes, or fails. After these
    /// steps it takes all.
    #[derive(Default)]
    struct Output {
        written: Arc<Mutex<Vec<u8>>>,
        pause: Duration,
        steps: Steps,
    }

    impl Write for Output {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            thread::sleep(self.pause);
            let taken = self.steps.pop().unwrap_or(Ok(bytes.len()))?;
            let taken = taken.min(bytes.len());
            let mut written = self.written.lock().unwrap();
            written.extend_from_slice(&bytes[..taken]);
            Ok(taken)
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    /// Writes the lines of a queue to an output from here on. Returns what is written.
    fn write(queue: &Queue, output: Output) -> Arc<Mutex<Vec<u8>>> {
        let written = Arc::clone(&output.written);
        let writing = queue.clone();
        thread::spawn(move || writing.write_to(output));
        written
    }

    fn slow(pause: Duration) -> Output {
        Output {
            pause,
            ..Output::default()
        }
    }

    fn add(mut queue: &Queue, line: &[u8]) {
        queue.write_all(line).unwrap();
    }

    #[test]
    fn the_last_lines_are_written_before_the_end() {
        let queue = Queue::default();
        let written = write(&queue, slow(Duration::from_millis(2)));
        for _ in 0..50 {
            add(&queue, LINE);
        }
        queue.flush();
        assert_eq!(*written.lock().unwrap(), LINE.repeat(50));
        assert_eq!(queue.dropped().get(), 0);
    }

    #[test]
    fn lines_of_several_threads_are_whole_and_in_order() {
        let queue = Queue::default();
        let written = write(&queue, slow(Duration::from_millis(1)));
        let line = |thread: usize, number: usize| format!("{thread}{}{number}\n", "-".repeat(60));
        thread::scope(|scope| {
            for thread in 0..4 {
                let queue = &queue;
                scope.spawn(move || {
                    (0..1000).for_each(|number| add(queue, line(thread, number).as_bytes()));
                });
            }
        });
        queue.flush();
        let written = String::from_utf8(written.lock().unwrap().clone()).unwrap();
        let mut next = [0; 4];
        for found in written.split_inclusive('\n') {
            let thread: usize = found[..1].parse().unwrap();
            assert_eq!(found, line(thread, next[thread]));
            next[thread] += 1;
        }
        assert_eq!((next, queue.dropped().get()), ([1000; 4], 0));
    }

    #[test]
    fn lines_that_find_no_room_are_counted() {
        let queue = Queue::default();
        add(&queue, &vec![b'x'; QUEUED_BYTES + 1]);
        assert_eq!(queue.dropped().get(), 1);
        // The last one fits exactly.
        let first = vec![b'\n'; QUEUED_BYTES - LINE.len()];
        add(&queue, &first);
        add(&queue, LINE);
        assert_eq!(queue.dropped().get(), 1);
        add(&queue, b"\n");
        assert_eq!(queue.dropped().get(), 2);
        let written = write(&queue, Output::default());
        queue.flush();
        add(&queue, LINE);
        queue.flush();
        assert_eq!(*written.lock().unwrap(), [&first, LINE, LINE].concat());
        assert_eq!(queue.dropped().get(), 2);
    }

    #[test]
    fn lines_that_the_output_does_not_take_are_counted() {
        let later = || Err(io::ErrorKind::WouldBlock.into());
        let queue = Queue::default();
        for _ in 0..3 {
            add(&queue, LINE);
        }
        // The last step is the first. Of the second line, a part is written.
        let steps = vec![
            Err(io::ErrorKind::Other.into()),
            later(),
            Ok(3),
            later(),
            Ok(5),
        ];
        let output = Output {
            steps,
            ..Output::default()
        };
        let written = write(&queue, output);
        queue.flush();
        assert_eq!(*written.lock().unwrap(), b"line\nlin");
        assert_eq!(queue.dropped().get(), 2);
        add(&queue, LINE);
        queue.flush();
        assert_eq!(*written.lock().unwrap(), b"line\nlinline\n");
        assert_eq!(queue.dropped().get(), 2);
    }

    #[test]
    fn the_end_waits_for_an_output_that_is_not_read_only_for_its_time() {
        let queue = Queue::default();
        let _written = write(&queue, slow(Duration::from_secs(60)));
        for lines in [1, 2 * QUEUED_BYTES / LINE.len()] {
            for _ in 0..lines {
                add(&queue, LINE);
            }
            let start = Instant::now();
            queue.flush();
            let time = start.elapsed();
            assert!(time >= FLUSH_TIME && time < FLUSH_TIME * 5, "{time:?}");
        }
        // One part is in writing, and one waits.
        let room = u64::try_from(QUEUED_BYTES / LINE.len()).unwrap();
        assert!(
            queue.dropped().get() >= room - 1,
            "{}",
            queue.dropped().get()
        );
        // Without lines, there is nothing to wait for.
        let start = Instant::now();
        Queue::default().flush();
        assert!(start.elapsed() < FLUSH_TIME);
    }
}
