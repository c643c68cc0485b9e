//! Turns: a limit on simultaneous requests in total, and one for each address.
//!
//! Many names may have one address: those of a hosting provider, for example. A request counts at every permitted address of
//! its host, as the connection may be to any of them. So no address ever has more than its limit.
//!
//! A request that waits for an address does not hold a permit of the total limit, so that requests to other addresses
//! continue. It waits for its addresses in ascending order, so that no two requests wait for each other.

use super::Shared;
use super::fault::FetchFault;
use http::Uri;
use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::Instant;
use url::Url;

/// The permission to make one request. Dropping it ends the turn.
#[derive(Debug)]
pub(super) struct Turn {
    /// The client for this request. It connects to the permitted addresses of the host alone.
    pub(super) client: reqwest::Client,
    _at_addresses: Vec<AddressPermit>,
    _in_total: Option<OwnedSemaphorePermit>,
}

impl Shared {
    /// Waits for a turn to request a URL, and resolves its host. `limit` is the time left for the whole fetch. The
    /// connect timeout also limits resolving. Adds the time of waiting for the turn to `waited`, as no timeout counts it.
    pub(super) async fn turn(
        &self,
        url: &Url,
        limit: Duration,
        waited: &mut Duration,
    ) -> Result<Turn, FetchFault> {
        if Uri::try_from(url.as_str()).is_err() {
            // The URL parser accepts URLs that the HTTP client refuses, such as one of over 64 KiB.
            return Err(FetchFault::BadUrl(url.to_string()));
        }
        let mut in_total = self.total_permit(waited).await;
        let connect = self.limits.connect.min(limit);
        let started = Instant::now();
        let resolved = tokio::time::timeout(connect, self.addresses.resolve(url)).await;
        let addresses = match resolved {
            Ok(addresses) => addresses?,
            // Of the two limits, the time left for the whole fetch was the shorter.
            Err(_) if limit <= self.limits.connect => return Err(FetchFault::Timeout),
            Err(_) => return Err(FetchFault::ConnectTimeout),
        };
        let connect = connect.saturating_sub(started.elapsed());
        let at_addresses = if let Some(permits) = self.per_address.try_acquire(&addresses) {
            permits
        } else {
            drop(in_total);
            let started = Instant::now();
            let permits = self.per_address.acquire(&addresses).await;
            *waited = waited.saturating_add(started.elapsed());
            in_total = self.total_permit(waited).await;
            permits
        };
        Ok(Turn {
            client: self
                .options
                .client(addresses, connect)
                .map_err(|error| FetchFault::of_client(&error))?,
            _at_addresses: at_addresses,
            _in_total: in_total,
        })
    }

    /// Waits for a permit of the total limit.
    async fn total_permit(&self, waited: &mut Duration) -> Option<OwnedSemaphorePermit> {
        let started = Instant::now();
        // `acquire_owned` fails only for a closed semaphore, and this one is never closed.
        let permit = Arc::clone(&self.permits).acquire_owned().await.ok();
        *waited = waited.saturating_add(started.elapsed());
        permit
    }
}

/// The limit of simultaneous requests to one address. Cheap to clone; clones share it.
#[derive(Debug, Clone)]
pub(super) struct AddressLimit {
    /// The maximum number of simultaneous requests to one address.
    requests: usize,
    /// The addresses that have a request, or for which one waits.
    busy: Arc<Mutex<HashMap<IpAddr, Busy>>>,
}

#[derive(Debug)]
struct Busy {
    permits: Arc<Semaphore>,
    /// The number of requests that have a permit or wait for one.
    users: usize,
}

/// A place in the queue of an address. From its turn on it has the permit to make a request to this address.
#[derive(Debug)]
struct AddressPermit {
    limit: AddressLimit,
    address: IpAddr,
    permits: Arc<Semaphore>,
    /// `None` while the request waits.
    permit: Option<OwnedSemaphorePermit>,
}

impl AddressLimit {
    pub(super) fn new(requests: usize) -> Self {
        Self {
            requests: requests.clamp(1, Semaphore::MAX_PERMITS),
            busy: Arc::default(),
        }
    }

