//! `robots check --fetch` and `robots fetch`, on servers of our own on 127.0.0.1.

use crate::program::{Folder, command, robots, robots_on};
use serde_json::Value;
use std::io::{Read, Write};
use std::net::TcpListener;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

/// Starts a server with the same response to each request. Returns its origin, and a counter of its requests.
pub(crate) fn serve(response: &'static str) -> (String, Arc<AtomicUsize>) {
    let requests = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&requests);
    let origin = serve_by_path(move |_| {
        count.fetch_add(1, Ordering::SeqCst);
        response.to_owned()
    });
    (origin, requests)
}

/// Starts a server whose response depends on the path. Returns its origin.
pub(crate) fn serve_by_path(response_to: impl Fn(&str) -> String + Send + 'static) -> String {
    serve_by_head(move |head| response_to(head.split(' ').nth(1).unwrap_or_default()))
}

/// Starts a server whose response depends on the head of the request. Returns its origin.
fn serve_by_head(response_to: impl Fn(&str) -> String + Send + 'static) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let origin = format!("http://{}", listener.local_addr().unwrap());
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            let mut head = Vec::new();
            let mut byte = [0];
            while !head.ends_with(b"\r\n\r\n") && stream.read(&mut byte).is_ok_and(|read| read > 0)
            {
                head.push(byte[0]);
            }
            let head = String::from_utf8(head).unwrap();
            let _ = stream.write_all(response_to(&head).as_bytes());
        }
    });
    origin
}

/// A response with a robots.txt of 33 bytes.
pub(crate) const OK: &str =
    "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nUser-agent: *\nDisallow: /private\n";

#[test]
fn a_site_is_requested_once_for_all_its_urls() {
    let (origin, requests) = serve(OK);
    let (open, private) = (format!("{origin}/x"), format!("{origin}/private"));
    let outcome = robots(["check", "--fetch", "--allow-private", &open, &private]);
    assert_eq!(outcome.code, 1, "{}", outcome.stderr);
    outcome.assert_stdout_contains("Disallow: /private");
    assert_eq!(requests.load(Ordering::SeqCst), 1);
    let outcome = robots(["check", "--fetch", "--allow-private", "--json", &open]);
    assert_eq!(outcome.code, 0);
    let row: Value = outcome.json();
    assert_eq!(row["allowed"], true);
    assert_eq!(row["reason"], "no_rule_matches");
}

/// Carets mark the pattern in a rule of a fetched robots.txt, as in one of standard input.
#[test]
fn the_pattern_of_a_rule_is_marked() {
    let (origin, _) = serve(OK);
    let url = format!("{origin}/private");
    let body = OK.split_once("\r\n\r\n").unwrap().1;
    for shown in [
        robots(["check", "--fetch", "--allow-private", &url]).stdout,
        robots_on(["check", "-", &url], body.as_bytes()).stdout,
    ] {
        let lines: Vec<&str> = shown.lines().collect();
        let at = lines
            .iter()
            .position(|line| line.contains("Disallow: /private"));
        let [rule, carets] = lines[at.unwrap()..][..2] else {
            panic!("{shown}");
        };
        assert_eq!(carets.find('^'), rule.find("/private"), "{shown}");
        assert_eq!(carets.matches('^').count(), "/private".len(), "{shown}");
    }
}

#[test]
fn the_meaning_of_a_failure_is_shown() {
    let (origin, _) = serve("HTTP/1.1 503 X\r\nContent-Length: 0\r\n\r\n");
    let outcome = robots(["check", "--fetch", "--allow-private", &origin]);
    assert_eq!(outcome.code, 1);
    outcome.assert_stdout_contains("status 503");
    // The file itself may always be asked for.
    let file = format!("{origin}/robots.txt");
    let outcome = robots(["check", "--fetch", "--allow-private", "--json", &file]);
    assert_eq!(outcome.code, 0, "{}", outcome.stdout);
    let row: Value = outcome.json();
    assert_eq!(row["reason"], "robots_txt_itself");
    assert!(row["cause"].as_str().unwrap().contains("status 503"));
    let (origin, _) = serve("HTTP/1.1 404 X\r\nContent-Length: 0\r\n\r\n");
    assert_eq!(
        robots(["check", "--fetch", "--allow-private", &origin]).code,
        0
    );
}

