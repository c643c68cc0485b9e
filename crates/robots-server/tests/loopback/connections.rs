//! Limits on connections, sizes and times, each at its edge.

use crate::client::{Answer, Service, start};
use std::io::{Read, Write};
use std::net::TcpListener;
use std::time::{Duration, Instant};

#[test]
fn a_url_is_as_long_as_its_limit() {
    let service = start(&[("limits.url-bytes", "50")]);
    let path = |length: usize| format!("/{}", "x".repeat(length - 1));
    for length in [49, 50] {
        service
            .get(&path(length), "")
            .assert_problem(404, "not-found", None);
    }
    let answer = service.get(&path(51), "");
    answer.assert_problem(414, "url-too-long", Some("limits.url-bytes"));
    // The query counts, too.
    let answer = service.get(
        "/healthz?aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
        "",
    );
    answer.assert_problem(414, "url-too-long", Some("limits.url-bytes"));
}

#[test]
fn header_lines_are_as_many_as_their_limit() {
    let service = start(&[("limits.header-lines", "10")]);
    let lines = |number: usize| "A: b\r\n".repeat(number);
    // With Host and Connection.
    assert_eq!(service.get("/healthz", &lines(8)).status, 200);
    assert_eq!(service.get("/healthz", &lines(9)).status, 431);
    assert_eq!(service.get("/healthz", &lines(200)).status, 431);
}

#[test]
fn a_head_is_as_large_as_its_limit() {
    for (limit, bytes) in [("8KiB", 8 << 10), ("32KiB", 32 << 10)] {
        let service = start(&[("limits.head-bytes", limit)]);
        let head = |length: usize| {
            let rest = "GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\nA: \r\n\r\n";
            rest.replace("A: ", &format!("A: {}", "b".repeat(length - rest.len())))
        };
        for length in [bytes - 1, bytes] {
            assert_eq!(
                service.send(head(length).as_bytes()).status,
                200,
                "{length}"
            );
        }
        for length in [bytes + 1, bytes + 5000, 3 * bytes] {
            assert_eq!(service.send(head(length).as_bytes()).status, 431);
        }
    }
}

#[test]
fn a_slow_head_ends_in_its_time() {
    let service = start(&[("limits.head-timeout", "300ms")]);
    let start = Instant::now();
    let mut stream = service.connect();
    let mut writer = stream.try_clone().unwrap();
    // A byte now and then does not extend the time.
    let drip = std::thread::spawn(move || {
        for byte in b"GET /healthz HTTP/1.1\r\nHost: x\r\n".iter().cycle() {
            if writer.write_all(&[*byte]).is_err() {
                break;
            }
            std::thread::sleep(Duration::from_millis(20));
            if start.elapsed() > Duration::from_secs(10) {
                break;
            }
        }
    });
    let mut bytes = Vec::new();
    // The end may be a reset, as bytes still arrive.
    let _ = stream.read_to_end(&mut bytes);
    assert!(bytes.is_empty(), "{bytes:?}");
    drop(stream);
    assert!(start.elapsed() >= Duration::from_millis(300));
    assert!(
        start.elapsed() < Duration::from_secs(5),
        "{:?}",
        start.elapsed()
    );
    drip.join().unwrap();
}

