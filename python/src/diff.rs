//! The changes between two robots.txt files.

use crate::agent::AnyAgent;
use crate::argument::{DialectName, OneOrMore};
use crate::error::InputError;
use crate::robots_txt::RobotsTxt;
use crate::word;
use pyo3::exceptions::{PyIndexError, PyOverflowError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyList, PySlice};
use robots_policy::text::printable;
use robots_txt::analysis;
use robots_txt::{Agent, Dialect};

/// Compares the decisions of two files for some robots, over all paths.
///
/// `agents` are robots or their names, or one of them; the default is any robot that no group names. A name is that of its groups
/// alone: `Agent.known` has the groups that its vendor documents. Raises AgentError for an invalid name. Two files with
/// different text that decide equally have no change. The search has a limit on its work: `Changes.is_complete` reports whether every path was
/// considered.
#[pyfunction]
#[pyo3(signature = (before, after, agents=None, dialect=None))]
pub(crate) fn diff(
    py: Python<'_>,
    before: &RobotsTxt,
    after: &RobotsTxt,
    agents: Option<OneOrMore<AnyAgent>>,
    dialect: Option<DialectName>,
) -> PyResult<Changes> {
    let agents = agents.map(|agents| agents.0.into_iter().map(|agent| agent.0).collect());
    let agents: Vec<_> = agents.unwrap_or_else(|| vec![Agent::new("*")]);
    if agents.is_empty() {
        return Err(InputError::new_err(
            "no agents: pass a robot or several, or None for any that no group names",
        ));
    }
    let dialect = dialect.map_or(Dialect::RFC9309, |dialect| dialect.0);
    let changes = py.detach(|| analysis::diff(&before.0, &after.0, &agents, &dialect));
    Ok(Changes(changes))
}

/// The changes between two files: a sequence, up to 1,000.
#[pyclass(frozen, eq, sequence, module = "robots_policy")]
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Changes(analysis::Changes);

#[pymethods]
impl Changes {
    /// Whether every path was considered. If not, there may be other changes.
    #[getter]
    fn is_complete(&self) -> bool {
        self.0.is_complete()
    }

    fn __len__(&self) -> usize {
        self.0.iter().len()
    }

    /// Returns the change at an index, or a list of those of a slice.
    fn __getitem__<'py>(&self, index: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let py = index.py();
        let count = self.count();
        if let Ok(slice) = index.cast::<PySlice>() {
            let slice = slice.indices(count)?;
            let changes = PyList::empty(py);
            let mut at = slice.start;
            for _ in 0..slice.slicelength {
                changes.append(self.at(at)?)?;
                at = at.saturating_add(slice.step);
            }
            return Ok(changes.into_any());
        }
        let at = index.extract::<isize>().map_err(|error| {
            if error.is_instance_of::<PyOverflowError>(py) {
                return out_of_range();
            }
            error
        })?;
        let at = if at < 0 { at.saturating_add(count) } else { at };
        Ok(Bound::new(py, self.at(at)?)?.into_any())
    }

    /// Returns the index of the first change that equals a value, from `start` and before `stop`.
    ///
    /// Raises ValueError if there is none.
    #[pyo3(signature = (value, start=0, stop=None))]
    fn index(
        &self,
        value: &Bound<'_, PyAny>,
        start: isize,
        stop: Option<isize>,
    ) -> PyResult<usize> {
        let count = self.count();
        let place = |at: isize| {
            let at = if at < 0 { at.saturating_add(count) } else { at };
            usize::try_from(at).unwrap_or(0)
        };
        let stop = stop.map_or(usize::MAX, place);
        let mut equal = self.equal(value);
        let found = equal.find(|at| (place(start)..stop).contains(at));
        found.ok_or_else(|| PyValueError::new_err("there is no such change"))
    }

    /// Returns the number of changes that equal a value.
    #[pyo3(name = "count")]
    fn count_of(&self, value: &Bound<'_, PyAny>) -> usize {
        self.equal(value).count()
    }

    fn __repr__(&self) -> String {
        format!("<Changes: {}>", self.__len__())
    }
}

impl Changes {
    fn count(&self) -> isize {
        isize::try_from(self.0.iter().len()).unwrap_or(isize::MAX)
    }

    fn at(&self, index: isize) -> PyResult<Change> {
        let at = usize::try_from(index).ok();
        let change = at.and_then(|at| self.0.iter().nth(at)).cloned();
        change.map(Change).ok_or_else(out_of_range)
    }

    /// Returns the indexes of the changes that equal a value.
    fn equal(&self, value: &Bound<'_, PyAny>) -> impl Iterator<Item = usize> {
        let value = value.cast::<Change>().ok().map(Bound::get);
        let changes = self.0.iter().enumerate();
        changes.filter_map(move |(at, change)| (*change == value?.0).then_some(at))
    }
}

fn out_of_range() -> PyErr {
    PyIndexError::new_err("index out of range")
}

/// A path on which the decisions of two files differ. It represents all paths with the same pair of deciding rules.
#[pyclass(frozen, eq, module = "robots_policy")]
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Change(analysis::Change);

#[pymethods]
impl Change {
    /// The name of the robot.
    #[getter]
    fn agent(&self) -> &str {
        self.0.agent()
    }

    /// A path on which the decisions differ. It may begin with `//`: put an origin before it to make a URL.
    #[getter]
    fn path(&self) -> &str {
        self.0.path()
    }

    /// The verdict of the old file on this path.
    #[getter]
    fn before(&self) -> PathVerdict {
        PathVerdict(self.0.before().clone())
    }

    /// The verdict of the new file on this path.
    #[getter]
    fn after(&self) -> PathVerdict {
        PathVerdict(self.0.after().clone())
    }

    fn __repr__(&self) -> String {
        let text = format!(
            "<Change of {} for {}: {}>",
            self.path(),
            self.agent(),
            self.0.after()
        );
        printable(&text).into_owned()
    }
}

/// A verdict on a path, and the line that decided. It is true if the path may be fetched.
#[pyclass(frozen, eq, module = "robots_policy")]
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct PathVerdict(analysis::PathVerdict);

#[pymethods]
impl PathVerdict {
    /// Whether the path may be fetched.
    #[getter]
    fn allowed(&self) -> bool {
        self.0.is_allowed()
    }

    /// The number of the line that decided, from 1, if one did.
    #[getter]
    fn line(&self) -> Option<usize> {
        self.0.line()
    }

    /// The kind of the reason.
    #[getter]
    fn reason(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        word::VERDICT_REASON.member(py, self.0.reason_name())
    }

    /// The reason, as text.
    #[getter]
    fn reason_text(&self) -> &str {
        self.0.reason()
    }

    fn __bool__(&self) -> bool {
        self.0.is_allowed()
    }

    fn __repr__(&self) -> String {
        format!("<PathVerdict: {}>", printable(&self.0.to_string()))
    }
}
