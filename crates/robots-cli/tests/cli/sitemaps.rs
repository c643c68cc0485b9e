//! `robots check --urls` with sitemaps, `check --fetch` with lists, and `check --sitemaps`.

use crate::check::{RULES, UNREADABLE};
use crate::fetch::{OK, serve_by_path};
use crate::program::{Folder, Outcome, gzip, robots, robots_on};
use serde_json::{Value, json};

const NAMESPACE: &str = "xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\"";

/// Returns a sitemap, or an index, with these URLs.
fn xml(root: &str, entry: &str, urls: &[&str]) -> String {
    let urls = urls
        .iter()
        .map(|url| format!("<{entry}><loc>{url}</loc></{entry}>\n"));
    let urls: String = urls.collect();
    format!("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<{root} {NAMESPACE}>\n{urls}</{root}>\n")
}

fn sitemap(urls: &[&str]) -> String {
    xml("urlset", "url", urls)
}

fn index(urls: &[&str]) -> String {
    xml("sitemapindex", "sitemap", urls)
}

/// Returns the URLs of JSON rows, each with its verdict.
fn verdicts(outcome: &Outcome) -> Vec<(String, Option<bool>)> {
    let verdict = |row: Value| {
        let url = row["url"].as_str().unwrap_or("-").to_owned();
        (url, row["allowed"].as_bool())
    };
    outcome.rows().into_iter().map(verdict).collect()
}

fn response(status: &str, body: &str) -> String {
    format!("HTTP/1.1 {status}\r\nConnection: close\r\n\r\n{body}")
}

#[test]
fn blocked_urls_of_a_sitemap_are_shown_and_counted() {
    let folder = Folder::new();
    let file = folder.file("robots.txt", RULES);
    let urls = [
        "https://example.com/x/1",
        "https://example.com/y",
        "https://example.com/x?a&amp;b",
    ];
    let text = sitemap(&urls);
    for (name, bytes) in [
        ("s.xml", text.as_bytes().to_vec()),
        ("s.xml.gz", gzip(text.as_bytes())),
    ] {
        let path = folder.file(name, bytes);
        let outcome = robots(["check", &file, "--urls", &path]);
        assert_eq!(outcome.code, 1, "{}", outcome.stderr);
        outcome.assert_stdout_contains("https://example.com/x/1 is disallowed for *");
        outcome.assert_stdout_contains("https://example.com/x?a&b is disallowed for *");
        outcome.assert_stdout_contains("robots.txt:2:11");
        assert!(!outcome.stdout.contains("/y"), "{}", outcome.stdout);
        assert_eq!(outcome.stderr, "2 of 3 URLs are disallowed for *\n");
        let outcome = robots(["check", &file, "--urls", &path, "--json", "--quiet"]);
        let rows = outcome.rows();
        assert_eq!(
            (outcome.code, outcome.stderr.as_str(), rows.len()),
            (1, "", 3)
        );
        assert_eq!(
            (&rows[0]["line"], &rows[1]["allowed"]),
            (&json!(2), &json!(true))
        );
        let outcome = robots(["check", &file, "--urls", &path, "--format", "github"]);
        assert_eq!(outcome.stdout.matches("::error ").count(), 2);
    }
    let open = folder.file("open.xml", sitemap(&["https://example.com/"]));
    let outcome = robots(["check", &file, "--urls", &open]);
    assert_eq!((outcome.code, outcome.stdout.as_str()), (0, ""));
    assert_eq!(outcome.stderr, "0 of 1 URL is disallowed for *\n");
    let words = [
        "check", &file, "--urls", "-", "--agent", "a", "--agent", "b",
    ];
    let outcome = robots_on(words, text.as_bytes());
    assert_eq!(outcome.code, 1);
    outcome.assert_stderr_contains("2 of 3 URLs are disallowed for at least one robot or dialect");
    outcome.assert_stdout_contains("https://example.com/x/1: allowed in 0 of 2");
}

