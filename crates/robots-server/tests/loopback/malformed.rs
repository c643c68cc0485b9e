//! Bytes that are not requests. Each gets a problem, or the end of the connection, and the service answers the next request.

use crate::client::{Answer, start};
use std::io::{Read, Write};
use std::thread;

/// Requests that get an answer: their lines, divided by `|`, and its status.
const ANSWERED: &[(&str, u16)] = &[
    ("GET", 400),
    ("GET /", 400),
    ("GET / HTTP/1.1|No colon", 400),
    ("GET / HTTP/1.1|: empty", 400),
    ("GET / HTTP/1.1|A b: space", 400),
    ("GET / HTTP/1.1|A: \0", 400),
    ("GET / HTTP/1.1|A: b\rc", 400),
    ("GET / HTTP/9.9|Host: x", 400),
    ("G\0T / HTTP/1.1|Host: x", 400),
    ("GET /\x01 HTTP/1.1|Host: x", 400),
    ("GET nothing HTTP/1.1|Host: x|Connection: close", 404),
    ("\x16\x03\x01\x02\0\x01\0\x01\u{fc}\x03\x03 TLS", 400),
    ("POST /v1/agents HTTP/1.1|Host: x|Content-Length: x", 400),
    ("POST /v1/agents HTTP/1.1|Host: x|Content-Length: -1", 400),
    (
        "POST / HTTP/1.1|Host: x|Content-Length: 1|Content-Length: 2||ab",
        400,
    ),
    ("POST / HTTP/1.1|Host: x|Transfer-Encoding: chunked, x", 400),
    (
        "POST / HTTP/1.1|Host: x|Content-Length: 18446744073709551615",
        431,
    ),
    ("|||GET /healthz HTTP/1.1|Host: x|Connection: close", 200),
    (
        "GET http://x/healthz HTTP/1.1|Host: x|Connection: close",
        200,
    ),
    ("GET /healthz HTTP/1.0", 200),
    ("OPTIONS * HTTP/1.1|Host: x|Connection: close", 404),
    ("BREW /pot HTTP/1.1|Host: x|Connection: close", 404),
    (
        "CONNECT example.com:443 HTTP/1.1|Host: x|Connection: close",
        404,
    ),
];

/// Requests whose Host header is not what RFC 9112, section 3.2, requires, and the others: header lines, and the status.
#[test]
fn a_request_has_one_host() {
    let service = start(&[]);
    for (version, lines, status) in [
        ("1.1", "", 400),
        ("1.1", "Host: x\r\nHost: x\r\n", 400),
        ("1.1", "Host: x\r\nHost: y\r\n", 400),
        ("1.1", "Host: a b\r\n", 400),
        ("1.1", "Host: user@x\r\n", 400),
        ("1.1", "Host: x/y\r\n", 400),
        ("1.0", "Host: x\r\nHost: x\r\n", 400),
        ("1.0", "", 200),
        ("1.1", "Host: x\r\n", 200),
        ("1.1", "Host: \r\n", 200),
        ("1.1", "Host: example.com:8080\r\n", 200),
        ("1.1", "Host: [2001:db8::1]:80\r\n", 200),
    ] {
        for path in ["/healthz", "/v1/profiles"] {
            let request = format!("GET {path} HTTP/{version}\r\nConnection: close\r\n{lines}\r\n");
            let answer = service.send(request.as_bytes());
            assert_eq!(answer.status, status, "{request}: {answer:?}");
            if status == 400 {
                answer.assert_problem(400, "malformed-request", None);
            }
        }
    }
}

/// The HTTP library lets paths with bytes over 0x7F through; a character may be at the end of what is logged.
#[test]
fn a_long_path_of_utf_8_is_answered() {
    let service = start(&[]);
    for path in [
        format!("/{}", "\u{e9}".repeat(200)),
        format!("/x{}", "\u{1f916}".repeat(200)),
    ] {
        service
            .get(&path, "")
            .assert_problem(404, "not-found", None);
    }
    let request = b"GET /\xff\xfe HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n";
    let status = service.send(request).status;
    assert!(matches!(status, 400 | 404), "{status}");
}

#[test]
fn malformed_requests_get_problems() {
    let service = start(&[]);
    for (lines, status) in ANSWERED {
        let request = format!("{}\r\n\r\n", lines.replace('|', "\r\n"));
        let answer = service.send(request.as_bytes());
        assert_eq!(answer.status, *status, "{lines}: {answer:?}");
        assert_refused(&answer);
    }
    assert_eq!(service.get("/healthz", "").status, 200);
}

/// What is not HTTP gets the answer of the HTTP library, which has no body.
#[track_caller]
fn assert_refused(answer: &Answer) {
    if answer.status >= 400 && !answer.body.is_empty() {
        answer.problem();
    }
}

#[test]
fn a_malformed_request_after_good_ones_gets_a_problem() {
    let service = start(&[]);
    let answer =
        service.send(b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\nGET /\x01 HTTP/1.1\r\n\r\n");
    assert_eq!(answer.status, 200);
    let next = answer.body.strip_prefix("ok\n").unwrap();
    assert_eq!(Answer::parse(next.as_bytes()).status, 400);
}

const WHOLE: &[u8] = b"GET /v1/agents?purpose=ads HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n";

/// Changes every byte of a request: each gets an answer, and the connection ends.
#[test]
fn changed_requests_are_answered() {
    let service = start(&[("limits.head-timeout", "200ms")]);
    thread::scope(|scope| {
        for byte in [0, b'\n', b' ', 0x7f, 0xff] {
            let service = &service;
            scope.spawn(move || {
                for at in 0..WHOLE.len() {
                    let mut bytes = WHOLE.to_vec();
                    bytes[at] = byte;
                    let mut stream = service.connect();
                    let _ = stream.write_all(&bytes);
                    let mut answer = Vec::new();
                    let _ = stream.read_to_end(&mut answer);
                    // Of a head without an end, nothing is known.
                    if !answer.is_empty() {
                        assert_refused(&Answer::parse(&answer));
                    }
                }
            });
        }
    });
    assert_eq!(service.get("/healthz", "").status, 200);
}
