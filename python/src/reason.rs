//! The reasons and warnings of a decision.

use crate::argument::Text;
use crate::pickle::{self, Reduced};
use crate::word;
use pyo3::prelude::*;
use robots_policy::decision;

/// The place of a statement. `kind` says which; the others are None where they do not apply.
#[pyclass(frozen, eq, hash, str = "{0}", module = "robots_policy")]
#[derive(Debug, PartialEq, Eq, Hash)]
pub(crate) struct Source(decision::Source);

#[pymethods]
impl Source {
    /// The kind of the place.
    #[getter]
    fn kind(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        word::SOURCE_KIND.member(py, self.0.kind())
    }

    /// The number of a line of robots.txt or of a licence, from 1.
    #[getter]
    fn line(&self) -> Option<usize> {
        match self.0 {
            decision::Source::RobotsTxt { line } => Some(line),
            decision::Source::Rsl { line } => line,
            _ => None,
        }
    }

    /// The name of a header line.
    #[getter]
    fn name(&self) -> Option<String> {
        match self.0 {
            decision::Source::Header { name, .. } => Some(name.to_string()),
            decision::Source::PageHeader { name, .. } => Some(name.to_string()),
            _ => None,
        }
    }

    /// The index of a header line among all header lines, from 0.
    #[getter]
    fn header(&self) -> Option<usize> {
        match self.0 {
            decision::Source::Header { header, .. }
            | decision::Source::PageHeader { header, .. } => Some(header),
            _ => None,
        }
    }

    /// The offset in bytes: of a META or LINK in the page, or of a statement in the value of a header line.
    #[getter]
    fn offset(&self) -> Option<usize> {
        match self.0 {
            decision::Source::Header { offset, .. }
            | decision::Source::PageHeader { offset, .. }
            | decision::Source::Meta { offset }
            | decision::Source::Link { offset } => Some(offset),
            _ => None,
        }
    }

    /// The index of an entry of tdmrep.json, from 0.
    #[getter]
    fn entry(&self) -> Option<usize> {
        match self.0 {
            decision::Source::Tdmrep { entry } => entry,
            _ => None,
        }
    }

    #[staticmethod]
    #[pyo3(name = "_load")]
    fn load(json: Text) -> PyResult<Self> {
        pickle::from_json("Source", &json).map(Self)
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Reduced<'py, (String,)>> {
        pickle::reduced::<Self, _>(py, (pickle::to_json(&self.0)?,))
    }

    fn __repr__(&self) -> String {
        format!("<Source: {}>", self.0)
    }
}

/// A statement about a field, and its effect.
#[pyclass(frozen, eq, hash, str = "{0}", module = "robots_policy")]
#[derive(Debug, PartialEq, Eq, Hash)]
pub(crate) struct Reason(pub(crate) decision::Reason);

#[pymethods]
impl Reason {
    /// The field.
    #[getter]
    fn field(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        word::FIELD.member(py, self.0.field.name())
    }

    /// The place of the statement.
    #[getter]
    fn source(&self) -> Source {
        Source(self.0.source)
    }

    /// The statement, for people; one in the page is as written, up to a limit.
    #[getter]
    fn text(&self) -> &str {
        &self.0.text
    }

    /// The effect on the field.
    #[getter]
    fn effect(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        word::EFFECT.member(py, self.0.effect.name())
    }

    #[staticmethod]
    #[pyo3(name = "_load")]
    fn load(json: Text) -> PyResult<Self> {
        pickle::from_json("Reason", &json).map(Self)
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Reduced<'py, (String,)>> {
        pickle::reduced::<Self, _>(py, (pickle::to_json(&self.0)?,))
    }

    fn __repr__(&self) -> String {
        format!("<Reason: {}>", self.0)
    }
}

/// A statement or a source that is invalid, suspicious or without effect. Warnings do not change the decision.
#[pyclass(frozen, eq, hash, str = "{0}", module = "robots_policy")]
#[derive(Debug, PartialEq, Eq, Hash)]
pub(crate) struct Warning(pub(crate) decision::Warning);

#[pymethods]
impl Warning {
    /// The kind.
    #[getter]
    fn kind(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        word::WARNING_KIND.member(py, self.0.kind.name())
    }

    /// The place of the statement.
    #[getter]
    fn source(&self) -> Source {
        Source(self.0.source)
    }

    /// The statement as written, or a description of the source.
    #[getter]
    fn text(&self) -> &str {
        &self.0.text
    }

    #[staticmethod]
    #[pyo3(name = "_load")]
    fn load(json: Text) -> PyResult<Self> {
        pickle::from_json("Warning", &json).map(Self)
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Reduced<'py, (String,)>> {
        pickle::reduced::<Self, _>(py, (pickle::to_json(&self.0)?,))
    }

    fn __repr__(&self) -> String {
        format!("<Warning: {}>", self.0)
    }
}
