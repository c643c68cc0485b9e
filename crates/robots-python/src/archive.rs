//! Decisions about the pages of archives.
//!
//! A thread of Rust reads and decides ([`robots_pipeline::decide`]); the iterator of Python takes what it sends, in order.

use crate::argument::{OneOrMore, Text, Time};
use crate::decision::Decision;
use crate::error::{self, ArchiveError, ArchiveWarning, InputError};
use crate::profile::AnyProfile;
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use robots_meta::Timestamp;
use robots_pipeline::sink::{RowContext, Sink};
use robots_pipeline::text::with_causes;
use robots_pipeline::{
    Now, Observer, Options, Outcome, RobotsSource, Rows, Source, Warning, WarningCounts,
};
use robots_policy::text::printable;
use robots_policy::{Policies, Policy};
use std::io;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, SystemTime};

/// The number of decisions that the thread sends at once.
const BATCH: usize = 64;

/// The number of messages that wait for the iterator.
const WAITING: usize = 16;

/// The time after which a waiting iterator looks for signals, such as Ctrl-C.
const SIGNALS: Duration = Duration::from_millis(100);

/// The decision about a page of an archive, and its place.
#[pyclass(frozen, module = "robots_policy")]
#[derive(Debug)]
pub(crate) struct ArchivedPage {
    file: String,
    offset: Option<u64>,
    status: Option<u16>,
    decision: Py<Decision>,
}

#[pymethods]
impl ArchivedPage {
    /// The archive, or the saved page.
    #[getter]
    fn file(&self) -> &str {
        &self.file
    }

    /// The offset of the record in the archive, in bytes; in gzip or Zstandard, that of its member or frame. None for a
    /// saved page.
    #[getter]
    fn offset(&self) -> Option<u64> {
        self.offset
    }

    /// The HTTP status of the response; None if there was no response.
    #[getter]
    fn status(&self) -> Option<u16> {
        self.status
    }

    /// The decision.
    #[getter]
    fn decision(&self, py: Python<'_>) -> Py<Decision> {
        self.decision.clone_ref(py)
    }

    /// Returns the object that `robots decide --json --explain` writes: the place, and the fields of the decision.
    fn to_dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let row = PyDict::new(py);
        row.set_item("file", &self.file)?;
        row.set_item("offset", self.offset)?;
        row.set_item("status", self.status)?;
        let decision = self.decision.bind(py).call_method0("to_dict")?;
        row.update(decision.cast::<PyDict>()?.as_mapping())?;
        Ok(row)
    }

    fn __repr__(&self) -> String {
        let offset = self.offset.map(|offset| format!(" at byte {offset}"));
        format!(
            "<ArchivedPage in {}{}>",
            self.file,
            offset.unwrap_or_default()
        )
    }
}

/// A message of the deciding thread.
enum Message {
    Pages(Vec<PageDecision>),
    Warning(String),
    End(Result<Outcome, robots_pipeline::Error>),
}

struct PageDecision {
    file: Arc<str>,
    offset: Option<u64>,
    status: Option<u16>,
    decision: robots_policy::Decision,
}

/// The decisions about archives, in the order of the pages: `iter_decisions(paths)`.
#[pyclass(module = "robots_policy")]
pub(crate) struct ArchiveDecisions {
    /// What the thread sends; nothing after the end.
    messages: Mutex<Option<Receiver<Message>>>,
    pages: std::vec::IntoIter<PageDecision>,
    is_stopped: Arc<AtomicBool>,
    summary: Option<String>,
}

impl std::fmt::Debug for ArchiveDecisions {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ArchiveDecisions").finish_non_exhaustive()
    }
}

impl Drop for ArchiveDecisions {
    fn drop(&mut self) {
        self.is_stopped.store(true, Ordering::Relaxed);
    }
}

#[pymethods]
impl ArchiveDecisions {
    /// The counts of the run, as `robots decide --summary` writes them, as JSON. None before the end.
    #[getter]
    fn summary_json(&self) -> Option<&str> {
        self.summary.as_deref()
    }

