//! A full disk: the records that were put before are still there. A limit of the shell on the size of files acts as a full
//! disk.

#![cfg(unix)]

use super::{Sample, fast_directory, kind};
use robots_crawl::DiskStore;
use robots_crawl::store::{OriginRecord, StoreErrorKind};
use robots_policy::RobotsFetch;
use robots_policy::origins::Origin;
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use std::env;
use std::io::{self, Write as _};
use std::path::Path;
use std::process::Command;

const PATH: &str = "ROBOTS_DISK_TEST_FULL";

/// The child: puts records until the disk is full, and continues when it has room, with the same store. Prints the number of each
/// record. Does nothing unless [`run`] has started it, with the path of the store in a variable.
#[test]
fn child() {
    let Some(path) = env::var_os(PATH) else {
        return;
    };
    let store = DiskStore::open(Path::new(&path)).unwrap();
    let mut out = io::stdout().lock();
    let mut put = |number| {
        let result = large(number).put(&store);
        if result.is_ok() {
            writeln!(out, "\nput {number}").unwrap();
        }
        result
    };
    let full_at = (0..10_000).find(|number| {
        let result = put(*number);
        assert!(result.is_ok() || kind(result) == Some(StoreErrorKind::Io));
        store.get(&large(*number).origin).unwrap().is_none()
    });
    let full_at = full_at.unwrap();
    // What was put before can be read, and a further put fails, too.
    for number in 0..full_at {
        large(number).check(&store);
    }
    assert_eq!(kind(put(full_at)), Some(StoreErrorKind::Io));
    let limit = getrlimit(Resource::Fsize);
    let room = Rlimit {
        current: limit.maximum,
        ..limit
    };
    setrlimit(Resource::Fsize, room).unwrap();
    for number in full_at + 1..full_at + 10 {
        put(number).unwrap();
    }
    writeln!(out, "\nend").unwrap();
    out.flush().unwrap();
}

/// A sample with a body of its own, of some 20 KB.
fn large(number: u64) -> Sample {
    let body = format!("# {number}\n").repeat(3_000).into_bytes();
    let mut record = OriginRecord::default();
    record.add_outcome(RobotsFetch::Body(&body), None);
    Sample {
        origin: Origin::of(&format!("https://full-{number}.example")).unwrap(),
        record,
    }
}

/// Runs the child on a disk that becomes full, and returns its output.
fn run(path: &Path) -> String {
    // A write past the limit sends SIGXFSZ. The signal is ignored, so that the write fails. Shells count 8,192 blocks as
    // 4 MiB or as 8 MiB.
    let limit = "trap '' XFSZ; ulimit -S -f 8192; exec \"$0\" \"$@\"";
    let output = Command::new("sh")
        .args(["-c", limit])
        .arg(env::current_exe().unwrap())
        .args(["disk::full::child", "--exact", "--test-threads=1"])
        .env(PATH, path)
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{text}");
    text
}

#[test]
fn puts_before_the_disk_was_full_are_there_and_those_after_it() {
    let directory = fast_directory();
    let path = directory.path().join("sites");
    let text = run(&path);
    assert!(text.contains("\nend\n"), "{text}");
    let numbers = text.lines().filter_map(|line| line.strip_prefix("put "));
    let put: Vec<u64> = numbers.map(|number| number.parse().unwrap()).collect();
    // At 20 KB each, the smaller limit of 4 MiB has room for far more.
    assert!(put.len() > 20, "{text}");
    let store = DiskStore::open(&path).unwrap();
    assert!(store.warning().is_none(), "{:?}", store.warning());
    assert_eq!(store.origins().unwrap(), put.len() as u64);
    for number in &put {
        large(*number).check(&store);
    }
}
