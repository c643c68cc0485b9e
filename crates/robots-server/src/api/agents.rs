//! `/v1/agents`: the table of known robots.

use super::parameters::{PathValue, invalid, parameter};
use crate::problem::{Problem, ProblemKind};
use crate::work::json;
use axum::extract::RawQuery;
use axum::response::Response;
use robots_policy::profile::{AgentTable, Purpose};
use robots_policy::text::UnknownName;

/// Known robots.
///
/// The objects of `robots agents --json`: the robots with one of the purposes, or all.
#[utoipa::path(
    get,
    path = "/v1/agents",
    tag = "knowledge",
    params(("purpose" = Option<String>, Query, description = "Purposes, divided by commas", example = "ai-train,dataset")),
    responses(
        (status = 200, description = "The robots", body = Vec<Value>),
        (status = 400, description = "A parameter is invalid", body = Value, content_type = "application/problem+json"),
    )
)]
pub(super) async fn agents(RawQuery(query): RawQuery) -> Result<Response, Problem> {
    let names = parameter(query.as_deref(), Some("purpose"))?;
    let names = names.iter().flat_map(|names| names.split(','));
    let purposes = names.map(|name| {
        let purpose = name.parse();
        purpose.map_err(|error: UnknownName| invalid(format!("parameter \"purpose\": {error}")))
    });
    let purposes: Vec<Purpose> = purposes.collect::<Result<_, _>>()?;
    let table = AgentTable::built_in().iter();
    let listed = table.filter(|agent| purposes.is_empty() || agent.has_purpose(&purposes));
    Ok(json(&listed.collect::<Vec<_>>()))
}

/// The robots of a name.
///
/// The objects of `robots agents NAME --json`: the robot with this product token, or else the robots of this operator, or
/// else the robot that this User-Agent header identifies.
#[utoipa::path(
    get,
    path = "/v1/agents/{name}",
    tag = "knowledge",
    params(("name" = String, Path, description = "A product token, an operator, or a User-Agent header", example = "GPTBot")),
    responses(
        (status = 200, description = "The robots", body = Vec<Value>),
        (status = 404, description = "No robot has this name", body = Value, content_type = "application/problem+json"),
    )
)]
pub(super) async fn agent(
    PathValue(name): PathValue,
    RawQuery(query): RawQuery,
) -> Result<Response, Problem> {
    parameter(query.as_deref(), None)?;
    let table = AgentTable::built_in();
    let named = table.named(&name);
    if named.is_empty() {
        let hint = table.hint(&name);
        let hint = hint.unwrap_or_else(|| "; /v1/agents lists the known ones".to_owned());
        return Err(Problem::new(
            ProblemKind::NotFound,
            format!("unknown robot {name:?}{hint}"),
        ));
    }
    Ok(json(&named))
}
