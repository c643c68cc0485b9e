//! Robots, by their names in robots.txt.

use crate::argument::Text;
use crate::error::{self, LoadError};
use crate::pickle::{self, Reduced};
use pyo3::prelude::*;
use robots_policy::text::printable;
use robots_txt::ProductToken;

/// A robot: its names, in the order in which groups are searched, and whether `*` applies to it.
///
/// `Agent(name)` has one name, and obeys `*` if no group has its name.
#[pyclass(frozen, eq, hash, module = "robots_policy")]
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct Agent(pub(crate) robots_txt::Agent<'static>);

#[pymethods]
impl Agent {
    #[new]
    fn new(name: Text) -> Self {
        Self(robots_txt::Agent::new(name.to_owned()))
    }

    /// Returns the robot of this name with the fallback names and the use of `*` that its vendor documents:
    /// Applebot obeys Googlebot's group if it has none of its own.
    #[staticmethod]
    fn known(name: Text) -> Self {
        Self(robots_txt::Agent::known(name.to_owned()))
    }

    /// Returns the robot in a full `User-Agent` value; None if the value names only a browser, or nothing that can
    /// be a robot's name.
    ///
    /// `Mozilla/5.0 (compatible; ExampleBot/1.0; +https://example.com)` is ExampleBot.
    #[staticmethod]
    fn from_user_agent(value: Text) -> Option<Self> {
        robots_txt::Agent::from_user_agent(&value).map(Self)
    }

    /// The name.
    #[getter]
    fn name(&self) -> &str {
        self.0.name()
    }

    /// The names, in the order in which groups are searched.
    #[getter]
    fn names(&self) -> Vec<&str> {
        self.0.names().collect()
    }

    /// Whether the groups of `*` apply if none of the names has one.
    #[getter]
    fn obeys_star(&self) -> bool {
        self.0.obeys_star()
    }

    #[staticmethod]
    #[pyo3(name = "_load")]
    fn load(names: Vec<Text>, obeys_star: bool) -> PyResult<Self> {
        let names = names.iter().map(|name| (**name).to_owned());
        let agent = robots_txt::Agent::of_names(names, obeys_star).map(Self);
        agent.ok_or_else(|| LoadError::new_err("a robot without a name"))
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Reduced<'py, State<'_>>> {
        let names = self.0.names().collect();
        pickle::reduced::<Self, _>(py, (names, self.0.obeys_star()))
    }

    fn __repr__(&self) -> String {
        format!("<Agent {}>", printable(&self.0.to_string()))
    }

    fn __str__(&self) -> &str {
        self.0.name()
    }
}

/// The state of a pickled robot: its names, and whether it obeys `*`.
type State<'a> = (Vec<&'a str>, bool);

/// A robot as an argument: an [`Agent`], or the name of one, with the groups that its vendor documents.
pub(crate) struct AnyAgent(pub(crate) robots_txt::Agent<'static>);

impl<'py> FromPyObject<'_, 'py> for AnyAgent {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        if let Ok(agent) = object.cast::<Agent>() {
            return Ok(Self(agent.get().0.clone()));
        }
        let name: Text = object.extract()?;
        let name = ProductToken::parse(&name).map_err(|error| error::agent(&error))?;
        Ok(Self(robots_txt::Agent::known(name.as_str().to_owned())))
    }
}
