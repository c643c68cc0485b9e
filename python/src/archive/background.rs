//! A thread of Rust that reads archives, and the messages that it sends to the thread of Python.

use super::file_object::Interruption;
use super::page::PageDecision;
use crate::error::{self, ArchiveError, ArchiveWarning};
use arrow_array::RecordBatch;
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use robots_pipeline::sink::columnar::Columnar;
use robots_pipeline::sink::{RowContext, Sink};
use robots_pipeline::summary::{SkipReason, Summary};
use robots_pipeline::text::with_causes;
use robots_pipeline::{Error, Observer, Warning, WarningCounts};
use robots_policy::text::printable;
use std::io;
use std::mem;
use std::process;
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

/// The number of decisions that the thread sends at once.
const BATCH: usize = 64;

/// The number of messages that wait to be received.
const WAITING: usize = 16;

/// The time after which a waiting receiver looks for signals, such as Ctrl-C.
const SIGNALS: Duration = Duration::from_millis(100);

/// A message of the thread.
pub(super) enum Message {
    Pages(Vec<PageDecision>),
    Batch(RecordBatch),
    Warning(String),
    End(RunEnd),
}

/// The end of a run: its summary, unless it did not end by itself.
pub(super) type RunEnd = Result<Option<Summary>, Error>;

/// A thread that reads archives. It stops when this is dropped.
pub(super) struct Background {
    /// What the thread sends; nothing after the end.
    messages: Mutex<Option<Receiver<Message>>>,
    interruption: Interruption,
    /// The process that has the thread. A fork of it does not.
    process: u32,
}

impl Drop for Background {
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

impl Background {
    /// Starts a thread that does this work. `interruption` is that of the file objects that it reads.
    pub(super) fn start(
        name: &str,
        interruption: Interruption,
        work: impl FnOnce(&Channel) -> RunEnd + Send + 'static,
    ) -> PyResult<Self> {
        let (sender, receiver) = sync_channel(WAITING);
        let channel = Channel {
            sender,
            interruption: interruption.clone(),
            warnings: Mutex::default(),
        };
        thread::Builder::new()
            .name(name.to_owned())
            .spawn(move || {
                let end = work(&channel);
                channel.count_warnings();
                // Sending fails if no one waits for the end.
                let _ = channel.sender.send(Message::End(end));
            })?;
        Ok(Self {
            messages: Mutex::new(Some(receiver)),
            interruption,
            process: process::id(),
        })
    }

    /// Checks that this process has the thread.
    pub(super) fn check_process(&self) -> PyResult<()> {
        if process::id() == self.process {
            return Ok(());
        }
        Err(ArchiveError::new_err(
            "the thread that reads the archives is in another process: start reading after the fork",
        ))
    }

