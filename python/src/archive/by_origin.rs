//! Pages that are read on one machine and decided on another, sorted by origin ([`robots_pipeline::by_origin`]).

use super::background::{Background, Channel};
use super::batches::ArchiveBatches;
use super::capture_row;
use super::decisions::options;
use super::file_object::Inputs;
use super::sources::Sources;
use crate::argument::{ByteCount, Bytes, Count, Moment, OneOrMore, RecordPlace, Text, Threads};
use crate::arrow::{ArrowBatch, batch_error};
use crate::error::LoadError;
use crate::fork;
use crate::policies::policies;
use crate::profile::AnyProfile;
use arrow_array::builder::{BinaryBuilder, Int64Builder, StringBuilder};
use arrow_array::{ArrayRef, RecordBatch};
use arrow_schema::{ArrowError, DataType, Field, Schema, SchemaRef};
use pyo3::prelude::*;
use robots_pipeline::by_origin::{self, Group, PageReceiver, SortedRowError, UndecidedPage};
use robots_pipeline::sink::Sink;
use robots_pipeline::sink::columnar::{BATCH_BYTES, BATCH_ROWS, Columnar};
use robots_pipeline::text::with_causes;
use robots_pipeline::{Source, read_pages as read};
use robots_policy::Policies;
use std::io;
use std::sync::{Arc, Mutex, PoisonError};

/// A receiver that sends pages as batches.
struct PageBatches<'c> {
    channel: &'c Channel<RecordBatch>,
    schema: SchemaRef,
    keys: StringBuilder,
    files: StringBuilder,
    offsets: Int64Builder,
    facts: BinaryBuilder,
    rows: usize,
    bytes: usize,
}

fn page_schema() -> SchemaRef {
    let field = |name: &str, kind| Field::new(name, kind, false);
    Arc::new(Schema::new(vec![
        field("key", DataType::Utf8),
        field("file", DataType::Utf8),
        field("row", DataType::Int64),
        field("facts", DataType::Binary),
    ]))
}

impl<'c> PageBatches<'c> {
    fn new(channel: &'c Channel<RecordBatch>) -> Self {
        Self {
            channel,
            schema: page_schema(),
            keys: StringBuilder::new(),
            files: StringBuilder::new(),
            offsets: Int64Builder::new(),
            facts: BinaryBuilder::new(),
            rows: 0,
            bytes: 0,
        }
    }

    /// Sends the pages that wait.
    fn send(&mut self) -> io::Result<()> {
        if self.rows == 0 {
            return Ok(());
        }
        (self.rows, self.bytes) = (0, 0);
        let columns: Vec<ArrayRef> = vec![
            Arc::new(self.keys.finish()),
            Arc::new(self.files.finish()),
            Arc::new(self.offsets.finish()),
            Arc::new(self.facts.finish()),
        ];
        let batch = RecordBatch::try_new(Arc::clone(&self.schema), columns);
        self.channel.send(batch.map_err(io::Error::other)?)
    }
}

impl PageReceiver for PageBatches<'_> {
    fn receive(&mut self, page: &UndecidedPage<'_>) -> io::Result<()> {
        self.keys.append_value(page.key.unwrap_or_default());
        self.files.append_value(page.file);
        let offset = i64::try_from(page.offset).unwrap_or(i64::MAX);
        self.offsets.append_value(offset);
        self.facts.append_value(page.facts);
        self.rows = self.rows.saturating_add(1);
        self.bytes = self.bytes.saturating_add(page.facts.len());
        if self.rows < BATCH_ROWS && self.bytes < BATCH_BYTES {
            return Ok(());
        }
        self.send()
    }
}

