//! What a long-lived process knows: its requests, and the answers of several policies.

use crate::fetcher;
use crate::server::{Act, Server, header, ok, redirect, response};
use robots_crawl::fetch::MAX_FAULT_TEXT;
use robots_crawl::known::{DEFAULT_MEMORY, Source, Unanswered};
use robots_crawl::store::{FileBytes, OriginRecord, SuccessUrl};
use robots_crawl::{DiskStore, FetchFault, Known, KnownRobots, KnownRobotsBuilder};
use robots_policy::Fetch::{self, Allow, Defer, Disallow};
use robots_policy::origins::Origin;
use robots_policy::robots::{Cause, MaxAge, OutcomeTable};
use robots_policy::robots_meta::Timestamp;
use robots_policy::site::Tdmrep;
use robots_policy::{Page, Policies, Policy, Profile, RobotsFetch};
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
    let profiles = [
        Profile::neutral(),
        Profile::google(),
        Profile::bing(),
        Profile::yandex(),
        Profile::amazon(),
    ];
    let alone = profiles
        .each_ref()
        .map(|profile| clock.decide(known, profile));
    // Policies that read the file together decide the same.
    let policy = |profile: &Profile| Policy::for_robot(profile, profile.robot("TestBot"));
    let policies: Policies = profiles.iter().map(policy).collect();
    let now = Timestamp::from(clock.now());
    let page = Page::new("http://a.example/x").at(now);
    let states = known.states(&policies, now);
    let together = policies.iter().zip(&states);
    let together = together.map(|(policy, robots)| policy.decide_under(robots, &page).fetch);
    assert_eq!(together.collect::<Vec<_>>(), alone);
    alone
}

const RULES: &str = "User-agent: *\nDisallow: /x";

/// The decisions while requests fail, by [`decisions`]. Amazon continues with the copy.
const FAILING: [Fetch; 5] = [Disallow, Defer, Disallow, Allow, Disallow];

/// Starts a server that sends these responses one after another, and then the last one again and again.
async fn sending_in_turn(answers: Vec<Vec<u8>>) -> Server {
    Server::start(move |index, _| {
        let last = answers.len() - 1;
        vec![Act::Send(answers[index.min(last)].clone())]
    })
    .await
}

/// A site, and a process that asks about it.
struct Site {
    server: Server,
    origin: Origin,
    clock: Clock,
    known_robots: KnownRobots,
}

impl Site {
    fn of(server: Server, options: impl FnOnce(KnownRobotsBuilder) -> KnownRobotsBuilder) -> Self {
        let clock = Clock::new();
        Self {
            origin: server.origin(),
            server,
            known_robots: options(clock.builder()).build(),
            clock,
        }
    }

    /// Returns a site that sends these responses one after another, and then the last one again and again.
    async fn sending(answers: Vec<Vec<u8>>) -> Self {
        Self::of(sending_in_turn(answers).await, |options| options)
    }

    /// Asks about the site at a time in seconds.
    async fn at(&self, seconds: u64) -> Arc<Known> {
        self.clock.set(seconds);
        self.known_robots.of(&self.origin).await
    }

