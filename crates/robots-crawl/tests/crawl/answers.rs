//! Statuses and headers, of requests and responses.

use crate::server::{Server, header, ok, response};
use crate::{body, fetch, fetch_with, fetcher};
use robots_crawl::Validators;
use robots_crawl::fetch::replayed;
use robots_meta::Timestamp;
use robots_policy::RobotsFetch;
use robots_policy::robots::RobotsResponse;
use std::process::Command;
use std::time::{Duration, SystemTime};

const TEXT: &str = "User-agent: *\nDisallow: /private\n";

/// Of several types, the last valid one counts, when a response arrives and when it is replayed.
#[tokio::test]
async fn the_last_valid_type_counts() {
    for (types, joined, counting) in [
        (
            &["text/html", "text/plain"][..],
            "text/html, text/plain",
            "text/plain",
        ),
        (
            &["text/plain; x=1", "nonsense"],
            "text/plain; x=1, nonsense",
            "text/plain",
        ),
        (&["text/html", "*/*"], "text/html, */*", "text/html"),
        (&["nonsense"], "nonsense", "nonsense"),
    ] {
        let lines = types.iter().map(|line| format!("Content-Type: {line}\r\n"));
        let server = Server::sending(response(200, &lines.collect::<String>(), TEXT)).await;
        let fetched = fetch(&server).await;
        assert_eq!(fetched.content_type(), Some(joined));
        let expected = RobotsResponse::new(200, TEXT.as_bytes()).with_content_type(counting);
        assert_eq!(fetched.as_fetch(), RobotsFetch::Response(expected));
        let headers = fetched.headers().iter();
        let headers = headers.map(|(name, value)| (name.as_str(), value.as_str()));
        let at = Timestamp::parse("2026-11-20T00:00:00Z").unwrap();
        assert_eq!(
            replayed(200, headers, fetched.body(), at),
            fetched.as_fetch()
        );
    }
}

#[tokio::test]
async fn a_response_has_all_its_facts() {
    let headers = "Content-Type: text/plain; charset=utf-8\r\nETag: \"a\"\r\n\
        Last-Modified: Sun, 06 Nov 1994 08:49:37 GMT\r\nCache-Control: max-age=600\r\nAge: 60\r\n";
    let server = Server::sending(response(200, headers, TEXT)).await;
    let before = SystemTime::now();
    let fetched = fetch(&server).await;

    let expected = RobotsResponse::new(200, TEXT.as_bytes())
        .with_content_type("text/plain")
        .fresh_for(Duration::from_secs(540));
    assert_eq!(fetched.as_fetch(), RobotsFetch::Response(expected));
    assert_eq!(fetched.fault(), None);
    assert_eq!(fetched.status(), Some(200));
    assert_eq!(fetched.body(), TEXT.as_bytes());
    assert!(!fetched.is_cut());
    assert_eq!(fetched.content_type(), Some("text/plain; charset=utf-8"));
    assert_eq!(fetched.fresh_for(), Some(Duration::from_secs(540)));
    assert_eq!(fetched.retry_after(), None);
    let validators = Validators::new(
        Some("\"a\"".to_owned()),
        Some("Sun, 06 Nov 1994 08:49:37 GMT".to_owned()),
    );
    assert_eq!(fetched.validators(), &validators);
    assert_eq!(fetched.url(), server.url());
    assert_eq!(fetched.hops(), []);
    assert_eq!(fetched.address(), Some(server.address().ip()));
    let lines = fetched.headers().iter();
    let lines: Vec<String> = lines
        .map(|(name, value)| format!("{name}: {value}"))
        .collect();
    let sent = headers.lines().map(|line| {
        let (name, value) = line.split_once(':').unwrap();
        format!("{}:{value}", name.to_ascii_lowercase())
    });
    for line in sent {
        assert!(lines.contains(&line), "{line} in {lines:?}");
    }
    assert_eq!(fetched.attempts(), 1);
    assert!((before..=SystemTime::now()).contains(&fetched.at()));
}

