//! `robots why`, on a server of our own on 127.0.0.1 and on files.

use crate::fetch::serve_by_path;
use crate::program::{Folder, robots, robots_on};
use serde_json::Value;
use std::sync::{Arc, Mutex};

/// The path of a tdmrep.json, which is requested after the page.
const TDMREP: &str = "/.well-known/tdmrep.json";

/// Starts a site with this robots.txt, and a page `/x` of these headers and HTML. Returns its origin, and the paths that were
/// requested.
fn site(robots_txt: &str, headers: &str, html: &str) -> (String, Arc<Mutex<Vec<String>>>) {
    let (robots_txt, page) = (
        format!("HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n{robots_txt}"),
        format!(
            "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Type: text/html\r\n{headers}\r\n{html}"
        ),
    );
    let paths = Arc::new(Mutex::new(Vec::new()));
    let seen = Arc::clone(&paths);
    let origin = serve_by_path(move |path| {
        seen.lock().unwrap().push(path.to_owned());
        match path {
            "/robots.txt" => robots_txt.clone(),
            "/moved" => "HTTP/1.1 301 Moved\r\nConnection: close\r\nLocation: /x\r\nContent-Length: 0\r\n\r\n".to_owned(),
            _ => page.clone(),
        }
    });
    (origin, paths)
}

fn why<'a>(words: impl IntoIterator<Item = &'a str>) -> crate::program::Outcome {
    robots(["why", "--allow-private"].into_iter().chain(words))
}

fn why_json<'a>(words: impl IntoIterator<Item = &'a str>) -> Value {
    let outcome = why(["--json"].into_iter().chain(words));
    serde_json::from_str(&outcome.stdout).unwrap_or_else(|_| panic!("{}", outcome.stderr))
}

#[test]
fn a_page_is_explained_for_each_engine() {
    let (origin, paths) = site(
        "User-agent: bingbot\nDisallow: /x\n",
        "X-Robots-Tag: noarchive\r\n",
        "<!doctype html>\n<meta name=googlebot content=noindex>",
    );
    let url = format!("{origin}/x");
    let outcome = why([&*url]);
    outcome.assert_success();
    let text = outcome.stdout.replace(&origin, "http://site.example");
    insta::assert_snapshot!("why", text);
    let expected = ["/robots.txt", "/x", TDMREP];
    assert_eq!(*paths.lock().unwrap(), expected, "each once");

    let json = why_json([&*url, "--agent", "Googlebot", "--agent", "bingbot"]);
    let answer = |at: usize, field: &str| json["decisions"][at][field].as_str().unwrap().to_owned();
    assert_eq!(
        (answer(0, "profile"), answer(0, "index")),
        ("google".into(), "no".into())
    );
    assert_eq!(
        (answer(1, "profile"), answer(1, "fetch")),
        ("bing".into(), "disallow".into())
    );
    assert_eq!(json["robots_txt"]["status"], 200);
    assert_eq!(json["page"]["complete"], true);
    let changes = json["changes"].as_array().unwrap();
    let of = |field: &str| {
        let change = changes
            .iter()
            .find(|change| change["field"] == field)
            .unwrap();
        (
            change["text"].as_str().unwrap(),
            change["robots"][0]["agent"].as_str().unwrap(),
        )
    };
    assert_eq!(
        of("fetch"),
        (
            "remove or narrow line 2 of robots.txt: Disallow: /x",
            "bingbot"
        )
    );
    assert_eq!(
        of("index"),
        (
            "remove from the META in line 2, column 1: noindex",
            "Googlebot"
        )
    );
}

