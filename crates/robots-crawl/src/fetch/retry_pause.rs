//! The pause before a retry.

use std::hash::{BuildHasher, RandomState};
use std::time::Duration;

/// The maximum pause before the first retry, in milliseconds. It doubles with each further retry.
const FIRST_MS: u64 = 500;

/// The maximum pause before any retry, in milliseconds.
const LONGEST_MS: u64 = 10_000;

/// Returns the pause after this number of failed attempts. It is random, from half of the maximum to the maximum. So
/// clients that failed together do not retry together.
pub(super) fn retry_pause(attempts: u32) -> Duration {
    let doubled = 2_u64.saturating_pow(attempts.saturating_sub(1));
    let longest = FIRST_MS.saturating_mul(doubled).min(LONGEST_MS);
    let half = longest / 2;
    // Each `RandomState` has different keys, so the hash is a random number.
    let drawn = RandomState::new().hash_one(attempts);
    let jitter = drawn.checked_rem(half.saturating_add(1)).unwrap_or(0);
    Duration::from_millis(half.saturating_add(jitter))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn pauses_double_up_to_a_limit() {
        for (attempts, longest) in [
            (0, 500),
            (1, 500),
            (2, 1_000),
            (3, 2_000),
            (5, 8_000),
            (6, 10_000),
            (64, 10_000),
            (u32::MAX, 10_000),
        ] {
            let drawn: BTreeSet<Duration> = (0..64).map(|_| retry_pause(attempts)).collect();
            let within = Duration::from_millis(longest / 2)..=Duration::from_millis(longest);
            assert!(
                drawn.iter().all(|pause| within.contains(pause)),
                "{drawn:?}"
            );
            assert!(drawn.len() > 1, "no jitter after {attempts}");
        }
    }
}