#[tokio::test]
async fn a_request_has_only_the_headers_of_the_robot() {
    let server = Server::sending(ok(TEXT)).await;
    let fetched = fetch_with(fetcher().with_from("bot@bot.example"), &server).await;
    assert_eq!(body(&fetched), TEXT.as_bytes());

    let requests = server.requests();
    assert_eq!(requests.len(), 1);
    let head = &requests[0];
    assert!(head.starts_with("GET /robots.txt HTTP/1.1\r\n"), "{head}");
    let mut names: Vec<String> = head
        .lines()
        .filter_map(|line| Some(line.split_once(':')?.0.to_ascii_lowercase()))
        .collect();
    names.sort_unstable();
    assert_eq!(
        names,
        ["accept", "accept-encoding", "from", "host", "user-agent"]
    );
    assert_eq!(
        header(head, "user-agent"),
        Some("TestBot/1.0 (+https://bot.example)")
    );
    assert_eq!(header(head, "from"), Some("bot@bot.example"));
    let accept = "text/plain,text/html;q=0.9,*/*;q=0.8";
    assert_eq!(header(head, "accept"), Some(accept));
    let page = format!("http://{}/x", server.address());
    let fetcher = fetcher().build().unwrap();
    fetcher.page(&page).await.unwrap();
    assert_eq!(header(&server.requests()[1], "accept"), Some("*/*"));
    let address = server.address().to_string();
    assert_eq!(header(head, "host"), Some(address.as_str()));
    let codings = header(head, "accept-encoding").unwrap();
    let mut codings: Vec<&str> = codings.split(',').map(str::trim).collect();
    codings.sort_unstable();
    // Some servers send "deflate" without the zlib header (RFC 9110, section 8.4.1.2), so it is not asked for.
    assert_eq!(codings, ["br", "gzip", "zstd"]);
}

/// Runs the test above in an environment with a proxy that does not exist.
#[test]
fn proxies_of_the_environment_are_not_used() {
    let mut again = Command::new(std::env::current_exe().unwrap());
    again.args([
        "--exact",
        "answers::a_request_has_only_the_headers_of_the_robot",
    ]);
    for name in ["http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"] {
        again.env(name, "http://127.0.0.1:1");
    }
    let output = again
        .env_remove("no_proxy")
        .env_remove("NO_PROXY")
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(
        output.status.success() && text.contains("1 passed"),
        "{text}"
    );
}

#[tokio::test]
async fn error_statuses_are_responses_and_not_faults() {
    // 300, 305 and 306 are redirects that are not followed.
    for status in [
        300, 305, 306, 400, 401, 403, 404, 410, 418, 429, 451, 499, 500, 502, 503, 599, 600, 999,
    ] {
        let headers = "Content-Type: text/html\r\nETag: \"a\"\r\nLocation: /elsewhere\r\n\
            Cache-Control: max-age=60\r\nRetry-After: 120\r\n";
        let server = Server::sending(response(status, headers, "an error")).await;
        let fetched = fetch_with(fetcher().with_retries(2), &server).await;
        assert_eq!(fetched.as_fetch(), RobotsFetch::Status(status));
        assert_eq!(fetched.status(), Some(status));
        assert_eq!(fetched.fault(), None);
        assert_eq!(fetched.body(), b"");
        assert!(fetched.validators().is_empty());
        assert_eq!(fetched.attempts(), 1);
        assert_eq!(server.requests().len(), 1, "{status}");
        // The freshness does not apply.
        assert_eq!(fetched.fresh_for(), Some(Duration::from_secs(60)));
        assert_eq!(fetched.retry_after(), Some(Duration::from_secs(120)));
    }
}

