//! Whether the service runs and takes requests, and what it counts.

use crate::metrics;
use crate::state::AppState;
use crate::work::json;
use axum::extract::State;
use axum::response::Response;
use http::header::CONTENT_TYPE;
use http::{HeaderName, StatusCode};
use serde::Serialize;
use utoipa::ToSchema;

/// The paths that answer without a key and without limits on clients and requests: probes must get through.
pub(crate) const PROBES: [&str; 2] = ["/healthz", "/readyz"];

/// Whether the process runs.
///
/// Needs no key, and has no limits on clients: for probes.
#[utoipa::path(
    get,
    path = "/healthz",
    tag = "operation",
    responses((status = 200, description = "The process runs", body = String, content_type = "text/plain", example = "ok"))
)]
pub(super) async fn healthz() -> &'static str {
    "ok\n"
}

/// Whether the service takes requests.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct Readiness {
    /// `ready`, or `stopping` once the service was asked to stop.
    status: &'static str,
    /// The file of `store`: `none`, `ok`, or `failed`, until it works again. While it fails, answers come from memory and from
    /// requests.
    store: &'static str,
    /// What is shared with other processes: `none`, `ok`, or `failing`. While it fails, answers come from memory and from requests
    /// of this process.
    redis: &'static str,
}

/// Whether the service takes requests.
///
/// Needs no key, and has no limits on clients: for probes. The log has the details of a failure.
#[utoipa::path(
    get,
    path = "/readyz",
    tag = "operation",
    responses(
        (status = 200, description = "The service takes requests", body = Readiness),
        (status = 503, description = "The service was asked to stop", body = Readiness),
    )
)]
pub(super) async fn readyz(State(state): State<AppState>) -> (StatusCode, Response) {
    let (code, status) = if state.stopping.is_cancelled() {
        (StatusCode::SERVICE_UNAVAILABLE, "stopping")
    } else {
        (StatusCode::OK, "ready")
    };
    let health = state.sites.health();
    let redis = match &health.shared_error {
        Some(_) => "failing",
        None if state.config.redis.is_empty() => "none",
        None => "ok",
    };
    let store = match &health.store_error {
        Some(_) => "failed",
        None if state.config.store.as_os_str().is_empty() => "none",
        None => "ok",
    };
    let answer = Readiness {
        status,
        store,
        redis,
    };
    (code, json(&answer))
}

/// What the service counts.
///
/// In the text format of `OpenMetrics`, which Prometheus reads. If the service has an API key, this path needs it, too.
#[utoipa::path(
    get,
    path = "/metrics",
    tag = "operation",
    responses((status = 200, description = "The counters", body = String, content_type = "application/openmetrics-text"))
)]
pub(super) async fn metrics(
    State(state): State<AppState>,
) -> ([(HeaderName, &'static str); 1], String) {
    ([(CONTENT_TYPE, metrics::MEDIA_TYPE)], state.metrics.text())
}
