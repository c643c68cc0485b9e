//! What goes in comes out.

use super::{Sample, fast_directory, kind, open_unverified, open_verified};
use redb::{Database, ReadableDatabase as _, TableDefinition};
use robots_policy::{
    BodyKey, DiskStore, History, Integrity, KeptSite, MAX_KEPT_BODY, MAX_KEPT_ORIGIN,
    MAX_KEPT_VALIDATOR, MAX_TDMREP_BYTES, Origin, OutcomeTable, RobotsFetch, StoreErrorKind,
};
use std::fs;
use std::sync::Barrier;
use std::thread;

const META: TableDefinition<'_, &str, &[u8]> = TableDefinition::new("meta");

fn samples(name: &str, count: u64) -> Vec<Sample> {
    (0..count).map(|number| Sample::new(name, number)).collect()
}

/// A site with this copy of robots.txt.
fn site_with(body: &[u8]) -> KeptSite {
    let mut history = History::new();
    history.record(
        &OutcomeTable::RFC9309,
        &RobotsFetch::Body(body),
        None,
        BodyKey::of,
    );
    KeptSite::new(history)
}

fn origin(text: &str) -> Origin {
    Origin::of(text).unwrap()
}

#[test]
fn a_store_is_shared_between_threads() {
    fn is_shared<T: Send + Sync + 'static>() {}
    is_shared::<DiskStore>();
    is_shared::<KeptSite>();
    is_shared::<robots_policy::StoreError>();
}

#[test]
fn what_is_forgotten_is_gone_before_and_after_the_commit() {
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
        // Who is not there is forgotten without ado.
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
        store.tidy().unwrap();
        check(&store);
        drop(store);
        check(&DiskStore::open(&path).unwrap());
    }
}

#[test]
fn what_is_put_is_there_and_after_a_restart_too() {
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
        for open in [open_verified, open_unverified] {
            let mut store = open(&path).unwrap();
            assert_eq!(store.len().unwrap(), 200);
            for sample in &samples {
                sample.check(&store);
            }
            assert_eq!(store.get(&origin("https://b.example")).unwrap(), None);
            assert_eq!(store.body(&BodyKey::of(b"?")).unwrap(), None);
            assert_eq!(store.verify().unwrap(), Integrity::Whole);
        }
    }
}

#[test]
fn a_new_store_is_empty() {
    let directory = fast_directory();
    for (name, bytes) in [("none", None), ("empty", Some(0)), ("zeros", Some(50_000))] {
        let path = directory.path().join(name);
        if let Some(bytes) = bytes {
            fs::write(&path, vec![0; bytes]).unwrap();
        }
        let mut store = DiskStore::open(&path).unwrap();
        assert!(store.is_empty().unwrap());
        store.tidy().unwrap();
        assert_eq!(store.verify().unwrap(), Integrity::Whole);
        drop(store);
        assert!(
            DiskStore::open_unverified(&path)
                .unwrap()
                .is_empty()
                .unwrap()
        );
    }
}

#[test]
fn a_later_put_replaces_an_earlier_one() {
    let directory = fast_directory();
    let store = DiskStore::open(directory.path().join("sites")).unwrap();
    let a = origin("https://a.example");
    for number in 0..20 {
        let sample = Sample::new("b", number);
        store.put(&a, &sample.site, sample.body.as_deref()).unwrap();
        assert_eq!(store.get(&a).unwrap(), Some(sample.site));
        assert_eq!(store.len().unwrap(), 1);
    }
}

#[test]
fn puts_are_durable_with_their_group() {
    let directory = fast_directory();
    let path = directory.path().join("sites");
    let copy = directory.path().join("copy");
    let store = DiskStore::open(&path).unwrap().with_commit_every(10);
    for (count, sample) in (1..).zip(samples("c", 35)) {
        sample.put(&store).unwrap();
        assert_eq!(store.len().unwrap(), count);
        // What is in the file while it is open is what a process that dies leaves behind.
        fs::copy(&path, &copy).unwrap();
        let left = DiskStore::open(&copy).unwrap();
        assert_eq!(left.len().unwrap(), count / 10 * 10);
    }
    store.commit().unwrap();
    fs::copy(&path, &copy).unwrap();
    assert_eq!(DiskStore::open(&copy).unwrap().len().unwrap(), 35);
}

