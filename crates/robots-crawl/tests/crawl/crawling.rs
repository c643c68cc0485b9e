//! A crawler and its sites: the requests that it makes, their number and their times.

use crate::fetcher;
use crate::server::{Act, Server, ok, response};
use robots_crawl::{Crawler, CrawlerBuilder, FetchFault, Fetcher, VisitEnd};
use robots_policy::{Fetch, Index, Policy, RobotsFetch};
use std::time::{Duration, Instant, SystemTime};

fn neutral() -> Crawler {
    builder().build()
}

fn builder() -> CrawlerBuilder {
    Crawler::builder(Policy::new("TestBot").unwrap(), fetcher().build().unwrap())
}

fn url(server: &Server, path: &str) -> String {
    format!("http://{}{path}", server.address())
}

fn is_for_robots(head: &str) -> bool {
    head.starts_with("GET /robots.txt ")
}

/// A site with this robots.txt and this page everywhere.
async fn site(robots: &'static str, page: Vec<u8>) -> Server {
    Server::start(move |_, head| {
        vec![Act::Send(if is_for_robots(head) {
            ok(robots)
        } else {
            page.clone()
        })]
    })
    .await
}

fn html(text: &str) -> Vec<u8> {
    response(200, "Content-Type: text/html\r\n", text)
}

fn robots_requests(server: &Server) -> usize {
    let requests = server.requests();
    requests.iter().filter(|head| is_for_robots(head)).count()
}

#[tokio::test]
async fn many_tasks_cause_one_request_for_robots_txt() {
    let page = html("<meta name=robots content=noindex><body>");
    let server = site("User-agent: *\nDisallow: /private", page).await;
    let crawler = neutral();
    let visits: Vec<_> = (0..40)
        .map(|number| {
            let (crawler, url) = (crawler.clone(), url(&server, &format!("/{number}")));
            tokio::spawn(async move { crawler.visit(&url).await.unwrap() })
        })
        .collect();
    for visit in visits {
        let visit = visit.await.unwrap();
        assert_eq!(visit.decision().index, Index::No);
        let VisitEnd::Page(page) = visit.end() else {
            panic!("{visit:?}");
        };
        assert!(page.is_whole());
        assert_eq!(page.status(), 200);
    }
    let private = crawler.visit(&url(&server, "/private/x")).await.unwrap();
    assert_eq!(private.decision().index, Index::UrlOnly);
    assert!(matches!(private.end(), VisitEnd::NotAllowed));
    assert_eq!(robots_requests(&server), 1);
    assert_eq!(server.requests().len(), 41);
}

/// The page never ends: its download stops soon after HEAD.
#[tokio::test]
async fn a_page_is_read_to_the_end_of_its_head() {
    // Pieces that divide the META, and a type that may be missing.
    for (title, at, content_type, most) in [
        (1, 30, "Content-Type: text/html\r\n", 256 * 1024),
        (20_000, 20_030, "", 24 * 1024),
    ] {
        let title = "a".repeat(title);
        let head = format!("<title>{title}</title><meta name=robots content=noindex><body>");
        let (first, rest) = head.split_at(at);
        let first = format!("HTTP/1.1 200 X\r\n{content_type}\r\n{first}");
        let acts = [
            Act::Send(first.into()),
            Act::Wait(Duration::from_millis(50)),
            Act::Send(rest.into()),
            Act::Repeat(vec![b'x'; 1024], Duration::from_millis(5)),
        ];
        let server = Server::start(move |_, head| {
            if is_for_robots(head) {
                return vec![Act::Send(response(404, "", ""))];
            }
            acts.to_vec()
        })
        .await;
        let visit = neutral().visit(&url(&server, "/")).await.unwrap();
        let VisitEnd::Page(page) = visit.end() else {
            panic!("{visit:?}");
        };
        assert!(!page.is_whole());
        assert!(page.body().len() < most, "{}", page.body().len());
        assert_eq!(visit.decision().index, Index::No);
        server.wait_for_departures(1).await;
    }
}

#[tokio::test]
async fn only_html_is_downloaded_unless_whole_pages_are_wanted() {
    let pdf = response(
        200,
        "Content-Type: application/pdf\r\nX-Robots-Tag: noindex\r\n",
        "a pdf",
    );
    let server = site("", pdf).await;
    let body = |visit: &robots_crawl::Visit| match visit.end() {
        VisitEnd::Page(page) => page.body().to_vec(),
        other => panic!("{other:?}"),
    };
    let visit = neutral().visit(&url(&server, "/a.pdf")).await.unwrap();
    assert_eq!(visit.decision().index, Index::No);
    assert_eq!(body(&visit), b"");
    let crawler = builder().with_whole_pages().build();
    let visit = crawler.visit(&url(&server, "/a.pdf")).await.unwrap();
    assert_eq!(body(&visit), b"a pdf");
}

#[tokio::test]
async fn the_pace_of_a_site_is_kept() {
    let server = site("User-agent: *\nCrawl-delay: 0.4", html("<body>")).await;
    let crawler = neutral();
    let start = Instant::now();
    for number in 0..3 {
        let visit = crawler.visit(&url(&server, &format!("/{number}"))).await;
        assert!(matches!(visit.unwrap().end(), VisitEnd::Page(_)));
    }
    // Two pauses between three pages.
    assert!(start.elapsed() >= Duration::from_millis(800));
    // A visit that may not wait returns the time of the next request.
    let hasty = builder().with_max_wait(Duration::ZERO).build();
    hasty.visit(&url(&server, "/a")).await.unwrap();
    let visit = hasty.visit(&url(&server, "/b")).await.unwrap();
    let VisitEnd::TooSoon(until) = visit.end() else {
        panic!("{visit:?}");
    };
    // This time is 400 ms after the last request. A slow machine may be up to 400 ms past it.
    assert!(*until > SystemTime::now() - Duration::from_millis(400));
    assert_eq!(visit.decision().fetch, Fetch::Allow);
}

