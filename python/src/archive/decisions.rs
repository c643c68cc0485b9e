//! Iterators of decisions about the pages of archives.

use super::background::{Background, Channel, RunEnd};
use super::batches::ArchiveBatches;
use super::book::{FrozenRobotsBook, expected, load_error};
use super::file_object::Inputs;
use super::page::{ArchivedPage, PageDecision};
use super::sources::Sources;
use crate::argument::{AnyPath, ByteCount, Count, Moment, OneOrMore, RecordPlace, Text, Threads};
use crate::error::InputError;
use crate::fork;
use crate::policies::{policies, with_reasons};
use crate::profile::AnyProfile;
use arrow_array::RecordBatch;
use pyo3::prelude::*;
use pyo3::types::PyTuple;
use robots_meta::Timestamp;
use robots_pipeline::sink::columnar::Columnar;
use robots_pipeline::sink::{RowContext, Sink};
use robots_pipeline::{Now, Options, Outcome, RobotsSource, Rows, Source};
use robots_policy::Policies;
use std::collections::VecDeque;
use std::io;
use std::mem;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;

/// The number of decisions that the thread sends at once.
const BATCH: usize = 64;

/// The decisions about archives, in the order of the pages: `iter_decisions(inputs)`.
///
/// Threads may share it: each page is returned once.
#[pyclass(frozen, module = "robots_policy")]
pub(crate) struct ArchiveDecisions {
    background: Background<Vec<PageDecision>>,
    /// The pages that were received, and not yet returned.
    pages: Mutex<VecDeque<PageDecision>>,
}

#[pymethods]
impl ArchiveDecisions {
    /// The counts of the run, as `robots decide --summary` writes them, as JSON. None before the end.
    #[getter]
    fn summary_json(&self) -> Option<&str> {
        self.background.summary_json()
    }

    /// Stops reading, and releases the archives. It is not an error to call it again.
    fn close(&self, py: Python<'_>) -> PyResult<()> {
        self.background.close(py)
    }

    fn __enter__(this: PyRef<'_, Self>) -> PyRef<'_, Self> {
        this
    }

    /// Closes it.
    #[pyo3(signature = (*_exception))]
    fn __exit__(&self, py: Python<'_>, _exception: &Bound<'_, PyTuple>) -> PyResult<()> {
        self.close(py)
    }

    fn __iter__(this: PyRef<'_, Self>) -> PyRef<'_, Self> {
        this
    }

    fn __next__(&self, py: Python<'_>) -> PyResult<Option<ArchivedPage>> {
        // Here too: the pages that were received are returned by the process that read them.
        self.background.check()?;
        let pages = || self.pages.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            let page = pages().pop_front();
            if let Some(page) = page {
                return page.into_page(py).map(Some);
            }
            match self.background.next(py)? {
                None => return Ok(None),
                Some(received) => pages().extend(received),
            }
        }
    }
}

/// A sink that sends decisions.
struct PageSink<'c> {
    channel: &'c Channel<Vec<PageDecision>>,
    batch: Vec<PageDecision>,
    /// The file of the last page.
    file: Arc<str>,
}

impl Sink for PageSink<'_> {
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
        self.channel.send(mem::take(&mut self.batch))
    }
}

/// A sink that sends decisions as batches.
struct BatchSink<'c> {
    channel: &'c Channel<RecordBatch>,
    rows: Columnar<Vec<RecordBatch>>,
}

impl BatchSink<'_> {
    /// Sends the batches that are full.
    fn send(&mut self) -> io::Result<()> {
        let mut batches = self.rows.take_batches().into_iter();
        batches.try_for_each(|batch| self.channel.send(batch))
    }
}

impl Sink for BatchSink<'_> {
    fn write(
        &mut self,
        row: &RowContext<'_>,
        decision: &robots_policy::Decision,
    ) -> io::Result<()> {
        self.rows.write(row, decision)?;
        self.send()
    }

    fn finish(&mut self) -> io::Result<()> {
        self.rows.finish()?;
        self.send()
    }
}

/// Decides about the pages of a source.
fn decide<T: Send>(
    source: Source<'_>,
    policies: &Policies,
    options: &Options,
    sink: &mut dyn Sink,
    channel: &Channel<T>,
) -> RunEnd {
    let rows = Rows::Sink(sink);
    match robots_pipeline::decide(source, policies, options, rows, channel)? {
        Outcome::Ended { summary, .. } => Ok(Some(summary)),
        _ => Ok(None),
    }
}

