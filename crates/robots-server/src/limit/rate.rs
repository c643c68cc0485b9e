//! The rate of requests of each client.

use super::client::Client;
use crate::config::Limits;
use governor::clock::{Clock, DefaultClock};
use governor::{DefaultKeyedRateLimiter, Quota, RateLimiter};
use std::hash::{BuildHasher, RandomState};
use std::num::NonZeroU32;
use std::time::Duration;

/// The rates of clients. Clients are divided among a fixed number of rates by a hash with a secret of this process: so memory is
/// bounded whatever clients come, and none can choose to share the rate of another.
#[derive(Debug)]
pub(crate) struct Rates {
    limiter: Option<DefaultKeyedRateLimiter<u64>>,
    clock: DefaultClock,
    buckets: u64,
    secret: RandomState,
}

impl Rates {
    pub(crate) fn new(limits: &Limits) -> Self {
        let number = |number: usize| NonZeroU32::new(u32::try_from(number).unwrap_or(u32::MAX));
        let quota = number(limits.rate_per_client)
            .zip(number(limits.burst_per_client))
            .map(|(rate, burst)| Quota::per_second(rate).allow_burst(burst));
        Self {
            limiter: quota.map(RateLimiter::keyed),
            clock: DefaultClock::default(),
            buckets: limits.rates.max(1) as u64,
            secret: RandomState::new(),
        }
    }

    /// Counts a request. The error is the time until the next request of the client is within its rate.
    pub(crate) fn add(&self, client: Client) -> Result<(), Duration> {
        let Some(limiter) = &self.limiter else {
            return Ok(());
        };
        let key = self.secret.hash_one(client).checked_rem(self.buckets);
        limiter
            .check_key(&key.unwrap_or_default())
            .map_err(|not_until| not_until.wait_time_from(self.clock.now()))
    }
}

#[cfg(test)]
mod tests {
    use super::{Client, Rates};
    use crate::config::Limits;
    use std::net::{IpAddr, Ipv4Addr};
    use std::time::Duration;

    fn client(number: u32) -> Client {
        Client::of(IpAddr::V4(Ipv4Addr::from(number)))
    }

    fn limits(rate: usize, burst: usize, rates: usize) -> Limits {
        Limits {
            rate_per_client: rate,
            burst_per_client: burst,
            rates,
            ..Limits::default()
        }
    }

    #[test]
    fn each_client_has_a_burst_of_its_own() {
        // Two of three clients in one of so many rates would be an accident of 1 in 10^9.
        let rates = Rates::new(&limits(1, 3, 3_000_000_000));
        for number in 0..3 {
            for _ in 0..3 {
                assert_eq!(rates.add(client(number)), Ok(()));
            }
            let pause = rates.add(client(number)).unwrap_err();
            assert!(pause <= Duration::from_secs(1), "{pause:?}");
        }
    }

    #[test]
    fn any_number_of_clients_has_a_fixed_number_of_rates() {
        let rates = Rates::new(&limits(1, 3, 2));
        let allowed = (0..1000).filter(|number| rates.add(client(*number)).is_ok());
        assert_eq!(allowed.count(), 6);
        assert_eq!(rates.limiter.as_ref().unwrap().len(), 2);
    }

    #[test]
    fn zero_is_no_limit() {
        let rates = Rates::new(&limits(0, 0, 1));
        assert!((0..10_000).all(|number| rates.add(client(number)).is_ok()));
    }
}