    /// Waits until a request in the background has ended.
    async fn until(&self, holds: impl Fn(&Known) -> bool) -> Arc<Known> {
        for _ in 0..1_000 {
            if let Some(known) = self.known_robots.peek(&self.origin).await
                && holds(&known)
            {
                return known;
            }
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        panic!("the outcome is never learned");
    }

    /// Asks about the site in many tasks at once.
    async fn many(&self, tasks: usize) -> Vec<Arc<Known>> {
        let mut asking = tokio::task::JoinSet::new();
        for _ in 0..tasks {
            let (known_robots, origin) = (self.known_robots.clone(), self.origin.clone());
            asking.spawn(async move { known_robots.of(&origin).await });
        }
        asking.join_all().await
    }

    fn requests(&self) -> usize {
        self.server.requests().len()
    }

    fn decisions(&self, known: &Known) -> [Fetch; 5] {
        decisions(&self.clock, known)
    }
}

/// A server that answers after a time.
async fn slow(millis: u64) -> Server {
    let pause = Act::Wait(Duration::from_millis(millis));
    Server::acting(vec![pause, Act::Send(ok(RULES))]).await
}

#[tokio::test]
async fn many_tasks_and_policies_cause_one_request() {
    // Without room in memory, tasks that wait still share a request.
    for (memory, origins) in [(DEFAULT_MEMORY, 1), (0, 0)] {
        let site = Site::of(slow(300).await, |options| options.with_memory_limit(memory));
        assert!(site.known_robots.peek(&site.origin).await.is_none());
        for known in site.many(200).await {
            assert_eq!(site.decisions(&known), [Disallow; 5]);
            assert_eq!(known.source(), Source::Request);
            assert_eq!(known.body(), Some(RULES.as_bytes()));
        }
        assert_eq!(site.requests(), 1);
        let counts = site.known_robots.counts();
        assert_eq!((counts.requests, counts.waits, counts.hits), (1, 200, 0));
        assert_eq!((counts.origins, counts.failed_requests), (origins, 0));
        assert!(site.known_robots.health().store_error.is_none());
    }
}

#[tokio::test]
async fn each_policy_reads_the_outcomes_by_its_own_table() {
    let moved = response(301, "Location: /robots.txt\r\n", "");
    let short = response(200, "Cache-Control: max-age=3600\r\n", RULES);
    let failing = response(503, "", "");
    // Google waits for twelve hours, and then uses the copy, too.
    let after_twelve_hours = [Disallow, Disallow, Disallow, Allow, Disallow];
    let cases = [
        (
            vec![ok(RULES), failing],
            vec![
                (0, 1, [Disallow; 5]),
                (25 * HOUR, 2, FAILING),
                (38 * HOUR, 3, after_twelve_hours),
            ],
        ),
        // A missing file, and one that redirects too often, are not requested again on the same day.
        (
            vec![response(404, "", "")],
            [0, 1, 12, 21]
                .map(|hours| (hours * HOUR, 1, [Allow; 5]))
                .into(),
        ),
        (
            vec![moved],
            [0, 1, 12, 21]
                .map(|hours| (hours * HOUR, 6, [Allow; 5]))
                .into(),
        ),
        // The last second of the freshness is fresh. A stale file is not used.
        (
            vec![short, ok("")],
            vec![
                (0, 1, [Disallow; 5]),
                (HOUR, 1, [Disallow; 5]),
                (HOUR + 1, 2, [Allow; 5]),
            ],
        ),
    ];
    for (number, (answers, times)) in cases.into_iter().enumerate() {
        let site = Site::sending(answers).await;
        for (seconds, requests, expected) in times {
            let known = site.at(seconds).await;
            assert_eq!(site.decisions(&known), expected, "{number} at {seconds}");
            site.server.wait_for_requests(requests).await;
            assert_eq!(site.requests(), requests, "{number} at {seconds}");
        }
    }
}

/// The table of a caller's profile may end earlier than those of the engines.
#[tokio::test]
async fn the_table_of_a_caller_counts() {
    let hourly = OutcomeTable::RFC9309
        .with_fresh_hours(1)
        .with_max_age(MaxAge::Ignored);
    let server = sending_in_turn(vec![ok(RULES), ok("")]).await;
    let site = Site::of(server, |options| options.with_outcomes(hourly));
    site.at(0).await;
    let known = site.at(HOUR + 1).await;
    assert_eq!(site.decisions(&known), [Allow; 5]);
}

#[tokio::test]
async fn a_failing_site_is_answered_at_once_and_asked_again_after_pauses() {
    let server = Server::start(|index, _| match index {
        0 => vec![Act::Send(response(500, "", ""))],
        _ => vec![Act::Hold],
    });
    let site = Site::of(server.await, |options| options);
    let known = site.at(0).await;
    assert!(known.retry_at().unwrap() > Timestamp::from(site.clock.now()));
    // A failure is not fresh.
    assert_eq!(known.fresh_until(), None);
    for _ in 0..10 {
        site.at(0).await;
    }
    assert_eq!(site.requests(), 1);
    // After the pause the site is asked again, in the background.
    let start = Instant::now();
    for _ in 0..10 {
        let known = site.at(70).await;
        assert_eq!(site.clock.decide(&known, &Profile::neutral()), Disallow);
        assert_eq!(known.unanswered(), None);
    }
    assert!(start.elapsed() < Duration::from_secs(5));
    site.server.wait_for_requests(2).await;
    assert_eq!(site.requests(), 2);
    assert_eq!(site.known_robots.counts().early_hits, 10);
}

#[tokio::test]
async fn a_file_that_expires_soon_is_requested_in_the_background() {
    let site = Site::sending(vec![ok(RULES), ok("")]).await;
    site.at(0).await;
    let known = site.at(23 * HOUR).await;
    assert_eq!(site.decisions(&known), [Disallow; 5]);
    let known = site.until(|known| known.body() == Some(b"")).await;
    assert_eq!(site.decisions(&known), [Allow; 5]);
    assert_eq!(site.requests(), 2);
}

/// The request for a file that expires soon fails. The copy stays until it expires, and the failure does not delay the next request
/// after that.
#[tokio::test]
async fn a_failure_does_not_replace_a_fresh_copy() {
    for failure in [
        response(503, "Retry-After: 604800\r\n", ""),
        b"not valid HTTP\r\n\r\n".to_vec(),
    ] {
        let site = Site::sending(vec![ok(RULES), failure]).await;
        let first = site.at(0).await;
        site.at(23 * HOUR).await;
        let known = site.until(|known| known.retry_at().is_some()).await;
        assert_eq!(site.decisions(&known), [Disallow; 5]);
        assert!(known.retry_at() <= first.fresh_until());
        // The details are those of the request whose outcome counts.
        assert_eq!((known.fault(), known.status()), (None, Some(200)));
        assert_eq!(known.requested_at(), first.requested_at());
        assert_eq!(site.requests(), 2);
        let known = site.at(24 * HOUR + 1).await;
        assert_eq!(site.requests(), 3);
        assert_eq!(site.decisions(&known), FAILING);
    }
}

#[tokio::test]
async fn redirects_that_lead_nowhere_are_an_answer() {
    for (headers, fault) in [
        ("Location: /robots.txt\r\n", "too_many_redirects"),
        ("", "redirect_without_target"),
        ("Location: file:///etc/passwd\r\n", "redirect_to_other"),
    ] {
        let site = Site::sending(vec![response(301, headers, "")]).await;
        let known = site.at(0).await;
        assert_eq!(known.fault().unwrap().name(), fault);
        // It is requested again when it is not fresh, not after a pause.
        assert_eq!(known.retry_at(), None, "{fault}");
        assert!(known.fresh_until().is_some(), "{fault}");
        assert_eq!(known.redirected_to(), None, "{fault}");
        assert_eq!(site.known_robots.counts().failed_requests, 0);
    }
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
    });
    let site = Site::of(server.await, |options| options);
    for (hours, requests, expected) in [
        (0, 1, [Disallow; 5]),
        (25, 2, [Disallow; 5]),
        (50, 3, FAILING),
        // The file has not changed since the failure: it applies again, also to Yandex, which had dropped it.
        (52, 4, [Disallow; 5]),
        (80, 5, [Disallow; 5]),
    ] {
        let mut known = site.at(hours * HOUR).await;
        if hours == 52 {
            // The request is in the background.
            known = site.until(|known| known.retry_at().is_none()).await;
        }
        assert_eq!(site.decisions(&known), expected, "{hours}");
        assert_eq!(known.body(), Some(RULES.as_bytes()), "{hours}");
        assert_eq!(site.requests(), requests, "{hours}");
    }
    let requests = site.server.requests();
    let requests = requests.iter();
    let tags = requests.map(|head| header(head, "if-none-match").is_some());
    assert!(tags.eq([false, true, true, true, true]));
}

