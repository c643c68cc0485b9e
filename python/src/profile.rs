//! Profiles.

use crate::argument::Text;
use crate::error::ProfileError;
use crate::word;
use pyo3::prelude::*;
use robots_policy::text::printable;

/// The rules by which an engine decides: its robots, its reading of robots.txt, its merging of METAs and headers, and the
/// statements that it honours. `Profile(name)` is a built-in one.
#[pyclass(frozen, eq, module = "robots_policy")]
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Profile(pub(crate) robots_policy::Profile);

#[pymethods]
impl Profile {
    #[new]
    fn new(name: Text) -> PyResult<Self> {
        let profile = name.parse().map(Self);
        profile.map_err(|error: robots_policy::profile::UnknownProfile| {
            ProfileError::new_err(error.to_string())
        })
    }

    /// Returns every built-in profile, the neutral one first.
    #[staticmethod]
    fn all() -> Vec<Self> {
        robots_policy::Profile::all().map(Self).collect()
    }

    /// Reads a profile from TOML: `name`, `based-on` (a built-in profile, `neutral` by default) and the keys that differ.
    ///
    /// Raises ProfileError if the text is not valid TOML, or has an unknown key or value.
    #[staticmethod]
    fn from_toml(text: Text) -> PyResult<Self> {
        let profile = robots_policy::Profile::from_toml(&text).map(Self);
        profile.map_err(|error| ProfileError::new_err(error.to_string()))
    }

    /// Returns the profile as TOML with every key. A changed dialect becomes the built-in one of its name.
    fn to_toml(&self) -> String {
        self.0.to_toml()
    }

    /// The name.
    #[getter]
    fn name(&self) -> &str {
        self.0.name()
    }

    /// A description, in one line.
    #[getter]
    fn about(&self) -> &str {
        self.0.about()
    }

    /// The name of the default robot.
    #[getter]
    fn agent(&self) -> &str {
        self.0.agent()
    }

    /// The dialect of robots.txt.
    #[getter]
    fn dialect(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        word::DIALECT.member(py, self.0.dialect().name())
    }

    /// The names of the robots.
    #[getter]
    fn robots(&self) -> Vec<&str> {
        self.0
            .robots()
            .iter()
            .map(robots_policy::profile::Robot::name)
            .collect()
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, (String,))> {
        let load = py.get_type::<Self>().getattr("from_toml")?;
        Ok((load, (self.to_toml(),)))
    }

    fn __repr__(&self) -> String {
        format!("<Profile {}>", printable(&self.0.to_string()))
    }

    fn __str__(&self) -> &str {
        self.0.name()
    }
}

/// A profile as an argument: a [`Profile`], or the name of a built-in one.
pub(crate) struct AnyProfile(pub(crate) robots_policy::Profile);

impl<'py> FromPyObject<'_, 'py> for AnyProfile {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        if let Ok(profile) = object.cast::<Profile>() {
            return Ok(Self(profile.get().0.clone()));
        }
        Profile::new(object.extract()?).map(|profile| Self(profile.0))
    }
}