#[test]
fn addresses_that_are_not_public_are_not_requested() {
    let (origin, requests) = serve(OK);
    let outcome = robots(["check", "--fetch", "--json", &origin]);
    assert_eq!(outcome.code, 2);
    let row: Value = outcome.json();
    let text = row["error"].as_str().unwrap();
    assert!(text.contains("a private address, 127.0.0.1"), "{row}");
    assert_eq!(row["allowed"], Value::Null);
    let run = Run::new();
    let (list, archive) = (run.path("sites.txt"), run.archive());
    std::fs::write(&list, &origin).unwrap();
    let outcome = robots(["fetch", &list, "-o", &archive]);
    assert_eq!(outcome.code, 2, "no site was asked");
    assert!(
        outcome.stderr.contains("--allow-private"),
        "{}",
        outcome.stderr
    );
    assert_eq!(requests.load(Ordering::SeqCst), 0);
    // With --fetch, every argument must be a URL.
    assert_eq!(robots(["check", "--fetch", "robots.txt"]).code, 2);
}

#[test]
fn hosts_that_are_not_found_do_not_hide_other_answers() {
    let (origin, _) = serve(OK);
    let (missing, private) = ("http://no-such-host.invalid/x", format!("{origin}/private"));
    let urls = [&*origin, missing, &private];
    let words = ["check", "--fetch", "--allow-private", "--json"];
    let outcome = robots(words.into_iter().chain(urls));
    assert_eq!(outcome.code, 2);
    let rows: Vec<Value> = outcome
        .stdout
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let allowed: Vec<_> = rows.iter().map(|row| row["allowed"].as_bool()).collect();
    assert_eq!(allowed, [Some(true), None, Some(false)]);
    assert!(
        rows[1]["error"]
            .as_str()
            .unwrap()
            .contains("host not found")
    );
    let run = Run::new();
    let outcome = run.fetch(&[&origin, missing], &[]);
    assert_eq!(outcome.code, 0, "one of two sites was asked");
    let outcome = run.fetch(&[&origin, missing], &["--resume", "--retry"]);
    outcome.assert_stderr_contains("1 site requested");
    assert_eq!(outcome.code, 0, "the other site was asked before");
    let outcome = Run::new().fetch(&[missing], &[]);
    assert_eq!(outcome.code, 2);
    assert!(
        outcome.stdout.contains("host not found"),
        "{}",
        outcome.stdout
    );
}

/// A folder for runs of `robots fetch`: the list of sites, the archive of their responses, and the store.
pub(crate) struct Run {
    folder: tempfile::TempDir,
}

impl Run {
    pub(crate) fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        Self { folder }
    }

    pub(crate) fn path(&self, name: &str) -> String {
        self.folder.path().join(name).to_str().unwrap().to_owned()
    }

    pub(crate) fn archive(&self) -> String {
        self.path("robots.warc.gz")
    }

    pub(crate) fn store(&self) -> String {
        self.path("origins.sqlite")
    }

    /// Writes a list of these sites, and fetches them with these additional options.
    pub(crate) fn fetch(&self, sites: &[&str], options: &[&str]) -> crate::program::Outcome {
        let list = self.path("sites.txt");
        std::fs::write(&list, sites.join("\n")).unwrap();
        let archive = self.archive();
        let store = self.store();
        let mut words = vec!["fetch", &list, "-o", &archive, "--allow-private"];
        words.extend(["--store", &store]);
        words.extend(options);
        robots(words)
    }

    /// Returns the decision of `robots decide`, with the archive, about fetching a page below `/private/` of an origin.
    /// Asserts that the store, if there is one, leads to the same decision.
    fn decided(&self, origin: &str) -> String {
        let page = self.path("page.html");
        std::fs::write(&page, "<title>x</title>").unwrap();
        let base = format!("{origin}/private/");
        let fetch = |option: &str, path: String| {
            let outcome = robots(["decide", "--json", option, &path, "--base", &base, &page]);
            outcome.assert_success();
            let row: Value = outcome.json();
            row["fetch"].as_str().unwrap().to_owned()
        };
        let by_archive = fetch("--robots", self.archive());
        let store = self.store();
        if Path::new(&store).exists() {
            assert_eq!(by_archive, fetch("--store", store), "{origin}");
        }
        by_archive
    }
}