/// One rule for many robots, in one group or in many, is one change. Statements at one place are one, too.
#[test]
fn a_change_for_many_robots_is_named_once() {
    let folder = Folder::new();
    let page = folder.file(
        "page.html",
        "<meta name=robots content='noindex, noarchive, noai'>",
    );
    let names: Vec<String> = (1..=12)
        .map(|number| format!("bot-{}", "x".repeat(number)))
        .collect();
    let lines = |end: &str| {
        let lines = names
            .iter()
            .map(|name| format!("User-agent: {name}\n{end}"));
        lines.collect::<String>()
    };
    let changes = |robots_txt: &str, verbose: &str| {
        let robots_txt = folder.file("robots.txt", robots_txt);
        let base = "--base=https://example.com/x";
        let mut words = vec!["why", &page, base, verbose, "--robots", &robots_txt];
        words.extend(names.iter().flat_map(|name| ["--agent", name]));
        let outcome = robots(words);
        outcome.assert_success();
        let (_, text) = outcome.stdout.split_once("What to change\n").unwrap();
        text.split("\n\n").next().unwrap().to_owned()
    };
    let quiet = "--color=never";
    let rule = "of robots.txt: Disallow: /x";
    let one_group = lines("") + "Disallow: /x\n";
    assert_eq!(
        changes(&one_group, quiet),
        format!("  Fetch: remove or narrow line 13 {rule}")
    );
    let groups = lines("Disallow: /x\n");
    let numbers = "lines 2, 4, 6, 8, 10, 12, 14, 16, 18, 20";
    assert_eq!(
        changes(&groups, quiet),
        format!("  Fetch: remove or narrow {numbers} and 2 more {rule}")
    );
    assert_eq!(
        changes(&groups, "--verbose"),
        format!("  Fetch: remove or narrow {numbers}, 22, 24 {rule}")
    );
    let two = groups.replacen("Disallow: /x", "Disallow: /", 1);
    assert!(
        changes(&two, quiet).starts_with(
            "  Fetch: remove or narrow line 2 of robots.txt: Disallow: /\n      bot-x\n  Fetch: "
        ),
        "{}",
        changes(&two, quiet)
    );
    let json = why_json([
        "--agent",
        "Amazonbot",
        &page,
        "--base",
        "https://example.com/x",
    ]);
    let changes = json["changes"].as_array().unwrap();
    let train = changes
        .iter()
        .find(|change| change["field"] == "may_train")
        .unwrap();
    assert_eq!(
        train["text"],
        "remove from the META in line 1, column 1: noarchive and noai"
    );
}

#[test]
fn every_statement_that_forbids_is_to_be_changed() {
    let (origin, _) = site(
        "",
        "X-Robots-Tag: noindex\r\n",
        "<meta name=robots content=none>\n<meta name=googlebot content=noindex>",
    );
    let json = why_json([&*format!("{origin}/x"), "--agent", "Googlebot"]);
    let changes = json["changes"].as_array().unwrap();
    let index = changes.iter().find(|change| change["field"] == "index");
    assert_eq!(
        index.unwrap()["text"],
        "remove from X-Robots-Tag in header line 3: noindex; and remove from the META in line 1, column 1: none; \
         and remove from the META in line 2, column 1: noindex"
    );
}

#[test]
fn five_statements_that_forbid_are_named() {
    for (metas, rest) in [
        (5, None),
        (6, Some("; and 1 more statement")),
        (7, Some("; and 2 more statements")),
    ] {
        let html = "<meta name=robots content=noindex>\n".repeat(metas);
        let (origin, _) = site("", "", &html);
        let json = why_json([&*format!("{origin}/x"), "--agent", "Googlebot"]);
        let changes = json["changes"].as_array().unwrap();
        let index = changes.iter().find(|change| change["field"] == "index");
        let text = index.unwrap()["text"].as_str().unwrap();
        assert_eq!(text.matches("remove from").count(), 5, "{text}");
        assert_eq!(text.split_once(" more statement").is_some(), rest.is_some());
        assert!(text.ends_with(rest.unwrap_or_default()), "{text}");
    }
}

