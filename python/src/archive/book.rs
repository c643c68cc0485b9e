//! Books of the robots.txt captures of archives.

use super::background::{Background, Channel, archive_error};
use super::capture_row;
use super::file_object::Inputs;
use super::sources::{Sources, failed_inputs};
use crate::argument::{Bytes, Content, OneOrMore, Text, Threads, Time};
use crate::decision::Decision;
use crate::error::LoadError;
use crate::fork::{self, Readers};
use crate::interrupt::Signals;
use crate::policies::policies;
use crate::policy::Response;
use crate::profile::{AnyProfile, Profile};
use pyo3::PyTypeInfo;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};
use robots_meta::Timestamp;
use robots_pipeline::robots::capture_book::CaptureBook;
use robots_pipeline::{BookError, Options, Source};
use robots_policy::Policies;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;

/// The captures of robots.txt files in archives, for robots and profiles.
///
/// `captures` returns a book. Books with the same robots and profiles can be merged. `freeze` ends that: it returns the
/// FrozenRobotsBook by which `decide_warc` decides. Books pickle; `to_bytes` and `from_bytes` are for other ways to send them.
#[pyclass(frozen, module = "robots_policy")]
pub(crate) struct RobotsBook(Mutex<Arc<CaptureBook>>);

/// An immutable book of robots.txt captures: the source of `decide_warc`.
///
/// Threads can share it. It costs little to load: a robots.txt is compiled when a page of its site is first decided.
#[pyclass(frozen, module = "robots_policy")]
pub(crate) struct FrozenRobotsBook {
    pub(crate) book: Arc<CaptureBook>,
    /// The iterators that decide by it.
    pub(crate) readers: Arc<Readers>,
}

impl FrozenRobotsBook {
    fn new(book: Arc<CaptureBook>) -> Self {
        Self {
            book,
            readers: Arc::default(),
        }
    }
}

/// Reads the bytes of a book. With robots or profiles, they must be those of the book.
fn read(
    py: Python<'_>,
    data: &Bytes,
    agents: Option<OneOrMore<Text>>,
    profiles: Option<OneOrMore<AnyProfile>>,
) -> PyResult<Arc<CaptureBook>> {
    let expected = expected(agents, profiles)?;
    let read = fork::detached(py, || match &expected {
        Some(policies) => CaptureBook::from_bytes_for(&data.0, policies),
        None => CaptureBook::from_bytes(&data.0),
    });
    read.map(Arc::new).map_err(|error| load_error(&error))
}

/// Returns the policies that a book must have; `None` without robots and profiles.
pub(super) fn expected(
    agents: Option<OneOrMore<Text>>,
    profiles: Option<OneOrMore<AnyProfile>>,
) -> PyResult<Option<Arc<Policies>>> {
    if agents.is_none() && profiles.is_none() {
        return Ok(None);
    }
    let policies = policies(agents, profiles)?;
    Ok(Some(Arc::new(Policies::new(policies))))
}

pub(crate) fn load_error(error: &BookError) -> PyErr {
    LoadError::new_err(error.to_string())
}

/// Returns the robots of a book, each with its profile.
fn robots(policies: &Policies) -> Vec<(String, Profile)> {
    let pair = |policy: &robots_policy::Policy| {
        (policy.agent().to_owned(), Profile(policy.profile().clone()))
    };
    policies.iter().map(pair).collect()
}

/// Returns the state of a pickled book: the function that loads it, and its arguments.
fn reduce<'py, C: PyTypeInfo>(py: Python<'py>, book: &CaptureBook) -> PyResult<Reduced<'py>> {
    let load = py.get_type::<C>().getattr("from_bytes")?;
    Ok((load, (fork::detached(py, || book.to_bytes()),)))
}

type Reduced<'py> = (Bound<'py, PyAny>, (Vec<u8>,));

/// Returns a book for people. `class` is that of the book.
fn shown(class: &str, book: &CaptureBook) -> String {
    let name =
        |policy: &robots_policy::Policy| format!("{} under {}", policy.agent(), policy.profile());
    let names: Vec<_> = book.policies().iter().map(name).collect();
    let (names, captures) = (names.join(", "), book.len());
    format!("<{class} of {names}: {captures} captures>")
}

impl RobotsBook {
    /// Returns the book as it is now; while detached from the interpreter, as another thread may merge it for seconds.
    fn book(&self, py: Python<'_>) -> Arc<CaptureBook> {
        fork::detached(py, || {
            Arc::clone(&self.0.lock().unwrap_or_else(PoisonError::into_inner))
        })
    }
}