/// Returns an origin without a server.
pub(crate) fn origin_without_a_server() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    format!("http://{}", listener.local_addr().unwrap())
}

pub(crate) fn redirect_to(url: &str) -> &'static str {
    format!("HTTP/1.1 301 X\r\nLocation: {url}\r\nContent-Length: 0\r\n\r\n").leak()
}

#[test]
fn an_archive_has_every_outcome() {
    let (rules, _) = serve(OK);
    let (absent, _) = serve("HTTP/1.1 404 X\r\nContent-Length: 3\r\n\r\nabc");
    let (failing, _) = serve("HTTP/1.1 503 X\r\nContent-Length: 0\r\n\r\n");
    let chunked = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n\
        1a\r\nUser-agent: *\nDisallow: /\n\r\n0\r\n\r\n";
    let (chunked, _) = serve(chunked);
    let (moved, _) = serve(redirect_to(&format!("{rules}/robots.txt")));
    let (moved_away, _) = serve(redirect_to(&format!("{chunked}/elsewhere?x")));
    let (to_file, _) = serve(redirect_to("file:///etc/hosts"));
    let (looping, looping_requests) = serve(redirect_to("/robots.txt"));
    // Six redirects precede its robots.txt.
    let six_redirects = serve_by_path(|path| match path {
        "/6" => OK.to_owned(),
        "/robots.txt" => redirect_to("/1").to_owned(),
        number => {
            let next: u32 = number[1..].parse::<u32>().unwrap() + 1;
            redirect_to(&format!("/{next}")).to_owned()
        }
    });
    let (to_invalid_host, _) = serve(redirect_to("http://a{b}.example/robots.txt"));
    let with_user = rules.replace("http://", "http://user:word@");
    let (to_user, _) = serve(redirect_to(&format!("{with_user}/x?y")));
    // A body with the first bytes of bzip2.
    let (like_bzip2, _) =
        serve("HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nBZh\nUser-agent: *\nDisallow: /");
    let gone = origin_without_a_server();
    let (to_gone, _) = serve(redirect_to(&format!("{gone}/robots.txt")));
    // Each site, its status or fault, and the decision about its pages. After too many redirects, a site counts as one without
    // a robots.txt (RFC 9309, section 2.3.1.2), as it does after one that cannot be followed: its pages are allowed.
    let expected = [
        (&rules, "200", "disallow"),
        (&absent, "404", "allow"),
        (&failing, "503", "disallow"),
        (&chunked, "200", "disallow"),
        (&moved, "200", "disallow"),
        (&moved_away, "200", "disallow"),
        (&to_file, "redirect_to_other", "allow"),
        (&looping, "too_many_redirects", "allow"),
        (&six_redirects, "too_many_redirects", "allow"),
        (&to_invalid_host, "redirect_to_other", "allow"),
        (&to_user, "200", "disallow"),
        (&like_bzip2, "200", "disallow"),
        (&gone, "connect", "disallow"),
        (&to_gone, "connect", "disallow"),
    ];
    let sites: Vec<&str> = expected.iter().map(|(site, ..)| site.as_str()).collect();
    let run = Run::new();
    let outcome = run.fetch(&sites, &["--json"]);
    outcome.assert_success();
    // One request, and five redirects.
    assert_eq!(looping_requests.load(Ordering::SeqCst), 6);
    let summary =
        "14 sites requested: 6 with a robots.txt, 6 with another response, 2 without a response";
    outcome.assert_stderr_contains(summary);
    let rows = outcome.rows();
    assert_eq!(rows.len(), expected.len());
    // The archive has the outcome of each site: none is requested again.
    let size = || std::fs::metadata(run.archive()).unwrap().len();
    let before = size();
    let outcome = run.fetch(&sites, &["--resume"]);
    outcome.assert_success();
    outcome.assert_stderr_contains("0 sites requested");
    assert_eq!(size(), before);
    for (site, status_or_fault, fetch) in expected {
        let row = rows.iter().find(|row| row["site"] == **site).unwrap();
        let fault = row["fault"].as_str().map(str::to_owned);
        let actual = fault.unwrap_or_else(|| row["status"].to_string());
        assert_eq!(actual, status_or_fault, "{row}");
        assert_eq!(run.decided(site), fetch, "{row}");
    }
    // `check --batch` reads the archive, too.
    let questions = run.path("questions.jsonl");
    let question = |site: &str| {
        format!(
            "{{\"robots\": \"{site}/robots.txt\", \"agent\": \"a\", \"url\": \"{site}/private\"}}\n"
        )
    };
    let sites = [&rules, &gone, &looping, &to_file].map(|site| question(site));
    std::fs::write(&questions, sites.concat()).unwrap();
    let archive = run.archive();
    let outcome = robots(["check", "--batch", &questions, "--robots", &archive]);
    outcome.assert_success();
    let answers = outcome.rows();
    let allowed: Vec<&Value> = answers.iter().map(|answer| &answer["allowed"]).collect();
    assert_eq!(allowed, [false, false, true, true]);
    assert!(outcome.stderr.is_empty(), "{}", outcome.stderr);
}

