//! A part of a whole, and its confidence interval.

use serde::Serialize;

/// Returns a share from 0 to 1; 0 if the whole is 0.
pub(crate) fn fraction(part: u64, whole: u64) -> f64 {
    if whole == 0 {
        0.0
    } else {
        float(part) / float(whole)
    }
}

/// A part of some requests, with its share from 0 to 1 and the 95 % confidence interval of the share, if the data are a fair sample:
/// Wilson's score interval (E. B. Wilson 1927), which also holds for small and for extreme numbers. It is from 0 to 1 without any
/// request.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub(crate) struct Share {
    pub(crate) requests: u64,
    pub(crate) ratio: f64,
    pub(crate) low: f64,
    pub(crate) high: f64,
}

impl Share {
    pub(crate) fn of(part: u64, whole: u64) -> Self {
        /// The 97.5th percentile of the normal distribution.
        const Z: f64 = 1.959_964;
        let (count, ratio) = (float(whole), fraction(part, whole));
        let scale = 1.0 + Z * Z / count;
        let middle = ratio + Z * Z / (2.0 * count);
        let spread = Z * (ratio * (1.0 - ratio) / count + Z * Z / (4.0 * count * count)).sqrt();
        // A share of 0 or 1 is an end of its interval; rounding could miss it.
        let low = match part {
            0 => 0.0,
            _ => ((middle - spread) / scale).max(0.0),
        };
        let high = match part {
            part if part == whole => 1.0,
            _ => ((middle + spread) / scale).min(1.0),
        };
        Self {
            requests: part,
            ratio,
            low,
            high,
        }
    }
}

/// Returns a count as a number for shares and charts.
#[expect(
    clippy::cast_precision_loss,
    reason = "a share is shown to a thousandth, and a position in a chart is no more exact"
)]
pub(crate) fn float(number: u64) -> f64 {
    number as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn intervals_are_wilsons() {
        // Computed from the formula, independently of this code.
        for (part, whole, low, high) in [
            (0, 10, 0.0, 0.277_5),
            (1, 10, 0.017_9, 0.404_2),
            (5, 10, 0.236_6, 0.763_4),
            (10, 10, 0.722_5, 1.0),
            (50, 1_000, 0.038_1, 0.065_3),
        ] {
            let interval = Share::of(part, whole);
            assert!((interval.low - low).abs() < 1e-4, "{part}: {interval:?}");
            assert!((interval.high - high).abs() < 1e-4, "{part}: {interval:?}");
        }
        let nothing = Share::of(0, 0);
        let ends = [nothing.ratio, nothing.low, nothing.high];
        assert!(
            ends.iter()
                .zip([0.0, 0.0, 1.0])
                .all(|(end, expected)| (end - expected).abs() < 1e-9)
        );
    }
}