#[test]
fn large_puts_wait_for_no_group() {
    let directory = fast_directory();
    let path = directory.path().join("sites");
    let copy = directory.path().join("copy");
    let store = DiskStore::open(&path).unwrap().with_commit_every(1_000);
    for number in 0..40_u8 {
        let body = vec![number; MAX_KEPT_BODY];
        let origin = origin(&format!("https://{number}.example"));
        store
            .put(&origin, &site_with(&body), Some(&body[..]))
            .unwrap();
    }
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
fn equal_bodies_are_kept_once() {
    let directory = fast_directory();
    let path = directory.path().join("sites");
    let store = DiskStore::open(&path).unwrap().with_commit_every(100);
    let body = vec![b'#'; MAX_KEPT_BODY];
    let site = site_with(&body);
    for number in 0..100 {
        let origin = origin(&format!("https://{number}.example"));
        // Once it is there, it need not be given.
        let given = (number < 50).then_some(body.as_slice());
        store.put(&origin, &site, given).unwrap();
    }
    drop(store);
    assert!(fs::metadata(&path).unwrap().len() < 10 * 1_024 * 1_024);
}

#[test]
fn a_tdmrep_is_kept_beside_robots_txt() {
    let directory = fast_directory();
    let store = DiskStore::open(directory.path().join("sites")).unwrap();
    let a = origin("https://a.example");
    let (robots, tdmrep) = (b"Disallow:", b"[]");
    let mut site = site_with(robots);
    site.tdmrep = Some(BodyKey::of(tdmrep));
    store.put(&a, &site, [&tdmrep[..], robots]).unwrap();
    assert_eq!(store.get(&a).unwrap(), Some(site.clone()));
    let kept = store.body(&BodyKey::of(tdmrep)).unwrap();
    assert_eq!(kept.as_deref(), Some(&tdmrep[..]));
    let long = vec![b' '; MAX_TDMREP_BYTES];
    site.tdmrep = Some(BodyKey::of(&long));
    store.put(&a, &site, Some(&long[..])).unwrap();
    assert_eq!(store.body(&BodyKey::of(&long)).unwrap(), Some(long));
}

#[test]
fn limits() {
    let directory = fast_directory();
    let store = DiskStore::open(directory.path().join("sites")).unwrap();
    let a = origin("https://a.example");
    for (bytes, limit) in [
        (MAX_KEPT_BODY - 1, None),
        (MAX_KEPT_BODY, None),
        (MAX_KEPT_BODY + 1, Some(MAX_KEPT_BODY)),
        (MAX_TDMREP_BYTES + 1, Some(MAX_KEPT_BODY)),
    ] {
        let body = vec![b'x'; bytes];
        let put = store.put(&a, &site_with(&body), Some(&body[..]));
        let too_long = limit.map(|limit| StoreErrorKind::BodyTooLong { bytes, limit });
        assert_eq!(kind(put), too_long, "{bytes}");
    }
    let body = b"x";
    let mut site = site_with(body);
    store.put(&a, &site, Some(&body[..])).unwrap();
    for bytes in [
        MAX_KEPT_VALIDATOR - 1,
        MAX_KEPT_VALIDATOR,
        MAX_KEPT_VALIDATOR + 1,
    ] {
        let too_long =
            (bytes > MAX_KEPT_VALIDATOR).then_some(StoreErrorKind::ValidatorTooLong { bytes });
        site.etag = Some("x".repeat(bytes));
        assert_eq!(kind(store.put(&a, &site, None)), too_long, "{bytes}");
        site.last_modified = site.etag.take();
        assert_eq!(kind(store.put(&a, &site, None)), too_long, "{bytes}");
        site.last_modified = None;
    }
    // Hosts of other schemes than HTTP's can be of any length.
    for bytes in [MAX_KEPT_ORIGIN - 1, MAX_KEPT_ORIGIN, MAX_KEPT_ORIGIN + 1] {
        let host = "x".repeat(bytes - "ftpx://".len());
        let long = origin(&format!("ftpx://{host}"));
        assert_eq!(long.to_string().len(), bytes);
        let too_long = (bytes > MAX_KEPT_ORIGIN).then_some(StoreErrorKind::OriginTooLong { bytes });
        assert_eq!(kind(store.put(&long, &site, None)), too_long, "{bytes}");
        assert_eq!(
            store.get(&long).unwrap().is_some(),
            bytes <= MAX_KEPT_ORIGIN
        );
    }
}

#[test]
fn every_name_has_its_body() {
    let directory = fast_directory();
    let store = DiskStore::open(directory.path().join("sites")).unwrap();
    let a = origin("https://a.example");
    let site = site_with(b"one");
    let (one, two) = (BodyKey::of(b"one"), BodyKey::of(b"two"));
    let missing = store.put(&a, &site, None);
    assert_eq!(
        kind(missing),
        Some(StoreErrorKind::BodyMissing { key: one })
    );
    let not_named = store.put(&a, &site, Some(&b"two"[..]));
    assert_eq!(
        kind(not_named),
        Some(StoreErrorKind::BodyNotNamed { key: two })
    );
    let mut both = site.clone();
    both.tdmrep = Some(two);
    let missing = store.put(&a, &both, Some(&b"one"[..]));
    assert_eq!(
        kind(missing),
        Some(StoreErrorKind::BodyMissing { key: two })
    );
    // Nothing of that was kept, and the store goes on.
    assert!(store.is_empty().unwrap());
    assert_eq!(store.body(&one).unwrap(), None);
    store.put(&a, &site, Some(&b"one"[..])).unwrap();
}

#[test]
fn tidying_drops_what_no_origin_has() {
    let directory = fast_directory();
    let path = directory.path().join("sites");
    let mut store = DiskStore::open(&path).unwrap().with_commit_every(50);
    let a = origin("https://a.example");
    let mut bodies = Vec::new();
    for number in 0..30_u8 {
        let body = vec![number; 100_000];
        store.put(&a, &site_with(&body), Some(&body[..])).unwrap();
        bodies.push(body);
    }
    let samples = samples("e", 300);
    for sample in &samples {
        sample.put(&store).unwrap();
    }
    store.commit().unwrap();
    let before = fs::metadata(&path).unwrap().len();
    store.tidy().unwrap();
    let after = fs::metadata(&path).unwrap().len();
    assert!(after < before / 2, "{before} {after}");
    let last = bodies.pop().unwrap();
    assert_eq!(store.body(&BodyKey::of(&last)).unwrap(), Some(last));
    for body in bodies {
        assert_eq!(store.body(&BodyKey::of(&body)).unwrap(), None);
    }
    // It goes on, and nothing else was lost.
    Sample::new("f", 1).put(&store).unwrap();
    store.tidy().unwrap();
    assert_eq!(store.verify().unwrap(), Integrity::Whole);
    drop(store);
    let store = DiskStore::open(&path).unwrap();
    assert_eq!(store.len().unwrap(), 302);
    for sample in &samples {
        sample.check(&store);
    }
}

#[test]
fn only_one_has_it_open() {
    let directory = fast_directory();
    let path = directory.path().join("sites");
    let store = DiskStore::open(&path).unwrap();
    for open in [open_verified, open_unverified] {
        let error = open(&path).unwrap_err();
        assert_eq!(*error.kind(), StoreErrorKind::InUse);
        assert_eq!(error.path(), path);
        let message = format!("the store \"{}\" is open already", path.display());
        assert_eq!(error.to_string(), message);
    }
    Sample::new("g", 0).put(&store).unwrap();
    drop(store);
    assert_eq!(DiskStore::open(&path).unwrap().len().unwrap(), 1);
}

#[test]
fn where_no_file_can_be() {
    let directory = fast_directory();
    let none = directory.path().join("none/sites");
    assert_eq!(kind(DiskStore::open(none)), Some(StoreErrorKind::Io));
    let itself = DiskStore::open(directory.path());
    assert_eq!(kind(itself), Some(StoreErrorKind::Io));
}

#[test]
fn other_databases_and_versions() {
    let directory = fast_directory();
    let path = directory.path().join("other");
    let numbers: TableDefinition<'_, u64, u64> = TableDefinition::new("numbers");
    {
        let other = Database::create(&path).unwrap();
        let write = other.begin_write().unwrap();
        write
            .open_table(numbers)
            .unwrap()
            .insert(1_u64, 2_u64)
            .unwrap();
        write.commit().unwrap();
    }
    assert_eq!(
        kind(DiskStore::open(&path)),
        Some(StoreErrorKind::NotAStore)
    );
    let other = Database::open(&path).unwrap();
    let numbers = other.begin_read().unwrap().open_table(numbers).unwrap();
    assert_eq!(numbers.get(1_u64).unwrap().unwrap().value(), 2);

    let path = directory.path().join("later");
    drop(DiskStore::open(&path).unwrap());
    let set = |key: &str, value: &[u8]| {
        let store = Database::open(&path).unwrap();
        let write = store.begin_write().unwrap();
        write.open_table(META).unwrap().insert(key, value).unwrap();
        write.commit().unwrap();
    };
    set("version", &[2, 1, 0, 0]);
    let error = DiskStore::open(&path).unwrap_err();
    assert_eq!(*error.kind(), StoreErrorKind::OtherVersion { found: 258 });
    assert!(error.to_string().contains("version 258 of the format"));
    set("version", &[1]);
    assert_eq!(kind(DiskStore::open(&path)), Some(super::corrupt()));
    set("version", &[1, 0, 0, 0]);
    DiskStore::open(&path).unwrap();
    set("name", b"something else");
    assert_eq!(
        kind(DiskStore::open(&path)),
        Some(StoreErrorKind::NotAStore)
    );
}
