//! A crawler that is started again on the disk of an earlier one, and one whose clock goes backwards.

use crate::fetcher;
use crate::server::{Server, header, response};
use robots_crawl::store::FileBytes;
use robots_crawl::{Crawler, DiskStore};
use robots_policy::decision::AiUse;
use robots_policy::site::Tdmrep;
use robots_policy::{Fetch, Policy};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime};

/// Visits a page with a new crawler on the disk of an earlier one, this number of seconds from now.
async fn visit(disk: &Path, seconds: u64, server: &Server) -> Fetch {
    let crawler = Crawler::builder(Policy::new("TestBot").unwrap(), fetcher().build().unwrap())
        .with_store(DiskStore::open(disk).unwrap())
        .with_clock(move || SystemTime::now() + Duration::from_secs(seconds))
        .build();
    let page = format!("http://{}/x", server.address());
    let visit = crawler.visit(&page).await.unwrap();
    crawler.known_robots().flush().await;
    assert!(crawler.known_robots().health().store_error.is_none());
    visit.decision().fetch
}

#[tokio::test]
async fn pauses_are_kept_after_restarts() {
    let week = 7 * 24 * 3600;
    for (status, headers, times) in [
        // Pauses of one, two, and four minutes.
        (
            500,
            "",
            &[
                (0, 1),
                (50, 1),
                (65, 2),
                (175, 2),
                (195, 3),
                (425, 3),
                (450, 4),
            ][..],
        ),
        // The longest `Retry-After` is seven days (`MAX_RETRY_AFTER`).
        (
            503,
            "Retry-After: 99999999\r\n",
            &[(0, 1), (60, 1), (week - 10, 1), (week + 5, 2)],
        ),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let disk = folder.path().join("origins");
        let server = Server::sending(response(status, headers, "")).await;
        for (seconds, asked) in times {
            assert_eq!(visit(&disk, *seconds, &server).await, Fetch::Disallow);
            assert_eq!(server.requests().len(), *asked, "{seconds}");
        }
    }
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

/// What a clock that was ahead has stored about robots.txt is forgotten. The tdmrep.json has no time, and stays: in memory, on disk,
/// and after a restart.
#[tokio::test]
async fn a_clock_that_goes_backwards_does_not_lose_the_tdmrep_json() {
    let folder = tempfile::tempdir().unwrap();
    let disk = folder.path().join("origins");
    let server = Server::sending(response(200, "", "User-agent: *\nDisallow: /y")).await;
    let page = format!("http://{}/x", server.address());
    let crawler = |is_stored: bool, memory: u64, seconds: Arc<AtomicU64>| {
        let start = SystemTime::now();
        let builder = Crawler::builder(Policy::new("TestBot").unwrap(), fetcher().build().unwrap())
            .with_memory_limit(memory)
            .with_clock(move || start + Duration::from_secs(seconds.load(Ordering::SeqCst)));
        if is_stored {
            builder.with_store(DiskStore::open(&disk).unwrap()).build()
        } else {
            builder.build()
        }
    };
    let reserved = br#"[{"location": "/", "tdm-reservation": 1}]"#;
    let tdmrep = Tdmrep::parse(reserved).unwrap();
    for (is_stored, memory) in [(false, 1 << 20), (true, 1 << 20), (true, 0)] {
        let ahead = Arc::new(AtomicU64::new(48 * 3600));
        let first = crawler(is_stored, memory, Arc::clone(&ahead));
        let origin = server.origin();
        let learned = first.known_robots().change(&origin, |record| {
            record.tdmrep = Some(FileBytes::of_tdmrep(&tdmrep));
        });
        learned.await;
        first.robots(&page).await.unwrap();
        ahead.store(0, Ordering::SeqCst);
        let requests = server.requests().len();
        let visit = first.visit(&page).await.unwrap();
        assert_eq!(visit.decision().ai_train, AiUse::Disallow);
        // robots.txt and the page.
        assert_eq!(server.requests().len(), requests + 2);
        first.known_robots().flush().await;
        drop(first);
        if is_stored {
            let again = crawler(true, 1 << 20, Arc::default());
            let visit = again.visit(&page).await.unwrap();
            assert_eq!(visit.decision().ai_train, AiUse::Disallow);
            assert_eq!(server.requests().len(), requests + 3);
        }
        std::fs::remove_file(&disk).ok();
    }
}