    /// Waits for the next message; `None` after the end. An exception of a signal handler stops the thread.
    ///
    /// Raises ArchiveError in a fork of the process.
    pub(super) fn receive(&self, py: Python<'_>) -> PyResult<Option<Message>> {
        self.check_process()?;
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

    /// Returns the counts of a run as JSON, and what its inputs raise. Neither is there if the run did not end by itself.
    ///
    /// Damage of a run without pages is an error only if it read `whole` archives: a part may have none.
    pub(super) fn summary(
        &self,
        py: Python<'_>,
        end: RunEnd,
        is_whole: bool,
    ) -> (Option<String>, PyResult<()>) {
        let summary = match end {
            Ok(Some(summary)) => summary,
            Ok(None) => return (None, Ok(())),
            Err(error) => return (None, Err(self.error(py, &with_causes(&error)))),
        };
        match serde_json::to_string(&summary) {
            Ok(json) => (Some(json), self.check(py, &summary, is_whole)),
            Err(error) => (None, Err(self.error(py, &error.to_string()))),
        }
    }

    /// Checks the summary of a run. The exception of a file object is an error, and so are inputs that were left out.
    fn check(&self, py: Python<'_>, summary: &Summary, is_whole: bool) -> PyResult<()> {
        let failed = match (&*summary.failed_inputs, summary.pages) {
            ([], 0) if is_whole && summary.has_failed() => {
                Some("no page was decided, and the inputs are damaged".to_owned())
            }
            ([], _) => {
                let unread = summary.skipped.get(&SkipReason::Unreadable);
                unread.map(|count| format!("{}: {count}", SkipReason::Unreadable))
            }
            (inputs, _) => Some(inputs.join("; ")),
        };
        let failed = failed.map(|text| archive_error(&text));
        match (self.interruption.take(), failed) {
            (Some(error), failed) => Err(in_context(py, error, failed)),
            (None, Some(failed)) => Err(failed),
            (None, None) => Ok(()),
        }
    }

    /// Checks that no file object has raised an exception.
    pub(super) fn check_raised(&self) -> PyResult<()> {
        self.interruption.take().map_or(Ok(()), Err)
    }

    /// Returns the exception for a run that failed: that of a file object, or else an ArchiveError.
    pub(super) fn error(&self, py: Python<'_>, text: &str) -> PyErr {
        let failed = archive_error(text);
        match self.interruption.take() {
            Some(error) => in_context(py, error, Some(failed)),
            None => failed,
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

/// Raises a warning of Python, at the line of the caller.
pub(super) fn warn(py: Python<'_>, text: &str) -> PyResult<()> {
    let category = py.get_type::<ArchiveWarning>();
    let warned = py
        .import("warnings")?
        .call_method1("warn", (text, category));
    warned
        .map(drop)
        .map_err(|error| error::of_caller(py, error))
}

/// Passes a warning to a function of Python, or else raises it as a warning.
pub(super) fn report(py: Python<'_>, on_warning: Option<&Py<PyAny>>, text: &str) -> PyResult<()> {
    match on_warning {
        Some(function) => {
            let called = function.call1(py, (text,));
            called
                .map(drop)
                .map_err(|error| error::of_caller(py, error))
        }
        None => warn(py, text),
    }
}

/// An observer that sends warnings, and stops when they are no longer received.
pub(super) struct Channel {
    sender: SyncSender<Message>,
    interruption: Interruption,
    warnings: Mutex<WarningCounts>,
}

impl Channel {
    /// Returns a sink that sends decisions.
    pub(super) fn pages(&self) -> Pages {
        Pages {
            sender: self.sender.clone(),
            batch: Vec::new(),
            file: Arc::from(""),
        }
    }

    /// Returns a sink that sends decisions as batches, with all reasons and warnings if it `explains`.
    pub(super) fn batches(&self, explains: bool) -> Batches {
        Batches {
            sender: self.sender.clone(),
            rows: Columnar::in_memory(explains),
        }
    }

    /// Sends a batch.
    pub(super) fn send_batch(&self, batch: RecordBatch) -> io::Result<()> {
        let sent = self.sender.send(Message::Batch(batch));
        sent.map_err(|_| io::ErrorKind::BrokenPipe.into())
    }

    fn send(&self, text: &str) {
        let _ = self
            .sender
            .send(Message::Warning(printable(text).into_owned()));
    }

    /// Sends the numbers of the warnings that were not sent.
    fn count_warnings(&self) {
        let warnings = self.warnings.lock().unwrap_or_else(PoisonError::into_inner);
        for (group, hidden) in warnings.hidden() {
            self.send(&format!("{hidden} more {group}"));
        }
    }
}

impl Observer for Channel {
    fn warn(&self, warning: &Warning) {
        let is_shown = {
            let mut warnings = self.warnings.lock().unwrap_or_else(PoisonError::into_inner);
            warnings.add(warning.group())
        };
        if is_shown {
            self.send(&warning.to_string());
        }
    }

    fn is_stopped(&self) -> bool {
        self.interruption.is_stopped()
    }
}

/// A sink that sends decisions.
pub(super) struct Pages {
    sender: SyncSender<Message>,
    batch: Vec<PageDecision>,
    /// The file of the last page.
    file: Arc<str>,
}

impl Sink for Pages {
    fn write(
        &mut self,
        row: &RowContext<'_>,
        decision: &robots_policy::Decision,
    ) -> io::Result<()> {
        if *self.file != *row.file {
            self.file = Arc::from(row.file);
        }
        self.batch.push(PageDecision {
            file: Arc::clone(&self.file),
            offset: row.offset,
            status: row.status,
            decision: decision.clone(),
        });
        if self.batch.len() < BATCH {
            return Ok(());
        }
        self.flush()
    }

    fn flush(&mut self) -> io::Result<()> {
        if self.batch.is_empty() {
            return Ok(());
        }
        let batch = std::mem::take(&mut self.batch);
        let sent = self.sender.send(Message::Pages(batch));
        sent.map_err(|_| io::ErrorKind::BrokenPipe.into())
    }
}

/// A sink that sends decisions as batches.
pub(super) struct Batches {
    sender: SyncSender<Message>,
    rows: Columnar<Vec<RecordBatch>>,
}

impl Batches {
    /// Sends the batches that are full.
    fn send(&mut self) -> io::Result<()> {
        for batch in self.rows.take_batches() {
            let sent = self.sender.send(Message::Batch(batch));
            sent.map_err(|_| io::Error::from(io::ErrorKind::BrokenPipe))?;
        }
        Ok(())
    }
}

impl Sink for Batches {
    fn write(
        &mut self,
        row: &RowContext<'_>,
        decision: &robots_policy::Decision,
    ) -> io::Result<()> {
        self.rows.write(row, decision)?;
        self.send()
    }

    /// Does nothing: a batch is sent when it is full.
    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }

    fn finish(&mut self) -> io::Result<()> {
        self.rows.finish()?;
        self.send()
    }
}