#[test]
fn an_idle_connection_ends_without_an_answer_and_another_is_kept() {
    let service = start(&[("limits.head-timeout", "400ms")]);
    let start = Instant::now();
    let mut idle = service.connect();
    let mut busy = service.connect();
    let mut buffer = [0; 4096];
    // Each request begins the time again.
    for _ in 0..4 {
        std::thread::sleep(Duration::from_millis(200));
        busy.write_all(b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n")
            .unwrap();
        assert!(busy.read(&mut buffer).unwrap() > 0);
    }
    assert_eq!(idle.read(&mut buffer).unwrap(), 0);
    assert_eq!(busy.read(&mut buffer).unwrap(), 0);
    let elapsed = start.elapsed();
    assert!(elapsed >= Duration::from_millis(1200), "{elapsed:?}");
    assert!(elapsed < Duration::from_secs(5), "{elapsed:?}");
}

/// The time of an answer is not that of an idle connection, which begins after it.
#[test]
fn a_connection_is_not_idle_while_it_waits_for_an_answer() {
    let service = start(&[("limits.head-timeout", "300ms"), ("allow-private", "true")]);
    let site = TcpListener::bind("127.0.0.1:0").unwrap();
    let origin = format!("http://{}", site.local_addr().unwrap());
    let slow = std::thread::spawn(move || {
        let (mut stream, _) = site.accept().unwrap();
        std::thread::sleep(Duration::from_millis(900));
        let answer = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";
        stream.write_all(answer.as_bytes()).unwrap();
        let _ = stream.read(&mut [0; 4096]);
    });
    let question = format!("{{\"urls\": [\"{origin}/x\"], \"fetch\": true}}");
    let request = format!(
        "POST /v1/check HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n{question}",
        question.len()
    );
    let mut stream = service.connect();
    let mut buffer = [0; 4096];
    let start = Instant::now();
    // The second time, the answer is known.
    for _ in 0..2 {
        stream.write_all(request.as_bytes()).unwrap();
        let length = stream.read(&mut buffer).unwrap();
        assert_eq!(Answer::parse(&buffer[..length]).status, 200);
        assert!(start.elapsed() >= Duration::from_millis(900));
    }
    let answered = Instant::now();
    assert_eq!(stream.read(&mut buffer).unwrap(), 0);
    let idle = answered.elapsed();
    assert!(idle >= Duration::from_millis(250), "{idle:?}");
    assert!(idle < Duration::from_secs(5), "{idle:?}");
    slow.join().unwrap();
}

/// A client that requests much and reads nothing is cut off.
#[test]
fn a_client_that_does_not_read_is_cut_off() {
    let service = start(&[("limits.write-timeout", "500ms")]);
    let mut stream = service.connect();
    let request = b"GET /v1/agents HTTP/1.1\r\nHost: x\r\n\r\n";
    let start = Instant::now();
    let mut is_cut = false;
    stream
        .set_write_timeout(Some(Duration::from_secs(2)))
        .unwrap();
    while start.elapsed() < Duration::from_secs(15) {
        if stream.write_all(request).is_err() {
            // The service does not read either, until it closes the connection.
            let metrics = service.get("/metrics", "").body;
            // This one, and that of the counters.
            if metrics.contains("\nrobots_http_connections 1\n") {
                is_cut = true;
                break;
            }
        }
    }
    assert!(is_cut, "{:?}", start.elapsed());
}

/// Returns whether the service closes a connection without an answer. It may reset it, as it has not read the request.
fn is_refused(service: &Service) -> bool {
    let mut stream = service.connect();
    let _ = stream.write_all(b"GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
    let mut bytes = Vec::new();
    let _ = stream.read_to_end(&mut bytes);
    bytes.is_empty()
}

#[test]
fn connections_are_as_many_as_their_limit() {
    for (limit, settings) in [
        ("limits.connections", ("exempt-clients", "127.0.0.1")),
        ("limits.connections-per-client", ("exempt-clients", "")),
    ] {
        let service = start(&[(limit, "3"), settings]);
        let mut open: Vec<_> = (0..3).map(|_| service.connect()).collect();
        // Each is counted when it is accepted, in this order.
        let mut buffer = [0; 4096];
        for stream in &mut open {
            stream
                .write_all(b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n")
                .unwrap();
            assert!(stream.read(&mut buffer).unwrap() > 0);
        }
        assert!(is_refused(&service), "{limit}");
        drop(open.pop());
        std::thread::sleep(Duration::from_millis(200));
        let counters = service.get("/metrics", "").body;
        let line = format!("robots_http_refused_total{{limit=\"{limit}\"}} 1\n");
        assert!(counters.contains(&line), "{counters}");
    }
}