#[test]
fn one_robots_txt_for_several_sites_is_reported() {
    let folder = Folder::new();
    let file = folder.file("robots.txt", RULES);
    let one = folder.file(
        "one.xml",
        sitemap(&["https://a.example/1", "https://a.example/2"]),
    );
    let outcome = robots(["check", &file, "--urls", &one]);
    assert!(!outcome.stderr.contains("origins"), "{}", outcome.stderr);
    let urls = [
        "http://a.example/",
        "https://a.example/",
        "https://b.example/",
        "https://c.example/",
    ];
    let many = folder.file("many.xml", sitemap(&urls));
    let outcome = robots(["check", &file, "--urls", &many]);
    assert_eq!(outcome.code, 0);
    outcome.assert_stderr_contains(
        "note: the URLs are of 4 origins (http://a.example, https://a.example, https://b.example and 1 more)",
    );
}

#[test]
fn damage_of_a_sitemap_is_an_error_and_the_rest_is_answered() {
    let folder = Folder::new();
    let file = folder.file("robots.txt", RULES);
    let whole = sitemap(&["/x", "/y?a=1&b=2", "/z"]);
    let cut = &whole[..whole.find("/z").unwrap()];
    let packed = gzip(sitemap(&vec!["/x"; 2_000]).as_bytes());
    let broken = [&packed[..packed.len() / 2], b"junk junk junk"].concat();
    for (name, bytes, error) in [
        ("cut.xml", cut.as_bytes().to_vec(), "cut.xml: line 5, byte "),
        (
            "cut.xml.gz",
            gzip(cut.as_bytes()),
            "cut.xml.gz: line 5, byte ",
        ),
        (
            "tags.xml",
            format!("{cut}</urlset>").into_bytes(),
            "tags.xml: line 5, byte ",
        ),
        ("broken.xml.gz", broken, "broken.xml.gz: "),
    ] {
        let path = folder.file(name, bytes);
        let outcome = robots(["check", &file, "--urls", &path, "--json"]);
        assert_eq!(outcome.code, 2, "{name}: {}", outcome.stderr);
        outcome.assert_stderr_contains(error);
        outcome.assert_stderr_contains("1 file of URLs not read, or not to the end");
        let verdicts = verdicts(&outcome);
        assert_eq!(verdicts[0], ("/x".to_owned(), Some(false)), "{name}");
        assert_eq!(verdicts.last(), Some(&("-".to_owned(), None)), "{name}");
    }
    let path = folder.file("amp.xml", &whole);
    let outcome = robots(["check", &file, "--urls", &path, "--json"]);
    assert_eq!(outcome.code, 2);
    outcome.assert_stderr_contains("amp.xml: line 4: expected &amp; for & in \"/y?a=1&b=2\"");
    outcome.assert_stderr_contains("1 of 2 URLs are disallowed for *");
    outcome.assert_stderr_contains("1 URL without an answer");
    let urls: Vec<_> = verdicts(&outcome)
        .into_iter()
        .map(|(_, allowed)| allowed)
        .collect();
    assert_eq!(urls, [Some(false), None, Some(true)]);
}

#[test]
fn files_that_are_no_sitemaps_do_not_hide_others() {
    let folder = Folder::new();
    let file = folder.file("robots.txt", RULES);
    let good = folder.file("good.txt", "/x\n");
    for (name, text, error) in [
        ("page.html", "<!DOCTYPE html><html></html>", "not <html>"),
        ("feed.xml", "<rss version='2.0'/>", "not <rss>"),
        ("empty.xml", &sitemap(&[]), "no URL in this file of --urls"),
        ("index.xml", &index(&[]), "no URL in this file of --urls"),
        ("empty", "", "no URL in this file of --urls"),
        (
            "encoding.xml",
            "<?xml version='1.0' encoding='x-y'?><urlset/>",
            "unknown encoding",
        ),
    ] {
        let path = folder.file(name, text);
        let words = ["check", &file, "--urls", &path, "--urls", &good];
        let outcome = robots(words);
        outcome.assert_error(error);
        outcome.assert_stderr_contains(name);
        outcome.assert_stdout_contains("/x is disallowed");
        let sarif = robots(words.into_iter().chain(["--format", "sarif"]));
        assert_eq!(
            (sarif.code, sarif.json()["runs"].as_array().unwrap().len()),
            (2, 1)
        );
    }
    let missing = folder.path("missing");
    let outcome = robots(["check", &file, "--urls", &missing, "--urls", &good]);
    outcome.assert_error("missing: No such file");
    outcome.assert_stdout_contains("/x is disallowed");
}

