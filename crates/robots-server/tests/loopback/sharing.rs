//! Requests to sites are shared by clients: none takes the places of others.

use crate::client::{Answer, Service, TEXT, request, start};
use crate::fetching::site_of;
use serde_json::{Value, json};
use std::io::Write;
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

/// Many sites on loopback that accept connections and never answer.
struct HangingSites {
    address: SocketAddr,
    connections: Arc<Mutex<Vec<TcpStream>>>,
}

fn hanging_sites() -> HangingSites {
    let listener = TcpListener::bind("0.0.0.0:0").unwrap();
    let address = listener.local_addr().unwrap();
    let connections = Arc::new(Mutex::new(Vec::new()));
    let kept = Arc::clone(&connections);
    // It ends with the test program.
    thread::spawn(move || {
        for stream in listener.incoming() {
            kept.lock().unwrap().push(stream.unwrap());
        }
    });
    HangingSites {
        address,
        connections,
    }
}

impl HangingSites {
    /// Returns URLs at this number of addresses.
    fn urls(&self, number: usize) -> Vec<String> {
        let port = self.address.port();
        let urls =
            (0..number).map(|at| format!("http://127.1.{}.{}:{port}/", at / 250, at % 250 + 1));
        urls.collect()
    }

    fn connections(&self) -> usize {
        self.connections.lock().unwrap().len()
    }
}

/// Sends a question of a client behind a trusted proxy, and does not wait for the answer.
fn send_as(service: &Service, client: &str, path: &str, question: &Value) -> TcpStream {
    let lines = format!("X-Forwarded-For: {client}\r\nContent-Type: application/json\r\n");
    let mut stream = service.connect();
    let request = request(path, &lines, &question.to_string());
    stream.write_all(&request).unwrap();
    stream
}

/// Waits until a number is reached, and returns it.
fn awaited(number: impl Fn() -> usize, at_least: usize) -> usize {
    let started = Instant::now();
    while number() < at_least && started.elapsed() < Duration::from_secs(10) {
        thread::sleep(Duration::from_millis(10));
    }
    // More would come soon.
    thread::sleep(Duration::from_millis(300));
    number()
}

#[test]
fn sites_that_hang_keep_no_other_client_from_its_answer() {
    let settings = [
        ("allow-private", "true"),
        ("trusted-proxies", "127.0.0.1"),
        ("limits.fetches-at-once", "8"),
        ("limits.fetches-waiting", "16"),
        ("limits.fetches-per-client", "4"),
    ];
    let service = start(&settings);
    let hanging = hanging_sites();
    let urls = hanging.urls(500);
    // Clients that leave do not have more requests.
    let asking: Vec<TcpStream> = urls
        .chunks(50)
        .enumerate()
        .filter_map(|(number, urls)| {
            let question = json!({"urls": urls, "fetch": true});
            let stream = send_as(&service, "192.0.2.1", "/v1/check", &question);
            thread::sleep(Duration::from_millis(50));
            (number % 2 == 0).then_some(stream)
        })
        .collect();
    assert_eq!(awaited(|| hanging.connections(), 4), 4);
    let site = site_of((TEXT, "User-agent: *\nDisallow: /a\n"), "page");
    let started = Instant::now();
    let question = json!({"urls": [format!("{site}/a")], "fetch": true});
    let mut stream = send_as(&service, "192.0.2.2", "/v1/check", &question);
    let answer = Answer::read(&mut stream);
    assert_eq!(answer.status, 200, "{answer:?}");
    assert_eq!(answer.json()[0]["allowed"], false);
    assert!(started.elapsed() < Duration::from_secs(5));
    // What is known needs no request, for a client without a place, too.
    let mut stream = send_as(&service, "192.0.2.1", "/v1/check", &question);
    assert_eq!(Answer::read(&mut stream).status, 200);
    drop(asking);
}

#[test]
fn a_client_that_waits_too_long_for_its_own_requests_is_told_the_limit() {
    let settings = [
        ("allow-private", "true"),
        ("exempt-clients", ""),
        ("limits.fetch-timeout", "1s"),
        ("limits.fetches-per-client", "1"),
    ];
    let service = start(&settings);
    let hanging = hanging_sites();
    let question = json!({"urls": hanging.urls(10), "fetch": true});
    let answer = service.ask("/v1/check", &question);
    answer.assert_problem(429, "too-many-requests", Some("limits.fetches-per-client"));
}

#[test]
fn questions_about_a_page_share_its_requests() {
    let service = start(&[("allow-private", "true"), ("limits.page-pause", "500ms")]);
    let site = site_of(("404 Not Found", ""), "<meta name=robots content=noindex>");
    let started = Instant::now();
    thread::scope(|scope| {
        for _ in 0..100 {
            scope.spawn(|| {
                let question = json!({"url": format!("{site}/page#part"), "fetch": true});
                let answer = service.ask("/v1/decide", &question);
                assert_eq!(answer.status, 200, "{answer:?}");
                assert_eq!(answer.json()[0]["index"], "no");
            });
        }
    });
    let pauses = started.elapsed().as_millis() / 500;
    let requests = site.requests();
    let pages = requests.iter().filter(|path| *path == "/page").count();
    assert!(
        (1..=usize::try_from(pauses).unwrap() + 1).contains(&pages),
        "{requests:?}"
    );
}

/// A question with a large body has its place already when it waits for a page.
#[test]
fn a_question_has_one_place_for_its_body_and_page() {
    let settings = [
        ("allow-private", "true"),
        ("limits.bodies-at-once", "1"),
        ("limits.request-timeout", "5s"),
    ];
    let service = start(&settings);
    let site = site_of(("404 Not Found", ""), "page");
    let question = json!({"url": format!("{site}/page"), "fetch": true});
    let body = format!("{question}{}", " ".repeat(64 << 10));
    let answer = service.post("/v1/decide", "application/json", &body);
    assert_eq!(answer.status, 200, "{answer:?}");
}

#[test]
fn a_page_does_not_wait_for_the_places_of_another_client() {
    let settings = [
        ("allow-private", "true"),
        ("trusted-proxies", "127.0.0.1"),
        ("limits.fetches-per-client", "1"),
        ("limits.page-pause", "1ms"),
    ];
    let service = start(&settings);
    let site = site_of(("404 Not Found", ""), "page");
    let ask = |client, path: &str| {
        let question = json!({"url": format!("{site}{path}"), "fetch": true});
        send_as(&service, client, "/v1/decide", &question)
    };
    // Its robots.txt is known from here on.
    assert_eq!(Answer::read(&mut ask("192.0.2.2", "/")).status, 200);
    let hanging = hanging_sites();
    let question = json!({"urls": hanging.urls(1), "fetch": true});
    let _hangs = send_as(&service, "192.0.2.1", "/v1/check", &question);
    assert_eq!(awaited(|| hanging.connections(), 1), 1);
    let _waits = ask("192.0.2.1", "/page");
    thread::sleep(Duration::from_millis(200));
    let started = Instant::now();
    assert_eq!(Answer::read(&mut ask("192.0.2.2", "/page")).status, 200);
    assert!(started.elapsed() < Duration::from_secs(5));
}
