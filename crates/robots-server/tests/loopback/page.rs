//! The checker page: its flows, its errors, and what no page may have.

use crate::client::{Answer, Service, TEXT, request, response, same_site, site, start};

pub(crate) const ALLOW_PRIVATE: (&str, &str) = ("allow-private", "true");

pub(crate) fn form(fields: &[(&str, &str)]) -> String {
    let mut form = url::form_urlencoded::Serializer::new(String::new());
    form.extend_pairs(fields).finish()
}

/// Sends a form as a browser does.
pub(crate) fn post(service: &Service, fields: &[(&str, &str)]) -> Answer {
    let lines = "Accept: text/html\r\nContent-Type: application/x-www-form-urlencoded\r\n";
    service.send(&request("/", lines, &form(fields)))
}

/// Checks that an answer has these parts.
#[track_caller]
pub(crate) fn assert_has(answer: &Answer, parts: &[&str]) {
    for part in parts {
        assert!(answer.body.contains(part), "{part}: {}", answer.body);
    }
}

/// Checks a page, and returns the text of its headline.
#[track_caller]
pub(crate) fn headline(answer: &Answer, status: u16) -> &str {
    assert_eq!(answer.status, status, "{answer:?}");
    assert_eq!(
        answer.header("content-type"),
        Some("text/html; charset=utf-8")
    );
    let policy = answer.header("content-security-policy").unwrap();
    assert!(policy.starts_with("default-src 'none'; script-src 'self'"));
    assert!(!policy.contains("unsafe"));
    assert!(!answer.body.contains(" style=") && !answer.body.contains("<script>"));
    let start = answer.body.find("<h1").unwrap();
    let text = answer.body[start..].split('>').nth(1).unwrap();
    text.strip_suffix("</h1").unwrap()
}

#[test]
fn the_start_page_loads_its_own_files_only() {
    let service = start(&[]);
    let page = service.get("/", "");
    assert_eq!(
        headline(&page, 200),
        "May robots fetch, index and train with this page?"
    );
    let paths: Vec<&str> = page
        .body
        .split('"')
        .filter(|text| text.starts_with("/assets/"))
        .collect();
    assert_eq!(paths.len(), 3, "{}", page.body);
    for (path, media_type) in paths.iter().zip([
        "image/svg+xml",
        "text/css; charset=utf-8",
        "text/javascript; charset=utf-8",
    ]) {
        let file = service.get(path, "");
        assert_eq!(file.status, 200);
        assert_eq!(file.header("content-type"), Some(media_type));
        let lifetime = "public, max-age=31536000, immutable";
        assert_eq!(file.header("cache-control"), Some(lifetime));
        assert!(!file.body.contains("url(") && !file.body.contains("@import"));
    }
}

#[test]
fn a_page_of_a_site_is_explained() {
    let robots =
        "User-agent: *\nDisallow: /private/\nDisalow: /tmp/\n\nUser-agent: bingbot\nDisallow: /\n";
    let origin = site(move |path| match path {
        "/robots.txt" => response("301 Moved\r\nLocation: /files/robots.txt", ""),
        "/files/robots.txt" => response(TEXT, robots),
        _ => response(
            "200 OK\r\nContent-Type: text/html\r\nX-Robots-Tag: noarchive",
            "<meta name=robots content='index, nofollow'><p>a secret",
        ),
    });
    let service = start(&[ALLOW_PRIVATE]);
    let question = form(&[("url", &format!("{origin}/offers"))]);
    let page = service.get(&format!("/?{question}"), "Accept: text/html\r\n");
    assert_eq!(
        headline(&page, 200),
        "Google may fetch and index this page; 1 of 10 engines may not"
    );
    assert_has(
        &page,
        &[
            "robots.txt has status 200 after 1 redirect.",
            "/files/robots.txt</code>",
            "successful: its rules apply",
            "<li id=\"L6\" class=\"decides\">",
            "Fetch: no for Bing",
            "error R012",
            "Disallow: /tmp/\n",
            "<b>X-Robots-Tag</b>: noarchive",
            "id=\"meta-0\"",
            "Follow: no for every engine but Bing (<code>nofollow</code>)",
        ],
    );
    assert!(!page.body.contains("secret"));
    // By a body, the question is in no address.
    let same = post(&service, &[("url", &format!("{origin}/offers"))]);
    assert_eq!(headline(&same, 200), headline(&page, 200));
    let private = post(&service, &[("url", &format!("{origin}/private/x"))]);
    assert_eq!(
        headline(&private, 200),
        "No engine may fetch this page: line 2 of robots.txt disallows it"
    );
    assert!(private.body.contains("does not allow this service"));
    assert!(!private.body.contains("secret"));
}