#[test]
fn a_run_resumes_where_another_ended() {
    let (first, first_requests) = serve(OK);
    let (second, second_requests) = serve(OK);
    let counts =
        || [&first_requests, &second_requests].map(|requests| requests.load(Ordering::SeqCst));
    let run = Run::new();
    let outcome = run.fetch(&[&first], &[]);
    outcome.assert_success();
    let one = std::fs::read(run.archive()).unwrap();
    // Without --resume, the file is not overwritten.
    let outcome = run.fetch(&[&first, &second], &[]);
    outcome.assert_error("--resume");
    assert_eq!(std::fs::read(run.archive()).unwrap(), one);
    let outcome = run.fetch(&[&first, &second, &first], &["--resume"]);
    outcome.assert_success();
    assert_eq!(counts(), [1, 1]);
    outcome.assert_stderr_contains("1 site skipped: already in the file");
    let both = std::fs::read(run.archive()).unwrap();
    assert!(both.starts_with(&one));
    // The archive is cut in a record of the second site: it keeps whole records, and only this site is requested again.
    // The cuts are in the trailer of the last member (8 bytes), before it, well before it, and after the first byte.
    for end in [
        both.len() - 1,
        both.len() - 9,
        both.len() - 200,
        one.len() + 1,
    ] {
        std::fs::write(run.archive(), &both[..end]).unwrap();
        let before = counts();
        let outcome = run.fetch(&[&first, &second], &["--resume"]);
        outcome.assert_success();
        assert_eq!(counts(), [before[0], before[1] + 1], "{end}");
        for site in [&first, &second] {
            assert_eq!(run.decided(site), "disallow", "{end}");
        }
        let archive = run.archive();
        let page = run.path("page.html");
        let base = format!("{first}/");
        let outcome = robots(["decide", "--robots", &archive, "--base", &base, &page]);
        assert!(!outcome.stderr.contains("warning"), "{}", outcome.stderr);
    }
    // A file that is not an archive is not changed.
    for other in [
        &b"no archive"[..],
        b"WARC/1.1\r\n",
        &crate::program::gzip(b"no archive"),
    ] {
        std::fs::write(run.archive(), other).unwrap();
        let outcome = run.fetch(&[&second], &["--resume"]);
        assert_eq!(outcome.code, 2);
        assert_eq!(std::fs::read(run.archive()).unwrap(), other);
    }
}

