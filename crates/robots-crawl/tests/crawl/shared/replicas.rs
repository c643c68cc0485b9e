//! Three processes with one Redis, which ask about the same sites at the same time: each site is requested exactly once. Then
//! again, on new sites, while processes and Redis are killed and started again: repeats are counted and bounded.
//!
//! `ROBOTS_REPLICA_SITES` is the number of sites (280; `.ci/replicas` has 10,000), `ROBOTS_REPLICA_KILLS` the number of kills of
//! processes (4), after every second of which Redis is killed, too.

use super::redis_server::RedisServer;
use super::run;
use super::sites::{Sites, decisions, replica};
use crate::fault_run::number;
use crate::faulty_sites::{KINDS, url};
use fastrand::Rng;
use robots_policy::origins::Origin;
use std::env;
use std::io::{BufRead, BufReader, Write as _};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// The environment variable with the URL of Redis. Only a replica has it.
const REDIS: &str = "ROBOTS_REPLICA_REDIS";

/// The environment variable with the port of the sites.
const PORT: &str = "ROBOTS_REPLICA_PORT";

/// The environment variables with the first site and the place in the sites at which a replica begins.
const FIRST: &str = "ROBOTS_REPLICA_FIRST";
const BEGIN: &str = "ROBOTS_REPLICA_BEGIN";

/// The number of replicas.
const REPLICAS: usize = 3;

/// The number of tasks of a replica.
const TASKS: usize = 64;

fn sites() -> usize {
    number("ROBOTS_REPLICA_SITES", 280)
}

/// The replica, which the other test runs as a process of its own: asks about every site, and prints each one that is known, and
/// whether its decisions are right. In the process of the other test it does nothing.
#[test]
fn child() {
    let Ok(redis) = env::var(REDIS) else {
        return;
    };
    // Ends the line that the test harness has begun.
    println!();
    // All sites have one address, and a machine may be slow: an answer that is late is not wrong.
    let known_robots = replica(&redis)
        .with_max_wait(Duration::from_secs(120))
        .build();
    let port = u16::try_from(number(PORT, 0)).unwrap();
    let (first, begin) = (number(FIRST, 0), number(BEGIN, 0));
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .unwrap();
    let next = Arc::new(AtomicUsize::new(0));
    runtime.block_on(async {
        let tasks: Vec<_> = (0..TASKS)
            .map(|_| {
                let (known_robots, next) = (known_robots.clone(), Arc::clone(&next));
                tokio::spawn(async move {
                    loop {
                        let turn = next.fetch_add(1, Ordering::SeqCst);
                        if turn >= sites() {
                            return;
                        }
                        let site = first + (begin + turn) % sites();
                        let origin = Origin::of(&url(site, port)).unwrap();
                        let known = known_robots.of(&origin).await;
                        let decisions = decisions(site, &known);
                        let is_right = decisions.iter().all(|[found, expected]| found == expected);
                        let word = if is_right { "right" } else { "wrong" };
                        writeln!(std::io::stdout().lock(), "{word} {site}").unwrap();
                    }
                })
            })
            .collect();
        for task in tasks {
            task.await.unwrap();
        }
    });
    println!("done {:?}", known_robots.counts());
}

/// A replica that runs.
struct Replica {
    process: Child,
    /// Reads its output: the number of right answers, those that are wrong, and the last line.
    output: JoinHandle<(usize, Vec<String>, Option<String>)>,
}

impl Replica {
    fn start(redis: &RedisServer, port: u16, first: usize, begin: usize) -> Self {
        let child = "shared::replicas::child";
        let mut process = Command::new(env::current_exe().unwrap())
            .args([child, "--exact", "--test-threads=1", "--nocapture"])
            .env(REDIS, redis.url())
            .env(PORT, port.to_string())
            .env(FIRST, first.to_string())
            .env(BEGIN, begin.to_string())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let pipe = process.stdout.take().unwrap();
        let output = std::thread::spawn(move || {
            let (mut right, mut wrong, mut done) = (0, Vec::new(), None);
            for line in BufReader::new(pipe).lines() {
                let line = line.unwrap();
                match line.split(' ').next() {
                    Some("right") => right += 1,
                    Some("wrong") => wrong.push(line),
                    Some("done") => done = Some(line),
                    // The last line may be cut by a kill.
                    _ => {}
                }
            }
            (right, wrong, done)
        });
        Self { process, output }
    }