/// The field of the form, its link, its mistakes, and a name that no robot is known by.
#[test]
fn a_question_may_name_a_robot() {
    let origin = site(|path| match path {
        "/robots.txt" => response(TEXT, "User-agent: GPTBot\nDisallow: /x\n"),
        _ => response(
            "200 OK\r\nContent-Type: text/html",
            "<title>a secret</title>\n<meta\n name='googlebot'\n content='noindex, <b>'>a secret",
        ),
    });
    let service = start(&[ALLOW_PRIVATE]);
    let ask = |path: &str, robot: &str| {
        let url = format!("{origin}{path}");
        let question = form(&[("url", &url), ("robot", robot)]);
        service.get(&format!("/?{question}"), "Accept: text/html\r\n")
    };
    let page = ask("/x", "GPTBot");
    assert_eq!(
        headline(&page, 200),
        "GPTBot may not fetch this page: line 2 of robots.txt disallows it"
    );
    assert_has(
        &page,
        &[
            "value=\"GPTBot\"",
            "<code>Disallow: /x (group of GPTBot)</code>",
            "as RFC 9309 says",
            "GPTBot may not train AI with it.",
        ],
    );
    assert!(
        !page.body.contains("<th scope=\"row\">Google<"),
        "{}",
        page.body
    );
    // The META that decides is shown as it is in the source, and nothing else of the page.
    let page = ask("/y", "Googlebot");
    assert_eq!(
        headline(&page, 200),
        "Google may fetch this page, but not index it: the META in line 2, column 1 has `noindex`"
    );
    assert_has(
        &page,
        &["<code>&lt;meta name='googlebot' content='noindex, &lt;b&gt;'&gt;</code>"],
    );
    assert!(!page.body.contains("secret"), "{}", page.body);
    let header = "Mozilla/5.0 (compatible; bingbot/2.0; +http://www.bing.com/bingbot.htm)";
    let page = ask("/y", header);
    assert_eq!(headline(&page, 200), "Bing may fetch and index this page");
    let page = ask("/y", "Gogglebot");
    assert_has(
        &page,
        &[
            "No known robot is called Gogglebot: it is answered for as RFC 9309 says. Did you mean Googlebot?",
        ],
    );
    let page = ask("/y", "*");
    let star = "Robots without a group of their own may fetch and index this page";
    assert_eq!(headline(&page, 200), star);
    for robot in ["My Bot", "<script>x", &"a".repeat(1_025)] {
        let page = ask("/y", robot);
        assert_eq!(headline(&page, 422), "This is not the name of a robot");
        assert!(!page.body.contains("<script>x"), "{}", page.body);
    }
    // Of a pasted robots.txt, too.
    let robots = "User-agent: CCBot\nDisallow: /\n";
    let page = post(&service, &[("robots", robots), ("robot", "CCBot")]);
    assert!(headline(&page, 200).starts_with("CCBot may not fetch"));
}

#[test]
fn the_page_that_this_one_leads_to_has_a_link() {
    let origin = site(|path| match path {
        "/robots.txt" => response(TEXT, ""),
        "/moved" => response("301 Moved\r\nLocation: /new?a=1&b=%27%22", ""),
        "/odd" => response("301 Moved\r\nLocation: javascript:alert(1)", ""),
        _ => response(
            "200 OK\r\nContent-Type: text/html",
            "<link rel=canonical href='/other'>",
        ),
    });
    let service = start(&[ALLOW_PRIVATE]);
    let ask = |path: &str| {
        let url = format!("{origin}{path}");
        post(
            &service,
            &[("url", &*url), ("robot", "bingbot"), ("own", "yes")],
        )
    };
    let encoded = |url: &str| {
        form(&[("url", url), ("robot", "bingbot"), ("own", "yes")]).replace('&', "&amp;")
    };
    let page = ask("/moved");
    let target = format!("{origin}/new?a=1&b=%27%22");
    assert_eq!(
        headline(&page, 200),
        format!("This page redirects to {origin}/new?a=1&amp;b=%27%22")
    );
    assert_has(&page, &[&format!("href=\"/?{}\"", encoded(&target))]);
    let page = ask("/x");
    assert_has(
        &page,
        &[&format!(
            "href=\"/?{}\"",
            encoded(&format!("{origin}/other"))
        )],
    );
    let page = ask("/odd");
    assert_eq!(
        headline(&page, 200),
        "This page redirects to javascript:alert(1)"
    );
    assert!(!page.body.contains("class=\"next\"") && !page.body.contains("href=\"javascript"));
}

