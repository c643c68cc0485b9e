//! A collector of findings, with a limit for each kind.

use crate::catalogue::FindingKind;
use std::collections::BTreeMap;

/// The number of findings of one kind that are kept for a file or a page; further ones are counted.
pub const MAX_PER_KIND: usize = 100;

/// The number of findings of each kind, including those that were left out.
pub(crate) type Counts = BTreeMap<FindingKind, usize>;

/// A collector of findings of type `F`, up to a limit for each kind.
pub(crate) struct Collector<F> {
    limit: usize,
    list: Vec<F>,
    counts: Counts,
}

impl<F> Collector<F> {
    pub(crate) fn new(limit: usize) -> Self {
        Self {
            limit,
            list: Vec::new(),
            counts: Counts::new(),
        }
    }

    /// Counts a finding, and adds it if the limit of its kind allows; otherwise `make` is not called.
    pub(crate) fn add(&mut self, kind: FindingKind, make: impl FnOnce() -> F) {
        let count = self.counts.entry(kind).or_default();
        *count += 1;
        if *count <= self.limit {
            self.list.push(make());
        }
    }

    /// Returns the findings, in the order in which they were added, and the counts.
    pub(crate) fn into_parts(self) -> (Vec<F>, Counts) {
        (self.list, self.counts)
    }
}
