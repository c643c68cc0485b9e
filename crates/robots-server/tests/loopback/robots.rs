//! What is known about the robots.txt of sites, which are servers on loopback.

use crate::client::{Service, start};
use serde_json::Value;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener};
use std::os::unix::net::UnixStream;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;
use tempfile::TempDir;

/// A site that gives one response to every request, after a pause.
struct Site {
    address: SocketAddr,
    requests: Arc<AtomicUsize>,
}

fn site(response: &str, pause: Duration) -> Site {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let response = response.replace("PORT", &address.port().to_string());
    let requests = Arc::new(AtomicUsize::new(0));
    let counter = Arc::clone(&requests);
    // It ends with the test program.
    thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            counter.fetch_add(1, Ordering::SeqCst);
            let mut buffer = [0; 4096];
            let _ = stream.read(&mut buffer);
            thread::sleep(pause);
            let _ = stream.write_all(response.as_bytes());
        }
    });
    Site { address, requests }
}

fn response(status: &str, lines: &str, body: &str) -> String {
    format!(
        "HTTP/1.1 {status}\r\nContent-Type: text/plain\r\nConnection: close\r\n{lines}Content-Length: {}\r\n\r\n{body}",
        body.len()
    )
}

fn ask(service: &Service, site: &Site) -> Value {
    let answer = service.get(&format!("/v1/robots/http%3A%2F%2F{}", site.address), "");
    assert_eq!(answer.status, 200, "{answer:?}");
    answer.json()
}

#[test]
fn a_robots_txt_is_requested_once_and_shown() {
    let site = site(
        &response("200 OK", "", "User-agent: *\nDisallow: /\n"),
        Duration::ZERO,
    );
    let service = start(&[("allow-private", "true")]);
    let first = ask(&service, &site);
    assert_eq!(first["origin"], format!("http://{}", site.address));
    assert_eq!(first["url"], format!("http://{}/robots.txt", site.address));
    assert_eq!(first["source"], "request");
    assert_eq!(first["outcome"], "status");
    assert_eq!(first["status"], 200);
    assert_eq!(first["text"], "User-agent: *\nDisallow: /\n");
    assert_eq!(
        (&first["bytes"], &first["is_utf8"]),
        (&26.into(), &true.into())
    );
    assert_eq!(first["history"].as_array().unwrap().len(), 1);
    for key in ["requested_at", "fresh_until"] {
        assert!(first[key].as_str().unwrap().ends_with('Z'), "{first}");
    }
    for key in ["unanswered", "fault", "retry_at", "redirected_to"] {
        assert_eq!(first[key], Value::Null, "{key}");
    }
    assert_eq!(ask(&service, &site), first);
    assert_eq!(site.requests.load(Ordering::SeqCst), 1);
    let metrics = service.get("/metrics", "").body;
    for line in [
        "robots_known_requests_total 1",
        "robots_known_hits_total 1",
        "robots_known_origins 1",
    ] {
        assert!(
            metrics.lines().any(|found| found == line),
            "{line}\n{metrics}"
        );
    }
}

#[test]
fn many_who_ask_at_once_cause_one_request() {
    let site = site(
        &response("200 OK", "", "User-agent: *\n"),
        Duration::from_millis(300),
    );
    let service = start(&[("allow-private", "true")]);
    thread::scope(|scope| {
        for _ in 0..20 {
            scope.spawn(|| assert_eq!(ask(&service, &site)["status"], 200));
        }
    });
    assert_eq!(site.requests.load(Ordering::SeqCst), 1);
}

#[test]
fn faults_statuses_and_redirects_are_shown() {
    let service = start(&[("allow-private", "true"), ("limits.fetch-timeout", "5s")]);
    let missing = ask(
        &service,
        &site(&response("404 Not Found", "", "x"), Duration::ZERO),
    );
    assert_eq!(
        (&missing["status"], &missing["text"]),
        (&404.into(), &Value::Null)
    );
    let busy = ask(
        &service,
        &site(
            &response("503 Busy", "Retry-After: 3600\r\n", ""),
            Duration::ZERO,
        ),
    );
    assert_eq!(busy["status"], 503);
    assert!(busy["retry_at"].as_str().is_some(), "{busy}");
    let lines = "Location: http://localhost:PORT/robots.txt\r\n";
    let circle = ask(
        &service,
        &site(&response("301 Moved", lines, ""), Duration::ZERO),
    );
    assert_eq!(circle["outcome"], "too_many_redirects");
    assert_eq!(circle["fault"], "too_many_redirects");
    assert!(
        circle["redirects"].as_array().unwrap().len() >= 5,
        "{circle}"
    );
    let nonsense = ask(&service, &site("nonsense\r\n\r\n", Duration::ZERO));
    assert_eq!(
        (&nonsense["outcome"], &nonsense["fault"]),
        (&"unreachable".into(), &"protocol".into())
    );
}