#[test]
fn expectations_set_the_exit_code() {
    let (origin, _) = site("", "", "<meta name=robots content=noindex>");
    let url = format!("{origin}/x");
    let outcome = why([&*url, "--profile", "google", "--expect", "noindex,fetch"]);
    assert_eq!(outcome.code, 0, "{}", outcome.stdout);
    let outcome = why([&*url, "--profile", "google", "--expect", "index"]);
    assert_eq!(outcome.code, 1);
    outcome.assert_stdout_contains("NOT MET");
    let json = why_json([&*url, "--profile", "google", "--expect", "index"]);
    assert_eq!(json["expectations"][0]["met"], false);
    assert_eq!(json["expectations"][0]["value"], "no");
    let outcome = why([&*url, "--expect", "hidden"]);
    outcome.assert_error("noarchive");
}

/// A page that robots.txt hides may be listed by its URL: that is not noindex, though the page says it.
#[test]
fn a_hidden_noindex_is_told_and_does_not_meet_an_expectation() {
    let (origin, paths) = site(
        "User-agent: Googlebot\nDisallow: /\n",
        "",
        "<meta name=robots content=noindex>",
    );
    let url = format!("{origin}/x");
    let words = [&*url, "--agent", "Googlebot", "--expect", "noindex"];
    let outcome = why(words);
    assert_eq!(outcome.code, 1, "{}", outcome.stdout);
    let json = why_json(words);
    assert_eq!(json["decisions"][0]["index"], "url_only");
    assert_eq!(json["problems"][0]["kind"], "noindex_hidden");
    assert!(paths.lock().unwrap().contains(&"/x".to_owned()));
}

#[test]
fn the_program_obeys_robots_txt_unless_the_site_is_ours() {
    let (origin, paths) = site(
        "User-agent: *\nDisallow: /x\n\nUser-agent: ExampleBot\nAllow: /\n",
        "",
        "<p>",
    );
    let url = format!("{origin}/x");
    let json = why_json([&*url]);
    assert_eq!(json["page"]["source"], "none");
    assert!(
        json["page"]["why_not"]
            .as_str()
            .unwrap()
            .contains("--own-site")
    );
    assert_eq!(*paths.lock().unwrap(), ["/robots.txt"]);
    assert_eq!(why_json([&*url, "--own-site"])["page"]["source"], "fetched");
    // A group that names the program is obeyed for the owner, too.
    let (banned, paths) = site("User-agent: robots\nDisallow: /x\n", "", "<p>");
    let json = why_json([&*format!("{banned}/x"), "--own-site"]);
    assert_eq!(json["page"]["source"], "none");
    let why_not = json["page"]["why_not"].as_str().unwrap();
    assert!(!why_not.contains("--own-site"), "{why_not}");
    assert_eq!(*paths.lock().unwrap(), ["/robots.txt"]);
    // Another name has other rules.
    assert_eq!(
        why_json([&*url, "--user-agent", "ExampleBot/1.0"])["page"]["source"],
        "fetched"
    );
}

/// The answers are about the page that was asked about; one line is about the target.
#[test]
fn the_target_of_a_redirect_is_checked_for_people() {
    let (origin, paths) = site("", "", "<meta name=robots content=noindex>");
    let url = format!("{origin}/moved");
    let json = why_json([&*url]);
    assert_eq!(json["page"]["status"], 301);
    assert_eq!(json["page"]["location"], "/x");
    let expected = ["/robots.txt", "/moved", TDMREP];
    assert_eq!(*paths.lock().unwrap(), expected);
    paths.lock().unwrap().clear();
    let outcome = why([&*url, "--profile", "google"]);
    outcome.assert_success();
    outcome.assert_stdout_contains(&format!(
        "This page redirects to {origin}/x\nThe target {origin}/x may not be indexed: the META in line 1, column 1 has `noindex`.\n"
    ));
    // robots.txt and tdmrep.json were requested once for both.
    let expected = ["/robots.txt", "/moved", TDMREP, "/x"];
    assert_eq!(*paths.lock().unwrap(), expected);
}