/// Which pages the service reads that robots.txt closes to it, and what it says about it.
#[test]
fn closed_pages_are_read_for_robots_with_a_name_and_for_owners() {
    let closed = "User-agent: *\nDisallow: /\n";
    let google = "User-agent: *\nDisallow: /\n\nUser-agent: Googlebot\nAllow: /\n";
    let banned = "User-agent: *\nDisallow: /\n\nUser-agent: Googlebot\nAllow: /\n\nUser-agent: robots\nDisallow: /\n";
    let service = start(&[ALLOW_PRIVATE]);
    for (robots, robot, own, part) in [
        (closed, "", "", Some("if this is your site, tick the box")),
        (
            closed,
            "Googlebot",
            "",
            Some("if this is your site, tick the box"),
        ),
        (closed, "", "yes", None),
        (google, "", "", None),
        (google, "Googlebot", "", None),
        (
            google,
            "bingbot",
            "",
            Some("if this is your site, tick the box"),
        ),
        (banned, "Googlebot", "", Some("does not allow this service")),
        (
            banned,
            "Googlebot",
            "yes",
            Some("does not allow this service"),
        ),
    ] {
        let origin = site(move |path| match path {
            "/robots.txt" => response(TEXT, robots),
            _ => response("200 OK\r\nContent-Type: text/html", "<p>a secret"),
        });
        let url = format!("{origin}/x");
        let page = post(&service, &[("url", &*url), ("robot", robot), ("own", own)]);
        assert_eq!(page.status, 200);
        let is_read = origin.requests().contains(&"/x".to_owned());
        assert_eq!(is_read, part.is_none(), "{robots} {robot} {own}");
        let exception =
            "The page was fetched although robots.txt does not allow this service to fetch it: ";
        assert_eq!(page.body.contains(exception), is_read, "{}", page.body);
        assert_has(&page, part.as_slice());
        assert!(!page.body.contains("secret"));
        let is_remedy = page.body.contains("tick the box");
        assert_eq!(is_remedy, part.is_some_and(|part| part.contains("tick")));
    }
    // Addresses that are not public are refused, whoever asks.
    let strict = start(&[]);
    let page = post(&strict, &[("url", "http://127.0.0.1/"), ("own", "yes")]);
    assert_eq!(headline(&page, 422), "This site was not found");
}

/// Only the visitor says whose site it is: not another site.
#[test]
fn a_link_of_another_site_does_not_speak_for_the_owner() {
    let service = start(&[ALLOW_PRIVATE]);
    for (site_header, is_read) in [
        ("", true),
        ("Sec-Fetch-Site: same-origin\r\n", true),
        ("Sec-Fetch-Site: none\r\n", true),
        ("Sec-Fetch-Site: cross-site\r\n", false),
    ] {
        let origin = site(move |path| match path {
            "/robots.txt" => response(TEXT, "User-agent: *\nDisallow: /\n"),
            _ => response("200 OK\r\nContent-Type: text/html", "<p>"),
        });
        let question = form(&[("url", &format!("{origin}/x")), ("own", "yes")]);
        let lines = format!("Accept: text/html\r\n{site_header}");
        let by_link = service.get(&format!("/?{question}"), &lines);
        let is_ticked = by_link.body.contains("value=\"yes\" checked");
        assert_eq!(is_ticked, is_read, "{site_header}");
        let lines = format!("{lines}Content-Type: application/x-www-form-urlencoded\r\n");
        let by_form = service.send(&request("/", &lines, &question));
        for page in [by_link, by_form] {
            let ignored = "a link of another site cannot say that it is yours";
            assert_eq!(page.body.contains(ignored), !is_read, "{}", page.body);
        }
        let is_requested = origin.requests().contains(&"/x".to_owned());
        assert_eq!(is_requested, is_read, "{site_header}");
    }
}

/// The owner cannot open what fails: the site may be overloaded.
#[test]
fn a_failed_robots_txt_closes_pages_to_owners_too() {
    let service = start(&[ALLOW_PRIVATE]);
    let origin = site(|path| match path {
        "/robots.txt" => response("503 Busy", ""),
        _ => response("200 OK\r\nContent-Type: text/html", "<p>"),
    });
    let page = post(
        &service,
        &[("url", &*format!("{origin}/x")), ("own", "yes")],
    );
    assert_has(&page, &["so this service does not fetch the page"]);
    assert!(!page.body.contains("The page was fetched although"));
    assert!(!page.body.contains("tick the box"));
    assert!(!origin.requests().contains(&"/x".to_owned()));
}