    fn __iter__(this: PyRef<'_, Self>) -> PyRef<'_, Self> {
        this
    }

    fn __next__(&mut self, py: Python<'_>) -> PyResult<Option<ArchivedPage>> {
        loop {
            if let Some(page) = self.pages.next() {
                return Ok(Some(ArchivedPage {
                    file: page.file.to_string(),
                    offset: page.offset,
                    status: page.status,
                    decision: Py::new(py, Decision(page.decision))?,
                }));
            }
            match self.receive(py)? {
                None => return Ok(None),
                Some(Message::Pages(pages)) => self.pages = pages.into_iter(),
                Some(Message::Warning(text)) => warn(py, &text)?,
                Some(Message::End(result)) => {
                    self.end(result)?;
                    return Ok(None);
                }
            }
        }
    }
}

impl ArchiveDecisions {
    /// Waits for the next message; `None` after the end.
    fn receive(&self, py: Python<'_>) -> PyResult<Option<Message>> {
        let messages = || self.messages.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            let wait = || Some(messages().as_ref()?.recv_timeout(SIGNALS));
            match py.detach(wait) {
                None => return Ok(None),
                Some(Ok(message)) => {
                    if matches!(message, Message::End(_)) {
                        *messages() = None;
                    }
                    return Ok(Some(message));
                }
                Some(Err(RecvTimeoutError::Timeout)) => py.check_signals()?,
                Some(Err(RecvTimeoutError::Disconnected)) => {
                    *messages() = None;
                    return Err(PyRuntimeError::new_err(
                        "the deciding thread has ended early",
                    ));
                }
            }
        }
    }

    /// Keeps the summary. Inputs that were left out are an error.
    fn end(&mut self, result: Result<Outcome, robots_pipeline::Error>) -> PyResult<()> {
        let summary = match result {
            Ok(Outcome::Ended { summary, .. }) => summary,
            Ok(_) => return Ok(()),
            Err(error) => return Err(archive_error(&with_causes(&error))),
        };
        let json =
            serde_json::to_string(&summary).map_err(|error| archive_error(&error.to_string()));
        self.summary = Some(json?);
        if summary.has_failed() {
            let failed = summary.failed_inputs.join("; ");
            let text = if failed.is_empty() {
                "no page was decided, and the inputs are damaged"
            } else {
                &failed
            };
            return Err(archive_error(text));
        }
        Ok(())
    }
}

fn archive_error(text: &str) -> PyErr {
    ArchiveError::new_err(printable(text).into_owned())
}

/// Raises a warning of Python, at the line of the caller.
fn warn(py: Python<'_>, text: &str) -> PyResult<()> {
    let category = py.get_type::<ArchiveWarning>();
    py.import("warnings")?
        .call_method1("warn", (text, category))
        .map(drop)
}

