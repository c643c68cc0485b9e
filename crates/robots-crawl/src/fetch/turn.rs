//! Turns: a limit on simultaneous requests in total, and one for each address.
//!
//! Many names may have one address: those of a hosting provider, for example. A request counts at every permitted address of
//! its host, as the connection may be to any of them. So no address ever has more than its limit.
//!
//! A request that waits for an address does not hold a permit of the total limit, so that requests to other addresses
//! continue. It waits for its addresses in ascending order, so that no two requests wait for each other.
//!
//! A redirect to the same address keeps the turn of the request before it. Otherwise it would wait behind all fetches that have not
//! begun, and a queue of sites that redirect (`http:` to `https:`, for example) would end no fetch before it has begun them all.
//!
//! A fetcher alone has as many waiting requests as its caller makes. Who makes requests for others limits the queue of an address
//! and the wait ([`TurnLimits`]).

use super::Shared;
use super::client::Client;
use super::fault::FetchFault;
use crate::sync::{InUse, lock};
use std::net::IpAddr;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::Instant;
use url::Url;

/// The limits of the wait for turns.
#[derive(Debug, Clone, Copy)]
pub(crate) struct TurnLimits {
    /// The longest wait of a fetch for all its turns.
    pub(crate) wait: Duration,
    /// The maximum number of requests that wait for an address.
    pub(crate) waiting_per_address: usize,
}

impl TurnLimits {
    pub(super) const NONE: Self = Self {
        wait: Duration::MAX,
        waiting_per_address: usize::MAX,
    };

    /// Waits for permits, up to the longest wait, and adds the time to `waited`.
    async fn within<T>(
        &self,
        waited: &mut Duration,
        permits: impl Future<Output = T>,
    ) -> Result<T, FetchFault> {
        let started = Instant::now();
        let left = self.wait.saturating_sub(*waited);
        let permits = tokio::time::timeout(left, permits).await;
        *waited += started.elapsed();
        permits.map_err(|_| FetchFault::NoTurn)
    }
}

/// The permission to make one request. Dropping it ends the turn.
#[derive(Debug)]
pub(super) struct Turn {
    /// The client for this request. It connects to the permitted addresses of the host alone.
    pub(super) client: Client,
    at_addresses: Vec<AddressPermit>,
    in_total: Option<OwnedSemaphorePermit>,
}

impl Shared {
    /// Waits for a turn to request a URL, and resolves its host. `limit` is the time left for the whole fetch. The
    /// connect timeout also limits resolving. Adds the time of waiting for the turn to `waited`: only `limits` counts it. `before` is
    /// the turn of the request that redirected to this URL, which is kept if the address is the same.
    pub(super) async fn turn(
        &self,
        url: &Url,
        limit: Duration,
        limits: TurnLimits,
        waited: &mut Duration,
        before: Option<Turn>,
    ) -> Result<Turn, FetchFault> {
        let (held, mut in_total) = if let Some(turn) = before {
            (turn.at_addresses, turn.in_total)
        } else {
            let in_total = limits.within(waited, self.total_permit()).await?;
            (Vec::new(), in_total)
        };
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
        // Others are free again, so that no request waits for an address while it holds another one.
        let kept = AddressLimit::keep(held, &addresses);
        let kept = kept.or_else(|| self.per_address.try_acquire(&addresses));
        let at_addresses = if let Some(permits) = kept {
            permits
        } else {
            drop(in_total);
            let places = self
                .per_address
                .queue(&addresses, limits.waiting_per_address)?;
            let permits = limits.within(waited, AddressLimit::wait(places)).await?;
            in_total = limits.within(waited, self.total_permit()).await?;
            permits
        };
        Ok(Turn {
            client: Client {
                headers: self.headers.clone(),
                tls: Arc::clone(&self.tls),
                addresses,
                connect,
            },
            at_addresses,
            in_total,
        })
    }

    /// Waits for a permit of the total limit.
    async fn total_permit(&self) -> Option<OwnedSemaphorePermit> {
        // `acquire_owned` fails only for a closed semaphore, and this one is never closed.
        Arc::clone(&self.permits).acquire_owned().await.ok()
    }
}

/// The limit of simultaneous requests to one address.
#[derive(Debug)]
pub(super) struct AddressLimit {
    /// The maximum number of simultaneous requests to one address.
    requests: usize,
    /// The permits of the addresses that have a request, or for which one waits.
    busy: Mutex<InUse<IpAddr, Permits>>,
}

/// The permits for requests to one address.
#[derive(Debug)]
struct Permits(Arc<Semaphore>);

/// A place in the queue of an address. From its turn on it has the permit to make a request to this address.
#[derive(Debug)]
struct AddressPermit {
    address: IpAddr,
    /// `None` while the request waits. Dropped first: the next request after the last one has new permits.
    permit: Option<OwnedSemaphorePermit>,
    permits: Arc<Permits>,
}

impl AddressLimit {
    pub(super) fn new(requests: usize) -> Self {
        Self {
            requests: requests.clamp(1, Semaphore::MAX_PERMITS),
            busy: Mutex::default(),
        }
    }

