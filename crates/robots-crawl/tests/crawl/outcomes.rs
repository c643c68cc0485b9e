//! The table of docs/fetching.md: the meaning of each kind of response under each profile. Test servers send the responses.
//!
//! `UPDATE_DOCS=1 cargo test -p robots-crawl --test crawl outcomes` rewrites it; read every difference.

use crate::bodies::bomb;
use crate::server::{Act, Server, ok, redirect, response};
use crate::tls::{HTTP_2_SETTINGS, TlsServer};
use crate::{fetch, fetch_origin, fetch_with, fetcher};
use robots_crawl::{Fetched, Fetcher};
use robots_policy::robots::RobotsState;
use robots_policy::robots_txt::Target;
use robots_policy::{Policy, Profile};
use std::fmt::Write;
use std::net::{IpAddr, Ipv4Addr};
use std::time::Duration;
use tokio::io::AsyncWriteExt;
use tokio::net::TcpListener;

const LOCAL: IpAddr = IpAddr::V4(Ipv4Addr::LOCALHOST);

const ROBOTS: &str = "User-agent: *\nDisallow: /x\n";

/// The name of each kind of response, and the outcome of a request with such a response.
async fn answers() -> Vec<(&'static str, Fetched)> {
    let outcome_of = async |bytes: Vec<u8>| {
        let server = Server::sending(bytes).await;
        fetch(&server).await
    };
    let status = |status| response(status, "", "");
    let html = response(200, "Content-Type: text/html\r\n", ROBOTS);
    let looping = Server::start(|_, _| vec![Act::Send(redirect(301, "/robots.txt"))]).await;
    let holding = Server::acting(vec![Act::Hold]).await;
    let quick = || {
        fetcher()
            .with_connect_timeout(Duration::from_millis(100))
            .with_idle_timeout(Duration::from_millis(100))
    };
    let plain = Server::sending(ok(ROBOTS)).await;
    let refused = {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        format!("http://{}", listener.local_addr().unwrap())
    };
    // A host that accepts connections, and never takes part in the TLS handshake.
    let mute = format!("https://{}", holding.address());
    let endless = Server::acting(vec![
        Act::Send("HTTP/1.1 200 X\r\n\r\n".into()),
        Act::Repeat(b"x".into(), Duration::from_millis(20)),
    ])
    .await;
    // The system may search for the name for longer than the usual timeouts of these tests.
    let unresolved = fetcher()
        .with_connect_timeout(Duration::from_secs(60))
        .with_total_timeout(Duration::from_secs(60));
    let large = format!("{ROBOTS}{}", "#".repeat(600 * 1024));
    // Only 127.0.0.1 is allowed below. 127.0.0.2 is not public either, but on some systems it is this machine too.
    let to_private = Server::redirecting(301, "http://127.0.0.2/").await;
    let public = || Fetcher::builder("TestBot").with_total_timeout(Duration::from_secs(20));
    vec![
        ("200, text", outcome_of(ok(ROBOTS)).await),
        ("200, HTML", outcome_of(html).await),
        ("200, over 500 KiB", outcome_of(ok(large)).await),
        (
            "200, 64 MiB in gzip, deflate, Brotli or Zstandard",
            outcome_of(bomb("zstd")).await,
        ),
        ("401 or 403", outcome_of(status(403)).await),
        ("404, 410, any other 4xx", outcome_of(status(404)).await),
        ("429", outcome_of(status(429)).await),
        ("500, 503, any other 5xx", outcome_of(status(503)).await),
        ("six redirects, or a loop", fetch(&looping).await),
        (
            "a redirect to `file:` or another scheme",
            outcome_of(redirect(301, "file:///etc/hosts")).await,
        ),
        ("a redirect without a target", outcome_of(status(301)).await),
        (
            "the name does not resolve",
            fetch_origin(unresolved, "http://nowhere.invalid").await,
        ),
        ("no connection", fetch_origin(fetcher(), &refused).await),
        (
            "no connection or TLS handshake in time",
            fetch_origin(quick(), &mute).await,
        ),
        ("no byte arrives", fetch_with(quick(), &holding).await),
        (
            "the whole fetch takes too long",
            fetch_with(
                fetcher().with_total_timeout(Duration::from_millis(300)),
                &endless,
            )
            .await,
        ),
        (
            "the body breaks off",
            outcome_of(b"HTTP/1.1 200 X\r\nContent-Length: 99\r\n\r\nUser".to_vec()).await,
        ),
        (
            "a content coding that is not supported",
            outcome_of(response(200, "Content-Encoding: compress\r\n", "x")).await,
        ),
        ("not HTTP", outcome_of(b"SSH-2.0-x\r\n\r\n".to_vec()).await),
        (
            "an address that is not public",
            fetch_with(public(), &plain).await,
        ),
        (
            "a redirect to an address that is not public",
            fetch_with(public().allow_addresses([LOCAL]), &to_private).await,
        ),
        (
            "an origin that HTTP cannot request: `ftp:` (no request is made)",
            fetch_origin(fetcher(), "ftp://127.0.0.1").await,
        ),
    ]
}

