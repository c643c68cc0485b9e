//! A full disk: the records that were put before are still there. A limit of the shell on the size of files acts as a full
//! disk.

#![cfg(unix)]

use super::{Sample, fast_directory, kind};
use robots_crawl::store::{MIN_REOPEN_PAUSE, OriginRecord, StoreErrorKind};
use robots_crawl::{CrawlStore, DiskStore};
use robots_policy::origins::Origin;
use robots_policy::origins::OriginChange;
use robots_policy::{Fetch, Page, Policy, RobotsFetch};
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use std::env;
use std::io::{self, Write as _};
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::time::{Duration, Instant};

const PATH: &str = "ROBOTS_DISK_TEST_FULL";
const ROOM_PATH: &str = "ROBOTS_DISK_TEST_FULL_ROOM";
const POLICY_PATH: &str = "ROBOTS_DISK_TEST_FULL_POLICY";

/// The child: puts records until an error, and prints the number of each. Does nothing unless [`run`] has started it, with
/// the path of the store in a variable.
#[test]
fn child() {
    let Some(path) = env::var_os(PATH) else {
        return;
    };
    let store = DiskStore::open(Path::new(&path)).unwrap();
    let mut out = io::stdout().lock();
    for number in 0.. {
        let sample = large(number);
        match sample.put(&store) {
            Ok(()) => writeln!(out, "\nput {number}").unwrap(),
            Err(error) => {
                writeln!(out, "\nerror {:?} at {number}", error.kind()).unwrap();
                break;
            }
        }
    }
    // For a pause, the store is closed for puts. It is read as before, and a commit tries again.
    assert_eq!(kind(large(0).put(&store)), Some(StoreErrorKind::Closed));
    assert_eq!(kind(store.commit()), Some(StoreErrorKind::Io));
    large(0).check(&store);
    drop(store);
    writeln!(out, "\nend").unwrap();
    out.flush().unwrap();
}

/// The child: puts records until the disk is full, and continues when it has room, with the same store. Does nothing unless [`run`]
/// has started it.
#[test]
fn child_with_room_later() {
    let Some(path) = env::var_os(ROOM_PATH) else {
        return;
    };
    let store = DiskStore::open(Path::new(&path)).unwrap();
    let full_at = (0..10_000).find(|number| large(*number).put(&store).is_err());
    let full_at = full_at.unwrap();
    // What was put before can be read, and so can the record that is not on the disk yet.
    for number in 0..=full_at {
        large(number).check(&store);
    }
    let limit = getrlimit(Resource::Fsize);
    let room = Rlimit {
        current: limit.maximum,
        ..limit
    };
    setrlimit(Resource::Fsize, room).unwrap();
    let start = Instant::now();
    let mut refusals = 0;
    while let Err(error) = large(full_at + 1).put(&store) {
        assert_eq!(*error.kind(), StoreErrorKind::Closed, "{error:?}");
        assert!(start.elapsed() < Duration::from_secs(30));
        refusals += 1;
        std::thread::sleep(Duration::from_millis(20));
    }
    assert!(start.elapsed() <= MIN_REOPEN_PAUSE * 5, "{refusals}");
    for number in full_at + 2..full_at + 10 {
        large(number).put(&store).unwrap();
    }
    let mut out = io::stdout().lock();
    writeln!(out, "\nfull at {full_at}, {refusals} refusals").unwrap();
    out.flush().unwrap();
}

/// A sample with a body of its own, of some 20 KB.
fn large(number: u64) -> Sample {
    let body = format!("# {number}\n").repeat(3_000).into_bytes();
    let fetch = RobotsFetch::Body(&body);
    let mut record = OriginRecord::default();
    record.apply(&OriginChange::Robots { fetch, at: None });
    Sample {
        origin: Origin::of(&format!("https://full-{number}.example")).unwrap(),
        record,
    }
}

/// Runs a child on a disk that becomes full, and returns its output.
fn run(child: &str, variable: &str, path: &Path) -> String {
    // A write past the limit sends SIGXFSZ. The signal is ignored, so that the write fails. Shells count 8,192 blocks as
    // 4 MiB or as 8 MiB.
    let limit = "trap '' XFSZ; ulimit -S -f 8192; exec \"$0\" \"$@\"";
    let output = Command::new("sh")
        .args(["-c", limit])
        .arg(env::current_exe().unwrap())
        .args([child, "--exact", "--test-threads=1"])
        .env(variable, path)
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{text}");
    text
}

