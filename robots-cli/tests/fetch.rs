//! `robots check --fetch` and `robots fetch`, on servers of our own on 127.0.0.1.

#![allow(
    clippy::expect_used,
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a failure here fails the test"
)]

mod program;

use program::robots;
use serde_json::Value;
use std::io::{Read, Write};
use std::net::TcpListener;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// A server that gives the same answer to each request; where it is, and how often it was asked.
fn serve(answer: &'static str) -> (String, Arc<AtomicUsize>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let origin = format!("http://{}", listener.local_addr().unwrap());
    let asked = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&asked);
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            let mut head = Vec::new();
            let mut byte = [0];
            while !head.ends_with(b"\r\n\r\n") && stream.read(&mut byte).is_ok_and(|read| read > 0)
            {
                head.push(byte[0]);
            }
            count.fetch_add(1, Ordering::SeqCst);
            let _ = stream.write_all(answer.as_bytes());
        }
    });
    (origin, asked)
}

const OK: &str = "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nUser-agent: *\nDisallow: /private\n";

#[test]
fn a_site_is_asked_once_and_its_line_decides() {
    let (origin, asked) = serve(OK);
    let (open, private) = (format!("{origin}/x"), format!("{origin}/private"));
    let outcome = robots(["check", "--fetch", "--allow-private", &open, &private]);
    assert_eq!(outcome.code, 1, "{}", outcome.stderr);
    assert!(
        outcome.stdout.contains("Disallow: /private"),
        "{}",
        outcome.stdout
    );
    assert_eq!(asked.load(Ordering::SeqCst), 1);
    let outcome = robots(["check", "--fetch", "--allow-private", "--json", &open]);
    assert_eq!(outcome.code, 0);
    let row: Value = serde_json::from_str(&outcome.stdout).unwrap();
    assert_eq!(row["allowed"], true);
    assert_eq!(row["reason"], "no_rule_matches");
}

#[test]
fn what_a_failure_means_is_told() {
    let (origin, _) = serve("HTTP/1.1 503 X\r\nContent-Length: 0\r\n\r\n");
    let outcome = robots(["check", "--fetch", "--allow-private", &origin]);
    assert_eq!(outcome.code, 1);
    assert!(outcome.stdout.contains("status 503"), "{}", outcome.stdout);
    let (origin, _) = serve("HTTP/1.1 404 X\r\nContent-Length: 0\r\n\r\n");
    assert_eq!(
        robots(["check", "--fetch", "--allow-private", &origin]).code,
        0
    );
}

#[test]
fn what_is_not_public_is_not_asked() {
    let (origin, asked) = serve(OK);
    let outcome = robots(["check", "--fetch", "--json", &origin]);
    assert_eq!(outcome.code, 1);
    let row: Value = serde_json::from_str(&outcome.stdout).unwrap();
    assert_eq!(row["reason"], "robots_txt_unreachable");
    assert!(
        row["fault"].as_str().unwrap().contains("127.0.0.1"),
        "{row}"
    );
    assert_eq!(asked.load(Ordering::SeqCst), 0);
    assert_eq!(robots(["check", "--fetch", "robots.txt"]).code, 2);
}

/// A list of sites in a file, and the archive that is to be made of them.
struct Run {
    folder: tempfile::TempDir,
}

impl Run {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        Self { folder }
    }

    fn path(&self, name: &str) -> String {
        self.folder.path().join(name).to_str().unwrap().to_owned()
    }

    fn archive(&self) -> String {
        self.path("robots.warc.gz")
    }

    /// Asks the sites of a list.
    fn fetch(&self, sites: &[&str], more: &[&str]) -> program::Outcome {
        let list = self.path("sites.txt");
        std::fs::write(&list, sites.join("\n")).unwrap();
        let archive = self.archive();
        let mut words = vec!["fetch", &list, "-o", &archive, "--allow-private"];
        words.extend(more);
        robots(words)
    }

    /// What `robots decide` says of fetching a page of an origin, by the archive.
    fn decided(&self, origin: &str) -> String {
        let page = self.path("page.html");
        std::fs::write(&page, "<title>x</title>").unwrap();
        let archive = self.archive();
        let base = format!("{origin}/private/");
        let outcome = robots([
            "decide", "--json", "--robots", &archive, "--base", &base, &page,
        ]);
        assert_eq!(outcome.code, 0, "{}", outcome.stderr);
        let row: Value = serde_json::from_str(&outcome.stdout).unwrap();
        row["fetch"].as_str().unwrap().to_owned()
    }
}

