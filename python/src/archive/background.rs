//! A thread of Rust that reads archives, and the messages that it sends to the thread of Python.

use super::file_object::{Interruption, is_in_call};
use super::sources::{Failure, Sources};
use crate::error::{self, ArchiveError, ArchiveWarning, InputError};
use crate::interrupt::SIGNALS;
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use robots_pipeline::summary::Summary;
use robots_pipeline::text::with_causes;
use robots_pipeline::{Error, Observer, Source, Warning, WarningCounts};
use robots_policy::text::printable;
use std::io;
use std::mem;
use std::process;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::sync::{Mutex, OnceLock, PoisonError};
use std::thread;

/// The number of messages that wait to be received.
const WAITING: usize = 16;

/// A message of the thread.
enum Message<T> {
    Result(T),
    Warning(String),
    End(RunEnd),
}

/// The end of a run: its summary, unless it did not end by itself.
pub(super) type RunEnd = Result<Option<Summary>, Error>;

/// A thread that reads archives, and sends results. It stops when this is dropped.
pub(super) struct Background<T> {
    /// What the thread sends; nothing after the end.
    messages: Mutex<Option<Receiver<Message<T>>>>,
    interruption: Interruption,
    /// A function of Python that is called with the text of each warning.
    on_warning: Option<Py<PyAny>>,
    failure: Failure,
    /// The counts of the run as JSON, when it has ended by itself.
    summary: OnceLock<String>,
    /// The function that started the run.
    function: &'static str,
    is_closed: AtomicBool,
    /// The process that has the thread. A fork of it does not.
    process: u32,
}

impl<T> Drop for Background<T> {
    fn drop(&mut self) {
        self.interruption.stop();
        if self.check_process().is_err() {
            // Dropping it may wait for a lock that the thread had at the fork.
            let messages = self.messages.get_mut();
            let messages = messages.unwrap_or_else(PoisonError::into_inner);
            mem::forget(messages.take());
        }
    }
}

impl<T> Background<T> {
    /// Checks that this process has the thread, and that no one closed it.
    pub(super) fn check(&self) -> PyResult<()> {
        if self.is_closed.load(Ordering::Relaxed) {
            return Err(InputError::new_err(format!(
                "the iterator is closed: call {} again",
                self.function
            )));
        }
        self.check_process()
    }

    /// Checks that this process has the thread.
    fn check_process(&self) -> PyResult<()> {
        if process::id() == self.process {
            return Ok(());
        }
        Err(ArchiveError::new_err(
            "the thread that reads the archives is in another process: start reading after the fork",
        ))
    }
}

