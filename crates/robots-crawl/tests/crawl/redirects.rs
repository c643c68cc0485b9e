//! Redirects: their number, their targets, and the requests to them.

use crate::server::{Act, Server, header, ok, redirect, response};
use crate::{body, counts_as_too_many_redirects, fetch, fetch_with, fetcher};
use robots_crawl::{FetchFault, Fetched, Validators};
use robots_policy::RobotsFetch;

/// Returns servers that redirect, each to the next one. The last one answers.
async fn chain(redirects: usize) -> Vec<Server> {
    let mut servers = vec![Server::sending(ok("x")).await];
    for _ in 0..redirects {
        let next = servers.last().unwrap().url();
        servers.push(Server::redirecting(301, &next).await);
    }
    servers.reverse();
    servers
}

fn hops(fetched: &Fetched) -> Vec<(String, u16)> {
    let hops = fetched.hops().iter();
    hops.map(|hop| (hop.url().to_owned(), hop.status()))
        .collect()
}

#[tokio::test]
async fn every_kind_of_redirect_is_followed() {
    let target = Server::sending(ok("x")).await;
    for status in [301, 302, 303, 307, 308] {
        let server = Server::redirecting(status, &target.url()).await;
        let fetched = fetch(&server).await;
        assert_eq!(body(&fetched), b"x");
        assert_eq!(fetched.url(), target.url());
        assert_eq!(hops(&fetched), [(server.url(), status)]);
        let hop = &fetched.hops()[0];
        let location = ("location".to_owned(), target.url());
        assert!(hop.headers().contains(&location), "{:?}", hop.headers());
        assert_eq!(hop.address(), Some(server.address().ip()));
        assert_eq!(fetched.attempts(), 1);
    }
}

#[tokio::test]
async fn five_redirects_are_followed_and_a_sixth_is_not() {
    let servers = chain(5).await;
    let fetched = fetch(&servers[0]).await;
    assert_eq!(body(&fetched), b"x");
    let expected: Vec<(String, u16)> = servers[..5]
        .iter()
        .map(|server| (server.url(), 301))
        .collect();
    assert_eq!(hops(&fetched), expected);

    let servers = chain(6).await;
    let fetched = fetch_with(fetcher().with_retries(2), &servers[0]).await;
    assert_eq!(fetched.attempts(), 1);
    assert_eq!(
        counts_as_too_many_redirects(&fetched),
        &FetchFault::TooManyRedirects
    );
    assert_eq!(fetched.status(), Some(301));
    // The redirect that is not followed is a hop, too.
    assert_eq!(fetched.hops().len(), 6);
    assert_eq!(fetched.url(), servers[5].url());
    assert!(servers[6].requests().is_empty());
}

#[tokio::test]
async fn the_caller_sets_the_number_of_redirects() {
    let servers = chain(6).await;
    let fetched = fetch_with(fetcher().with_redirects(6), &servers[0]).await;
    assert_eq!(body(&fetched), b"x");
    let fetched = fetch_with(fetcher().with_redirects(0), &servers[0]).await;
    assert_eq!(
        counts_as_too_many_redirects(&fetched),
        &FetchFault::TooManyRedirects
    );
    assert_eq!(hops(&fetched), [(servers[0].url(), 301)]);
}

#[tokio::test]
async fn locations_are_resolved_as_links_are() {
    for (location, path) in [
        ("/a", "/a"),
        ("a", "/a"),
        ("./b/../c", "/c"),
        ("?q", "/robots.txt?q"),
        ("  /a  ", "/a"),
        ("/\u{e4}", "/%C3%A4"),
        ("/a#b", "/a"),
        ("http:a", "/a"),
    ] {
        let redirect = redirect(301, location);
        let server = Server::start(move |index, _| {
            let bytes = if index == 0 {
                redirect.clone()
            } else {
                ok("x")
            };
            vec![Act::Send(bytes)]
        })
        .await;
        let fetched = fetch(&server).await;
        assert_eq!(body(&fetched), b"x", "{location}");
        let requests = server.requests();
        let start = format!("GET {path} HTTP/1.1\r\n");
        assert!(
            requests[1].starts_with(&start),
            "{location}: {}",
            requests[1]
        );
        assert_eq!(fetched.url(), format!("http://{}{path}", server.address()));
    }
}

