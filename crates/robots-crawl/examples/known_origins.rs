//! Measures what a process knows about many origins: `known_origins FOLDER ORIGINS [distinct]`.
//!
//! The robots.txt files of FOLDER are those of the origins, in turn; with `distinct`, each has a comment of its own. They are
//! stored on disk first, by another process. Then a process opens the store, answers its first question, loads every origin into memory, and
//! answers questions about origins in random order under one policy. Needs Linux, for the size of the process.

#![allow(
    clippy::cast_precision_loss,
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a failure ends the example"
)]

use robots_crawl::store::OriginRecord;
use robots_crawl::{DiskStore, Fetcher, KnownRobots, Validators};
use robots_policy::origins::{Origin, OriginChange};
use robots_policy::robots_meta::Timestamp;
use robots_policy::{Page, Policy, RobotsFetch};
use std::hint::black_box;
use std::path::Path;
use std::time::{Instant, SystemTime};

/// The environment variable of a process that fills a store: its path. It is another process, as memory that is free after it would
/// hide a part of what the measured one takes.
const FILLED: &str = "KNOWN_ORIGINS_FILLED";

/// The number of questions.
const QUESTIONS: usize = 200_000;

fn origin(number: usize) -> Origin {
    Origin::of(&format!("https://www.site-{number}.example/")).unwrap()
}

/// Writes the records of all origins.
fn fill(store: &DiskStore, files: &[Vec<u8>], origins: usize, is_distinct: bool) {
    let at = Some(Timestamp::from(SystemTime::now()));
    for number in 0..origins {
        let mut body = files[number % files.len()].clone();
        if is_distinct {
            body.extend_from_slice(format!("\n# {number}\n").as_bytes());
        }
        let fetch = RobotsFetch::Body(&body);
        let mut record = OriginRecord::default();
        record.apply(&OriginChange::Robots { fetch, at });
        let etag = Some(format!("\"5f3e-61a9c2d{number}\""));
        let date = Some("Wed, 12 Nov 2025 08:49:37 GMT".to_owned());
        record.next.validators = Validators::new(etag, date);
        store.put(&origin(number), &record).unwrap();
    }
    store.commit().unwrap();
}

/// Returns the memory of this process, in MB.
fn megabytes() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|line| line.starts_with("VmRSS:"));
    let kilobytes = line.unwrap().split_whitespace().nth(1).unwrap();
    kilobytes.parse::<u64>().unwrap() / 1_000
}

fn main() {
    let arguments: Vec<_> = std::env::args().collect();
    let origins: usize = arguments[2].parse().unwrap();
    let is_distinct = arguments.iter().any(|word| word == "distinct");
    let path = std::env::temp_dir().join(format!("known-origins-{}", std::process::id()));
    if let Some(path) = std::env::var_os(FILLED) {
        let mut paths: Vec<_> = std::fs::read_dir(&arguments[1])
            .unwrap()
            .map(|entry| entry.unwrap().path())
            .collect();
        paths.sort();
        let files: Vec<_> = paths
            .iter()
            .map(|path| std::fs::read(path).unwrap())
            .collect();
        let store = DiskStore::open(path).unwrap().with_commit_every(10_000);
        fill(&store, &files, origins, is_distinct);
        return;
    }
    let filling = std::process::Command::new(std::env::current_exe().unwrap())
        .args(&arguments[1..])
        .env(FILLED, &path)
        .status();
    assert!(filling.unwrap().success());
    measure(&path, origins);
    std::fs::remove_file(&path).unwrap();
}

fn measure(path: &Path, origins: usize) {
    let before = megabytes();
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let policy = Policy::new("ExampleBot").unwrap();
    let now = Timestamp::from(SystemTime::now());
    let start = Instant::now();
    let fetcher = Fetcher::builder("ExampleBot/1.0").build().unwrap();
    let known_robots = KnownRobots::builder(fetcher)
        .with_store(DiskStore::open(path).unwrap())
        .with_memory_limit(u64::MAX)
        .build();
    let opened = start.elapsed();
    let first = runtime.block_on(known_robots.of(&origin(origins / 2)));
    black_box(first.state(&policy, now));
    println!(
        "opening the store: {:.2} s; to the first answer: {:.2} s",
        opened.as_secs_f64(),
        start.elapsed().as_secs_f64()
    );
    for number in 0..origins {
        let known = runtime.block_on(known_robots.peek(&origin(number)));
        assert!(known.is_some());
    }
    let counts = known_robots.counts();
    println!(
        "{} origins in memory: {} MB of the process, of which {before} MB were there before; {} MB by its own count",
        counts.origins,
        megabytes(),
        counts.bytes / 1_000_000
    );
    let mut state = 7_u64;
    let mut times: Vec<u128> = (0..QUESTIONS)
        .map(|_| {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            let number = usize::try_from(state >> 33).unwrap() % origins;
            let origin = origin(number);
            let page = format!("https://www.site-{number}.example/news/article-{number}.html");
            let start = Instant::now();
            let known = runtime.block_on(known_robots.of(&origin));
            let state = known.state(&policy, now);
            black_box(policy.decide_under(&state, &Page::new(&page)).fetch);
            start.elapsed().as_nanos()
        })
        .collect();
    times.sort_unstable();
    assert_eq!(known_robots.counts().requests, 0);
    println!(
        "a cached answer and its decision: median {} ns, p99 {} ns",
        times[QUESTIONS / 2],
        times[QUESTIONS * 99 / 100]
    );
}
