//! Bounds on what is done at once: places for all clients together, of which each client has up to a share.

use crate::client::Client;
use crate::problem::{Problem, ProblemKind};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// A number of places. Clients without one take no memory.
#[derive(Debug, Clone)]
pub(crate) struct Places(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    /// The settings that bound the places of all and of a client.
    limits: [&'static str; 2],
    number: usize,
    all: Arc<Semaphore>,
    /// The places of a client, and of one that is exempt from the limits per client; 0 is no limit.
    shares: [usize; 2],
    clients: Mutex<HashMap<Client, Arc<Semaphore>>>,
}

/// A place, until it is dropped.
#[derive(Debug)]
pub(crate) struct Place {
    places: Places,
    of_client: Option<(Client, Arc<Semaphore>)>,
    permits: [Option<OwnedSemaphorePermit>; 2],
}

impl Places {
    /// Returns a number of places, and the share of a client; exempt ones have none. For either, 0 is no limit.
    pub(crate) fn new(limits: [&'static str; 2], number: usize, share: usize) -> Self {
        Self::with_shares(limits, number, [share, 0])
    }

    fn with_shares(limits: [&'static str; 2], number: usize, shares: [usize; 2]) -> Self {
        let permits = if number == 0 { usize::MAX } else { number };
        Self(Arc::new(Shared {
            limits,
            number,
            all: Arc::new(Semaphore::new(permits.min(Semaphore::MAX_PERMITS))),
            shares: shares.map(|share| share.min(Semaphore::MAX_PERMITS)),
            clients: Mutex::default(),
        }))
    }

    /// Returns a number of places, of which a client has up to a quarter. An exempt client leaves a quarter to others.
    pub(crate) fn shared(limit: &'static str, number: usize) -> Self {
        let quarter = number / 4;
        Self::with_shares([limit; 2], number, [quarter.max(1), number - quarter])
    }

    fn share(&self, client: Client) -> usize {
        self.0.shares[usize::from(client.is_exempt)]
    }

    /// Returns a place as soon as one is free. Without a client, the shares do not apply.
    pub(crate) async fn wait(&self, client: Option<Client>) -> Place {
        let mut place = self.of(client);
        // The semaphores are never closed.
        if let Some((_, own)) = &place.of_client {
            place.permits[0] = Arc::clone(own).acquire_owned().await.ok();
        }
        place.permits[1] = Arc::clone(&self.0.all).acquire_owned().await.ok();
        place
    }

    /// Returns a place if one is free now. Without a client, the shares do not apply.
    pub(crate) fn take(&self, client: Option<Client>) -> Result<Place, Problem> {
        let mut place = self.of(client);
        let [of_all, of_client] = self.0.limits;
        if let Some((client, own)) = &place.of_client {
            let share = self.share(*client);
            place.permits[0] = Some(Arc::clone(own).try_acquire_owned().map_err(|_| {
                let detail = format!("client {client} has {share} at once");
                Problem::over(ProblemKind::TooManyRequests, of_client, share, detail)
            })?);
        }
        place.permits[1] = Some(Arc::clone(&self.0.all).try_acquire_owned().map_err(|_| {
            let number = self.0.number;
            let detail = format!("the service has {number} at once");
            Problem::over(ProblemKind::Overloaded, of_all, number, detail)
        })?);
        Ok(place)
    }

    /// Returns the places of a client, of which none is taken yet.
    fn of(&self, client: Option<Client>) -> Place {
        let client = client.filter(|client| self.share(*client) > 0);
        let of_client = client.map(|client| {
            let own = || Arc::new(Semaphore::new(self.share(client)));
            (
                client,
                Arc::clone(self.lock().entry(client).or_insert_with(own)),
            )
        });
        Place {
            places: self.clone(),
            of_client,
            permits: [None, None],
        }
    }

    /// Returns the clients. They are whole after any panic.
    fn lock(&self) -> MutexGuard<'_, HashMap<Client, Arc<Semaphore>>> {
        self.0
            .clients
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        self.permits = [None, None];
        if let Some((client, own)) = self.of_client.take() {
            let mut clients = self.places.lock();
            drop(own);
            // No one else has or awaits a place of the client.
            if clients
                .get(&client)
                .is_some_and(|own| Arc::strong_count(own) == 1)
            {
                clients.remove(&client);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Client, Places};
    use futures_util::FutureExt;
    use std::net::IpAddr;

    #[expect(clippy::unnecessary_wraps, reason = "as it is passed on")]
    fn client(last: u8) -> Option<Client> {
        Some(Client::of(IpAddr::from([192, 0, 2, last])))
    }

    #[test]
    fn a_client_has_up_to_its_share_and_all_have_up_to_the_number() {
        let places = Places::new(["all", "share"], 3, 2);
        let first = places.take(client(1)).unwrap();
        let second = places.take(client(1)).unwrap();
        let limit = |last| places.take(client(last)).unwrap_err().limit_name();
        assert_eq!(limit(1), Some("share"));
        let third = places.take(client(2)).unwrap();
        assert_eq!(limit(2), Some("all"));
        assert_eq!(places.take(None).unwrap_err().limit_name(), Some("all"));
        drop(first);
        let fourth = places.take(client(1)).unwrap();
        drop((second, third, fourth));
        assert!(places.lock().is_empty());
        // The share does not apply without a client.
        let all: Vec<_> = (0..3).map(|_| places.take(None)).collect();
        assert!(all.iter().all(Result::is_ok));
    }

    #[test]
    fn clients_wait_for_their_share_alone() {
        let places = Places::shared("all", 8);
        let wait = |last| places.wait(client(last)).now_or_never();
        let first = wait(1).unwrap();
        let second = wait(1).unwrap();
        assert!(wait(1).is_none());
        assert!(wait(2).is_some());
        let mut third = Box::pin(places.wait(client(1)));
        assert!((&mut third).now_or_never().is_none());
        drop(first);
        // It has the free place; once it does not wait any more, that is another's.
        assert!(wait(1).is_none());
        drop(third);
        assert!(wait(1).is_some());
        drop(second);
        assert!(places.lock().is_empty());
    }

    /// No client has all places, whether or not the limits per client apply to it.
    #[test]
    fn every_client_leaves_places_to_others() {
        for (number, is_exempt, share) in [
            (32, false, 8),
            (32, true, 24),
            (4, false, 1),
            (4, true, 3),
            (1, false, 1),
            (1, true, 1),
        ] {
            let places = Places::shared("all", number);
            let greedy = client(1).map(|client| if is_exempt { client.exempt() } else { client });
            let taken: Vec<_> = (0..2 * number).map(|_| places.take(greedy)).collect();
            let taken: Vec<_> = taken.into_iter().flatten().collect();
            assert_eq!(taken.len(), share, "{number} {is_exempt}");
            assert_eq!(places.take(client(2)).is_ok(), number > 1);
        }
        // The limits per client do not apply.
        let places = Places::new(["all", "share"], 3, 1);
        let exempt = client(1).map(Client::exempt);
        let all: Vec<_> = (0..3).map(|_| places.take(exempt)).collect();
        assert!(all.iter().all(Result::is_ok));
    }

    #[test]
    fn zero_is_no_limit() {
        let places = Places::new(["", ""], 0, 0);
        let all: Vec<_> = (0..1000).map(|_| places.take(client(1))).collect();
        assert!(all.iter().all(Result::is_ok));
    }
}
