//! Counts of many names, in bounded memory.

use robots_policy::text::prefix;
use std::collections::HashMap;

/// The maximum number of names with counts of their own. Later names are counted together. With 64 bytes for each name, they
/// take about 20 MB.
pub(crate) const MAX_NAMES: usize = 200_000;

/// The maximum length of a name, in bytes. A longer name is cut.
const MAX_NAME_BYTES: usize = 64;

/// Up to `LIMIT` names, each with its counts.
#[derive(Debug, Clone)]
pub(crate) struct Tally<C, const LIMIT: usize = MAX_NAMES> {
    counts: HashMap<Box<str>, C>,
    /// The number of times that a name beyond the limit was counted. A merge adds 1 for each name that exceeds the limit then,
    /// whatever its count.
    others: u64,
}

impl<C, const LIMIT: usize> Default for Tally<C, LIMIT> {
    fn default() -> Self {
        Self {
            counts: HashMap::new(),
            others: 0,
        }
    }
}

impl<C: Default, const LIMIT: usize> Tally<C, LIMIT> {
    /// Returns the counts of a name; `None` if it is beyond the limit.
    pub(crate) fn of(&mut self, name: &str) -> Option<&mut C> {
        let name = prefix(name, MAX_NAME_BYTES);
        if !self.counts.contains_key(name) {
            if self.counts.len() >= LIMIT {
                self.others += 1;
                return None;
            }
            self.counts.insert(name.into(), C::default());
        }
        self.counts.get_mut(name)
    }

    /// Adds the counts of another.
    pub(crate) fn merge(&mut self, other: Self, add: impl Fn(&mut C, C)) {
        self.others += other.others;
        for (name, count) in other.counts {
            if let Some(own) = self.of(&name) {
                add(own, count);
            }
        }
    }

    /// Returns the names with their counts, and the approximate number of times that a name beyond the limit was counted.
    pub(crate) fn into_parts(self) -> (HashMap<Box<str>, C>, u64) {
        (self.counts, self.others)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_beyond_the_limit_are_counted_together() {
        let mut tally: Tally<u64, 2> = Tally::default();
        let add = |tally: &mut Tally<u64, 2>, name: &str, count| {
            if let Some(own) = tally.of(name) {
                *own += count;
            }
        };
        for name in ["a", "b", "a", "c", "d", "b"] {
            add(&mut tally, name, 1);
        }
        add(&mut tally, &"é".repeat(100), 1);
        let mut more = Tally::default();
        add(&mut more, "a", 5);
        add(&mut more, "e", 1);
        tally.merge(more, |own, other| *own += other);
        let (counts, others) = tally.into_parts();
        assert_eq!((counts["a"], counts["b"], counts.len()), (7, 2, 2));
        // `c`, `d`, the long name and, from the merge, `e`.
        assert_eq!(others, 4);
    }
}
