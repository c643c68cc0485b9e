//! Profiles.

use crate::argument::{AnyPath, Text, wrong_type};
use crate::error::ProfileError;
use crate::word;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::PyString;
use robots_pipeline::text::path_text;
use robots_policy::text::printable;
use std::hash::{Hash, Hasher};
use std::path::Path;

/// The rules by which an engine decides: its robots, its reading of robots.txt, its merging of METAs and headers, and the
/// statements that it honours. `Profile(name)` is a built-in one.
#[pyclass(frozen, eq, hash, module = "robots_policy")]
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Profile(pub(crate) robots_policy::Profile);

impl Hash for Profile {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.name().hash(state);
    }
}

#[pymethods]
impl Profile {
    #[new]
    fn new(name: Text) -> PyResult<Self> {
        let profile = name.parse().map(Self);
        profile.map_err(|error: robots_policy::text::UnknownName| {
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

    /// Returns the profile as TOML with every key. A changed dialect becomes the one that its name has in profiles.
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

/// A profile as an argument: a [`Profile`], the name of a built-in one, or the path of a TOML file. As in the program, a text
/// is a path if it ends with `.toml` and is not a name.
pub(crate) struct AnyProfile(pub(crate) robots_policy::Profile);

impl<'py> FromPyObject<'_, 'py> for AnyProfile {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        if let Ok(profile) = object.cast::<Profile>() {
            return Ok(Self(profile.get().0.clone()));
        }
        let Ok(name) = object.cast::<PyString>() else {
            let is_path = object.hasattr(intern!(object.py(), "__fspath__"))?;
            if is_path {
                return read(&object.extract::<AnyPath>()?.0);
            }
            return Err(wrong_type("a Profile, or its name or path", &object));
        };
        let name: Text = name.extract()?;
        let path = Path::new(&*name);
        match name.parse::<robots_policy::Profile>() {
            Ok(profile) => Ok(Self(profile)),
            Err(_) if path.extension().is_some_and(|end| end == "toml") => read(path),
            Err(unknown) => Err(ProfileError::new_err(format!(
                "{unknown} (a file with a profile has a name that ends with .toml)"
            ))),
        }
    }
}

/// Reads the profile in a TOML file.
fn read(path: &Path) -> PyResult<AnyProfile> {
    let toml = std::fs::read_to_string(path).map_err(|error| error.to_string());
    let profile = toml.and_then(|toml| {
        robots_policy::Profile::from_toml(&toml).map_err(|error| error.to_string())
    });
    profile.map(AnyProfile).map_err(|error| {
        let path = path_text(path);
        ProfileError::new_err(format!("cannot read the profile in {path}: {error}"))
    })
}