/// Decides about the pages of archives, and returns an iterator of the decisions.
///
/// The inputs are paths of WARC and ARC files (plain, gzip, Zstandard), saved .html pages, or folders of them. Each page is
/// decided for each robot under each profile, by the robots.txt that was in force: the last one that was captured before
/// it. Rows come in the order of the pages, and for a page first all robots under the first profile; they are those of
/// `robots decide --json --explain` on the same inputs. The arguments:
///
/// * agents: names of robots. By default the robot that each profile names.
/// * profiles: profiles, or names of them.
/// * robots: archives and folders with robots.txt files, in place of the inputs. Pages are then decided as they are read;
///   otherwise after all inputs were read.
/// * all_types: whether responses other than HTML are decided, by their headers.
/// * limit: the maximum number of pages.
/// * skim: whether the rest of a page after HEAD is skipped. The archives must be trustworthy.
/// * at: the time as of which pages are decided, now by default.
/// * threads: the number of threads, by default that of processors.
/// * reasons: whether decisions have reasons and warnings.
///
/// Damage of an input is an ArchiveWarning: the first ten of a kind, and then a count. An input that cannot be read is left
/// out; when all others were decided, the iterator raises ArchiveError. A dropped iterator stops its threads.
#[pyfunction]
#[pyo3(signature = (inputs, *, agents=None, profiles=None, robots=None, all_types=false, limit=None, skim=false, at=None, threads=None, reasons=true))]
#[allow(clippy::too_many_arguments, reason = "named arguments of Python")]
pub(crate) fn iter_decisions(
    inputs: OneOrMore<PathBuf>,
    agents: Option<OneOrMore<Text>>,
    profiles: Option<OneOrMore<AnyProfile>>,
    robots: Option<OneOrMore<PathBuf>>,
    all_types: bool,
    limit: Option<u64>,
    skim: bool,
    at: Option<Time>,
    threads: Option<usize>,
    reasons: bool,
) -> PyResult<ArchiveDecisions> {
    let inputs = inputs.0;
    if inputs.is_empty() {
        return Err(InputError::new_err("no inputs: pass a path or several"));
    }
    let agents = agents.map(|agents| agents.0);
    let policies = policies(agents, profiles.map(|profiles| profiles.0), reasons)?;
    let mut options = Options::new(Timestamp::from(SystemTime::now()));
    if let Some(at) = at {
        options.now = Now::At(at.0);
    }
    if let Some(robots) = robots {
        options.robots = RobotsSource::Files(robots.0);
    }
    if let Some(threads) = threads {
        options.threads = threads.max(1);
    }
    (options.all_types, options.limit, options.skim) = (all_types, limit, skim);
    let (sender, receiver) = sync_channel(WAITING);
    let is_stopped = Arc::new(AtomicBool::new(false));
    let channel = Channel {
        sender: sender.clone(),
        is_stopped: Arc::clone(&is_stopped),
        warnings: Mutex::default(),
    };
    let work = move || {
        let mut pages = Pages {
            sender: sender.clone(),
            batch: Vec::new(),
            file: Arc::from(""),
        };
        let source = Source::Files(&inputs);
        let result = robots_pipeline::decide(
            source,
            &policies,
            &options,
            Rows::Sink(&mut pages),
            &channel,
        );
        channel.count_warnings();
        // Without a receiver, nobody waits for the end.
        let _ = sender.send(Message::End(result));
    };
    thread::Builder::new()
        .name("iter_decisions".to_owned())
        .spawn(work)?;
    Ok(ArchiveDecisions {
        messages: Mutex::new(Some(receiver)),
        pages: Vec::new().into_iter(),
        is_stopped,
        summary: None,
    })
}

/// Returns a policy for each agent under each profile.
fn policies(
    agents: Option<Vec<Text>>,
    profiles: Option<Vec<AnyProfile>>,
    reasons: bool,
) -> PyResult<Policies> {
    let neutral = || vec![AnyProfile(robots_policy::Profile::neutral())];
    let mut policies = Vec::new();
    for AnyProfile(profile) in profiles.unwrap_or_else(neutral) {
        let Some(agents) = &agents else {
            policies.push(Policy::for_robot(&profile, profile.robot(profile.agent())));
            continue;
        };
        for name in agents {
            let policy = Policy::under(&profile, name).map_err(|error| error::agent(&error))?;
            policies.push(policy);
        }
    }
    if !reasons {
        policies = policies.into_iter().map(Policy::without_reasons).collect();
    }
    if policies.is_empty() {
        return Err(InputError::new_err(
            "no robots: pass an agent and a profile",
        ));
    }
    Ok(Policies::new(policies))
}

/// A sink that sends decisions to the iterator.
struct Pages {
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

/// An observer that sends warnings to the iterator, and stops when it is dropped.
struct Channel {
    sender: SyncSender<Message>,
    is_stopped: Arc<AtomicBool>,
    warnings: Mutex<WarningCounts>,
}

impl Channel {
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
        self.is_stopped.load(Ordering::Relaxed)
    }
}
