//! How often each of many names was seen, in bounded memory.

use std::collections::HashMap;

/// How many different names are told apart. Those that come later are counted together: a sketch
/// beyond this, exact below. With 64 bytes a name some 20 MB.
pub(crate) const MOST_NAMES: usize = 200_000;

/// How long a name may be, in bytes; of a longer one the start is taken.
const LONGEST: usize = 64;

/// Names and what is counted of each.
#[derive(Debug, Clone)]
pub(crate) struct Tally<C> {
    counts: HashMap<Box<str>, C>,
    limit: usize,
    /// What was counted of names that found no room.
    others: u64,
}

impl<C> Default for Tally<C> {
    fn default() -> Self {
        Self::of_at_most(MOST_NAMES)
    }
}

impl<C> Tally<C> {
    /// A tally that tells so many names apart.
    pub(crate) fn of_at_most(limit: usize) -> Self {
        Self {
            counts: HashMap::new(),
            limit,
            others: 0,
        }
    }
}

impl<C: Default> Tally<C> {
    /// The count of a name; `None` if there is no room for another.
    pub(crate) fn of(&mut self, name: &str) -> Option<&mut C> {
        let mut end = name.len().min(LONGEST);
        while !name.is_char_boundary(end) {
            end = end.saturating_sub(1);
        }
        let name = name.get(..end).unwrap_or(name);
        if !self.counts.contains_key(name) {
            if self.counts.len() >= self.limit {
                self.others = self.others.saturating_add(1);
                return None;
            }
            self.counts.insert(name.into(), C::default());
        }
        self.counts.get_mut(name)
    }

    /// Adds all that another has.
    pub(crate) fn merge(&mut self, other: Self, add: impl Fn(&mut C, C)) {
        self.others = self.others.saturating_add(other.others);
        for (name, count) in other.counts {
            if let Some(own) = self.of(&name) {
                add(own, count);
            }
        }
    }

    /// The names and counts, and what was counted of names that found no room.
    pub(crate) fn into_parts(self) -> (HashMap<Box<str>, C>, u64) {
        (self.counts, self.others)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_finds_no_room_is_counted_together() {
        let mut tally: Tally<u64> = Tally::of_at_most(2);
        let add = |tally: &mut Tally<u64>, name: &str, count| {
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
        assert_eq!(others, 4);
    }
}
