//! Decisions about the rows of Arrow batches and streams ([`robots_pipeline::batch`]).

use crate::archive::{FrozenRobotsBook, load_error};
use crate::argument::{Moment, OneOrMore, Text, unexpected_argument};
use crate::arrow::{ArrowBatch, ArrowStream, batch_error};
use crate::capsule::{self, ForeignBatch, Malformed};
use crate::error::{BatchError, InputError};
use crate::fork::Call;
use crate::interrupt::Signals;
use crate::policy::AnyPolicy;
use crate::profile::AnyProfile;
use arrow_array::{RecordBatch, RecordBatchIterator};
use arrow_schema::ArrowError;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use robots_pipeline::batch::{BatchDecider, PageColumns, Pages};
use robots_pipeline::robots::capture_book::CaptureBook;
use robots_policy::text::printable;
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

/// Returns the next batch of an input; `None` at its end.
type NextBatch = Box<dyn FnMut() -> Result<Option<ForeignBatch>, Malformed> + Send>;

/// The number of rows of a stream that are decided at once: its batches may be as large as its table.
const BATCH_ROWS: usize = 16_384;

/// A reader that decides about the batches of an input.
struct DecisionReader {
    decider: BatchDecider,
    columns: PageColumns,
    next_batch: NextBatch,
    /// The batch that is being decided, and its rows that are not.
    batch: Option<(Pages, Range<usize>)>,
    /// The number of rows that are decided at once.
    batch_rows: usize,
    signals: Signals,
    /// The number of rows that were decided.
    rows: u64,
    /// The error that ended it. It is repeated: the end of a stream would mean that nothing is missing.
    error: Option<String>,
}

impl DecisionReader {
    fn decide_next(&mut self) -> Option<Result<RecordBatch, ArrowError>> {
        let (pages, rows) = match self.batch.take() {
            Some(batch) => batch,
            None => match self.read_next()? {
                Ok(pages) => {
                    let rows = 0..pages.rows();
                    (pages, rows)
                }
                Err(error) => return Some(Err(ArrowError::ExternalError(error.into()))),
            },
        };
        let first = self.rows;
        let end = rows.end.min(rows.start.saturating_add(self.batch_rows));
        let decided = rows.start..end;
        let count = u64::try_from(decided.len()).unwrap_or(u64::MAX);
        self.rows = first.saturating_add(count);
        let signals = &mut self.signals;
        let step = |decide_row: &mut dyn FnMut()| {
            let checked = signals.check();
            checked.map_err(|error| ArrowError::ExternalError(error.into()))?;
            let _call = Call::begin();
            decide_row();
            Ok(())
        };
        let decisions = self.decider.decide_in_steps(&pages, decided, first, step);
        if end < rows.end {
            self.batch = Some((pages, end..rows.end));
        }
        Some(decisions)
    }

    fn read_next(&mut self) -> Option<Result<Pages, String>> {
        let batch = match (self.next_batch)() {
            Ok(batch) => batch?,
            Err(error) => return Some(Err(format!("cannot read the next batch: {error}"))),
        };
        let pages = batch.pages(&self.columns);
        Some(pages.map_err(|error| format!("malformed batch after row {}: {error}", self.rows)))
    }
}

impl Iterator for DecisionReader {
    type Item = Result<RecordBatch, ArrowError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.error.is_none() {
            let next = catch_unwind(AssertUnwindSafe(|| self.decide_next()));
            let panicked = || ArrowError::ExternalError("reading a batch panicked".into());
            match next.unwrap_or_else(|_| Some(Err(panicked()))) {
                None => return None,
                Some(Ok(batch)) => return Some(Ok(batch)),
                Some(Err(ArrowError::ExternalError(error))) if error.is::<PyErr>() => {
                    self.error = Some("an exception of a signal handler ended the stream".into());
                    return Some(Err(ArrowError::ExternalError(error)));
                }
                Some(Err(ArrowError::ExternalError(error))) => {
                    // A text of C cannot have NULs.
                    self.error = Some(printable(&error.to_string()).into_owned());
                }
                Some(Err(error)) => self.error = Some(printable(&error.to_string()).into_owned()),
            }
        }
        let error = self.error.clone().unwrap_or_default();
        Some(Err(ArrowError::ExternalError(error.into())))
    }
}