#[test]
fn limits_of_the_protocol_are_reported() {
    let folder = Folder::new();
    let file = folder.file("robots.txt", RULES);
    let check = |bytes: &[u8]| {
        let path = folder.file("s.xml.gz", gzip(bytes));
        robots(["check", &file, "--urls", &path])
    };
    for (urls, number, is_over) in [(50_000, "50,000", false), (50_001, "50,001", true)] {
        let outcome = check(sitemap(&vec!["/y"; urls]).as_bytes());
        assert_eq!(outcome.code, 0, "{}", outcome.stderr);
        outcome.assert_stderr_contains(&format!("0 of {number} URLs"));
        let warning = format!("{number} URLs, more than the 50,000 URLs of the protocol");
        assert_eq!(
            outcome.stderr.contains(&warning),
            is_over,
            "{}",
            outcome.stderr
        );
    }
    let start = "<urlset><url><loc>/x</loc></url>";
    let end = "</urlset>";
    for (bytes, code) in [(50 << 20, 1), ((50 << 20) + 1, 2)] {
        let space = " ".repeat(bytes - start.len() - end.len());
        let outcome = check(format!("{start}{space}{end}").as_bytes());
        assert_eq!(outcome.code, code, "{}", outcome.stderr);
        outcome.assert_stdout_contains("/x is disallowed");
        let error = "longer than 50 MB, the limit of the protocol: the rest was not read";
        assert_eq!(
            outcome.stderr.contains(error),
            code == 2,
            "{}",
            outcome.stderr
        );
    }
}

#[test]
fn an_index_leads_to_the_files_in_its_folder() {
    let folder = Folder::new();
    let file = folder.file("robots.txt", RULES);
    folder.file("maps/one.xml", sitemap(&["/x"]));
    folder.file("maps/two.xml.gz", gzip(sitemap(&["/y"]).as_bytes()));
    folder.file("maps/below/three.txt", "/x/3\n/z\n");
    folder.file("maps/four.xml?page=2", sitemap(&["/x/4"]));
    folder.file("secret.txt", "/x/secret\n");
    // The nested index lists itself, the first index, and a sitemap that is known.
    let nested = index(&["nested.xml", "index.xml", "one.xml"]);
    folder.file("maps/nested.xml", nested);
    let locs = [
        "https://example.com/maps/one.xml",
        "https://cdn.example/two.xml.gz",
        "below/three.txt",
        "https://example.com/four.xml?page=2",
        "nested.xml",
        "https://example.com/missing.xml",
        "../secret.txt",
        "/etc/hostname",
        "file:///etc/hostname",
        "",
    ];
    let path = folder.file("maps/index.xml", index(&locs));
    let outcome = robots(["check", &file, "--urls", &path, "--json"]);
    assert_eq!(outcome.code, 2, "{}", outcome.stderr);
    let answered: Vec<_> = verdicts(&outcome)
        .into_iter()
        .filter(|(url, _)| url != "-")
        .collect();
    let expected = [
        ("/x", false),
        ("/y", true),
        ("/x/3", false),
        ("/z", true),
        ("/x/4", false),
    ];
    let expected: Vec<_> = expected
        .into_iter()
        .map(|(url, allowed)| (url.to_owned(), Some(allowed)))
        .collect();
    assert_eq!(answered, expected);
    for message in [
        "index.xml: line 8: there is no file missing.xml in the folder of the index: use --fetch, or download https://example.com/missing.xml there",
        "index.xml: line 9: \"../secret.txt\" is neither a URL nor the name of a file below",
        "index.xml: line 10: \"/etc/hostname\" is neither",
        "index.xml: line 11: \"file:///etc/hostname\" is neither",
        "index.xml: line 12: <loc> is empty",
        "nested.xml: an index that is listed in an index",
        "nested.xml: line 3: ",
        "nested.xml: line 4: ",
        "was listed before; it is read once",
        "3 of 5 URLs are disallowed",
        "5 files of URLs not read",
    ] {
        outcome.assert_stderr_contains(message);
    }
}

