//! `robots check --fetch`, on a server of our own on 127.0.0.1.

#![allow(
    clippy::expect_used,
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a failure here fails the test"
)]

mod program;

use program::robots;
use serde_json::Value;
use std::io::{Read, Write};
use std::net::TcpListener;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// A server that gives the same answer to each request; where it is, and how often it was asked.
fn serve(answer: &'static str) -> (String, Arc<AtomicUsize>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let origin = format!("http://{}", listener.local_addr().unwrap());
    let asked = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&asked);
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            let mut head = Vec::new();
            let mut byte = [0];
            while !head.ends_with(b"\r\n\r\n") && stream.read(&mut byte).is_ok_and(|read| read > 0)
            {
                head.push(byte[0]);
            }
            count.fetch_add(1, Ordering::SeqCst);
            let _ = stream.write_all(answer.as_bytes());
        }
    });
    (origin, asked)
}

const OK: &str = "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nUser-agent: *\nDisallow: /private\n";

#[test]
fn a_site_is_asked_once_and_its_line_decides() {
    let (origin, asked) = serve(OK);
    let (open, private) = (format!("{origin}/x"), format!("{origin}/private"));
    let outcome = robots(["check", "--fetch", "--allow-private", &open, &private]);
    assert_eq!(outcome.code, 1, "{}", outcome.stderr);
    assert!(
        outcome.stdout.contains("Disallow: /private"),
        "{}",
        outcome.stdout
    );
    assert_eq!(asked.load(Ordering::SeqCst), 1);
    let outcome = robots(["check", "--fetch", "--allow-private", "--json", &open]);
    assert_eq!(outcome.code, 0);
    let row: Value = serde_json::from_str(&outcome.stdout).unwrap();
    assert_eq!(row["allowed"], true);
    assert_eq!(row["reason"], "no_rule_matches");
}

#[test]
fn what_a_failure_means_is_told() {
    let (origin, _) = serve("HTTP/1.1 503 X\r\nContent-Length: 0\r\n\r\n");
    let outcome = robots(["check", "--fetch", "--allow-private", &origin]);
    assert_eq!(outcome.code, 1);
    assert!(outcome.stdout.contains("status 503"), "{}", outcome.stdout);
    let (origin, _) = serve("HTTP/1.1 404 X\r\nContent-Length: 0\r\n\r\n");
    assert_eq!(
        robots(["check", "--fetch", "--allow-private", &origin]).code,
        0
    );
}

#[test]
fn what_is_not_public_is_not_asked() {
    let (origin, asked) = serve(OK);
    let outcome = robots(["check", "--fetch", "--json", &origin]);
    assert_eq!(outcome.code, 1);
    let row: Value = serde_json::from_str(&outcome.stdout).unwrap();
    assert_eq!(row["reason"], "robots_txt_unreachable");
    assert!(
        row["fault"].as_str().unwrap().contains("127.0.0.1"),
        "{row}"
    );
    assert_eq!(asked.load(Ordering::SeqCst), 0);
    assert_eq!(robots(["check", "--fetch", "robots.txt"]).code, 2);
}