#[tokio::test]
async fn waits_are_limited_in_time_and_in_number() {
    let site = Site::of(slow(600).await, |options| {
        options
            .with_max_wait(Duration::from_millis(100))
            .with_max_waiting(1)
    });
    let known_robots = &site.known_robots;
    let known = site.at(0).await;
    assert_eq!(known.unanswered(), Some(Unanswered::TimedOut));
    assert_eq!(site.decisions(&known), [Fetch::Unknown; 5]);
    // The request continues, and takes the only place of a request. The caller has left.
    let counts = known_robots.counts();
    assert_eq!((counts.waiting, counts.requesting), (0, 1));
    let known = site.at(0).await;
    assert_eq!(known.unanswered(), Some(Unanswered::TimedOut));
    let other = Origin::of("http://127.0.0.2/").unwrap();
    let known = known_robots.of(&other).await;
    assert_eq!(known.unanswered(), Some(Unanswered::TooManyWaiting));
    // A caller that waits takes the only place of a caller, until it stops.
    let waiting = {
        let (known_robots, origin) = (known_robots.clone(), site.origin.clone());
        tokio::spawn(async move { known_robots.of(&origin).await })
    };
    while known_robots.counts().waiting == 0 {
        tokio::task::yield_now().await;
    }
    let known = site.at(0).await;
    assert_eq!(known.unanswered(), Some(Unanswered::TooManyWaiting));
    waiting.abort();
    assert!(waiting.await.is_err());
    assert_eq!(known_robots.counts().waiting, 0);
    let known = site.until(|known| known.unanswered().is_none()).await;
    assert_eq!(site.decisions(&known), [Disallow; 5]);
    let counts = known_robots.counts();
    assert_eq!(
        (counts.requests, counts.timeouts, counts.refusals),
        (1, 2, 2)
    );
}