#[test]
fn a_url_of_a_sitemap_needs_fetch() {
    let folder = Folder::new();
    let file = folder.file("robots.txt", RULES);
    let url = "https://example.com/sitemap.xml";
    let outcome = robots(["check", &file, "--urls", url]);
    outcome.assert_error("is a URL, not a file: use --fetch, or download it first");
    robots(["check", "--urls", url]).assert_error("expected a robots.txt, or --fetch");
    robots(["check", "--fetch"]).assert_error("required");
    let list = folder.file("list", "/x\n");
    robots(["check", "--fetch", &list]).assert_error(&format!("needs --urls {list}"));
    robots(["check", "--fetch", "-"]).assert_error("needs --urls -");
    let both = ["check", "--fetch", "--urls", "-", "--urls", "-"];
    robots(both).assert_error("standard input can be only one of the inputs");
    robots(["check", "--fetch", "--urls", &list]).assert_error("--fetch expects URLs with http");
}

/// Starts a server with a robots.txt, an index and sitemaps. Returns its origin.
fn site(robots_txt: &'static str) -> String {
    let origin = std::sync::Arc::new(std::sync::OnceLock::<String>::new());
    let known = std::sync::Arc::clone(&origin);
    let started = serve_by_path(move |path| {
        let origin = known.get().map_or("", String::as_str);
        match path {
            "/robots.txt" => response("200 OK", robots_txt),
            "/moved.xml" => {
                "HTTP/1.1 301 X\r\nLocation: /index.xml\r\nContent-Length: 0\r\n\r\n".to_owned()
            }
            "/loop.xml" => {
                "HTTP/1.1 301 X\r\nLocation: /loop.xml\r\nContent-Length: 0\r\n\r\n".to_owned()
            }
            "/index.xml" => {
                let own = format!("{origin}/one.xml");
                response(
                    "200 OK",
                    &index(&[&own, "two.txt", "gone.xml", "/index.xml"]),
                )
            }
            "/one.xml" => {
                let urls = [format!("{origin}/private/1"), format!("{origin}/2")];
                response("200 OK", &sitemap(&[&urls[0], &urls[1]]))
            }
            "/two.txt" => response("200 OK", &format!("{origin}/private/3\n")),
            _ => response("404 X", "gone"),
        }
    });
    origin.set(started.clone()).unwrap();
    started
}

#[test]
fn sitemaps_of_a_site_are_fetched() {
    let origin = site("User-agent: *\nDisallow: /private\n");
    for start in ["index.xml", "moved.xml"] {
        let url = format!("{origin}/{start}");
        let words = [
            "check",
            "--fetch",
            "--allow-private",
            "--json",
            "--urls",
            &url,
        ];
        let outcome = robots(words);
        assert_eq!(outcome.code, 2, "{}", outcome.stderr);
        let answered: Vec<_> = verdicts(&outcome)
            .into_iter()
            .map(|(_, allowed)| allowed)
            .collect();
        assert_eq!(answered, [Some(false), Some(true), Some(false), None]);
        outcome.assert_stderr_contains(&format!("{origin}/gone.xml: status 404"));
        outcome.assert_stderr_contains("2 of 3 URLs are disallowed for *");
    }
    let url = format!("{origin}/loop.xml");
    let outcome = robots(["check", "--fetch", "--allow-private", "--urls", &url]);
    outcome.assert_error("too many redirects");
    // The program obeys robots.txt, too.
    let origin = site("User-agent: *\nDisallow: /\n");
    let url = format!("{origin}/index.xml");
    let outcome = robots(["check", "--fetch", "--allow-private", "--urls", &url]);
    outcome.assert_error("robots.txt does not allow this program to fetch it; download it");
}