/// Starts a site on which each path redirects to the one of the pair; other paths have a page.
fn redirects(
    robots_txt: &'static str,
    to: &'static [(&'static str, &'static str)],
) -> (String, Arc<Mutex<Vec<String>>>) {
    let paths = Arc::new(Mutex::new(Vec::new()));
    let seen = Arc::clone(&paths);
    let origin = serve_by_path(move |path| {
        seen.lock().unwrap().push(path.to_owned());
        let head = "Connection: close\r\nContent-Type: text/html";
        if path == "/robots.txt" {
            return format!("HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n{robots_txt}");
        }
        match to.iter().find(|(from, _)| *from == path) {
            Some((_, to)) => format!(
                "HTTP/1.1 302 Found\r\n{head}\r\nLocation: {to}\r\nContent-Length: 0\r\n\r\n"
            ),
            None => format!("HTTP/1.1 200 OK\r\n{head}\r\n\r\n<p>"),
        }
    });
    (origin, paths)
}

#[test]
fn targets_are_requested_by_the_same_permissions() {
    let to = &[
        ("/1", "/2"),
        ("/2", "/3"),
        ("/3", "/4"),
        ("/4", "/5"),
        ("/5", "/6"),
        ("/6", "/7"),
        ("/7", "/end"),
        ("/near", "/6"),
        ("/loop", "/loop"),
        ("/odd", "javascript:alert(1)"),
        ("/closed", "/private/x"),
        ("/away", "http://no-such-host.invalid/x"),
    ];
    let (origin, paths) = redirects("User-agent: *\nDisallow: /private/\n", to);
    for (path, text) in [
        ("/near", format!("The target {origin}/end may be indexed.")),
        ("/1", format!("The target {origin}/6 redirects to {origin}/7.")),
        ("/loop", format!("The target {origin}/loop redirects back to itself, so no page is there.")),
        ("/odd", "The target javascript:alert(1) is not a page of the Web.".to_owned()),
        (
            "/closed",
            format!("The target {origin}/private/x may not be indexed: line 2 of robots.txt disallows it, so it may be listed by its URL alone."),
        ),
        ("/away", "The target http://no-such-host.invalid/x is not known: http://no-such-host.invalid: host not found".to_owned()),
    ] {
        let outcome = why([&*format!("{origin}{path}"), "--profile", "google"]);
        outcome.assert_success();
        outcome.assert_stdout_contains(&text);
    }
    assert!(!paths.lock().unwrap().contains(&"/private/x".to_owned()));
    // The owner of one port of one host is not that of another.
    for host in ["localhost", "127.0.0.1"] {
        let other = redirects("User-agent: *\nDisallow: /\n", &[]);
        let to: &'static str = other.0.replace("127.0.0.1", host).leak();
        let pairs: &'static [_] = vec![("/away", &*format!("{to}/x").leak())].leak();
        let (origin, _) = redirects("", pairs);
        let outcome = why([
            &*format!("{origin}/away"),
            "--profile",
            "google",
            "--own-site",
        ]);
        outcome.assert_success();
        assert_eq!(
            *other.1.lock().unwrap(),
            ["/robots.txt"],
            "{}",
            outcome.stdout
        );
    }
    // A saved response is not followed.
    let response = b"HTTP/1.1 301 Moved\r\nLocation: /y\r\n\r\n";
    let folder = Folder::new();
    let robots_txt = folder.file("robots.txt", "");
    let words = [
        "why",
        "-",
        "--base",
        "https://example.com/x",
        "--robots",
        &*robots_txt,
    ];
    let outcome = robots_on(words, response);
    outcome.assert_stdout_contains("The target was not requested");
}