#[pymethods]
impl RobotsBook {
    /// Reads the output of `to_bytes`. With `agents` or `profiles`, the book must be of these robots under these profiles.
    ///
    /// Raises LoadError if the bytes are not a book, of another version, damaged, or of other robots or profiles.
    #[staticmethod]
    #[pyo3(signature = (data, *, agents=None, profiles=None))]
    fn from_bytes(
        py: Python<'_>,
        data: Bytes,
        agents: Option<OneOrMore<Text>>,
        profiles: Option<OneOrMore<AnyProfile>>,
    ) -> PyResult<Self> {
        read(py, &data, agents, profiles).map(|book| Self(Mutex::new(book)))
    }

    /// Returns the book as bytes: a format version, a checksum, and the captures, robots and profiles.
    fn to_bytes(&self, py: Python<'_>) -> Vec<u8> {
        let book = self.book(py);
        fork::detached(py, || book.to_bytes())
    }

    /// Reads rows, as `to_rows` returns them. The robots and profiles may be others than those of the book that they come from.
    ///
    /// Raises InputError if a row is not a capture.
    #[staticmethod]
    #[pyo3(signature = (rows, *, agents=None, profiles=None))]
    fn from_rows(
        rows: &Bound<'_, PyAny>,
        agents: Option<OneOrMore<Text>>,
        profiles: Option<OneOrMore<AnyProfile>>,
    ) -> PyResult<Self> {
        let policies = Arc::new(Policies::new(policies(agents, profiles)?));
        let mut book = CaptureBook::new(&policies);
        let mut signals = Signals::new();
        for (number, row) in rows.try_iter()?.enumerate() {
            capture_row::add(&mut book, number, &row?)?;
            signals.check()?;
        }
        Ok(Self(Mutex::new(Arc::new(book))))
    }

    /// Returns the captures as rows, for tables: tuples of the URL; the time in seconds since 1970, if it is known; the outcome;
    /// the status and the Content-Type of a response; the target of a redirect; the body of a 2xx response; and for evidence the archive,
    /// the offset of the record in it, and the SHA-256 of the body. The last three may be None, and `from_rows` needs none of them.
    ///
    /// The outcome is `response`, `redirect`, `redirect_to_nowhere` (without a target, or to a URL that HTTP cannot request),
    /// `redirect_fault` (a request that failed by its redirects), `fault` (for another reason), or `unreadable` (a body that
    /// cannot be read). Rows are ordered by URL, and those of one URL as they were read. A body is kept as far as the profiles
    /// of the book read it: under `google`, it is whole.
    fn to_rows<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyTuple>>> {
        let book = self.book(py);
        let rows = book.rows().map(|row| capture_row::tuple(py, &row));
        rows.collect()
    }

    /// Adds the captures of another book, after those of this one. The result is the book of both archives.
    ///
    /// There is one exception: the target of a redirect that is not a robots.txt itself, and a licence, are searched for only in
    /// the archive that names them. `missing_targets` has such URLs, and `captures(inputs, urls=...)` reads them from other archives.
    ///
    /// Raises LoadError if the other book has other robots or profiles.
    fn merge(&self, py: Python<'_>, other: &Self) -> PyResult<()> {
        // The locks are not held together: two threads may merge two books into each other.
        let other = other.book(py);
        let merged = fork::detached(py, || {
            let mut book = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            Arc::make_mut(&mut book).merge(&other)
        });
        merged.map_err(|error| load_error(&error))
    }

    /// The URLs to which robots.txt files redirect, and of the licences that they name, that were not captured, in order: those that are not
    /// robots.txt files themselves.
    #[getter]
    fn missing_targets(&self, py: Python<'_>) -> Vec<String> {
        let book = self.book(py);
        fork::detached(py, || book.missing_targets())
    }

    /// Returns an immutable copy, by which pages are decided.
    fn freeze(&self, py: Python<'_>) -> FrozenRobotsBook {
        let book = self.book(py);
        // A copy: decisions keep what they find out about origins, and merging would not correct it.
        FrozenRobotsBook::new(Arc::new(fork::detached(py, || CaptureBook::clone(&book))))
    }

    /// The robots, each with its profile, in the order of the decisions about a page.
    #[getter]
    fn robots(&self, py: Python<'_>) -> Vec<(String, Profile)> {
        robots(self.book(py).policies())
    }

    fn __len__(&self, py: Python<'_>) -> usize {
        self.book(py).len()
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Reduced<'py>> {
        reduce::<Self>(py, &self.book(py))
    }

    fn __repr__(&self, py: Python<'_>) -> String {
        shown("RobotsBook", &self.book(py))
    }
}

