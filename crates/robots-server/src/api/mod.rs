//! The routes of the API, a file each, its description as `OpenAPI`, and the tools for agents that ask its questions.

mod agents;
pub(crate) mod body;
mod bulk;
mod check;
mod decide;
mod diff;
mod documents;
mod health;
mod lint;
pub(crate) mod mcp;
mod meta;
mod openapi;
mod parameters;
mod profiles;
mod question;
mod robots;
mod value;
mod why;

use crate::state::AppState;
use axum::Router;
use axum::routing::{get, post};
pub(crate) use health::PROBES;

/// Returns the routes of the API but for [`probes`].
pub(crate) fn routes() -> Router<AppState> {
    Router::new()
        .route("/v1/check", post(check::check))
        .route("/v1/decide", post(decide::decide))
        .route("/v1/decide/bulk", post(bulk::bulk))
        .route("/v1/why", post(why::why))
        .route("/v1/lint", post(lint::lint))
        .route("/v1/diff", post(diff::diff))
        .route("/v1/meta", post(meta::meta))
        .route("/v1/agents", get(agents::agents))
        .route("/v1/agents/{name}", get(agents::agent))
        .route("/v1/profiles", get(profiles::profiles))
        .route("/v1/profiles/{name}", get(profiles::profile))
        .route("/v1/robots/{origin}", get(robots::robots))
        .route("/metrics", get(health::metrics))
        .merge(documents::routes())
}

/// Returns the routes for probes, which have no limits per client and need no key.
pub(crate) fn probes() -> Router<AppState> {
    Router::new()
        .route("/healthz", get(health::healthz))
        .route("/readyz", get(health::readyz))
}
