//! Faults of Redis. Every answer is right, and the store is used again when it works again.

use super::redis_server::RedisServer;
use super::run;
use super::sites::{RULES, Sites, replica};
use robots_crawl::KnownRobots;
use robots_crawl::known::Source;
use std::time::{Duration, Instant};

/// Asks about new sites until the shared store works again. Returns the number of the next site.
fn until_good(sites: &Sites, replica: &KnownRobots, first: usize) -> usize {
    let start = Instant::now();
    let mut site = first;
    loop {
        sites.ask(replica, site);
        site += 14;
        if replica.health().shared_error.is_none() {
            return site;
        }
        assert!(
            start.elapsed() < Duration::from_secs(20),
            "it does not recover"
        );
        std::thread::sleep(Duration::from_millis(100));
    }
}

/// Asks two replicas about a new site: the second one learns it from the first.
fn is_shared(redis: &RedisServer, sites: &Sites, site: usize) {
    let replicas = [(); 2].map(|()| replica(&redis.url()).build());
    assert_eq!(sites.ask(&replicas[0], site).source(), Source::Request);
    assert_eq!(sites.ask(&replicas[1], site).source(), Source::Shared);
    assert_eq!(sites.requests(site), 1);
}

#[test]
fn redis_is_down_and_comes_back() {
    let Some((mut redis, sites)) = run() else {
        return;
    };
    redis.kill();
    let replica = replica(&redis.url()).build();
    let start = Instant::now();
    for site in 0..14 {
        assert_eq!(sites.ask(&replica, site).source(), Source::Request);
        assert_eq!(sites.requests(site), 1);
    }
    assert!(start.elapsed() < Duration::from_secs(20));
    let counts = replica.counts();
    assert!(counts.shared_failures >= 1, "{counts:?}");
    assert!(counts.shared_skips >= 10, "{counts:?}");
    let error = replica.health().shared_error.unwrap();
    assert!(error.to_string().starts_with("cannot "), "{error}");
    redis.restart();
    let next = until_good(&sites, &replica, 140);
    is_shared(&redis, &sites, next);
    // It is killed, and started again without data: what is in memory stays.
    redis.kill();
    assert_eq!(sites.requests(RULES), 1);
    sites.ask(&replica, RULES);
    sites.ask(&replica, next + 14);
    assert!(replica.health().shared_error.is_some());
    redis.restart();
    let next = until_good(&sites, &replica, next + 28);
    is_shared(&redis, &sites, next);
    assert_eq!(sites.requests(RULES), 1);
}

#[test]
fn redis_hangs_and_goes_on() {
    let Some((redis, sites)) = run() else { return };
    let replica = replica(&redis.url()).build();
    sites.ask(&replica, RULES);
    redis.signal("STOP");
    // Each operation ends in 250 ms, and after the first one the others are not tried for a second.
    let start = Instant::now();
    for site in 1..=10 {
        sites.ask(&replica, 14 * site);
    }
    let elapsed = start.elapsed();
    redis.signal("CONT");
    assert!(elapsed < Duration::from_secs(5), "{elapsed:?}");
    let counts = replica.counts();
    assert!(counts.shared_skips >= 5, "{counts:?}");
    assert!(replica.health().shared_error.is_some());
    let next = until_good(&sites, &replica, 280);
    is_shared(&redis, &sites, next);
}

#[test]
fn redis_is_full() {
    let Some((redis, sites)) = run() else { return };
    let replica = replica(&redis.url()).build();
    sites.ask(&replica, RULES);
    let limit = |bytes: &str| {
        let mut set = redis::cmd("CONFIG");
        set.arg("SET").arg("maxmemory").arg(bytes);
        redis.command(&set).unwrap();
    };
    limit("1");
    for site in 1..14 {
        assert_eq!(sites.ask(&replica, site).source(), Source::Request);
    }
    assert!(replica.counts().shared_failures >= 13);
    let error = replica.health().shared_error.unwrap();
    let source = std::error::Error::source(&error).unwrap().to_string();
    assert!(source.contains("OOM"), "{source}");
    limit("0");
    let next = until_good(&sites, &replica, 140);
    is_shared(&redis, &sites, next);
}

#[test]
fn foreign_and_damaged_values() {
    let Some((redis, sites)) = run() else { return };
    let key = |site| format!("test:origin:{}", sites.origin(site));
    // The record of another origin, which allows everything.
    sites.ask(&replica(&redis.url()).build(), 1);
    let empty = redis.command(redis::cmd("GET").arg(key(1))).unwrap();
    let empty: Vec<u8> = redis::from_redis_value(empty).unwrap();
    let mut flipped = empty.clone();
    let last = flipped.len() - 1;
    flipped[last] ^= 1;
    let mut later = empty.clone();
    later[0] = 3;
    let values: [&[u8]; 6] = [
        b"",
        b"User-agent: *\nAllow: /",
        &empty,
        &empty[..empty.len() / 2],
        &flipped,
        &later,
    ];
    let replica = replica(&redis.url()).build();
    for (index, value) in values.iter().enumerate() {
        let site = 14 * (index + 1);
        let mut set = redis::cmd("SET");
        redis.command(set.arg(key(site)).arg(*value)).unwrap();
        assert_eq!(sites.ask(&replica, site).source(), Source::Request);
        // The value is replaced.
        is_read(&redis, &sites, site);
    }
    // A value that is not a text.
    let mut push = redis::cmd("LPUSH");
    redis.command(push.arg(key(RULES)).arg("x")).unwrap();
    assert_eq!(sites.ask(&replica, RULES).source(), Source::Request);
    is_read(&redis, &sites, RULES);
    assert!(replica.health().shared_error.is_none());
}

fn is_read(redis: &RedisServer, sites: &Sites, site: usize) {
    let other = replica(&redis.url()).build();
    assert_eq!(sites.ask(&other, site).source(), Source::Shared);
    assert_eq!(sites.requests(site), 1);
}

/// A lock that never expires was not set by a replica: it does not keep replicas from requests.
#[test]
fn a_foreign_lock() {
    let Some((redis, sites)) = run() else { return };
    let mut set = redis::cmd("SET");
    let key = format!("test:lock:{}", sites.origin(RULES));
    redis.command(set.arg(key).arg("x")).unwrap();
    let replica = replica(&redis.url()).build();
    let start = Instant::now();
    assert_eq!(sites.ask(&replica, RULES).source(), Source::Request);
    assert!(start.elapsed() < Duration::from_secs(3));
    assert_eq!(replica.counts().shared_timeouts, 1);
    is_read(&redis, &sites, RULES);
}
