//! The rows of a book, as tuples of Python.

use crate::argument::{Bytes, Status, Text, Time};
use crate::error::InputError;
use pyo3::prelude::*;
use pyo3::types::PyTuple;
use robots_meta::Timestamp;
use robots_pipeline::robots::capture_book::CaptureBook;
use robots_pipeline::robots::capture_row::CaptureRow;

/// A row, as `RobotsBook.to_rows` returns it.
pub(super) struct Row {
    capture: Capture,
    place: Place,
}

/// URL, time, outcome, status, Content-Type, target and body.
type Capture = (
    Text,
    Option<Time>,
    Text,
    Option<Status>,
    Option<Text>,
    Option<Text>,
    Option<Bytes>,
);

/// Archive, offset and digest.
type Place = (Option<Text>, Option<u64>, Option<Text>);

/// The number of values of a row without a place.
const CAPTURE_VALUES: usize = 7;

impl<'py> FromPyObject<'_, 'py> for Row {
    type Error = PyErr;

    fn extract(row: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        let values = row.cast::<PyTuple>()?;
        let place = values.get_slice(CAPTURE_VALUES, values.len());
        Ok(Self {
            capture: values.get_slice(0, CAPTURE_VALUES).extract()?,
            place: if place.is_empty() {
                (None, None, None)
            } else {
                place.extract()?
            },
        })
    }
}

/// Returns a row as a tuple.
pub(super) fn tuple<'py>(py: Python<'py>, row: &CaptureRow<'_>) -> PyResult<Bound<'py, PyTuple>> {
    (
        row.url,
        row.captured_at.map(Timestamp::as_seconds),
        row.outcome,
        row.status,
        row.content_type,
        row.target,
        row.body,
        row.file,
        row.offset,
        row.digest,
    )
        .into_pyobject(py)
}

/// Returns the row of a tuple.
pub(super) fn of_tuple(tuple: &Row) -> CaptureRow<'_> {
    let (url, captured_at, outcome, status, content_type, target, body) = &tuple.capture;
    let (file, offset, digest) = &tuple.place;
    CaptureRow {
        url,
        captured_at: captured_at.as_ref().map(|time| time.0),
        outcome,
        status: status.as_ref().map(|status| status.0),
        content_type: content_type.as_deref(),
        target: target.as_deref(),
        body: body.as_ref().map(|body| &body.0[..]),
        file: file.as_deref(),
        offset: *offset,
        digest: digest.as_deref(),
    }
}

/// Adds the capture of a tuple to a book. `number` is that of the row, in errors.
pub(super) fn add(book: &mut CaptureBook, number: usize, row: &Bound<'_, PyAny>) -> PyResult<()> {
    let row: Row = row.extract()?;
    let added = book.add_row(&of_tuple(&row));
    added.map_err(|error| InputError::new_err(format!("row {number} is not a capture: {error}")))
}