#[test]
fn lists_are_checked_by_the_files_of_their_sites() {
    let folder = Folder::new();
    let (closed, _) = crate::fetch::serve(OK);
    let (broken, _) = crate::fetch::serve("HTTP/1.1 503 X\r\nContent-Length: 0\r\n\r\n");
    let list = format!("{closed}/private\n# x\n\n{closed}/y\n{broken}/z\n");
    let file = folder.file("urls.txt", &list);
    let words = ["check", "--fetch", "--allow-private"];
    let run = |options: &[&str]| robots_on([&words, options].concat(), list.as_bytes());
    let first = format!("{closed}/first");
    let more = [&*first, "--urls", &file, "--json"];
    let allowed: Vec<_> = verdicts(&run(&more))
        .into_iter()
        .map(|(_, allowed)| allowed)
        .collect();
    assert_eq!(allowed, [true, false, true, false].map(Some));

    let two = [
        "--urls",
        "-",
        "--agent",
        "Googlebot",
        "--agent",
        "bingbot",
        "--json",
    ];
    let rows = run(&two).rows();
    let agents: Vec<_> = rows.iter().map(|row| &row["agent"]).collect();
    assert_eq!(agents, ["Googlebot", "bingbot"].repeat(3));
    assert_eq!(
        (&rows[0]["profile"], &rows[0]["line"]),
        (&json!("google"), &json!(2))
    );
    assert_eq!(
        (&rows[4]["reason"], &rows[4]["allowed"]),
        (&json!("robots_txt_unreachable"), &json!(false))
    );
    let shown = run(&["--urls", "-", "--agent", "Googlebot", "--agent", "bingbot"]);
    shown.assert_stdout_contains(&format!("{closed}/private: allowed in 0 of 2"));
    shown.assert_stdout_contains("status 503");

    let profiles = run(&[
        "--urls",
        "-",
        "--profile",
        "google",
        "--profile",
        "bing",
        "--json",
    ]);
    assert_eq!(profiles.rows()[1]["agent"], "bingbot");
    assert!(run(&["--urls", "-", "--all-agents", "--json"]).rows().len() > 3 * 50);
    assert_eq!(
        run(&["--urls", "-", "--all-dialects", "--json"])
            .rows()
            .len(),
        3 * 15
    );
    for (format, blocked) in [("concise", 3), ("github", 2), ("gitlab", 2), ("sarif", 2)] {
        let outcome = run(&["--urls", "-", "--format", format]);
        assert_eq!(outcome.code, 1, "{format}: {}", outcome.stderr);
        let verdicts = outcome
            .stdout
            .matches("allowed for *, as RFC 9309 says")
            .count();
        assert_eq!(verdicts, blocked, "{format}: {}", outcome.stdout);
        outcome.assert_stdout_contains("/robots.txt");
    }
}

#[test]
fn unreadable_urls_of_lists_are_errors_with_their_place() {
    let folder = Folder::new();
    let (origin, _) = crate::fetch::serve(OK);
    for bad in UNREADABLE {
        let file = folder.file("urls.txt", format!("{origin}/private\n{bad}\n{origin}/y\n"));
        let words = [
            "check",
            "--fetch",
            "--allow-private",
            "--json",
            "--urls",
            &file,
        ];
        let outcome = robots(words);
        outcome.assert_error("urls.txt: line 2: ");
        outcome.assert_stderr_contains("1 URL without an answer");
        let allowed: Vec<_> = verdicts(&outcome)
            .into_iter()
            .map(|(_, allowed)| allowed)
            .collect();
        assert_eq!(allowed, [Some(false), None, Some(true)], "{bad}");
    }
}