#[tokio::test]
async fn a_redirected_request_has_no_credentials_or_referer() {
    let target = Server::sending(ok("x")).await;
    let location = format!("http://user:password@{}/robots.txt#x", target.address());
    let headers = format!("Location: {location}\r\nSet-Cookie: a=b\r\n");
    let server = Server::sending(response(302, &headers, "")).await;
    let fetched = fetch_with(fetcher().with_from("bot@bot.example"), &server).await;
    assert_eq!(body(&fetched), b"x");
    assert_eq!(fetched.url(), target.url());
    let requests = target.requests();
    for name in ["authorization", "cookie", "referer", "proxy-authorization"] {
        assert_eq!(header(&requests[0], name), None, "{name}");
    }
    let all = requests.concat();
    assert!(!all.contains("password") && !all.contains('#'), "{all}");
    // Each server receives the address of the operator.
    assert_eq!(header(&requests[0], "from"), Some("bot@bot.example"));
}

#[tokio::test]
async fn redirects_to_nowhere() {
    for location in [
        "file:///etc/passwd",
        "data:text/plain,Disallow:",
        "ftp://127.0.0.1/robots.txt",
        "javascript:alert(1)",
        "about:blank",
        "http://[",
        "https://",
        "http://a b/",
    ] {
        let server = Server::redirecting(301, location).await;
        let fetched = fetch_with(fetcher().with_retries(2), &server).await;
        let fault = FetchFault::RedirectToOther(location.to_owned());
        assert_eq!(counts_as_too_many_redirects(&fetched), &fault);
        assert_eq!(fetched.status(), Some(301));
        assert_eq!(hops(&fetched), [(server.url(), 301)]);
        // A redirect to an invalid target is not retried.
        assert_eq!(server.requests().len(), 1);
    }
    let server = Server::sending(response(301, "", "")).await;
    let fetched = fetch(&server).await;
    assert_eq!(
        counts_as_too_many_redirects(&fetched),
        &FetchFault::RedirectWithoutTarget
    );
}

#[tokio::test]
async fn the_response_of_the_target_counts() {
    let target = Server::sending(response(404, "", "")).await;
    let server = Server::redirecting(301, &target.url()).await;
    let fetched = fetch(&server).await;
    assert_eq!(fetched.as_fetch(), RobotsFetch::Status(404));
    assert_eq!(fetched.hops().len(), 1);

    // A target that does not respond is unreachable, too.
    let target = Server::sending("").await;
    let server = Server::redirecting(301, &target.url()).await;
    let fetched = fetch(&server).await;
    assert!(matches!(
        crate::unreachable(&fetched),
        FetchFault::Broken(_)
    ));
    assert_eq!(fetched.status(), None);
    assert_eq!(fetched.url(), target.url());
}

#[tokio::test]
async fn validators_are_sent_only_to_their_url() {
    let target = Server::start(|_, head| {
        let bytes = if header(head, "if-none-match").is_some() {
            b"HTTP/1.1 304 X\r\n\r\n".to_vec()
        } else {
            response(200, "ETag: \"a\"\r\n", "x")
        };
        vec![Act::Send(bytes)]
    })
    .await;
    let server = Server::redirecting(301, &target.url()).await;
    let fetcher = fetcher().build().unwrap();
    let first = fetcher
        .fetch(&server.origin(), &Validators::default())
        .await;
    assert_eq!(body(&first), b"x");
    let of_target = Validators::new(Some("\"a\"".to_owned()), None).with_url(target.url());
    assert_eq!(first.validators(), &of_target);

    let second = fetcher.fetch(&server.origin(), &of_target).await;
    assert_eq!(second.as_fetch(), RobotsFetch::Status(304));
    assert_eq!(second.validators(), &of_target);
    assert_eq!(header(&server.requests()[1], "if-none-match"), None);
    assert_eq!(
        header(&target.requests()[1], "if-none-match"),
        Some("\"a\"")
    );

    // Validators of the origin's own response are not sent to the target.
    let own = Validators::new(Some("\"b\"".to_owned()), None);
    let third = fetcher.fetch(&server.origin(), &own).await;
    assert_eq!(body(&third), b"x");
    assert_eq!(
        header(&server.requests()[2], "if-none-match"),
        Some("\"b\"")
    );
    assert_eq!(header(&target.requests()[2], "if-none-match"), None);
}
