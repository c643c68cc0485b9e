//! Sites on this machine, and replicas in this process that ask about them.

use super::redis_server::RedisServer;
use super::run;
use crate::fault_run::outcome;
use crate::faulty_sites::{Counts, KINDS, address, serve, url};
use redis::Value;
use robots_crawl::known::Source;
use robots_crawl::store::{LOCK_TIME, SharedStore};
use robots_crawl::{Fetcher, Known, KnownRobots, KnownRobotsBuilder};
use robots_policy::origins::Origin;
use robots_policy::robots::Cause;
use robots_policy::robots_meta::Timestamp;
use robots_policy::{Page, Policy, Profile};
use std::net::Ipv4Addr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant, SystemTime};
use tokio::net::TcpListener;
use tokio::runtime::Runtime;

/// Sites with answers and faults of all kinds.
pub(crate) struct Sites {
    pub(crate) runtime: Runtime,
    pub(crate) port: u16,
    counts: Counts,
}

impl Sites {
    pub(crate) fn start() -> Self {
        let runtime = Runtime::new().unwrap();
        let listener = runtime
            .block_on(TcpListener::bind((Ipv4Addr::UNSPECIFIED, 0)))
            .unwrap();
        let port = listener.local_addr().unwrap().port();
        let counts = Counts::default();
        runtime.spawn(serve(listener, Arc::clone(&counts)));
        Self {
            runtime,
            port,
            counts,
        }
    }

    /// Returns the number of requests to a site.
    pub(crate) fn requests(&self, site: usize) -> usize {
        let counts = self.counts.lock().unwrap();
        counts.get(&address(site)).copied().unwrap_or_default()
    }

    pub(crate) fn origin(&self, site: usize) -> Origin {
        Origin::of(&url(site, self.port)).unwrap()
    }

    /// Asks a replica about a site, and checks its answer.
    pub(crate) fn ask(&self, replica: &KnownRobots, site: usize) -> Arc<Known> {
        let known = self.runtime.block_on(replica.of(&self.origin(site)));
        check(site, &known);
        known
    }
}

/// Returns the decisions about a page of a site by what is known, and by the outcome that it always has.
pub(crate) fn decisions(site: usize, known: &Known) -> Vec<[String; 2]> {
    let page = url(site, 80);
    let profiles = [Profile::neutral(), Profile::google(), Profile::yandex()];
    let decisions = profiles.map(|profile| {
        let policy = Policy::for_robot(&profile, profile.robot("TestBot"));
        let decide = |state| {
            policy
                .decide_under(&state, &Page::new(&page))
                .fetch
                .to_string()
        };
        let now = Timestamp::from(SystemTime::now());
        [
            decide(known.state(&policy, now)),
            decide(policy.robots(outcome(KINDS[site % KINDS.len()]))),
        ]
    });
    decisions.into()
}

/// Checks that the known facts lead to the decisions that follow from the outcome of a site.
fn check(site: usize, known: &Known) {
    for [found, expected] in decisions(site, known) {
        assert_eq!(found, expected, "{}", KINDS[site % KINDS.len()]);
    }
}

/// The number of a site with rules.
pub(crate) const RULES: usize = 0;

/// Returns the options of a replica.
pub(crate) fn replica(url: &str) -> KnownRobotsBuilder {
    let fetcher = Fetcher::builder("TestBot/1.0")
        .allow_private_addresses()
        .with_retries(0)
        .with_connect_timeout(Duration::from_millis(500))
        .with_idle_timeout(Duration::from_millis(500))
        .build();
    let store = SharedStore::new(url, "test");
    KnownRobots::builder(fetcher.unwrap()).with_shared_store(store.unwrap())
}