#[tokio::test]
async fn any_success_has_its_body() {
    for status in [200, 201, 203, 206, 299] {
        let server = Server::sending(response(status, "", TEXT)).await;
        let fetched = fetch(&server).await;
        let expected = RobotsResponse::new(status, TEXT.as_bytes());
        assert_eq!(fetched.as_fetch(), RobotsFetch::Response(expected));
    }
    let server = Server::sending("HTTP/1.1 204 X\r\n\r\n").await;
    let fetched = fetch(&server).await;
    let expected = RobotsResponse::new(204, b"");
    assert_eq!(fetched.as_fetch(), RobotsFetch::Response(expected));
}

#[tokio::test]
async fn informational_responses_are_skipped() {
    let hints = "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n";
    let server = Server::sending([hints.as_bytes(), &ok(TEXT)].concat()).await;
    assert_eq!(body(&fetch(&server).await), TEXT.as_bytes());
}

#[tokio::test]
async fn a_304_keeps_the_validators() {
    let last_modified = "Sun, 06 Nov 1994 08:49:37 GMT";
    let server = Server::start(move |_, head| {
        let answer = if header(head, "if-none-match") == Some("W/\"a\"")
            && header(head, "if-modified-since") == Some(last_modified)
        {
            "HTTP/1.1 304 X\r\nETag: W/\"b\"\r\n\r\n"
                .as_bytes()
                .to_vec()
        } else {
            let headers = format!("ETag: W/\"a\"\r\nLast-Modified: {last_modified}\r\n");
            response(200, &headers, TEXT)
        };
        vec![crate::server::Act::Send(answer)]
    })
    .await;
    let fetcher = fetcher().build().unwrap();
    let first = fetcher
        .fetch(&server.origin(), &Validators::default())
        .await;
    assert_eq!(body(&first), TEXT.as_bytes());
    assert_eq!(header(&server.requests()[0], "if-none-match"), None);
    assert_eq!(header(&server.requests()[0], "if-modified-since"), None);

    let second = fetcher.fetch(&server.origin(), first.validators()).await;
    assert_eq!(second.as_fetch(), RobotsFetch::Status(304));
    assert_eq!(second.fault(), None);
    assert_eq!(second.body(), b"");
    // The new ETag, and the validator that the 304 does not have.
    let validators = Validators::new(Some("W/\"b\"".to_owned()), Some(last_modified.to_owned()));
    assert_eq!(second.validators(), &validators);
}

#[tokio::test]
async fn a_304_may_extend_freshness() {
    let server = Server::sending("HTTP/1.1 304 X\r\nCache-Control: max-age=60\r\n\r\n").await;
    let validators = Validators::new(Some("\"a\"".to_owned()), None);
    let fetcher = fetcher().build().unwrap();
    let fetched = fetcher.fetch(&server.origin(), &validators).await;
    let expected = RobotsResponse::new(304, b"").fresh_for(Duration::from_secs(60));
    assert_eq!(fetched.as_fetch(), RobotsFetch::Response(expected));
    assert_eq!(fetched.validators(), &validators);
}

#[tokio::test]
async fn validators_that_no_header_can_have_are_not_sent() {
    let server = Server::sending(ok(TEXT)).await;
    let validators = Validators::new(Some("a\r\nX: y".to_owned()), Some("\0".to_owned()));
    let fetcher = fetcher().build().unwrap();
    let fetched = fetcher.fetch(&server.origin(), &validators).await;
    assert_eq!(body(&fetched), TEXT.as_bytes());
    let requests = server.requests();
    for name in ["if-none-match", "if-modified-since", "x"] {
        assert_eq!(header(&requests[0], name), None);
    }
}

#[tokio::test]
async fn an_origin_that_http_cannot_request_is_not_requested() {
    for origin in ["ftp://127.0.0.1", "foo://127.0.0.1"] {
        let fetched = crate::fetch_origin(fetcher(), origin).await;
        let fault = robots_crawl::FetchFault::BadUrl(format!("{origin}/robots.txt"));
        assert_eq!(fetched.fault(), Some(&fault));
        assert_eq!(fetched.as_fetch(), RobotsFetch::NotFetched);
        assert_eq!(fetched.url(), format!("{origin}/robots.txt"));
    }
}
