//! Records that are put can be read, and those that are forgotten cannot.

use super::{Sample, fast_directory, kind};
use robots_crawl::store::{MAX_KEPT_BODY, OriginRecord, StoreError, StoreErrorKind};
use robots_crawl::{CrawlStore, DiskStore};
use robots_policy::RobotsFetch;
use robots_policy::limits::MAX_TDMREP_BYTES;
use robots_policy::origins::Origin;
use robots_policy::origins::OriginChange;
use robots_policy::site::Tdmrep;
use std::fs;
use std::sync::Barrier;
use std::thread;

fn samples(name: &str, count: u64) -> Vec<Sample> {
    (0..count).map(|number| Sample::new(name, number)).collect()
}

/// A record with this copy of robots.txt.
fn record_of(body: &[u8]) -> OriginRecord {
    let fetch = RobotsFetch::Body(body);
    let mut record = OriginRecord::default();
    record.apply(&OriginChange::Robots { fetch, at: None });
    record
}

fn origin(text: &str) -> Origin {
    Origin::of(text).unwrap()
}

#[test]
fn a_store_is_shared_between_threads() {
    fn is_shared<T: Send + Sync + 'static>() {}
    is_shared::<DiskStore>();
    is_shared::<CrawlStore>();
    is_shared::<OriginRecord>();
    is_shared::<StoreError>();
}

#[test]
fn forgotten_origins_are_gone_before_and_after_the_commit() {
    let directory = fast_directory();
    let path = directory.path().join("sites");
    let samples = samples("a", 30);
    for commit_every in [1, 7, 1_000] {
        let mut store = DiskStore::open(&path)
            .unwrap()
            .with_commit_every(commit_every);
        for sample in &samples {
            sample.put(&store).unwrap();
        }
        let (gone, kept) = samples.split_at(20);
        for sample in gone {
            store.forget(&sample.origin).unwrap();
            assert_eq!(store.get(&sample.origin).unwrap(), None);
        }
        // Forgetting an unknown origin is not an error.
        store.forget(&origin("https://nowhere.example")).unwrap();
        let check = |store: &DiskStore| {
            assert_eq!(store.len().unwrap(), 10);
            for sample in gone {
                assert_eq!(store.get(&sample.origin).unwrap(), None);
            }
            for sample in kept {
                sample.check(store);
            }
        };
        check(&store);
        store.compact().unwrap();
        check(&store);
        drop(store);
        check(&DiskStore::open(&path).unwrap());
    }
}

#[test]
fn puts_can_be_read_before_and_after_a_restart() {
    let directory = fast_directory();
    let path = directory.path().join("sites");
    let samples = samples("a", 200);
    for commit_every in [1, 7, 1_000] {
        let store = DiskStore::open(&path)
            .unwrap()
            .with_commit_every(commit_every);
        for sample in &samples {
            sample.put(&store).unwrap();
            sample.check(&store);
        }
        assert_eq!(store.len().unwrap(), 200);
        assert!(!store.is_empty().unwrap());
        store.commit().unwrap();
        for sample in &samples {
            sample.check(&store);
        }
        drop(store);
        let store = DiskStore::open(&path).unwrap();
        assert!(store.warning().is_none());
        assert_eq!(store.len().unwrap(), 200);
        for sample in &samples {
            sample.check(&store);
        }
        assert_eq!(store.get(&origin("https://b.example")).unwrap(), None);
    }
}

