//! What was put and is not on the disk yet.

use super::body::BodyKey;
use std::collections::BTreeMap;
use std::mem;
use std::sync::Arc;

/// What becomes of an origin.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Change<R> {
    /// It is kept with this record.
    Keep(R),
    /// It is forgotten.
    Forget,
}

impl Change<Vec<u8>> {
    fn as_deref(&self) -> Change<&[u8]> {
        match self {
            Self::Keep(record) => Change::Keep(record),
            Self::Forget => Change::Forget,
        }
    }

    fn bytes(&self) -> usize {
        match self {
            Self::Keep(record) => record.len(),
            Self::Forget => 0,
        }
    }
}

/// What one commit writes. In the order of the keys, so that pages are written once.
#[derive(Debug, Default)]
pub(super) struct Batch {
    sites: BTreeMap<Box<str>, Change<Vec<u8>>>,
    bodies: BTreeMap<BodyKey, Vec<u8>>,
    puts: usize,
    bytes: usize,
}

impl Batch {
    /// What becomes of each origin.
    pub(super) fn sites(&self) -> impl Iterator<Item = (&str, Change<&[u8]>)> {
        let sites = self.sites.iter();
        sites.map(|(origin, change)| (&**origin, change.as_deref()))
    }

    /// The bodies, by name.
    pub(super) fn bodies(&self) -> impl Iterator<Item = (BodyKey, &[u8])> {
        let bodies = self.bodies.iter();
        bodies.map(|(key, body)| (*key, body.as_slice()))
    }
}

/// What was put since the last commit, and what a commit is writing. Both can be read.
#[derive(Debug, Default)]
pub(super) struct Waiting {
    coming: Batch,
    going: Arc<Batch>,
}

impl Waiting {
    /// Adds what becomes of an origin, in place of what was put earlier, and bodies.
    pub(super) fn put(
        &mut self,
        origin: &str,
        change: Change<Vec<u8>>,
        bodies: &[(BodyKey, &[u8])],
    ) {
        let coming = &mut self.coming;
        coming.puts = coming.puts.saturating_add(1);
        coming.bytes = coming
            .bytes
            .saturating_add(origin.len())
            .saturating_add(change.bytes());
        coming.sites.insert(origin.into(), change);
        for (key, body) in bodies {
            if !coming.bodies.contains_key(key) {
                coming.bytes = coming.bytes.saturating_add(body.len());
                coming.bodies.insert(*key, body.to_vec());
            }
        }
    }

    /// Whether so many puts wait, or so many bytes.
    pub(super) fn is_due(&self, puts: usize, bytes: usize) -> bool {
        self.coming.puts >= puts || self.coming.bytes >= bytes
    }

    /// What is to be written now; `None` if nothing waits. It can be read until it is
    /// [`done`](Self::done).
    pub(super) fn start(&mut self) -> Option<Arc<Batch>> {
        if self.coming.puts == 0 {
            return None;
        }
        self.going = Arc::new(mem::take(&mut self.coming));
        Some(Arc::clone(&self.going))
    }

    /// What was to be written is on the disk.
    pub(super) fn done(&mut self) {
        self.going = Arc::default();
    }

    /// What becomes of an origin; `None` if nothing of it waits.
    pub(super) fn change(&self, origin: &str) -> Option<Change<&[u8]>> {
        let mut batches = self.batches();
        let change = batches.find_map(|batch| batch.sites.get(origin));
        change.map(Change::as_deref)
    }

    /// A body.
    pub(super) fn body(&self, key: BodyKey) -> Option<&[u8]> {
        let mut batches = self.batches();
        let body = batches.find_map(|batch| batch.bodies.get(&key));
        body.map(Vec::as_slice)
    }

    /// The origins that wait, each once, and whether they will be kept.
    pub(super) fn origins(&self) -> impl Iterator<Item = (&str, bool)> {
        let coming = self.coming.sites.iter();
        let going = self.going.sites.iter();
        coming
            .chain(going.filter(|(origin, _)| !self.coming.sites.contains_key(*origin)))
            .map(|(origin, change)| (&**origin, *change != Change::Forget))
    }

    /// The later one first.
    fn batches(&self) -> impl Iterator<Item = &Batch> {
        [&self.coming, &*self.going].into_iter()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_waits_and_what_is_written_can_be_read() {
        let mut waiting = Waiting::default();
        assert!(waiting.start().is_none());
        let (a, b) = (BodyKey::of(b"a"), BodyKey::of(b"b"));
        waiting.put("one", Change::Keep(vec![1]), &[(a, b"a")]);
        waiting.put("two", Change::Keep(vec![2]), &[(a, b"a")]);
        let batch = waiting.start().unwrap();
        assert_eq!(batch.sites().count(), 2);
        assert_eq!(batch.bodies().collect::<Vec<_>>(), [(a, &b"a"[..])]);
        waiting.put("two", Change::Keep(vec![3]), &[(b, b"b")]);
        waiting.put("three", Change::Keep(vec![4]), &[]);
        assert_eq!(waiting.change("one"), Some(Change::Keep(&[1][..])));
        assert_eq!(waiting.change("two"), Some(Change::Keep(&[3][..])));
        assert_eq!(waiting.body(a), Some(&b"a"[..]));
        assert_eq!(waiting.body(b), Some(&b"b"[..]));
        waiting.put("one", Change::Forget, &[]);
        assert_eq!(waiting.change("one"), Some(Change::Forget));
        let mut origins: Vec<_> = waiting.origins().collect();
        origins.sort_unstable();
        assert_eq!(origins, [("one", false), ("three", true), ("two", true)]);
        waiting.done();
        assert_eq!(waiting.change("one"), Some(Change::Forget));
        assert_eq!(waiting.change("four"), None);
        assert_eq!(waiting.body(a), None);
        assert_eq!(waiting.change("two"), Some(Change::Keep(&[3][..])));
    }

    #[test]
    fn puts_and_bytes_are_counted() {
        let mut waiting = Waiting::default();
        assert!(!waiting.is_due(1, 1));
        waiting.put(
            "1234",
            Change::Keep(vec![0; 6]),
            &[(BodyKey::of(b"abcde"), b"abcde")],
        );
        // A body that waits already takes no more room.
        waiting.put(
            "1234",
            Change::Keep(vec![0; 6]),
            &[(BodyKey::of(b"abcde"), b"abcde")],
        );
        assert!(waiting.is_due(2, usize::MAX));
        assert!(!waiting.is_due(3, 26));
        assert!(waiting.is_due(3, 25));
        waiting.start().unwrap();
        assert!(!waiting.is_due(1, 1));
    }
}
