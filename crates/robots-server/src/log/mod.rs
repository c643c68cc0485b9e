//! Log lines on standard error, which never delay a request.
//!
//! Lines wait in a queue for the thread that writes them. If standard error is not read and the queue is full, lines are dropped
//! and counted.

mod line;
mod queue;

use crate::config::{Config, LogFormat, LogLevel};
pub(crate) use line::AddressText;
use line::{Fields, Time};
pub(crate) use queue::Queue;
use std::{io, thread};
use tracing::level_filters::LevelFilter;

/// Writes log lines of the whole process to standard error from here on, unless something else does so already. Returns the
/// queue of lines.
pub(crate) fn start(config: &Config) -> Queue {
    let queue = Queue::default();
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
        .with_timer(Time)
        .with_writer(queue.clone());
    let is_set = match config.log_format {
        LogFormat::Text => {
            let subscriber = subscriber.fmt_fields(Fields);
            tracing::subscriber::set_global_default(subscriber.finish())
        }
        LogFormat::Json => {
            let subscriber = subscriber
                .json()
                .flatten_event(true)
                .with_current_span(false);
            tracing::subscriber::set_global_default(subscriber.finish())
        }
    };
    if is_set.is_ok() {
        let writing = queue.clone();
        thread::spawn(move || writing.write_to(io::stderr()));
    }
    queue
}