/// Starts a run, and returns its decisions as objects.
fn decisions(
    name: &'static str,
    sources: Sources,
    policies: Policies,
    options: Options,
    reader: Option<fork::Reader>,
) -> PyResult<ArchiveDecisions> {
    let failure = sources.failure();
    let background = Background::start(name, sources, None, failure, move |source, channel| {
        let _reader = reader;
        let mut sink = PageSink {
            channel,
            batch: Vec::new(),
            file: Arc::from(""),
        };
        decide(source, &policies, &options, &mut sink, channel)
    })?;
    Ok(ArchiveDecisions {
        background,
        pages: Mutex::default(),
    })
}

/// Returns policies and options for decisions by a book, and the reader of it.
fn by_book(
    book: &FrozenRobotsBook,
    reasons: bool,
    mut options: Options,
) -> PyResult<(Policies, Options, fork::Reader)> {
    let reader = book.readers.add()?;
    options.robots = RobotsSource::Book(Arc::clone(&book.book));
    let policies = book.book.policies().iter().cloned().collect();
    Ok((with_reasons(policies, reasons), options, reader))
}

/// Returns the options that all functions have.
pub(super) fn options(
    all_types: bool,
    limit: Option<Count>,
    at: Moment,
    threads: Option<Threads>,
) -> Options {
    let mut options = Options::new(Timestamp::from(SystemTime::now()));
    options.now = at.0.map_or(Now::Unknown, Now::At);
    if let Some(threads) = threads {
        options.threads = threads.0;
    }
    options.limit = limit.map(|limit| limit.0);
    options.all_types = all_types;
    options
}

/// Decides about the pages of archives, and returns an iterator of the decisions.
///
/// The inputs are paths of WARC and ARC files (plain, gzip, Zstandard), saved .html pages, or folders of them, and binary
/// file objects of WARC and ARC files: anything with `read(n)`, such as an open file, a BytesIO, a response, or
/// `socket.makefile("rb")`. Each page is decided for each robot under each profile, by the robots.txt that was in force: the
/// last one that was captured before it, or else the first one after it. Rows come in the order of the pages, and for a page first all robots under the first profile; they are those of
/// `robots decide --json --explain` on the same inputs. The arguments:
///
/// * agents: names of robots. By default the robot that each profile names.
/// * profiles: profiles, or names of them. By default a known robot has that of its operator, and any other the neutral one.
/// * robots: archives and folders with robots.txt files, in place of the inputs. Pages are then decided as they are read;
///   otherwise after all inputs were read.
/// * all_types: whether responses other than HTML are decided, by their headers.
/// * limit: the maximum number of pages.
/// * at: the time as of which pages are decided; by default that of the call. None: no clock.
/// * threads: the number of threads, by default that of processors.
/// * reasons: whether decisions have reasons and warnings.
/// * name: the name of a file object in rows and messages, or a name for each; by default its `name` or `path`.
///
/// A file object is read to its end by another thread, and not closed. Without robots, a copy of it is made in a temporary
/// file, as redirects of robots.txt may lead to any record. An exception of `read` ends its input, as damage of a disk would
/// end that of a path; when all others were decided, the iterator raises this exception.
///
/// Damage of an input is an ArchiveWarning: the first ten of a kind, and then a count. An input that cannot be read is left
/// out; when all others were decided, the iterator raises ArchiveError. A dropped iterator stops its threads.
#[pyfunction]
#[pyo3(signature = (inputs, *, agents=None, profiles=None, robots=None, all_types=false, limit=None, at=Moment::now(), threads=None, reasons=true, name=None), text_signature = "(inputs, *, agents=None, profiles=None, robots=None, all_types=False, limit=None, at='now', threads=None, reasons=True, name=None)")]
#[allow(clippy::too_many_arguments, reason = "named arguments of Python")]
pub(crate) fn iter_decisions(
    py: Python<'_>,
    inputs: Inputs,
    agents: Option<OneOrMore<Text>>,
    profiles: Option<OneOrMore<AnyProfile>>,
    robots: Option<OneOrMore<AnyPath>>,
    all_types: bool,
    limit: Option<Count>,
    at: Moment,
    threads: Option<Threads>,
    reasons: bool,
    name: Option<OneOrMore<Text>>,
) -> PyResult<ArchiveDecisions> {
    let sources = Sources::whole(py, inputs, name)?;
    let policies = with_reasons(policies(agents, profiles)?, reasons);
    let mut options = options(all_types, limit, at, threads);
    if let Some(robots) = robots {
        let paths: Vec<_> = robots.0.into_iter().map(|path| path.0).collect();
        // Without a robots.txt, every decision would be unknown.
        if paths.is_empty() {
            return Err(InputError::new_err(
                "no robots: pass a path or several, or None for those of the inputs",
            ));
        }
        options.robots = RobotsSource::Files(paths);
    }
    decisions("iter_decisions", sources, policies, options, None)
}