/// A page that is closed to all robots but those with a name is requested for an answer about one of these.
#[test]
fn a_robot_that_is_named_decides_whether_its_page_is_requested() {
    let robots_txt = "User-agent: *\nDisallow: /\n\nUser-agent: Googlebot\nAllow: /\n";
    let (origin, paths) = site(robots_txt, "", "<meta name=robots content=noindex>");
    let url = format!("{origin}/x");
    let outcome = why([&*url, "--agent", "Googlebot"]);
    outcome.assert_success();
    outcome
        .assert_stdout_contains("Google may fetch this page, but not index it: the META in line 1");
    outcome.assert_stdout_contains(
        "fetched although robots.txt does not allow this program to fetch it: robots.txt opens it to Google by name",
    );
    assert_eq!(
        why_json([&*url, "--agent", "bingbot"])["page"]["source"],
        "none"
    );
    let expected = ["/robots.txt", "/x", TDMREP, "/robots.txt"];
    assert_eq!(*paths.lock().unwrap(), expected);
    // A group that names the program decides alone.
    let banned = format!("{robots_txt}\nUser-agent: robots\nDisallow: /\n");
    let (origin, _) = site(&banned, "", "<p>");
    let url = format!("{origin}/x");
    assert_eq!(
        why_json([&*url, "--agent", "Googlebot"])["page"]["source"],
        "none"
    );
    let own = why_json([&*url, "--agent", "Googlebot", "--own-site"]);
    assert_eq!(own["page"]["source"], "none");
    assert_eq!(
        own["page"]["why_not"],
        "robots.txt does not allow this program to fetch it"
    );
}

/// Values of JSON are not for people.
#[test]
fn answers_for_people_are_words() {
    let folder = Folder::new();
    let closed = folder.file("robots.txt", "User-agent: *\nDisallow: /x\n");
    let page = folder.file(
        "page.html",
        "<meta name=robots content='noindex, max-snippet:5, max-video-preview:-1, unavailable_after: 2030-01-01'>",
    );
    let base = |path: &str| format!("https://example.com{path}");
    let expect = "fetch,noindex,nofollow,noarchive,train";
    let mut texts = String::new();
    for (path, words) in [
        ("/x", &["--robots", &*closed][..]),
        ("/y", &["--robots", &*closed]),
        ("/y", &[]),
        (
            "/x",
            &[
                "--robots",
                &*closed,
                "--agent",
                "*",
                "--agent",
                "Google-Extended",
                "--agent",
                "GPTBot",
            ],
        ),
        (
            "/x",
            &[
                "--robots",
                &*closed,
                "--agent",
                "*",
                "--profile",
                "google",
                "--profile",
                "any-ai-trainer",
            ],
        ),
    ] {
        let outcome = why([&*page, "--all", "--expect", expect, "--base", &base(path)]
            .into_iter()
            .chain(words.iter().copied()));
        texts.push_str(&outcome.stdout);
    }
    // Nothing listens there: robots.txt is to be asked for again.
    texts.push_str(&why(["http://127.0.0.1:1/x", "--all"]).stdout);
    for word in [
        "url_only",
        "defer",
        "unknown",
        "not_applicable",
        "disallow ",
        "allow ",
        "ai_",
        "expires_at",
        "may_train",
        "* (",
        "(any-ai-trainer)",
        "(archiver)",
        "(neutral)",
        "(google)",
        "neutral",
    ] {
        assert!(!texts.contains(word), "{word}: {texts}");
    }
    for text in [
        "NOT MET  the page may be listed by its URL alone",
        "NOT MET  it is not known whether the page may be fetched",
        "Index            URL alone",
        "Fetch            not now",
        "Show text        5 characters",
        "fetches nothing",
        "robots without a group of their own",
        "Google (Googlebot)",
    ] {
        assert!(texts.contains(text), "{text}: {texts}");
    }
}

#[test]
fn a_misspelt_meta_is_shown_as_one_without_effect() {
    let (origin, _) = site("", "", "<meta name=robots content=no-index>");
    let outcome = why([&*format!("{origin}/x"), "--profile", "google"]);
    outcome.assert_success();
    outcome.assert_stdout_contains("`noindex` is probably meant");
    outcome.assert_stdout_contains("^ this has no effect");
}

