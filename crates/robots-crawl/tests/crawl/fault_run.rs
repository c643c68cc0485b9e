//! Many origins with faults of all kinds, many tasks, and a crawler that is killed at random moments and started again on
//! the same disk. At the end every origin is decided as the outcome table says. Each origin was requested once, at most
//! once more for each kill, and at most once more for each minute after a failure.
//!
//! The servers have addresses of this machine, 127.0.0.0/8. `ROBOTS_FAULT_ORIGINS` is the number of origins (600; the run
//! that RESULTS.md records has 10,000), `ROBOTS_FAULT_KILLS` the number of kills (6).

use crate::faulty_sites::{Counts, KINDS, address, serve, url};
use fastrand::Rng;
use robots_crawl::store::FileBytes;
use robots_crawl::{Crawler, DiskStore, Fetcher};
use robots_policy::origins::Origin;
use robots_policy::robots_meta::Timestamp;
use robots_policy::{Fetch, Page, Policy, RobotsFetch};
use std::collections::BTreeMap;
use std::env;
use std::io::{BufRead, BufReader, Write as _};
use std::net::Ipv4Addr;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant, SystemTime};
use tokio::net::TcpListener;

/// The environment variable with the path of the crawler's store. Only the crawler's process has it.
const DISK: &str = "ROBOTS_FAULT_RUN_DISK";

/// The environment variable with the port of the servers.
const PORT: &str = "ROBOTS_FAULT_RUN_PORT";

/// The number of requests that the crawler makes at once.
const TASKS: usize = 64;

pub(crate) fn number(name: &str, default: usize) -> usize {
    env::var(name).map_or(default, |value| value.parse().unwrap())
}

fn origins() -> usize {
    number("ROBOTS_FAULT_ORIGINS", 600)
}

/// The outcome of a request to a site of this kind.
pub(crate) fn outcome(kind: &str) -> RobotsFetch<'static> {
    const RULES: &[u8] = b"User-agent: *\nDisallow: /x\n";
    match kind {
        "rules" | "moved" => RobotsFetch::Body(RULES),
        "empty" => RobotsFetch::Body(b""),
        "loop" | "file" => RobotsFetch::TooManyRedirects,
        "reset" | "silent" | "short" | "garbled" => RobotsFetch::Unreachable,
        status => RobotsFetch::Status(status.parse().unwrap()),
    }
}

fn policy() -> Policy {
    Policy::new("FaultBot").unwrap()
}

fn store(disk: &Path) -> DiskStore {
    let disk = DiskStore::open(disk).unwrap();
    assert!(disk.warning().is_none());
    disk
}

/// The crawler, which the other test runs as a process of its own ([`run`]): requests every origin's robots.txt, in a
/// pseudorandom order, and prints each origin that has an outcome. In the process of the other test it does nothing.
#[test]
fn child() {
    let Some(disk) = env::var_os(DISK) else {
        return;
    };
    let port: u16 = env::var(PORT).unwrap().parse().unwrap();
    let fetcher = Fetcher::builder("FaultBot/1.0")
        .allow_private_addresses()
        .with_retries(0)
        .with_requests_at_once(TASKS)
        .with_connect_timeout(Duration::from_millis(500))
        .with_idle_timeout(Duration::from_millis(500))
        .build()
        .unwrap();
    let crawler = Crawler::builder(policy(), fetcher)
        .with_store(store(Path::new(&disk)))
        .build();
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .unwrap();
    // Ends the line that the test harness has begun.
    println!();
    let next = Arc::new(AtomicUsize::new(0));
    // Each run begins at another origin.
    let start = usize::try_from(std::process::id()).unwrap();
    runtime.block_on(async {
        let tasks: Vec<_> = (0..TASKS)
            .map(|_| {
                let (crawler, next) = (crawler.clone(), Arc::clone(&next));
                tokio::spawn(async move {
                    loop {
                        let turn = next.fetch_add(1, Ordering::SeqCst);
                        if turn >= origins() {
                            return;
                        }
                        // 7,919 is a prime, so each origin occurs once, unless their number is a multiple of it.
                        let origin = (start + turn * 7_919) % origins();
                        crawler.robots(&url(origin, port)).await.unwrap();
                        crawler.known_robots().flush().await;
                        let mut out = std::io::stdout().lock();
                        writeln!(out, "known {origin}").unwrap();
                    }
                })
            })
            .collect();
        for task in tasks {
            task.await.unwrap();
        }
    });
    assert!(crawler.known_robots().health().store_error.is_none());
    println!("done");
}

