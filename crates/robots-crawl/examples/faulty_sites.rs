//! Servers for many sites on this machine, with answers and faults of fourteen kinds: `faulty_sites SITES`.
//!
//! Each site has a number and its own address in 127.1.0.0/16. The number decides the kind of its faults ([`KINDS`]). Some
//! sites redirect to addresses in 127.2.0.0/16. Writes the URLs of the sites to standard output, and serves until it is
//! killed. The test `fault_run` and the script `.ci/faults` use it.

#![allow(
    clippy::expect_used,
    clippy::missing_panics_doc,
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a failure ends the example"
)]

use std::collections::HashMap;
use std::io::Write as _;
use std::net::Ipv4Addr;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

/// The behaviour of a site when its robots.txt is requested, by its number.
pub const KINDS: [&str; 14] = [
    "rules", "empty", "404", "403", "429", "500", "503", "moved", "loop", "file", "reset",
    "silent", "short", "garbled",
];

/// The second byte of the addresses of the sites.
const SITES: u8 = 1;

/// The second byte of the addresses to which sites redirect.
const REDIRECT_TARGETS: u8 = 2;

/// Returns the address of the site with this number.
pub fn address(site: usize) -> Ipv4Addr {
    let [.., high, low] = u32::try_from(site).unwrap().to_be_bytes();
    Ipv4Addr::new(127, SITES, high, low)
}

/// Returns the URL of a page of the site with this number. The rules of robots.txt disallow it.
pub fn url(site: usize, port: u16) -> String {
    format!("http://{}:{port}/x", address(site))
}

/// The number of requests to each site, by its address.
pub type Counts = Arc<Mutex<HashMap<Ipv4Addr, usize>>>;

/// Serves all sites.
pub async fn serve(listener: TcpListener, counts: Counts) {
    loop {
        let (stream, _) = listener.accept().await.unwrap();
        tokio::spawn(answer(stream, Arc::clone(&counts)));
    }
}

/// The time for which a silent site keeps its connection.
const SILENCE: Duration = Duration::from_secs(5);

/// The robots.txt of a site with rules.
const RULES: &str = "User-agent: *\nDisallow: /x\n";

/// Returns a response that is valid HTTP. `head` is the status, a reason phrase, and further header lines.
fn response(head: &str, body: &str) -> String {
    let length = body.len();
    format!("HTTP/1.1 {head}\r\nContent-Length: {length}\r\n\r\n{body}")
}

/// Answers one request, as the kind of the site demands.
async fn answer(mut stream: TcpStream, counts: Counts) {
    let here = stream.local_addr().unwrap();
    let std::net::IpAddr::V4(address) = here.ip() else {
        // Not expected: the listener has an IPv4 address.
        return;
    };
    let mut request = Vec::new();
    while !request.ends_with(b"\r\n\r\n") {
        match stream.read_u8().await {
            Ok(byte) => request.push(byte),
            Err(_) => return,
        }
    }
    let [_, net, high, low] = address.octets();
    if net == REDIRECT_TARGETS {
        let text = response("200 X", RULES);
        stream.write_all(text.as_bytes()).await.ok();
        return;
    }
    *counts.lock().unwrap().entry(address).or_default() += 1;
    let kind = KINDS[(usize::from(high) << 8 | usize::from(low)) % KINDS.len()];
    let moved = format!(
        "301 X\r\nLocation: http://{}:{}/robots.txt",
        Ipv4Addr::new(127, REDIRECT_TARGETS, high, low),
        here.port()
    );
    let text = match kind {
        "rules" => response("200 X", RULES),
        "empty" => response("200 X", ""),
        "moved" => response(&moved, ""),
        "loop" => {
            // Requests that follow the redirect do not count: this one was counted above.
            if request.starts_with(b"GET /robots.txt?") {
                *counts.lock().unwrap().entry(address).or_default() -= 1;
            }
            response("302 X\r\nLocation: /robots.txt?again", "")
        }
        "file" => response("302 X\r\nLocation: file:///etc/hosts", ""),
        "reset" => {
            stream.set_zero_linger().unwrap();
            return;
        }
        "silent" => {
            tokio::time::sleep(SILENCE).await;
            return;
        }
        "short" => "HTTP/1.1 200 X\r\nContent-Length: 999\r\n\r\nUser-agent: *".to_owned(),
        "garbled" => response("200 X\r\nContent-Encoding: gzip", "this is not gzip at all"),
        status => response(&format!("{status} X"), ""),
    };
    stream.write_all(text.as_bytes()).await.ok();
    stream.shutdown().await.ok();
}

#[allow(dead_code, reason = "the tests call `serve` themselves")]
#[tokio::main]
async fn main() {
    let sites = std::env::args().nth(1);
    let sites = sites.and_then(|sites| sites.parse().ok());
    let sites: usize = sites.expect("the number of sites");
    let listener = TcpListener::bind((Ipv4Addr::UNSPECIFIED, 0)).await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let mut out = std::io::stdout().lock();
    for site in 0..sites {
        writeln!(out, "{}", url(site, port)).unwrap();
    }
    out.flush().unwrap();
    drop(out);
    serve(listener, Counts::default()).await;
}