#[test]
fn a_meta_in_utf_16_has_one_line() {
    let folder = Folder::new();
    let robots_txt = folder.file("robots.txt", "User-agent: *\nDisallow:\n");
    // Both bytes of the title are those of a line feed.
    let html = "\u{feff}<title>\u{a0a}</title>\n <meta name=robots content=noindex>";
    let utf16: Vec<u8> = html.encode_utf16().flat_map(u16::to_le_bytes).collect();
    let page = folder.file("page.html", utf16);
    let base = ["--base", "https://example.com/x"];
    let outcome = why([&*page, "--robots", &robots_txt].into_iter().chain(base));
    outcome.assert_stdout_contains("the META in line 2, column 2 has `noindex`");
    outcome.assert_stdout_contains(" --> https://example.com/x:2:2\n");
    outcome.assert_stdout_contains("<meta name=robots content=noindex>\n");
}

/// As for `robots fetch` and the checker page.
#[test]
fn a_host_takes_https() {
    for (text, part) in [
        (
            "no-such-host.invalid",
            "https://no-such-host.invalid: host not found",
        ),
        (
            "no-such-host.invalid:8080/x",
            "https://no-such-host.invalid:8080: host not found",
        ),
        (
            "localhost:1/x",
            "https://localhost:1: this program refused to connect to a private address",
        ),
        ("127.0.0.1:1", "https://127.0.0.1:1: this program refused"),
        ("[::1]:1/x", "https://[::1]:1: this program refused"),
        (
            "b\u{fc}cher.invalid",
            "https://xn--bcher-kva.invalid: host not found",
        ),
        (
            "//example.com",
            "not a host or a URL: to read a file, add --base",
        ),
        ("ftp://example.com/", "expected http or https"),
        ("a b", "not a host or a URL"),
        ("a b.example", "a b.example"),
        ("example.com:port", "not a host or a URL"),
        ("user@example.com", "not a host or a URL"),
        ("::1", "not a host or a URL"),
        ("", "a value is required"),
        (
            "page.html",
            "\"page.html\" is not a host or a URL: to read a file, add --base",
        ),
        ("./page", "add --base"),
        (
            "saved/page.html",
            "\"saved/page.html\" is not a host or a URL: to read a file, add --base",
        ),
        (
            "no-such-host.invalid/robots.txt",
            "https://no-such-host.invalid: host not found",
        ),
        (
            "no-such-host.invalid/a/index.html",
            "https://no-such-host.invalid: host not found",
        ),
        ("-", "- is a file, not a URL: to read a file, add --base"),
    ] {
        let outcome = robots(["why", text]);
        assert_eq!(outcome.code, 2, "{text}: {}", outcome.stdout);
        outcome.assert_stderr_contains(part);
    }
    // A file keeps its meaning.
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(
        folder.path().join("example.com"),
        "<meta name=robots content=noindex>",
    )
    .unwrap();
    let run = |words: &[&str]| {
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_robots"));
        let output = command
            .current_dir(folder.path())
            .arg("why")
            .args(words)
            .output();
        let output = output.unwrap();
        let [out, err] =
            [output.stdout, output.stderr].map(|text| String::from_utf8(text).unwrap());
        (out, err)
    };
    let (_, err) = run(&["example.com"]);
    assert!(err.contains("example.com is a file, not a URL"), "{err}");
    let (out, _) = run(&["example.com", "--base", "https://example.com/"]);
    assert!(out.contains("saved HTML"), "{out}");
}

