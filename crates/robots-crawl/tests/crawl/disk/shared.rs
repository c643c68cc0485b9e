//! Several processes that read and write one store at once.

use super::{Sample, fast_directory};
use robots_crawl::DiskStore;
use std::env;
use std::path::Path;
use std::process::Command;

/// The variable of the child's environment that has the path of the store. Without it, `child` returns at once.
const PATH: &str = "ROBOTS_DISK_TEST_SHARED";

/// The variable that has the name of the child.
const NAME: &str = "ROBOTS_DISK_TEST_NAME";

const SAMPLES: u64 = 150;

/// Puts samples of this name, and reads them and those of the other names. Each process also writes the origin that all share.
fn put_and_read(path: &Path, name: &str) {
    let store = DiskStore::open(path).unwrap();
    let shared = Sample::new("shared", 1);
    for number in 0..SAMPLES {
        let sample = Sample::new(name, number);
        sample.put(&store).unwrap();
        sample.check(&store);
        shared.put(&store).unwrap();
        shared.check(&store);
        for other in ["a", "b", "c"] {
            let other = Sample::new(other, number);
            let kept = store.get(&other.origin).unwrap();
            assert!(kept.is_none_or(|kept| kept == other.record));
        }
    }
    assert!(store.warning().is_none());
}

#[test]
fn child() {
    if let Some(path) = env::var_os(PATH) {
        put_and_read(Path::new(&path), &env::var(NAME).unwrap());
    }
}

#[test]
fn processes_read_and_write_at_once() {
    let directory = fast_directory();
    let path = directory.path().join("sites");
    // None of them finds the file.
    let children = ["a", "b"].map(|name| {
        Command::new(env::current_exe().unwrap())
            .args(["disk::shared::child", "--exact", "--test-threads=1"])
            .env(PATH, &path)
            .env(NAME, name)
            .spawn()
            .unwrap()
    });
    put_and_read(&path, "c");
    for mut child in children {
        assert!(child.wait().unwrap().success());
    }
    let store = DiskStore::open_existing(&path).unwrap();
    assert_eq!(store.origins().unwrap(), 3 * SAMPLES + 1);
    for name in ["a", "b", "c"] {
        for number in 0..SAMPLES {
            Sample::new(name, number).check(&store);
        }
    }
}
