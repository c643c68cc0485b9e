//! Axes with round numbers.

use super::number;

/// The maximum number of intervals between the ticks of an axis. Two charts side by side have room for five numbers each.
const MAX_INTERVALS: f64 = 4.0;

/// The unit of the values on an axis.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Unit {
    /// Whole things, such as requests.
    Count,
    /// Shares from 0 to 1, shown in percent.
    Share,
    /// Bytes, shown in decimal units.
    Bytes,
}

/// An axis from 0 to a round number. Charts that are compared have the same axis.
#[derive(Debug, Clone, Copy)]
pub(super) struct Axis {
    unit: Unit,
    /// The distance between two ticks, in the unit as it is shown: percent for shares.
    step: f64,
    intervals: u8,
}

impl Axis {
    /// Returns the shortest axis with all these values, among those with a tick at each multiple of 1, 2 or 5 times a power of 10.
    pub(super) fn new(unit: Unit, values: impl IntoIterator<Item = f64>) -> Self {
        let largest = values.into_iter().fold(0.0, f64::max);
        let largest = if unit == Unit::Share {
            largest.min(1.0) * 100.0
        } else {
            largest
        };
        // A count has no tick between two whole numbers. A share below 0.01 % has no axis of its own.
        let smallest = if unit == Unit::Share { 0.01 } else { 1.0 };
        let rough = (largest / MAX_INTERVALS).max(smallest);
        let power = 10_f64.powf(rough.log10().floor());
        // Rounding may put a step slightly below the multiple that it is.
        let step = [1.0, 2.0, 5.0, 10.0]
            .map(|multiple| multiple * power)
            .into_iter()
            .find(|step| *step >= rough * (1.0 - 1e-9))
            .unwrap_or(rough);
        let intervals = (largest / step - 1e-9).ceil().clamp(1.0, MAX_INTERVALS);
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "from 1 to 4"
        )]
        let intervals = intervals as u8;
        Self {
            unit,
            step,
            intervals,
        }
    }

    /// Returns the position of a value on the axis, in percent of its length.
    pub(super) fn position(&self, value: f64) -> f64 {
        let shown = if self.unit == Unit::Share {
            value * 100.0
        } else {
            value
        };
        (shown / (self.step * f64::from(self.intervals)) * 100.0).clamp(0.0, 100.0)
    }

    /// Returns the ticks: their positions in percent of the length of the axis, and their numbers.
    pub(super) fn ticks(&self) -> impl Iterator<Item = (f64, String)> {
        (0..=self.intervals).map(|tick| {
            let value = self.step * f64::from(tick);
            let position = f64::from(tick) / f64::from(self.intervals) * 100.0;
            (position, self.text(value))
        })
    }

    fn text(&self, value: f64) -> String {
        match self.unit {
            // A longer number would touch the next.
            Unit::Count if self.step >= 1e6 && value > 0.0 => {
                format!("{}M", number::decimal(value / 1e6))
            }
            Unit::Count => number::decimal(value),
            Unit::Bytes => number::bytes(value),
            Unit::Share if value <= 0.0 => "0%".to_owned(),
            Unit::Share if self.step < 0.1 => format!("{value:.2}%"),
            Unit::Share if self.step < 1.0 => format!("{value:.1}%"),
            Unit::Share => format!("{value:.0}%"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbers(unit: Unit, largest: f64) -> Vec<String> {
        Axis::new(unit, [0.0, largest])
            .ticks()
            .map(|(_, text)| text)
            .collect()
    }

    #[test]
    fn ticks_are_round_numbers() {
        for (unit, largest, texts) in [
            (Unit::Count, 0.0, "0 1"),
            (Unit::Count, 3.0, "0 1 2 3"),
            (Unit::Count, 981.0, "0 500 1,000"),
            (Unit::Count, 1_000.0, "0 500 1,000"),
            (Unit::Count, 1_001.0, "0 500 1,000 1,500"),
            (Unit::Count, 30_000.0, "0 10,000 20,000 30,000"),
            (Unit::Count, 3_900_000.0, "0 1M 2M 3M 4M"),
            (Unit::Share, 0.0, "0% 0.01%"),
            (Unit::Share, 0.052, "0% 2% 4% 6%"),
            (Unit::Share, 0.004, "0% 0.1% 0.2% 0.3% 0.4%"),
            (Unit::Share, 0.269, "0% 10% 20% 30%"),
            (Unit::Share, 1.0, "0% 50% 100%"),
            (Unit::Share, 7.0, "0% 50% 100%"),
            (Unit::Bytes, 1_352_658_556.0, "0 B|500 MB|1 GB|1.5 GB"),
        ] {
            let separator = if unit == Unit::Bytes { '|' } else { ' ' };
            let expected: Vec<&str> = texts.split(separator).collect();
            assert_eq!(numbers(unit, largest), expected, "{unit:?} {largest}");
        }
    }

    #[test]
    fn every_value_is_on_the_axis() {
        for unit in [Unit::Count, Unit::Share, Unit::Bytes] {
            for exponent in -90..=190 {
                let largest = 10_f64.powf(f64::from(exponent) / 10.0);
                let axis = Axis::new(unit, [largest]);
                let end = axis.step * f64::from(axis.intervals);
                let shown = if unit == Unit::Share {
                    largest.min(1.0) * 100.0
                } else {
                    largest
                };
                assert!(shown <= end * (1.0 + 1e-6), "{unit:?} {largest} {axis:?}");
                assert!((0.0..=100.0).contains(&axis.position(largest)));
                assert!(axis.ticks().count() <= 5);
            }
        }
        assert!((Axis::new(Unit::Count, [f64::MAX]).position(0.0)).abs() < 1e-9);
    }
}
