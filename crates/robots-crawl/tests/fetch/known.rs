//! What a long-lived process knows: its requests, and the answers of several policies.

use crate::fetcher;
use crate::server::{Act, Server, header, ok, response};
use robots_crawl::fetch::MAX_FAULT_TEXT;
use robots_crawl::known::{Source, Unanswered};
use robots_crawl::{DiskStore, FetchFault, Known, KnownRobots, KnownRobotsBuilder};
use robots_policy::Fetch::{self, Allow, Defer, Disallow};
use robots_policy::origins::Origin;
use robots_policy::robots::{MaxAge, OutcomeTable};
use robots_policy::robots_meta::Timestamp;
use robots_policy::{Page, Policy, Profile};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant, SystemTime};

const HOUR: u64 = 3600;

/// A clock that a test sets, in seconds from its start.
#[derive(Debug, Clone)]
struct Clock {
    start: SystemTime,
    seconds: Arc<AtomicU64>,
}

impl Clock {
    fn new() -> Self {
        Self {
            start: SystemTime::now(),
            seconds: Arc::default(),
        }
    }

    fn set(&self, seconds: u64) {
        self.seconds.store(seconds, Ordering::SeqCst);
    }

    fn now(&self) -> SystemTime {
        self.start + Duration::from_secs(self.seconds.load(Ordering::SeqCst))
    }

    fn builder(&self) -> KnownRobotsBuilder {
        let clock = self.clone();
        KnownRobots::builder(fetcher().build().unwrap()).with_clock(move || clock.now())
    }

    /// Returns the decision of a profile's robot about `/x`.
    fn decide(&self, known: &Known, profile: &Profile) -> Fetch {
        let policy = Policy::for_robot(profile, profile.robot("TestBot"));
        let now = Timestamp::from(self.now());
        let page = Page::new("http://a.example/x").at(now);
        policy.decide_under(&known.state(&policy, now), &page).fetch
    }
}

/// Returns the decisions under RFC 9309, and as Google, Bing, Yandex and Amazon.
fn decisions(clock: &Clock, known: &Known) -> [Fetch; 5] {
    [
        Profile::neutral(),
        Profile::google(),
        Profile::bing(),
        Profile::yandex(),
        Profile::amazon(),
    ]
    .map(|profile| clock.decide(known, &profile))
}

const RULES: &str = "User-agent: *\nDisallow: /x";

/// Starts a server that sends these responses one after another, and then the last one again and again.
async fn sending_in_turn(answers: Vec<Vec<u8>>) -> Server {
    Server::start(move |index, _| {
        let last = answers.len() - 1;
        vec![Act::Send(answers[index.min(last)].clone())]
    })
    .await
}

#[tokio::test]
async fn many_tasks_and_policies_cause_one_request() {
    let server = Server::sending(ok(RULES)).await;
    let clock = Clock::new();
    let known_robots = clock.builder().build();
    let origin = server.origin();
    assert!(known_robots.peek(&origin).is_none());
    let tasks: Vec<_> = (0..200)
        .map(|_| {
            let (known_robots, origin) = (known_robots.clone(), origin.clone());
            tokio::spawn(async move { known_robots.of(&origin).await })
        })
        .collect();
    for task in tasks {
        let known = task.await.unwrap();
        assert_eq!(decisions(&clock, &known), [Fetch::Disallow; 5]);
        assert_eq!(known.source(), Source::Request);
        assert_eq!(known.body(), Some(RULES.as_bytes()));
    }
    assert_eq!(server.requests().len(), 1);
    let counts = known_robots.counts();
    assert_eq!((counts.requests, counts.waits, counts.hits), (1, 200, 0));
    assert_eq!((counts.origins, counts.failed_requests), (1, 0));
    assert!(known_robots.peek(&origin).is_some());
    known_robots.of(&origin).await;
    assert_eq!(known_robots.counts().hits, 1);
    assert!(known_robots.health().is_good());
}

#[tokio::test]
async fn each_policy_reads_a_failure_by_its_own_table() {
    let answers = vec![ok(RULES), response(503, "", "")];
    let server = sending_in_turn(answers).await;
    let clock = Clock::new();
    let known_robots = clock.builder().build();
    let origin = server.origin();
    known_robots.of(&origin).await;
    clock.set(25 * HOUR);
    let known = known_robots.of(&origin).await;
    // Amazon continues with the copy.
    let first = [Disallow, Defer, Disallow, Allow, Disallow];
    assert_eq!(decisions(&clock, &known), first);
    assert_eq!(known.fault(), None);
    assert_eq!(known.body(), Some(RULES.as_bytes()));
    assert_eq!(server.requests().len(), 2);
    // Google waits for twelve hours, and then uses the copy, too.
    clock.set(38 * HOUR);
    let known = known_robots.of(&origin).await;
    assert_eq!(
        decisions(&clock, &known),
        [Disallow, Disallow, Disallow, Allow, Disallow]
    );
}

