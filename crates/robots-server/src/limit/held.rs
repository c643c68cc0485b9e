//! What a request holds: its permits and its memory.

use super::client::Client;
use super::memory::{HeldMemory, Memory};
use super::share::Share;
use http::Extensions;
use std::sync::Arc;
use tokio::sync::OwnedSemaphorePermit;

/// The permits of an admitted request: for one of all requests at once, and for one of its client. Clones share them; they are free
/// when the answer was sent and all work for it has ended.
#[derive(Debug, Clone, Default)]
pub(crate) struct Admission(Arc<Admitted>);

#[derive(Debug, Default)]
struct Admitted {
    /// The client, if the limits per client apply.
    client: Option<Client>,
    _of_client: Option<Share>,
    _at_once: Option<OwnedSemaphorePermit>,
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
        }))
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