#[tokio::test]
async fn memory_is_limited_in_bytes() {
    let body = format!("User-agent: *\nDisallow: /x\n{}", "#".repeat(500));
    let server = Server::sending(ok(&body)).await;
    let limit = 60_000;
    let known_robots = Clock::new().builder().with_memory_limit(limit).build();
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
    let server = sending_in_turn(vec![ok(RULES), response(503, "Retry-After: 7200\r\n", "")]).await;
    let clock = Clock::new();
    for (hours, requests, source, expected) in [
        (0, 1, Source::Request, [Disallow; 5]),
        (1, 1, Source::Store, [Disallow; 5]),
        (25, 2, Source::Request, FAILING),
        // The pause that the server asked for.
        (26, 2, Source::Store, FAILING),
    ] {
        clock.set(hours * HOUR);
        let disk = DiskStore::open(folder.path().join("origins")).unwrap();
        let known_robots = clock.builder().with_store(disk).build();
        let known = known_robots.of(&server.origin()).await;
        assert_eq!(decisions(&clock, &known), expected, "{hours}");
        assert_eq!(server.requests().len(), requests, "{hours}");
        assert_eq!(known_robots.counts().loads, u64::from(hours > 0));
        assert_eq!(known.source(), source, "{hours}");
        known_robots.flush().await;
        assert!(known_robots.health().store_error.is_none());
    }
}

#[tokio::test]
async fn the_text_of_a_fault_is_cut_and_counted_in_memory() {
    for length in [MAX_FAULT_TEXT, MAX_FAULT_TEXT + 1, 200_000] {
        let target = format!("file:/{}", "a".repeat(length - "file:/".len()));
        let site = Site::sending(vec![redirect(301, &target)]).await;
        let known = site.at(0).await;
        let Some(FetchFault::RedirectToOther(text)) = known.fault() else {
            panic!("{:?}", known.fault());
        };
        assert_eq!(text, &target[..MAX_FAULT_TEXT]);
        let bytes = usize::try_from(site.known_robots.counts().bytes).unwrap();
        assert!((MAX_FAULT_TEXT..10_000).contains(&bytes), "{bytes}");
    }
}

