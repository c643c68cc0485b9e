//! The records of an archive and the entries of an index, as streams of Arrow batches.

use super::background::{archive_error, in_context};
use super::extent::{ExtentSource, extent};
use super::file_object::{FileObject, Input, Inputs, Interruption, own_name};
use crate::argument::{ByteCount, OneOrMore, RecordPlace, Status, Text};
use crate::arrow::ArrowStream;
use crate::error::InputError;
use arrow_array::{RecordBatch, RecordBatchIterator};
use arrow_schema::{ArrowError, SchemaRef};
use pyo3::prelude::*;
use robots_pipeline::Error;
use robots_pipeline::input::lines;
use robots_pipeline::records::{IndexBatches, RecordBatches, RecordColumn, RecordFilter};
use robots_pipeline::text::{path_text, with_causes};
use std::iter;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

/// Returns a stream of batches. Its errors are exceptions of Python.
fn stream(
    schema: SchemaRef,
    mut next_batch: impl FnMut() -> Result<Option<RecordBatch>, Error> + Send + 'static,
    interruption: Interruption,
    function: &'static str,
) -> ArrowStream {
    let batches = iter::from_fn(move || {
        let next = catch_unwind(AssertUnwindSafe(&mut next_batch));
        let error = match next {
            Ok(Ok(Some(batch))) => return Some(Ok(batch)),
            Ok(Ok(None)) => None,
            Ok(Err(error)) => Some(archive_error(&with_causes(&error))),
            Err(_) => Some(archive_error("reading a batch panicked")),
        };
        // An exception is raised even if the records before it are all that was needed.
        let error = match (interruption.take(), error) {
            (Some(raised), error) => Python::attach(|py| in_context(py, raised, error)),
            (None, error) => error?,
        };
        Some(Err(ArrowError::ExternalError(Box::new(error))))
    });
    let reader = RecordBatchIterator::new(batches, schema);
    ArrowStream::new(Box::new(reader), function).without_empty()
}

/// Returns the columns of these names.
fn columns(names: Option<OneOrMore<Text>>) -> PyResult<Vec<RecordColumn>> {
    let Some(names) = names else {
        let all = RecordColumn::ALL.iter().copied();
        return Ok(all
            .filter(|column| *column != RecordColumn::Block)
            .collect());
    };
    let mut columns = Vec::new();
    for name in &names.0 {
        let Some(column) = RecordColumn::by_name(name) else {
            let known: Vec<&str> = RecordColumn::ALL
                .iter()
                .map(|column| column.name())
                .collect();
            let known = known.join(", ");
            return Err(InputError::new_err(format!(
                "there is no column {:?}; the columns are {known}",
                &**name
            )));
        };
        if columns.contains(&column) {
            return Err(InputError::new_err(format!(
                "the column {:?} is named twice",
                &**name
            )));
        }
        columns.push(column);
    }
    Ok(columns)
}

fn listed(values: Option<OneOrMore<Text>>) -> Option<Vec<String>> {
    values.map(|values| values.0.iter().map(|value| value.to_string()).collect())
}

