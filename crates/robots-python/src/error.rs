//! The exceptions of the package, which `robots_policy._errors` defines.

use pyo3::PyErr;
use pyo3::import_exception;
use robots_policy::robots_txt::select::{ProductTokenError, ProductTokenErrorKind};

import_exception!(robots_policy._errors, AgentError);
import_exception!(robots_policy._errors, AlreadyInstalled);
import_exception!(robots_policy._errors, ArchiveError);
import_exception!(robots_policy._errors, ArchiveWarning);
import_exception!(robots_policy._errors, BatchError);
import_exception!(robots_policy._errors, DialectError);
import_exception!(robots_policy._errors, InputError);
import_exception!(robots_policy._errors, LoadError);
import_exception!(robots_policy._errors, ProfileError);
import_exception!(robots_policy._errors, UrlError);

/// Returns the exception for an invalid name of a robot. Its message has the names of Python.
pub(crate) fn agent(error: &ProductTokenError) -> PyErr {
    let message = match error.kind() {
        ProductTokenErrorKind::UnexpectedCharacter(character) => format!(
            "unexpected character {character:?} at byte {} of robot name {:?}: \
             pass the name alone, or read a User-Agent value with Agent.from_user_agent",
            error.offset(),
            error.name()
        ),
        _ => error.to_string(),
    };
    AgentError::new_err(message)
}
