//! Log lines on standard error, which never delay a request.
//!
//! Lines wait in a queue for the thread that writes them. If standard error is not read and the queue is full, lines are dropped
//! and counted.

use crate::config::{Config, LogFormat, LogLevel};
use prometheus_client::metrics::counter::Counter;
use std::io::{self, Write};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread;
use tracing::level_filters::LevelFilter;
use tracing_subscriber::fmt::MakeWriter;

/// The number of lines that wait.
const QUEUED_LINES: usize = 4096;

/// The way to the thread that writes.
#[derive(Debug, Clone)]
struct Queue {
    lines: SyncSender<Vec<u8>>,
    dropped: Counter,
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
struct Line<'q> {
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
        if self
            .queue
            .lines
            .try_send(std::mem::take(&mut self.bytes))
            .is_err()
        {
            self.queue.dropped.inc();
        }
    }
}

/// Writes log lines of the whole process to standard error from here on, unless something else does so already. Returns the
/// counter of dropped lines.
pub(crate) fn start(config: &Config) -> Counter {
    let dropped = Counter::default();
    let (lines, receiver) = sync_channel(QUEUED_LINES);
    let queue = Queue {
        lines,
        dropped: dropped.clone(),
    };
    let level = match config.log_level {
        LogLevel::Error => LevelFilter::ERROR,
        LogLevel::Warn => LevelFilter::WARN,
        LogLevel::Info => LevelFilter::INFO,
        LogLevel::Debug => LevelFilter::DEBUG,
    };
    let subscriber = tracing_subscriber::fmt()
        .with_max_level(level)
        .with_ansi(false)
        .with_target(false)
        .with_writer(queue);
    let is_set = match config.log_format {
        LogFormat::Text => tracing::subscriber::set_global_default(subscriber.finish()),
        LogFormat::Json => {
            let subscriber = subscriber
                .json()
                .flatten_event(true)
                .with_current_span(false);
            tracing::subscriber::set_global_default(subscriber.finish())
        }
    };
    if is_set.is_ok() {
        thread::spawn(move || write(&receiver));
    }
    dropped
}

/// Writes lines until all senders are gone. An error of standard error is not reported: there is no other place for it.
fn write(lines: &Receiver<Vec<u8>>) {
    let mut out = io::stderr();
    while let Ok(line) = lines.recv() {
        let _ = out.write_all(&line);
    }
}
