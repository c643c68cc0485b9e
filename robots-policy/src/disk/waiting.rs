//! What was put and is not on the disk yet.

use super::body::BodyKey;
use std::collections::BTreeMap;
use std::mem;
use std::sync::Arc;

/// What one commit writes. In the order of the keys, so that pages are written once.
#[derive(Debug, Default)]
pub(super) struct Batch {
    sites: BTreeMap<Box<str>, Vec<u8>>,
    bodies: BTreeMap<BodyKey, Vec<u8>>,
    puts: usize,
    bytes: usize,
}

impl Batch {
    /// The records, by origin.
    pub(super) fn sites(&self) -> impl Iterator<Item = (&str, &[u8])> {
        let sites = self.sites.iter();
        sites.map(|(origin, record)| (&**origin, record.as_slice()))
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
    /// Adds a record, which replaces that of an earlier put, and maybe a body.
    pub(super) fn put(&mut self, origin: &str, record: Vec<u8>, body: Option<(BodyKey, &[u8])>) {
        let coming = &mut self.coming;
        coming.puts = coming.puts.saturating_add(1);
        coming.bytes = coming
            .bytes
            .saturating_add(origin.len())
            .saturating_add(record.len());
        coming.sites.insert(origin.into(), record);
        if let Some((key, body)) = body
            && !coming.bodies.contains_key(&key)
        {
            coming.bytes = coming.bytes.saturating_add(body.len());
            coming.bodies.insert(key, body.to_vec());
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

    /// The record of an origin.
    pub(super) fn record(&self, origin: &str) -> Option<&[u8]> {
        let mut batches = self.batches();
        let record = batches.find_map(|batch| batch.sites.get(origin));
        record.map(Vec::as_slice)
    }

    /// A body.
    pub(super) fn body(&self, key: BodyKey) -> Option<&[u8]> {
        let mut batches = self.batches();
        let body = batches.find_map(|batch| batch.bodies.get(&key));
        body.map(Vec::as_slice)
    }

    /// The origins that wait, each once.
    pub(super) fn origins(&self) -> impl Iterator<Item = &str> {
        let coming = self.coming.sites.keys();
        let going = self.going.sites.keys();
        coming
            .chain(going.filter(|origin| !self.coming.sites.contains_key(*origin)))
            .map(|origin| &**origin)
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
        waiting.put("one", vec![1], Some((a, b"a")));
        waiting.put("two", vec![2], Some((a, b"a")));
        let batch = waiting.start().unwrap();
        assert_eq!(batch.sites().count(), 2);
        assert_eq!(batch.bodies().collect::<Vec<_>>(), [(a, &b"a"[..])]);
        waiting.put("two", vec![3], Some((b, b"b")));
        waiting.put("three", vec![4], None);
        assert_eq!(waiting.record("one"), Some(&[1][..]));
        assert_eq!(waiting.record("two"), Some(&[3][..]));
        assert_eq!(waiting.body(a), Some(&b"a"[..]));
        assert_eq!(waiting.body(b), Some(&b"b"[..]));
        let mut origins: Vec<_> = waiting.origins().collect();
        origins.sort_unstable();
        assert_eq!(origins, ["one", "three", "two"]);
        waiting.done();
        assert_eq!(waiting.record("one"), None);
        assert_eq!(waiting.body(a), None);
        assert_eq!(waiting.record("two"), Some(&[3][..]));
    }

    #[test]
    fn puts_and_bytes_are_counted() {
        let mut waiting = Waiting::default();
        assert!(!waiting.is_due(1, 1));
        waiting.put("1234", vec![0; 6], Some((BodyKey::of(b"abcde"), b"abcde")));
        // A body that waits already takes no more room.
        waiting.put("1234", vec![0; 6], Some((BodyKey::of(b"abcde"), b"abcde")));
        assert!(waiting.is_due(2, usize::MAX));
        assert!(!waiting.is_due(3, 26));
        assert!(waiting.is_due(3, 25));
        waiting.start().unwrap();
        assert!(!waiting.is_due(1, 1));
    }
}
