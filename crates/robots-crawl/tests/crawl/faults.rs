//! Faults: their names, and their meaning for a robots.txt.

use crate::server::{Act, Server};
use crate::{fetch, fetch_origin, fetch_with, fetcher, unreachable};
use robots_crawl::FetchFault;
use std::error::Error;
use std::time::{Duration, Instant};
use tokio::net::TcpListener;

/// Returns a port that is closed.
async fn closed_port() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    listener.local_addr().unwrap().port()
}

#[tokio::test]
async fn connections_that_are_refused() {
    let origin = format!("http://127.0.0.1:{}", closed_port().await);
    for origin in [origin.clone(), origin.replace("http:", "https:")] {
        let fetched = fetch_origin(fetcher(), &origin).await;
        let fault = unreachable(&fetched);
        assert!(matches!(fault, FetchFault::Connect(_)), "{fault:?}");
        assert!(fault.is_retried());
        assert_eq!(fault.to_string(), "cannot connect to the host");
        // The detail has the error of the system once.
        let detail = fault.source().unwrap().to_string();
        assert_eq!(detail.matches("os error").count(), 1, "{detail}");
        assert_eq!(fetched.status(), None);
        assert_eq!(fetched.hops(), []);
    }
}

#[tokio::test]
async fn hosts_that_are_silent_before_the_headers() {
    for acts in [
        vec![Act::Hold],
        vec![Act::Send("HTTP/1.1 200 X\r\nContent-".into()), Act::Hold],
        // Single bytes do not extend the wait for the headers.
        vec![
            Act::Send("HTTP/1.1 200 X\r\nX: ".into()),
            Act::Repeat(b"x".into(), Duration::from_millis(20)),
        ],
    ] {
        let server = Server::acting(acts).await;
        let fetcher = fetcher()
            .with_connect_timeout(Duration::from_millis(200))
            .with_idle_timeout(Duration::from_millis(200));
        let start = Instant::now();
        let fetched = fetch_with(fetcher, &server).await;
        assert_eq!(unreachable(&fetched), &FetchFault::IdleTimeout);
        assert!(start.elapsed() < Duration::from_secs(5));
        assert!(unreachable(&fetched).is_retried());
        assert_eq!(fetched.status(), None);
        server.wait_for_departures(1).await;
    }
}

#[tokio::test]
async fn hosts_that_are_silent_amid_the_body() {
    let head = "HTTP/1.1 200 X\r\nContent-Length: 99\r\n\r\nhello";
    let server = Server::acting(vec![Act::Send(head.into()), Act::Hold]).await;
    let fetcher = fetcher().with_idle_timeout(Duration::from_millis(200));
    let fetched = fetch_with(fetcher, &server).await;
    assert_eq!(unreachable(&fetched), &FetchFault::IdleTimeout);
    assert_eq!(fetched.status(), Some(200));
    server.wait_for_departures(1).await;
}

#[tokio::test]
async fn bodies_that_come_slowly_but_come() {
    let mut acts = vec![Act::Send("HTTP/1.1 200 X\r\n\r\n".into())];
    for byte in b"slow" {
        acts.push(Act::Wait(Duration::from_millis(100)));
        acts.push(Act::Send(vec![*byte]));
    }
    let server = Server::acting(acts).await;
    let fetcher = fetcher().with_idle_timeout(Duration::from_secs(2));
    let fetched = fetch_with(fetcher, &server).await;
    assert_eq!(crate::body(&fetched), b"slow");
}

#[tokio::test]
async fn answers_that_take_too_long() {
    for (acts, status) in [
        (vec![Act::Hold], None),
        (
            vec![
                Act::Send("HTTP/1.1 200 X\r\n\r\n".into()),
                Act::Repeat(b"x".into(), Duration::from_millis(20)),
            ],
            Some(200),
        ),
    ] {
        let server = Server::acting(acts).await;
        let fetcher = fetcher()
            .with_retries(2)
            .with_total_timeout(Duration::from_millis(500));
        let start = Instant::now();
        let fetched = fetch_with(fetcher, &server).await;
        assert_eq!(unreachable(&fetched), &FetchFault::Timeout);
        assert!(!unreachable(&fetched).is_retried());
        assert!(start.elapsed() < Duration::from_secs(5));
        assert_eq!(fetched.status(), status);
        assert_eq!(fetched.attempts(), 1);
        server.wait_for_departures(1).await;
    }
}

#[tokio::test]
async fn connections_that_end_before_the_headers() {
    for acts in [
        vec![],
        vec![Act::Reset],
        vec![Act::Send("HTTP/1.1 200 X\r\nContent-".into())],
    ] {
        let server = Server::acting(acts.clone()).await;
        let fetched = fetch(&server).await;
        let fault = unreachable(&fetched);
        assert!(
            matches!(fault, FetchFault::Broken(_)),
            "{acts:?}: {fault:?}"
        );
        assert!(fault.is_retried(), "{acts:?}: {fault:?}");
        assert_eq!(fetched.status(), None);
    }
}

#[tokio::test]
async fn responses_that_are_not_http() {
    let long = format!("HTTP/1.1 200 X\r\nX: {}\r\n\r\n", "x".repeat(1024 * 1024));
    for bytes in [
        // HTTP/0.9 has no headers.
        "User-agent: *\nDisallow: /\n",
        "<html><title>Hello</title></html>\r\n\r\n",
        "SSH-2.0-OpenSSH_9.9\r\n",
        "HTTP/1.1 OK\r\n\r\n",
        "HTTP/3.0 200 X\r\n\r\n",
        "HTTP/1.1 200 X\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab",
        "HTTP/1.1 200 X\r\nContent-Length: -1\r\n\r\nab",
        // More bytes of headers than the client accepts.
        &long,
    ] {
        let server = Server::sending(bytes).await;
        let fetched = fetch(&server).await;
        let fault = unreachable(&fetched);
        let start: String = bytes.chars().take(40).collect();
        assert!(
            matches!(fault, FetchFault::Protocol(_)),
            "{start}: {fault:?}"
        );
        assert!(!fault.is_retried());
        assert!(fault.source().is_some());
        let url = format!("http://{}/page", server.address());
        let page = fetcher().build().unwrap().page(&url).await;
        assert!(matches!(page, Err(FetchFault::Protocol(_))), "{start}");
    }
}