#[test]
fn a_new_store_is_empty() {
    let directory = fast_directory();
    for (name, bytes) in [
        ("none", None),
        ("empty", Some(0)),
        ("zeros", Some(4_096)),
        ("more zeros", Some(12_288)),
    ] {
        let path = directory.path().join(name);
        if let Some(bytes) = bytes {
            fs::write(&path, vec![0; bytes]).unwrap();
        }
        // The second time, the file is the store that the first time made.
        for _ in 0..2 {
            let mut store = DiskStore::open(&path).unwrap();
            assert!(store.warning().is_none());
            assert!(store.is_empty().unwrap());
            store.compact().unwrap();
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
        assert_eq!(store.len().unwrap(), 1);
    }
}

#[test]
fn puts_are_durable_after_their_commit() {
    let directory = fast_directory();
    let path = directory.path().join("sites");
    let copy = directory.path().join("copy");
    let store = DiskStore::open(&path).unwrap().with_commit_every(10);
    for (count, sample) in (1..).zip(samples("c", 35)) {
        sample.put(&store).unwrap();
        assert_eq!(store.len().unwrap(), count);
        // If the process died now, it would leave the file as the copy is.
        fs::copy(&path, &copy).unwrap();
        let after_death = DiskStore::open(&copy).unwrap();
        assert_eq!(after_death.len().unwrap(), count / 10 * 10);
    }
    store.commit().unwrap();
    fs::copy(&path, &copy).unwrap();
    assert_eq!(DiskStore::open(&copy).unwrap().len().unwrap(), 35);
}

#[test]
fn large_puts_are_committed_early() {
    let directory = fast_directory();
    let path = directory.path().join("sites");
    let copy = directory.path().join("copy");
    let store = DiskStore::open(&path).unwrap().with_commit_every(1_000);
    for number in 0..40_u8 {
        let body = vec![number; MAX_KEPT_BODY];
        let origin = origin(&format!("https://{number}.example"));
        store.put(&origin, &record_of(&body)).unwrap();
    }
    // Changes of 16 MiB are committed at once, so that they do not fill the memory: about 33 of these bodies of 500 KiB.
    fs::copy(&path, &copy).unwrap();
    assert!(DiskStore::open(&copy).unwrap().len().unwrap() > 30);
}

#[test]
fn threads_put_and_get() {
    let directory = fast_directory();
    for commit_every in [1, 20] {
        let path = directory.path().join(commit_every.to_string());
        let store = DiskStore::open(&path)
            .unwrap()
            .with_commit_every(commit_every);
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
        assert_eq!(store.len().unwrap(), 400);
        for name in ["a", "b", "c", "d"] {
            for sample in samples(name, 100) {
                sample.check(&store);
            }
        }
    }
}

#[test]
fn a_store_is_open_only_once() {
    let directory = fast_directory();
    let path = directory.path().join("sites");
    let store = DiskStore::open(&path).unwrap();
    let error = DiskStore::open(&path).unwrap_err();
    assert_eq!(*error.kind(), StoreErrorKind::InUse);
    assert_eq!(error.path(), path);
    let message = format!("the store \"{}\" is open already", path.display());
    assert_eq!(error.to_string(), message);
    Sample::new("g", 0).put(&store).unwrap();
    drop(store);
    assert_eq!(DiskStore::open(&path).unwrap().len().unwrap(), 1);
}

#[test]
fn paths_without_a_file() {
    let directory = fast_directory();
    let none = directory.path().join("none/sites");
    assert_eq!(kind(DiskStore::open(none)), Some(StoreErrorKind::Io));
    let itself = DiskStore::open(directory.path());
    assert_eq!(kind(itself), Some(StoreErrorKind::Io));
}

#[test]
fn files_of_the_maximum_sizes_are_stored() {
    let directory = fast_directory();
    let path = directory.path().join("origins");
    let store = DiskStore::open(&path).unwrap();
    let mut tdmrep = b"[]".to_vec();
    tdmrep.resize(MAX_TDMREP_BYTES, b' ');
    let tdmrep = Tdmrep::parse(&tdmrep).unwrap();
    let origins = [MAX_KEPT_BODY - 1, MAX_KEPT_BODY, MAX_KEPT_BODY + 1].map(|bytes| {
        let mut record = record_of(&vec![b'x'; bytes]);
        let kept = record
            .outcomes
            .last_success()
            .unwrap()
            .body()
            .unwrap()
            .as_slice();
        assert_eq!(kept.len(), bytes.min(MAX_KEPT_BODY));
        record.apply(&OriginChange::Tdmrep(tdmrep.clone()));
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
fn compacting_makes_the_file_smaller() {
    let directory = fast_directory();
    let path = directory.path().join("origins");
    let mut store = DiskStore::open(&path).unwrap().with_commit_every(50);
    for number in 0..30_u8 {
        let gone = origin(&format!("https://{number}.example"));
        store
            .put(&gone, &record_of(&vec![number; 100_000]))
            .unwrap();
        store.commit().unwrap();
        store.forget(&gone).unwrap();
    }
    let samples = samples("e", 300);
    for sample in &samples {
        sample.put(&store).unwrap();
    }
    store.commit().unwrap();
    let before = fs::metadata(&path).unwrap().len();
    store.compact().unwrap();
    let after = fs::metadata(&path).unwrap().len();
    assert!(after < before, "{before} {after}");
    Sample::new("f", 1).put(&store).unwrap();
    drop(store);
    let store = DiskStore::open(&path).unwrap();
    assert_eq!(store.len().unwrap(), 301);
    for sample in &samples {
        sample.check(&store);
    }
}

#[test]
fn equal_bodies_are_stored_once() {
    let directory = fast_directory();
    let path = directory.path().join("origins");
    let size_with = |body_of: fn(u16) -> Vec<u8>| {
        let mut store = DiskStore::open(&path).unwrap().with_commit_every(50);
        for number in 0..300 {
            let origin = origin(&format!("https://{number}.example"));
            store.put(&origin, &record_of(&body_of(number))).unwrap();
        }
        store.compact().unwrap();
        fs::metadata(&path).unwrap().len()
    };
    let different = size_with(|number| format!("# {number}\n").repeat(5_000).into_bytes());
    // The equal bodies replace the different ones in the same file.
    let equal = size_with(|_| b"# 1\n".repeat(5_000));
    // A body has at least 20,000 bytes.
    assert!(
        equal < 300_000 && different > 300 * 20_000,
        "{equal} {different}"
    );
}

#[test]
fn bodies_that_are_replaced_leave_the_file() {
    let directory = fast_directory();
    let path = directory.path().join("origins");
    let mut sizes = Vec::new();
    for round in 0..40_u32 {
        // The versions of a round replace each other in an open store. Each round replaces those of the last one after a
        // restart.
        let store = DiskStore::open(&path).unwrap().with_commit_every(10);
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
    let (early, late) = (sizes[4], sizes[39]);
    assert!(late <= early * 2, "{sizes:?}");
}
