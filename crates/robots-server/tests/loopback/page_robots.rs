//! What the checker page, and the API with the same facts, show of the robots.txt of a site.

use crate::client::{Answer, Service, TEXT, response, same_site, site, start};
use crate::page::{ALLOW_PRIVATE, assert_has, headline, post};
use robots_crawl::DiskStore;
use robots_crawl::robots_policy::RobotsFetch;
use robots_crawl::robots_policy::origins::Origin;
use robots_crawl::store::{FileBytes, OriginRecord};
use robots_meta::Timestamp;
use serde_json::{Value, json};
use std::path::Path;
use std::thread;
use std::time::{Duration, SystemTime};

fn ask(service: &Service, url: &str) -> Answer {
    post(service, &[("url", url)])
}

fn why(service: &Service, url: &str) -> Value {
    service.answer("/v1/why", &json!({"url": url, "fetch": true}))
}

/// Writes a store in which the robots.txt of an origin was requested some hours ago.
fn store(path: &Path, origin: &str, outcome: &RobotsFetch<'_>, hours: i64) {
    let now = Timestamp::from(SystemTime::now()).as_seconds();
    let at = Timestamp::from_seconds(now - hours * 3600);
    let mut record = OriginRecord::default();
    let outcomes = &mut record.outcomes;
    outcomes.record(outcome, Some(at), |body| {
        Some(FileBytes::of_robots_txt(body))
    });
    let store = DiskStore::open(path).unwrap();
    store.put(&Origin::of(origin).unwrap(), &record).unwrap();
}

/// The owner of a site chooses the target of its redirects: this service does not read other sites for them.
#[test]
fn a_file_of_another_site_is_not_shown() {
    let text = "User-agent: *\nDisallow: /private/\nsecret words\n";
    let other = same_site(TEXT, text);
    let target = other.clone();
    let foreign =
        site(move |_| response(&format!("301 Moved\r\nLocation: {target}/words.txt"), ""));
    let target = other.clone();
    let to_robots =
        site(move |_| response(&format!("301 Moved\r\nLocation: {target}/robots.txt"), ""));
    let own = site(move |path| match path {
        "/robots.txt" => response("301 Moved\r\nLocation: /files/robots.txt", ""),
        _ => response(TEXT, text),
    });
    let service = start(&[ALLOW_PRIVATE]);
    for (origin, is_shown) in [(&foreign, false), (&to_robots, true), (&own, true)] {
        let page = ask(&service, &format!("{origin}/private/x"));
        assert_eq!(
            headline(&page, 200),
            "No engine may fetch this page: line 2 of robots.txt disallows it"
        );
        assert_eq!(page.body.contains("secret"), is_shown, "{}", page.body);
        assert_eq!(page.body.contains("href=\"#L2\""), is_shown);
        // The deciding rule is a part of the answer.
        assert_has(&page, &["after 1 redirect", "Disallow: /private/"]);
        let reason = "The redirects end at another site";
        assert_eq!(page.body.contains(reason), !is_shown, "{}", page.body);

        let fields = [("site", &**origin), ("old", ""), ("new", "User-agent: *\n")];
        let page = post(&service, &fields);
        assert_eq!(page.status, 200);
        assert_eq!(page.body.contains("secret"), is_shown, "{}", page.body);
        assert_eq!(page.body.contains(reason), !is_shown, "{}", page.body);
    }
}

#[test]
fn facts_in_force_are_shown_with_the_reason_why_there_are_no_newer_ones() {
    let slow = site(|_| {
        thread::sleep(Duration::from_secs(4));
        response(TEXT, "")
    });
    let stale = same_site("500 Busy", "");
    let folder = tempfile::TempDir::new().unwrap();
    let path = folder.path().join("known.store");
    let file = RobotsFetch::Body(b"User-agent: *\nDisallow: /private/\n");
    store(&path, &stale, &file, 48);
    let service = start(&[
        ALLOW_PRIVATE,
        ("store", path.to_str().unwrap()),
        ("limits.fetches-waiting", "1"),
        ("limits.fetch-timeout", "2s"),
    ]);
    thread::scope(|scope| {
        let waiting = scope.spawn(|| ask(&service, &slow));
        thread::sleep(Duration::from_millis(500));
        let page = ask(&service, &format!("{stale}/private/x"));
        assert_eq!(page.status, 200, "{page:?}");
        assert_has(
            &page,
            &[
                "robots.txt has status 200. It is due for a new request, which was not made: too many questions wait",
                "<dd>status 200</dd>",
                "<dt>Newer</dt>",
                "Disallow:</b> /private/",
            ],
        );
        assert!(!page.body.contains("cannot be read"), "{}", page.body);
        // Nothing is known of this one.
        let page = ask(&service, "http://127.0.0.1:1/");
        assert_eq!(headline(&page, 503), "The service is at its limit");
        assert_has(&page, &["1 questions wait", "Ask again after 1 s."]);
        assert_eq!(page.header("retry-after"), Some("1"));
        drop(waiting.join().unwrap());
    });
}

