//! A crawler that is started again on the disk of an earlier one, and one whose clock goes backwards.

use crate::fetcher;
use crate::server::{Server, header, response};
use robots_crawl::{CrawlStore, Crawler, DiskStore};
use robots_policy::decision::AiUse;
use robots_policy::robots::{OutcomeTable, RobotsState};
use robots_policy::site::Tdmrep;
use robots_policy::{Fetch, Policy};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::{Duration, SystemTime};

/// Visits a page with a new crawler on the disk of an earlier one, this number of seconds from now.
async fn visit(disk: &Path, seconds: u64, server: &Server) -> Fetch {
    let crawler = Crawler::builder(Policy::new("TestBot").unwrap(), fetcher().build().unwrap())
        .with_store(CrawlStore::on_disk(DiskStore::open(disk).unwrap()))
        .with_clock(move || SystemTime::now() + Duration::from_secs(seconds))
        .build();
    let page = format!("http://{}/x", server.address());
    let visit = crawler.visit(&page).await.unwrap();
    assert!(crawler.store().disk_error().is_none());
    visit.decision().fetch
}

#[tokio::test]
async fn a_retry_after_is_kept_after_a_restart() {
    let folder = tempfile::tempdir().unwrap();
    let disk = folder.path().join("origins");
    let server = Server::sending(response(503, "Retry-After: 3600\r\n", "")).await;
    for (seconds, asked) in [(0, 1), (60, 1), (3_590, 1), (3_605, 2), (7_190, 2)] {
        assert_eq!(visit(&disk, seconds, &server).await, Fetch::Disallow);
        assert_eq!(server.requests().len(), asked, "{seconds}");
    }
}

#[tokio::test]
async fn the_longest_retry_after_survives_restarts() {
    let folder = tempfile::tempdir().unwrap();
    let disk = folder.path().join("origins");
    let server = Server::sending(response(503, "Retry-After: 99999999\r\n", "")).await;
    for _ in 0..5 {
        visit(&disk, 0, &server).await;
    }
    assert_eq!(server.requests().len(), 1);
    // The longest pause is seven days (`MAX_RETRY_AFTER`).
    visit(&disk, 7 * 24 * 3600 + 5, &server).await;
    assert_eq!(server.requests().len(), 2);
}

#[tokio::test]
async fn pauses_grow_over_restarts() {
    let folder = tempfile::tempdir().unwrap();
    let disk = folder.path().join("origins");
    let server = Server::sending(response(500, "", "")).await;
    // After pauses of one, two, and four minutes.
    for (seconds, asked) in [
        (0, 1),
        (50, 1),
        (65, 2),
        (175, 2),
        (195, 3),
        (425, 3),
        (450, 4),
    ] {
        assert_eq!(visit(&disk, seconds, &server).await, Fetch::Disallow);
        assert_eq!(server.requests().len(), asked, "{seconds}");
    }
}

#[tokio::test]
async fn a_confirmed_file_applies_again_to_every_profile_that_reads_the_store() {
    let folder = tempfile::tempdir().unwrap();
    let disk = folder.path().join("origins");
    let server = Server::start(|index, head| {
        let tag = "ETag: \"a\"\r\nCache-Control: max-age=3600\r\n";
        let answer = match (index, header(head, "if-none-match")) {
            (1, _) => response(503, "", ""),
            (_, Some("\"a\"")) => response(304, "ETag: \"a\"\r\n", ""),
            _ => response(200, tag, "User-agent: *\nDisallow: /x"),
        };
        vec![crate::server::Act::Send(answer)]
    })
    .await;
    for hours in [0, 25, 27] {
        let fetch = visit(&disk, hours * 3600, &server).await;
        assert_eq!(fetch, Fetch::Disallow, "{hours}");
    }
    let store = DiskStore::open(&disk).unwrap();
    let record = store.get(&server.origin()).unwrap().unwrap();
    // Yandex takes the 503 for an empty file, and has no copy until the file is confirmed.
    let state = record.outcomes.state(&OutcomeTable::YANDEX, None, None);
    assert!(matches!(state, RobotsState::Rules(Some(_))));
    // The 304 does not say how long the file may be kept, so it stays the time that the 200 has.
    let confirmed = record.outcomes.last().unwrap();
    assert_eq!(confirmed.fresh_for(), Some(Duration::from_secs(3600)));
}

#[tokio::test]
async fn validators_of_a_redirect_target_are_sent_to_it_again() {
    let folder = tempfile::tempdir().unwrap();
    let disk = folder.path().join("origins");
    let target = Server::start(|_, head| {
        let tag = "ETag: \"a\"\r\n";
        let answer = match header(head, "if-none-match") {
            Some("\"a\"") => response(304, tag, ""),
            _ => response(200, tag, "User-agent: *\nDisallow: /x"),
        };
        vec![crate::server::Act::Send(answer)]
    })
    .await;
    let server = Server::redirecting(301, &target.url()).await;
    // A robots.txt is fresh for 24 hours.
    for day in 0..3 {
        let fetch = visit(&disk, day * 25 * 3600, &server).await;
        assert_eq!(fetch, Fetch::Disallow);
    }
    let tags = |server: &Server| -> Vec<Option<String>> {
        let requests = server.requests();
        let tags = requests.iter().map(|head| header(head, "if-none-match"));
        tags.map(|tag| tag.map(str::to_owned)).collect()
    };
    let tag = Some("\"a\"".to_owned());
    assert_eq!(tags(&target), [None, tag.clone(), tag]);
    assert_eq!(tags(&server), [None, None, None]);
}

