//! What is known about the robots.txt of sites, which are servers on loopback.

use crate::client::{Site, TEXT, response, same_site, site, start};
use serde_json::{Value, json};
use std::os::unix::net::UnixStream;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::Duration;
use tempfile::TempDir;

#[test]
fn a_robots_txt_is_requested_once_and_shown() {
    let site = site(|_| {
        thread::sleep(Duration::from_millis(300));
        response(TEXT, "User-agent: *\nDisallow: /\n")
    });
    let service = start(&[("allow-private", "true")]);
    // Many who ask at once cause one request.
    thread::scope(|scope| {
        for _ in 0..20 {
            scope.spawn(|| service.robots(&site));
        }
    });
    let found = service.robots(&site);
    let mut expected = json!({
        "origin": &*site,
        "url": format!("{site}/robots.txt"),
        "source": "request",
        "unanswered": null,
        "outcome": "status",
        "status": 200,
        "fault": null,
        "fault_text": null,
        "retry_at": null,
        "redirects": [],
        "redirected_to": null,
        "bytes": 26,
        "is_utf8": true,
        "text": "User-agent: *\nDisallow: /\n",
        "text_omitted": null,
    });
    for key in ["requested_at", "fresh_until"] {
        assert!(found[key].as_str().unwrap().ends_with('Z'), "{found}");
        expected[key] = found[key].clone();
    }
    assert_eq!(found["history"].as_array().unwrap().len(), 1);
    expected["history"] = found["history"].clone();
    assert_eq!(found, expected);
    assert_eq!(site.requests(), ["/robots.txt"]);
    let metrics = service.get("/metrics", "").body;
    for line in ["robots_known_requests_total 1", "robots_known_origins 1"] {
        let mut lines = metrics.lines();
        assert!(lines.any(|found| found == line), "{line}\n{metrics}");
    }
}

#[test]
fn faults_statuses_and_redirects_are_shown() {
    let service = start(&[("allow-private", "true"), ("limits.fetch-timeout", "5s")]);
    let missing = service.robots(&same_site("404 Not Found", "x"));
    assert_eq!(
        (&missing["status"], &missing["text"]),
        (&404.into(), &Value::Null)
    );
    let busy = service.robots(&same_site("503 Busy\r\nRetry-After: 3600", ""));
    assert_eq!(busy["status"], 503);
    assert!(busy["retry_at"].as_str().is_some(), "{busy}");
    let circle = service.robots(&same_site("301 Moved\r\nLocation: /robots.txt", ""));
    assert_eq!(
        [&circle["outcome"], &circle["fault"]],
        ["too_many_redirects"; 2]
    );
    assert!(
        circle["redirects"].as_array().unwrap().len() >= 5,
        "{circle}"
    );
    let nonsense = service.robots(&site(|_| "nonsense\r\n\r\n".to_owned()));
    assert_eq!(
        [&nonsense["outcome"], &nonsense["fault"]],
        ["unreachable", "protocol"]
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
        let head = format!("301 Moved\r\nLocation: {target}{path}");
        site(move |_| response(&head, ""))
    };
    let page = same_site(TEXT, "secret words\n");
    let rules = same_site(TEXT, "User-agent: *\nDisallow: /x\n");
    let html = same_site("200 OK\r\nContent-Type: text/html", "secret\n");
    let cases = [
        (redirect_to(&page, "/page.txt"), Some("redirected")),
        (redirect_to(&page, "/robots.txt?page"), Some("redirected")),
        (redirect_to(&rules, "/other.txt"), Some("redirected")),
        (redirect_to(&rules, "/robots.txt"), None),
        (html, Some("not_text")),
        (
            same_site(TEXT, " <!DOCTYPE html><p>secret</p>\n"),
            Some("html"),
        ),
        (same_site(TEXT, "odd words\n"), None),
        (same_site(TEXT, ""), None),
    ];
    // A store outlives its service, and the next one answers from it. The store has the URL of the file.
    for source in ["request", "store"] {
        assert_eq!(service.get("/readyz", "").json()["store"], "ok");
        for (site, expected) in &cases {
            let answer = service.robots(site);
            assert_eq!(answer["source"], source, "{answer}");
            assert_eq!(answer["text_omitted"].as_str(), *expected, "{answer}");
            assert_eq!(answer["text"].is_null(), expected.is_some(), "{answer}");
            assert!(!answer.to_string().contains("secret"), "{answer}");
            assert_eq!(
                site.requests()
                    .iter()
                    .filter(|path| *path == "/robots.txt")
                    .count(),
                1
            );
        }
        service.ask_to_stop();
        assert!(service.join());
        service = start(&settings);
    }
}

#[test]
fn addresses_that_are_not_public_are_not_requested() {
    let site = same_site(TEXT, "User-agent: *\n");
    let (_, port) = site.rsplit_once(':').unwrap();
    let service = start(&[]);
    for host in [
        "127.0.0.1",
        "localhost",
        "[::1]",
        "[::ffff:127.0.0.1]",
        "2130706433",
        "0x7f.1",
    ] {
        let path = format!("/v1/robots/http%3A%2F%2F{host}%3A{port}");
        let answer = service.get(&path, "").json();
        assert_eq!(
            [&answer["outcome"], &answer["fault"], &answer["fault_text"]],
            [
                "unreachable",
                "no_public_address",
                "the host does not exist, or has no public address"
            ],
            "{host}"
        );
    }
    assert_eq!(site.requests(), [""; 0]);
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
        "example.com?refresh=1",
    ] {
        let answer = service.get(&format!("/v1/robots/{name}"), "");
        answer.assert_problem(400, "invalid-parameter", None);
    }
}

#[test]
fn a_slow_site_ends_the_wait_and_many_waits_are_refused() {
    let slow = site(|_| {
        thread::sleep(Duration::from_secs(8));
        response(TEXT, "")
    });
    let settings = [
        ("allow-private", "true"),
        ("limits.fetch-timeout", "10s"),
        ("limits.request-timeout", "1s"),
        ("limits.fetches-waiting", "1"),
    ];
    let service = start(&settings);
    let path = slow.replace("://", "%3A%2F%2F");
    let path = format!("/v1/robots/{path}");
    thread::scope(|scope| {
        let first = scope.spawn(|| service.get(&path, ""));
        thread::sleep(Duration::from_millis(300));
        let second = service.get(&path, "");
        second.assert_problem(503, "overloaded", Some("limits.fetches-waiting"));
        let first = first.join().unwrap();
        first.assert_problem(503, "timed-out", Some("limits.request-timeout"));
    });
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
    let [first_site, second_site] = [(); 2].map(|()| same_site(TEXT, "User-agent: *\n"));
    let settings = [("allow-private", "true"), ("redis", redis.url.as_str())];
    let services = [start(&settings), start(&settings)];
    assert_eq!(services[0].robots(&first_site)["source"], "request");
    assert_eq!(services[1].robots(&first_site)["source"], "shared");
    assert_eq!(first_site.requests().len(), 1);
    for service in &services {
        assert_eq!(service.get("/readyz", "").json()["redis"], "ok");
    }
    drop(redis);
    for service in &services {
        assert_eq!(service.robots(&second_site)["status"], 200);
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
    assert_eq!(second_site.requests().len(), 2);
}
