//! The store on disk, with restarts, kills, damage, a full disk and several processes.

mod damage;
mod full;
mod kept;
mod killed;
mod shared;

use robots_crawl::store::{OriginRecord, StoreError, StoreErrorKind};
use robots_crawl::{DiskStore, Validators};
use robots_policy::RobotsFetch;
use robots_policy::origins::Origin;
use robots_policy::robots::RobotsResponse;
use robots_policy::robots_meta::Timestamp;
use std::fmt::Write as _;
use std::path::Path;
use std::time::Duration;
use tempfile::TempDir;

/// An origin and its record, made from a name and a number.
#[derive(Debug)]
struct Sample {
    origin: Origin,
    record: OriginRecord,
}

impl Sample {
    /// Returns the sample of a name and number. The number selects the body and the outcomes of requests. It is also the
    /// value of `Last-Modified`.
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
        let mut record = OriginRecord::default();
        for (fetch, at) in events.into_iter().zip(now..) {
            let at = Some(Timestamp::from_seconds(at));
            record.add_outcome(fetch, at);
        }
        let has_copy = record.outcomes.last_success().is_some();
        let etag = has_copy.then(|| format!("\"etag {number} of {name}\""));
        record.next.validators = Validators::new(etag, Some(number.to_string()));
        Self {
            origin: Origin::of(&format!("https://{name}-{number}.example/")).unwrap(),
            record,
        }
    }

    fn put(&self, store: &DiskStore) -> Result<(), StoreError> {
        store.put(&self.origin, &self.record)
    }

    /// Checks that the store has it.
    fn check(&self, store: &DiskStore) {
        let kept = store.get(&self.origin).unwrap();
        assert_eq!(kept.as_ref(), Some(&self.record), "{}", self.origin);
    }
}

/// Returns a directory in memory, if the system has one: there an fsync takes no time.
fn fast_directory() -> TempDir {
    let memory = Path::new("/dev/shm");
    if memory.is_dir()
        && let Ok(directory) = tempfile::tempdir_in(memory)
    {
        return directory;
    }
    tempfile::tempdir().unwrap()
}

fn kind(result: Result<impl Sized, StoreError>) -> Option<StoreErrorKind> {
    result.err().map(|error| error.kind().clone())
}