#[test]
fn an_archive_of_another_program_is_not_cut() {
    let (origin, _) = serve(OK);
    let run = Run::new();
    assert_eq!(run.fetch(&[&origin], &[]).code, 0);
    // All records in one member, which is cut.
    let mut records = Vec::new();
    let bytes = std::fs::read(run.archive()).unwrap();
    flate2::read::MultiGzDecoder::new(&bytes[..])
        .read_to_end(&mut records)
        .unwrap();
    let member = crate::program::gzip(&records);
    let cut = &member[..member.len() - 5];
    std::fs::write(run.archive(), cut).unwrap();
    let outcome = run.fetch(&[&origin], &["--resume"]);
    assert_eq!(outcome.code, 2, "{}", outcome.stderr);
    assert_eq!(std::fs::read(run.archive()).unwrap(), cut);
    // The last record states a wrong length: nothing is cut, and the new records follow it.
    let page = crate::program::page("http://a.example/", "<title>a</title>");
    let page = String::from_utf8(page).unwrap();
    let wrong = page.replace("Content-Length: ", "Content-Length: 1");
    let archive = [
        crate::program::gzip(page.as_bytes()),
        crate::program::gzip(wrong.as_bytes()),
    ]
    .concat();
    std::fs::write(run.archive(), &archive).unwrap();
    let outcome = run.fetch(&[&origin], &["--resume"]);
    outcome.assert_success();
    assert!(std::fs::read(run.archive()).unwrap().starts_with(&archive));
    // A part of the first record, as a kill leaves it, is dropped. It ends in the gzip header (10 bytes) or after it.
    for length in [1, 2, 11, 30, 100] {
        std::fs::write(run.archive(), &member[..length]).unwrap();
        let outcome = run.fetch(&[&origin], &["--resume"]);
        outcome.assert_success();
        assert_eq!(run.decided(&origin), "disallow");
    }
}

#[test]
fn sites_without_a_response_are_requested_again_with_retry() {
    let (origin, requests) = serve(OK);
    let gone = origin_without_a_server();
    let run = Run::new();
    let sites = [origin.as_str(), &gone];
    assert_eq!(run.fetch(&sites, &[]).code, 0);
    let outcome = run.fetch(&sites, &["--resume", "--retry"]);
    outcome.assert_stderr_contains("1 site requested");
    outcome.assert_stdout_contains(&gone);
    assert_eq!(requests.load(Ordering::SeqCst), 1);
}

#[test]
fn the_email_address_of_the_operator_is_sent() {
    let heads = Arc::new(Mutex::new(Vec::new()));
    let seen = Arc::clone(&heads);
    let origin = serve_by_head(move |head| {
        seen.lock().unwrap().push(head.to_owned());
        OK.to_owned()
    });
    let run = Run::new();
    let (list, kept) = (run.path("sites.txt"), run.path("kept.warc.gz"));
    std::fs::write(&list, &origin).unwrap();
    let archive = run.archive();
    let commands = |from| {
        [
            vec!["fetch", &list, "-o", &archive, "--from", from],
            vec!["check", "--fetch", &origin, "--from", from],
            vec!["survey", "--sites", &list, "--keep", &kept, "--from", from],
        ]
    };
    for command in commands("bot@bot.example") {
        let outcome = robots(command.iter().copied().chain(["--allow-private"]));
        assert_eq!(outcome.code, 0, "{command:?}: {}", outcome.stderr);
        let head = heads.lock().unwrap().pop().unwrap();
        let from = "\r\nfrom: bot@bot.example\r\n";
        assert!(head.to_ascii_lowercase().contains(from), "{head}");
    }
    for from in ["", " "] {
        for command in commands(from) {
            let outcome = robots(command.iter().copied().chain(["--allow-private"]));
            outcome.assert_error("address in From");
        }
    }
    assert!(heads.lock().unwrap().is_empty());
}

#[test]
fn an_archive_has_one_run_at_a_time() {
    let (origin, requests) = serve(OK);
    let run = Run::new();
    let file = std::fs::File::create(run.archive()).unwrap();
    file.lock().unwrap();
    let outcome = run.fetch(&[&origin], &["--resume"]);
    outcome.assert_error("another run");
    assert_eq!(requests.load(Ordering::SeqCst), 0);
}