#[tokio::test]
async fn a_failing_site_is_answered_at_once_and_asked_again_after_pauses() {
    let server = Server::start(|index, _| match index {
        0 => vec![Act::Send(response(500, "", ""))],
        _ => vec![Act::Hold],
    })
    .await;
    let clock = Clock::new();
    let known_robots = clock.builder().build();
    let origin = server.origin();
    let known = known_robots.of(&origin).await;
    assert!(known.retry_at().unwrap() > Timestamp::from(clock.now()));
    for _ in 0..10 {
        known_robots.of(&origin).await;
    }
    assert_eq!(server.requests().len(), 1);
    // After the pause the site is asked again, in the background.
    clock.set(70);
    let start = Instant::now();
    for _ in 0..10 {
        let known = known_robots.of(&origin).await;
        assert_eq!(clock.decide(&known, &Profile::neutral()), Fetch::Disallow);
        assert_eq!(known.unanswered(), None);
    }
    assert!(start.elapsed() < Duration::from_secs(5));
    server.wait_for_requests(2).await;
    assert_eq!(server.requests().len(), 2);
    assert_eq!(known_robots.counts().early_hits, 10);
}

#[tokio::test]
async fn a_file_that_expires_soon_is_requested_in_the_background() {
    let server = sending_in_turn(vec![ok(RULES), ok("")]).await;
    let clock = Clock::new();
    let known_robots = clock.builder().build();
    let origin = server.origin();
    known_robots.of(&origin).await;
    clock.set(23 * HOUR);
    let known = known_robots.of(&origin).await;
    assert_eq!(clock.decide(&known, &Profile::neutral()), Fetch::Disallow);
    for _ in 0..500 {
        let known = known_robots.of(&origin).await;
        if clock.decide(&known, &Profile::neutral()) == Fetch::Allow {
            assert_eq!(server.requests().len(), 2);
            return;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    panic!("the new file is never learned");
}

#[tokio::test]
async fn a_failure_does_not_replace_a_fresh_copy() {
    let server = sending_in_turn(vec![ok(RULES), response(503, "", "")]).await;
    let clock = Clock::new();
    let known_robots = clock.builder().build();
    let origin = server.origin();
    known_robots.of(&origin).await;
    clock.set(23 * HOUR);
    known_robots.of(&origin).await;
    server.wait_for_requests(2).await;
    for _ in 0..20 {
        let known = known_robots.of(&origin).await;
        assert_eq!(decisions(&clock, &known), [Fetch::Disallow; 5]);
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    assert_eq!(server.requests().len(), 2);
}

#[tokio::test]
async fn a_failure_while_a_copy_is_fresh_delays_no_request_after_it_expires() {
    let slow_down = response(503, "Retry-After: 604800\r\n", "");
    let server = sending_in_turn(vec![ok(RULES), slow_down]).await;
    let clock = Clock::new();
    let known_robots = clock.builder().build();
    let origin = server.origin();
    let fresh_until = known_robots.of(&origin).await.fresh_until();
    clock.set(23 * HOUR);
    known_robots.of(&origin).await;
    for _ in 0..500 {
        let known = known_robots.peek(&origin).unwrap();
        if known.retry_at().is_some() {
            assert_eq!(known.retry_at(), fresh_until);
            break;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    // The failure of the next request counts for each profile.
    clock.set(24 * HOUR + 1);
    let known = known_robots.of(&origin).await;
    assert_eq!(server.requests().len(), 3);
    let failing = [Disallow, Defer, Disallow, Allow, Disallow];
    assert_eq!(decisions(&clock, &known), failing);
}

#[tokio::test]
async fn a_stale_file_is_not_used() {
    let short = response(200, "Cache-Control: max-age=3600\r\n", RULES);
    let server = sending_in_turn(vec![short.clone(), ok("")]).await;
    let clock = Clock::new();
    let known_robots = clock.builder().build();
    let origin = server.origin();
    known_robots.of(&origin).await;
    clock.set(HOUR + 1);
    let known = known_robots.of(&origin).await;
    assert_eq!(decisions(&clock, &known), [Fetch::Allow; 5]);
    assert_eq!(known_robots.counts().waits, 2);
    // The table of a caller's profile may end earlier than those of the engines.
    let server = sending_in_turn(vec![ok(RULES), ok("")]).await;
    let hourly = OutcomeTable::RFC9309
        .with_fresh_hours(1)
        .with_max_age(MaxAge::Ignored);
    let clock = Clock::new();
    let known_robots = clock.builder().with_outcomes(hourly).build();
    let origin = server.origin();
    known_robots.of(&origin).await;
    clock.set(HOUR + 1);
    let known = known_robots.of(&origin).await;
    assert_eq!(decisions(&clock, &known), [Fetch::Allow; 5]);
}

#[tokio::test]
async fn an_unchanged_file_is_confirmed_for_every_policy() {
    let tag = "ETag: \"a\"\r\n";
    let server = Server::start(move |index, head| {
        vec![Act::Send(match (index, header(head, "if-none-match")) {
            (2, _) => response(503, "", ""),
            (_, Some("\"a\"")) => response(304, tag, ""),
            _ => response(200, tag, RULES),
        })]
    })
    .await;
    let clock = Clock::new();
    let known_robots = clock.builder().build();
    let origin = server.origin();
    for (hours, expected) in [
        (0, [Disallow; 5]),
        (25, [Disallow; 5]),
        (50, [Disallow, Defer, Disallow, Allow, Disallow]),
        // The file has not changed since the failure: it applies again, also to Yandex, which had dropped it.
        (52, [Disallow; 5]),
        (80, [Disallow; 5]),
    ] {
        clock.set(hours * HOUR);
        let requests = server.requests().len();
        let mut known = known_robots.of(&origin).await;
        if hours == 52 {
            // The request is in the background.
            server.wait_for_requests(requests + 1).await;
            while known.retry_at().is_some() {
                tokio::time::sleep(Duration::from_millis(5)).await;
                known = known_robots.of(&origin).await;
            }
        }
        assert_eq!(decisions(&clock, &known), expected, "{hours}");
        assert_eq!(known.body(), Some(RULES.as_bytes()), "{hours}");
        assert_eq!(server.requests().len(), requests + 1, "{hours}");
    }
    let requests = server.requests();
    let tags: Vec<_> = requests
        .iter()
        .map(|head| header(head, "if-none-match").is_some())
        .collect();
    assert_eq!(tags, [false, true, true, true, true]);
}

#[tokio::test]
async fn a_missing_file_is_not_asked_for_again_the_same_day() {
    let server = Server::sending(response(404, "", "")).await;
    let clock = Clock::new();
    let known_robots = clock.builder().build();
    let origin = server.origin();
    for hours in [0, 1, 12, 21] {
        clock.set(hours * HOUR);
        let known = known_robots.of(&origin).await;
        assert_eq!(decisions(&clock, &known), [Fetch::Allow; 5]);
    }
    assert_eq!(server.requests().len(), 1);
}

#[tokio::test]
async fn waits_are_limited_in_time_and_in_number() {
    let server = Server::acting(vec![
        Act::Wait(Duration::from_millis(600)),
        Act::Send(ok(RULES)),
    ])
    .await;
    let clock = Clock::new();
    let known_robots = clock
        .builder()
        .with_max_wait(Duration::from_millis(100))
        .with_max_waiting(1)
        .build();
    let origin = server.origin();
    let known = known_robots.of(&origin).await;
    assert_eq!(known.unanswered(), Some(Unanswered::TimedOut));
    assert_eq!(clock.decide(&known, &Profile::neutral()), Fetch::Unknown);
    // The request continues, and takes the only place.
    let known = known_robots.of(&origin).await;
    assert_eq!(known.unanswered(), Some(Unanswered::TooManyWaiting));
    tokio::time::sleep(Duration::from_millis(100)).await;
    for _ in 0..500 {
        if let Some(known) = known_robots.peek(&origin) {
            assert_eq!(known.unanswered(), None);
            assert_eq!(clock.decide(&known, &Profile::neutral()), Fetch::Disallow);
            let counts = known_robots.counts();
            assert_eq!(
                (counts.requests, counts.timeouts, counts.refusals),
                (1, 1, 1)
            );
            return;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    panic!("the request does not end");
}

#[tokio::test]
async fn without_room_in_memory_waiting_tasks_still_share_a_request() {
    let server = Server::acting(vec![
        Act::Wait(Duration::from_millis(300)),
        Act::Send(ok(RULES)),
    ])
    .await;
    let clock = Clock::new();
    let known_robots = clock.builder().with_memory_limit(0).build();
    let origin = server.origin();
    let tasks: Vec<_> = (0..50)
        .map(|_| {
            let (known_robots, origin) = (known_robots.clone(), origin.clone());
            tokio::spawn(async move { known_robots.of(&origin).await })
        })
        .collect();
    for task in tasks {
        let known = task.await.unwrap();
        assert_eq!(clock.decide(&known, &Profile::neutral()), Fetch::Disallow);
    }
    assert_eq!(server.requests().len(), 1);
    assert_eq!(known_robots.counts().origins, 0);
}

#[tokio::test]
async fn memory_is_limited_in_bytes() {
    let body = format!("User-agent: *\nDisallow: /x\n{}", "#".repeat(500));
    let server = Server::sending(ok(&body)).await;
    let clock = Clock::new();
    let limit = 100_000;
    let known_robots = clock.builder().with_memory_limit(limit).build();
    let port = server.address().port();
    for last in 1..=255 {
        // The server listens on 127.0.0.1 alone: the requests to other addresses fail.
        let origin = Origin::of(&format!("http://127.0.0.{last}:{port}/")).unwrap();
        known_robots.of(&origin).await;
        assert!(known_robots.counts().bytes <= limit);
    }
    let counts = known_robots.counts();
    assert_eq!(counts.requests, 255);
    assert!((50..255).contains(&counts.origins), "{counts:?}");
}

#[tokio::test]
async fn a_restart_keeps_what_is_on_disk() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("origins");
    let server = sending_in_turn(vec![ok(RULES), response(503, "Retry-After: 7200\r\n", "")]).await;
    let clock = Clock::new();
    let start = || {
        let disk = DiskStore::open(&path).unwrap();
        clock.builder().with_store(disk).build()
    };
    let origin = server.origin();
    start().of(&origin).await;
    let failing = [Disallow, Defer, Disallow, Allow, Disallow];
    for (hours, requests, expected) in [
        (1, 1, [Disallow; 5]),
        (25, 2, failing),
        // The pause that the server asked for.
        (26, 2, failing),
    ] {
        clock.set(hours * HOUR);
        let known_robots = start();
        let known = known_robots.of(&origin).await;
        assert_eq!(decisions(&clock, &known), expected, "{hours}");
        assert_eq!(server.requests().len(), requests, "{hours}");
        assert_eq!(known_robots.counts().loads, 1);
        let from_store = requests != 2 || hours == 26;
        assert_eq!(known.source() == Source::Store, from_store, "{hours}");
        assert!(known_robots.health().is_good());
    }
}

#[tokio::test]
async fn the_text_of_a_fault_is_cut_and_counted_in_memory() {
    for (length, kept) in [
        (MAX_FAULT_TEXT, MAX_FAULT_TEXT),
        (MAX_FAULT_TEXT + 1, MAX_FAULT_TEXT),
        (200_000, MAX_FAULT_TEXT),
    ] {
        let target = format!("file:/{}", "a".repeat(length - "file:/".len()));
        let server = Server::redirecting(301, &target).await;
        let known_robots = Clock::new().builder().build();
        let known = known_robots.of(&server.origin()).await;
        let Some(FetchFault::RedirectToOther(text)) = known.fault() else {
            panic!("{:?}", known.fault());
        };
        assert_eq!(text, &target[..kept]);
        let bytes = known_robots.counts().bytes;
        let kept = u64::try_from(kept).unwrap();
        assert!((kept..10_000).contains(&bytes), "{bytes}");
    }
}

#[tokio::test]
async fn the_details_of_a_request_are_known() {
    let target = Server::sending(ok(RULES)).await;
    let server = Server::redirecting(301, &target.url()).await;
    let clock = Clock::new();
    let known_robots = clock.builder().build();
    let known = known_robots.of(&server.origin()).await;
    let [redirect] = known.redirects() else {
        panic!("{known:?}");
    };
    assert_eq!(
        (redirect.url(), redirect.status()),
        (server.url().as_str(), 301)
    );
    assert_eq!(known.redirected_to(), Some(target.url().as_str()));
    assert_eq!(known.requested_at(), Some(Timestamp::from(clock.now())));
    let day = Timestamp::from_seconds(Timestamp::from(clock.now()).as_seconds() + 24 * 3600);
    assert_eq!(known.fresh_until(), Some(day));
    let gone = {
        let server = Server::acting(vec![Act::Reset]).await;
        known_robots.of(&server.origin()).await
    };
    assert_eq!(gone.fault().unwrap().name(), "broken");
    assert_eq!(gone.body(), None);
    assert_eq!(
        gone.outcome().unwrap().cause(),
        robots_policy::robots::Cause::Unreachable
    );
}
