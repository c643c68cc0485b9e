//! The routes of the API, a file each, and its description as `OpenAPI`.

mod agents;
pub(crate) mod body;
mod bulk;
mod check;
mod decide;
mod diff;
mod documents;
mod examples;
mod health;
mod lint;
mod meta;
mod openapi;
mod parameters;
mod profiles;
mod question;
mod robots;
mod value;
mod why;
pub(crate) mod work;

use crate::problem::{Problem, ProblemKind};
use crate::routes::Routes;
use axum::extract::Request;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

/// Returns the routes of a service: those of the API, and others.
pub(crate) fn routes(others: Routes) -> Routes {
    let (router, mut description) = OpenApiRouter::with_openapi(openapi::frame())
        .routes(routes!(check::check))
        .routes(routes!(decide::decide))
        .routes(routes!(bulk::bulk))
        .routes(routes!(why::why))
        .routes(routes!(lint::lint))
        .routes(routes!(diff::diff))
        .routes(routes!(meta::meta))
        .routes(routes!(agents::agents))
        .routes(routes!(agents::agent))
        .routes(routes!(profiles::profiles))
        .routes(routes!(profiles::profile))
        .routes(routes!(robots::robots))
        .routes(routes!(health::healthz))
        .routes(routes!(health::readyz))
        .routes(routes!(health::metrics))
        .split_for_parts();
    examples::add(&mut description);
    Routes::of(router, description.paths.paths.keys().cloned())
        .merge(documents::routes(&description))
        .merge(others)
        .with_fallbacks(not_found, method_not_allowed)
}

async fn not_found(request: Request) -> Problem {
    let path = request.uri().path();
    Problem::new(
        ProblemKind::NotFound,
        format!("there is nothing at {path}; /docs lists the paths"),
    )
}

async fn method_not_allowed(request: Request) -> Problem {
    let (method, path) = (request.method(), request.uri().path());
    Problem::new(
        ProblemKind::MethodNotAllowed,
        format!("{path} does not have the method {method}; the header Allow lists its methods"),
    )
}
