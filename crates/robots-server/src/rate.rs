//! The rate of requests of each client, by the generic cell rate algorithm (ITU-T I.371, annex A): a request is within the rate
//! if it does not come earlier than the burst allows before its time in an even flow.

use crate::client::Client;
use crate::config::Limits;
use std::hash::{BuildHasher, RandomState};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// The number of rates: 1 MiB of them.
const RATES: u32 = 1 << 17;

/// The rates of clients. Clients are divided among a fixed number of rates by a hash with a secret of this process: so memory is
/// bounded whatever clients come, and none can choose to share the rate of another.
#[derive(Debug)]
pub(crate) struct Rates {
    /// The time of the next request in an even flow, for each rate, in nanoseconds since the start. Without a rate, there are none.
    next: Vec<AtomicU64>,
    /// The nanoseconds from one request to the next in an even flow.
    interval: u64,
    /// The nanoseconds that a request may come before its time.
    tolerance: u64,
    start: Instant,
    secret: RandomState,
}

impl Rates {
    pub(crate) fn new(limits: &Limits) -> Self {
        Self::of(limits, RATES)
    }

    fn of(limits: &Limits, rates: u32) -> Self {
        let interval = 1_000_000_000_u64.checked_div(limits.rate_per_client as u64);
        let rates = interval.map_or(0, |_| rates);
        let interval = interval.unwrap_or(0);
        let early = limits.burst_per_client as u64 - 1;
        Self {
            next: (0..rates).map(|_| AtomicU64::new(0)).collect(),
            interval,
            // A setting may have any number.
            tolerance: interval.saturating_mul(early),
            start: Instant::now(),
            secret: RandomState::new(),
        }
    }

    /// Counts a request. The error is the time until the next request of the client is within its rate.
    pub(crate) fn add(&self, client: Client) -> Result<(), Duration> {
        let now = self.start.elapsed().as_nanos();
        // Five centuries after the start, time stands still.
        self.add_at(client, u64::try_from(now).unwrap_or(u64::MAX))
    }

    /// Counts a request at a time, in nanoseconds since the start.
    fn add_at(&self, client: Client, now: u64) -> Result<(), Duration> {
        let Some(next) = self.rate_of(client) else {
            return Ok(());
        };
        let update = |next: u64| {
            let is_early = next > now.saturating_add(self.tolerance);
            (!is_early).then(|| next.max(now).saturating_add(self.interval))
        };
        let updated = next.fetch_update(Ordering::Relaxed, Ordering::Relaxed, update);
        updated
            .map(|_| ())
            .map_err(|next| Duration::from_nanos(next - self.tolerance - now))
    }

    /// Returns the rate of a client; `None` if rates are not limited.
    fn rate_of(&self, client: Client) -> Option<&AtomicU64> {
        let index = self.secret.hash_one(client) % u64::from(RATES);
        let index = usize::try_from(index).ok()?.checked_rem(self.next.len())?;
        self.next.get(index)
    }
}

#[cfg(test)]
mod tests {
    use super::{Client, Rates};
    use crate::config::Limits;
    use std::net::{IpAddr, Ipv4Addr};
    use std::ptr;
    use std::time::Duration;

    const SECOND: u64 = 1_000_000_000;

    fn client(number: u32) -> Client {
        Client::of(IpAddr::V4(Ipv4Addr::from(number)))
    }

    fn rates(rate: usize, burst: usize, rates: u32) -> Rates {
        let limits = Limits {
            rate_per_client: rate,
            burst_per_client: burst,
            ..Limits::default()
        };
        Rates::of(&limits, rates)
    }

    /// Returns whether a request at a time is within the rate.
    fn is_within(rates: &Rates, number: u32, time: u64) -> bool {
        rates.add_at(client(number), time).is_ok()
    }

    #[test]
    fn a_client_has_a_burst_and_then_its_rate() {
        let rates = rates(2, 3, 1000);
        let at = |time| is_within(&rates, 1, time);
        assert_eq!([0, 0, 0, 0].map(at), [true, true, true, false]);
        let pause = rates.add_at(client(1), SECOND / 4).unwrap_err();
        assert_eq!(pause, Duration::from_millis(250));
        // Two a second; a request that was refused does not count.
        assert_eq!(
            [SECOND / 2 - 1, SECOND / 2, SECOND / 2].map(at),
            [false, true, false]
        );
        assert_eq!([SECOND, SECOND].map(at), [true, false]);
        // After a pause, there is the whole burst again, and no more.
        let later = 100 * SECOND;
        assert_eq!([later; 4].map(at), [true, true, true, false]);
    }

    #[test]
    fn each_client_has_a_burst_of_its_own() {
        let rates = rates(1, 3, 1000);
        let of = |number| rates.rate_of(client(number)).unwrap();
        let other = (2..100)
            .find(|number| !ptr::eq(of(*number), of(1)))
            .unwrap();
        for number in [1, other] {
            let found = [0; 4].map(|time| is_within(&rates, number, time));
            assert_eq!(found, [true, true, true, false], "{number}");
        }
    }

    #[test]
    fn any_number_of_clients_has_a_fixed_number_of_rates() {
        let rates = rates(1, 3, 2);
        let allowed = (0..1000).filter(|number| is_within(&rates, *number, 0));
        assert_eq!(allowed.count(), 6);
    }

    #[test]
    fn zero_is_no_limit() {
        let rates = rates(0, 1, 1);
        assert!((0..10_000).all(|_| rates.add(client(1)).is_ok()));
    }
}
