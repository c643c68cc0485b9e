//! Iterators of batches of the pages of archives, or of decisions about them.

use super::background::Background;
use crate::arrow::{ArrowBatch, schema_capsule};
use arrow_array::RecordBatch;
use arrow_schema::SchemaRef;
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyTuple};
use robots_pipeline::sink::columnar::Columnar;

/// Batches of the pages of archives, in their order: `decide_warc_batches(inputs, book)`.
///
/// Threads may share it: each batch is returned once.
#[pyclass(frozen, module = "robots_policy")]
pub(crate) struct ArchiveBatches {
    pub(super) background: Background<RecordBatch>,
    pub(super) schema: SchemaRef,
}

#[pymethods]
impl ArchiveBatches {
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

    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        schema_capsule(py, &self.schema)
    }

    fn __iter__(this: PyRef<'_, Self>) -> PyRef<'_, Self> {
        this
    }

    fn __next__(&self, py: Python<'_>) -> PyResult<Option<ArrowBatch>> {
        self.background.check()?;
        Ok(self.background.next(py)?.map(ArrowBatch))
    }
}

/// Returns a batch without rows, with the columns of `decide_warc_batches`: those of docs/columns.md.
#[pyfunction]
#[pyo3(signature = (*, explain=false, evidence=false))]
pub(crate) fn decision_columns(explain: bool, evidence: bool) -> PyResult<ArrowBatch> {
    Ok(ArrowBatch(
        Columnar::in_memory(explain, evidence).take_rows()?,
    ))
}
