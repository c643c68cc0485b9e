//! The rows of a book, as tuples of Python.

use crate::argument::{Bytes, Status, Text, Time};
use crate::error::InputError;
use pyo3::prelude::*;
use pyo3::types::PyTuple;
use robots_meta::Timestamp;
use robots_pipeline::robots::capture_book::CaptureBook;
use robots_pipeline::robots::capture_row::CaptureRow;

/// A row, in the order of the values of a tuple: URL, time, outcome, status, Content-Type, target and body.
pub(super) type Row = (
    Text,
    Option<Time>,
    Text,
    Option<Status>,
    Option<Text>,
    Option<Text>,
    Option<Bytes>,
);

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
    )
        .into_pyobject(py)
}

/// Returns the row of a tuple.
pub(super) fn of_tuple(tuple: &Row) -> CaptureRow<'_> {
    let (url, captured_at, outcome, status, content_type, target, body) = tuple;
    CaptureRow {
        url,
        captured_at: captured_at.as_ref().map(|time| time.0),
        outcome,
        status: status.as_ref().map(|status| status.0),
        content_type: content_type.as_deref(),
        target: target.as_deref(),
        body: body.as_ref().map(|body| &body.0[..]),
    }
}

/// Adds the capture of a tuple to a book. `number` is that of the row, in errors.
pub(super) fn add(book: &mut CaptureBook, number: usize, row: &Bound<'_, PyAny>) -> PyResult<()> {
    let row: Row = row.extract()?;
    let added = book.add_row(&of_tuple(&row));
    added.map_err(|error| InputError::new_err(format!("row {number} is not a capture: {error}")))
}
