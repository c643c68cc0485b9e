//! Pickles of values: `__reduce__` returns the method `_load` of the class, with the state that it reads.

use crate::error::LoadError;
use pyo3::PyTypeInfo;
use pyo3::prelude::*;
use serde::Serialize;
use serde::de::DeserializeOwned;

/// A method that loads a value, and its arguments.
pub(crate) type Reduced<'py, S> = (Bound<'py, PyAny>, S);

/// Returns the method `_load` of a class, with its arguments.
pub(crate) fn reduced<C: PyTypeInfo, S>(py: Python<'_>, state: S) -> PyResult<Reduced<'_, S>> {
    Ok((py.get_type::<C>().getattr("_load")?, state))
}

/// Returns a value as JSON.
pub(crate) fn to_json(value: &impl Serialize) -> PyResult<String> {
    serde_json::to_string(value).map_err(|error| LoadError::new_err(error.to_string()))
}

/// Reads a value that [`to_json`] wrote; `name` is that of its class.
pub(crate) fn from_json<T: DeserializeOwned>(name: &str, json: &str) -> PyResult<T> {
    serde_json::from_str(json)
        .map_err(|error| LoadError::new_err(format!("not the state of a {name}: {error}")))
}
