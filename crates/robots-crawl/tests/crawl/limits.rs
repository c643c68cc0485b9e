//! Limits: the number of attempts, of simultaneous requests, and of bytes; and connections after a request.

use crate::server::{Act, Server, ok, redirect, response};
use crate::{body, fetch_origin, fetch_with, fetcher, unreachable};
use robots_crawl::fetch::DEFAULT_PER_ADDRESS;
use robots_crawl::{FetchFault, Fetcher, Validators};
use robots_policy::origins::Origin;
use std::time::{Duration, Instant};
use tokio::io::AsyncWriteExt;
use tokio::task::JoinSet;

/// Starts a server that takes these steps for the first `times` requests, and then responds.
async fn failing(times: usize, act: Vec<Act>) -> Server {
    Server::start(move |index, _| {
        if index < times {
            act.clone()
        } else {
            vec![Act::Send(ok("x"))]
        }
    })
    .await
}

#[tokio::test]
async fn temporary_faults_are_retried() {
    for act in [
        vec![],
        vec![Act::Reset],
        vec![Act::Send(
            "HTTP/1.1 200 X\r\nContent-Length: 9\r\n\r\nhello".into(),
        )],
        vec![Act::Hold],
    ] {
        let server = failing(1, act.clone()).await;
        let fetcher = fetcher()
            .with_retries(2)
            .with_connect_timeout(Duration::from_secs(1))
            .with_idle_timeout(Duration::from_millis(300));
        let start = Instant::now();
        let fetched = fetch_with(fetcher, &server).await;
        assert_eq!(body(&fetched), b"x", "{act:?}");
        assert_eq!(fetched.attempts(), 2);
        assert_eq!(server.requests().len(), 2);
        // The pause before the first retry has at least this length.
        assert!(start.elapsed() >= Duration::from_millis(250));
    }
}

#[tokio::test]
async fn a_request_is_retried_as_often_as_set() {
    for (retries, failures, is_answered) in [(0, 1, false), (1, 2, false), (2, 2, true)] {
        let server = failing(failures, vec![]).await;
        let fetched = fetch_with(fetcher().with_retries(retries), &server).await;
        assert_eq!(fetched.attempts(), retries + 1);
        assert_eq!(server.requests().len(), fetched.attempts() as usize);
        if is_answered {
            assert_eq!(body(&fetched), b"x");
        } else {
            assert!(matches!(unreachable(&fetched), FetchFault::Broken(_)));
        }
    }
}

#[tokio::test]
async fn refused_connections_are_retried() {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let origin = format!("http://{}", listener.local_addr().unwrap());
    drop(listener);
    let fetched = fetch_origin(fetcher().with_retries(1), &origin).await;
    assert!(matches!(unreachable(&fetched), FetchFault::Connect(_)));
    assert_eq!(fetched.attempts(), 2);

    // But not if no time is left: the pause before a retry is longer than this timeout.
    let hurried = fetcher()
        .with_retries(9)
        .with_total_timeout(Duration::from_millis(200));
    let start = Instant::now();
    let fetched = fetch_origin(hurried, &origin).await;
    assert!(matches!(unreachable(&fetched), FetchFault::Connect(_)));
    assert_eq!(fetched.attempts(), 1);
    assert!(start.elapsed() < Duration::from_secs(2));
}

#[tokio::test]
async fn permanent_faults_are_not_retried() {
    for bytes in [
        b"no HTTP\r\n\r\n".to_vec(),
        b"HTTP/1.1 200 X\r\nTransfer-Encoding: chunked\r\n\r\nhello".to_vec(),
        response(200, "Content-Encoding: compress\r\n", "x"),
        response(301, "", ""),
    ] {
        let server = Server::sending(bytes).await;
        let fetched = fetch_with(fetcher().with_retries(2), &server).await;
        assert!(fetched.fault().is_some(), "{fetched:?}");
        assert_eq!(fetched.attempts(), 1);
        assert_eq!(server.requests().len(), 1);
    }
}

#[tokio::test]
async fn only_the_failed_request_of_a_redirect_chain_is_retried() {
    let target = failing(1, vec![]).await;
    let server = Server::redirecting(301, &target.url()).await;
    let fetched = fetch_with(fetcher().with_retries(1), &server).await;
    assert_eq!(body(&fetched), b"x");
    assert_eq!(fetched.attempts(), 2);
    assert_eq!(fetched.hops().len(), 1);
    assert_eq!(server.requests().len(), 1);
    assert_eq!(target.requests().len(), 2);
}

#[tokio::test]
async fn clones_share_the_bound_on_requests_at_once() {
    let server = Server::acting(slow(Duration::from_millis(50))).await;
    // The timeout does not run while a request waits for its turn.
    let fetcher = fetcher()
        .with_requests_at_once(2)
        .with_total_timeout(Duration::from_secs(2))
        .build()
        .unwrap();
    fetch_all(&fetcher, (0..12).map(|_| server.origin())).await;
    assert_eq!(server.requests().len(), 12);
    // A connection ends a moment after its response, when the next may have begun.
    assert!(
        (2..=4).contains(&server.most_open()),
        "{}",
        server.most_open()
    );
}

/// Fetches from these origins at once, and returns the time that it took.
async fn fetch_all(fetcher: &Fetcher, origins: impl IntoIterator<Item = Origin>) -> Duration {
    let start = Instant::now();
    let mut fetches = JoinSet::new();
    for origin in origins {
        let fetcher = fetcher.clone();
        fetches.spawn(async move { fetcher.fetch(&origin, &Validators::default()).await });
    }
    while let Some(fetched) = fetches.join_next().await {
        assert_eq!(body(&fetched.unwrap()), b"x");
    }
    start.elapsed()
}