/// Reads the pages of archives for robots and profiles without deciding about them, and returns an iterator of batches.
///
/// The columns are key, the URL of the robots.txt of the page's origin, empty for a page without one; file; row, which orders the pages of
/// a file; and facts, all that an OriginDecider for the same robots and profiles needs, with `evidence` the digest of the page, too. The other
/// arguments are those of `decide_warc_batches`.
#[pyfunction]
#[pyo3(signature = (inputs, *, agents=None, profiles=None, all_types=false, limit=None, threads=None, name=None, on_warning=None, offset=None, length=None, ranges=None, evidence=false))]
#[allow(clippy::too_many_arguments, reason = "named arguments of Python")]
pub(crate) fn read_pages(
    py: Python<'_>,
    inputs: Inputs,
    agents: Option<OneOrMore<Text>>,
    profiles: Option<OneOrMore<AnyProfile>>,
    all_types: bool,
    limit: Option<Count>,
    threads: Option<Threads>,
    name: Option<OneOrMore<Text>>,
    on_warning: Option<Py<PyAny>>,
    offset: Option<ByteCount>,
    length: Option<ByteCount>,
    ranges: Option<Vec<RecordPlace>>,
    evidence: bool,
) -> PyResult<ArchiveBatches> {
    let mut options = options(all_types, limit, Moment::now(), threads);
    options.evidence = evidence;
    let policies = Policies::new(policies(agents, profiles)?);
    let sources = Sources::new(py, inputs, name, offset, length, ranges)?;
    let failure = sources.failure();
    let work = move |source: Source<'_>, channel: &Channel<RecordBatch>| {
        let mut pages = PageBatches::new(channel);
        let end = read(source, &policies, &options, &mut pages, channel);
        // If no one waits for the rest, no one waits for this error.
        let _ = pages.send();
        end.map(Some)
    };
    Ok(ArchiveBatches {
        background: Background::start("read_pages", sources, on_warning, failure, work)?,
        schema: page_schema(),
    })
}

/// A row: key, number of the group, file, facts of a page, and a capture, as `RobotsBook.to_rows` has it. A page has no capture.
type Row = (
    Text,
    i64,
    Option<Text>,
    Option<Bytes>,
    Option<capture_row::Row>,
);

/// A decider about rows that are sorted by origin: the pages of `read_pages`, and robots.txt captures.
///
/// Rows are sorted by key and number, and captures come before the pages of the same key and number. Only the captures of one key are
/// in memory.
#[pyclass(frozen, module = "robots_policy")]
pub(crate) struct OriginDecider(Mutex<Decider>);

struct Decider {
    decider: by_origin::OriginDecider,
    rows: Columnar<Vec<RecordBatch>>,
}

impl Decider {
    fn add(&mut self, row: &Row) -> Result<(), SortedRowError> {
        let (key, salt, file, facts, capture) = row;
        let group = Group { key, salt: *salt };
        match (capture, facts) {
            (Some(capture), _) => {
                let capture = capture_row::of_tuple(capture);
                self.decider.add_capture(group, &capture)
            }
            (None, facts) => {
                let facts = facts.as_ref().map_or(&[][..], |facts| &facts.0);
                let file = file.as_deref().unwrap_or_default();
                self.decider.decide(group, file, facts, &mut self.rows)
            }
        }
    }

    fn take_batches(&mut self) -> Vec<ArrowBatch> {
        let batches = self.rows.take_batches().into_iter();
        batches.map(ArrowBatch).collect()
    }
}

#[pymethods]
impl OriginDecider {
    /// The maximum number of redirects after which a capture can still decide about an origin.
    #[classattr]
    const REDIRECT_STEPS: usize = by_origin::MAX_REDIRECT_STEPS;

    #[new]
    #[pyo3(signature = (*, agents=None, profiles=None, at=Moment::now(), explain=false, evidence=false), text_signature = "(*, agents=None, profiles=None, at='now', explain=False, evidence=False)")]
    fn new(
        agents: Option<OneOrMore<Text>>,
        profiles: Option<OneOrMore<AnyProfile>>,
        at: Moment,
        explain: bool,
        evidence: bool,
    ) -> PyResult<Self> {
        let policies = Arc::new(Policies::new(policies(agents, profiles)?));
        let mut decider = by_origin::OriginDecider::new(policies, at.0);
        if evidence {
            decider = decider.with_evidence();
        }
        Ok(Self(Mutex::new(Decider {
            decider,
            rows: Columnar::in_memory(explain, evidence),
        })))
    }

    /// Adds rows, and returns the batches of decisions that are full: those of `decide_warc_batches`.
    ///
    /// Raises LoadError if rows are not sorted, if a row is not a capture, or if facts are damaged or of other robots or profiles.
    fn add(&self, py: Python<'_>, rows: Vec<Row>) -> PyResult<Vec<ArrowBatch>> {
        fork::detached(py, || {
            let mut decider = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            for row in &rows {
                let added = decider.add(row);
                added.map_err(|error| LoadError::new_err(with_causes(&error)))?;
            }
            Ok(decider.take_batches())
        })
    }

    /// Returns the other batches.
    fn finish(&self, py: Python<'_>) -> PyResult<Vec<ArrowBatch>> {
        fork::detached(py, || {
            let mut decider = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            let finished = decider.rows.finish();
            finished.map_err(|error| batch_error(ArrowError::ExternalError(error.into())))?;
            Ok(decider.take_batches())
        })
    }
}