#[tokio::test]
async fn a_site_that_asks_for_a_pause_gets_it() {
    let busy = response(429, "Retry-After: 3600\r\n", "");
    let server = site("", busy).await;
    let crawler = neutral();
    let visit = crawler.visit(&url(&server, "/a")).await.unwrap();
    assert!(matches!(visit.end(), VisitEnd::Page(page) if page.status() == 429));
    let visit = crawler.visit(&url(&server, "/b")).await.unwrap();
    let VisitEnd::TooSoon(until) = visit.end() else {
        panic!("{visit:?}");
    };
    assert!(*until > SystemTime::now() + Duration::from_secs(3500));
    assert_eq!(server.requests().len(), 2);
}

#[tokio::test]
async fn a_failed_page_has_its_fault() {
    let server = Server::start(|_, head| {
        if is_for_robots(head) {
            vec![Act::Send(ok(""))]
        } else {
            vec![Act::Reset]
        }
    })
    .await;
    let crawler = neutral();
    let visit = crawler.visit(&url(&server, "/")).await.unwrap();
    assert!(
        matches!(visit.end(), VisitEnd::Failed(FetchFault::Broken(_))),
        "{visit:?}"
    );
    assert_eq!(visit.decision().index, Index::Unknown);
    // A URL without an origin is an error, not a failed visit.
    assert!(crawler.visit("mailto:a@b").await.is_err());
}

#[tokio::test]
async fn a_visit_that_is_not_allowed_names_the_fault_of_robots_txt() {
    let server = site("User-agent: *\nDisallow: /private", Vec::new()).await;
    let public = Fetcher::builder("TestBot").build().unwrap();
    let crawler = Crawler::new(Policy::new("TestBot").unwrap(), public);
    // The second visit makes no request.
    for _ in 0..2 {
        let visit = crawler.visit(&url(&server, "/")).await.unwrap();
        assert!(matches!(visit.end(), VisitEnd::NotAllowed), "{visit:?}");
        let fault = visit.robots_fault().unwrap();
        assert_eq!(fault.name(), "private_address");
    }
    assert!(server.requests().is_empty());
    // An outcome that the caller adds replaces that of the crawler's request.
    let robots = RobotsFetch::Body(b"User-agent: *\nDisallow: /");
    let known_robots = crawler.known_robots();
    let origin = server.origin();
    let change = known_robots.change(&origin, |record| record.add_outcome(robots, None));
    change.await;
    let visit = crawler.visit(&url(&server, "/")).await.unwrap();
    assert!(matches!(visit.end(), VisitEnd::NotAllowed), "{visit:?}");
    assert_eq!(visit.robots_fault(), None);
    // A rule is not a fault.
    let visit = neutral().visit(&url(&server, "/private")).await.unwrap();
    assert!(matches!(visit.end(), VisitEnd::NotAllowed), "{visit:?}");
    assert_eq!(visit.robots_fault(), None);
}

#[tokio::test]
async fn visits_that_wait_for_others_have_a_maximum_wait_too() {
    let server = site("User-agent: *\nCrawl-delay: 1", html("<body>")).await;
    let crawler = builder()
        .with_max_wait(Duration::from_millis(1_500))
        .build();
    let start = Instant::now();
    let visits: Vec<_> = (0..20)
        .map(|number| {
            let (crawler, url) = (crawler.clone(), url(&server, &format!("/{number}")));
            tokio::spawn(async move { crawler.visit(&url).await.unwrap() })
        })
        .collect();
    let mut pages = 0;
    for visit in visits {
        match visit.await.unwrap().end() {
            VisitEnd::Page(_) => pages += 1,
            VisitEnd::TooSoon(_) => {}
            other => panic!("{other:?}"),
        }
    }
    // The second page comes a second after the first: too late only on a slow machine. The third would come after two
    // seconds, and no visit waits as long.
    assert!((1..=2).contains(&pages), "{pages}");
    assert!(start.elapsed() < Duration::from_secs(5));
}

/// The example of the crate, on a small site.
#[tokio::test]
async fn the_example_crawls_page_after_page() {
    let server = Server::start(|_, head| {
        let path = head.split(' ').nth(1).unwrap();
        vec![Act::Send(match path {
            "/robots.txt" => ok("User-agent: *\nDisallow: /private"),
            "/" => html("<a href=/a>a</a><a href='/b' rel=nofollow>b</a><a href=private/>p</a>"),
            "/a" => html("<meta name=robots content='noindex, nofollow'><a href=/c>c</a>"),
            _ => html("<a href=/>back</a>"),
        })]
    })
    .await;
    let crawler = builder().with_whole_pages().build();
    let seen = crate::crawl::crawl(&crawler, &url(&server, "/"), 10).await;
    let found = seen.unwrap().into_iter();
    let found: Vec<_> = found
        .map(|page| (page.url, [page.fetch, page.index, page.follow]))
        .collect();
    let expected = [
        ("/", ["allow", "yes", "yes"]),
        ("/a", ["allow", "no", "no"]),
        ("/private/", ["disallow", "url_only", "unknown"]),
    ];
    assert_eq!(
        found,
        expected.map(|(path, decided)| (url(&server, path), decided))
    );
    assert_eq!(server.requests().len(), 3);
}