impl<T: Send + 'static> Background<T> {
    /// Starts a thread that reads sources.
    pub(super) fn start(
        function: &'static str,
        sources: Sources,
        on_warning: Option<Py<PyAny>>,
        failure: Failure,
        work: impl FnOnce(Source<'_>, &Channel<T>) -> RunEnd + Send + 'static,
    ) -> PyResult<Self> {
        let interruption = sources.interruption.clone();
        let (sender, receiver) = sync_channel(WAITING);
        let channel = Channel {
            sender,
            interruption: interruption.clone(),
            warnings: Mutex::default(),
        };
        thread::Builder::new()
            .name(function.to_owned())
            .spawn(move || {
                let end = sources.read(|source| work(source, &channel));
                channel.count_warnings();
                // Sending fails if no one waits for the end.
                let _ = channel.sender.send(Message::End(end));
            })?;
        Ok(Self {
            messages: Mutex::new(Some(receiver)),
            interruption,
            on_warning,
            failure,
            summary: OnceLock::new(),
            function,
            is_closed: AtomicBool::new(false),
            process: process::id(),
        })
    }

    /// Returns the counts of the run, as JSON; `None` before its end, or if it did not end by itself.
    pub(super) fn summary_json(&self) -> Option<&str> {
        self.summary.get().map(String::as_str)
    }

    /// Waits for the next result, and passes on the warnings before it; `None` after the end. Inputs that failed are an error.
    ///
    /// Raises ArchiveError in a fork of the process.
    pub(super) fn next(&self, py: Python<'_>) -> PyResult<Option<T>> {
        self.check_process()?;
        loop {
            match self.receive(py)? {
                // Another thread may have closed it.
                None => return self.check().map(|()| None),
                Some(Message::Result(result)) => return Ok(Some(result)),
                Some(Message::Warning(text)) => self.warn(py, &text)?,
                Some(Message::End(end)) => return self.end(py, end).map(|()| None),
            }
        }
    }

    /// Stops the thread, and waits for its end: the inputs are released, and nothing more is read. Does nothing in a fork of
    /// the process, and does not wait in a call of a file object, for which the thread waits.
    ///
    /// Raises the exception of a signal handler.
    pub(super) fn close(&self, py: Python<'_>) -> PyResult<()> {
        self.is_closed.store(true, Ordering::Relaxed);
        self.interruption.stop();
        if self.check_process().is_err() || is_in_call() {
            return Ok(());
        }
        while self.receive(py)?.is_some() {}
        Ok(())
    }

    /// Waits for the next message; `None` after the end. An exception of a signal handler stops the thread.
    fn receive(&self, py: Python<'_>) -> PyResult<Option<Message<T>>> {
        let messages = || self.messages.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            let wait = || {
                let mut messages = messages();
                let received = messages.as_ref()?.recv_timeout(SIGNALS);
                // Before the lock is released: another thread that waits must not take the end for a failure.
                if matches!(received, Ok(Message::End(_))) {
                    *messages = None;
                }
                Some(received)
            };
            match py.detach(wait) {
                None => return Ok(None),
                Some(Ok(message)) => return Ok(Some(message)),
                Some(Err(RecvTimeoutError::Timeout)) => {
                    if let Err(error) = py.check_signals() {
                        self.interruption.stop();
                        *messages() = None;
                        return Err(error::of_caller(py, error));
                    }
                }
                Some(Err(RecvTimeoutError::Disconnected)) => {
                    *messages() = None;
                    return Err(PyRuntimeError::new_err(
                        "the deciding thread has ended early",
                    ));
                }
            }
        }
    }

    /// Passes a warning to the function for it, or else raises it as a warning of Python, at the line of the caller.
    fn warn(&self, py: Python<'_>, text: &str) -> PyResult<()> {
        let called = if let Some(function) = &self.on_warning {
            function.call1(py, (text,)).map(drop)
        } else {
            let category = py.get_type::<ArchiveWarning>();
            let warnings = py.import("warnings")?;
            warnings.call_method1("warn", (text, category)).map(drop)
        };
        called.map_err(|error| error::of_caller(py, error))
    }

    /// Keeps the summary of a run. The exception of a file object is an error, and so are inputs that were left out.
    fn end(&self, py: Python<'_>, end: RunEnd) -> PyResult<()> {
        let failed = match end {
            Ok(None) => return Ok(()),
            Ok(Some(summary)) => match serde_json::to_string(&summary) {
                Ok(json) => {
                    self.summary.get_or_init(|| json);
                    (self.failure)(&summary)
                }
                Err(error) => Some(error.to_string()),
            },
            Err(error) => Some(with_causes(&error)),
        };
        let failed = failed.map(|text| archive_error(&text));
        match (self.interruption.take(), failed) {
            (Some(error), failed) => Err(in_context(py, error, failed)),
            (None, Some(failed)) => Err(failed),
            (None, None) => Ok(()),
        }
    }
}

/// Returns the exception of a file object. If it has no context, that becomes the error that names the input.
pub(super) fn in_context(py: Python<'_>, error: PyErr, failed: Option<PyErr>) -> PyErr {
    let value = error.value(py);
    if let Some(failed) = failed
        && value
            .getattr("__context__")
            .is_ok_and(|context| context.is_none())
    {
        // An exception without this attribute is raised as it is.
        let _ = value.setattr("__context__", failed.value(py));
    }
    error
}

pub(super) fn archive_error(text: &str) -> PyErr {
    ArchiveError::new_err(printable(text).into_owned())
}

/// An observer that sends warnings, and stops when they are no longer received.
pub(super) struct Channel<T> {
    sender: SyncSender<Message<T>>,
    interruption: Interruption,
    warnings: Mutex<WarningCounts>,
}

impl<T> Channel<T> {
    /// Sends a result.
    pub(super) fn send(&self, result: T) -> io::Result<()> {
        let sent = self.sender.send(Message::Result(result));
        sent.map_err(|_| io::ErrorKind::BrokenPipe.into())
    }

    fn send_warning(&self, text: &str) {
        let text = printable(text).into_owned();
        let _ = self.sender.send(Message::Warning(text));
    }

    /// Sends the numbers of the warnings that were not sent.
    fn count_warnings(&self) {
        let warnings = self.warnings.lock().unwrap_or_else(PoisonError::into_inner);
        for (group, hidden) in warnings.hidden() {
            self.send_warning(&format!("{hidden} more {group}"));
        }
    }
}

impl<T: Send> Observer for Channel<T> {
    fn warn(&self, warning: &Warning) {
        let is_shown = {
            let mut warnings = self.warnings.lock().unwrap_or_else(PoisonError::into_inner);
            warnings.add(warning.group())
        };
        if is_shown {
            self.send_warning(&warning.to_string());
        }
    }

    fn is_stopped(&self) -> bool {
        self.interruption.is_stopped()
    }
}
