//! The changes between two robots.txt files.

use crate::agent::AnyAgent;
use crate::argument::{DialectName, OneOrMore};
use crate::error::InputError;
use crate::interrupt;
use crate::robots_txt::RobotsTxt;
use crate::word;
use pyo3::prelude::*;
use pyo3::types::PyList;
use robots_policy::Profile;
use robots_policy::text::printable;
use robots_txt::Agent;
use robots_txt::analysis;

/// Compares the decisions of two files for some robots, over all paths.
///
/// `agents` are robots or their names, or one of them; the default is any robot that no group names. Without a dialect,
/// each robot reads the files as its operator does. A name has the groups that its vendor documents. Raises AgentError for an invalid name. Two files with
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
    let (before, after) = (before.0.clone(), after.0.clone());
    // A comparison takes far longer than reading the files.
    let changes = interrupt::detached(py, usize::MAX, move || {
        let dialect = |agent: &Agent<'_>| match &dialect {
            Some(dialect) => &dialect.0,
            None => Profile::of_robot(agent.name()).dialect(),
        };
        analysis::diff(&before, &after, &agents, dialect)
    })?;
    Ok(Changes {
        is_complete: changes.is_complete(),
        list: PyList::new(py, changes.iter().cloned().map(Change))?.unbind(),
    })
}

/// The changes between two files: a sequence, up to 1,000.
#[pyclass(frozen, sequence, module = "robots_policy")]
pub(crate) struct Changes {
    /// Whether every path was considered. If not, there may be other changes.
    #[pyo3(get)]
    is_complete: bool,
    list: Py<PyList>,
}

#[pymethods]
impl Changes {
    fn __len__(&self, py: Python<'_>) -> usize {
        self.list.bind(py).len()
    }

    /// Returns the change at an index, or a list of those of a slice.
    fn __getitem__<'py>(&self, index: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        self.list.bind(index.py()).as_any().get_item(index)
    }

    /// Returns the index of the first change that equals a value, from `start` and before `stop`.
    ///
    /// Raises ValueError if there is none.
    #[pyo3(signature = (value, start=0, stop=None))]
    fn index<'py>(
        &self,
        value: &Bound<'py, PyAny>,
        start: isize,
        stop: Option<isize>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let list = self.list.bind(value.py());
        list.call_method1("index", (value, start, stop.unwrap_or(isize::MAX)))
    }

    /// Returns the number of changes that equal a value.
    fn count<'py>(&self, value: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        self.list.bind(value.py()).call_method1("count", (value,))
    }

    fn __eq__(&self, py: Python<'_>, other: &Self) -> PyResult<bool> {
        Ok(self.is_complete == other.is_complete && self.list.bind(py).eq(&other.list)?)
    }

    fn __repr__(&self, py: Python<'_>) -> String {
        format!("<Changes: {}>", self.__len__(py))
    }
}

/// A path on which the decisions of two files differ. It represents all paths with the same pair of deciding rules.
#[pyclass(frozen, eq, hash, module = "robots_policy")]
#[derive(Debug, PartialEq, Eq, Hash)]
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
#[pyclass(frozen, eq, hash, module = "robots_policy")]
#[derive(Debug, PartialEq, Eq, Hash)]
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