#[cfg(target_os = "linux")]
#[test]
fn an_archive_is_complete_although_the_lines_are_not_read() {
    let run = Run::new();
    let origins: Vec<String> = (0..20).map(|_| serve(OK).0).collect();
    let list = run.path("sites.txt");
    std::fs::write(&list, origins.join("\n")).unwrap();
    let archive = run.archive();
    // A reader that ends early is not an error. Output that cannot be written is one.
    for (redirection, code) in [("| head -n 2", 0), ("> /dev/full", 2)] {
        std::fs::remove_file(&archive).ok();
        let program = env!("CARGO_BIN_EXE_robots");
        let command = format!(
            "{program} fetch {list} -o {archive} --allow-private {redirection}; exit ${{PIPESTATUS[0]}}"
        );
        let output = std::process::Command::new("bash")
            .args(["-c", &command])
            .output()
            .unwrap();
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(code), "{stderr}");
        assert!(stderr.contains("20 sites requested"), "{stderr}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_reported_with_its_file() {
    let run = Run::new();
    let list = run.path("sites.txt");
    std::fs::write(&list, "http://127.0.0.1:1").unwrap();
    let outcome = robots(["fetch", &list, "-o", "/dev/full"]);
    assert_eq!(outcome.code, 2);
    let message = "error: cannot write to /dev/full: ";
    assert!(outcome.stderr.starts_with(message), "{}", outcome.stderr);
}

#[test]
fn lines_that_are_not_sites_are_reported_with_their_number() {
    let (origin, requests) = serve(OK);
    let run = Run::new();
    let outcome = run.fetch(&["# sites", "", "ftp://a.example", &origin, "a b"], &[]);
    outcome.assert_success();
    assert_eq!(requests.load(Ordering::SeqCst), 1);
    for message in [
        "sites.txt:3: ",
        "sites.txt:5: ",
        "2 lines skipped: not a site",
    ] {
        outcome.assert_stderr_contains(message);
    }
    let (status, bytes) = (200, 33);
    let line = format!("{status:<23} {bytes:>8}  {origin}\n");
    assert!(outcome.stdout.ends_with(&line), "{}", outcome.stdout);
    let run = Run::new();
    assert_eq!(run.fetch(&["a b"], &[]).code, 2);
    assert!(!std::path::Path::new(&run.archive()).exists());
    for wrong in [
        ["--at-once", "0"],
        ["--per-address", "0"],
        ["--per-address", "10001"],
    ] {
        assert_eq!(run.fetch(&[&origin], &wrong).code, 2, "{wrong:?}");
    }
}

#[test]
fn lists_may_have_ranks() {
    let (origin, requests) = serve(OK);
    let run = Run::new();
    let ranked = format!("2,{origin}");
    let quoted = format!("\"3\",\"{origin}/x\"\r");
    let lines = [
        "\"Rank\",\"Host\"\r",
        "",
        &ranked,
        &quoted,
        "4,",
        "5,a b",
        "x,a.example",
        "6,7",
        "7,a.example,8",
    ];
    let outcome = run.fetch(&lines, &[]);
    outcome.assert_success();
    assert_eq!(requests.load(Ordering::SeqCst), 1);
    outcome
        .assert_stderr_contains("sites.txt:1: \"\\\"Rank\\\",\\\"Host\\\"\" is read as a header");
    for number in 5..10 {
        outcome.assert_stderr_contains(&format!("sites.txt:{number}: "));
    }
    outcome.assert_stderr_contains("5 lines skipped: not a site");
    let run = Run::new();
    run.fetch(&["rank,host"], &[])
        .assert_error("no site in the inputs");
    // Without a header, the first line has a site.
    let run = Run::new();
    run.fetch(&[&ranked], &[]).assert_success();
    assert_eq!(requests.load(Ordering::SeqCst), 2);
}

#[cfg(target_os = "linux")]
#[test]
fn a_run_without_a_reader_stops() {
    let (sites, counters): (Vec<String>, Vec<_>) = (0..40).map(|_| serve(OK)).unzip();
    let run = Run::new();
    let list = run.path("sites.txt");
    std::fs::write(&list, sites.join("\n")).unwrap();
    let program = env!("CARGO_BIN_EXE_robots");
    let command = format!(
        "{program} fetch {list} --at-once 1 --allow-private | head -n 1; exit ${{PIPESTATUS[0]}}"
    );
    let output = std::process::Command::new("bash")
        .args(["-c", &command])
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(141));
    let requests = counters
        .iter()
        .map(|counter| counter.load(Ordering::SeqCst));
    assert!(requests.sum::<usize>() < 40);
}

