//! Counts of warnings: a receiver shows the first ones of each group, and at the end the number of the others.

use std::collections::BTreeMap;

/// The numbers of warnings, by their groups ([`Warning::group`](crate::Warning::group)).
///
/// ```
/// use robots_pipeline::WarningCounts;
///
/// let mut counts = WarningCounts::new();
/// let shown = (0..12).filter(|_| counts.add("damaged records")).count();
/// assert_eq!(shown, 10);
/// assert_eq!(counts.hidden().collect::<Vec<_>>(), [("damaged records", 2)]);
/// ```
#[derive(Debug, Default)]
pub struct WarningCounts(BTreeMap<&'static str, u64>);

impl WarningCounts {
    /// The number of warnings of a group that are shown.
    pub const SHOWN: u64 = 10;

    /// Returns counts without a warning.
    pub const fn new() -> Self {
        Self(BTreeMap::new())
    }

    /// Counts a warning of a group, and returns whether it is one of the first [`SHOWN`](Self::SHOWN).
    pub fn add(&mut self, group: &'static str) -> bool {
        let count = self.0.entry(group).or_default();
        *count += 1;
        *count <= Self::SHOWN
    }

    /// Returns each group with more warnings than are shown, and how many more it has.
    pub fn hidden(&self) -> impl Iterator<Item = (&'static str, u64)> {
        self.0.iter().filter_map(|(group, count)| {
            let hidden = count.checked_sub(Self::SHOWN)?;
            (hidden > 0).then_some((*group, hidden))
        })
    }
}
