//! What a request holds: its permits, its memory, and its route.

use super::client::Client;
use super::memory::{HeldMemory, Memory};
use super::share::Share;
use axum::extract::MatchedPath;
use http::Extensions;
use std::sync::{Arc, OnceLock};
use tokio::sync::OwnedSemaphorePermit;

/// An admitted request: its permits, for one of all requests at once and for one of its client, and its route. Clones share it; the
/// permits are free when the answer was sent and all work for it has ended.
#[derive(Debug, Clone, Default)]
pub(crate) struct Admission(Arc<Admitted>);

#[derive(Debug, Default)]
struct Admitted {
    /// The client, if the limits per client apply.
    client: Option<Client>,
    _of_client: Option<Share>,
    _at_once: Option<OwnedSemaphorePermit>,
    /// The path of the route that got the request. It is set before the route begins, so that it is known after a panic and a
    /// timeout.
    route: OnceLock<MatchedPath>,
}

/// What the work on a question holds until it ends, even if the client has left before.
#[derive(Debug)]
pub(crate) struct Held {
    admission: Admission,
    pub(crate) memory: HeldMemory,
}

impl Admission {
    /// `client` has none if the limits per client do not apply.
    pub(crate) fn new(
        client: Option<Client>,
        of_client: Share,
        at_once: OwnedSemaphorePermit,
    ) -> Self {
        Self(Arc::new(Admitted {
            client,
            _of_client: Some(of_client),
            _at_once: Some(at_once),
            route: OnceLock::new(),
        }))
    }

    /// Sets the path of the route. The first one stays.
    pub(crate) fn set_route(&self, path: &MatchedPath) {
        self.0.route.get_or_init(|| path.clone());
    }

    /// Returns the path of the route, if one got the request.
    pub(crate) fn route(&self) -> Option<&str> {
        self.0.route.get().map(MatchedPath::as_str)
    }
}

impl Held {
    /// Returns the admission of a request with these extensions, and a part of the memory of no bytes.
    pub(crate) fn of(extensions: &Extensions, memory: &Memory) -> Self {
        Self {
            admission: extensions.get().cloned().unwrap_or_default(),
            memory: memory.hold(),
        }
    }

    /// Returns the client, if the limits per client apply.
    pub(crate) fn client(&self) -> Option<Client> {
        self.admission.0.client
    }

    /// Moves this number of bytes of the memory to a part of its own, of the same request.
    pub(crate) fn split(&mut self, bytes: usize) -> Self {
        Self {
            admission: self.admission.clone(),
            memory: self.memory.split(bytes),
        }
    }
}