/// The name of each kind of response over TLS, and the outcome of a request with such a response.
async fn answers_by_tls() -> Vec<(&'static str, Fetched)> {
    let trusting = |server: &TlsServer| fetcher().with_root_certificates(server.pem());
    let expired = TlsServer::start_expired("127.0.0.1", ok(ROBOTS)).await;
    let self_signed = TlsServer::start("127.0.0.1", ok(ROBOTS)).await;
    let other_host = TlsServer::start("other.example", ok(ROBOTS)).await;
    let http_2 = TlsServer::start_speaking("127.0.0.1", b"h2", ok(ROBOTS)).await;
    let plain = Server::sending(ok(ROBOTS)).await;
    let downgrading = TlsServer::start("127.0.0.1", redirect(301, &plain.url())).await;
    // This server sends bytes first, which are not TLS.
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let no_tls = format!("https://{}", listener.local_addr().unwrap());
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            stream.write_all(b"220 no TLS\r\n").await.ok();
        }
    });
    vec![
        (
            "a redirect from `https:` to `http:`",
            fetch_origin(trusting(&downgrading), &downgrading.origin()).await,
        ),
        ("not TLS", fetch_origin(fetcher(), &no_tls).await),
        (
            "a certificate that expired",
            fetch_origin(trusting(&expired), &expired.origin()).await,
        ),
        (
            "a self-signed certificate",
            fetch_origin(fetcher(), &self_signed.origin()).await,
        ),
        (
            "a certificate for another host",
            fetch_origin(trusting(&other_host), &other_host.origin()).await,
        ),
        (
            "only HTTP/2, over TLS",
            fetch_origin(trusting(&http_2), &http_2.origin()).await,
        ),
        (
            "only HTTP/2, without TLS",
            fetch(&Server::sending(HTTP_2_SETTINGS).await).await,
        ),
    ]
}

/// Returns the meaning of an outcome under a profile, right after the first request to an origin.
fn meaning(profile: &Profile, fetched: &Fetched) -> &'static str {
    match Policy::under(profile, profile.agent())
        .unwrap()
        .robots(fetched.as_fetch())
    {
        // Yandex ignores a file that is too long.
        RobotsState::Rules(site) if site.rules().verdict(&Target::new("/x")).is_allowed() => "all",
        RobotsState::Rules(_) => "its rules",
        RobotsState::AllowAll(_) => "all",
        RobotsState::DenyAll(_) => "nothing",
        RobotsState::Defer(_) => "later",
        RobotsState::Unknown(_) => "unknown",
        other => panic!("{other:?}"),
    }
}

/// The meanings of the outcomes under each profile. Profiles that agree on all of them are in one group.
fn columns(answers: &[(&'static str, Fetched)]) -> Vec<(Vec<String>, Vec<&'static str>)> {
    let mut columns: Vec<(Vec<String>, Vec<&'static str>)> = Vec::new();
    for profile in Profile::all() {
        let answers = answers.iter();
        let meanings: Vec<_> = answers
            .map(|(_, fetched)| meaning(&profile, fetched))
            .collect();
        let name = profile.name().to_owned();
        match columns.iter_mut().find(|(_, others)| *others == meanings) {
            Some((names, _)) => names.push(name),
            None => columns.push((vec![name], meanings)),
        }
    }
    columns
}

#[tokio::test]
async fn the_table_of_outcomes() {
    let mut answers = answers().await;
    answers.extend(answers_by_tls().await);
    let columns = columns(&answers);
    let names: Vec<String> = columns.iter().map(|(names, _)| names.join(", ")).collect();
    let mut table = format!("| the outcome | fault | {} |\n", names.join(" | "));
    writeln!(table, "| --- | --- |{}", " --- |".repeat(columns.len())).unwrap();
    for (row, (what, fetched)) in answers.iter().enumerate() {
        let fault = fetched.fault().map(|fault| format!("`{}`", fault.name()));
        write!(table, "| {what} | {} |", fault.unwrap_or_default()).unwrap();
        for (_, meanings) in &columns {
            write!(table, " {} |", meanings[row]).unwrap();
        }
        table.push('\n');
    }
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/fetching.md");
    let doc = std::fs::read_to_string(path).unwrap();
    let (before, rest) = doc.split_once("<!-- outcomes -->\n").unwrap();
    let (kept, after) = rest.split_once("<!-- end -->").unwrap();
    if std::env::var_os("UPDATE_DOCS").is_some() {
        let made = format!("{before}<!-- outcomes -->\n{table}<!-- end -->{after}");
        std::fs::write(path, made).unwrap();
        return;
    }
    assert_eq!(kept, table, "UPDATE_DOCS=1 rewrites the table");
}
