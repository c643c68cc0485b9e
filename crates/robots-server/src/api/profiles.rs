//! `/v1/profiles`: the built-in profiles.

use super::parameters::{PathValue, parameter};
use crate::problem::{Problem, ProblemKind};
use crate::work::json;
use axum::extract::RawQuery;
use axum::response::Response;
use robots_policy::Profile;

/// Built-in profiles.
///
/// The objects of `robots profiles --json`: how each engine decides.
#[utoipa::path(
    get,
    path = "/v1/profiles",
    tag = "knowledge",
    responses((status = 200, description = "The profiles", body = Vec<Value>))
)]
pub(super) async fn profiles(RawQuery(query): RawQuery) -> Result<Response, Problem> {
    parameter(query.as_deref(), None)?;
    Ok(json(&Profile::all().collect::<Vec<_>>()))
}

/// One profile.
///
/// The object of `robots profiles NAME --json`.
#[utoipa::path(
    get,
    path = "/v1/profiles/{name}",
    tag = "knowledge",
    params(("name" = String, Path, description = "The name of a built-in profile", example = "google")),
    responses(
        (status = 200, description = "The profile", body = Value),
        (status = 404, description = "No built-in profile has this name", body = Value, content_type = "application/problem+json"),
    )
)]
pub(super) async fn profile(
    PathValue(name): PathValue,
    RawQuery(query): RawQuery,
) -> Result<Response, Problem> {
    parameter(query.as_deref(), None)?;
    let profile: Result<Profile, _> = name.parse();
    profile
        .map(|profile| json(&profile))
        .map_err(|unknown| Problem::new(ProblemKind::NotFound, unknown.to_string()))
}