#[tokio::test]
async fn the_details_of_a_request_are_known() {
    let folder = tempfile::tempdir().unwrap();
    let target = Server::sending(ok(RULES)).await;
    let moved = Server::redirecting(301, &target.url()).await;
    let own = Server::sending(ok(RULES)).await;
    let clock = Clock::new();
    let now = Timestamp::from(clock.now());
    let day = Timestamp::from_seconds(now.as_seconds() + 24 * 3600);
    for source in [Source::Request, Source::Store] {
        let disk = DiskStore::open(folder.path().join("origins")).unwrap();
        let known_robots = clock.builder().with_store(disk).build();
        let known = known_robots.of(&moved.origin()).await;
        assert_eq!(known.source(), source);
        let redirects = known.redirects().iter();
        let redirects: Vec<_> = redirects.map(|one| (one.url(), one.status())).collect();
        match source {
            Source::Request => assert_eq!(redirects, [(moved.url().as_str(), 301)]),
            _ => assert_eq!(redirects, []),
        }
        assert_eq!(known.redirected_to(), Some(target.url().as_str()));
        let url = SuccessUrl::Redirected(target.url().into());
        assert_eq!(*known.success_url(), url);
        assert_eq!(known.requested_at(), Some(now));
        assert_eq!(known.fresh_until(), Some(day));
        let known = known_robots.of(&own.origin()).await;
        assert_eq!(known.redirected_to(), None);
        assert_eq!(*known.success_url(), SuccessUrl::OwnRobotsTxt);
        known_robots.flush().await;
    }
    let gone = Site::of(Server::acting(vec![Act::Reset]).await, |options| options);
    let gone = gone.at(0).await;
    assert_eq!(gone.fault().unwrap().name(), "broken");
    assert_eq!(gone.body(), None);
    assert_eq!(gone.cause(), Cause::Unreachable);
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
    loop {
        let counts = known_robots.counts();
        if (counts.missed_turns, counts.waiting, counts.requesting) == (13, 7, 7) {
            break;
        }
        assert!(start.elapsed() < Duration::from_secs(10), "{counts:?}");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
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
    for is_stored in [false, true] {
        let folder = tempfile::tempdir().unwrap();
        let tagged = response(200, "ETag: \"a\"\r\n", RULES);
        let failing = response(503, "", "");
        let server = sending_in_turn(vec![tagged, failing.clone(), failing, ok("")]).await;
        let stored = |options: KnownRobotsBuilder| {
            if !is_stored {
                return options;
            }
            options.with_store(DiskStore::open(folder.path().join("origins")).unwrap())
        };
        let mut site = Site::of(server, stored);
        site.at(0).await;
        site.at(48 * HOUR).await;
        assert_eq!(site.requests(), 2);
        site.known_robots.flush().await;
        if is_stored {
            site.known_robots = stored(site.clock.builder()).build();
        }
        site.clock.set(HOUR);
        assert!(site.known_robots.peek(&site.origin).await.is_none());
        let known = site.at(HOUR).await;
        let requests = site.server.requests();
        assert_eq!(requests.len(), 3);
        assert_eq!(header(&requests[2], "if-none-match"), None);
        let now = Timestamp::from(site.clock.now());
        assert_eq!(known.record().outcomes.iter().count(), 1);
        assert_eq!(known.outcome().unwrap().at(), Some(now));
        // The failure begins now: Google waits for twelve hours.
        for (seconds, expected) in [(14 * HOUR, Allow), (HOUR + 600, Defer)] {
            site.clock.set(seconds);
            assert_eq!(site.clock.decide(&known, &Profile::google()), expected);
        }
    }
}

/// Runs a test in one thread, with a maximum number of threads that may block.
fn run(blocking: usize, test: impl Future<Output = ()>) {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .max_blocking_threads(blocking)
        .build();
    runtime.unwrap().block_on(test);
}

/// Keeps the only thread that may block busy until the returned sender is dropped.
fn block() -> (std::sync::mpsc::Sender<()>, impl Future<Output = ()>) {
    let (release, released) = std::sync::mpsc::channel::<()>();
    let busy = tokio::task::spawn_blocking(move || released.recv());
    (release, async { assert!(busy.await.unwrap().is_err()) })
}

/// What is in memory is known at once. What is on disk is read on another thread.
#[test]
fn the_disk_does_not_block_the_runtime() {
    use std::task::{Context, Poll, Waker};
    let folder = tempfile::tempdir().unwrap();
    run(1, async {
        let server = Server::sending(ok(RULES)).await;
        let origin = server.origin();
        for memory in [u64::MAX, 0] {
            let disk = DiskStore::open(folder.path().join(memory.to_string())).unwrap();
            let options = Clock::new().builder().with_store(disk);
            let known_robots = options.with_memory_limit(memory).build();
            known_robots.of(&origin).await;
            let (release, released) = block();
            let mut peek = std::pin::pin!(known_robots.peek(&origin));
            let first = peek.as_mut().poll(&mut Context::from_waker(Waker::noop()));
            drop(release);
            released.await;
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
    let folder = tempfile::tempdir().unwrap();
    run(1, async {
        let site = Site::of(Server::sending(ok(RULES)).await, |options| {
            options
                .with_store(DiskStore::open(folder.path().join("origins")).unwrap())
                .with_memory_limit(0)
                .with_max_wait(Duration::from_millis(300))
        });
        let (release, released) = block();
        let patience = Duration::from_secs(5);
        let known = tokio::time::timeout(patience, site.at(0)).await;
        assert_eq!(known.unwrap().unanswered(), Some(Unanswered::TimedOut));
        let peek = site.known_robots.peek(&site.origin);
        let peeked = tokio::time::timeout(patience, peek).await;
        assert!(peeked.unwrap().is_none());
        assert_eq!(site.known_robots.counts().timeouts, 1);
        drop(release);
        released.await;
        let known = site.at(0).await;
        assert_eq!(known.unanswered(), None);
        assert_eq!(known.body(), Some(RULES.as_bytes()));
    });
}

fn reserved() -> FileBytes {
    let file = br#"[{"location": "/", "tdm-reservation": 1}]"#;
    FileBytes::of_tdmrep(&Tdmrep::parse(file).unwrap())
}

/// It is requested with each robots.txt. One that is refused leaves the last copy in force, or may reserve anything.
#[tokio::test]
async fn a_tdmrep_json_is_requested_with_robots_txt() {
    let reservation = r#"[{"location": "/", "tdm-reservation": 1}]"#;
    let send = |bytes: Vec<u8>| vec![Act::Send(bytes)];
    let act_of_tdmrep = Arc::new(AtomicU64::new(0));
    let state = Arc::clone(&act_of_tdmrep);
    let server = Server::start(move |_, head| {
        match (
            head.starts_with("GET /robots.txt "),
            state.load(Ordering::SeqCst),
        ) {
            (true, _) => send(ok(RULES)),
            (_, 0) => send(response(403, "", "")),
            (_, 1) => send(ok(reservation)),
            (_, 2) => send(response(503, "", "")),
            (_, 3) => send(ok("<!doctype html>")),
            _ => send(response(404, "", "")),
        }
    })
    .await;
    let clock = Clock::new();
    let known_robots = clock.builder().with_tdmrep(true).build();
    let mut found = Vec::new();
    for act in 0..5 {
        act_of_tdmrep.store(act, Ordering::SeqCst);
        clock.set(act * 25 * HOUR);
        let known = known_robots.of(&server.origin()).await;
        found.push(
            known
                .tdmrep()
                .map(|file| (file.unread().is_some(), file.entries().len())),
        );
    }
    let reserved = Some((false, 1));
    assert_eq!(found, [Some((true, 0)), reserved, reserved, None, None]);
    let of_robots = server.requests();
    let of_robots = of_robots
        .iter()
        .filter(|head| head.starts_with("GET /robots.txt "));
    assert_eq!(of_robots.count(), 5);
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
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("origins");
    let origins: Vec<_> = (1..=20)
        .map(|port| Origin::of(&format!("http://127.0.0.1:{port}/")).unwrap())
        .collect();
    run(3, async {
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
        assert!(known_robots.health().store_error.is_none());
        assert_eq!(disk.origins().unwrap(), 21);
    });
}
