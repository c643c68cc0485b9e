//! Signals, such as Ctrl-C, during long calls.

use crate::error;
use crate::fork::{self, Call};
use pyo3::prelude::*;
use std::panic::{self, AssertUnwindSafe};
use std::sync::mpsc::sync_channel;
use std::thread::{self, ThreadId};
use std::time::{Duration, Instant};

/// The time between two looks for signals.
pub(crate) const SIGNALS: Duration = Duration::from_millis(100);

/// The number of bytes from which work on a file or page is long.
const LONG: usize = 256 << 10;

/// Looks for signals in the thread that called the package.
pub(crate) struct Signals {
    thread: ThreadId,
    last: Instant,
}

impl Signals {
    pub(crate) fn new() -> Self {
        Self {
            thread: thread::current().id(),
            last: Instant::now(),
        }
    }

    /// Returns the exception of a signal handler. Does nothing in other threads: those of a library that reads a stream may
    /// have to wait for one that holds the GIL.
    pub(crate) fn check(&mut self) -> PyResult<()> {
        if self.last.elapsed() < SIGNALS {
            return Ok(());
        }
        self.last = Instant::now();
        if thread::current().id() != self.thread {
            return Ok(());
        }
        Python::attach(|py| {
            let checked = py.check_signals();
            checked.map_err(|error| error::of_caller(py, error))
        })
    }
}

/// Does work on a file or page of this number of bytes, detached from the interpreter.
///
/// Long work is done by another thread, so that an exception of a signal handler ends the call. The thread then finishes the work
/// for no one.
pub(crate) fn detached<T: Send + 'static>(
    py: Python<'_>,
    bytes: usize,
    work: impl FnOnce() -> T + Send + 'static,
) -> PyResult<T> {
    if bytes < LONG {
        return Ok(fork::detached(py, work));
    }
    let (sender, mut receiver) = sync_channel(1);
    thread::Builder::new().spawn(move || {
        let _call = Call::begin();
        // Fails if the call has ended.
        let _ = sender.send(panic::catch_unwind(AssertUnwindSafe(work)));
    })?;
    loop {
        let receiver = &mut receiver;
        match py.detach(move || receiver.recv_timeout(SIGNALS)) {
            Ok(Ok(result)) => return Ok(result),
            Ok(Err(panic)) => panic::resume_unwind(panic),
            Err(_) => py.check_signals()?,
        }
    }
}
