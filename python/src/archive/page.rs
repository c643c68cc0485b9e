//! Decisions with their places in archives.

use crate::decision::Decision;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use robots_policy::text::printable;
use std::sync::Arc;

/// The decision about a page of an archive, and its place.
#[pyclass(frozen, module = "robots_policy")]
#[derive(Debug)]
pub(crate) struct ArchivedPage {
    /// The archive, or the saved page.
    #[pyo3(get)]
    file: String,
    /// The offset of the record in the archive, in bytes; in gzip or Zstandard, that of its member or frame. None for a
    /// saved page.
    #[pyo3(get)]
    offset: Option<u64>,
    /// The HTTP status of the response; None if there was no response.
    #[pyo3(get)]
    status: Option<u16>,
    /// The decision.
    #[pyo3(get)]
    decision: Py<Decision>,
}

/// A decision from the deciding thread.
#[derive(Debug)]
pub(super) struct PageDecision {
    pub(super) file: Arc<str>,
    pub(super) offset: Option<u64>,
    pub(super) status: Option<u16>,
    pub(super) decision: robots_policy::Decision,
}

impl PageDecision {
    /// Returns the decision as an object of Python.
    pub(super) fn into_page(self, py: Python<'_>) -> PyResult<ArchivedPage> {
        Ok(ArchivedPage {
            file: self.file.to_string(),
            offset: self.offset,
            status: self.status,
            decision: Py::new(py, Decision(self.decision))?,
        })
    }
}

#[pymethods]
impl ArchivedPage {
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
            printable(&self.file),
            offset.unwrap_or_default()
        )
    }
}