#[test]
fn an_archive_is_not_the_store() {
    let (origin, requests) = serve(OK);
    let run = Run::new();
    let outcome = run.fetch(&[&origin], &["--store", &run.archive()]);
    assert_eq!(outcome.code, 2);
    assert_eq!(requests.load(Ordering::SeqCst), 0);
}

#[cfg(unix)]
#[test]
fn an_interrupted_run_keeps_its_responses() {
    for (signal, code) in [("-INT", 130), ("-TERM", 143)] {
        interrupt(signal, code);
    }
}

/// Sends this signal to a run with one response so far, and asserts that the run ends with this code and has the response.
#[cfg(unix)]
fn interrupt(signal: &str, code: i32) {
    let (origin, _) = serve(OK);
    // A server that never responds.
    let silent = TcpListener::bind("127.0.0.1:0").unwrap();
    let silent_origin = format!("http://{}", silent.local_addr().unwrap());
    let run = Run::new();
    let list = run.path("sites.txt");
    std::fs::write(&list, format!("{origin}\n{silent_origin}")).unwrap();
    let (archive, store) = (run.archive(), run.store());
    let mut child = std::process::Command::new(env!("CARGO_BIN_EXE_robots"))
        .args(["fetch", &list, "-o", &archive, "--allow-private"])
        .args(["--store", &store])
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    let mut out = child.stdout.take().unwrap();
    let mut printed = Vec::new();
    let mut byte = [0];
    while !printed.ends_with(format!("{origin}\n").as_bytes()) {
        assert_eq!(out.read(&mut byte).unwrap(), 1);
        printed.push(byte[0]);
    }
    let id = child.id().to_string();
    let signal = std::process::Command::new("kill")
        .args([signal, &id])
        .status();
    assert!(signal.unwrap().success());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(code));
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(stderr.contains("1 site requested"), "{stderr}");
    assert_eq!(run.decided(&origin), "disallow");
}

#[test]
fn a_store_must_exist_and_be_valid() {
    let folder = Folder::new();
    let path = &*folder.path("none.sqlite");
    let crawl = "tests/fixtures/crawl.warc.gz";
    let outcome = robots(["decide", crawl, "--store", path]);
    outcome.assert_error("there is no store");
    std::fs::write(path, "no store").unwrap();
    assert_eq!(robots(["decide", crawl, "--store", path]).code, 2);
    assert_eq!(
        robots(["decide", crawl, "--store", path, "--robots", crawl]).code,
        2
    );
    assert_eq!(std::fs::read(path).unwrap(), b"no store");
}

#[test]
fn a_site_may_be_an_argument() {
    let (origin, requests) = serve(OK);
    let outcome = robots(["fetch", "--allow-private", &origin, &format!("{origin}/x")]);
    outcome.assert_success();
    assert_eq!(requests.load(Ordering::SeqCst), 1);
    assert!(
        outcome.stdout.ends_with(&format!("  {origin}\n")),
        "{}",
        outcome.stdout
    );
    outcome.assert_stderr_contains("1 site requested");
    outcome
        .assert_stderr_contains("note: the responses were not kept; -o robots.warc.gz keeps them");
    // A store keeps them.
    let run = Run::new();
    let store = run.store();
    let outcome = robots(["fetch", "--allow-private", &origin, "--store", &store]);
    outcome.assert_success();
    assert!(!outcome.stderr.contains("note:"), "{}", outcome.stderr);
    let page = run.path("private.html");
    std::fs::write(&page, "<head></head>").unwrap();
    let decided = command(&format!(
        "decide --store {store} --base {origin} --json {page}"
    ));
    assert_eq!(decided.rows()[0]["fetch"], "disallow", "{}", decided.stdout);
    let kept = run.path("kept.warc.gz");
    let words = [
        "survey",
        "--sites",
        &origin,
        "--keep",
        &kept,
        "--allow-private",
    ];
    assert_eq!(robots(words).code, 0);
}
