//! Places of each client for which its requests wait, so that no client takes those of others.

use super::client::Client;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError, Weak};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// The number of clients after which those without a place are first removed.
const MIN_SWEEP: usize = 1024;

/// A number of places of each client. Clients that have and await none take no memory for long.
#[derive(Debug)]
pub(crate) struct ClientQueues {
    /// The places of a client; 0 is no limit.
    max: usize,
    queues: Mutex<Queues>,
}

#[derive(Debug, Default)]
struct Queues {
    of_clients: HashMap<Client, Weak<Semaphore>>,
    /// The number of clients at which those without a place are removed.
    sweep_at: usize,
}

/// A place, until it is dropped.
#[derive(Debug)]
pub(crate) struct Place {
    _permit: Option<OwnedSemaphorePermit>,
}

impl ClientQueues {
    pub(crate) fn new(max: usize) -> Self {
        Self {
            max: max.min(Semaphore::MAX_PERMITS),
            queues: Mutex::default(),
        }
    }

    /// Returns a place of a client as soon as it has a free one.
    pub(crate) async fn place(&self, client: Client) -> Place {
        if self.max == 0 {
            return Place { _permit: None };
        }
        // The places are never closed.
        let permit = self.of(client).acquire_owned().await.ok();
        Place { _permit: permit }
    }

    /// Returns the places of a client.
    fn of(&self, client: Client) -> Arc<Semaphore> {
        // The queues are whole after any panic.
        let mut queues = self.queues.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(places) = queues.of_clients.get(&client).and_then(Weak::upgrade) {
            return places;
        }
        if queues.of_clients.len() >= queues.sweep_at.max(MIN_SWEEP) {
            queues
                .of_clients
                .retain(|_, places| places.strong_count() > 0);
            queues.sweep_at = queues.of_clients.len().saturating_mul(2);
        }
        let places = Arc::new(Semaphore::new(self.max));
        queues.of_clients.insert(client, Arc::downgrade(&places));
        places
    }
}

#[cfg(test)]
mod tests {
    use super::{Client, ClientQueues, MIN_SWEEP};
    use futures_util::FutureExt;
    use std::net::IpAddr;

    fn client(number: u32) -> Client {
        Client::of(IpAddr::from(number.to_be_bytes()))
    }

    #[test]
    fn each_client_waits_for_places_of_its_own() {
        let queues = ClientQueues::new(2);
        let place = |number| queues.place(client(number)).now_or_never();
        let first = place(1).unwrap();
        let second = place(1).unwrap();
        assert!(place(1).is_none());
        assert!(place(2).is_some());
        let mut third = Box::pin(queues.place(client(1)));
        assert!((&mut third).now_or_never().is_none());
        drop(first);
        // It has the free place; once it does not wait any more, that is another's.
        assert!(place(1).is_none());
        drop(third);
        assert!(place(1).is_some());
        drop(second);
    }

    #[test]
    fn zero_is_no_limit() {
        let queues = ClientQueues::new(0);
        let places: Vec<_> = (0..1000)
            .map(|_| queues.place(client(1)).now_or_never())
            .collect();
        assert!(places.iter().all(Option::is_some));
    }

    #[test]
    fn clients_without_a_place_are_removed() {
        let queues = ClientQueues::new(1);
        let kept = queues.place(client(0)).now_or_never();
        for number in 1..10_000 {
            assert!(queues.place(client(number)).now_or_never().is_some());
        }
        assert!(queues.queues.lock().unwrap().of_clients.len() <= MIN_SWEEP);
        assert!(queues.place(client(0)).now_or_never().is_none());
        drop(kept);
    }
}
