//! The exceptions of the package, which `robots_policy._errors` defines.

use pyo3::exceptions::{PyRuntimeError, PyStopAsyncIteration, PyStopIteration};
use pyo3::import_exception;
use pyo3::prelude::*;
use robots_policy::robots_txt::select::ProductTokenError;

import_exception!(robots_policy._errors, AgentError);
import_exception!(robots_policy._errors, AlreadyInstalled);
import_exception!(robots_policy._errors, ArchiveError);
import_exception!(robots_policy._errors, ArchiveWarning);
import_exception!(robots_policy._errors, BatchError);
import_exception!(robots_policy._errors, DialectError);
import_exception!(robots_policy._errors, FileObjectError);
import_exception!(robots_policy._errors, InputError);
import_exception!(robots_policy._errors, LoadError);
import_exception!(robots_policy._errors, ProfileError);
import_exception!(robots_policy._errors, UrlError);

/// Returns the exception for an invalid name of a robot.
pub(crate) fn agent(error: &ProductTokenError) -> PyErr {
    AgentError::new_err(error.to_string())
}

/// Returns an exception that code of a caller raised, so that an iterator can raise it. A `StopIteration` would look like its
/// end, so it becomes the cause of a `RuntimeError`, as in generators (PEP 479).
pub(crate) fn of_caller(py: Python<'_>, error: PyErr) -> PyErr {
    let name = if error.is_instance_of::<PyStopIteration>(py) {
        "StopIteration"
    } else if error.is_instance_of::<PyStopAsyncIteration>(py) {
        "StopAsyncIteration"
    } else {
        return error;
    };
    let raised = PyRuntimeError::new_err(format!("a callback or file object raised {name}"));
    raised.set_cause(py, Some(error));
    raised
}
