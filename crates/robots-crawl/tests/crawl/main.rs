//! The fetcher, the crawler and the stores, with servers on 127.0.0.1 that send exactly the bytes of a test. Nothing leaves the
//! machine. The tests are one program, as each program is linked with all libraries.
//!
//! Some tests start this program again as a child, which does its work until it is killed, or until its disk is full.

#![allow(
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a failure here fails the test"
)]

mod answers;
mod bodies;
#[path = "../../examples/crawl.rs"]
#[allow(
    unreachable_pub,
    reason = "it is an example, and a module of this test"
)]
mod crawl;
mod crawling;
mod disk;
#[cfg(target_os = "linux")]
mod fault_run;
mod faults;
#[cfg(target_os = "linux")]
#[path = "../../examples/faulty_sites.rs"]
#[allow(
    unreachable_pub,
    reason = "it is an example, and a module of this test"
)]
mod faulty_sites;
mod heads;
mod known;
mod limits;
mod outcomes;
mod pace;
mod private;
mod redirects;
mod restarting;
mod server;
#[cfg(all(target_os = "linux", feature = "redis"))]
mod shared;
mod tls;

use robots_crawl::{FetchFault, Fetched, Fetcher, FetcherBuilder, Validators};
use robots_policy::RobotsFetch;
use robots_policy::origins::Origin;
use robots_policy::robots::RobotsResponse;
use server::Server;
use std::time::Duration;

/// Returns the options of a fetcher for these servers, without retries and with a total timeout of 20 seconds.
fn fetcher() -> FetcherBuilder {
    Fetcher::builder("TestBot/1.0 (+https://bot.example)")
        .allow_private_addresses()
        .with_total_timeout(Duration::from_secs(20))
        .with_retries(0)
}

async fn fetch_with(fetcher: FetcherBuilder, server: &Server) -> Fetched {
    let fetcher = fetcher.build().unwrap();
    fetcher
        .fetch(&server.origin(), &Validators::default())
        .await
}

async fn fetch(server: &Server) -> Fetched {
    fetch_with(fetcher(), server).await
}

async fn fetch_origin(fetcher: FetcherBuilder, origin: &str) -> Fetched {
    let origin = Origin::of(origin).unwrap();
    let fetcher = fetcher.build().unwrap();
    fetcher.fetch(&origin, &Validators::default()).await
}

/// Returns the fault of a fetch, and checks that the origin is unreachable.
#[track_caller]
fn unreachable(fetched: &Fetched) -> &FetchFault {
    assert_eq!(fetched.as_fetch(), RobotsFetch::Unreachable, "{fetched:?}");
    assert_eq!(fetched.body(), b"");
    assert!(fetched.validators().is_empty());
    assert_eq!(fetched.fresh_for(), None);
    fetched.fault().unwrap()
}

/// Returns the fault of a fetch, and checks that it counts as too many redirects.
#[track_caller]
fn counts_as_too_many_redirects(fetched: &Fetched) -> &FetchFault {
    assert_eq!(
        fetched.as_fetch(),
        RobotsFetch::TooManyRedirects,
        "{fetched:?}"
    );
    assert_eq!(fetched.body(), b"");
    fetched.fault().unwrap()
}

/// Returns the body of a fetch, and checks that the response had status 200 and no relevant headers.
#[track_caller]
fn body(fetched: &Fetched) -> &[u8] {
    let response = RobotsFetch::Response(RobotsResponse::new(200, fetched.body()));
    assert!(
        fetched.as_fetch() == response,
        "{} bytes",
        fetched.body().len()
    );
    assert_eq!(fetched.fault(), None);
    fetched.body()
}
