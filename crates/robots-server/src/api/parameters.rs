//! The parameters of a path and query. Unknown and repeated names of a query are errors, so that a misspelt one is not without
//! effect.

use crate::problem::{Problem, ProblemKind};
use axum::extract::rejection::PathRejection;
use axum::extract::{FromRequestParts, Path};
use http::request::Parts;
use robots_policy::text::{expected_name, printable};
use std::borrow::Cow;

/// The parameters of a query.
#[derive(Debug, Default)]
pub(crate) struct Parameters<'q> {
    pairs: Vec<(Cow<'q, str>, Cow<'q, str>)>,
}

impl<'q> Parameters<'q> {
    /// Reads a query that may have these names, each up to once.
    pub(crate) fn read(query: Option<&'q str>, names: &[&str]) -> Result<Self, Problem> {
        let mut this = Self::default();
        for (name, value) in url::form_urlencoded::parse(query.unwrap_or_default().as_bytes()) {
            let shown = printable(&name);
            if !names.contains(&&*name) {
                let hint = match names {
                    [] => "; this path has no parameters".to_owned(),
                    _ => expected_name(&name, names),
                };
                return Err(invalid(format!("unknown parameter {shown:?}{hint}")));
            }
            if this.value(&name).is_some() {
                return Err(invalid(format!("parameter {shown:?} occurs twice")));
            }
            this.pairs.push((name, value));
        }
        Ok(this)
    }

    /// Returns the value of a parameter.
    pub(crate) fn value(&self, name: &str) -> Option<&str> {
        let mut pairs = self.pairs.iter();
        pairs
            .find(|(known, _)| known == name)
            .map(|(_, value)| value.as_ref())
    }
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
