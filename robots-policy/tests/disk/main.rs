//! The store on disk: what goes in comes out, after restarts, kills, damage and a full disk.
//!
//! Some tests start this program again as a child, which works on a store until it is killed or
//! cannot write any more.

#![cfg(feature = "disk")]
#![allow(
    clippy::arithmetic_side_effects,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a failure here fails the test"
)]

mod damage;
mod full;
mod kept;
mod killed;

use robots_policy::robots_meta::Timestamp;
use robots_policy::{
    BodyKey, DiskStore, History, KeptSite, Origin, OutcomeTable, RobotsFetch, RobotsResponse,
    StoreError, StoreErrorKind,
};
use std::fmt::Write as _;
use std::path::Path;
use std::time::Duration;
use tempfile::TempDir;

/// A site that a name and a number stand for, and its body.
#[derive(Debug)]
struct Sample {
    origin: Origin,
    site: KeptSite,
    body: Option<Vec<u8>>,
}

impl Sample {
    /// Its number is in its `Last-Modified`. Fifty bodies are shared by all.
    fn new(name: &str, number: u64) -> Self {
        let now = 1_763_000_000 + i64::try_from(number).unwrap();
        let variant = number % 50;
        let mut body = format!("# body {variant} of {name}\nUser-agent: *\nDisallow: /{variant}\n");
        for line in 0..variant {
            writeln!(body, "Disallow: /{line}/some/folder").unwrap();
        }
        let body = body.into_bytes();
        let fresh = RobotsResponse::new(200, &body).fresh_for(Duration::from_secs(number));
        let found = RobotsFetch::Body(&body);
        let events = match number % 5 {
            0 => vec![found],
            1 => vec![RobotsFetch::Response(fresh), RobotsFetch::Status(503)],
            2 => vec![found, RobotsFetch::Status(404)],
            3 => vec![RobotsFetch::Unreachable],
            _ => vec![found, RobotsFetch::Status(304)],
        };
        let mut history = History::new();
        for (event, at) in events.into_iter().zip(now..) {
            let at = Some(Timestamp::from_seconds(at));
            history.record(&OutcomeTable::RFC9309, &event, at, BodyKey::of);
        }
        let has_copy = !matches!(number % 5, 2 | 3);
        let mut site = KeptSite::new(history);
        site.etag = has_copy.then(|| format!("\"etag {number} of {name}\""));
        site.last_modified = Some(number.to_string());
        Self {
            origin: Origin::of(&format!("https://{name}-{number}.example/")).unwrap(),
            site,
            body: has_copy.then_some(body),
        }
    }

    fn put(&self, store: &DiskStore) -> Result<(), StoreError> {
        store.put(&self.origin, &self.site, self.body.as_deref())
    }

    /// Looks whether it is kept, whole.
    fn check(&self, store: &DiskStore) {
        let kept = store.get(&self.origin).unwrap();
        assert_eq!(kept.as_ref(), Some(&self.site), "{}", self.origin);
        if let Some(body) = &self.body {
            let kept = store.body(&BodyKey::of(body)).unwrap();
            assert_eq!(kept.as_ref(), Some(body), "{}", self.origin);
        }
    }
}

/// Numbers that look random, and are the same each time (Marsaglia's xorshift of 64 bits).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn below(&mut self, limit: usize) -> usize {
        usize::try_from(self.next() % u64::try_from(limit).unwrap()).unwrap()
    }

    fn bytes(&mut self, count: usize) -> Vec<u8> {
        (0..count).map(|_| self.next().to_le_bytes()[3]).collect()
    }
}

/// A directory in memory, if the system has such: there an fsync takes no time.
fn fast_directory() -> TempDir {
    let memory = Path::new("/dev/shm");
    if memory.is_dir()
        && let Ok(directory) = tempfile::tempdir_in(memory)
    {
        return directory;
    }
    tempfile::tempdir().unwrap()
}

fn open_verified(path: &Path) -> Result<DiskStore, StoreError> {
    DiskStore::open(path)
}

fn open_unverified(path: &Path) -> Result<DiskStore, StoreError> {
    DiskStore::open_unverified(path)
}

fn kind(result: Result<impl Sized, StoreError>) -> Option<StoreErrorKind> {
    result.err().map(|error| error.kind().clone())
}

fn corrupt() -> StoreErrorKind {
    StoreErrorKind::Corrupt { origin: None }
}
