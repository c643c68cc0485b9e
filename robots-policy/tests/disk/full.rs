//! A disk that is full: what was put before is there. The disk is a limit of the shell's on the
//! size of files.

#![cfg(unix)]

use super::{Sample, fast_directory, kind};
use robots_policy::{
    BodyKey, DiskStore, History, Integrity, KeptSite, Origin, OutcomeTable, RobotsFetch,
    StoreErrorKind,
};
use std::env;
use std::io::{self, Write as _};
use std::path::Path;
use std::process::Command;

const PATH: &str = "ROBOTS_DISK_TEST_FULL";

/// The child: puts sites until it cannot.
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
    // The store is closed for puts, and does not panic.
    assert_eq!(kind(large(0).put(&store)), Some(StoreErrorKind::Closed));
    assert_eq!(kind(store.commit()), Some(StoreErrorKind::Closed));
    let _ = store.get(&large(0).origin);
    drop(store);
    writeln!(out, "\nend").unwrap();
    out.flush().unwrap();
}

/// A sample with a body of its own, of some 20 KB.
fn large(number: u64) -> Sample {
    let body = format!("# {number}\n").repeat(3_000).into_bytes();
    let found = RobotsFetch::Body(&body);
    let mut history = History::new();
    history.record(&OutcomeTable::RFC9309, &found, None, BodyKey::of);
    Sample {
        origin: Origin::of(&format!("https://full-{number}.example")).unwrap(),
        site: KeptSite::new(history),
        body: Some(body),
    }
}

#[test]
fn what_was_put_before_the_disk_was_full_is_there() {
    let directory = fast_directory();
    let path = directory.path().join("sites");
    // The signal that such a write gives is ignored, so that it is an error. The limit is 4 MiB, or
    // 8 MiB, as shells count in other blocks.
    let limit = "trap '' XFSZ; ulimit -f 8192; exec \"$0\" \"$@\"";
    let child = Command::new("sh")
        .args(["-c", limit])
        .arg(env::current_exe().unwrap())
        .args(["full::child", "--exact", "--test-threads=1"])
        .env(PATH, &path)
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&child.stdout);
    assert!(child.status.success(), "{text}");
    assert!(text.contains("\nerror Io at "), "{text}");
    assert!(text.contains("\nend\n"), "{text}");
    let numbers = text.lines().filter_map(|line| line.strip_prefix("put "));
    let put: Vec<u64> = numbers.map(|number| number.parse().unwrap()).collect();
    assert!(put.len() > 20, "{text}");
    let mut store = DiskStore::open(&path).unwrap();
    for number in &put {
        large(*number).check(&store);
    }
    assert_eq!(store.verify().unwrap(), Integrity::Whole);
    // With room again, it goes on.
    large(1_000_000).put(&store).unwrap();
    large(1_000_000).check(&store);
}