/// A site may redirect to any page, and the service does not show it.
#[test]
fn a_page_is_not_shown_as_robots_txt() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("known.store");
    let settings = [("allow-private", "true"), ("store", path.to_str().unwrap())];
    let mut service = start(&settings);
    let redirect_to = |target: &Site, path: &str| {
        let line = format!("Location: http://{}{path}\r\n", target.address);
        site(&response("301 Moved", &line, ""), Duration::ZERO)
    };
    let page = site(&response("200 OK", "", "secret words\n"), Duration::ZERO);
    let rules = site(
        &response("200 OK", "", "User-agent: *\nDisallow: /x\n"),
        Duration::ZERO,
    );
    let html_type = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nConnection: close\r\nContent-Length: 7\r\n\r\nsecret\n";
    let html = response("200 OK", "", " <!DOCTYPE html><p>secret</p>\n");
    let cases = [
        (redirect_to(&page, "/page.txt"), Some("redirected")),
        (redirect_to(&page, "/robots.txt?page"), Some("redirected")),
        (redirect_to(&rules, "/other.txt"), Some("redirected")),
        (redirect_to(&rules, "/robots.txt"), None),
        (site(html_type, Duration::ZERO), Some("not_text")),
        (site(&html, Duration::ZERO), Some("html")),
        (
            site(&response("200 OK", "", "odd words\n"), Duration::ZERO),
            None,
        ),
        (site(&response("200 OK", "", ""), Duration::ZERO), None),
    ];
    for is_stored in [false, true] {
        // The store has the URL of the file.
        for (site, expected) in &cases {
            let answer = ask(&service, site);
            let source = if is_stored { "store" } else { "request" };
            assert_eq!(answer["source"], source, "{answer}");
            assert_eq!(answer["text_omitted"].as_str(), *expected, "{answer}");
            assert_eq!(answer["text"].is_null(), expected.is_some(), "{answer}");
            assert!(!answer.to_string().contains("secret"), "{answer}");
        }
        if !is_stored {
            service.ask_to_stop();
            assert!(service.join());
            service = start(&settings);
        }
    }
}

#[test]
fn addresses_that_are_not_public_are_not_requested() {
    let site = site(&response("200 OK", "", "User-agent: *\n"), Duration::ZERO);
    let service = start(&[]);
    for host in [
        "127.0.0.1",
        "localhost",
        "[::1]",
        "[::ffff:127.0.0.1]",
        "2130706433",
        "0x7f.1",
    ] {
        let path = format!("/v1/robots/http%3A%2F%2F{host}%3A{}", site.address.port());
        let answer = service.get(&path, "").json();
        assert_eq!(
            (&answer["outcome"], &answer["fault"]),
            (&"unreachable".into(), &"private_address".into()),
            "{host}"
        );
        assert_eq!(answer["fault_text"], "the address is not public");
    }
    assert_eq!(site.requests.load(Ordering::SeqCst), 0);
}

#[test]
fn what_is_not_an_origin_is_a_problem() {
    let service = start(&[]);
    for name in [
        "ftp%3A%2F%2Fexample.com",
        "%20",
        "a%20b",
        "http%3A%2F%2F",
        "x%40example.com",
        "%2F",
    ] {
        let answer = service.get(&format!("/v1/robots/{name}"), "");
        answer.assert_problem(400, "invalid-parameter", None);
    }
    service
        .get("/v1/robots/example.com?refresh=1", "")
        .assert_problem(400, "invalid-parameter", None);
}