fn slow(pause: Duration) -> Vec<Act> {
    vec![Act::Wait(pause), Act::Send(ok("x"))]
}

#[tokio::test]
async fn an_address_has_a_limit_whatever_the_name() {
    for per_address in [1, 3, DEFAULT_PER_ADDRESS, 40] {
        let server = Server::acting(slow(Duration::from_millis(60))).await;
        let port = server.address().port();
        // The timeout does not run while a request waits for its turn.
        let fetcher = fetcher()
            .with_requests_per_address(per_address)
            .with_total_timeout(Duration::from_secs(2))
            .build()
            .unwrap();
        let names = ["127.0.0.1", "localhost", "[::ffff:127.0.0.1]", "127.1"];
        let origins = (0..40).map(|number| {
            let name = names[number % names.len()];
            Origin::of(&format!("http://{name}:{port}")).unwrap()
        });
        let took = fetch_all(&fetcher, origins).await;
        assert_eq!(server.requests().len(), 40);
        // A connection ends a moment after its response, when the next may have begun.
        // At least 20 of the 40 requests overlap, unless the limit is lower.
        let open = server.most_open();
        assert!(
            open <= per_address * 2 && open >= per_address.min(20),
            "{per_address}: {open}"
        );
        let turns = u32::try_from(40_usize.div_ceil(per_address)).unwrap();
        assert!(
            took >= Duration::from_millis(60) * turns,
            "{per_address}: {took:?}"
        );
    }
    let default = Server::acting(slow(Duration::from_millis(60))).await;
    let origins = (0..40).map(|_| default.origin());
    fetch_all(&fetcher().build().unwrap(), origins).await;
    assert!(default.most_open() <= 2 * DEFAULT_PER_ADDRESS);
}

#[tokio::test]
async fn a_busy_address_does_not_delay_others() {
    // Not all systems have this address.
    let Ok(listener) = tokio::net::TcpListener::bind("127.0.0.2:0").await else {
        return;
    };
    let other = Origin::of(&format!("http://{}", listener.local_addr().unwrap())).unwrap();
    let task = tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            crate::server::read_head(&mut stream).await;
            stream.write_all(&ok("x")).await.ok();
        }
    });
    let busy = Server::acting(slow(Duration::from_millis(300))).await;
    let fetcher = fetcher()
        .with_requests_at_once(2)
        .with_requests_per_address(1)
        .build()
        .unwrap();
    let waiting = fetch_all(&fetcher, (0..6).map(|_| busy.origin()));
    let others = async {
        busy.wait_for_requests(1).await;
        fetch_all(&fetcher, (0..6).map(|_| other.clone())).await
    };
    let (waited, took) = tokio::join!(waiting, others);
    // The busy address has six requests of 300 ms, one after another. The others end long before.
    assert!(took < Duration::from_millis(900), "{took:?}");
    assert!(waited >= Duration::from_millis(1_800), "{waited:?}");
    task.abort();
}

/// All sites redirect to one address. The test ends only if no two requests wait for each other.
#[tokio::test]
async fn redirects_within_an_address_come_to_an_end() {
    let target = Server::acting(slow(Duration::from_millis(10))).await;
    let first = Server::redirecting(301, &target.url()).await;
    let second = Server::redirecting(301, &first.url()).await;
    for (at_once, per_address) in [(1, 1), (2, 1), (1, 2), (3, 3)] {
        let fetcher = fetcher()
            .with_requests_at_once(at_once)
            .with_requests_per_address(per_address)
            .with_retries(1)
            .build()
            .unwrap();
        let origins = (0..12).map(|number| match number % 3 {
            0 => target.origin(),
            1 => first.origin(),
            _ => second.origin(),
        });
        fetch_all(&fetcher, origins).await;
    }
}

/// A redirect to a busy address keeps its place there: it is not put behind all fetches that have not begun.
#[tokio::test]
async fn a_redirect_within_an_address_keeps_its_place() {
    const FETCHES: usize = 10;
    let pause = Duration::from_millis(20);
    let server = Server::start(move |_, head| {
        let answer = if head.starts_with("GET /robots.txt ") {
            redirect(301, "/other")
        } else {
            ok("x")
        };
        vec![Act::Wait(pause), Act::Send(answer)]
    })
    .await;
    let fetcher = fetcher().with_requests_per_address(1).build().unwrap();
    fetch_all(&fetcher, (0..FETCHES).map(|_| server.origin())).await;
    let requests = server.requests();
    let redirected = requests.iter().map(|head| head.starts_with("GET /other "));
    assert!(redirected.eq((0..2 * FETCHES).map(|number| number % 2 == 1)));
}

#[tokio::test]
async fn a_dropped_fetch_ends_its_connection_and_its_turn() {
    let head = "HTTP/1.1 200 X\r\nContent-Length: 99\r\n\r\nhello";
    for act in [vec![Act::Hold], vec![Act::Send(head.into()), Act::Hold]] {
        let server = failing(1, act).await;
        let fetcher = fetcher().with_requests_at_once(1).build().unwrap();
        let origin = server.origin();
        let none = Validators::default();
        tokio::select! {
            fetched = fetcher.fetch(&origin, &none) => panic!("{fetched:?}"),
            () = server.wait_for_requests(1) => {}
        }
        server.wait_for_departures(1).await;
        // Its turn is over, too.
        assert_eq!(body(&fetcher.fetch(&origin, &none).await), b"x");
    }
}