/// Decides about the pages of archives by a book of robots.txt captures, and returns an iterator of the decisions.
///
/// The inputs and the arguments are those of `iter_decisions`; the robots and profiles are those of the book. Pages are
/// decided as they are read. Rows are those of `robots decide --robots CAPTURES --json --explain` on the same inputs, where
/// CAPTURES are the archives from which the book was read. With `agents` or `profiles`, the book must be of these.
///
/// Raises LoadError if the book is of other robots or profiles.
#[pyfunction]
#[pyo3(signature = (inputs, book, *, agents=None, profiles=None, all_types=false, limit=None, at=Moment::now(), threads=None, reasons=true, name=None), text_signature = "(inputs, book, *, agents=None, profiles=None, all_types=False, limit=None, at='now', threads=None, reasons=True, name=None)")]
#[allow(clippy::too_many_arguments, reason = "named arguments of Python")]
pub(crate) fn decide_warc(
    py: Python<'_>,
    inputs: Inputs,
    book: &FrozenRobotsBook,
    agents: Option<OneOrMore<Text>>,
    profiles: Option<OneOrMore<AnyProfile>>,
    all_types: bool,
    limit: Option<Count>,
    at: Moment,
    threads: Option<Threads>,
    reasons: bool,
    name: Option<OneOrMore<Text>>,
) -> PyResult<ArchiveDecisions> {
    if let Some(expected) = expected(agents, profiles)? {
        book.book
            .check(&expected)
            .map_err(|error| load_error(&error))?;
    }
    let options = options(all_types, limit, at, threads);
    let sources = Sources::whole(py, inputs, name)?;
    let (policies, options, reader) = by_book(book, reasons, options)?;
    decisions("decide_warc", sources, policies, options, Some(reader))
}

/// Decides about the pages of archives by a book of robots.txt captures, and returns an iterator of batches of decisions.
///
/// Rows are those of `decide_warc`, as `robots decide --format parquet` writes them: docs/columns.md has the columns. The
/// arguments are those of `decide_warc`, except that robots and profiles are those of the book. With `explain`, there are columns
/// with all reasons and warnings, as JSON; with `evidence`, these and those of docs/evidence.md. A batch has up to 4,096 rows, and about 4 MiB of text. `on_warning` is called with the
/// text of each ArchiveWarning in its place. With `offset` and `length`, or `ranges`, only these records of one archive are
/// read, as by `records`, and with one thread.
#[pyfunction]
#[pyo3(signature = (inputs, book, *, explain=false, evidence=false, all_types=false, limit=None, at=Moment::now(), threads=None, name=None, on_warning=None, offset=None, length=None, ranges=None), text_signature = "(inputs, book, *, explain=False, evidence=False, all_types=False, limit=None, at='now', threads=None, name=None, on_warning=None, offset=None, length=None, ranges=None)")]
#[allow(clippy::too_many_arguments, reason = "named arguments of Python")]
pub(crate) fn decide_warc_batches(
    py: Python<'_>,
    inputs: Inputs,
    book: &FrozenRobotsBook,
    explain: bool,
    evidence: bool,
    all_types: bool,
    limit: Option<Count>,
    at: Moment,
    threads: Option<Threads>,
    name: Option<OneOrMore<Text>>,
    on_warning: Option<Py<PyAny>>,
    offset: Option<ByteCount>,
    length: Option<ByteCount>,
    ranges: Option<Vec<RecordPlace>>,
) -> PyResult<ArchiveBatches> {
    let mut options = options(all_types, limit, at, threads);
    options.evidence = evidence;
    let sources = Sources::new(py, inputs, name, offset, length, ranges)?;
    let failure = sources.failure();
    // Two columns name the reasons that decide, and one counts warnings.
    let (policies, options, reader) = by_book(book, true, options)?;
    let rows = Columnar::in_memory(explain, evidence);
    let schema = Arc::clone(rows.schema());
    let work = move |source: Source<'_>, channel: &Channel<RecordBatch>| {
        let _reader = reader;
        let mut sink = BatchSink { channel, rows };
        decide(source, &policies, &options, &mut sink, channel)
    };
    let name = "decide_warc_batches";
    let background = Background::start(name, sources, on_warning, failure, work)?;
    Ok(ArchiveBatches { background, schema })
}