#[test]
fn answers_that_lead_nowhere_are_explained_as_they_count() {
    let service = start(&[ALLOW_PRIVATE]);
    let nowhere = "lets robots assume that there are no rules";
    for (head, parts, other) in [
        (
            "304 Not Modified",
            [
                "It is not known whether",
                "not modified: what was known before applies",
            ],
            nowhere,
        ),
        (
            "301 Moved",
            ["301, which was not followed", nowhere],
            "301 to http",
        ),
        (
            "302 Found\r\nLocation: file:///x",
            ["302, which was not followed", nowhere],
            "302 to http",
        ),
    ] {
        let origin = same_site(head, "");
        let page = ask(&service, &origin);
        assert_has(&page, &parts);
        assert!(!page.body.contains(other), "{other}: {}", page.body);
        // A new version is compared with no rules, or with none that are known.
        let new = "User-agent: *\nDisallow: /p\n";
        let page = post(&service, &[("site", &origin), ("old", ""), ("new", new)]);
        let is_known = parts.contains(&nowhere);
        assert_eq!(page.status, if is_known { 200 } else { 422 }, "{head}");
        assert_eq!(page.body.contains("may fetch less"), is_known, "{head}");
    }
}

#[test]
fn failures_of_earlier_requests_are_named() {
    let origin = "http://127.0.0.1:1";
    let folder = tempfile::TempDir::new().unwrap();
    let path = folder.path().join("known.store");
    store(&path, origin, &RobotsFetch::TooManyRedirects, 0);
    let service = start(&[ALLOW_PRIVATE, ("store", path.to_str().unwrap())]);
    let found = &why(&service, &format!("{origin}/x"))["robots_txt"];
    assert_eq!(found["fault"], "too_many_redirects", "{found}");
    let page = ask(&service, origin);
    assert_has(
        &page,
        &[
            "robots.txt cannot be read: robots.txt redirects too often",
            "lets robots assume that there are no rules",
        ],
    );
}

#[test]
fn what_is_not_text_has_its_own_outcome() {
    let origin = same_site("200 OK\r\nContent-Type: text/html", "secret");
    let service = start(&[ALLOW_PRIVATE]);
    let page = ask(&service, &origin);
    assert_eq!(page.status, 200);
    assert_has(
        &page,
        &["robots.txt is not text.", "The site answers with HTML"],
    );
    assert!(!page.body.contains("secret") && !page.body.contains("unreachable"));
}

/// As `robots why` has them.
#[test]
fn the_last_response_has_its_status_whatever_its_outcome() {
    let html = same_site("200 OK\r\nContent-Type: text/html", "secret");
    let looping = same_site("302 Found\r\nLocation: /robots.txt", "");
    let broken = site(|_| {
        "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 999\r\n\r\nUser".to_owned()
    });
    let service = start(&[ALLOW_PRIVATE]);
    for (origin, status, fault) in [
        (&html, 200, None),
        (&looping, 302, Some("too_many_redirects")),
        (&broken, 200, Some("broken")),
    ] {
        let found = &why(&service, &format!("{origin}/x"))["robots_txt"];
        assert_eq!(
            (&found["status"], found["fault"].as_str()),
            (&json!(status), fault),
            "{found}"
        );
        let text = found["fault_text"].as_str();
        // With its causes.
        let is_whole = fault != Some("broken") || text.is_some_and(|text| text.contains(": "));
        assert!(is_whole, "{found}");
    }
    let refused = &why(&service, "http://127.0.0.1:1/x")["robots_txt"];
    let text = refused["fault_text"].as_str().unwrap();
    assert!(text.starts_with("cannot connect to the host: "), "{text}");
    assert_eq!(refused["status"], Value::Null);
}

#[test]
fn a_page_that_is_not_requested_has_the_reason() {
    let service = start(&[ALLOW_PRIVATE]);
    let failing = same_site("503 Busy", "secret");
    let text = "robots.txt was answered with status 503, so this service does not fetch the page";
    assert_has(&ask(&service, &failing), &[text]);
    let why_not = &why(&service, &failing)["page"]["why_not"];
    assert_eq!(why_not, text);
    let fields = [("site", &*failing), ("old", ""), ("new", "")];
    let page = post(&service, &fields);
    assert_eq!(headline(&page, 422), "The old version is not known");
}

#[test]
fn the_present_version_of_a_site_without_robots_txt_is_empty() {
    let gone = same_site("404 Not Found", "");
    let folder = tempfile::TempDir::new().unwrap();
    let path = folder.path().join("known.store");
    let text = "User-agent: *\nDisallow: /private/\n";
    store(&path, &gone, &RobotsFetch::Body(text.as_bytes()), 48);
    let service = start(&[ALLOW_PRIVATE, ("store", path.to_str().unwrap())]);
    let page = post(
        &service,
        &[("site", &*gone), ("old", ""), ("new", "User-agent: *\n")],
    );
    assert_eq!(headline(&page, 200), "No robot gets another answer");
    let page = post(&service, &[("site", &*gone), ("old", ""), ("new", text)]);
    assert_ne!(headline(&page, 200), "No robot gets another answer");
}