#[test]
fn a_misspelt_meta_is_shown_below_the_headline() {
    let service = start(&[]);
    let html = "<meta name=robots content='no-index, <i>'><p>a secret";
    let page = post(&service, &[("robots", ""), ("html", html)]);
    let of_meta = "<p class=\"statement\"><code>&lt;meta name=robots content='no-index, &lt;i&gt;'&gt;</code>";
    assert_has(&page, &["`noindex` is probably meant</h1>", of_meta]);
}

#[test]
fn ai_robots_are_counted() {
    let service = start(&[]);
    let robots =
        "User-agent: GPTBot\nUser-agent: CCBot\nUser-agent: Google-Extended\nDisallow: /\n";
    let page = post(&service, &[("robots", robots)]);
    assert_has(
        &page,
        &["AI robots: 3 of ", "line 4: Disallow: / (group of GPTBot)"],
    );
    for word in ["url_only", "any-ai-trainer", "not_applicable", "neutral"] {
        assert!(!page.body.contains(word), "{word}");
    }
}

#[test]
fn an_unreachable_robots_txt_is_an_answer() {
    let origin = same_site("503 Busy", "a secret");
    let service = start(&[ALLOW_PRIVATE]);
    let page = post(&service, &[("url", &origin)]);
    assert_eq!(
        headline(&page, 200),
        "Google may not fetch this page now: robots.txt was answered with status 503; 2 of 10 engines may"
    );
    assert!(page.body.contains("status 503"), "{}", page.body);
    assert!(!page.body.contains("secret"));
}

#[test]
fn pasted_texts_are_explained_and_escaped() {
    let service = start(&[]);
    let robots = "User-agent: *\nDisallow: /<script>alert(1)</script>\u{202e}\n";
    let page = post(
        &service,
        &[
            ("robots", robots),
            ("urls", "/a\n/<script>x"),
            ("html", "<meta name=robots content='noindex, <script>y'>"),
            ("headers", "X-Robots-Tag: <script>z"),
        ],
    );
    assert_eq!(headline(&page, 200), "Every engine may fetch all 2 URLs");
    assert!(!page.body.contains("<script>"), "{}", page.body);
    assert!(
        page.body.contains("&lt;/script&gt;\\u{202e}</code>"),
        "{}",
        page.body
    );
    for form in ["<textarea id=\"robots\"", "noindex, &lt;script&gt;y"] {
        assert!(page.body.contains(form), "{form}");
    }
    let long = "# x\n".repeat(100_000);
    let page = post(&service, &[("robots", &long)]);
    assert_eq!(page.status, 200);
    assert!(page.body.contains("Lines 41 to 100,000 are not shown."));
}

#[test]
fn two_versions_are_compared() {
    let service = start(&[ALLOW_PRIVATE]);
    let new = "User-agent: *\nDisallow: /a\nDisallow: /b\n";
    let page = post(
        &service,
        &[("old", "User-agent: *\nDisallow: /a\n"), ("new", new)],
    );
    let text = headline(&page, 200);
    assert!(text.ends_with(" may fetch less, and none more"), "{text}");
    assert_has(
        &page,
        &["disallowed now", "<code>/b</code>", "class=\"added\""],
    );
    let same = post(&service, &[("old", new), ("new", new)]);
    assert_eq!(headline(&same, 200), "No robot gets another answer");
    let origin = same_site(TEXT, new);
    // Browsers send each line end of a text as CRLF.
    for new in [new.to_owned(), new.replace('\n', "\r\n")] {
        let same = post(&service, &[("site", &origin), ("old", ""), ("new", &new)]);
        assert_eq!(headline(&same, 200), "No robot gets another answer");
        assert!(
            same.body.contains("The two versions have the same lines."),
            "{}",
            same.body
        );
    }
}

#[test]
fn nothing_is_said_of_a_page_that_was_not_given() {
    let service = start(&[]);
    let headers =
        "HTTP/1.1 200 OK\nContent-Type: text/html; charset=koi8-r\nX-Robots-Tag: noarchive";
    let fields = [("robots", ""), ("headers", headers)];
    let page = post(&service, &fields);
    assert_eq!(
        headline(&page, 200),
        "Every engine may fetch this page; whether they may index it is not known"
    );
    assert_has(
        &page,
        &[
            "<b>X-Robots-Tag</b>: noarchive",
            "Archive: no for",
            "not given: its METAs are not known",
        ],
    );
    // A document without META and HEAD has an answer, and a file of another type is decided by its headers.
    let page = post(
        &service,
        &[
            ("robots", ""),
            ("headers", headers),
            ("html", "<p>caf\u{e9}"),
        ],
    );
    assert_eq!(
        headline(&page, 200),
        "Every engine may fetch and index this page"
    );
    let headers = "Content-Type: application/pdf\nX-Robots-Tag: noarchive";
    let page = post(&service, &[("robots", ""), ("headers", headers)]);
    assert_eq!(
        headline(&page, 200),
        "Every engine may fetch and index this page"
    );
}