    fn kill(mut self) {
        self.process.kill().unwrap();
        self.process.wait().unwrap();
        let (_, wrong, _) = self.output.join().unwrap();
        assert!(wrong.is_empty(), "{wrong:?}");
    }

    /// Waits for its end, and checks its answers.
    fn finish(mut self) {
        assert!(self.process.wait().unwrap().success());
        let (right, wrong, done) = self.output.join().unwrap();
        assert!(wrong.is_empty(), "{wrong:?}");
        assert_eq!(right, sites());
        println!("{}", done.unwrap());
    }
}

/// Prints and returns the number of requests to each site.
fn requests(sites_of: &Sites, first: usize, start: Instant, what: &str) -> Vec<usize> {
    let requests: Vec<_> = (first..first + sites())
        .map(|site| sites_of.requests(site))
        .collect();
    println!(
        "{what}: {} sites, {REPLICAS} replicas, {} requests, {} sites more than once, at most {}; {:.1} s",
        sites(),
        requests.iter().sum::<usize>(),
        requests.iter().filter(|requests| **requests > 1).count(),
        requests.iter().max().unwrap(),
        start.elapsed().as_secs_f64()
    );
    requests
}

#[test]
fn replicas() {
    let Some((mut redis, servers)) = run() else {
        return;
    };
    let port = servers.port;
    // Replicas begin at different sites, and at the same one.
    let begins = [0, 0, sites() / 2];
    let start = Instant::now();
    let running = begins.map(|begin| Replica::start(&redis, port, 0, begin));
    for replica in running {
        replica.finish();
    }
    let retries = usize::try_from(start.elapsed().as_secs() / 60).unwrap();
    for (site, requests) in requests(&servers, 0, start, "no kill").iter().enumerate() {
        let kind = KINDS[site % KINDS.len()];
        assert!((1..=1 + retries).contains(requests), "{kind}: {requests}");
        // A site that answers is not requested again, whatever the time.
        if matches!(kind, "rules" | "empty" | "404" | "403" | "moved") {
            assert_eq!(*requests, 1, "{kind}");
        }
    }

    let first = sites().next_multiple_of(KINDS.len());
    let kills = number("ROBOTS_REPLICA_KILLS", 4);
    let start = Instant::now();
    let mut running = begins.map(|begin| Some(Replica::start(&redis, port, first, begin)));
    let mut random = Rng::with_seed(0x2545_F491);
    let mut redis_kills = 0;
    for kill in 0..kills {
        let wait = Duration::from_millis(random.u64(100..1_000));
        std::thread::sleep(wait);
        let place = kill % REPLICAS;
        running[place].take().unwrap().kill();
        if kill % 2 == 1 {
            redis.kill();
            std::thread::sleep(Duration::from_millis(200));
            redis.restart();
            redis_kills += 1;
        }
        running[place] = Some(Replica::start(&redis, port, first, begins[place]));
    }
    for replica in running {
        replica.unwrap().finish();
    }
    let retries = usize::try_from(start.elapsed().as_secs() / 60).unwrap();
    let what = format!("{kills} kills of replicas, {redis_kills} of Redis");
    // Each kill of a replica may interrupt a request. After each kill of Redis, which has no files, a replica that does not
    // have the site in memory requests it again.
    let most = 1 + kills + redis_kills * REPLICAS + retries;
    for (site, requests) in requests(&servers, first, start, &what).iter().enumerate() {
        let kind = KINDS[site % KINDS.len()];
        assert!((1..=most).contains(requests), "{kind}: {requests}");
    }
}
