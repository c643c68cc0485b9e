//! Addresses that are not public are not requested, wherever they come from.

use crate::server::{Server, ok, read_head, redirect};
use crate::{body, fetch_origin, fetch_with, unreachable};
use robots_crawl::{FetchFault, Fetcher, FetcherBuilder};
use std::net::{IpAddr, Ipv4Addr};
use std::time::Duration;
use tokio::io::AsyncWriteExt;
use tokio::net::TcpListener;

const LOCAL: IpAddr = IpAddr::V4(Ipv4Addr::LOCALHOST);

/// A fetcher that requests only public addresses.
fn fetcher() -> FetcherBuilder {
    Fetcher::builder("TestBot").with_total_timeout(Duration::from_secs(20))
}

#[tokio::test]
async fn origins_that_are_private_are_out_of_reach() {
    let server = Server::sending(ok("x")).await;
    let port = server.address().port();
    for host in [
        "127.0.0.1",
        "localhost",
        "2130706433",
        "[::ffff:127.0.0.1]",
        "0.0.0.0",
    ] {
        let fetched = fetch_origin(fetcher(), &format!("http://{host}:{port}")).await;
        let fault = unreachable(&fetched);
        assert!(
            matches!(fault, FetchFault::PrivateAddress(_)),
            "{host}: {fault:?}"
        );
        // A refused address is not tried again.
        assert_eq!(fetched.attempts(), 1);
    }
    assert!(server.requests().is_empty());
}

#[tokio::test]
async fn addresses_that_are_allowed_are_asked_by_any_name() {
    let server = Server::sending(ok("x")).await;
    let fetcher = || fetcher().allow_addresses([LOCAL]);
    assert_eq!(body(&fetch_with(fetcher(), &server).await), b"x");
    let port = server.address().port();
    for host in ["localhost", "127.1", "[::ffff:127.0.0.1]"] {
        let origin = format!("http://{host}:{port}");
        assert_eq!(body(&fetch_origin(fetcher(), &origin).await), b"x");
    }
}

#[tokio::test]
async fn private_addresses_are_unreachable_after_a_redirect() {
    let target = Server::sending(ok("secret")).await;
    let port = target.address().port();
    for (location, address) in [
        // On some systems all of 127.0.0.0/8 is this machine.
        (format!("http://127.0.0.2:{port}/"), "127.0.0.2"),
        (format!("http://0x7f000002:{port}/"), "127.0.0.2"),
        (
            format!("http://[::ffff:127.0.0.2]:{port}/"),
            "::ffff:127.0.0.2",
        ),
        (format!("http://0.0.0.0:{port}/"), "0.0.0.0"),
        (
            "http://169.254.169.254/latest/meta-data/".to_owned(),
            "169.254.169.254",
        ),
        ("//10.0.0.1/".to_owned(), "10.0.0.1"),
        ("https://[fe80::1]/".to_owned(), "fe80::1"),
    ] {
        let server = Server::redirecting(301, &location).await;
        let fetched = fetch_with(fetcher().allow_addresses([LOCAL]), &server).await;
        let fault = FetchFault::PrivateAddress(address.parse().unwrap());
        assert_eq!(unreachable(&fetched), &fault);
        assert_eq!(fetched.hops().len(), 1);
        assert_eq!(fetched.status(), None);
    }
    assert!(target.requests().is_empty());
}

#[tokio::test]
async fn names_of_private_addresses_are_unreachable_after_a_redirect() {
    // The fetcher may request this address, but not those of `localhost`. Not all systems have it.
    let Ok(listener) = TcpListener::bind("127.0.0.9:0").await else {
        return;
    };
    let address = listener.local_addr().unwrap();
    let target = Server::sending(ok("secret")).await;
    let location = format!("http://localhost:{}/", target.address().port());
    let task = tokio::spawn(async move {
        let (mut stream, _) = listener.accept().await.unwrap();
        read_head(&mut stream).await.unwrap();
        let redirect = redirect(301, &location);
        stream.write_all(&redirect).await.unwrap();
    });
    let fetcher = fetcher().allow_addresses([address.ip()]);
    let fetched = fetch_origin(fetcher, &format!("http://{address}")).await;
    task.await.unwrap();
    let fault = unreachable(&fetched);
    assert!(matches!(fault, FetchFault::PrivateAddress(address) if address.is_loopback()));
    assert_eq!(fetched.hops().len(), 1);
    assert!(target.requests().is_empty());
}
