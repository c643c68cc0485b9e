//! The distribution of a value over many files, in bounded memory.

use hdrhistogram::Histogram;
use serde::{Deserialize, Serialize};

/// The maximum number of points of a curve in a report, without the last one.
const POINTS: usize = 64;

/// A distribution of values: exact below 2,048, with three exact digits above.
#[derive(Debug, Clone)]
pub(crate) struct Distribution {
    histogram: Histogram<u64>,
    sum: u64,
}

impl Default for Distribution {
    fn default() -> Self {
        #[expect(clippy::expect_used, reason = "a histogram may have up to five digits")]
        let histogram = Histogram::new(3).expect("three digits are allowed");
        Self { histogram, sum: 0 }
    }
}

impl Distribution {
    /// Adds a value; one above 2^60, which no file reaches, counts as 2^60.
    pub(crate) fn add(&mut self, number: usize) {
        let number = u64::try_from(number).unwrap_or(u64::MAX).min(1 << 60);
        // A file can have up to 2^60 in a Crawl-delay.
        self.sum = self.sum.saturating_add(number);
        // The histogram grows, so that it can record any number.
        let _ = self.histogram.record(number);
    }

    /// Adds the values of another distribution.
    pub(crate) fn merge(&mut self, other: &Self) {
        self.sum = self.sum.saturating_add(other.sum);
        // It grows here, too.
        let _ = self.histogram.add(&other.histogram);
    }

    /// Returns the facts for a report.
    pub(crate) fn facts(&self) -> Facts {
        let at = |quantile: f64| self.histogram.value_at_quantile(quantile);
        let count = self.histogram.len();
        if count == 0 {
            return Facts::default();
        }
        Facts {
            count,
            sum: self.sum,
            #[expect(
                clippy::cast_precision_loss,
                reason = "a mean is shown to three digits"
            )]
            mean: self.sum as f64 / count as f64,
            mode: self.mode(),
            min: self.histogram.min(),
            p10: at(0.1),
            median: at(0.5),
            p90: at(0.9),
            p99: at(0.99),
            max: self.histogram.max(),
            points: self.points(),
            steps: self.steps(doublings()),
        }
    }

    /// Returns the most frequent value; the smallest of several.
    fn mode(&self) -> u64 {
        let values = self.histogram.iter_recorded();
        let most = values.max_by_key(|value| {
            let smallest_first = std::cmp::Reverse(value.value_iterated_to());
            (value.count_at_value(), smallest_first)
        });
        most.map_or(0, |value| value.value_iterated_to())
    }

    /// Counts the values in ranges with these ends, in ascending order. A last range has the values above them.
    pub(crate) fn steps(&self, ends: impl IntoIterator<Item = u64>) -> Vec<Step> {
        let mut steps: Vec<Step> = Vec::new();
        if self.histogram.is_empty() {
            return steps;
        }
        let max = self.histogram.max();
        let mut ends = ends.into_iter();
        while steps.last().is_none_or(|last| last.to < max) {
            let from = steps.last().map_or(0, |last| last.to + 1);
            let to = ends.next().unwrap_or(max);
            let count = self.histogram.count_between(from, to);
            steps.push(Step { from, to, count });
        }
        steps
    }

    /// Returns points of the cumulative curve: values, each with the count of values at or below it.
    fn points(&self) -> Vec<(u64, u64)> {
        let mut total = 0_u64;
        let all: Vec<(u64, u64)> = self
            .histogram
            .iter_recorded()
            .map(|value| {
                total += value.count_since_last_iteration();
                (value.value_iterated_to(), total)
            })
            .collect();
        let step = all.len().div_ceil(POINTS).max(1);
        let last = all.last().copied();
        let mut points: Vec<(u64, u64)> = all.into_iter().step_by(step).collect();
        if let Some(last) = last.filter(|last| points.last() != Some(last)) {
            points.push(last);
        }
        points
    }
}

/// Returns the ends of the ranges 0, 1, 2, 3 to 4, 5 to 8 and so on: a range for each doubling.
fn doublings() -> impl Iterator<Item = u64> {
    std::iter::successors(Some(0_u64), |to| Some((2 * to).max(to + 1)))
}

/// The facts of a distribution.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(crate) struct Facts {
    pub(crate) count: u64,
    pub(crate) sum: u64,
    pub(crate) mean: f64,
    /// The most frequent value; the smallest of several.
    pub(crate) mode: u64,
    pub(crate) min: u64,
    pub(crate) p10: u64,
    pub(crate) median: u64,
    pub(crate) p90: u64,
    pub(crate) p99: u64,
    pub(crate) max: u64,
    /// Values, each with the count of values at or below it.
    pub(crate) points: Vec<(u64, u64)>,
    pub(crate) steps: Vec<Step>,
}

/// The count of values in a range, which includes both ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Step {
    pub(crate) from: u64,
    pub(crate) to: u64,
    pub(crate) count: u64,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_numbers_are_exact_and_large_ones_nearly() {
        let mut one = Distribution::default();
        (0..2_048).for_each(|number| one.add(number));
        let facts = one.facts();
        assert_eq!((facts.min, facts.median, facts.max), (0, 1_023, 2_047));
        assert_eq!(facts.sum, 2_047 * 1_024);
        assert_eq!(facts.mode, 0);
        assert!(facts.points.len() <= POINTS + 1);
        assert_eq!(facts.points.last(), Some(&(2_047, 2_048)));
        let counts: Vec<u64> = facts.steps.iter().map(|step| step.count).collect();
        assert_eq!(counts, [1, 1, 1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1_023]);
        let mut other = Distribution::default();
        other.add(1_000_000);
        one.add(7);
        assert_eq!(one.facts().mode, 7);
        one.merge(&other);
        let max = one.facts().max;
        assert!((999_000..=1_001_000).contains(&max), "{max}");
        (0..20).for_each(|_| other.add(usize::MAX));
        assert_eq!((other.facts().count, other.facts().sum), (21, u64::MAX));
        other.merge(&other.clone());
        assert_eq!(other.facts().sum, u64::MAX);
        assert_eq!(Distribution::default().facts().points, []);
    }

    #[test]
    fn ranges_end_where_they_should() {
        let ranges = |values: &[usize]| {
            let mut distribution = Distribution::default();
            for value in values {
                distribution.add(*value);
            }
            let steps = distribution.steps([0, 1, 5]);
            let range = |step: &Step| (step.from, step.to, step.count);
            steps.iter().map(range).collect::<Vec<_>>()
        };
        assert_eq!(ranges(&[0]), [(0, 0, 1)]);
        assert_eq!(ranges(&[5, 2]), [(0, 0, 0), (1, 1, 0), (2, 5, 2)]);
        let all = [(0, 0, 1), (1, 1, 1), (2, 5, 0), (6, 9, 2)];
        assert_eq!(ranges(&[9, 0, 6, 1]), all);
    }
}