#[test]
fn sitemaps_of_a_file_are_listed_with_their_lines() {
    let folder = Folder::new();
    let text = "Sitemap: https://a.example/1.xml # one\nUser-agent: *\nsitemap: HTTPS://a.example/2.xml\n\
        Sitemap: /3.xml\nSitemap:\nSitemap: ftp://a.example/4\nSite-map: https://a.example/5.xml\nSitemap: https://a.example/6 7\n";
    let file = folder.file("robots.txt", text);
    let outcome = robots(["check", &file, "--sitemaps"]);
    assert_eq!(outcome.code, 1, "{}", outcome.stderr);
    let expected = format!(
        "{file}:1: https://a.example/1.xml\n{file}:3: HTTPS://a.example/2.xml\n\
        {file}:4: /3.xml (invalid: expected a whole URL, with http or https)\n\
        {file}:5:  (invalid: no URL)\n{file}:6: ftp://a.example/4 (invalid: expected http or https)\n\
        {file}:8: https://a.example/6 7 (invalid: white space in a URL)\n"
    );
    assert_eq!(outcome.stdout, expected);
    let rows = robots(["check", &file, "--sitemaps", "--json"]).rows();
    let row = json!({"robots": file, "line": 1, "url": "https://a.example/1.xml", "error": null});
    assert_eq!((rows.len(), &rows[0]), (6, &row));
    assert_eq!(rows[3]["error"], "no URL");
    let google = robots(["check", &file, "--sitemaps", "--dialect", "google"]);
    google.assert_stdout_contains(":7: https://a.example/5.xml\n");
    let outcome = robots_on(["check", "-", "--sitemaps"], b"User-agent: *\nDisallow:\n");
    assert_eq!((outcome.code, outcome.stdout.as_str()), (0, ""));
    outcome.assert_stderr_contains("note: -: no sitemap");
    for (wrong, error) in [
        (&["/x"][..], "expected no URL, found \"/x\""),
        (&["--urls", "list"], "cannot be used with"),
        (&["--agent", "a"], "cannot be used with"),
        (&["--profile", "google"], "cannot be used with"),
        (&["--all-agents"], "cannot be used with"),
        (&["--all-dialects"], "cannot be used with"),
        (
            &["--format", "sarif"],
            "--format sarif is for verdicts on URLs",
        ),
        (
            &["--dialect", "google", "--dialect", "rfc9309"],
            "--sitemaps accepts only one --dialect",
        ),
    ] {
        let outcome = robots([&["check", &file, "--sitemaps"], wrong].concat());
        outcome.assert_error(error);
        assert_eq!(outcome.stdout, "", "{wrong:?}");
    }
    robots(["check", "https://a.example", "--sitemaps"]).assert_error("use --fetch");
    robots(["check", "--sitemaps"]).assert_error("required");
    let batch = ["check", "--batch", &file, "--robots", &file, "--sitemaps"];
    robots(batch).assert_error("cannot be used with");
}

#[test]
fn sitemaps_of_sites_are_listed() {
    let (named, _) = crate::fetch::serve(
        "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nSitemap: https://a.example/1.xml\n",
    );
    let (missing, _) = crate::fetch::serve("HTTP/1.1 404 X\r\nContent-Length: 0\r\n\r\n");
    let (broken, _) = crate::fetch::serve("HTTP/1.1 503 X\r\nContent-Length: 0\r\n\r\n");
    let words = ["check", "--fetch", "--allow-private", "--sitemaps"];
    let run = |urls: &[&str]| robots([&words, urls].concat());
    let outcome = run(&[&missing, &named]);
    assert_eq!(outcome.code, 0, "{}", outcome.stderr);
    assert_eq!(
        outcome.stdout,
        format!("{named}/robots.txt:1: https://a.example/1.xml\n")
    );
    outcome.assert_stderr_contains("status 404: no robots.txt");
    let outcome = run(&[&broken, "http://127.0.0.1:1/", "x", &named]);
    assert_eq!(outcome.code, 2, "{}", outcome.stderr);
    outcome.assert_stdout_contains("https://a.example/1.xml");
    outcome.assert_stderr_contains("status 503: the sitemaps are not known");
    outcome.assert_stderr_contains("--fetch expects URLs with http or https, not \"x\"");
}

#[test]
fn a_fetched_list_that_is_too_long_is_an_error() {
    let origin = serve_by_path(|path| {
        if path == "/robots.txt" {
            return response("200 OK", "User-agent: *\nDisallow: /x\n");
        }
        // The limit is in the middle of `/last`.
        let comment = format!("#{}\n", "-".repeat(1022));
        let comments = comment.repeat(50 * 1024 - 1);
        let rest = "#".repeat(1024 - "/a\n/last".len());
        let list = format!("{comments}{}\n/a\n/lasting\n", &rest[1..]);
        response("200 OK", &list)
    });
    let list = format!("{origin}/list.txt");
    let words = ["check", "--fetch", "--allow-private", "--urls", &list];
    let outcome = robots(words);
    outcome.assert_error("list.txt: line 51202: longer than 50 MB");
    outcome.assert_stderr_contains("1 file of URLs not read, or not to the end");
    assert!(!outcome.stderr.contains("/last"), "{}", outcome.stderr);
}