/// Reads the records of an archive: a stream of Arrow batches, with a row for each record.
///
/// The archive is the path of a WARC or ARC file (plain, gzip, Zstandard), or a binary file object of one. The columns are file;
/// offset and length, in bytes; type; target_uri; date; record_id; status; mime_type, of the payload; content_type, of the block;
/// headers; payload, the body of an HTTP response without its codings, or else the block; block, as it is in the archive;
/// truncated, why the block is not whole; error. A damaged place is a row with only file, offset and error. The arguments:
///
/// * columns: names of columns, in this order, in place of all but block. Others are neither copied nor unpacked.
/// * types, statuses, mime_types: only the records with these values, and damaged places. Types and MIME types are in lower case.
/// * faults: whether there are rows for damaged places.
/// * offset, length: only the records that begin in these bytes, in place of all. The parts of an archive have its records; a
///   part that the next one does not follow ends with an ArchiveError. An archive that cannot be divided, as it is neither plain WARC
///   nor gzip, is in its first part.
/// * ranges: only the records at these offsets, in this order: pairs of an offset and a length, or None for the length. Of a file
///   object, only these bytes are read.
/// * name: the name in the column file and in messages.
///
/// A part or ranges of a file object need its method seek. A batch has up to 4,096 rows, and ends after 4 MiB of values. Reading
/// releases the GIL, and a file object is read when a batch is asked for.
///
/// Raises ArchiveError if the archive cannot be read, and an exception of a file object as it is.
#[pyfunction]
#[pyo3(signature = (archive, *, columns=None, types=None, statuses=None, mime_types=None, faults=true, offset=None, length=None, ranges=None, name=None))]
#[allow(clippy::too_many_arguments, reason = "named arguments of Python")]
pub(crate) fn records(
    py: Python<'_>,
    archive: Input,
    columns: Option<OneOrMore<Text>>,
    types: Option<OneOrMore<Text>>,
    statuses: Option<OneOrMore<Status>>,
    mime_types: Option<OneOrMore<Text>>,
    faults: bool,
    offset: Option<ByteCount>,
    length: Option<ByteCount>,
    ranges: Option<Vec<RecordPlace>>,
    name: Option<OneOrMore<Text>>,
) -> PyResult<ArrowStream> {
    let columns = self::columns(columns)?;
    let mut filter = RecordFilter::default();
    filter.types = listed(types);
    filter.statuses = statuses.map(|statuses| statuses.0.iter().map(|status| status.0).collect());
    filter.mime_types = listed(mime_types);
    filter.drops_faults = !faults;
    let extent = extent(offset, length, ranges)?;
    let (source, interruption) = ExtentSource::new(py, Inputs(vec![archive]), name, extent)?;
    let items = py.detach(|| source.open());
    let items = items.map_err(|error| archive_error(&with_causes(&error)))?;
    let mut batches = RecordBatches::new(items, columns, filter);
    let schema = Arc::clone(batches.schema());
    let next_batch = move || batches.next_batch();
    Ok(stream(schema, next_batch, interruption, "records"))
}

/// Reads the entries of a CDXJ index: a stream of Arrow batches, with a row for each line.
///
/// The index is a path, or a binary file object; plain or gzip. The columns are those of Common Crawl's columnar index of these
/// names: url, content_mime_type, content_mime_detected, fetch_status, warc_filename, warc_record_offset and
/// warc_record_length; and error. A line that is not an entry is a row with only error.
///
/// Raises ArchiveError if the index cannot be read, and an exception of a file object as it is.
#[pyfunction]
#[pyo3(signature = (index, *, name=None))]
pub(crate) fn index_entries(
    py: Python<'_>,
    index: Input,
    name: Option<Text>,
) -> PyResult<ArrowStream> {
    let interruption = Interruption::default();
    let (own, input) = match index {
        Input::Path(path) => {
            let input = py.detach(|| lines::open(&path));
            let input = input.map_err(|error| archive_error(&with_causes(&error)))?;
            (path_text(&path), input)
        }
        Input::File(file) => {
            let own = own_name(file.bind(py))?;
            let object = FileObject::new(file, interruption.clone());
            let input = py.detach(|| lines::open_input(object));
            let input = input.map_err(|error| {
                let error = archive_error(&format!("cannot read {own}: {error}"));
                match interruption.take() {
                    Some(raised) => in_context(py, raised, Some(error)),
                    None => error,
                }
            })?;
            (own, input)
        }
    };
    let name = name.map_or(own, |name| name.to_string());
    let mut batches = IndexBatches::new(name, input);
    let schema = Arc::clone(batches.schema());
    let next_batch = move || batches.next_batch();
    Ok(stream(schema, next_batch, interruption, "index_entries"))
}