/// Runs the crawler until it is done, or kills it after this time. Returns the origins that it printed, and whether it was
/// done.
fn run(disk: &Path, port: u16, limit: Option<Duration>) -> (Vec<usize>, bool) {
    let mut child = Command::new(env::current_exe().unwrap())
        .args([
            "fault_run::child",
            "--exact",
            "--test-threads=1",
            "--nocapture",
        ])
        .env(DISK, disk)
        .env(PORT, port.to_string())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let pipe = child.stdout.take().unwrap();
    let reader = std::thread::spawn(move || {
        let mut known = Vec::new();
        let mut is_done = false;
        for line in BufReader::new(pipe).split(b'\n') {
            let line = String::from_utf8(line.unwrap()).unwrap();
            is_done |= line == "done";
            if let Some(origin) = line.strip_prefix("known ") {
                // The last line may be cut by the kill.
                known.extend(
                    origin
                        .parse::<usize>()
                        .ok()
                        .filter(|origin| *origin < origins()),
                );
            }
        }
        (known, is_done)
    });
    if let Some(limit) = limit {
        std::thread::sleep(limit);
        child.kill().unwrap();
    }
    child.wait().unwrap();
    reader.join().unwrap()
}

#[test]
fn every_origin_is_decided_and_none_is_requested_too_often() {
    let kills = number("ROBOTS_FAULT_KILLS", 6);
    let folder = tempfile::tempdir().unwrap();
    let disk = folder.path().join("origins");
    let counts = Counts::default();
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let listener = runtime
        .block_on(TcpListener::bind((Ipv4Addr::UNSPECIFIED, 0)))
        .unwrap();
    let port = listener.local_addr().unwrap().port();
    runtime.spawn(serve(listener, Arc::clone(&counts)));

    let start = Instant::now();
    let mut random = Rng::with_seed(0x2545_F491);
    let mut known = Vec::new();
    for _ in 0..kills {
        let wait = Duration::from_millis(random.u64(50..1_550));
        known.extend(run(&disk, port, Some(wait)).0);
    }
    let (last, is_done) = run(&disk, port, None);
    assert!(is_done, "the crawler comes to its end");
    assert_eq!(last.len(), origins());

    let retries = usize::try_from(start.elapsed().as_secs() / 60).unwrap();
    let requests = check_requests(&counts, kills, retries);
    check_decisions(&disk, port);
    println!(
        "{} origins, {kills} kills, {} known before a kill, {requests}; {:.1} s",
        origins(),
        known.len(),
        start.elapsed().as_secs_f64()
    );
}

/// Checks the number of requests to each origin. `retries` is the maximum number of retries after failures. Returns a summary.
fn check_requests(counts: &Counts, kills: usize, retries: usize) -> String {
    let counts = counts.lock().unwrap();
    let mut requests = 0;
    let mut again = 0;
    let mut by_kind: BTreeMap<&str, usize> = BTreeMap::new();
    for origin in 0..origins() {
        let kind = KINDS[origin % KINDS.len()];
        let asked = counts.get(&address(origin)).copied().unwrap_or_default();
        assert!(asked >= 1, "{kind} {origin} was not asked");
        // One request, one more for each kill that interrupted a request, and the retries.
        let most = kills + 1 + retries;
        assert!(asked <= most, "{kind} {origin} was asked {asked} times");
        requests += asked;
        *by_kind.entry(kind).or_default() += asked;
        again += asked - 1;
    }
    // Origins that were known before a kill are on disk. So only requests that a kill interrupted or that failed are made
    // again.
    let most = kills * TASKS + retries * origins();
    assert!(again <= most, "{again} in {kills} kills");
    format!("{requests} requests, {again} asked again; requests by kind: {by_kind:?}")
}

/// Checks that the facts on disk lead to the decision that the policy makes from the known outcome of each kind of site.
fn check_decisions(disk: &Path, port: u16) {
    let (store, policy) = (store(disk), policy());
    let now = Some(Timestamp::from(SystemTime::now()));
    let mut differences = 0;
    for origin in 0..origins() {
        let kind = KINDS[origin % KINDS.len()];
        let page = url(origin, port);
        let state = policy.robots(outcome(kind));
        let expected = policy.decide_under(&state, &Page::new(&page)).fetch;
        let record = store.get(&Origin::of(&page).unwrap()).unwrap().unwrap();
        let state = record
            .outcomes
            .state(policy.profile().outcomes(), now, None);
        let state = state.map(|body| policy.compile(body.map_or(b"", FileBytes::as_slice)));
        let found = policy.decide_under(&state, &Page::new(&page)).fetch;
        assert_ne!(found, Fetch::Unknown, "{kind} {origin}");
        differences += usize::from(found != expected);
    }
    assert_eq!(differences, 0);
}
