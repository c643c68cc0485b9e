//! Routes with their paths, by which requests are counted.

use crate::state::AppState;
use axum::Router;
use axum::handler::Handler;
use axum::routing::MethodRouter;
use std::sync::Arc;

/// Routes, and the path of each.
#[derive(Debug, Default)]
pub(crate) struct Routes {
    router: Router<AppState>,
    paths: Vec<String>,
}

/// The paths of all routes, such as `/v1/agents/{token}`.
///
/// The router has them, too, and gives them to the services of a layer. That layer costs each request three allocations, and does not
/// see a request whose method the path does not have.
#[derive(Debug)]
pub(crate) struct RoutePaths(matchit::Router<Arc<str>>);

impl Routes {
    /// Returns the routes of a router that has these paths.
    pub(crate) fn of(router: Router<AppState>, paths: impl IntoIterator<Item = String>) -> Self {
        Self {
            router,
            paths: paths.into_iter().collect(),
        }
    }

    /// Adds a route.
    pub(crate) fn route(mut self, path: &str, methods: MethodRouter<AppState>) -> Self {
        self.router = self.router.route(path, methods);
        self.paths.push(path.to_owned());
        self
    }

    /// Adds others, whose paths these do not have.
    pub(crate) fn merge(mut self, others: Self) -> Self {
        self.router = self.router.merge(others.router);
        self.paths.extend(others.paths);
        self
    }

    /// Sets what answers requests to other paths, and requests to these paths by methods that they do not have.
    pub(crate) fn with_fallbacks<N: 'static, M: 'static>(
        mut self,
        not_found: impl Handler<N, AppState>,
        method_not_allowed: impl Handler<M, AppState>,
    ) -> Self {
        self.router = self
            .router
            .fallback(not_found)
            .method_not_allowed_fallback(method_not_allowed);
        self
    }

    /// Returns the router, and the paths.
    pub(crate) fn into_parts(self) -> (Router<AppState>, RoutePaths) {
        let mut paths = matchit::Router::new();
        for path in self.paths {
            // The router has accepted the path: it is valid and unique.
            let _ = paths.insert(&*path, path.as_str().into());
        }
        (self.router, RoutePaths(paths))
    }
}

impl RoutePaths {
    /// Returns the path of the route to which the path of a URL leads, if there is one.
    pub(crate) fn of(&self, path: &str) -> Option<Arc<str>> {
        self.0.at(path).ok().map(|found| Arc::clone(found.value))
    }
}

#[cfg(test)]
mod tests {
    use super::Routes;
    use axum::routing::get;

    #[test]
    fn a_path_leads_to_its_route() {
        let others = Routes::default().route("/a/{*rest}", get(async || ""));
        let routes = Routes::default()
            .route("/", get(async || ""))
            .route("/a/b", get(async || ""))
            .route("/b/{name}", get(async || ""))
            .merge(others);
        let (_, paths) = routes.into_parts();
        for (path, expected) in [
            ("/", Some("/")),
            ("/a/b", Some("/a/b")),
            ("/a/b/", Some("/a/{*rest}")),
            ("/a/http://x/", Some("/a/{*rest}")),
            ("/a/", None),
            ("/b/%C3%A9", Some("/b/{name}")),
            ("/b/c/d", None),
            ("", None),
            ("*", None),
        ] {
            assert_eq!(paths.of(path).as_deref(), expected, "{path}");
        }
    }
}