/// An origin at which nobody listens.
fn nobody() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    format!("http://{}", listener.local_addr().unwrap())
}

fn redirect_to(url: &str) -> &'static str {
    format!("HTTP/1.1 301 X\r\nLocation: {url}\r\nContent-Length: 0\r\n\r\n").leak()
}

#[test]
fn an_archive_has_all_that_was_learned() {
    let (rules, _) = serve(OK);
    let (absent, _) = serve("HTTP/1.1 404 X\r\nContent-Length: 3\r\n\r\nabc");
    let (failing, _) = serve("HTTP/1.1 503 X\r\nContent-Length: 0\r\n\r\n");
    let chunked = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n\
        19\r\nUser-agent: *\nDisallow: /\n\r\n0\r\n\r\n";
    let (closed, _) = serve(chunked.replace("19", "1a").leak());
    let (moved, _) = serve(redirect_to(&format!("{rules}/robots.txt")));
    let (moved_away, _) = serve(redirect_to(&format!("{closed}/elsewhere?x")));
    let (to_file, _) = serve(redirect_to("file:///etc/hosts"));
    let (looping, asked) = serve(redirect_to("/robots.txt"));
    let gone = nobody();
    let (to_gone, _) = serve(redirect_to(&format!("{gone}/robots.txt")));
    let expected = [
        (&rules, "200", "disallow"),
        (&absent, "404", "allow"),
        (&failing, "503", "disallow"),
        (&closed, "200", "disallow"),
        (&moved, "200", "disallow"),
        (&moved_away, "200", "disallow"),
        (&to_file, "redirect_to_other", "allow"),
        (&looping, "too_many_redirects", "allow"),
        (&gone, "connect", "disallow"),
        (&to_gone, "connect", "disallow"),
    ];
    let sites: Vec<&str> = expected.iter().map(|(site, ..)| site.as_str()).collect();
    let run = Run::new();
    let outcome = run.fetch(&sites, &["--json"]);
    assert_eq!(outcome.code, 0, "{}", outcome.stderr);
    assert_eq!(asked.load(Ordering::SeqCst), 6);
    let summary = "10 sites asked: 4 gave a robots.txt, 2 another status, 4 no answer";
    assert!(outcome.stderr.contains(summary), "{}", outcome.stderr);
    let rows: Vec<Value> = outcome
        .stdout
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(rows.len(), expected.len());
    for (site, answer, fetch) in expected {
        let row = rows.iter().find(|row| row["site"] == **site).unwrap();
        let told = row["fault"].as_str().map(str::to_owned);
        let told = told.unwrap_or_else(|| row["status"].to_string());
        assert_eq!(told, answer, "{row}");
        assert_eq!(run.decided(site), fetch, "{row}");
    }
    // Questions in bulk are answered by it, too.
    let questions = run.path("questions.jsonl");
    let question = |site: &str| {
        format!(
            "{{\"robots\": \"{site}/robots.txt\", \"agent\": \"a\", \"url\": \"{site}/private\"}}\n"
        )
    };
    std::fs::write(&questions, question(&rules) + &question(&gone)).unwrap();
    let archive = run.archive();
    let outcome = robots(["check", "--batch", &questions, "--robots", &archive]);
    assert_eq!(outcome.code, 0, "{}", outcome.stderr);
    assert_eq!(outcome.stdout.matches("\"allowed\":false").count(), 2);
    assert!(outcome.stderr.is_empty(), "{}", outcome.stderr);
}

