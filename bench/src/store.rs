//! The facts about a million origins, in memory and on disk. The files are those of the corpus, in
//! turn; the origins are generated.

use crate::alloc::counted;
use crate::corpus::{AGENT, File, Numbers};
use crate::measure::{figure, print_ours};
use robots_crawl::DiskStore;
use robots_crawl::store::OriginRecord;
use robots_policy::origins::Origin;
use robots_policy::robots_meta::Timestamp;
use robots_policy::{Page, Policy, RobotsFetch};
use std::hint::black_box;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;

const ORIGINS: usize = 1_000_000;

/// The number of questions, about origins in random order.
const QUESTIONS: usize = 200_000;

fn url(origin: usize) -> String {
    format!("https://www.site-{origin}.example/news/article-{origin}.html")
}

/// Learns of every origin.
fn fill(policy: &Policy, files: &[File]) {
    let at = Timestamp::from_seconds(1_700_000_000);
    for origin in 0..ORIGINS {
        let file = &files[origin % files.len()];
        policy
            .learn_at(&url(origin), RobotsFetch::Body(&file.body), at)
            .expect("it is a URL");
    }
}

/// Returns the times of questions, sorted, in nanoseconds.
fn times(mut ask: impl FnMut(&str)) -> Vec<f64> {
    let mut numbers = Numbers::new(7);
    let mut times: Vec<f64> = (0..QUESTIONS)
        .map(|_| {
            let url = url(numbers.below(ORIGINS));
            let start = Instant::now();
            ask(&url);
            start.elapsed().as_nanos() as f64
        })
        .collect();
    times.sort_unstable_by(f64::total_cmp);
    times
}

fn print_times(row: &str, times: &[f64]) {
    let at = |part: usize| figure(times[times.len() * part / 100]);
    let total: f64 = times.iter().sum();
    let rate = times.len() as f64 / total * 1e9;
    let ours = format!(
        "median {} ns, p99 {} ns, {rate:.0} a second",
        at(50),
        at(99)
    );
    print_ours(row, ours, "");
}

pub fn bench(files: &[File]) {
    let policy = || Policy::new(AGENT).unwrap().without_reasons();
    let decide = |policy: &Policy, url: &str| {
        black_box(policy.decide_page(&Page::new(url)));
    };
    let (in_memory, count) = counted(|| {
        let policy = policy().with_store_limit(u64::MAX);
        fill(&policy, files);
        policy
    });
    assert_eq!(in_memory.known_origins(), ORIGINS);
    let bytes = count.live as f64 / ORIGINS as f64;
    print_ours(
        "store, a million origins in memory",
        format!("{} bytes an origin", figure(bytes)),
        "",
    );
    let asked = times(|url| {
        black_box(in_memory.ask_again_at(url).ok());
    });
    print_times("store, look-up in memory", &asked);
    print_times(
        "store, decision about a URL by what is in memory",
        &times(|url| decide(&in_memory, url)),
    );
    drop(in_memory);

    let folder = std::env::temp_dir().join(format!("robots-bench-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder can be made");
    on_disk(&folder.join("origins"), files);
    std::fs::remove_dir_all(&folder).ok();
}

fn on_disk(path: &Path, files: &[File]) {
    let start = Instant::now();
    let disk = DiskStore::open(path).expect("the store opens");
    let at = Some(Timestamp::from_seconds(1_700_000_000));
    for number in 0..ORIGINS {
        let mut record = OriginRecord::default();
        let body = &files[number % files.len()].body;
        record.add_outcome(RobotsFetch::Body(body), at);
        let origin = Origin::of(&url(number)).expect("it is a URL");
        disk.put(&origin, &record).expect("it can be written");
    }
    let rate = ORIGINS as f64 / start.elapsed().as_secs_f64();
    drop(disk);
    let bytes = std::fs::metadata(path).map_or(0, |file| file.len());
    print_ours(
        "store, a million origins on disk",
        format!(
            "{} bytes an origin; learned at {rate:.0} a second",
            figure(bytes as f64 / ORIGINS as f64)
        ),
        "",
    );
    let start = Instant::now();
    let disk = DiskStore::open(path).expect("the store opens");
    print_ours(
        "store, opening",
        format!("{:.2} s", start.elapsed().as_secs_f64()),
        "",
    );
    let get = |url: &str| {
        let origin = Origin::of(url).expect("it is a URL");
        black_box(disk.get(&origin).expect("it can be read"));
    };
    print_times("store, look-up on disk, warm", &times(get));
    drop(disk);
    cold(path);
}

/// Measures look-ups in a store that neither the program nor the system has in memory.
fn cold(path: &Path) {
    // This makes the system drop those pages of the file from memory that are on disk.
    let dropped = Command::new("dd")
        .args(["count=0", "oflag=nocache", "conv=notrunc,fdatasync"])
        .arg(format!("of={}", path.display()))
        .stderr(Stdio::null())
        .status();
    let is_dropped = dropped.is_ok_and(|status| status.success());
    let before = read_from_disk();
    let disk = DiskStore::open(path).expect("the store opens");
    let asked = times(|url| {
        let origin = Origin::of(url).expect("it is a URL");
        black_box(disk.get(&origin).expect("it can be read"));
    });
    let row = match (is_dropped, before, read_from_disk()) {
        (true, Some(before), Some(after)) => format!(
            "store, look-up on disk, cold ({:.0} MB read from it)",
            (after - before) as f64 / 1e6
        ),
        _ => "store, look-up on disk, cold (how cold is not known)".to_owned(),
    };
    print_times(&row, &asked);
}

/// Returns the number of bytes that this process has read from disk, as Linux counts them.
fn read_from_disk() -> Option<u64> {
    let counts = std::fs::read_to_string("/proc/self/io").ok()?;
    let line = counts.lines().find(|line| line.starts_with("read_bytes"))?;
    line.split(' ').nth(1)?.parse().ok()
}
