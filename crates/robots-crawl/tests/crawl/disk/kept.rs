//! Records that are put can be read, before and after a restart.

use super::{Sample, fast_directory, kind};
use robots_crawl::DiskStore;
use robots_crawl::store::{FileBytes, MAX_KEPT_BODY, OriginRecord, StoreErrorKind};
use robots_policy::RobotsFetch;
use robots_policy::limits::MAX_TDMREP_BYTES;
use robots_policy::origins::Origin;
use robots_policy::site::Tdmrep;
use std::fs;
use std::sync::Barrier;
use std::thread;

fn samples(name: &str, count: u64) -> Vec<Sample> {
    (0..count).map(|number| Sample::new(name, number)).collect()
}

/// A record with this copy of robots.txt.
fn record_of(body: &[u8]) -> OriginRecord {
    let mut record = OriginRecord::default();
    record.add_outcome(RobotsFetch::Body(body), None);
    record
}

fn origin(text: &str) -> Origin {
    Origin::of(text).unwrap()
}

#[test]
fn puts_can_be_read_before_and_after_a_restart() {
    let directory = fast_directory();
    let path = directory.path().join("sites");
    let samples = samples("a", 200);
    let store = DiskStore::open(&path).unwrap();
    for sample in &samples {
        sample.put(&store).unwrap();
        sample.check(&store);
    }
    assert_eq!(store.origins().unwrap(), 200);
    drop(store);
    let store = DiskStore::open(&path).unwrap();
    assert!(store.warning().is_none());
    assert_eq!(store.origins().unwrap(), 200);
    for sample in &samples {
        sample.check(&store);
    }
    assert_eq!(store.get(&origin("https://b.example")).unwrap(), None);
}

#[test]
fn a_new_store_is_empty() {
    let directory = fast_directory();
    for name in ["none", "empty"] {
        let path = directory.path().join(name);
        if name == "empty" {
            fs::write(&path, "").unwrap();
        }
        // The second time, the file is the store that the first time made.
        for _ in 0..2 {
            let store = DiskStore::open(&path).unwrap();
            assert!(store.warning().is_none());
            assert_eq!(store.origins().unwrap(), 0);
        }
    }
}

#[test]
fn a_later_put_replaces_an_earlier_one() {
    let directory = fast_directory();
    let store = DiskStore::open(directory.path().join("sites")).unwrap();
    let a = origin("https://a.example");
    for number in 0..20 {
        let sample = Sample::new("b", number);
        store.put(&a, &sample.record).unwrap();
        assert_eq!(store.get(&a).unwrap(), Some(sample.record));
        assert_eq!(store.origins().unwrap(), 1);
    }
}

#[test]
fn threads_put_and_get() {
    let directory = fast_directory();
    let path = directory.path().join("sites");
    let store = DiskStore::open(&path).unwrap();
    let start = Barrier::new(4);
    thread::scope(|scope| {
        for name in ["a", "b", "c", "d"] {
            let (store, start) = (&store, &start);
            scope.spawn(move || {
                start.wait();
                for sample in samples(name, 100) {
                    sample.put(store).unwrap();
                    sample.check(store);
                }
            });
        }
    });
    drop(store);
    let store = DiskStore::open(&path).unwrap();
    assert_eq!(store.origins().unwrap(), 400);
    for name in ["a", "b", "c", "d"] {
        for sample in samples(name, 100) {
            sample.check(&store);
        }
    }
}

#[test]
fn paths_without_a_store() {
    let directory = fast_directory();
    let none = directory.path().join("none/sites");
    assert_eq!(kind(DiskStore::open(none)), Some(StoreErrorKind::Io));
    let itself = DiskStore::open(directory.path());
    assert_eq!(kind(itself), Some(StoreErrorKind::Io));
    // To read from a store, it must be there.
    let path = directory.path().join("sites");
    assert_eq!(
        kind(DiskStore::open_existing(&path)),
        Some(StoreErrorKind::Io)
    );
    assert!(!path.exists());
    fs::write(&path, "").unwrap();
    let empty = DiskStore::open_existing(&path);
    assert_eq!(kind(empty), Some(StoreErrorKind::NotAStore));
}

#[test]
fn files_of_the_maximum_sizes_are_stored() {
    let directory = fast_directory();
    let path = directory.path().join("origins");
    let store = DiskStore::open(&path).unwrap();
    let mut tdmrep = b"[]".to_vec();
    tdmrep.resize(MAX_TDMREP_BYTES, b' ');
    let tdmrep = FileBytes::of_tdmrep(&Tdmrep::parse(&tdmrep).unwrap());
    let origins = [MAX_KEPT_BODY - 1, MAX_KEPT_BODY, MAX_KEPT_BODY + 1].map(|bytes| {
        let mut record = record_of(&vec![b'x'; bytes]);
        let kept = record.outcomes.last_success().unwrap().body().unwrap();
        assert_eq!(kept.as_slice().len(), bytes.min(MAX_KEPT_BODY));
        record.tdmrep = Some(tdmrep.clone());
        (origin(&format!("https://{bytes}.example")), record)
    });
    for (origin, record) in &origins {
        store.put(origin, record).unwrap();
    }
    drop(store);
    let store = DiskStore::open(&path).unwrap();
    for (origin, record) in origins {
        assert_eq!(store.get(&origin).unwrap(), Some(record));
    }
}

#[test]
fn equal_bodies_are_stored_once() {
    let directory = fast_directory();
    let path = directory.path().join("origins");
    let store = DiskStore::open(&path).unwrap();
    for number in 0..300 {
        let origin = origin(&format!("https://{number}.example"));
        store
            .put(&origin, &record_of(&b"# 1\n".repeat(5_000)))
            .unwrap();
    }
    drop(store);
    // The body has 20,000 bytes.
    assert!(fs::metadata(&path).unwrap().len() < 200_000);
}

#[test]
fn bodies_that_are_replaced_leave_the_file() {
    let directory = fast_directory();
    let path = directory.path().join("origins");
    let mut sizes = Vec::new();
    for round in 0..20_u32 {
        // The versions of a round replace each other in an open store. Each round replaces those of the last one after a
        // restart.
        let store = DiskStore::open(&path).unwrap();
        for version in 0..3 {
            for number in 0..20 {
                let body = format!("# {round} {version} {number}\n").repeat(1_000);
                let origin = origin(&format!("https://{number}.example"));
                store.put(&origin, &record_of(body.as_bytes())).unwrap();
            }
        }
        drop(store);
        sizes.push(fs::metadata(&path).unwrap().len());
    }
    // If replaced bodies stayed in the file, it would be about eight times as large.
    assert!(sizes[19] <= sizes[2] * 2, "{sizes:?}");
}
