//! Decisions with their places in archives.

use crate::argument::Text;
use crate::decision::Decision;
use crate::pickle::{self, Reduced};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use robots_policy::text::printable;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

/// The decision about a page of an archive, and its place.
#[pyclass(frozen, eq, hash, module = "robots_policy")]
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

impl PartialEq for ArchivedPage {
    fn eq(&self, other: &Self) -> bool {
        self.file == other.file
            && self.offset == other.offset
            && self.status == other.status
            && self.decision.get() == other.decision.get()
    }
}

impl Eq for ArchivedPage {}

impl Hash for ArchivedPage {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (&self.file, self.offset, self.status).hash(state);
        self.decision.get().hash(state);
    }
}

/// The state of a pickled page: its fields.
type State<'a> = (&'a str, Option<u64>, Option<u16>, &'a Py<Decision>);

/// A decision from the deciding thread.
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

    #[staticmethod]
    #[pyo3(name = "_load")]
    fn load(file: Text, offset: Option<u64>, status: Option<u16>, decision: Py<Decision>) -> Self {
        Self {
            file: file.to_owned(),
            offset,
            status,
            decision,
        }
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Reduced<'py, State<'_>>> {
        let state = (&*self.file, self.offset, self.status, &self.decision);
        pickle::reduced::<Self, _>(py, state)
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
