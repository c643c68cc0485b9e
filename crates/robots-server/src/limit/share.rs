//! What one client uses at once: connections, and requests in flight.

use super::client::Client;
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// A number of uses of each client. Clients without a use take no memory.
#[derive(Debug, Clone)]
pub(crate) struct Shares {
    /// The most uses of a client; 0 is no limit.
    max: usize,
    uses: Arc<Mutex<HashMap<Client, usize>>>,
}

/// A use, until it is dropped.
#[derive(Debug)]
pub(crate) struct Share {
    of: Option<(Shares, Client)>,
}

impl Shares {
    pub(crate) fn new(max: usize) -> Self {
        Self {
            max,
            uses: Arc::default(),
        }
    }

    /// Adds a use of a client, unless it has the most already.
    pub(crate) fn add(&self, client: Client) -> Option<Share> {
        if self.max == 0 {
            return Some(Share::unlimited());
        }
        let mut all = self.lock();
        let uses = all.entry(client).or_insert(0);
        if *uses >= self.max {
            return None;
        }
        *uses = uses.saturating_add(1);
        drop(all);
        Some(Share {
            of: Some((self.clone(), client)),
        })
    }

    /// Returns the counts. They are whole after any panic.
    fn lock(&self) -> MutexGuard<'_, HashMap<Client, usize>> {
        self.uses.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Share {
    /// Returns a use that is not counted.
    pub(crate) fn unlimited() -> Self {
        Self { of: None }
    }
}

impl Drop for Share {
    fn drop(&mut self) {
        let Some((shares, client)) = &self.of else {
            return;
        };
        if let Entry::Occupied(mut entry) = shares.lock().entry(*client) {
            let rest = entry.get().saturating_sub(1);
            if rest == 0 {
                entry.remove();
            } else {
                entry.insert(rest);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Client, Shares};
    use std::net::IpAddr;

    #[test]
    fn a_client_has_up_to_the_limit_at_once() {
        let client = |last| Client::of(IpAddr::from([192, 0, 2, last]));
        let shares = Shares::new(2);
        let first = shares.add(client(1)).unwrap();
        let second = shares.add(client(1)).unwrap();
        assert!(shares.add(client(1)).is_none());
        assert!(shares.add(client(2)).is_some());
        drop(first);
        let third = shares.add(client(1)).unwrap();
        assert!(shares.add(client(1)).is_none());
        drop((second, third));
        assert!(shares.lock().is_empty());
    }

    #[test]
    fn zero_is_no_limit() {
        let shares = Shares::new(0);
        let client = Client::of(IpAddr::from([192, 0, 2, 1]));
        let uses: Vec<_> = (0..1000).map(|_| shares.add(client)).collect();
        assert!(uses.iter().all(Option::is_some));
    }
}