/// The arguments of `decide_batch` and `decide_stream` after the first.
struct Settings {
    agents: Option<OneOrMore<Text>>,
    profiles: Option<OneOrMore<AnyProfile>>,
    policies: Option<OneOrMore<AnyPolicy>>,
    book: Option<Arc<CaptureBook>>,
    at: Moment,
    reasons: bool,
    explain: bool,
}

impl Settings {
    fn new(arguments: Option<&Bound<'_, PyDict>>) -> PyResult<Self> {
        let mut settings = Self {
            agents: None,
            profiles: None,
            policies: None,
            book: None,
            at: Moment::now(),
            reasons: true,
            explain: false,
        };
        for (name, value) in arguments.into_iter().flat_map(PyDictMethods::iter) {
            match name.extract::<&str>()? {
                "agents" => settings.agents = value.extract()?,
                "profiles" => settings.profiles = value.extract()?,
                "policies" => settings.policies = value.extract()?,
                "book" => {
                    let book: Option<PyRef<'_, FrozenRobotsBook>> = value.extract()?;
                    if let Some(book) = book {
                        book.readers.check()?;
                        settings.book = Some(Arc::clone(&book.book));
                    }
                }
                "at" => settings.at = value.extract()?,
                "reasons" => settings.reasons = value.extract()?,
                "explain" => settings.explain = value.extract()?,
                other => return Err(unexpected_argument(other)),
            }
        }
        Ok(settings)
    }

    /// Opens an input for decisions.
    fn reader(self, input: &Bound<'_, PyAny>, takes_streams: bool) -> PyResult<DecisionReader> {
        let decider = self.decider()?;
        let (columns, next_batch) = open(input, takes_streams)?;
        Ok(DecisionReader {
            decider,
            columns,
            next_batch,
            batch: None,
            batch_rows: if takes_streams {
                BATCH_ROWS
            } else {
                usize::MAX
            },
            signals: Signals::new(),
            rows: 0,
            error: None,
        })
    }

    fn decider(self) -> PyResult<BatchDecider> {
        let policies = match (self.policies, &self.book, self.agents, self.profiles) {
            (None, None, agents, profiles) => crate::policies::policies(agents, profiles)?,
            (Some(OneOrMore(policies)), None, None, None) => {
                if policies.is_empty() {
                    return Err(InputError::new_err("no policies: pass one or several"));
                }
                policies.into_iter().map(|policy| policy.0).collect()
            }
            (None, Some(book), None, None) => book.policies().iter().cloned().collect(),
            (policies, ..) => {
                let source = if policies.is_some() {
                    "policies have"
                } else {
                    "the book has"
                };
                return Err(InputError::new_err(format!(
                    "{source} agents and profiles: pass one of them"
                )));
            }
        };
        let policies = crate::policies::with_reasons(policies, self.reasons);
        let mut decider = BatchDecider::new(policies).at(self.at.0);
        if let Some(book) = self.book {
            let with_book = decider.with_book(book);
            decider = with_book.map_err(|error| load_error(&error))?;
        }
        if self.explain {
            decider = decider.with_explanations();
        }
        Ok(decider)
    }
}