#[test]
fn a_run_goes_on_where_another_ended() {
    let (first, first_asked) = serve(OK);
    let (second, second_asked) = serve(OK);
    let counts = || [&first_asked, &second_asked].map(|asked| asked.load(Ordering::SeqCst));
    let run = Run::new();
    let outcome = run.fetch(&[&first], &[]);
    assert_eq!(outcome.code, 0, "{}", outcome.stderr);
    let one = std::fs::read(run.archive()).unwrap();
    // What is there is not lost by mistake.
    let outcome = run.fetch(&[&first, &second], &[]);
    assert_eq!(outcome.code, 2);
    assert!(outcome.stderr.contains("--resume"), "{}", outcome.stderr);
    assert_eq!(std::fs::read(run.archive()).unwrap(), one);
    let outcome = run.fetch(&[&first, &second, &first], &["--resume"]);
    assert_eq!(outcome.code, 0, "{}", outcome.stderr);
    assert_eq!(counts(), [1, 1]);
    let there = "1 sites were there already";
    assert!(outcome.stderr.contains(there), "{}", outcome.stderr);
    let both = std::fs::read(run.archive()).unwrap();
    assert!(both.starts_with(&one));
    // Cut anywhere, it has what is whole and asks for the rest.
    for end in [
        both.len() - 1,
        both.len() - 9,
        both.len() - 200,
        one.len() + 1,
    ] {
        std::fs::write(run.archive(), &both[..end]).unwrap();
        let before = counts();
        let outcome = run.fetch(&[&first, &second], &["--resume"]);
        assert_eq!(outcome.code, 0, "{end}: {}", outcome.stderr);
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
    for other in [
        &b"no archive"[..],
        b"WARC/1.1\r\n",
        &program::gzip(b"no archive"),
    ] {
        std::fs::write(run.archive(), other).unwrap();
        let outcome = run.fetch(&[&second], &["--resume"]);
        assert_eq!(outcome.code, 2);
        assert_eq!(std::fs::read(run.archive()).unwrap(), other);
    }
}

#[test]
fn lines_that_are_no_sites_are_told_with_their_number() {
    let (origin, asked) = serve(OK);
    let run = Run::new();
    let outcome = run.fetch(&["# sites", "", "ftp://a.example", &origin, "a b"], &[]);
    assert_eq!(outcome.code, 0, "{}", outcome.stderr);
    assert_eq!(asked.load(Ordering::SeqCst), 1);
    for told in [
        "sites.txt:3: ",
        "sites.txt:5: ",
        "2 lines of the list are no sites",
    ] {
        assert!(outcome.stderr.contains(told), "{}", outcome.stderr);
    }
    let line = format!("{:<23} {:>8}  {origin}\n", 200, 33);
    assert!(outcome.stdout.ends_with(&line), "{}", outcome.stdout);
    let run = Run::new();
    assert_eq!(run.fetch(&["a b"], &[]).code, 2);
    assert!(!std::path::Path::new(&run.archive()).exists());
    assert_eq!(run.fetch(&[&origin], &["--at-once", "0"]).code, 2);
}

#[cfg(unix)]
#[test]
fn a_run_that_is_interrupted_keeps_what_came() {
    let (origin, _) = serve(OK);
    let silent = TcpListener::bind("127.0.0.1:0").unwrap();
    let silent = (format!("http://{}", silent.local_addr().unwrap()), silent);
    let run = Run::new();
    let list = run.path("sites.txt");
    std::fs::write(&list, format!("{origin}\n{}", silent.0)).unwrap();
    let archive = run.archive();
    let mut child = std::process::Command::new(env!("CARGO_BIN_EXE_robots"))
        .args(["fetch", &list, "-o", &archive, "--allow-private"])
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    let mut out = child.stdout.take().unwrap();
    let mut told = Vec::new();
    let mut byte = [0];
    while !told.ends_with(format!("{origin}\n").as_bytes()) {
        assert_eq!(out.read(&mut byte).unwrap(), 1);
        told.push(byte[0]);
    }
    let id = child.id().to_string();
    let killed = std::process::Command::new("kill")
        .args(["-INT", &id])
        .status();
    assert!(killed.unwrap().success());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130));
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(stderr.contains("1 sites asked"), "{stderr}");
    assert_eq!(run.decided(&origin), "disallow");
}