    /// Returns permits for all addresses, if none of them is at its limit.
    fn try_acquire(&self, addresses: &[IpAddr]) -> Option<Vec<AddressPermit>> {
        let mut places = self.places(addresses, usize::MAX)?;
        for place in &mut places {
            place.permit = Some(Arc::clone(&place.permits.0).try_acquire_owned().ok()?);
        }
        Some(places)
    }

    /// Returns the held permits for these addresses, if there is one for each of them.
    fn keep(mut held: Vec<AddressPermit>, addresses: &[IpAddr]) -> Option<Vec<AddressPermit>> {
        let addresses = distinct(addresses);
        held.retain(|permit| addresses.contains(&permit.address));
        (held.len() == addresses.len()).then_some(held)
    }

    /// Returns a place in the queue of each address, unless as many wait for one of them.
    fn queue(
        &self,
        addresses: &[IpAddr],
        waiting: usize,
    ) -> Result<Vec<AddressPermit>, FetchFault> {
        let users = self.requests.saturating_add(waiting);
        self.places(addresses, users).ok_or(FetchFault::NoTurn)
    }

    /// Waits until all places have their permits.
    async fn wait(mut places: Vec<AddressPermit>) -> Vec<AddressPermit> {
        for place in &mut places {
            place.permit = Arc::clone(&place.permits.0).acquire_owned().await.ok();
        }
        places
    }

    /// Returns a place in the queue of each address, in ascending order of the addresses; `None` if one of them has this many
    /// users.
    fn places(&self, addresses: &[IpAddr], max_users: usize) -> Option<Vec<AddressPermit>> {
        let addresses = distinct(addresses);
        let mut busy = lock(&self.busy);
        if addresses
            .iter()
            .any(|address| busy.users(address) >= max_users)
        {
            return None;
        }
        let place = |address| AddressPermit {
            address,
            permit: None,
            permits: busy.of(&address, || {
                Permits(Arc::new(Semaphore::new(self.requests)))
            }),
        };
        Some(addresses.into_iter().map(place).collect())
    }
}

/// Returns each address once, in ascending order.
fn distinct(addresses: &[IpAddr]) -> Vec<IpAddr> {
    let mut addresses: Vec<IpAddr> = addresses.iter().map(IpAddr::to_canonical).collect();
    addresses.sort_unstable();
    addresses.dedup();
    addresses
}

#[cfg(test)]
mod tests {
    use super::*;

    impl AddressLimit {
        /// Returns the number of requests that have a permit for one of these addresses or wait for one.
        fn users(&self, addresses: &[IpAddr]) -> usize {
            let busy = lock(&self.busy);
            addresses.iter().map(|address| busy.users(address)).sum()
        }
    }

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
        assert_eq!(limit.users(&[a, b]), 0);
    }

    #[tokio::test]
    async fn a_request_that_gives_up_waiting_leaves_its_place() {
        let limit = AddressLimit::new(1);
        let held = limit.try_acquire(&[address(1)]).unwrap();
        {
            let addresses = [address(1), address(2)];
            let waiting = AddressLimit::wait(limit.queue(&addresses, 1).unwrap());
            // Those that have left do not count.
            assert!(limit.queue(&addresses[..1], 1).is_err());
            let wait = Duration::from_millis(10);
            assert!(tokio::time::timeout(wait, waiting).await.is_err());
        }
        assert_eq!(limit.users(&[address(1), address(2)]), 1);
        drop(held);
        assert_eq!(limit.users(&[address(1)]), 0);
        let places = limit.queue(&[address(1)], 0).unwrap();
        assert_eq!(AddressLimit::wait(places).await.len(), 1);
    }

    #[test]
    fn a_queue_is_limited() {
        let limit = AddressLimit::new(2);
        let (a, b) = (address(1), address(2));
        let mut places = vec![limit.try_acquire(&[a]), limit.try_acquire(&[a])];
        for waiting in 0..3 {
            let is_refused = |result: &Result<_, _>| matches!(result, Err(FetchFault::NoTurn));
            assert!(is_refused(&limit.queue(&[a], waiting)), "{waiting}");
            assert!(is_refused(&limit.queue(&[b, a], waiting)), "{waiting}");
            // The other address was not counted.
            assert_eq!(limit.users(&[b]), waiting);
            places.push(limit.queue(&[b, a], waiting + 1).ok());
            assert!(places.last().unwrap().is_some(), "{waiting}");
        }
        drop(places);
        assert_eq!(limit.users(&[a, b]), 0);
    }

    #[test]
    fn permits_are_kept_for_the_same_addresses() {
        let limit = AddressLimit::new(1);
        let (a, b) = (address(1), address(2));
        let held = limit.try_acquire(&[b, a]).unwrap();
        let held = AddressLimit::keep(held, &[a, b, a]).unwrap();
        // The other one is free again.
        let held = AddressLimit::keep(held, &[b]).unwrap();
        let other = limit.try_acquire(&[a]).unwrap();
        assert!(limit.try_acquire(&[b]).is_none());
        assert!(AddressLimit::keep(held, &[a, b]).is_none());
        assert!(limit.try_acquire(&[b]).is_some());
        drop(other);
        assert_eq!(limit.users(&[a, b]), 0);
    }

    #[test]
    fn a_limit_is_at_least_one() {
        let limit = AddressLimit::new(0);
        let _held = limit.try_acquire(&[address(1)]).unwrap();
        assert!(limit.try_acquire(&[address(1)]).is_none());
    }
}