#[pymethods]
impl FrozenRobotsBook {
    /// Reads the output of `to_bytes`, also that of a RobotsBook. With `agents` or `profiles`, the book must be of these
    /// robots under these profiles.
    ///
    /// Raises LoadError if the bytes are not a book, of another version, damaged, or of other robots or profiles.
    #[staticmethod]
    #[pyo3(signature = (data, *, agents=None, profiles=None))]
    fn from_bytes(
        py: Python<'_>,
        data: Bytes,
        agents: Option<OneOrMore<Text>>,
        profiles: Option<OneOrMore<AnyProfile>>,
    ) -> PyResult<Self> {
        read(py, &data, agents, profiles).map(Self::new)
    }

    /// Returns the book as bytes: a format version, a checksum, and the captures, robots and profiles.
    fn to_bytes(&self, py: Python<'_>) -> Vec<u8> {
        fork::detached(py, || self.book.to_bytes())
    }

    /// Decides about a page that was captured at a time, for each robot, as `decide_warc` does.
    ///
    /// The robots.txt in force is the last one that was captured before `captured_at`, or else the first; without this time,
    /// the last one. The other arguments are those of `Policy.decide`.
    #[pyo3(signature = (url, html=None, *, captured_at=None, **response), text_signature = "($self, url, html=None, *, captured_at=None, status=None, headers=None, charset=None, at='now', not_html=False, cut_short=False, licenses=None)")]
    fn decide(
        &self,
        py: Python<'_>,
        url: Text,
        html: Option<Content>,
        captured_at: Option<Time>,
        response: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Vec<Decision>> {
        let response = Response::new(html, response)?;
        let page = response.page(&url)?;
        let captured = captured_at.map(|time| time.0);
        self.readers.check()?;
        let decisions = fork::detached(py, || self.book.decide(&page, captured));
        Ok(decisions.into_iter().map(Decision).collect())
    }

    /// The robots, each with its profile, in the order of the decisions about a page.
    #[getter]
    fn robots(&self) -> Vec<(String, Profile)> {
        robots(self.book.policies())
    }

    fn __len__(&self) -> usize {
        self.book.len()
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Reduced<'py>> {
        reduce::<Self>(py, &self.book)
    }

    fn __repr__(&self) -> String {
        shown("FrozenRobotsBook", &self.book)
    }
}

/// Reads the robots.txt captures of archives, and returns a book of them.
///
/// The inputs are paths of WARC and ARC files or binary file objects of them, as for `iter_decisions`; and folders with
/// robots.txt files whose paths name their hosts, such as `example.com/robots.txt`. The arguments:
///
/// * agents: names of robots. By default the robot that each profile names.
/// * profiles: profiles, or names of them. By default a known robot has that of its operator, and any other the neutral one.
/// * urls: URLs to read in place of robots.txt files: the `missing_targets` of a merged book.
/// * threads: the number of threads, by default that of processors.
/// * name: the name of a file object in messages, or a name for each.
/// * on_warning: a function that is called with the text of each ArchiveWarning in its place.
///
/// Damage of an archive is an ArchiveWarning. Raises ArchiveError if an archive cannot be read to its end, as pages would be
/// decided without its rules, and an exception of the `read` of a file object as it is.
#[pyfunction]
#[pyo3(signature = (inputs, *, agents=None, profiles=None, urls=None, threads=None, name=None, on_warning=None))]
#[allow(clippy::too_many_arguments, reason = "named arguments of Python")]
pub(crate) fn captures(
    py: Python<'_>,
    inputs: Inputs,
    agents: Option<OneOrMore<Text>>,
    profiles: Option<OneOrMore<AnyProfile>>,
    urls: Option<OneOrMore<Text>>,
    threads: Option<Threads>,
    name: Option<OneOrMore<Text>>,
    on_warning: Option<Py<PyAny>>,
) -> PyResult<RobotsBook> {
    let sources = Sources::whole(py, inputs, name)?;
    let policies = Arc::new(Policies::new(policies(agents, profiles)?));
    let mut options = Options::new(Timestamp::from(SystemTime::now()));
    if let Some(threads) = threads {
        options.threads = threads.0;
    }
    let urls: Option<Vec<String>> =
        urls.map(|urls| urls.0.iter().map(|url| url.to_string()).collect());
    let work = move |source: Source<'_>, channel: &Channel<CaptureBook>| {
        let (captures, summary) = match urls {
            Some(urls) => robots_pipeline::captures_of(urls, source, &policies, &options, channel),
            None => robots_pipeline::captures(source, &policies, &options, channel),
        }?;
        // Sending fails if no one waits for the book.
        let _ = channel.send(captures);
        Ok(Some(summary))
    };
    let background = Background::start("captures", sources, on_warning, failed_inputs, work)?;
    let book = background.next(py)?;
    // The end: it fails if the captures of an archive are missing.
    background.next(py)?;
    let book = book.ok_or_else(|| archive_error("the captures were not read"))?;
    Ok(RobotsBook(Mutex::new(Arc::new(book))))
}