#[test]
fn one_request_for_two_replicas() {
    let Some((redis, sites)) = run() else { return };
    let replicas = [(); 2].map(|()| replica(&redis.url()).build());
    let tasks: Vec<_> = (0..140)
        .flat_map(|site| replicas.clone().map(|replica| (site, replica)))
        .map(|(site, replica)| {
            let origin = sites.origin(site);
            let asking = async move { (site, replica.of(&origin).await) };
            sites.runtime.spawn(asking)
        })
        .collect();
    for task in tasks {
        let (site, known) = sites.runtime.block_on(task).unwrap();
        check(site, &known);
        assert_eq!(sites.requests(site), 1, "{site}");
    }
    let counts = replicas.each_ref().map(KnownRobots::counts);
    assert_eq!(counts[0].requests + counts[1].requests, 140);
    assert_eq!(counts[0].shared_hits + counts[1].shared_hits, 140);
    assert_eq!(counts[0].shared_failures + counts[1].shared_failures, 0);
    for replica in replicas {
        assert!(replica.health().shared_error.is_none());
    }
}

#[test]
fn a_replica_reads_what_another_learned() {
    let Some((redis, sites)) = run() else { return };
    let writer = replica(&redis.url()).build();
    for site in 0..KINDS.len() {
        assert_eq!(sites.ask(&writer, site).source(), Source::Request);
    }
    let folder = tempfile::tempdir().unwrap();
    let disk = robots_crawl::DiskStore::open(folder.path().join("origins")).unwrap();
    let reader = replica(&redis.url()).with_store(disk).build();
    for site in 0..KINDS.len() {
        let known = sites.ask(&reader, site);
        assert_eq!(known.source(), Source::Shared);
        assert_eq!(known.record(), sites.ask(&writer, site).record());
        assert_eq!(sites.requests(site), 1, "{site}");
    }
    sites.runtime.block_on(reader.flush());
    drop(reader);
    // What was shared is on disk, too.
    let disk = robots_crawl::DiskStore::open(folder.path().join("origins")).unwrap();
    assert_eq!(disk.origins().unwrap(), u64::try_from(KINDS.len()).unwrap());
    // Every key has a time to live, and no lock is left.
    let keys = redis.command(redis::cmd("KEYS").arg("*")).unwrap();
    let keys: Vec<String> = redis::from_redis_value(keys).unwrap();
    assert_eq!(keys.len(), KINDS.len());
    for key in keys {
        assert!(key.starts_with("test:origin:http://127."), "{key}");
        let time = redis.command(redis::cmd("TTL").arg(&key)).unwrap();
        let time: i64 = redis::from_redis_value(time).unwrap();
        assert!((30 * 86_400..=31 * 86_400).contains(&time), "{time}");
    }
}

#[test]
fn a_holder_that_dies_is_replaced() {
    let Some((redis, sites)) = run() else { return };
    let key = format!("test:lock:{}", sites.origin(RULES));
    let time = u64::try_from(LOCK_TIME.as_millis()).unwrap();
    let mut lock = redis::cmd("SET");
    lock.arg(&key).arg("of a dead process").arg("PX").arg(time);
    redis.command(&lock).unwrap();
    let start = Instant::now();
    let known = sites.ask(&replica(&redis.url()).build(), RULES);
    assert_eq!(known.source(), Source::Request);
    let waited = start.elapsed();
    assert!(waited > LOCK_TIME / 2, "{waited:?}");
    assert!(waited < LOCK_TIME * 3, "{waited:?}");
}

/// Returns the options of a replica whose clock is ahead by a time.
fn ahead(redis: &RedisServer, time: Duration) -> KnownRobotsBuilder {
    replica(&redis.url()).with_clock(move || SystemTime::now() + time)
}

/// A replica whose clock is ahead writes records that no other uses, and that others replace.
#[test]
fn a_clock_that_is_ahead_is_not_followed() {
    let Some((redis, sites)) = run() else { return };
    let failing = KINDS.iter().position(|kind| *kind == "503").unwrap();
    for site in [RULES, failing] {
        let source = |replica: KnownRobots| sites.ask(&replica, site).source();
        let hours = Duration::from_secs(7_200);
        assert_eq!(source(ahead(&redis, hours).build()), Source::Request);
        assert_eq!(source(replica(&redis.url()).build()), Source::Request);
        assert_eq!(sites.requests(site), 2);
        let known = sites.ask(&replica(&redis.url()).build(), site);
        assert_eq!(known.source(), Source::Shared);
        assert!(known.requested_at() <= Some(Timestamp::from(SystemTime::now())));
        assert_eq!(sites.requests(site), 2);
    }
}

