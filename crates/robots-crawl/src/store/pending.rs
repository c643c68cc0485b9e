//! Changes that are not on disk yet.

use super::encoding::EncodedRecord;
use std::collections::BTreeMap;
use std::mem;
use std::sync::Arc;

/// The records to write, by origin; `None` removes one. They are in the order of the keys, so that
/// each page of the database is written once.
pub(super) type Records = BTreeMap<Box<str>, Option<EncodedRecord>>;

/// The changes since the last commit, and those that a commit is writing. Both can be read.
#[derive(Debug, Default)]
pub(super) struct Pending {
    /// The changes since the last commit.
    next: Records,
    /// The number of changes in `next`, repeated ones included.
    changes: usize,
    /// The total size of these changes in bytes.
    bytes: usize,
    /// Whether a commit of some of them has failed.
    is_overdue: bool,
    /// The changes that a commit is writing.
    being_written: Arc<Records>,
}

impl Pending {
    /// Adds a change, in place of an earlier one of the same origin.
    pub(super) fn add(&mut self, origin: &str, record: Option<EncodedRecord>) {
        self.count(origin, record.as_ref());
        self.next.insert(origin.into(), record);
    }

    fn count(&mut self, origin: &str, record: Option<&EncodedRecord>) {
        let bytes = record.map_or(0, EncodedRecord::byte_len);
        self.changes = self.changes.saturating_add(1);
        self.bytes = self
            .bytes
            .saturating_add(origin.len())
            .saturating_add(bytes);
    }

    /// Returns whether this many changes or bytes wait, or a commit has failed.
    pub(super) fn is_due(&self, changes: usize, bytes: usize) -> bool {
        self.changes >= changes || self.bytes >= bytes || self.is_overdue
    }

    /// Returns the changes to write now; `None` if there are none. They can be read until they are
    /// [`done`](Self::done) or [`taken_back`](Self::take_back).
    pub(super) fn start(&mut self) -> Option<Arc<Records>> {
        if self.changes == 0 {
            return None;
        }
        (self.changes, self.bytes, self.is_overdue) = (0, 0, false);
        self.being_written = Arc::new(mem::take(&mut self.next));
        Some(Arc::clone(&self.being_written))
    }

    /// Forgets the changes that are on disk now.
    pub(super) fn done(&mut self) {
        self.being_written = Arc::default();
    }

    /// Takes back the changes that could not be written: they wait for the next commit, which is due. Later changes of the same
    /// origins stay.
    pub(super) fn take_back(&mut self) {
        let records = mem::take(&mut self.being_written);
        for (origin, record) in Arc::unwrap_or_clone(records) {
            if !self.next.contains_key(&origin) {
                self.count(&origin, record.as_ref());
                self.next.insert(origin, record);
            }
        }
        self.is_overdue = true;
    }

    /// Returns the change of an origin: a record, or `None` if it is forgotten. The outer `None` is an
    /// origin without a change.
    pub(super) fn change(&self, origin: &str) -> Option<&Option<EncodedRecord>> {
        self.next
            .get(origin)
            .or_else(|| self.being_written.get(origin))
    }

    /// Returns the origins that wait, each once, and whether they have a record.
    pub(super) fn origins(&self) -> impl Iterator<Item = (&str, bool)> {
        let earlier = self.being_written.iter();
        let earlier = earlier.filter(|(origin, _)| !self.next.contains_key(*origin));
        let all = self.next.iter().chain(earlier);
        all.map(|(origin, record)| (&**origin, record.is_some()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns a record of this many bytes.
    fn record(bytes: usize) -> EncodedRecord {
        EncodedRecord {
            record: vec![0; bytes],
            bodies: Vec::new(),
        }
    }

    #[test]
    fn changes_can_be_read_until_they_are_written() {
        let mut pending = Pending::default();
        assert!(pending.start().is_none());
        pending.add("one", Some(record(1)));
        pending.add("two", Some(record(2)));
        assert_eq!(pending.start().unwrap().len(), 2);
        pending.add("two", Some(record(3)));
        pending.add("three", Some(record(4)));
        assert_eq!(pending.change("one"), Some(&Some(record(1))));
        assert_eq!(pending.change("two"), Some(&Some(record(3))));
        pending.add("one", None);
        assert_eq!(pending.change("one"), Some(&None));
        let mut origins: Vec<_> = pending.origins().collect();
        origins.sort_unstable();
        assert_eq!(origins, [("one", false), ("three", true), ("two", true)]);
        pending.done();
        assert_eq!(pending.change("one"), Some(&None));
        assert_eq!(pending.change("four"), None);
        assert_eq!(pending.change("two"), Some(&Some(record(3))));
    }

    #[test]
    fn changes_and_bytes_are_counted() {
        let mut pending = Pending::default();
        assert!(!pending.is_due(1, 1));
        // Each change has ten bytes: four of the name, and six of the record.
        pending.add("1234", Some(record(6)));
        pending.add("1234", Some(record(6)));
        assert!(pending.is_due(2, usize::MAX));
        assert!(!pending.is_due(3, 21));
        assert!(pending.is_due(3, 20));
        pending.start().unwrap();
        assert!(!pending.is_due(1, 1));
    }

    #[test]
    fn changes_that_were_not_written_wait_again_unless_there_are_later_ones() {
        let mut pending = Pending::default();
        pending.add("one", Some(record(1)));
        pending.add("two", Some(record(2)));
        drop(pending.start().unwrap());
        pending.add("two", None);
        assert!(!pending.is_due(2, usize::MAX));
        pending.take_back();
        assert!(pending.is_due(usize::MAX, usize::MAX));
        assert_eq!(pending.change("one"), Some(&Some(record(1))));
        assert_eq!(pending.change("two"), Some(&None));
        assert_eq!(pending.start().unwrap().len(), 2);
        pending.done();
        assert_eq!(pending.change("one"), None);
        assert!(pending.start().is_none());
        assert!(!pending.is_due(1, 1));
    }
}