#[test]
fn files_take_the_place_of_requests() {
    let folder = Folder::new();
    let robots_txt = folder.file("robots.txt", "User-agent: *\nDisallow: /x\n");
    let page = folder.file("page.html", "<meta name=robots content=noindex>");
    let base = ["--base", "https://example.com/x"];
    let json = why_json([&*page, "--robots", &robots_txt].into_iter().chain(base));
    assert_eq!(json["decisions"][0]["fetch"], "disallow");
    assert_eq!(json["problems"][0]["kind"], "noindex_hidden");
    // Without robots.txt, only the page's statements are known.
    let json = why_json([&*page].into_iter().chain(base));
    assert_eq!(json["robots_txt"]["source"], "none");
    assert_eq!(json["decisions"][0]["fetch"], "unknown");
    // A response with its headers, after that of a redirect.
    let response = b"HTTP/1.1 301 Moved\r\nLocation: /x\r\n\r\nHTTP/2 200 \r\ncontent-type: application/pdf\r\nx-robots-tag: noindex\r\n\r\n%PDF";
    let words = [
        "why",
        "-",
        "--json",
        "--agent",
        "Googlebot",
        "--robots",
        &robots_txt,
    ];
    let outcome = robots_on(
        words
            .into_iter()
            .chain(["--base", "https://example.com/y.pdf"]),
        response,
    );
    let json: Value = outcome.json();
    assert_eq!(json["page"]["status"], 200);
    assert_eq!(json["page"]["html"], false);
    assert_eq!(json["decisions"][0]["index"], "no");
    // A staged robots.txt beside the page of the site.
    let (origin, paths) = site("", "", "<p>");
    let json = why_json([
        &*format!("{origin}/x"),
        "--robots",
        &robots_txt,
        "--own-site",
    ]);
    assert_eq!(json["decisions"][0]["fetch"], "disallow");
    assert_eq!(*paths.lock().unwrap(), ["/robots.txt", "/x", TDMREP]);
}

/// A robots.txt that is not on the site yet gives no permission to fetch from it.
#[test]
fn a_given_robots_txt_does_not_permit_requests() {
    let folder = tempfile::tempdir().unwrap();
    let open = folder.path().join("robots.txt");
    std::fs::write(&open, "User-agent: *\nAllow: /\n").unwrap();
    let (origin, paths) = site("User-agent: *\nDisallow: /\n", "", "<p>");
    let url = format!("{origin}/x");
    let words = [
        &*url,
        "--robots",
        open.to_str().unwrap(),
        "--agent",
        "Googlebot",
        "--agent",
        "googlebot",
    ];
    let json = why_json(words);
    assert_eq!(json["decisions"][0]["fetch"], "allow");
    assert_eq!(json["page"]["source"], "none");
    assert_eq!(*paths.lock().unwrap(), ["/robots.txt"]);
    assert_eq!(
        json["decisions"].as_array().unwrap().len(),
        1,
        "named twice"
    );
}

#[test]
fn unreachable_sites_and_wrong_arguments_are_explained() {
    // No server listens there.
    let json = why_json(["http://127.0.0.1:1/x", "--agent", "Googlebot"]);
    assert_eq!(json["robots_txt"]["fault"], "connect");
    assert_eq!(json["decisions"][0]["fetch"], "defer");
    for (words, part) in [
        (&["page.html"][..], "add --base"),
        (&["ftp://example.com/x"], "add --base"),
        (
            &["-", "--base", "https://example.com/", "--robots", "-"],
            "cannot both be standard input",
        ),
        (
            &["page.html", "--base", "example.com"],
            "expected the URL of a page",
        ),
        (
            &["none.html", "--base", "https://example.com/"],
            "none.html",
        ),
    ] {
        let outcome = why(words.iter().copied());
        outcome.assert_error(part);
    }
}

#[test]
fn hosts_that_were_not_asked_get_no_verdict() {
    let refused = "this program refused to connect to a private address";
    for (url, part) in [
        ("http://127.0.0.1:1/x", refused),
        ("http://localhost:1/x", refused),
        ("http://[::1]:1/x", refused),
        ("http://10.0.0.1/x", refused),
        ("http://no-such-host.invalid/x", "host not found"),
        ("https://no-such-host.invalid/x", "host not found"),
    ] {
        for words in [
            &["why", url][..],
            &["why", "--json", url],
            &["why", "--own-site", url],
            &["check", "--fetch", url],
            &["check", "--fetch", "--json", url],
        ] {
            let outcome = robots(words.iter().copied());
            assert_eq!(outcome.code, 2, "{words:?}");
            assert!(
                outcome.stderr.contains(part),
                "{words:?}: {}",
                outcome.stderr
            );
            for word in ["is allowed", "engines may", "change"] {
                assert!(
                    !outcome.stdout.contains(word),
                    "{words:?}: {}",
                    outcome.stdout
                );
            }
        }
    }
}