    /// Returns permits for all addresses, if none of them is at its limit.
    fn try_acquire(&self, addresses: &[IpAddr]) -> Option<Vec<AddressPermit>> {
        let mut places = self.places(addresses);
        for place in &mut places {
            place.permit = Some(Arc::clone(&place.permits).try_acquire_owned().ok()?);
        }
        Some(places)
    }

    /// Waits for permits for all addresses.
    async fn acquire(&self, addresses: &[IpAddr]) -> Vec<AddressPermit> {
        let mut places = self.places(addresses);
        for place in &mut places {
            place.permit = Arc::clone(&place.permits).acquire_owned().await.ok();
        }
        places
    }

    /// Returns a place in the queue of each address, in ascending order of the addresses.
    fn places(&self, addresses: &[IpAddr]) -> Vec<AddressPermit> {
        let mut addresses: Vec<IpAddr> = addresses.iter().map(IpAddr::to_canonical).collect();
        addresses.sort_unstable();
        addresses.dedup();
        let mut busy = self.busy();
        let place = |address| {
            let entry = busy.entry(address).or_insert_with(|| Busy {
                permits: Arc::new(Semaphore::new(self.requests)),
                users: 0,
            });
            entry.users = entry.users.saturating_add(1);
            AddressPermit {
                limit: self.clone(),
                address,
                permits: Arc::clone(&entry.permits),
                permit: None,
            }
        };
        addresses.into_iter().map(place).collect()
    }

    fn busy(&self) -> MutexGuard<'_, HashMap<IpAddr, Busy>> {
        // A panic cannot leave the map half changed, so a poisoned lock is used as usual.
        self.busy.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for AddressPermit {
    fn drop(&mut self) {
        // The permit goes first: once the entry is removed, the next request makes a new semaphore with all permits.
        self.permit = None;
        let mut busy = self.limit.busy();
        if let Some(entry) = busy.get_mut(&self.address) {
            entry.users = entry.users.saturating_sub(1);
            if entry.users == 0 {
                busy.remove(&self.address);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn address(last: u8) -> IpAddr {
        IpAddr::from([192, 0, 2, last])
    }

    #[test]
    fn each_address_has_its_limit() {
        let limit = AddressLimit::new(2);
        let (a, b) = (address(1), address(2));
        let first = limit.try_acquire(&[a]).unwrap();
        let second = limit.try_acquire(&[b, a, b]).unwrap();
        assert!(limit.try_acquire(&[a]).is_none());
        // An address of IPv4 in IPv6 is the same.
        let IpAddr::V4(a4) = a else { panic!() };
        assert!(limit.try_acquire(&[a4.to_ipv6_mapped().into()]).is_none());
        // A failed attempt holds nothing.
        assert!(limit.try_acquire(&[b, a]).is_none());
        let third = limit.try_acquire(&[b]).unwrap();
        assert!(limit.try_acquire(&[b]).is_none());
        drop((first, second));
        assert!(limit.try_acquire(&[a, b]).is_some());
        drop(third);
        assert!(limit.busy().is_empty());
    }

    #[tokio::test]
    async fn a_request_that_gives_up_waiting_leaves_its_place() {
        let limit = AddressLimit::new(1);
        let held = limit.try_acquire(&[address(1)]).unwrap();
        {
            let addresses = [address(1), address(2)];
            let waiting = limit.acquire(&addresses);
            let wait = Duration::from_millis(10);
            assert!(tokio::time::timeout(wait, waiting).await.is_err());
        }
        assert_eq!(limit.busy().len(), 1);
        drop(held);
        assert!(limit.busy().is_empty());
        assert_eq!(limit.acquire(&[address(1)]).await.len(), 1);
    }

    #[test]
    fn a_limit_is_at_least_one() {
        let limit = AddressLimit::new(0);
        let _held = limit.try_acquire(&[address(1)]).unwrap();
        assert!(limit.try_acquire(&[address(1)]).is_none());
    }
}
