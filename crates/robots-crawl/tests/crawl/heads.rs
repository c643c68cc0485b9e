//! Responses with invalid header lines: each costs at most its line, and live responses are read as archived ones are.

use crate::server::Server;
use crate::{fetch, fetcher};
use http::HeaderName;
use robots_archive::http::Response;

const BODY: &[u8] = b"User-agent: *\nDisallow: /private\n";

/// Header lines, and the value of their `X-Robots-Tag`.
const LINES: &[(&str, Option<&str>)] = &[
    // Folded lines (RFC 9112, section 5.2).
    ("X-Robots-Tag: all,\r\n noindex", Some("all, noindex")),
    ("X-Robots-Tag: all,\r\n\tnoindex", Some("all, noindex")),
    ("X-Robots-Tag: all,\n \t noindex", Some("all, noindex")),
    ("X-Robots-Tag:\r\n noindex", Some("noindex")),
    ("X-Robots-Tag: a\r\n b\r\n c: d", Some("a b c: d")),
    ("X-Robots-Tag: noindex\r\n \r\nY: z", Some("noindex ")),
    ("no colon\r\n X-Robots-Tag: noindex", Some("noindex")),
    // At the start of the lines there is no line to continue.
    (" X-Robots-Tag: noindex", Some("noindex")),
    ("\tX-Robots-Tag: noindex", Some("noindex")),
    // White space around names, and in them.
    ("X-Robots-Tag : noindex", Some("noindex")),
    ("X-Robots-Tag\t \t: noindex", Some("noindex")),
    (
        "X-Robots Tag: all\r\nX-Robots-Tag: noindex",
        Some("noindex"),
    ),
    ("X-Robots Tag: all", None),
    // Lines without a name or a colon.
    ("no colon\r\nX-Robots-Tag: noindex", Some("noindex")),
    ("X-Robots-Tag: noindex\r\nno colon", Some("noindex")),
    (": empty\r\nX-Robots-Tag: noindex", Some("noindex")),
    (
        "(a): b\r\n\u{fc}: c\r\nX-Robots-Tag: noindex",
        Some("noindex"),
    ),
    (
        "<b>Warning</b>: line 1: x\r\nX-Robots-Tag: noindex",
        Some("noindex"),
    ),
    ("HTTP/1.1 200 OK\r\nX-Robots-Tag: noindex", Some("noindex")),
    // Line ends.
    ("X-Robots-Tag: noindex\r\r\nA: b", Some("noindex")),
    ("X-Robots-Tag: noindex\nA: b", Some("noindex")),
    ("X-Robots-Tag: a\rb", Some("a b")),
    ("X-Robots-Tag: \u{fc}", Some("\u{fc}")),
];

/// Returns the valid lines of an archived response, with names in lower case.
fn archived(sent: &[u8]) -> Vec<(String, String)> {
    let response = Response::parse(sent).unwrap();
    assert_eq!((response.status(), response.body()), (200, BODY));
    let lines = response.header_bytes();
    let valid = lines.filter_map(|(name, value)| {
        let name = HeaderName::from_bytes(name.as_bytes()).ok()?;
        let value = String::from_utf8(value.to_vec()).unwrap();
        Some((name.to_string(), value))
    });
    valid.collect()
}

/// Sends these header lines with a robots.txt and with a page, and compares both with the archived response.
async fn check(lines: &str, expected: Option<&str>) {
    for first in ["HTTP/1.1 200 OK\r\n", "HTTP/1.0 200\x01OK\x7F\r\n"] {
        let sent = [
            first.as_bytes(),
            lines.as_bytes(),
            b"\r\nZ: last\r\n\r\n",
            BODY,
        ]
        .concat();
        let place = sent.escape_ascii().to_string();
        let archived = archived(&sent);
        let tag = |lines: &[(String, String)]| {
            let tag = lines.iter().find(|(name, _)| name == "x-robots-tag");
            tag.map(|(_, value)| value.trim().to_owned())
        };
        assert_eq!(
            tag(&archived).as_deref(),
            expected.map(str::trim),
            "{place}"
        );

        let server = Server::sending(sent).await;
        let fetched = fetch(&server).await;
        assert_eq!(fetched.fault(), None, "{place}");
        assert_eq!(fetched.body(), BODY, "{place}");
        assert_eq!(fetched.headers(), archived, "{place}");

        let url = format!("http://{}/page", server.address());
        let mut page = fetcher().build().unwrap().page(&url).await.unwrap();
        let headers = page
            .headers()
            .map(|(name, value)| (name.to_owned(), String::from_utf8(value.to_vec()).unwrap()));
        assert_eq!(headers.collect::<Vec<_>>(), archived, "{place}");
        assert_eq!(page.body_up_to(99).await.unwrap().bytes, BODY, "{place}");
    }
}

#[tokio::test]
async fn an_invalid_line_costs_at_most_that_line() {
    for (lines, expected) in LINES {
        check(lines, *expected).await;
    }
}

#[tokio::test]
async fn no_control_character_costs_a_response() {
    for control in (0..=0x1F_u8).chain([0x7F]).filter(|byte| *byte != b'\n') {
        let control = char::from(control);
        for lines in [
            format!("X-Robots-Tag: noindex{control}"),
            format!("X-Robots-Tag:{control}noindex"),
            format!("X-Robots-Tag{control}: noindex"),
            format!("X-Robots{control}-Tag: noindex"),
            format!("X-Robots-Tag: noindex\r\nA: b{control}c"),
        ] {
            check(&lines, Some("noindex")).await;
        }
    }
}

#[tokio::test]
async fn the_length_of_a_body_may_be_in_an_invalid_line() {
    for (headers, sent) in [
        ("Content-Length : 5\r\n", "hello world"),
        ("Content-Length:\r\n 5\r\n", "hello world"),
        ("Content-Length: 5\x7F\r\n", "hello world"),
        (
            "Transfer-Encoding\t: chunked\r\n",
            "5\r\nhello\r\n0\r\n\r\n",
        ),
        (
            "no colon\r\nTransfer-Encoding: chunked\r\n",
            "5\r\nhello\r\n0\r\n\r\n",
        ),
    ] {
        let server = Server::sending(format!("HTTP/1.1 200 X\r\n{headers}\r\n{sent}")).await;
        let fetched = fetch(&server).await;
        assert_eq!(
            (fetched.fault(), fetched.body()),
            (None, &b"hello"[..]),
            "{headers}"
        );
    }
}

#[tokio::test]
async fn redirects_with_invalid_lines_are_followed() {
    let target = Server::sending(crate::server::ok(BODY)).await;
    for lines in [
        format!("Location :\r\n {}", target.url()),
        format!("no colon\r\nLocation: {}\x7F", target.url()),
    ] {
        let server = Server::sending(format!("HTTP/1.1 301 X\r\n{lines}\r\n\r\n")).await;
        assert_eq!(fetch(&server).await.body(), BODY, "{lines}");
    }
}