#[test]
fn pasted_html_is_utf_8_and_its_metas_have_lines_and_columns() {
    let service = start(&[]);
    let html = "<title>\u{416}</title>\r\n\u{416} <meta name=robots content='noindex, \u{416}'>";
    let headers = "Content-Type: text/html; charset=koi8-r";
    for headers in ["", headers] {
        let fields = [("robots", ""), ("html", html), ("headers", headers)];
        let page = post(&service, &fields);
        for part in [
            "META in line 2, column 3</a>",
            "META in line 2, column 3</span>",
            "content\">noindex",
            "Remove from the META in line 2, column 3: noindex",
            "META in line 2, column 3: \u{416}: unknown directive",
        ] {
            let part = part.replace("content\">", "</b>: ");
            assert!(page.body.contains(&part), "{part}: {}", page.body);
        }
        assert!(!page.body.contains("META at byte"), "{}", page.body);
    }
}

#[test]
fn statements_that_decide_are_listed() {
    let service = start(&[]);
    let reservation = "<meta name=tdm-reservation content=1>";
    let fields = [("robots", ""), ("html", reservation), ("headers", "")];
    let page = post(&service, &fields);
    assert_has(
        &page,
        &[
            "href=\"#meta-0\"",
            "id=\"meta-0\"",
            "<b>tdm-reservation</b>: 1",
        ],
    );
    // The last of many header lines decides.
    let headers = "X-Robots-Tag: noarchive\n".repeat(150) + "X-Robots-Tag: noindex";
    let page = post(&service, &[("robots", ""), ("headers", &headers)]);
    assert_has(
        &page,
        &[
            "href=\"#header-150\"",
            "id=\"header-150\"",
            "51 more statements",
        ],
    );
}

#[test]
fn errors_are_pages_for_browsers_and_documents_for_others() {
    let service = start(&[("limits.body-bytes", "1000")]);
    for (fields, status, text) in [
        (
            [("url", "ftp://example.com/")],
            422,
            "This is not a URL that can be checked",
        ),
        (
            [("url", "http://127.0.0.1/")],
            422,
            "This site was not found",
        ),
        (
            [("url", "https://no-such-host.invalid/a")],
            422,
            "This site was not found",
        ),
        ([("url", " ")], 422, "Which page?"),
    ] {
        assert_eq!(headline(&post(&service, &fields), status), text);
    }
    let large = "x".repeat(1_000);
    let page = post(&service, &[("robots", &large)]);
    assert_eq!(headline(&page, 413), "This text is too large");
    for (accept, is_page) in [
        ("text/html", true),
        ("application/json, Text/HTML;q=0.9", true),
        ("text/html-sandboxed", false),
    ] {
        let lines = format!("Accept: {accept}\r\nContent-Type: text/plain\r\n");
        let answer = service.send(&request("/", &lines, ""));
        let content_type = answer.header("content-type").unwrap_or_default();
        assert_eq!(content_type.starts_with("text/html"), is_page, "{accept}");
    }
    let answer = service.post("/", "text/plain", "");
    answer.assert_problem(415, "unsupported-media-type", None);
}

#[test]
fn a_browser_asks_for_the_key() {
    let service = start(&[("api-key", "0123456789abcdef")]);
    let html = "Accept: text/html\r\n";
    // anyone:0123456789abcdef
    let with_key = format!("{html}Authorization: Basic YW55b25lOjAxMjM0NTY3ODlhYmNkZWY=\r\n");
    let page = service.get("/", html);
    assert_eq!(headline(&page, 401), "This service needs a key");
    assert!(page.head.contains(": Basic realm="), "{}", page.head);
    let page = service.get("/", &with_key);
    assert_eq!(page.status, 200);
    for path in page
        .body
        .split('"')
        .filter(|text| text.starts_with("/assets/"))
    {
        assert_eq!(service.get(path, &with_key).status, 200);
        assert_eq!(service.get(path, "").status, 401);
    }
}
