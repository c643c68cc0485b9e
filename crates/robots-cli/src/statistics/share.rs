//! A part of a whole, and how sure it is.

use serde::{Deserialize, Serialize};

/// A share in percent.
pub(crate) fn share(part: u64, whole: u64) -> String {
    format!("{:.1}%", fraction(part, whole) * 100.0)
}

/// A share from 0 to 1; of nothing, 0.
pub(crate) fn fraction(part: u64, whole: u64) -> f64 {
    if whole == 0 {
        0.0
    } else {
        float(part) / float(whole)
    }
}

/// Between which shares a true share lies with 95 % certainty, if those that were seen are a fair
/// sample: Wilson's score interval (E. B. Wilson 1927), which holds for few and for extreme numbers too. Of nothing,
/// everything is possible.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub(crate) struct Interval {
    pub(crate) low: f64,
    pub(crate) high: f64,
}

impl Interval {
    pub(crate) fn of(part: u64, whole: u64) -> Self {
        /// The 97.5th percentile of the normal distribution.
        const Z: f64 = 1.959_964;
        if whole == 0 {
            return Self {
                low: 0.0,
                high: 1.0,
            };
        }
        let (count, seen) = (float(whole), fraction(part, whole));
        let scale = 1.0 + Z * Z / count;
        let middle = seen + Z * Z / (2.0 * count);
        let spread = Z * (seen * (1.0 - seen) / count + Z * Z / (4.0 * count * count)).sqrt();
        // Where nothing or everything was seen, it ends there: but for rounding.
        let low = if part == 0 {
            0.0
        } else {
            (middle - spread) / scale
        };
        let high = if part == whole {
            1.0
        } else {
            (middle + spread) / scale
        };
        Self {
            low: low.clamp(0.0, 1.0),
            high: high.clamp(0.0, 1.0),
        }
    }
}

#[expect(
    clippy::cast_precision_loss,
    reason = "a share is shown to a thousandth"
)]
fn float(number: u64) -> f64 {
    number as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn intervals_are_wilsons() {
        // Worked out apart from this code, from the formula.
        for (part, whole, low, high) in [
            (0, 10, 0.0, 0.277_5),
            (1, 10, 0.017_9, 0.404_2),
            (5, 10, 0.236_6, 0.763_4),
            (10, 10, 0.722_5, 1.0),
            (50, 1_000, 0.038_1, 0.065_3),
        ] {
            let interval = Interval::of(part, whole);
            assert!((interval.low - low).abs() < 1e-4, "{part}: {interval:?}");
            assert!((interval.high - high).abs() < 1e-4, "{part}: {interval:?}");
        }
        assert_eq!(
            Interval::of(0, 0),
            Interval {
                low: 0.0,
                high: 1.0
            }
        );
        assert_eq!(share(1, 3), "33.3%");
        assert_eq!(share(0, 0), "0.0%");
    }
}
