//! The parameters of a path and query. Unknown and repeated names of a query are errors, so that a misspelt one is not without
//! effect.

use crate::problem::{Problem, ProblemKind};
use axum::extract::rejection::PathRejection;
use axum::extract::{FromRequestParts, Path};
use http::request::Parts;
use robots_policy::text::{expected_name, printable};

/// Returns the value of the only parameter that a query may have, if it has it.
pub(crate) fn parameter(
    query: Option<&str>,
    known: Option<&str>,
) -> Result<Option<String>, Problem> {
    let mut found = None;
    for (name, value) in url::form_urlencoded::parse(query.unwrap_or_default().as_bytes()) {
        let shown = printable(&name);
        if known != Some(&*name) {
            let hint = match known.as_slice() {
                [] => "; this path has no parameters".to_owned(),
                names => expected_name(&name, names),
            };
            return Err(invalid(format!("unknown parameter {shown:?}{hint}")));
        }
        if found.is_some() {
            return Err(invalid(format!("parameter {shown:?} occurs twice")));
        }
        found = Some(value.into_owned());
    }
    Ok(found)
}

/// Returns a problem with a parameter.
pub(crate) fn invalid(detail: impl Into<String>) -> Problem {
    Problem::new(ProblemKind::InvalidParameter, detail)
}

/// The value of the only parameter of a path, decoded.
#[derive(Debug)]
pub(crate) struct PathValue(pub(crate) String);

impl<S: Send + Sync> FromRequestParts<S> for PathValue {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Problem> {
        let value: Result<Path<String>, PathRejection> =
            Path::from_request_parts(parts, state).await;
        value
            .map(|Path(value)| Self(value))
            .map_err(|error| invalid(error.body_text()))
    }
}
