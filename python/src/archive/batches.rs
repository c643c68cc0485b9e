//! Iterators of batches of the pages of archives, or of decisions about them.

use super::background::{Background, Message, report};
use crate::arrow::{ArrowBatch, schema_capsule};
use arrow_schema::SchemaRef;
use pyo3::prelude::*;
use pyo3::types::PyCapsule;
use robots_pipeline::sink::columnar::Columnar;
use std::sync::OnceLock;

/// Batches of the pages of archives, in their order: `decide_warc_batches(inputs, book)`.
///
/// Threads may share it: each batch is returned once.
#[pyclass(frozen, module = "robots_policy")]
pub(crate) struct ArchiveBatches {
    background: Background,
    schema: SchemaRef,
    summary: OnceLock<String>,
    on_warning: Option<Py<PyAny>>,
    /// Whether whole archives are read.
    is_whole: bool,
}

impl std::fmt::Debug for ArchiveBatches {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ArchiveBatches").finish_non_exhaustive()
    }
}

impl ArchiveBatches {
    pub(super) fn new(
        background: Background,
        schema: SchemaRef,
        on_warning: Option<Py<PyAny>>,
        is_whole: bool,
    ) -> Self {
        Self {
            background,
            schema,
            summary: OnceLock::new(),
            on_warning,
            is_whole,
        }
    }
}

#[pymethods]
impl ArchiveBatches {
    /// The counts of the run, as `robots decide --summary` writes them, as JSON. None before the end.
    #[getter]
    fn summary_json(&self) -> Option<&str> {
        self.summary.get().map(String::as_str)
    }

    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        schema_capsule(py, &self.schema)
    }

    fn __iter__(this: PyRef<'_, Self>) -> PyRef<'_, Self> {
        this
    }

    fn __next__(&self, py: Python<'_>) -> PyResult<Option<ArrowBatch>> {
        loop {
            match self.background.receive(py)? {
                None => return Ok(None),
                Some(Message::Batch(batch)) => return Ok(Some(ArrowBatch(batch))),
                Some(Message::Pages(_)) => {}
                Some(Message::Warning(text)) => report(py, self.on_warning.as_ref(), &text)?,
                Some(Message::End(end)) => {
                    let (summary, checked) = self.background.summary(py, end, self.is_whole);
                    if let Some(json) = summary {
                        self.summary.get_or_init(|| json);
                    }
                    return checked.map(|()| None);
                }
            }
        }
    }
}

/// Returns a batch without rows, with the columns of `decide_warc_batches`: those of docs/columns.md.
#[pyfunction]
#[pyo3(signature = (*, explain=false))]
pub(crate) fn decision_columns(explain: bool) -> PyResult<ArrowBatch> {
    Ok(ArrowBatch(Columnar::in_memory(explain).take_rows()?))
}