/// The clock is two days ahead at the first request, and is then set right: the copy has a time in the future. So robots.txt
/// is requested again, and the facts begin again with the new response.
#[tokio::test]
async fn a_clock_that_goes_backwards() {
    const DAY: u64 = 24 * 3600;
    let answers = [
        response(200, "", "User-agent: *\nDisallow: /x"),
        response(404, "", ""),
        response(503, "", ""),
    ];
    let asked = AtomicUsize::new(0);
    let server = Server::start(move |_, head| {
        let answer = if head.starts_with("GET /robots.txt ") {
            let index = asked.fetch_add(1, Ordering::SeqCst);
            answers.get(index).unwrap_or(&answers[0]).clone()
        } else {
            response(200, "", "a page")
        };
        vec![crate::server::Act::Send(answer)]
    })
    .await;
    let start = SystemTime::now();
    let seconds = Arc::new(AtomicU64::new(0));
    let clock = Arc::clone(&seconds);
    let crawler = Crawler::builder(Policy::new("TestBot").unwrap(), fetcher().build().unwrap())
        .with_clock(move || start + Duration::from_secs(clock.load(Ordering::SeqCst)))
        .build();
    let page = format!("http://{}/x", server.address());
    for (now, fetch, asked) in [
        (2 * DAY, Fetch::Disallow, 1),
        // The clock is set back: robots.txt is requested again at once, and the new response applies.
        (0, Fetch::Allow, 2),
        (30, Fetch::Allow, 2),
        (72_000, Fetch::Allow, 2),
        // The response 503 is a failure, during which nothing may be fetched (RFC 9309, section 2.3.1.4).
        (DAY + 10, Fetch::Disallow, 3),
        (DAY + 40, Fetch::Disallow, 3),
        (2 * DAY, Fetch::Disallow, 4),
        (2 * DAY + 7_400, Fetch::Disallow, 4),
    ] {
        seconds.store(now, Ordering::SeqCst);
        let visit = crawler.visit(&page).await.unwrap();
        assert_eq!(visit.decision().fetch, fetch, "{now}");
        let robots = server.requests();
        let robots = robots
            .iter()
            .filter(|head| head.starts_with("GET /robots.txt "));
        assert_eq!(robots.count(), asked, "{now}");
    }
}

/// What a clock that was ahead has stored about robots.txt is forgotten. The tdmrep.json has no time, and stays: in memory, on disk,
/// and after a restart.
#[tokio::test]
async fn a_clock_that_goes_backwards_does_not_lose_the_tdmrep_json() {
    let folder = tempfile::tempdir().unwrap();
    let disk = folder.path().join("origins");
    let server = Server::sending(response(200, "", "User-agent: *\nDisallow: /y")).await;
    let page = format!("http://{}/x", server.address());
    let crawler = |store: CrawlStore, seconds: Arc<AtomicU64>| {
        let start = SystemTime::now();
        Crawler::builder(Policy::new("TestBot").unwrap(), fetcher().build().unwrap())
            .with_store(store)
            .with_clock(move || start + Duration::from_secs(seconds.load(Ordering::SeqCst)))
            .build()
    };
    let on_disk = || CrawlStore::on_disk(DiskStore::open(&disk).unwrap());
    let in_little_memory = || on_disk().with_memory_limit(0);
    let stores: [&dyn Fn() -> CrawlStore; 3] =
        [&CrawlStore::in_memory, &on_disk, &in_little_memory];
    let reserved = br#"[{"location": "/", "tdm-reservation": 1}]"#;
    for store in stores {
        let store = store();
        let has_disk = store.disk().is_some();
        let ahead = Arc::new(AtomicU64::new(48 * 3600));
        let first = crawler(store, Arc::clone(&ahead));
        let tdmrep = Tdmrep::parse(reserved).unwrap();
        first.policy().learn_tdmrep(&page, tdmrep).unwrap();
        first.robots(&page).await.unwrap();
        ahead.store(0, Ordering::SeqCst);
        let requests = server.requests().len();
        let visit = first.visit(&page).await.unwrap();
        assert_eq!(visit.decision().ai_train, AiUse::Disallow);
        // robots.txt and the page.
        assert_eq!(server.requests().len(), requests + 2);
        drop(first);
        if has_disk {
            let again = crawler(on_disk(), Arc::default());
            let visit = again.visit(&page).await.unwrap();
            assert_eq!(visit.decision().ai_train, AiUse::Disallow);
            assert_eq!(server.requests().len(), requests + 3);
        }
        std::fs::remove_file(&disk).ok();
    }
}