#[test]
fn sitemaps_of_a_file_that_is_not_read_to_its_end_are_not_known() {
    let folder = Folder::new();
    let long = format!(
        "{}Sitemap: https://a.example/1\n",
        "# -----\n".repeat(64 * 1024)
    );
    let file = folder.file("robots.txt", &long);
    let outcome = robots(["check", &file, "--sitemaps"]);
    outcome.assert_error("robots.txt: not read to the end: more sitemaps may be there");
    let (broken, _) = crate::fetch::serve(
        "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 99\r\n\r\nSitemap: https://a.example/1\n",
    );
    let outcome = robots(["check", "--fetch", "--allow-private", "--sitemaps", &broken]);
    outcome.assert_error("the sitemaps are not known");
}

#[test]
fn sitemaps_of_urls_that_a_parser_would_repair_are_invalid() {
    for wrong in [
        "https:/a.example/s.xml",
        "https:a.example",
        "http:///x",
        "HTTP:\\\\a.example",
        "https://a.example\\x",
        "https://a.example/\u{1}",
        "https://",
    ] {
        let file = format!("Sitemap: {wrong}\n");
        let outcome = robots_on(["check", "-", "--sitemaps"], file.as_bytes());
        assert_eq!(outcome.code, 1, "{wrong}: {}", outcome.stdout);
        outcome.assert_stdout_contains("(invalid: ");
    }
}

#[test]
fn sitemaps_are_relative_to_the_place_to_which_their_index_was_moved() {
    let origin = serve_by_path(|path| match path {
        "/robots.txt" => response("200 OK", "User-agent: *\nDisallow: /x\n"),
        "/index.xml" | "/other.xml" => {
            "HTTP/1.1 302 X\r\nLocation: /maps/index.xml\r\nContent-Length: 0\r\n\r\n".to_owned()
        }
        "/maps/index.xml" => response("200 OK", &index(&["one.xml", "/other.xml"])),
        "/maps/one.xml" => response("200 OK", &sitemap(&["/x"])),
        _ => response("404 X", "gone"),
    });
    let url = format!("{origin}/index.xml");
    let outcome = robots(["check", "--fetch", "--allow-private", "--urls", &url]);
    // Relative to the first URL, both sitemaps would be missing.
    let expected = [
        &*format!(
            "error: {origin}/maps/one.xml: line 3: --fetch expects URLs with http or https, not \"/x\""
        ),
        &*format!(
            "warning: {origin}/other.xml: redirects to {origin}/maps/index.xml, which was listed before; it is read once"
        ),
        "1 URL without an answer",
    ];
    assert_eq!(outcome.stderr.lines().collect::<Vec<_>>(), expected);
}

#[test]
fn too_many_robots_of_a_site_are_reported() {
    let names = (0..1_400).map(|number| format!("User-agent: bot{number}\nDisallow:\n"));
    let file: String = names.collect();
    let origin = serve_by_path(move |_| response("200 OK", &file));
    let words = ["check", "--fetch", "--allow-private", "--all-agents", "-q"];
    let outcome = robots(words.iter().copied().chain([&*origin]));
    outcome.assert_error("error: too many robots, named and known");
}

#[test]
fn the_last_sites_are_kept() {
    let sites: Vec<_> = (0..65).map(|_| crate::fetch::serve(OK)).collect();
    let origins = sites.iter().chain([&sites[64], &sites[0]]);
    let urls = origins.map(|(origin, _)| format!("{origin}/"));
    let list = urls.collect::<Vec<_>>().join("\n");
    let words = [
        "check",
        "--fetch",
        "--allow-private",
        "--json",
        "--urls",
        "-",
    ];
    let outcome = robots_on(words, list.as_bytes());
    assert_eq!(
        (outcome.code, outcome.rows().len()),
        (0, 67),
        "{}",
        outcome.stderr
    );
    let requests = |at: usize| sites[at].1.load(std::sync::atomic::Ordering::SeqCst);
    assert_eq!([requests(0), requests(1), requests(64)], [2, 1, 1]);
}