/// A replica that lost its lock during a slow request writes last. It does not replace the newer record.
#[test]
fn a_late_writer_replaces_nothing_newer() {
    let Some((redis, sites)) = run() else { return };
    let server = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let origin = Origin::of(&format!("http://{}/", server.local_addr().unwrap())).unwrap();
    std::thread::spawn(move || {
        for slow in [true, false] {
            let (mut stream, _) = server.accept().unwrap();
            std::thread::spawn(move || {
                use std::io::{Read as _, Write as _};
                let mut request = [0; 2_000];
                assert!(stream.read(&mut request).unwrap() > 0);
                let answer = if slow {
                    std::thread::sleep(Duration::from_millis(400));
                    "HTTP/1.1 404 Gone\r\nContent-Length: 0\r\n\r\n"
                } else {
                    "HTTP/1.1 200 OK\r\nContent-Length: 25\r\n\r\nUser-agent: *\nDisallow: /\n"
                };
                stream.write_all(answer.as_bytes()).unwrap();
            });
        }
    });
    let late = replica(&redis.url()).build();
    let asking = {
        let (late, origin) = (late.clone(), origin.clone());
        sites.runtime.spawn(async move { late.of(&origin).await })
    };
    let key = format!("test:lock:{origin}");
    let is_locked = || redis.command(redis::cmd("EXISTS").arg(&key)).unwrap() == Value::Int(1);
    while !is_locked() {
        std::thread::sleep(Duration::from_millis(5));
    }
    redis.command(redis::cmd("DEL").arg(&key)).unwrap();
    // Its clock is ahead within the tolerance, so its record is the newer one.
    let newer = ahead(&redis, Duration::from_secs(30)).build();
    let cause = |known: &Known| known.outcome().unwrap().cause();
    let known = sites.runtime.block_on(newer.of(&origin));
    assert_eq!(cause(&known), Cause::Status(200));
    let known = sites.runtime.block_on(asking).unwrap();
    assert_eq!(cause(&known), Cause::Status(404));
    let reader = replica(&redis.url()).build();
    let known = sites.runtime.block_on(reader.of(&origin));
    assert_eq!(
        (known.source(), cause(&known)),
        (Source::Shared, Cause::Status(200))
    );
}

/// One replica renews a copy that expires soon, and fails: the other one does not try at once.
#[test]
fn a_failed_renewal_is_shared() {
    let Some((redis, sites)) = run() else { return };
    // The copy of a site that now answers with 503.
    let failing = KINDS.iter().position(|kind| *kind == "503").unwrap();
    let origin = sites.origin(failing);
    let seconds = Arc::new(AtomicU64::new(0));
    let clock = {
        let (start, seconds) = (SystemTime::now(), Arc::clone(&seconds));
        move || start + Duration::from_secs(seconds.load(Ordering::SeqCst))
    };
    let replicas = [(); 2].map(|()| replica(&redis.url()).with_clock(clock.clone()).build());
    for replica in &replicas {
        sites.runtime.block_on(replica.of(&origin));
    }
    assert_eq!(sites.requests(failing), 1);
    // After the pause, the first to ask requests it for both.
    seconds.store(65, Ordering::SeqCst);
    for (replica, expected) in replicas.iter().zip([2, 2]) {
        sites.runtime.block_on(replica.of(&origin));
        let start = Instant::now();
        while sites.requests(failing) < expected
            || sites
                .runtime
                .block_on(replica.peek(&origin))
                .unwrap()
                .retry_at()
                < Some(Timestamp::from(clock()))
        {
            assert!(start.elapsed() < Duration::from_secs(10));
            std::thread::sleep(Duration::from_millis(10));
        }
    }
    std::thread::sleep(Duration::from_millis(300));
    assert_eq!(sites.requests(failing), 2);
}