#[test]
fn puts_before_the_disk_was_full_are_there() {
    let directory = fast_directory();
    let path = directory.path().join("sites");
    let text = run("full::child", PATH, &path);
    assert!(text.contains("\nerror Io at "), "{text}");
    assert!(text.contains("\nend\n"), "{text}");
    let numbers = text.lines().filter_map(|line| line.strip_prefix("put "));
    let put: Vec<u64> = numbers.map(|number| number.parse().unwrap()).collect();
    // At 20 KB each, the smaller limit of 4 MiB has room for far more.
    assert!(put.len() > 20, "{text}");
    let store = DiskStore::open(&path).unwrap();
    assert!(store.warning().is_none(), "{:?}", store.warning());
    for number in &put {
        large(*number).check(&store);
    }
    // With room again, it accepts puts.
    large(1_000_000).put(&store).unwrap();
    large(1_000_000).check(&store);
}

#[test]
fn a_store_continues_when_its_disk_has_room() {
    let directory = fast_directory();
    let path = directory.path().join("sites");
    let text = run("full::child_with_room_later", ROOM_PATH, &path);
    let ends = text.lines().find_map(|line| line.strip_prefix("full at "));
    let ends = ends
        .and_then(|line| line.strip_suffix(" refusals"))
        .unwrap();
    let (full_at, refusals) = ends.split_once(", ").unwrap();
    assert!(refusals.parse::<u64>().unwrap() > 0, "{text}");
    let store = DiskStore::open(&path).unwrap();
    assert!(store.warning().is_none(), "{:?}", store.warning());
    let end = full_at.parse::<u64>().unwrap() + 10;
    assert_eq!(store.len().unwrap(), end);
    for number in 0..end {
        large(number).check(&store);
    }
}

/// A policy with a store on disk.
fn policy(path: &Path) -> (Policy, Arc<CrawlStore>) {
    let store = Arc::new(CrawlStore::on_disk(DiskStore::open(path).unwrap()));
    (Policy::new("a").unwrap().with_origins(store.clone()), store)
}

fn url(number: u64) -> String {
    format!("https://full-{number}.example/x")
}

/// Returns a different robots.txt for each number, of some 20 KB. It forbids the page of [`url`] if the number is even.
fn robots_txt(number: u64) -> Vec<u8> {
    let path = if number.is_multiple_of(2) { "x" } else { "y" };
    let noise = format!("# {number}\n").repeat(3_000);
    format!("User-agent: *\nDisallow: /{path}\n{noise}").into_bytes()
}

fn expected(number: u64) -> Fetch {
    if number.is_multiple_of(2) {
        Fetch::Disallow
    } else {
        Fetch::Allow
    }
}

/// The child: learns until the disk has failed three times. Does nothing unless [`run`] has started it.
#[test]
fn policy_child() {
    let Some(path) = env::var_os(POLICY_PATH) else {
        return;
    };
    let (policy, store) = policy(Path::new(&path));
    let mut out = io::stdout().lock();
    let mut failures = 0;
    for number in 0.. {
        let learned = policy.learn(&url(number), RobotsFetch::Body(&robots_txt(number)));
        learned.unwrap();
        match store.disk_error() {
            None if failures == 0 => writeln!(out, "\nkept {number}").unwrap(),
            None => panic!("a disk that failed keeps nothing more"),
            Some(error) => {
                writeln!(out, "\nerror {:?} at {number}", error.kind()).unwrap();
                failures += 1;
            }
        }
        // Decisions continue from memory.
        let fetch = policy.decide_page(&Page::new(&url(number))).fetch;
        assert_eq!(fetch, expected(number), "{number}");
        if failures == 3 {
            break;
        }
    }
    drop((policy, store));
    writeln!(out, "\nend").unwrap();
    out.flush().unwrap();
}

#[test]
fn a_policy_decides_with_a_full_disk_and_after_a_restart() {
    let directory = fast_directory();
    let path = directory.path().join("sites");
    let text = run("full::policy_child", POLICY_PATH, &path);
    assert!(text.contains("\nerror Io at "), "{text}");
    assert!(text.contains("\nerror Closed at "), "{text}");
    assert!(text.contains("\nend\n"), "{text}");
    let numbers = text.lines().filter_map(|line| line.strip_prefix("kept "));
    let kept: Vec<u64> = numbers.map(|number| number.parse().unwrap()).collect();
    // As for the puts above.
    assert!(kept.len() > 20, "{text}");
    let (policy, store) = policy(&path);
    for &number in &kept {
        let fetch = policy.decide_page(&Page::new(&url(number))).fetch;
        assert_eq!(fetch, expected(number), "{number}");
    }
    assert!(store.disk_error().is_none());
}