#[test]
fn a_slow_site_ends_the_wait_and_many_waits_are_refused() {
    let slow = site(&response("200 OK", "", ""), Duration::from_secs(8));
    let settings = [
        ("allow-private", "true"),
        ("limits.fetch-timeout", "10s"),
        ("limits.request-timeout", "1s"),
        ("limits.fetches-waiting", "1"),
    ];
    let service = start(&settings);
    thread::scope(|scope| {
        let path = format!("/v1/robots/http%3A%2F%2F{}", slow.address);
        let first = scope.spawn({
            let (service, path) = (&service, path.clone());
            move || service.get(&path, "")
        });
        thread::sleep(Duration::from_millis(300));
        let second = service.get(&path, "");
        second.assert_problem(503, "overloaded", Some("limits.fetches-waiting"));
        let first = first.join().unwrap();
        first.assert_problem(503, "timed-out", Some("limits.request-timeout"));
    });
}

/// A store outlives its service, and the next one answers from it.
#[test]
fn a_store_is_read_by_the_next_service() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("known.store");
    let site = site(
        &response("200 OK", "", "User-agent: *\nDisallow: /x\n"),
        Duration::ZERO,
    );
    let settings = [("allow-private", "true"), ("store", path.to_str().unwrap())];
    let mut service = start(&settings);
    assert_eq!(service.get("/readyz", "").json()["store"], "ok");
    let first = ask(&service, &site);
    service.ask_to_stop();
    assert!(service.join());
    let service = start(&settings);
    let second = ask(&service, &site);
    assert_eq!(second["source"], "store");
    assert_eq!(second["text"], first["text"]);
    assert_eq!(second["requested_at"], first["requested_at"]);
    assert_eq!(site.requests.load(Ordering::SeqCst), 1);
}

/// A Redis of this test, on a Unix socket.
struct Redis {
    process: Child,
    url: String,
    _folder: TempDir,
}

impl Redis {
    /// Starts a server; `None` where there is none, but for CI, which must have one.
    fn start() -> Option<Self> {
        let folder = TempDir::new().unwrap();
        let socket = folder.path().join("redis.sock");
        let arguments = [
            "--port",
            "0",
            "--save",
            "",
            "--appendonly",
            "no",
            "--unixsocket",
        ];
        let started = Command::new("redis-server")
            .args(arguments)
            .arg(&socket)
            .stdout(Stdio::null())
            .spawn();
        let process = match started {
            Ok(process) => process,
            Err(error) if std::env::var_os("CI").is_none_or(|ci| ci != "true") => {
                eprintln!("not tested: redis-server cannot be started: {error}");
                return None;
            }
            Err(error) => panic!("redis-server cannot be started: {error}"),
        };
        for _ in 0..200 {
            if UnixStream::connect(&socket).is_ok() {
                break;
            }
            thread::sleep(Duration::from_millis(50));
        }
        let url = format!("redis+unix://{}", socket.display());
        Some(Self {
            process,
            url,
            _folder: folder,
        })
    }
}

impl Drop for Redis {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

#[test]
fn services_with_one_redis_request_once_and_each_works_without_it() {
    let Some(redis) = Redis::start() else {
        return;
    };
    let first_site = site(&response("200 OK", "", "User-agent: *\n"), Duration::ZERO);
    let second_site = site(&response("200 OK", "", "User-agent: *\n"), Duration::ZERO);
    let settings = [("allow-private", "true"), ("redis", redis.url.as_str())];
    let services = [start(&settings), start(&settings)];
    assert_eq!(ask(&services[0], &first_site)["source"], "request");
    assert_eq!(ask(&services[1], &first_site)["source"], "shared");
    assert_eq!(first_site.requests.load(Ordering::SeqCst), 1);
    for service in &services {
        assert_eq!(service.get("/readyz", "").json()["redis"], "ok");
    }
    drop(redis);
    for service in &services {
        assert_eq!(ask(service, &second_site)["status"], 200);
        let ready = service.get("/readyz", "");
        assert_eq!(
            (ready.status, &ready.json()["redis"]),
            (200, &"failing".into()),
            "{ready:?}"
        );
        // No path, no address: it is read without a key.
        let ready = ready.json();
        let keys: Vec<_> = ready.as_object().unwrap().keys().collect();
        assert_eq!(keys, ["status", "store", "redis"]);
        let metrics = service.get("/metrics", "").body;
        assert!(
            metrics.contains("\nrobots_known_redis_failing 1\n"),
            "{metrics}"
        );
    }
    assert_eq!(second_site.requests.load(Ordering::SeqCst), 2);
}
