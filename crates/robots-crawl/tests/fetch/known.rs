//! What a long-lived process knows: its requests, and the answers of several policies.

use crate::fetcher;
use crate::server::{Act, Server, header, ok, response};
use robots_crawl::fetch::MAX_FAULT_TEXT;
use robots_crawl::known::{Source, Unanswered};
use robots_crawl::store::{FileBytes, OriginRecord, SuccessUrl};
use robots_crawl::{DiskStore, FetchFault, Known, KnownRobots, KnownRobotsBuilder};
use robots_policy::Fetch::{self, Allow, Defer, Disallow};
use robots_policy::origins::Origin;
use robots_policy::robots::{MaxAge, OutcomeTable};
use robots_policy::robots_meta::Timestamp;
use robots_policy::site::Tdmrep;
use robots_policy::{Page, Policy, Profile, RobotsFetch};
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
        let state = known.state(&policy, now);
        // Without the file, it is the same.
        let without_file = known.outcome_state(profile.outcomes(), now);
        assert_eq!(state.clone().map(|_| ()), without_file);
        policy.decide_under(&state, &page).fetch
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
    assert!(known_robots.peek(&origin).await.is_none());
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
    assert!(known_robots.peek(&origin).await.is_some());
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
async fn the_details_are_those_of_the_request_whose_outcome_counts() {
    let no_http = b"no response of HTTP\r\n\r\n".to_vec();
    let server = sending_in_turn(vec![ok(RULES), no_http]).await;
    let clock = Clock::new();
    let known_robots = clock.builder().build();
    let origin = server.origin();
    let asked_at = known_robots.of(&origin).await.requested_at();
    clock.set(23 * HOUR);
    known_robots.of(&origin).await;
    for _ in 0..500 {
        let known = known_robots.peek(&origin).await.unwrap();
        if known.retry_at().is_some() {
            assert_eq!(known.fault(), None);
            assert_eq!(
                (known.status(), known.requested_at()),
                (Some(200), asked_at)
            );
            return;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    panic!("the failure is never learned");
}

#[tokio::test]
async fn redirects_that_lead_nowhere_are_an_answer() {
    for (headers, fault) in [
        ("Location: /robots.txt\r\n", "too_many_redirects"),
        ("", "redirect_without_target"),
        ("Location: file:///etc/passwd\r\n", "redirect_to_other"),
    ] {
        let server = sending_in_turn(vec![response(301, headers, "")]).await;
        let clock = Clock::new();
        let known_robots = clock.builder().build();
        let known = known_robots.of(&server.origin()).await;
        assert_eq!(known.fault().unwrap().name(), fault);
        // It is asked for again when it is not fresh, not after a pause.
        assert_eq!(known.retry_at(), None, "{fault}");
        assert!(known.fresh_until().is_some(), "{fault}");
        assert_eq!(known.redirected_to(), None, "{fault}");
        assert_eq!(known_robots.counts().failed_requests, 0);
    }
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
        let known = known_robots.peek(&origin).await.unwrap();
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
    // The request continues, and takes the only place of a request. The caller has left.
    let counts = known_robots.counts();
    assert_eq!((counts.waiting, counts.requesting), (0, 1));
    let known = known_robots.of(&origin).await;
    assert_eq!(known.unanswered(), Some(Unanswered::TimedOut));
    let other = Origin::of("http://127.0.0.2/").unwrap();
    let known = known_robots.of(&other).await;
    assert_eq!(known.unanswered(), Some(Unanswered::TooManyWaiting));
    // A caller that waits takes the only place of a caller, until it stops.
    let waiting = {
        let (known_robots, origin) = (known_robots.clone(), origin.clone());
        tokio::spawn(async move { known_robots.of(&origin).await })
    };
    while known_robots.counts().waiting == 0 {
        tokio::task::yield_now().await;
    }
    let known = known_robots.of(&origin).await;
    assert_eq!(known.unanswered(), Some(Unanswered::TooManyWaiting));
    waiting.abort();
    assert!(waiting.await.is_err());
    assert_eq!(known_robots.counts().waiting, 0);
    tokio::time::sleep(Duration::from_millis(100)).await;
    for _ in 0..500 {
        if let Some(known) = known_robots.peek(&origin).await {
            assert_eq!(known.unanswered(), None);
            assert_eq!(clock.decide(&known, &Profile::neutral()), Fetch::Disallow);
            let counts = known_robots.counts();
            assert_eq!(
                (counts.requests, counts.timeouts, counts.refusals),
                (1, 2, 2)
            );
            assert_eq!((counts.waiting, counts.requesting), (0, 0));
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
    let limit = 60_000;
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
    let first = start();
    first.of(&origin).await;
    first.flush().await;
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
        known_robots.flush().await;
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

/// Many sites have an address that does not answer. Others are requested as before, and no caller gets a decision that allows a
/// page.
#[tokio::test]
async fn a_slow_address_with_many_sites_does_not_take_all_places() {
    let mut slow = Vec::new();
    for _ in 0..20 {
        slow.push(Server::acting(vec![Act::Hold]).await);
    }
    let builder = fetcher()
        .with_requests_per_address(2)
        .with_idle_timeout(Duration::from_secs(60));
    let known_robots = KnownRobots::builder(builder.build().unwrap())
        .with_max_waiting(20)
        .with_max_waiting_per_address(5)
        .with_max_wait(Duration::from_millis(1_500))
        .build();
    let tasks: Vec<_> = slow
        .iter()
        .map(|site| {
            let (known_robots, origin) = (known_robots.clone(), site.origin());
            tokio::spawn(async move { known_robots.of(&origin).await })
        })
        .collect();
    let start = Instant::now();
    while known_robots.counts().missed_turns < 13 {
        assert!(start.elapsed() < Duration::from_secs(10));
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    let counts = known_robots.counts();
    assert_eq!((counts.waiting, counts.requesting), (7, 7), "{counts:?}");
    // A site at another address.
    let other = tokio::net::TcpListener::bind("127.0.0.2:0").await.unwrap();
    let origin = Origin::of(&format!("http://{}/", other.local_addr().unwrap())).unwrap();
    tokio::spawn(async move {
        use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
        let (mut stream, _) = other.accept().await.unwrap();
        let mut request = [0; 2_000];
        assert!(stream.read(&mut request).await.unwrap() > 0);
        stream.write_all(&ok(RULES)).await.unwrap();
    });
    let clock = Clock::new();
    let known = known_robots.of(&origin).await;
    assert_eq!(decisions(&clock, &known), [Disallow; 5]);
    let (mut timed_out, mut without_turn) = (0, 0);
    for task in tasks {
        let known = task.await.unwrap();
        match known.unanswered() {
            Some(Unanswered::TimedOut) => timed_out += 1,
            Some(Unanswered::NoTurn) => without_turn += 1,
            other => panic!("{other:?}"),
        }
        assert_eq!(decisions(&clock, &known), [Fetch::Unknown; 5]);
    }
    // Two requests were made; the others had no turn, at once or after their wait.
    assert!(
        timed_out >= 2 && without_turn >= 13,
        "{timed_out} {without_turn}"
    );
    while known_robots.counts().requesting > 2 {
        assert!(start.elapsed() < Duration::from_secs(10));
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    let counts = known_robots.counts();
    assert_eq!((counts.waiting, counts.missed_turns), (0, 18), "{counts:?}");
    // Nothing was learned about a site without a request.
    assert_eq!(counts.requests, 1);
}

/// A clock that was ahead has logged a failure. After it is set right, the failure does not begin in the future: robots.txt is
/// requested at once, without validators, and its log begins again.
#[tokio::test]
async fn what_a_clock_that_was_ahead_has_logged_is_not_used() {
    let folder = tempfile::tempdir().unwrap();
    for is_stored in [false, true] {
        let path = folder.path().join("origins");
        let tagged = response(200, "ETag: \"a\"\r\n", RULES);
        let failing = response(503, "", "");
        let server = sending_in_turn(vec![tagged, failing.clone(), failing, ok("")]).await;
        let clock = Clock::new();
        let start = || {
            if is_stored {
                let disk = DiskStore::open(&path).unwrap();
                clock.builder().with_store(disk).build()
            } else {
                clock.builder().build()
            }
        };
        let origin = server.origin();
        let known_robots = start();
        known_robots.of(&origin).await;
        clock.set(48 * HOUR);
        known_robots.of(&origin).await;
        assert_eq!(server.requests().len(), 2);
        known_robots.flush().await;
        clock.set(HOUR);
        let known_robots = if is_stored {
            drop(known_robots);
            start()
        } else {
            known_robots
        };
        assert!(known_robots.peek(&origin).await.is_none());
        let known = known_robots.of(&origin).await;
        let requests = server.requests();
        assert_eq!(requests.len(), 3);
        assert_eq!(header(&requests[2], "if-none-match"), None);
        let now = Timestamp::from(clock.now());
        assert_eq!(known.record().outcomes.iter().count(), 1);
        assert_eq!(known.outcome().unwrap().at(), Some(now));
        // The failure begins now: Google waits for twelve hours.
        clock.set(14 * HOUR);
        let google = |known: &Known| clock.decide(known, &Profile::google());
        assert_eq!(google(&known), Fetch::Allow);
        clock.set(HOUR + 600);
        assert_eq!(google(&known), Fetch::Defer);
    }
}

#[tokio::test]
async fn the_last_second_of_the_freshness_is_fresh() {
    let short = response(200, "Cache-Control: max-age=3600\r\n", RULES);
    let server = Server::sending(short).await;
    let clock = Clock::new();
    let known_robots = clock.builder().build();
    let known = known_robots.of(&server.origin()).await;
    let last = Timestamp::from(clock.now()).as_seconds() + 3600;
    assert_eq!(known.fresh_until(), Some(Timestamp::from_seconds(last)));
    for (seconds, waits) in [(HOUR, 1), (HOUR + 1, 2)] {
        clock.set(seconds);
        known_robots.of(&server.origin()).await;
        assert_eq!(known_robots.counts().waits, waits, "{seconds}");
    }
    // A failure is not fresh.
    let server = Server::sending(response(503, "", "")).await;
    let known = known_robots.of(&server.origin()).await;
    assert_eq!(known.fresh_until(), None);
    assert!(known.retry_at().is_some());
}

/// What is in memory is known at once. What is on disk is read on another thread.
#[test]
fn the_disk_does_not_block_the_runtime() {
    use std::task::{Context, Poll, Waker};
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .max_blocking_threads(1)
        .build()
        .unwrap();
    let folder = tempfile::tempdir().unwrap();
    runtime.block_on(async {
        let server = Server::sending(ok(RULES)).await;
        let origin = server.origin();
        for memory in [u64::MAX, 0] {
            let disk = DiskStore::open(folder.path().join(memory.to_string())).unwrap();
            let known_robots = Clock::new()
                .builder()
                .with_store(disk)
                .with_memory_limit(memory)
                .build();
            known_robots.of(&origin).await;
            // The only other thread is busy.
            let (release, released) = std::sync::mpsc::channel::<()>();
            let busy = tokio::task::spawn_blocking(move || released.recv());
            let mut peek = std::pin::pin!(known_robots.peek(&origin));
            let first = peek.as_mut().poll(&mut Context::from_waker(Waker::noop()));
            drop(release);
            assert!(busy.await.unwrap().is_err());
            if memory == 0 {
                assert!(matches!(first, Poll::Pending));
                assert!(peek.await.is_some());
            } else {
                assert!(matches!(first, Poll::Ready(Some(_))));
            }
        }
    });
}

/// A disk that does not answer delays callers up to the longest wait.
#[test]
fn the_wait_for_the_disk_is_limited() {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .max_blocking_threads(1)
        .build()
        .unwrap();
    let folder = tempfile::tempdir().unwrap();
    runtime.block_on(async {
        let server = Server::sending(ok(RULES)).await;
        let origin = server.origin();
        let known_robots = Clock::new()
            .builder()
            .with_store(DiskStore::open(folder.path().join("origins")).unwrap())
            .with_memory_limit(0)
            .with_max_wait(Duration::from_millis(300))
            .build();
        // The only thread that reads is busy.
        let (release, released) = std::sync::mpsc::channel::<()>();
        let busy = tokio::task::spawn_blocking(move || released.recv());
        let patience = Duration::from_secs(5);
        let known = tokio::time::timeout(patience, known_robots.of(&origin)).await;
        assert_eq!(known.unwrap().unanswered(), Some(Unanswered::TimedOut));
        let peeked = tokio::time::timeout(patience, known_robots.peek(&origin)).await;
        assert!(peeked.unwrap().is_none());
        assert_eq!(known_robots.counts().timeouts, 1);
        drop(release);
        assert!(busy.await.unwrap().is_err());
        let known = known_robots.of(&origin).await;
        assert_eq!(known.unanswered(), None);
        assert_eq!(known.body(), Some(RULES.as_bytes()));
    });
}

#[tokio::test]
async fn the_url_of_a_redirected_file_is_kept() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("origins");
    let target = Server::sending(ok(RULES)).await;
    let (moved, own) = (
        Server::redirecting(301, &target.url()).await,
        Server::sending(ok(RULES)).await,
    );
    let clock = Clock::new();
    for source in [Source::Request, Source::Store] {
        let disk = DiskStore::open(&path).unwrap();
        let known_robots = clock.builder().with_store(disk).build();
        let known = known_robots.of(&moved.origin()).await;
        assert_eq!(known.source(), source);
        assert_eq!(known.redirected_to(), Some(target.url().as_str()));
        let url = SuccessUrl::Redirected(target.url().into());
        assert_eq!(*known.success_url(), url);
        let known = known_robots.of(&own.origin()).await;
        assert_eq!(known.redirected_to(), None);
        assert_eq!(*known.success_url(), SuccessUrl::OwnRobotsTxt);
        known_robots.flush().await;
    }
}

fn reserved() -> FileBytes {
    let file = br#"[{"location": "/", "tdm-reservation": 1}]"#;
    FileBytes::of_tdmrep(&Tdmrep::parse(file).unwrap())
}

#[tokio::test]
async fn learning_one_file_keeps_the_other_on_disk() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("origins");
    let server = Server::sending(ok(RULES)).await;
    let origin = server.origin();
    let clock = Clock::new();
    let process = || {
        let disk = DiskStore::open(&path).unwrap();
        clock.builder().with_store(disk).build()
    };
    let (one, other) = (process(), process());
    one.of(&origin).await;
    one.flush().await;
    let learned = other.change(&origin, |record| record.tdmrep = Some(reserved()));
    learned.await;
    // Its memory does not have the tdmrep.json.
    clock.set(25 * HOUR);
    one.of(&origin).await;
    one.change(&origin, |_| {}).await;
    let stored = DiskStore::open(&path).unwrap().get(&origin).unwrap();
    let stored = stored.unwrap();
    assert_eq!(stored.tdmrep, Some(reserved()));
    let now = Timestamp::from(clock.now());
    assert_eq!(stored.outcomes.last_request(), Some(now));
}

#[tokio::test(flavor = "multi_thread")]
async fn concurrent_changes_are_kept_whole() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("origins");
    let disk = DiskStore::open(&path).unwrap();
    let known_robots = Clock::new().builder().with_store(disk).build();
    let origin = |site: u32| Origin::of(&format!("https://s{site}.example/")).unwrap();
    let changes = (0..100).map(|number| {
        let (known_robots, origin) = (known_robots.clone(), origin(number / 2));
        tokio::spawn(async move {
            let change = known_robots.change(&origin, |record| match number % 2 {
                0 => record.tdmrep = Some(reserved()),
                _ => record.add_outcome(RobotsFetch::Body(RULES.as_bytes()), None),
            });
            change.await;
        })
    });
    for change in changes.collect::<Vec<_>>() {
        change.await.unwrap();
    }
    let disk = DiskStore::open(&path).unwrap();
    for site in 0..50 {
        let known = known_robots.peek(&origin(site)).await.unwrap();
        let stored = disk.get(&origin(site)).unwrap().unwrap();
        for record in [known.record(), &stored] {
            assert_eq!(record.tdmrep, Some(reserved()), "{site}");
            assert_eq!(record.outcomes.iter().count(), 1, "{site}");
        }
    }
}

/// While another process writes for long, answers do not wait for their writes, reads continue, and other threads stay free.
#[test]
fn a_store_that_another_process_locks_delays_no_answer() {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .max_blocking_threads(3)
        .build()
        .unwrap();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("origins");
    let origins: Vec<_> = (1..=20)
        .map(|port| Origin::of(&format!("http://127.0.0.1:{port}/")).unwrap())
        .collect();
    runtime.block_on(async {
        let disk = DiskStore::open(&path).unwrap();
        let known_robots = Clock::new().builder().with_store(disk).build();
        let stored = Origin::of("https://a.example/").unwrap();
        let disk = DiskStore::open(&path).unwrap();
        disk.put(&stored, &OriginRecord::default()).unwrap();
        let other = rusqlite::Connection::open(&path).unwrap();
        other.execute_batch("BEGIN IMMEDIATE").unwrap();
        let start = Instant::now();
        for origin in &origins {
            // Nothing listens there.
            known_robots.of(origin).await;
        }
        assert!(known_robots.peek(&stored).await.is_some());
        tokio::task::spawn_blocking(|| {}).await.unwrap();
        assert!(start.elapsed() < Duration::from_secs(5));
        assert_eq!(disk.origins().unwrap(), 1);
        other.execute_batch("COMMIT").unwrap();
        known_robots.flush().await;
        assert!(known_robots.health().is_good());
        assert_eq!(disk.origins().unwrap(), 21);
    });
}