/// Starts a site with a page `/x` that names a licence, and this tdmrep.json and licence. Returns its origin.
fn site_with_terms(tdmrep: &'static str, license: &'static str) -> String {
    serve_by_path(move |path| {
        let (media_type, body) = match path {
            "/robots.txt" => ("text/plain", "User-agent: *\nDisallow: /private\n"),
            TDMREP if tdmrep.is_empty() => {
                return "HTTP/1.1 503 x\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"
                    .to_owned();
            }
            TDMREP => ("application/json", tdmrep),
            "/license.xml" => ("application/rsl+xml", license),
            _ => (
                "text/html",
                "<link rel=license type=application/rsl+xml href=/license.xml>",
            ),
        };
        format!("HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Type: {media_type}\r\n\r\n{body}")
    })
}

#[test]
fn terms_of_the_owner_are_requested_and_decide() {
    const NONE: &str = r#"[{"location": "/", "tdm-reservation": 0}]"#;
    const RESERVED: &str = r#"[{"location": "/", "tdm-reservation": 1}]"#;
    const SEARCH: &str = r#"<rsl><content url="/"><license><permits type="usage">search</permits></license></content></rsl>"#;
    const EMPTY: &str = "<rsl/>";
    let decide = |tdmrep, license, words: &[&str]| {
        let url = format!("{}/x", site_with_terms(tdmrep, license));
        let words = [&*url, "--agent=ExampleBot"]
            .into_iter()
            .chain(words.iter().copied());
        let json = why_json(words);
        let answer = |field: &str| json["decisions"][0][field].as_str().unwrap().to_owned();
        let kinds = json["decisions"][0]["warnings"].as_array().unwrap().iter();
        let kinds: Vec<String> = kinds
            .map(|warning| warning["kind"].as_str().unwrap().to_owned())
            .collect();
        (
            answer("ai_train"),
            answer("ai_input"),
            answer("may_train"),
            kinds.join(","),
        )
    };
    let of = |train: &str, input: &str, may_train: &str, warnings: &str| {
        (
            train.to_owned(),
            input.to_owned(),
            may_train.to_owned(),
            warnings.to_owned(),
        )
    };
    assert_eq!(
        decide(NONE, EMPTY, &[]),
        of("unknown", "unknown", "yes", "")
    );
    assert_eq!(
        decide(RESERVED, EMPTY, &[]),
        of("disallow", "unknown", "no", "")
    );
    assert_eq!(
        decide(NONE, SEARCH, &[]),
        of("disallow", "disallow", "no", "")
    );
    assert_eq!(
        decide("", EMPTY, &[]),
        of("unknown", "unknown", "unknown", "tdmrep_unread")
    );
    assert_eq!(
        decide(NONE, "{}", &[]),
        of("unknown", "unknown", "unknown", "rsl_unread")
    );
    // Files that are given take their place.
    let folder = Folder::new();
    let tdmrep = format!("--tdmrep={}", folder.file("tdmrep.json", RESERVED));
    let license = format!("--license={}", folder.file("license.xml", SEARCH));
    assert_eq!(
        decide(NONE, EMPTY, &[&tdmrep]),
        of("disallow", "unknown", "no", "")
    );
    assert_eq!(
        decide(NONE, EMPTY, &[&license]),
        of("disallow", "disallow", "no", "")
    );
    let page = folder.file(
        "x.html",
        "<link rel=license type=application/rsl+xml href=/license.xml>",
    );
    let words = [
        &*page,
        "--base=https://example.com/x",
        "--agent=ExampleBot",
        &license,
    ];
    assert_eq!(why_json(words)["decisions"][0]["ai_input"], "disallow");
}
