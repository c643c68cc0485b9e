//! The permits and the memory that a request holds.

use super::client::Client;
use super::memory::{HeldMemory, Memory};
use super::share::Share;
use http::Extensions;
use std::sync::Arc;
use tokio::sync::OwnedSemaphorePermit;

/// The permits of a request: for one of all requests at once, and for one of its client. Clones share them; they are free when the
/// answer was sent and all work for it has ended.
#[derive(Debug, Clone, Default)]
pub(crate) struct RequestPermits {
    _shared: Arc<(Option<Share>, Option<OwnedSemaphorePermit>)>,
    /// The client, if the limits per client apply.
    client: Option<Client>,
}

/// What the work on a question holds until it ends, even if the client has left before.
#[derive(Debug)]
pub(crate) struct Held {
    permits: RequestPermits,
    pub(crate) memory: HeldMemory,
}

impl RequestPermits {
    /// `client` has none if the limits per client do not apply.
    pub(crate) fn new(
        client: Option<Client>,
        of_client: Share,
        at_once: OwnedSemaphorePermit,
    ) -> Self {
        Self {
            client,
            _shared: Arc::new((Some(of_client), Some(at_once))),
        }
    }
}

impl Held {
    /// Returns the permits of a request with these extensions, and a part of the memory of no bytes.
    pub(crate) fn of(extensions: &Extensions, memory: &Memory) -> Self {
        Self {
            permits: extensions.get().cloned().unwrap_or_default(),
            memory: memory.hold(),
        }
    }

    /// Returns the client, if the limits per client apply.
    pub(crate) fn client(&self) -> Option<Client> {
        self.permits.client
    }

    /// Moves this number of bytes of the memory to a part of its own, with the same permits.
    pub(crate) fn split(&mut self, bytes: usize) -> Self {
        Self {
            permits: self.permits.clone(),
            memory: self.memory.split(bytes),
        }
    }
}