/// Opens an input: the columns of its schema, and its batches.
fn open(input: &Bound<'_, PyAny>, takes_streams: bool) -> PyResult<(PageColumns, NextBatch)> {
    let py = input.py();
    let has = |method: &str| input.hasattr(method);
    let (schema, next_batch): (_, NextBatch) = if takes_streams && has("__arrow_c_stream__")? {
        let mut stream = capsule::take_stream(input)?;
        // A reader in Python needs the interpreter, and attaches to it.
        let schema = py.detach(|| stream.schema());
        (schema, Box::new(move || stream.next()))
    } else if has("__arrow_c_array__")? {
        let (schema, batch) = capsule::take_batch(input)?;
        let mut batch = Some(batch);
        (Ok(schema), Box::new(move || Ok(batch.take())))
    } else {
        let actual = input.get_type().qualname()?;
        let text = if takes_streams {
            format!("expected an object with __arrow_c_stream__ or __arrow_c_array__, got {actual}")
        } else if has("__arrow_c_stream__")? {
            format!(
                "expected a batch, with __arrow_c_array__, got {actual}: pass it to decide_stream"
            )
        } else {
            format!("expected an object with __arrow_c_array__, got {actual}")
        };
        return Err(PyTypeError::new_err(text));
    };
    let schema = schema.and_then(|schema| schema.schema()).map_err(|error| {
        let text = format!("cannot read the schema: {error}");
        BatchError::new_err(printable(&text).into_owned())
    })?;
    let columns = PageColumns::of(&schema)
        .map_err(|error| InputError::new_err(printable(&error.to_string()).into_owned()))?;
    Ok((columns, next_batch))
}

/// Decides about the rows of a batch of pages, and returns a batch with a row for each page and robot.
///
/// The batch is any object with `__arrow_c_array__`: a RecordBatch of pyarrow, a struct array. Its columns are url and html,
/// and optionally status, headers, robots_txt, robots_status, robots_content_type, robots_fetched_at and fetched_at; others
/// are ignored. The README has their types. The arguments:
///
/// * agents: names of robots. By default the robot that each profile names.
/// * profiles: profiles, or names of them. By default a known robot has that of its operator, and any other the neutral one.
/// * policies: policies in place of agents and profiles. A row without its own robots.txt is decided by the one that the
///   policy learned.
/// * book: a FrozenRobotsBook in place of agents and profiles. A row without its own robots.txt is decided by it: at its
///   fetched_at, as an archive is.
/// * at: the time of the decisions; by default that of the call. With None, dates and visit times are reported but not
///   applied, and no robots.txt is stale.
/// * reasons: whether decisions have reasons and warnings.
/// * explain: whether there are columns with all reasons and warnings, as JSON.
///
/// A row that cannot be decided has the reason in its column error. Raises InputError if a column is missing or has another
/// type, and BatchError if the batch is malformed.
#[pyfunction]
#[pyo3(signature = (batch, **settings), text_signature = "(batch, *, agents=None, profiles=None, policies=None, book=None, at='now', reasons=True, explain=False)")]
pub(crate) fn decide_batch(
    batch: &Bound<'_, PyAny>,
    settings: Option<&Bound<'_, PyDict>>,
) -> PyResult<ArrowBatch> {
    let mut reader = Settings::new(settings)?.reader(batch, false)?;
    match batch.py().detach(|| reader.next()) {
        Some(Ok(batch)) => Ok(ArrowBatch(batch)),
        Some(Err(error)) => Err(batch_error(error)),
        None => Err(BatchError::new_err("the batch was released")),
    }
}

/// Decides about the rows of a stream of batches, and returns a stream of batches: each is decided when it is read,
/// and a large one in parts.
///
/// The stream is any object with `__arrow_c_stream__`: a table or reader of pyarrow, a data frame of Polars or pandas, a
/// relation of DuckDB. One with `__arrow_c_array__` alone is a stream of one batch. Columns and arguments are those of
/// `decide_batch`; rows are numbered through all batches.
///
/// An input that raises ends the stream with an error: BatchError if it is iterated, or that of the library that reads it.
#[pyfunction]
#[pyo3(signature = (stream, **settings), text_signature = "(stream, *, agents=None, profiles=None, policies=None, book=None, at='now', reasons=True, explain=False)")]
pub(crate) fn decide_stream(
    stream: &Bound<'_, PyAny>,
    settings: Option<&Bound<'_, PyDict>>,
) -> PyResult<ArrowStream> {
    let reader = Settings::new(settings)?.reader(stream, true)?;
    let schema = Arc::clone(reader.decider.schema());
    let reader = RecordBatchIterator::new(reader, schema);
    Ok(ArrowStream::new(Box::new(reader), "decide_stream"))
}
